package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) unlockCommand() *cobra.Command {
	var o unlockOptions
	cmd := &cobra.Command{
		Use:   "unlock [DEVICE…]",
		Short: "take away locks and leftovers of runs that are over",
		Long: "Unlock reads the devices (all of the fabric, where none is named) and says who holds their locks, since when, and how far\n" +
			"the run came there. It takes away what belongs to a run that is over, after asking. It refuses while the process of the\n" +
			"run lives, and where the run has changed the device and is not confirmed yet: rocec confirm RUN keeps the change,\n" +
			"rocec rollback RUN undoes it.",
		RunE: func(cmd *cobra.Command, args []string) error { return a.unlock(cmd.Context(), args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "the `run` whose lock it is: needed where it was started on another machine or by another user")
	f.BoolVar(&o.approve, "auto-approve", false, "do not ask")
	labFlags(cmd, &o.lab)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type unlockOptions struct {
	run     string
	approve bool
	lab     labFlag
	only    []string
}

// heldLock is a lock, or what a run without one left, on a device.
type heldLock struct {
	device *target.Device
	holder deploy.Owner
	locked bool
	marked bool   // the run goes on beside the device, or died
	refuse string // why it stays
}

func (a *app) unlock(ctx context.Context, names []string, o unlockOptions) (err error) {
	_, devices, err := a.open(a.here(), slices.Concat(o.only, names), o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	plan := a.compare(ctx, devices)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	var found []heldLock
	unreachable := 0
	for _, d := range plan.Devices {
		if d.Err != nil && d.Status == deploy.StatusUnreachable {
			unreachable++
			fmt.Fprintf(a.stdout, "%s  %s: %s\n", d.Device.Name, d.Status, d.Err.Detail)
			continue
		}
		if d.Unseen {
			unreachable++
			fmt.Fprintf(a.stdout, "%s  the login user cannot see locks there: that takes root\n", d.Device.Name)
			continue
		}
		if d.Lock != nil {
			found = append(found, a.judgeLock(heldLock{device: d.Device, holder: *d.Lock, locked: true}, o.run))
		}
		if d.Marked != nil {
			found = append(found, a.judgeLock(heldLock{device: d.Device, holder: *d.Marked, marked: true}, o.run))
		}
		for _, r := range d.Runs {
			found = append(found, a.judgeLock(heldLock{device: d.Device, holder: deploy.Owner{Txn: r.Run, Mark: r.Mark, Until: r.Until}}, o.run))
		}
	}
	take := 0
	for _, l := range found {
		what := "locked by"
		switch {
		case l.marked:
			what = "marked by"
		case !l.locked:
			what = "left by"
		}
		fmt.Fprintf(a.stdout, "%s  %s %s%s\n", diag.Paint(a.paints(a.stdout), diag.Bold, l.device.Name), what, &l.holder,
			view.MarkText(l.holder.Mark))
		if l.refuse != "" {
			fmt.Fprintf(a.stdout, "  stays: %s\n", l.refuse)
			continue
		}
		take++
	}
	switch {
	case len(found) == 0 && unreachable == 0:
		fmt.Fprintln(a.stdout, "No locks and nothing left.")
		return nil
	case take == 0 && len(found) > 0:
		return exit.With(exit.Locked)
	case take == 0:
		return exit.With(exit.Machines)
	}
	if !o.approve {
		if err := a.ask(ctx, fmt.Sprintf("Take %s away?", diag.Count(take, "lock")), "yes"); err != nil {
			return err
		}
	}
	failed := 0
	for _, l := range found {
		if l.refuse != "" {
			continue
		}
		if err := a.unlockOne(ctx, devices, &l); err != nil {
			failed++
			fmt.Fprintf(a.stdout, "%s  %s\n", diag.Paint(a.paints(a.stdout), diag.Red, l.device.Name), err.Detail)
			continue
		}
		fmt.Fprintf(a.stdout, "%s  unlocked\n", l.device.Name)
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

func (a *app) unlockOne(ctx context.Context, f *fleet, l *heldLock) *deploy.Error {
	d := device.New(l.device, f.dial, a.sudo, device.Clock{Now: time.Now, Wait: time.After})
	defer d.Close()
	if err := d.Connect(ctx, "unlock"); err != nil {
		return err
	}
	switch {
	case l.marked:
		return d.Unmark(ctx, deploy.Run{Name: "unlock", Key: "unlock"}, l.holder.Txn)
	case !l.locked:
		return d.Sweep(ctx, l.holder.Txn, a.owner())
	}
	return d.Unlock(ctx, &l.holder, a.owner())
}

// judgeLock says why a lock must stay.
func (a *app) judgeLock(l heldLock, named string) heldLock {
	run := l.holder.Txn
	switch l.holder.Mark {
	case txn.Armed, txn.Loaded, txn.Undoing:
		l.refuse = l.holder.Holds(l.device.Name) + " " + l.holder.GoOn(l.device.Name)
		return l
	}
	if dir, err := a.journals(); err == nil && deploy.ValidRun(run) {
		log, err := dir.Read(run)
		if refused, ok := errors.AsType[*safefile.Refused](err); ok { // whether the run is under way is not known
			l.refuse = refused.Error()
			return l
		}
		if err == nil && (log.Adopted == nil || log.Alive) {
			if log.Alive {
				l.refuse = fmt.Sprintf("the run is under way: process %d on this machine", log.PID)
			}
			return l
		}
	}
	by, ok := deploy.ParseProcess(l.holder.Who)
	here := ok && by.Host != "" && by.Host == hostName()
	switch {
	case run == "" || !l.locked && !l.marked:
	case here && processLives(by.PID):
		l.refuse = "its process lives on this machine"
	case run == named:
	case here:
	case !deploy.ValidRun(run): // no command can name it
		l.refuse = "the name of the run makes no sense: see " + deploy.StateDir + " on the device"
	default:
		l.refuse = fmt.Sprintf("it was started on another machine, and whether it is under way there cannot be seen from here. "+
			"If you know that it is over: %s", deploy.UnlockCommand(run, l.device.Name))
	}
	return l
}

// processLives reports whether a process of this machine is a rocec that lives.
func processLives(pid int) bool {
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // a number may be another process by now
	return err == nil && strings.HasPrefix(string(command), "rocec")
}
