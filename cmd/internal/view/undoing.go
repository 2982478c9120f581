package view

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Undoing is the undo of a run on the devices that have not kept it.
type Undoing struct {
	Run    string
	Groups []*UndoGroup
	Waves  int // in which the devices were changed
}

// UndoGroup contains devices that are undone together and have the same text.
type UndoGroup struct {
	About, Other string // the commands of this rocec; differences of the rocec of the run
	Disrupts     []string
	Runs         []Running
	Devices      []string
}

// Undoing prints the undo of a run. parallel is the number of devices of a wave that are undone at once. With whole it also prints the
// commands.
func (s *Screen) Undoing(u *Undoing, parallel int, whole bool) {
	devices, disruptive := 0, 0
	for _, g := range u.Groups {
		n := len(g.Devices)
		devices += n
		if len(g.Disrupts) > 0 {
			disruptive += n
		}
		head := s.Paint(diag.Bold, diag.Escape(nodeset.Text(g.Devices, nodeset.Devices, math.MaxInt)))
		if n > 1 {
			head += fmt.Sprintf("  (%d alike)", n)
		}
		fmt.Fprintf(s.W, "%s  %s\n", head, diag.Escape(g.About))
		for _, text := range g.Disrupts {
			fmt.Fprintf(s.W, "  %s %s\n", s.Paint(diag.Yellow, "disrupts:"), diag.Escape(text))
		}
		s.Running(g.Runs, whole)
		if g.Other != "" {
			s.Prose("  "+s.Paint(diag.Yellow, "note:")+" ", g.Other+" The device runs the commands that it got in that run.")
		}
		fmt.Fprintln(s.W)
	}
	goes := diag.Plural(devices, "is restored to its state", "are restored to their state")
	fmt.Fprintf(s.W, "Plan: %s %s before run %s.\n", diag.Count(devices, "device"), goes, u.Run)
	fmt.Fprintf(s.W, "Disruption: %s; order: %s, the last wave first, %d devices of a wave at a time.\n",
		s.Paint(diag.Yellow, diag.Count(disruptive, "device")), diag.Count(u.Waves, "wave"), min(parallel, devices))
}
