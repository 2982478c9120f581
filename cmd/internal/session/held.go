package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// This file separates concurrent runs: it finds neighbours of a plan that other runs hold, and the switches that a run marks.

// clockError is the maximum difference between a device's timer and the clock of this machine. It matters if the device does not answer.
const clockError = 2 * time.Minute

// silent returns an error for each device in a plan, or next to its waves, that does not answer and that a run of this machine holds.
// Such a device may undo the run until its timer and clockError have passed. After that it counts as unreachable, like any other device.
func (f *Fleet) silent(dir string, plan *deploy.Plan, seq *sequence.Sequence, own string, now time.Time) (out []*deploy.Error) {
	if f.Lab != nil { // its clocks stop between commands
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
			logs = f.s.runsOf(dir, f.LabDir)
		}
		for _, l := range slices.Backward(logs) { // newest first
			if !slices.ContainsFunc(l.Devices, func(of journal.Device) bool { return of.Name == d.Device.Name }) {
				continue
			}
			if left := heldFor(l, f.s.keptOf(l), d.Device.Name, now); left > 0 && l.Run != own {
				out = append(out, &deploy.Error{Kind: deploy.Locked, Device: d.Device, Detail: fmt.Sprintf("%s does not answer. Run %s of %s has "+
					"changed it, and is not confirmed: the device may undo the change within %s. Keep the change: %s; go back: %s", d.Device.Name, l.Run,
					view.Who(l.Owner), left.Round(time.Second), deploy.RunCommand("confirm", l.Run), deploy.RunCommand("rollback", l.Run))})
			}
			break
		}
	}
	return out
}

// heldFor returns how long a device may still undo a run by itself, according to the journal of the run; 0: it cannot any more.
func heldFor(l *journal.Log, kept commands.Kept, name string, now time.Time) time.Duration {
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

// longestTimer returns an upper bound for the timer of a device in a run that died, from the time limits of its steps and waves.
func longestTimer(l *journal.Log, kept commands.Kept, name string) time.Duration {
	i := slices.IndexFunc(l.Devices, func(d journal.Device) bool { return d.Name == name })
	waves := 1
	for _, d := range l.Devices {
		waves = max(waves, d.Wave)
	}
	hold, _ := time.ParseDuration(l.Hold)
	const unknownWork = 24 * time.Hour // steps of an earlier rocec are not read
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

// ReadLocks reads the locks of the switches that will carry the mark of the run, and of the devices next to its waves. It skips devices
// whose locks were read with the plan.
func (f *Fleet) ReadLocks(ctx context.Context, plan *deploy.Plan, seq *sequence.Sequence) {
	tree := seq.Neighbours()
	if len(tree.Devices) == 0 {
		return
	}
	f.s.admitSudo(tree.Devices, "whose locks this run reads, and which carry its mark")
	o, end := f.s.Reading()
	defer end()
	f.Read.Limit(&o)
	seq.Locks = deploy.Diff(tree, rollout.Observe(ctx, f.Dial, tree, o)).Devices
}

// Barred refuses a plan that conflicts with other runs, with exit status 5, before anything is changed.
func (f *Fleet) Barred(
	of *report.Report, dir string, plan *deploy.Plan, seq *sequence.Sequence, own string, o *ChangeOptions,
) error {
	held := slices.DeleteFunc(sequence.Bars(plan, seq, own), func(h *sequence.Held) bool { return h.Beside && f.s.died(h.Txn) })
	var ds diag.List
	for _, e := range f.silent(dir, plan, seq, own, f.s.clock.Now()) {
		ds = append(ds, e.Diagnostic())
	}
	silent := len(ds)
	for _, h := range held {
		e := &deploy.Error{Kind: deploy.Locked, Device: h.Devices[0].Device, Detail: h.Holds(h.Names()...) + " " + h.GoOn(h.Names()...)}
		ds = append(ds, e.Diagnostic())
	}
	p := &diag.Printer{Color: f.s.Paints(f.s.Stderr), Width: f.s.Width(f.s.Stderr)}
	if of != nil {
		p.Files = of.Source.Files
	}
	if len(ds) == 0 && seq != nil && !o.Alone {
		for _, e := range seq.Unmarkable() {
			ds = append(ds, e.Diagnostic())
		}
	}
	p.Print(f.s.Stderr, ds) //nolint:errcheck // a closed terminal shows no error
	if len(ds) > 0 && o.Format == "json" {
		why := deploy.NotMarked
		if len(held)+silent > 0 {
			why = deploy.OtherRun
		}
		writeStopped(f.s.Stdout, plan, held, why, ds[0].Detail)
	}
	switch {
	case len(held)+silent > 0:
		return exit.Fail(exit.Locked, "another run holds devices that this plan changes or relies on. Nothing was changed.")
	case len(ds) > 0:
		return exit.Fail(exit.Machines, "%s cannot carry the mark that shows this run to other runs. Nothing was changed. Go on without it "+
			"if no other run is under way: --alone -m WHY.", diag.Count(len(ds), "switch"))
	}
	return nil
}

// HeldLock is a lock on a device, or a mark or folder that a run left there.
type HeldLock struct {
	Device *target.Device
	Holder deploy.Owner
	Locked bool
	Marked bool   // a mark of a run that is under way, or died
	Refuse string // why it must stay; empty: it can be removed
}

// Unlock removes a lock, a mark, or the folder of a run from a device.
func (f *Fleet) Unlock(ctx context.Context, l *HeldLock) *deploy.Error {
	d := device.New(l.Device, f.Dial, f.s.sudo, f.s.clock)
	defer d.Close()
	if err := d.Connect(ctx, "unlock"); err != nil {
		return err
	}
	switch {
	case l.Marked:
		return d.Unmark(ctx, deploy.Run{Name: "unlock", Key: "unlock"}, l.Holder.Txn)
	case !l.Locked:
		return d.Sweep(ctx, l.Holder.Txn, f.s.Owner())
	}
	return d.Unlock(ctx, &l.Holder, f.s.Owner())
}

// JudgeLock determines whether a lock must stay, and why.
func (h History) JudgeLock(l HeldLock, named string) HeldLock {
	run := l.Holder.Txn
	switch l.Holder.Mark {
	case txn.Armed, txn.Loaded, txn.Undoing:
		l.Refuse = l.Holder.Holds(l.Device.Name) + " " + l.Holder.GoOn(l.Device.Name)
		return l
	}
	if dir, err := h.Journals(); err == nil && deploy.ValidRun(run) {
		log, err := dir.Read(run)
		if refused, ok := errors.AsType[*safefile.Refused](err); ok { // unknown whether the run is under way
			l.Refuse = refused.Error()
			return l
		}
		if err == nil && (log.Adopted == nil || log.Alive) {
			if log.Alive {
				l.Refuse = fmt.Sprintf("the run is under way: process %d on this machine", log.PID)
			}
			return l
		}
	}
	by, ok := deploy.ParseProcess(l.Holder.Who)
	here := ok && by.Host != "" && by.Host == HostName()
	switch {
	case run == "" || !l.Locked && !l.Marked:
	case here && processLives(by.PID):
		l.Refuse = "its process is running on this machine"
	case run == named:
	case here:
	case !deploy.ValidRun(run): // no command can contain it
		l.Refuse = "the name of the run is invalid: see " + deploy.StateDir + " on the device"
	default:
		l.Refuse = fmt.Sprintf("it was started on another machine, and may still be under way there. "+
			"If you know that it is over: %s", deploy.UnlockCommand(run, l.Device.Name))
	}
	return l
}

// processLives reports whether a process of this machine is a running rocec.
func processLives(pid int) bool {
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // the number may belong to another process now
	return err == nil && strings.HasPrefix(string(command), "rocec")
}
