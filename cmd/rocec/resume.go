package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

func resumeCommand(a *app) *cobra.Command {
	o := session.RunOptions{}
	var abandon bool
	var u unlockOptions
	var team teamOptions
	cmd := &cobra.Command{
		Use:   "resume RUN | resume --abandon [DEVICE…]",
		Short: "finish a run that died or lost devices",
		Long: "Resume reads the state of the devices of a run. It keeps a change that is in place and in use; after apply --confirm the\n" +
			"change still waits to be confirmed. It undoes a change that is half way, and removes files that were only prepared. It does not\n" +
			"touch devices on which the run is over. For devices that the run had not begun, plan and apply again. For a run of another machine\n" +
			"or user, it asks the devices of the fabric (-C DIR, --lab), and goes on only if this fabric still wants the change of the run.\n\n" +
			"With --abandon it reads the named devices (default: all of the fabric) and prints who holds their locks, since when, and how far\n" +
			"the run came there. After asking, it removes the locks and files of a run that is over. It refuses while the process of the run is\n" +
			"alive, and on a device with a change that is not confirmed yet.\n\n" +
			"With --team it makes the sites of a run go on with the first wave that is not complete. With --abandon, too, it withdraws the run:\n" +
			"no further wave begins, and changes that were made are kept.",
		Example: "  rocec resume last\n" +
			"  rocec resume --abandon leaf01",
		Args: func(cmd *cobra.Command, args []string) error {
			if abandon && !team.on {
				return nil
			}
			return takes(1, 1)(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if abandon {
				return a.completeDevice(a.Here())
			}
			return completeRuns(a, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			verb := statement.Resume
			if abandon {
				verb = statement.Withdraw
			}
			says := saysOfTeam(cmd, &team, verb, strings.Join(args, " "), u.approve)
			if done, err := ofTeam(a, cmd, args, &team, o.Format, says, "format", "abandon", "auto-approve"); done {
				return err
			}
			if abandon {
				if err := without(cmd, "abandon", "does not go on with a run", "format", "parallel", "undrain", "hook-timeout"); err != nil {
					return err
				}
				u.lab, u.only = o.Lab, o.Only
				return a.unlock(cmd.Context(), args, u)
			}
			for _, flag := range []string{"run", "auto-approve"} {
				if cmd.Flags().Changed(flag) {
					return exit.Fail(exit.Usage, "--%s needs --abandon", flag)
				}
			}
			return a.resume(cmd.Context(), args[0], o)
		},
	}
	cmd.Flags().BoolVar(&abandon, "abandon", false, "do not resume; remove locks and leftovers of runs that are over")
	cmd.Flags().StringVar(&u.run, "run", "",
		"with --abandon: the `run` that holds the lock; required if another machine or user started it")
	approveFlag(cmd, &u.approve, "with --abandon: do not ask")
	runFlags(a, cmd, &o)
	followFlags(cmd, &team)
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
		a.TellNothing(l, r.Devices, "Run %s had begun on no device; there is nothing to do.", o.Format)
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
	g := r.Resuming(o)
	results, err := r.GoOn(ctx, f, r.Open, &g)
	if err != nil {
		return err
	}
	n := len(r.Devices) - len(r.Begun)
	if l.Adopted != nil {
		n += len(l.Adopted.Absent)
	}
	if n > 0 && o.Format == "text" && len(o.Only) == 0 {
		fmt.Fprintf(a.Stdout, "The run had not begun on %s. Plan again for those: %s\n", diag.Count(n, "device"),
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
