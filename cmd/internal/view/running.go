package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/target"
)

// Running contains the commands that a device runs in a rollback.
type Running struct {
	Words string
	Cmds  []string
}

// hashForm matches the hash of a content in the name of a step. It differs between devices, and is not printed.
var hashForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` [0-9a-f]{64}\b`) })

// StepWords returns the words of a step for a person, with the first comment of its command.
func StepWords(name, cmd string) string {
	words := hashForm().ReplaceAllString(name, "")
	if first, _, _ := strings.Cut(cmd, "\n"); strings.HasPrefix(first, "# ") {
		words += " (" + first[2:] + ")"
	}
	return deploy.Sentences(words)
}

// RunningBack returns the commands that roll a step back: its undo, or the step again.
func RunningBack(s *target.Step) Running {
	name := scripts.WentForth(s.Name)
	if s.Undo == nil {
		return Running{StepWords(name, s.Cmd), []string{s.Cmd}}
	}
	r := Running{"undo of " + StepWords(name, s.Undo.Cmd), []string{s.Undo.Cmd}}
	if scripts.GoesBack(s.Name) {
		r.Cmds = []string{s.Cmd, s.Undo.Cmd}
	}
	return r
}

// RunningOn returns the commands of a rollback on devices that kept a run, each once.
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

// AddRunning adds commands that are not in the list yet.
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
