package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/target"
)

// This file says what a rollback runs on devices: the steps by their names, and with --diff the commands, as rocec makes them of the names.

// running is what runs on a device as it goes back.
type running struct {
	words string
	cmds  []string
}

// hashForm is a content in the name of a step; what differs from device to device says nothing to a person.
var hashForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` [0-9a-f]{64}\b`) })

// stepWords are the words of a name for a person, with what the command says of itself.
func stepWords(name, cmd string) string {
	words := hashForm().ReplaceAllString(name, "")
	if first, _, _ := strings.Cut(cmd, "\n"); strings.HasPrefix(first, "# ") {
		words += " (" + first[2:] + ")"
	}
	return deploy.Sentences(words)
}

// runningBack is what runs for a step as a device goes back from it: its undo, or the step again.
func runningBack(s *target.Step) running {
	name := device.WentForth(s.Name)
	if s.Undo == nil {
		return running{stepWords(name, s.Cmd), []string{s.Cmd}}
	}
	r := running{"undo of " + stepWords(name, s.Undo.Cmd), []string{s.Undo.Cmd}}
	if device.GoesBack(s.Name) {
		r.cmds = []string{s.Cmd, s.Undo.Cmd}
	}
	return r
}

// runningOn is what runs on devices that kept a run, as they go back, each once.
func runningOn(ds []*deploy.DevicePlan) (out []running) {
	for _, d := range ds {
		for _, c := range d.Changes {
			if c.File.Activate.Cmd != "" {
				out = addRunning(out, runningBack(&c.File.Activate))
			}
		}
	}
	return out
}

func addRunning(out []running, r running) []running {
	if slices.ContainsFunc(out, func(have running) bool { return have.words == r.words }) {
		return out
	}
	return append(out, r)
}

// printRunning shows what runs; whole shows the commands.
func printRunning(w, raw io.Writer, width int, all []running, paint func(style, s string) string, whole bool) {
	p := &diag.Printer{Width: width}
	for _, r := range all {
		p.Prose(w, "  "+paint(diag.Yellow, "runs:")+" ", r.words) //nolint:errcheck // a closed terminal has nobody to tell
		if !whole {
			continue
		}
		for _, cmd := range r.cmds {
			for line := range strings.Lines(cmd) {
				fmt.Fprintf(raw, "      %s\n", diag.EscapeLines(strings.TrimRight(line, "\n")))
			}
		}
	}
}

// otherRocec says of a device which of the run's steps this rocec does in another way than the one that made the run; empty: none.
func (r *reader) otherRocec(d *journal.Device) string {
	others := r.otherwise(d)
	if len(others) == 0 {
		return ""
	}
	for i := range others {
		others[i] = stepWords(device.WentForth(others[i]), "")
	}
	made := r.h.Tool
	if d.Tool != "" {
		made = d.Tool
	}
	return fmt.Sprintf("This rocec does %s in another way than the one that made the run (%s).", diag.And(others), deploy.OneLine(made))
}

// openGroup is devices that are undone at once, alike in what is said of them.
type openGroup struct {
	about, other string
	disrupts     []string
	runs         []running
	names        []journal.Device
}

// planOpen shows what the undo of an armed run does. It puts back what the devices saved, so there is nothing to compare; what traffic
// notices is that of the steps, and what runs is their undo.
func (a *app) planOpen(l *journal.Log, b *backs, o rollbackOptions) {
	out := a.fitted(a.stdout)
	paint := func(style, s string) string { return diag.Paint(a.paints(a.stdout), style, s) }
	groups := map[string]*openGroup{}
	var order []string
	disruptive := 0
	waves := map[int]bool{}
	for i := range b.open {
		d := &b.open[i]
		g := &openGroup{about: d.About, other: b.reader.otherRocec(d)}
		for _, s := range b.reader.steps(d) {
			if s.Disrupts != "" && !slices.Contains(g.disrupts, s.Disrupts) {
				g.disrupts = append(g.disrupts, s.Disrupts)
			}
			g.runs = addRunning(g.runs, runningBack(&s))
		}
		if len(g.disrupts) > 0 {
			disruptive++
		}
		waves[d.Wave] = true
		key := fmt.Sprintf("%q %q %q %q", g.about, g.other, g.disrupts, g.runs)
		if groups[key] == nil {
			groups[key] = g
			order = append(order, key)
		}
		groups[key].names = append(groups[key].names, *d)
	}
	for _, key := range order {
		g := groups[key]
		head := paint(diag.Bold, namesOf(g.names))
		if n := len(g.names); n > 1 {
			head += fmt.Sprintf("  (%d alike)", n)
		}
		fmt.Fprintf(out, "%s  %s\n", head, diag.Escape(g.about))
		for _, s := range g.disrupts {
			fmt.Fprintf(out, "  %s %s\n", paint(diag.Yellow, "disrupts:"), diag.Escape(s))
		}
		printRunning(out, a.stdout, a.width(a.stdout), g.runs, paint, o.diff)
		if g.other != "" {
			(&diag.Printer{Width: a.width(a.stdout)}).Prose(out, "  "+paint(diag.Yellow, "note:")+" ", //nolint:errcheck // as above
				g.other+" What runs is what the device was given then.")
		}
		fmt.Fprintln(out)
	}
	goes := diag.Plural(len(b.open), "goes back to what it held", "go back to what they held")
	fmt.Fprintf(out, "Plan: %s %s before run %s.\n", diag.Count(len(b.open), "device"), goes, l.Run)
	fmt.Fprintf(out, "Disruption: %s; order: %s, the last one first, %d devices of it at a time.\n",
		paint(diag.Yellow, diag.Count(disruptive, "device")), diag.Count(len(waves), "wave"), min(o.parallel, len(b.open)))
}
