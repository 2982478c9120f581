package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/target"
)

// Running is what runs on a device as it goes back.
type Running struct {
	Words string
	Cmds  []string
}

// hashForm is a content in the name of a step; what differs from device to device says nothing to a person.
var hashForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` [0-9a-f]{64}\b`) })

// StepWords returns the words of a step for a person, with the first comment of its command.
func StepWords(name, cmd string) string {
	words := hashForm().ReplaceAllString(name, "")
	if first, _, _ := strings.Cut(cmd, "\n"); strings.HasPrefix(first, "# ") {
		words += " (" + first[2:] + ")"
	}
	return deploy.Sentences(words)
}

// RunningBack is what runs for a step as a device goes back from it: its undo, or the step again.
func RunningBack(s *target.Step) Running {
	name := device.WentForth(s.Name)
	if s.Undo == nil {
		return Running{StepWords(name, s.Cmd), []string{s.Cmd}}
	}
	r := Running{"undo of " + StepWords(name, s.Undo.Cmd), []string{s.Undo.Cmd}}
	if device.GoesBack(s.Name) {
		r.Cmds = []string{s.Cmd, s.Undo.Cmd}
	}
	return r
}

// RunningOn is what runs on devices that kept a run, as they go back, each once.
func RunningOn(ds []*deploy.DevicePlan) (out []Running) {
	for _, d := range ds {
		for _, c := range d.Changes {
			if c.File.Activate.Cmd != "" {
				out = AddRunning(out, RunningBack(&c.File.Activate))
			}
		}
	}
	return out
}

// AddRunning adds what is not there yet.
func AddRunning(out []Running, r Running) []Running {
	if slices.ContainsFunc(out, func(have Running) bool { return have.Words == r.Words }) {
		return out
	}
	return append(out, r)
}

// Running prints the steps that run; whole prints their commands, too.
func (s *Screen) Running(all []Running, whole bool) {
	for _, r := range all {
		s.Prose("  "+s.Paint(diag.Yellow, "runs:")+" ", r.Words)
		if !whole {
			continue
		}
		for _, cmd := range r.Cmds {
			for line := range strings.Lines(cmd) {
				fmt.Fprintf(s.Raw, "      %s\n", diag.EscapeLines(strings.TrimRight(line, "\n")))
			}
		}
	}
}
