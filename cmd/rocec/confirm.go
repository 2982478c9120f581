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
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
)

func (a *app) confirmCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "confirm RUN",
		Short: "keep what an apply --confirm changed, before the devices undo it",
		Long: "Confirm reads all devices of the run first. Where one does not hold the change any more, or cannot be reached, it keeps none,\n" +
			"as a fabric of which a part goes back is mixed, and says which are left: --target keeps the change on those alone.\n" +
			"A run that another machine or user started is looked for on the devices of the fabric (-C DIR, --lab).",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.confirm(cmd.Context(), args[0], o) },
	}
	o.flags(a, cmd)
	return cmd
}

func (a *app) confirm(ctx context.Context, name string, o runOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	r, err := a.openRun(ctx, name, o.only, o.lab)
	if err != nil {
		return err
	}
	l := r.log
	if err := hooks.Same(l, o.hooks.Undrain); err != nil {
		return err
	}
	if len(r.begun) == 0 {
		a.tellNothing(l, r.devices, "Run %s changed nothing; nothing to confirm.", o.format)
		return nil
	}
	if len(r.open) == 0 {
		return a.over(l, r.devices, "confirm", o.format)
	}
	f, err := r.connect()
	if err != nil {
		return err
	}
	defer f.close(&err)
	soak := new(time.Duration) // they have held for as long as the person looked
	g := goingOn{verb: "confirm", goal: txn.Keep, together: true, soak: soak, options: o}
	missing, unasked := notHeld(l), unaskedOf(l)
	if len(o.only) == 0 && len(missing)+len(unasked) > 0 {
		g.goal = txn.Hold // it is known already that not all can be kept
	}
	results, err := a.goOn(ctx, r, f, r.open, &g)
	if err != nil {
		return err
	}
	if results.Interrupted {
		return outcome(results)
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
		a.heldBack(l, o.format, wait, missing, unasked, until)
		return exit.With(exit.Incomplete)
	case !kept && o.format == "text":
		a.tooLate(l.Run, results)
		return exit.With(exit.Incomplete)
	}
	if err := outcome(results); err != nil || !g.drained {
		return err
	}
	return exit.With(exit.Incomplete)
}

// notHeld are the devices that are known not to hold what the run wrote: undone, refused, or never begun.
func notHeld(l *journal.Log) []string {
	var names []string
	for _, d := range l.Devices {
		o := deploy.Outcome(l.OutcomeOf(d.Name))
		if o.Closed() && o != deploy.Applied && o != deploy.Unchanged {
			names = append(names, d.Name)
		}
	}
	if l.Adopted != nil {
		names = append(names, l.Adopted.Absent...)
	}
	return names
}

// unaskedOf are the devices of a run that another machine started of which it is not known whether they hold it.
func unaskedOf(l *journal.Log) []string {
	var names []string
	if l.Adopted != nil {
		for _, d := range l.Adopted.Unasked {
			names = append(names, d.Name)
		}
	}
	return names
}

// heldBack says why nothing was confirmed, and how to go on.
func (a *app) heldBack(l *journal.Log, format string, wait, missing, unasked []string, until time.Duration) {
	if format != "text" {
		return
	}
	var why []string
	if len(missing) > 0 {
		why = append(why, fmt.Sprintf("%s of the run %s not hold its change (%s)", diag.Count(len(missing), "device"), does(len(missing)),
			diag.Escape(nodeset.Text(missing, nodeset.Devices, math.MaxInt))))
	}
	if len(unasked) > 0 {
		why = append(why, fmt.Sprintf("whether %s %s it is not known (%s)", diag.Count(len(unasked), "device"), holdsText(len(unasked)),
			diag.Escape(nodeset.Text(unasked, nodeset.Devices, math.MaxInt))))
	}
	if len(why) > 0 {
		text := "Nothing was confirmed: " + strings.Join(why, ", ") + ", and a fabric that holds it in part is mixed."
		(&diag.Printer{Width: a.width(a.stdout)}).Prose(a.stdout, "", text) //nolint:errcheck // a closed terminal has nobody to tell
	} else {
		fmt.Fprintln(a.stdout, "Nothing was confirmed.")
	}
	fmt.Fprintf(a.stdout, "  Go back on all:  %s\n", deploy.RunCommand("rollback", l.Run))
	fmt.Fprintf(a.stdout, "  Keep it on %s alone:  %s\n", diag.Count(len(wait), "device"),
		deploy.RunCommand("confirm", l.Run, targetFlags(wait)...))
	fmt.Fprintf(a.stdout, "Else the devices undo it by themselves, the first one in %s.\n", until.Round(time.Second))
}

// targetFlags names devices on a command line.
func targetFlags(names []string) (flags []diag.Word) {
	for _, set := range nodeset.Fold(names, nodeset.Devices) {
		flags = append(flags, deploy.OnDevice(set))
	}
	return flags
}

func does(n int) string {
	if n == 1 {
		return "does"
	}
	return "do"
}

// tooLate says that no device holds the change any more.
func (a *app) tooLate(run string, r *deploy.Results) {
	if r.Count(deploy.Reverted)+r.Count(deploy.Restored) < len(r.Devices) {
		return // each has its own story, and told it
	}
	why := "was not confirmed"
	if !slices.ContainsFunc(r.Devices, func(d *deploy.Result) bool { return d.By != deploy.ByTimer }) {
		why = "was not confirmed in time"
	}
	who, text := "every device has", ""
	if l, err := a.readRun(run); err == nil {
		if logs, err := a.laterRuns(l); err == nil {
			text = heldNow(l, logs, l.Devices)
		}
		if n := len(r.Devices); n < len(l.Devices) {
			who = diag.Count(n, "device") + " have"
			if n == 1 {
				who = diag.Escape(r.Devices[0].Device.Name) + " has"
			}
		}
	}
	text = fmt.Sprintf("Run %s %s: %s undone it. Nothing to confirm.%s", run, why, who, text)
	fmt.Fprintln(a.stdout, text)
}
