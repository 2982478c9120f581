package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// This file reads the journals for the verbs that go on with a run: what is over in it, and what later runs did to its devices.

// isOpen reports whether a device of a run has to be asked what became of it: its outcome is not the last word, or something of the
// run was left there.
func isOpen(l *journal.Log, device string) bool {
	o, ok := l.Outcomes[device]
	if !ok || !deploy.Outcome(o.Outcome).Closed() {
		return true
	}
	var r resultJSON
	return json.Unmarshal(o.Result, &r) == nil && len(r.Left) > 0
}

// begunOn are the devices of a run on which it did anything.
func begunOn(l *journal.Log, devices []journal.Device) []journal.Device {
	return slices.DeleteFunc(slices.Clone(devices), func(d journal.Device) bool { return !begun(l, d.Name) })
}

// begun reports whether a run may have done anything on a device. A line that cannot be read may have been of any.
func begun(l *journal.Log, device string) bool { return underWay(l, device) != "" || l.Damaged > 0 }

// marksOf is how far the journal saw a run come on each device. A commit that was sent may have changed the device. A device that was to
// go back is still to go back, whatever it holds.
func marksOf(l *journal.Log) map[string]txn.Mark {
	marks := map[string]txn.Mark{}
	for _, line := range l.Lines {
		if line.Done {
			m, ok := txn.ParseMark(line.Mark)
			forward := m == txn.Armed || m == txn.Loaded
			if ok && m != txn.Absent && !(forward && marks[line.Device] == txn.Undoing) {
				marks[line.Device] = m
			}
			continue
		}
		switch line.Verb {
		case string(txn.Commit):
			marks[line.Device] = txn.Armed
		case string(txn.Undo):
			marks[line.Device] = txn.Undoing
		}
	}
	return marks
}

// later are the runs that were started after this one on the same devices, the newest first.
func later(logs []*journal.Log, l *journal.Log) []*journal.Log {
	var out []*journal.Log
	for _, o := range logs {
		if o.Began.After(l.Began) && o.Lab == l.Lab && (o.Fabric == l.Fabric || o.Name == l.Name) {
			out = append(out, o)
		}
	}
	return out
}

// writerOf is the latest of these runs whose content a device may hold; nil: none.
func writerOf(logs []*journal.Log, device string) *journal.Log {
	for _, o := range logs {
		switch deploy.Outcome(outcomeOf(o, device)) {
		case deploy.Applied, deploy.Unconfirmed, deploy.Unknown:
			if slices.ContainsFunc(o.Devices, func(d journal.Device) bool { return d.Name == device }) {
				return o
			}
		}
	}
	return nil
}

// rolledBackBy is the run that went back from this one on a device; nil: none did.
func rolledBackBy(logs []*journal.Log, l *journal.Log, device string) *journal.Log {
	for _, o := range logs {
		if o.Undoes == l.Run && o.Outcomes[device].Outcome == string(deploy.Applied) {
			return o
		}
	}
	return nil
}

// laterRuns reads the journals of [later].
func (a *app) laterRuns(l *journal.Log) ([]*journal.Log, error) {
	_, logs, err := a.allRuns()
	return later(logs, l), err
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
		n[outcomeOf(l, d.Name)]++
	}
	return outcomesText(runJSON{Outcomes: n, Status: runEnded})
}

// tellClosed is the JSON of devices on which a run is over: as the journal has it.
func (a *app) tellClosed(l *journal.Log, devices []journal.Device) {
	sum := map[string]int{}
	for _, k := range deploy.Outcomes {
		sum[string(k)] = 0
	}
	for _, d := range devices {
		o := outcomeOf(l, d.Name)
		sum[o]++
		line := applyEvent{Event: "device", Device: d.Name, Outcome: o, Detail: l.Outcomes[d.Name].Detail, Run: l.Run}
		var r resultJSON
		if json.Unmarshal(l.Outcomes[d.Name].Result, &r) == nil {
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
		o := deploy.Outcome(outcomeOf(l, d.Name))
		good = good && (o == deploy.Applied || o == deploy.Unchanged)
		if by := rolledBackBy(logs, l, d.Name); by != nil && !back[by.Run] {
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
		if o := deploy.Outcome(outcomeOf(l, d.Name)); o != deploy.Reverted && o != deploy.Restored {
			continue
		}
		if w := writerOf(logs, d.Name); w != nil {
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
