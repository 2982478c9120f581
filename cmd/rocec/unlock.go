package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/policy"
	"github.com/rocec/rocec/targets/deploy"
)

// unlockOptions are the flags of resume --abandon.
type unlockOptions struct {
	run     string
	approve bool
	lab     session.LabFlag
	only    []string
}

// unlock removes locks and leftovers of runs that are over.
func (a *app) unlock(ctx context.Context, names []string, o unlockOptions) (err error) {
	_, devices, err := a.Open(a.Here(), slices.Concat(o.only, names), o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	if err := session.PermittedPart(a.Session, policy.GoBack, o.lab != ""); err != nil {
		return err
	}
	plan := devices.Compare(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	var found []session.HeldLock
	unreachable := 0
	for _, d := range plan.Devices {
		if d.Err != nil && d.Status == deploy.StatusUnreachable {
			unreachable++
			fmt.Fprintf(a.Stdout, "%s  %s: %s\n", d.Device.Name, d.Status, d.Err.Detail)
			continue
		}
		if d.Unseen {
			unreachable++
			fmt.Fprintf(a.Stdout, "%s  the login user cannot read locks there: this needs root\n", d.Device.Name)
			continue
		}
		if d.Lock != nil {
			found = append(found, a.JudgeLock(session.HeldLock{Device: d.Device, Holder: *d.Lock, Locked: true}, o.run))
		}
		if d.Marked != nil {
			found = append(found, a.JudgeLock(session.HeldLock{Device: d.Device, Holder: *d.Marked, Marked: true}, o.run))
		}
		for _, r := range d.Runs {
			holder := deploy.Owner{Txn: r.Run, Mark: r.Mark, Until: r.Until}
			found = append(found, a.JudgeLock(session.HeldLock{Device: d.Device, Holder: holder}, o.run))
		}
	}
	take := 0
	for _, l := range found {
		what := "locked by"
		switch {
		case l.Marked:
			what = "marked by"
		case !l.Locked:
			what = "left by"
		}
		fmt.Fprintf(a.Stdout, "%s  %s %s%s\n", diag.Paint(a.Paints(a.Stdout), diag.Bold, l.Device.Name), what, &l.Holder,
			view.MarkText(l.Holder.Mark))
		if l.Refuse != "" {
			fmt.Fprintf(a.Stdout, "  stays: %s\n", l.Refuse)
			continue
		}
		take++
	}
	switch {
	case len(found) == 0 && unreachable == 0:
		fmt.Fprintln(a.Stdout, "No locks or leftovers of runs.")
		return nil
	case take == 0 && len(found) > 0:
		return exit.With(exit.Locked)
	case take == 0:
		return exit.With(exit.Machines)
	}
	if !o.approve {
		if err := a.Ask(ctx, fmt.Sprintf("Take %s away?", diag.Count(take, "lock")), "yes"); err != nil {
			return err
		}
	}
	failed := 0
	for _, l := range found {
		if l.Refuse != "" {
			continue
		}
		if err := devices.Unlock(ctx, &l); err != nil {
			failed++
			fmt.Fprintf(a.Stdout, "%s  %s\n", diag.Paint(a.Paints(a.Stdout), diag.Red, l.Device.Name), err.Detail)
			continue
		}
		fmt.Fprintf(a.Stdout, "%s  unlocked\n", l.Device.Name)
	}
	switch {
	case failed > 0:
		return exit.With(exit.Incomplete)
	case take < len(found):
		return exit.With(exit.Locked)
	case unreachable > 0:
		return exit.With(exit.Machines)
	}
	return nil
}
