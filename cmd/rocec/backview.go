package main

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

// This file says what a rollback runs on devices: the steps by their names, and with --diff the commands, as rocec makes them of the names.

// otherRocec says of a device which of the run's steps this rocec does in another way than the one that made the run; empty: none.
func otherRocec(r *replay.Reader, l *journal.Log, d *journal.Device) string {
	others := r.Otherwise(d)
	if len(others) == 0 {
		return ""
	}
	for i := range others {
		others[i] = view.StepWords(device.WentForth(others[i]), "")
	}
	made := l.Tool
	if d.Tool != "" {
		made = d.Tool
	}
	return fmt.Sprintf("This rocec does %s in another way than the one that made the run (%s).", diag.And(others), deploy.OneLine(made))
}

// openGroup is devices that are undone at once, alike in what is said of them.
type openGroup struct {
	about, other string
	disrupts     []string
	runs         []view.Running
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
		g := &openGroup{about: d.About, other: otherRocec(b.reader, l, d)}
		for _, s := range b.reader.Steps(d) {
			if s.Disrupts != "" && !slices.Contains(g.disrupts, s.Disrupts) {
				g.disrupts = append(g.disrupts, s.Disrupts)
			}
			g.runs = view.AddRunning(g.runs, view.RunningBack(&s))
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
		view.PrintRunning(out, a.stdout, a.width(a.stdout), g.runs, paint, o.Diff)
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
