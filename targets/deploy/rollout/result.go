package rollout

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// result returns the result of the change for the device.
func (c *change) result() *deploy.Result {
	r := &deploy.Result{Device: c.p.Device, Run: c.o.Run.Name, Err: c.err, Undo: c.undo, Cleanup: c.cleanup}
	rep := c.report
	if rep == nil {
		rep = &device.Report{}
	}
	r.Used, r.Backup = slices.Contains(rep.Began, true), rep.Backup
	r.Mark = c.state.Last
	r.Back = c.state.Goal == txn.Back && c.state.Began && c.state.Last != txn.Confirmed
	c.left(r, rep)
	known := c.state.Known && len(rep.Files) == len(c.what.Files)
	fate := c.state.Fate()
	over := c.resumed && c.state.Known && c.state.Last == txn.Absent
	if r.Over = over; over {
		rep.Files = c.found
		known = len(rep.Files) == len(c.what.Files)
		fate, r.Bare = c.over(rep)
	}
	if !over { // otherwise later runs may have written the files
		fate = c.trusted(fate, rep)
	}
	switch fate {
	case txn.Untouched:
		r.Outcome = deploy.Refused
		if c.err == nil {
			r.Outcome = deploy.NotStarted
		}
	case txn.Kept:
		r.Outcome, r.Err, r.Undo, r.Used = deploy.Applied, nil, nil, true
	case txn.Held:
		r.Outcome, r.Err, r.Until, r.Left, r.Used = deploy.Unconfirmed, nil, rep.Until, nil, true
	case txn.Restored:
		r.Outcome, r.Undo = deploy.Restored, nil // even after an error
	case txn.Reverted:
		r.Outcome, r.Undo, r.By = deploy.Reverted, nil, rep.By
	case txn.Contested:
		r.Outcome = deploy.Conflict
	default:
		r.Outcome, r.Until = deploy.Unknown, rep.Until
		if r.Until == 0 && c.state.Gone && c.mayUndo() {
			t := c.timers() // the device may run either version
			r.Until = max(t.First, t.Later)
		}
	}
	if over && fate == txn.Uncertain && r.Err == nil {
		r.Err = &deploy.Error{
			Kind: deploy.Stale, Device: c.p.Device,
			Detail: "the run is over on the device, which has no record whether it was confirmed; a later run may have written the files",
		}
		if r.Bare {
			r.Err.Detail = "the device has no trace of the run: the device was replaced or installed anew, or later runs removed the traces"
		}
	}
	if r.Err == nil && r.Failed() && r.Cleanup == nil {
		r.Err = rep.Why
	}
	if r.Undo == nil && (r.Outcome == deploy.Conflict || r.Outcome == deploy.Unknown) {
		r.Undo = rep.Unwhy
	}
	r.Notes, r.Acted = rep.Notes, c.acted(r, rep)
	r.InUse, r.Unread = deploy.UseUnknown, ""
	if !over && c.state.Known {
		r.InUse, r.Unread = c.inUseAll(rep)
	}
	for i, f := range c.what.Files {
		r.Files = append(r.Files, c.file(i, f, r.Outcome, over, known, rep))
	}
	return r
}

// mayUndo reports whether a device that does not answer any more may still undo the change by itself. For a run that another process
// began, the time of the undo is unknown.
func (c *change) mayUndo() bool {
	switch c.state.Last {
	case txn.Absent, txn.Prepared, txn.Armed, txn.Loaded, txn.Undoing:
		return c.state.Began && !c.resumed
	}
	return false
}

// acted returns the verb that decided the outcome on the device, if another process ran it. The device has recorded that verb.
func (c *change) acted(r *deploy.Result, rep *device.Report) deploy.Act {
	by := map[deploy.Outcome][]string{
		deploy.Applied: {"confirm"}, deploy.Restored: {"undo", "unlock", "release"}, deploy.Conflict: {"undo"},
		deploy.NotStarted: {"unlock", "release"},
	}[r.Outcome]
	for _, verb := range by {
		for _, act := range rep.Acts {
			if c.resumed && act.Verb == verb && act.Who != c.o.Run.Actor() {
				return act
			}
		}
	}
	return deploy.Act{}
}

// trusted returns the outcome by the marks on the device, unless its files contradict it. Marks can be made by hand.
func (c *change) trusted(fate txn.Fate, rep *device.Report) txn.Fate {
	for i, f := range c.what.Files {
		if f.Base == f.Target || i >= len(rep.Files) || rep.Files[i] == "" {
			continue
		}
		switch holds := rep.Files[i]; fate {
		case txn.Restored, txn.Reverted:
			if holds == f.Target || holds == "unreadable" {
				return txn.Uncertain
			}
			if holds != f.Base {
				return txn.Contested
			}
		case txn.Kept, txn.Held:
			if holds == f.Base {
				return txn.Uncertain
			}
		}
	}
	return fate
}

// file returns the result for one file. For a run that has ended, the result has the present content, even if another writer wrote it.
func (c *change) file(i int, f *deploy.Change, o deploy.Outcome, over, known bool, rep *device.Report) deploy.FileResult {
	r := deploy.FileResult{Path: f.Path, Holds: deploy.HoldsUnknown, InUse: deploy.UseUnknown}
	switch {
	case !over && (o == deploy.Applied || o == deploy.Unconfirmed):
		r.Holds = deploy.HoldsNew
		r.InUse, r.Adjusted = c.inUse(f, rep)
	case !over && (o == deploy.Restored || o == deploy.Reverted):
		r.Holds = deploy.HoldsOld
		r.InUse, _ = c.inUse(f, rep)
	case !over && (o == deploy.Refused || o == deploy.NotStarted):
		r.Holds = deploy.HoldsOld
	case known && rep.Files[i] == f.Base:
		r.Holds = deploy.HoldsOld
		if rep.Mark == txn.Conflict || rep.Mark == txn.Failed {
			r.InUse, _ = c.inUse(f, rep)
		}
	case known && rep.Files[i] == f.Target:
		r.Holds = deploy.HoldsNew
	case known && rep.Files[i] != "":
		r.Holds = deploy.HoldsOther
	}
	if o != deploy.Refused && o != deploy.NotStarted {
		r.Refused = rep.Refuses[i]
	}
	return r
}

// over returns the outcome of a run that has ended on the device. Normally the device keeps the outcome. It keeps none for a run that
// only changed live states, or whose release a power cut interrupted. In these cases over uses the progress of the run in the journal.
// The files can only prove that the old content is back, because a later run may have written the new content. bare reports that the
// device has no trace of the run, not even its backup, although the run changed it by the journal. Such a device is another machine or
// was reinstalled, and its content proves nothing about the run.
func (c *change) over(rep *device.Report) (fate txn.Fate, bare bool) {
	mark := rep.Ended
	if mark == txn.Absent {
		mark = c.o.Marks[c.p.Device.Name]
		bare = !rep.Backup
	}
	switch mark {
	case txn.Absent, txn.Prepared:
		return txn.Untouched, false
	case txn.Confirmed:
		if bare && len(c.what.Files) > 0 && !c.hold(func(f *deploy.Change) string { return f.Target }) {
			return txn.Uncertain, true
		}
		return txn.Kept, false
	case txn.Undone:
		if rep.By == deploy.ByTimer || rep.By == deploy.ByBoot {
			return txn.Reverted, false
		}
		return txn.Restored, false
	case txn.Conflict:
		return txn.Contested, false
	}
	if !bare && len(c.what.Files) > 0 && c.hold(func(f *deploy.Change) string { return f.Base }) {
		return txn.Reverted, false
	}
	return txn.Uncertain, bare
}

// hold reports whether every file of a run that has ended has the given content.
func (c *change) hold(what func(*deploy.Change) string) bool {
	for i, f := range c.what.Files {
		if i >= len(c.found) || c.found[i] != what(f) {
			return false
		}
	}
	return true
}

// find reads the files of a run that has ended on the device.
func (c *change) find(ctx context.Context) {
	if !c.resumed || !c.state.Known || c.state.Last != txn.Absent {
		return
	}
	of := *c.p.Device // only its files: no query runs
	of.Given, of.Identity = nil, nil
	of.Files = slices.DeleteFunc(slices.Clone(of.Files), func(f target.File) bool { return f.Live != nil })
	c.dev.Of = &of
	h := c.dev.Read(ctx, device.Want{})
	c.dev.Of = c.p.Device
	if h.Err != nil {
		c.fail(h.Err)
		return
	}
	c.found = []string{}
	for i := range h.Files {
		c.found = append(c.found, deploy.Sum(h.Files[i].Data))
	}
}

// left lists the files of the run that remain on the device, or that may remain on a device that no longer answers.
func (c *change) left(r *deploy.Result, rep *device.Report) {
	lock := c.state.Lock == txn.Ours
	if rep.Lock == device.Unnamed && c.asked && (c.err == nil || c.err.Kind != deploy.Locked) {
		lock = true // the lock was free before
	}
	none := c.state.Known && c.state.Mark == txn.Absent && !lock
	if none && (c.cleanup == nil || c.cleanup.Kind != deploy.Disk) {
		r.Cleanup = nil // only the answer was lost, or another run has removed everything
		return
	}
	r.Left = slices.Clone(rep.Left)
	r.LeftUnseen = c.state.Gone && c.asked || none // after a power cut, removed files may exist again
	if r.LeftUnseen && len(r.Left) == 0 {          // the state of the device since its last write is unknown
		for i, f := range c.what.Files {
			r.Left = append(r.Left, fmt.Sprintf("%s/.rocec-%s-%d.*", path.Dir(f.Path), c.o.Run.Name, i))
		}
		if c.state.Began {
			r.Left = append(r.Left, device.BootUnit(c.o.Run))
		}
	}
	if lock || r.LeftUnseen {
		r.Left = append(r.Left, deploy.StateDir+"/lock")
	}
	if c.state.Mark != txn.Absent || r.LeftUnseen {
		r.Left = append(r.Left, deploy.StateDir+"/txn-"+c.o.Run.Name)
	}
}

// inUse returns whether the device uses the content, if it could report that. It also returns the values that the device uses in another
// form.
func (c *change) inUse(f *deploy.Change, rep *device.Report) (use, adjusted string) {
	i := slices.Index(c.what.Steps, f.File.Activate)
	if i < 0 {
		return deploy.UseUnknown, ""
	}
	word, adjusted, _ := strings.Cut(rep.InUse[i], target.Adjusted)
	adjusted = deploy.OneLine(adjusted)
	if word == target.Loaded {
		return deploy.UseYes, adjusted
	}
	return deploy.UseUnknown, adjusted
}

// inUseAll returns whether the device reported for every begun step that the content is in use. unread is the reason why it could not
// report that.
func (c *change) inUseAll(rep *device.Report) (use, unread string) {
	use = deploy.UseUnknown
	for i, began := range rep.Began {
		if !began {
			continue
		}
		word, _, _ := strings.Cut(rep.InUse[i], target.Adjusted)
		if word != target.Loaded {
			return deploy.UseUnknown, deploy.OneLine(word)
		}
		use = deploy.UseYes
	}
	return use, ""
}
