package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// BackOptions are those of a rollback.
type BackOptions struct {
	ChangeOptions
	Going   RunOptions // for devices that are undone at once
	MaxDark int        // hosts that may be dark at the same time; 0: as many as in the run
	Only    []string
	Team    *journal.Team // of the run that restores devices; nil: it is no part of a run of a team
}

// Undoable returns the devices of a run that may still have its change. The way back has those that do not.
func (r *OpenedRun) Undoable(logs []*journal.Log) (b *WayBack, devices []journal.Device) {
	b = &WayBack{}
	for _, d := range r.Begun {
		o := deploy.Outcome(r.Log.OutcomeOf(d.Name))
		if !r.Log.Open(d.Name) && o != deploy.Applied && o != deploy.Conflict || r.Log.RolledBackBy(logs, d.Name) != nil {
			b.Over = append(b.Over, d)
		} else {
			devices = append(devices, d)
		}
	}
	return b, devices
}

// ReadBack reads devices of a run and sorts them. It records in the journal which of them are undone already.
func (r *OpenedRun) ReadBack(
	ctx context.Context, f *Fleet, b *WayBack, devices []journal.Device, logs []*journal.Log, o RunOptions,
) error {
	l := r.Log
	b.Reader = replay.Read(&l.Header, r.Kept)
	f.Tree = b.Reader.Back(devices)
	plan := f.CompareForChange(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	for i, d := range plan.Devices {
		b.Sort(d, devices[i], l, logs)
	}
	if err := r.s.WentBack(l, b); err != nil {
		return err
	}
	if len(b.Unrecorded) == 0 {
		return nil
	}
	g := GoingOn{Verb: "rollback", Goal: txn.Back, Quiet: true, Options: o} // it also removes the leftovers of the run
	if _, err := r.GoOn(ctx, f, b.Unrecorded, &g); err != nil {
		return err
	}
	dir, err := r.s.Journals()
	if err != nil {
		return err
	}
	if r.Log, err = dir.Read(l.Run); err != nil {
		return exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	b.Over = append(b.Over, b.Unrecorded...)
	return nil
}

// GoBack carries out a rollback that was planned.
func (r *OpenedRun) GoBack(ctx context.Context, f *Fleet, b *WayBack, o *BackOptions) error {
	l := r.Log
	var first error
	if len(b.Open) > 0 {
		g := GoingOn{Verb: "rollback", Goal: txn.Back, MaxDark: o.MaxDark, Options: o.Going}
		results, err := r.GoOn(ctx, f, b.Open, &g)
		if err != nil {
			return err
		}
		if first = Undone(results); first == nil && g.Drained {
			first = exit.With(exit.Incomplete)
		}
	}
	if b.Kept.Empty() || ctx.Err() != nil {
		return first
	}
	if b.Barred != nil {
		return b.Barred
	}
	results, err := r.s.Apply(ctx, Job{
		ChangeOptions: o.ChangeOptions, Order: b.Order, Hooks: o.Programs(), Fabric: l.Fabric, Name: l.Name, Only: o.Only,
		Undoes: l.Run, Devices: f, Plan: &b.Kept, Kept: r.Kept, Team: o.Team,
	})
	if err != nil {
		return err
	}
	return cmp.Or(Outcome(results), first)
}

// Undo undoes a run of the journal without a question, on all devices that have it.
func Undo(ctx context.Context, s *Session, run string, o *BackOptions, r sequence.Rules) (err error) {
	of, err := s.OpenRun(ctx, run, nil, "")
	if err != nil {
		return refusal(err)
	}
	logs, err := s.LaterRuns(of.Log)
	if err != nil {
		return err
	}
	b, devices := of.Undoable(logs)
	if len(devices) == 0 {
		return nil
	}
	f, err := of.Connect()
	if err != nil {
		return err
	}
	defer f.Close(&err)
	if err := of.ReadBack(ctx, f, b, devices, logs, o.Going); err != nil {
		return err
	}
	if b.Seq, b.Order = s.BackSequence(of.Log, &b.Kept, o.MaxDark, r); b.Seq != nil {
		f.ReadLocks(ctx, &b.Kept, b.Seq)
	}
	for _, d := range b.Kept.Devices {
		if d.Err != nil {
			return fmt.Errorf("nothing was undone, as a device of the run cannot be read: %w", d.Err)
		}
	}
	if !b.Kept.Empty() {
		if b.Barred = f.Barred(nil, of.Log.Fabric, &b.Kept, b.Seq, of.Log.Run, &o.ChangeOptions); b.Barred == nil {
			b.Barred = Permitted(s, nil, o.Message, o.Lab != "")
		}
		if b.Barred == nil && b.Seq != nil && len(b.Seq.Refused) > 0 {
			b.Barred = errors.New("the rules of changes refuse the way back")
		}
		b.Barred = refusal(b.Barred)
	}
	return refusal(of.GoBack(ctx, f, b, o))
}
