package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

func confirmCommand(a *app) *cobra.Command {
	var o session.RunOptions
	var team teamOptions
	cmd := &cobra.Command{
		Use:   "confirm RUN",
		Short: "keep what an apply --confirm changed, before the devices undo it",
		Long: "Confirm first reads all devices of the run. If one cannot be reached, or no longer has the change, the change is kept on no\n" +
			"device: otherwise a part of the fabric would go back. It names the devices that have the change; --target keeps the change on\n" +
			"those alone. For a run of another machine or user, it asks the devices of the fabric (-C DIR, --lab).\n\n" +
			"With --team the sites of a run confirm it, each for its own devices.",
		Example: "  rocec confirm last\n" +
			"  rocec confirm last --target leaf01",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			says := saysOfTeam(cmd, &team, statement.Confirm, args[0], true)
			if done, err := ofTeam(a, cmd, args, &team, o.Format, says, "format"); done {
				return err
			}
			return a.confirm(cmd.Context(), args[0], o)
		},
	}
	runFlags(a, cmd, &o)
	followFlags(cmd, &team)
	offerRuns(a, cmd)
	return cmd
}

func (a *app) confirm(ctx context.Context, name string, o session.RunOptions) (err error) {
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
		a.TellNothing(l, r.Devices, "Run %s changed nothing; nothing to confirm.", o.Format)
		return nil
	}
	if len(r.Open) == 0 {
		return a.Over(l, r.Devices, "confirm", o.Format)
	}
	f, err := r.Connect()
	if err != nil {
		return err
	}
	defer f.Close(&err)
	g, missing, unasked := r.Confirming(o)
	results, err := r.GoOn(ctx, f, r.Open, &g)
	if err != nil {
		return err
	}
	if results.Interrupted {
		return session.Outcome(results)
	}
	var wait []string
	var until time.Duration
	kept := false
	for _, d := range results.Devices {
		switch d.Outcome {
		case deploy.Unconfirmed:
			wait = append(wait, d.Device.Name)
			if until == 0 || d.Until < until {
				until = d.Until
			}
		case deploy.Applied:
			kept = true
		default:
			if !slices.Contains(missing, d.Device.Name) {
				missing = append(missing, d.Device.Name)
			}
		}
	}
	switch {
	case len(wait) > 0:
		a.heldBack(l, o.Format, wait, missing, unasked, until)
		return exit.With(exit.Incomplete)
	case !kept && o.Format == "text":
		a.tooLate(l.Run, results)
		return exit.With(exit.Incomplete)
	}
	if err := session.Outcome(results); err != nil || !g.Drained {
		return err
	}
	return exit.With(exit.Incomplete)
}

// heldBack prints why nothing was confirmed, and how to go on.
func (a *app) heldBack(l *journal.Log, format string, wait, missing, unasked []string, until time.Duration) {
	if format != "text" {
		return
	}
	var why []string
	if len(missing) > 0 {
		why = append(why, fmt.Sprintf("%s of the run %s not hold its change (%s)", diag.Count(len(missing), "device"),
			diag.Plural(len(missing), "does", "do"), diag.Escape(nodeset.Text(missing, nodeset.Devices, math.MaxInt))))
	}
	if len(unasked) > 0 {
		why = append(why, fmt.Sprintf("it is unknown whether %s %s it (%s)", diag.Count(len(unasked), "device"),
			diag.Plural(len(unasked), "holds", "hold"), diag.Escape(nodeset.Text(unasked, nodeset.Devices, math.MaxInt))))
	}
	if len(why) > 0 {
		text := "Nothing was confirmed: " + strings.Join(why, ", ") + ". A change on a part of the devices would leave the fabric mixed."
		(&diag.Printer{Width: a.Width(a.Stdout)}).Prose(a.Stdout, "", text) //nolint:errcheck // a closed terminal has nobody to tell
	} else {
		fmt.Fprintln(a.Stdout, "Nothing was confirmed.")
	}
	fmt.Fprintf(a.Stdout, "  Go back on all:  %s\n", deploy.RunCommand("rollback", l.Run))
	fmt.Fprintf(a.Stdout, "  Keep it on %s alone:  %s\n", diag.Count(len(wait), "device"),
		deploy.RunCommand("confirm", l.Run, session.TargetFlags(wait)...))
	fmt.Fprintf(a.Stdout, "Otherwise the devices undo it by themselves, the first one in %s.\n", until.Round(time.Second))
}

// tooLate prints that no device has the change any more.
func (a *app) tooLate(run string, r *deploy.Results) {
	if r.Count(deploy.Reverted)+r.Count(deploy.Restored) < len(r.Devices) {
		return // the outcomes differ, and the lines of the devices state them
	}
	why := "was not confirmed"
	if !slices.ContainsFunc(r.Devices, func(d *deploy.Result) bool { return d.By != deploy.ByTimer }) {
		why = "was not confirmed in time"
	}
	who, text := "every device has", ""
	if l, err := a.ReadRun(run); err == nil {
		if logs, err := a.LaterRuns(l); err == nil {
			text = session.HeldNow(l, logs, l.Devices)
		}
		if n := len(r.Devices); n < len(l.Devices) {
			who = diag.Count(n, "device") + " have"
			if n == 1 {
				who = diag.Escape(r.Devices[0].Device.Name) + " has"
			}
		}
	}
	text = fmt.Sprintf("Run %s %s: %s undone it. Nothing to confirm.%s", run, why, who, text)
	fmt.Fprintln(a.Stdout, text)
}
