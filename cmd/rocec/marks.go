package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// This file keeps two runs apart: it finds the devices that other runs hold beside a plan, and the switches that a run marks.

// clockError is the difference that a device's timer and the clock of this machine may have when the timer ends. A device that does not
// answer cannot be asked.
const clockError = 2 * time.Minute

// silent returns an error for each device of a plan, or next to its waves, that does not answer and that a run of this machine holds. The
// device may go back until its timer and the error of the clocks are over. After that it is away like any other.
func (a *app) silent(dir string, f *fleet, plan *deploy.Plan, seq *sequence.Sequence, own string, now time.Time) (out []*deploy.Error) {
	if f.lab != nil { // whose time stands still between commands
		return nil
	}
	all := slices.Concat(plan.Devices, plan.Beside)
	if seq != nil {
		all = append(all, seq.Locks...)
	}
	var logs []*journal.Log
	for _, d := range all {
		if d.Err == nil || d.Err.Kind != deploy.Unreachable {
			continue
		}
		if logs == nil {
			logs = a.runsOf(dir, f.labDir)
		}
		for _, l := range slices.Backward(logs) { // the newest first
			if !slices.ContainsFunc(l.Devices, func(of journal.Device) bool { return of.Name == d.Device.Name }) {
				continue
			}
			if left := heldFor(l, a.keptOf(l), d.Device.Name, now); left > 0 && l.Run != own {
				out = append(out, &deploy.Error{Kind: deploy.Locked, Device: d.Device, Detail: fmt.Sprintf("%s does not answer. Run %s of %s has "+
					"changed it, is not confirmed, and may go back there within %s. Keep the change: %s. Go back: %s.", d.Device.Name, l.Run,
					view.Who(l.Owner), left.Round(time.Second), deploy.RunCommand("confirm", l.Run), deploy.RunCommand("rollback", l.Run))})
			}
			break
		}
	}
	return out
}

// heldFor is how long a device may still go back from a run by itself, as the journal of the run knows; 0: it does not any more.
func heldFor(l *journal.Log, kept target.Kept, name string, now time.Time) time.Duration {
	marks := l.Marks()
	o, ended := l.Outcomes[name]
	switch r, ok := o.Data(); {
	case ended && ok && r.Until > 0:
		return max(0, o.Time.Add(time.Duration(r.Until)*time.Second+clockError).Sub(now))
	case ended || marks[name] != txn.Armed && marks[name] != txn.Loaded:
		return 0
	}
	begun := l.Began // by a run that died
	for _, line := range l.Lines {
		if line.Device == name {
			begun = line.Time
		}
	}
	return max(0, begun.Add(longestTimer(l, kept, name)+clockError).Sub(now))
}

// longestTimer bounds the timer of a device in a run that died, from what its steps and waves may take.
func longestTimer(l *journal.Log, kept target.Kept, name string) time.Duration {
	i := slices.IndexFunc(l.Devices, func(d journal.Device) bool { return d.Name == name })
	waves := 1
	for _, d := range l.Devices {
		waves = max(waves, d.Wave)
	}
	hold, _ := time.ParseDuration(l.Hold)
	const unknownWork = 24 * time.Hour // of an earlier rocec, whose steps are not read
	if l.Older() {
		return hold + unknownWork
	}
	plan := replay.Read(&l.Header, kept).Plan(l.Devices[i : i+1]).Devices[0]
	if len(plan.Changes) < len(l.Devices[i].Changes) {
		return mostHold
	}
	c := device.NewChange(plan)
	soak, away := c.Soak()
	const deadMan = 3 * time.Minute
	return hold + time.Duration(waves+1)*(c.Work()+soak+away+deadMan)
}

// readLocks reads who holds the switches that are to carry the mark of the run, and the devices next to its waves, but for those that were
// read with the plan.
func (a *app) readLocks(ctx context.Context, f *fleet, plan *deploy.Plan, seq *sequence.Sequence) {
	tree := seq.Neighbours()
	if len(tree.Devices) == 0 {
		return
	}
	a.admitSudo(tree.Devices, "whose locks this run reads, and which carry its mark")
	o, end := a.reading()
	defer end()
	f.read.limit(&o)
	seq.Locks = deploy.Diff(tree, rollout.Observe(ctx, f.dial, tree, o)).Devices
}

// died reports whether a run was led by this user on this machine, and its process has ended: what it has marked it does not rely on any
// more. Runs of other machines are not known.
func (a *app) died(run string) bool {
	dir, err := a.journals()
	if err != nil || !deploy.ValidRun(run) {
		return false
	}
	l, err := dir.Read(run)
	return err == nil && l.Adopted == nil && !l.Alive
}

// barred refuses to do a plan that runs keep from being done: exit status 5, and nothing was changed.
func (a *app) barred(
	f *report.Report, dir string, devices *fleet, plan *deploy.Plan, seq *sequence.Sequence, own string, o *leadOptions,
) error {
	held := slices.DeleteFunc(sequence.Bars(plan, seq, own), func(h *sequence.Held) bool { return h.Beside && a.died(h.Txn) })
	var ds diag.List
	for _, e := range a.silent(dir, devices, plan, seq, own, time.Now()) {
		ds = append(ds, e.Diagnostic())
	}
	silent := len(ds)
	for _, h := range held {
		e := &deploy.Error{Kind: deploy.Locked, Device: h.Devices[0].Device, Detail: h.Holds(h.Names()...) + " " + h.GoOn(h.Names()...)}
		ds = append(ds, e.Diagnostic())
	}
	p := &diag.Printer{Color: a.paints(a.stderr), Width: a.width(a.stderr)}
	if f != nil {
		p.Files = f.Source.Files
	}
	if len(ds) == 0 && seq != nil && !o.alone {
		for _, e := range seq.Unmarkable() {
			ds = append(ds, e.Diagnostic())
		}
	}
	p.Print(a.stderr, ds) //nolint:errcheck // a closed terminal has nobody to tell
	if len(ds) > 0 && o.format == "json" {
		why := deploy.NotMarked
		if len(held)+silent > 0 {
			why = deploy.OtherRun
		}
		a.writeStopped(plan, held, why, ds[0].Detail)
	}
	switch {
	case len(held)+silent > 0:
		return exit.Fail(exit.Locked, "another run holds devices that this plan changes or relies on. Nothing was changed.")
	case len(ds) > 0:
		return exit.Fail(exit.Machines, "%s cannot carry the mark by which other runs see this one. Nothing was changed. Go on without it "+
			"when no other run goes on: --alone -m WHY.", diag.Count(len(ds), "switch"))
	}
	return nil
}

// writeStopped writes, as JSON, what becomes of the devices of a plan that does not begin: held devices are refused.
func (a *app) writeStopped(plan *deploy.Plan, held []*sequence.Held, why deploy.Stopped, detail string) {
	refused := map[string]string{}
	for _, h := range held {
		for _, name := range h.Names() {
			refused[name] = h.Holds(name) + " " + h.GoOn(name)
		}
	}
	sum := a.untouched(plan, refused)
	a.writeEvent(applyEvent{Event: "summary", Summary: sum, Stopped: string(why), Detail: detail})
}
