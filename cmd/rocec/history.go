package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// This file reads the journals for the verbs that go on with a run: what is over in it, and what later runs did to its devices.

// laterRuns reads the journals of [later].
func (a *app) laterRuns(l *journal.Log) ([]*journal.Log, error) {
	_, logs, err := a.allRuns()
	return l.Later(logs), err
}

// allRuns reads every journal that can be read, the newest first. It prints those that another user could have written.
func (a *app) allRuns() (dir *journal.Dir, logs []*journal.Log, err error) {
	dir, logs, unreadable, err := a.readRuns()
	for _, u := range unreadable {
		if why := u.Refused(); why != nil {
			a.warnOnce(why)
		}
	}
	return dir, logs, err
}

// readRuns reads every journal, the newest first, and returns those that it cannot read.
func (a *app) readRuns() (dir *journal.Dir, logs []*journal.Log, unreadable []journal.Unreadable, err error) {
	if dir, err = a.journals(); err != nil {
		return nil, nil, nil, err
	}
	if logs, unreadable, err = dir.Runs(); err != nil {
		return nil, nil, nil, exit.Fail(exit.Machines, "the journals of runs cannot be read: %v", err)
	}
	return dir, logs, unreadable, nil
}

// warnOnce prints an error that does not end the verb, the first time that it comes up.
func (a *app) warnOnce(err error) {
	text := err.Error()
	if !slices.Contains(a.warned, text) {
		a.warned = append(a.warned, text)
		fmt.Fprintf(a.stderr, "rocec: %s\n", text)
	}
}

// countOutcomes is "6 applied, 1 restored" of devices of a run.
func countOutcomes(l *journal.Log, devices []journal.Device) string {
	n := map[string]int{}
	for _, d := range devices {
		n[l.OutcomeOf(d.Name)]++
	}
	return view.OutcomesText(view.Run{Outcomes: n, Status: journal.Ended})
}

// tellClosed is the JSON of devices on which a run is over: as the journal has it.
func (a *app) tellClosed(l *journal.Log, devices []journal.Device) {
	sum := deploy.Tally()
	for _, d := range devices {
		o := l.OutcomeOf(d.Name)
		sum[o]++
		line := applyEvent{Event: "device", Device: d.Name, Outcome: o, Detail: l.Outcomes[d.Name].Detail, Run: l.Run}
		if r, ok := l.Outcomes[d.Name].Data(); ok {
			line.Result = &r
		}
		a.writeEvent(line)
	}
	a.writeEvent(applyEvent{Event: "summary", Run: l.Run, Summary: sum})
}

// over ends confirm and resume where nothing of the run is open: it says what became of it. what is "confirm" or "resume".
func (a *app) over(l *journal.Log, devices []journal.Device, what, format string) error {
	logs, err := a.laterRuns(l)
	if err != nil {
		return err
	}
	good := true
	back := map[string]bool{}
	for _, d := range devices {
		o := deploy.Outcome(l.OutcomeOf(d.Name))
		good = good && (o == deploy.Applied || o == deploy.Unchanged)
		if by := l.RolledBackBy(logs, d.Name); by != nil && !back[by.Run] {
			back[by.Run] = true
			good = good && what != "confirm" // who confirms wants to have it
		}
	}
	if format == "json" {
		a.tellClosed(l, devices)
	} else {
		var text strings.Builder
		text.WriteString(countOutcomes(l, devices))
		for _, o := range logs {
			if back[o.Run] {
				text.WriteString(", rolled back by run " + o.Run)
			}
		}
		fmt.Fprintf(a.stdout, "Run %s is over (%s). Nothing to %s.%s\n", l.Run, text.String(), what, heldNow(l, logs, devices))
	}
	if !good {
		return exit.With(exit.Incomplete)
	}
	return nil
}

// heldNow says which later run wrote what the devices hold, where this one is undone.
func heldNow(l *journal.Log, logs []*journal.Log, devices []journal.Device) string {
	by := map[string][]string{}
	for _, d := range devices {
		if o := deploy.Outcome(l.OutcomeOf(d.Name)); o != deploy.Reverted && o != deploy.Restored {
			continue
		}
		if w := journal.WriterOf(logs, d.Name); w != nil {
			by[w.Run] = append(by[w.Run], d.Name)
		}
	}
	var b strings.Builder
	for _, o := range logs {
		if names := by[o.Run]; len(names) > 0 {
			fmt.Fprintf(&b, " What %s now was written by run %s.", holdText(names), o.Run)
		}
	}
	return b.String()
}

func holdText(names []string) string {
	verb := "hold"
	if len(names) == 1 {
		verb = "holds"
	}
	return diag.Escape(nodeset.Text(names, nodeset.Devices, math.MaxInt)) + " " + verb
}
