package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
)

func resumeCommand(a *app) *cobra.Command {
	o := session.RunOptions{}
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "bring a run to its end that died or lost devices",
		Long: "Resume asks the devices of a run what they hold. A change that is in place and in use is kept, or still waits to be confirmed\n" +
			"where the run was an apply --confirm; one that is half way is undone, what was only prepared is taken away. Devices on which\n" +
			"the run is over are left alone. Devices that the run had not begun stay as they are: plan and apply again for those.\n" +
			"A run that another machine or user started is looked for on the devices of the fabric (-C DIR, --lab), and goes on only where\n" +
			"this fabric wants of them what the run was to do.",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.resume(cmd.Context(), args[0], o) },
	}
	runFlags(a, cmd, &o)
	return cmd
}

func (a *app) resume(ctx context.Context, name string, o session.RunOptions) (err error) {
	if err := o.Check(); err != nil {
		return err
	}
	r, err := a.OpenRun(ctx, name, o.Only, o.Lab)
	if err != nil {
		return err
	}
	l := r.Log
	if err := hooks.Same(l, o.Hooks.Undrain); err != nil {
		return err
	}
	if len(r.Begun) == 0 {
		a.TellNothing(l, r.Devices, "Run %s had begun on no device; nothing is to be done.", o.Format)
		return nil
	}
	if len(r.Open) == 0 {
		if back, err := a.UndrainOver(ctx, l, &o.Hooks); err != nil || !back {
			return cmp.Or[error](err, exit.With(exit.Incomplete))
		}
		return a.Over(l, r.Begun, "resume", o.Format)
	}
	if err := r.SameFabric(); err != nil {
		return err
	}
	f, err := r.Connect()
	if err != nil {
		return err
	}
	defer f.Close(&err)
	g := session.GoingOn{Verb: "resume", Goal: txn.Keep, Options: o}
	if l.Hold != "" {
		g.Goal = txn.Hold // only a person confirms it
		if !slices.ContainsFunc(r.Open, func(d journal.Device) bool { return l.OutcomeOf(d.Name) != string(deploy.Unconfirmed) }) {
			g.Together = true // they were checked when the run ended, and are only asked
		}
	}
	results, err := r.GoOn(ctx, f, r.Open, &g)
	if err != nil {
		return err
	}
	n := len(r.Devices) - len(r.Begun)
	if l.Adopted != nil {
		n += len(l.Adopted.Absent)
	}
	if n > 0 && o.Format == "text" && len(o.Only) == 0 {
		fmt.Fprintf(a.Stdout, "%s had not been begun. Plan again for those: %s\n", diag.Count(n, "device"),
			diag.Rocec("plan", diag.Path("DIR", l.Fabric)))
	}
	if results.Count(deploy.Unconfirmed) > 0 && !results.Interrupted {
		return exit.Fail(exit.Usage, "run %s waits to be confirmed. Keep it: %s; go back: %s", l.Run, deploy.RunCommand("confirm", l.Run),
			deploy.RunCommand("rollback", l.Run))
	}
	if err := session.Outcome(results); err != nil || !g.Drained {
		return err
	}
	return exit.With(exit.Incomplete)
}
