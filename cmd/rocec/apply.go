package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

func (a *app) applyCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply [DIR] | apply --plan FILE [DIR]",
		Short: "do what plan shows, in waves, verified",
		Long: "Apply reads the devices, shows the plan, asks, and does it: switches before hosts, never two members of a\n" +
			"redundancy group together, each device by compare-and-swap under a lock. A device undoes the change by itself\n" +
			"unless it is confirmed over a new login, after it has held and lost no link, daemon or neighbour for a while.\n" +
			"The first Ctrl-C (or a closed terminal) lets the devices under way come to an end and starts no other; the\n" +
			"second one ends rocec. What was done is kept: see rocec runs.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.soakSet, o.holdSet = cmd.Flags().Changed("soak"), cmd.Flags().Changed("confirm")
			if err := o.check(a, args); err != nil {
				return err
			}
			return a.apply(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.saved, "plan", "", "apply the plan saved in a `file`, if nothing has changed since")
	f.BoolVar(&o.canary, "canary", false, "one device of every kind goes first, alone")
	onlyIntentFlag(cmd, &o.onlyIntent)
	o.leadFlags(a, cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

// applyOptions are the flags of apply.
type applyOptions struct {
	leadOptions
	saved  string
	canary bool
	only   []string

	onlyIntent bool
}

// leadOptions are the flags of every verb that changes devices.
type leadOptions struct {
	format                string
	approve               bool
	lab                   labFlag
	parallel, maxFailures int
	hold, soak            time.Duration
	soakSet, holdSet      bool
	message               string
	viewOptions
}

// mostHold is how long a device may wait to be confirmed.
const mostHold = 30 * 24 * time.Hour

// leadFlags declares them.
func (o *leadOptions) leadFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.approve, "auto-approve", false, "do not ask")
	f.IntVar(&o.parallel, "parallel", 8, "devices changed at the same time")
	f.IntVar(&o.maxFailures, "max-failures", 0, "devices that may fail before no further one starts")
	f.DurationVar(&o.hold, "confirm", 0, "keep every device armed for a `duration` after its change: it undoes it by itself\n"+
		"unless rocec confirm comes before")
	f.DurationVar(&o.soak, "soak", 0, "how long a device must hold before its change is kept (default: what its change needs,\n"+
		"30s where ports reset, 5s elsewhere, 1s in the lab)")
	f.StringVarP(&o.message, "message", "m", "", "why, for rocec runs")
	o.viewFlags(cmd)
	labFlags(cmd, &o.lab)
	f.StringVar(&o.format, "format", "text", "text, or json: one object a line")
}

// check judges the flags together.
func (o *leadOptions) check(a *app, args []string) error {
	switch {
	case o.parallel < 1 || o.maxFailures < 0:
		return fail(exitUsage, "--parallel is at least 1 and --max-failures at least 0")
	case o.hold < 0 || o.holdSet && o.hold == 0 || o.hold > mostHold || o.soak < 0 || o.soak > mostHold:
		return fail(exitUsage, "--confirm and --soak are durations such as 10m or 30s, and of at most 30 days")
	}
	return choice("format", o.format, "text", "json")
}

func (o *applyOptions) check(a *app, args []string) error {
	if o.saved != "" && (o.lab != "" || o.onlyIntent || len(o.only) > 0 || len(a.vars)+len(a.varFiles) > 0) {
		return fail(exitUsage, "--plan FILE says itself which variables and devices it is for")
	}
	return o.leadOptions.check(a, args)
}

func (o *applyOptions) waves() rollout.WaveOptions {
	return rollout.WaveOptions{Parallel: o.parallel, Canary: o.canary}
}

func (a *app) apply(ctx context.Context, args []string, o applyOptions) (err error) {
	dir := folder(args)
	var saved *deploy.Saved
	if o.saved != "" {
		if saved, err = a.loadPlan(o.saved, args); err != nil {
			return err
		}
		dir, o.only, o.onlyIntent = saved.Fabric, saved.Targets, saved.OnlyIntent
	}
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	plan := a.compareForChange(ctx, devices)
	if ctx.Err() != nil {
		return fail(exitInterrupted, "interrupted; nothing was changed")
	}
	if o.onlyIntent {
		plan.OnlyIntent(tool())
	}
	if saved != nil {
		if err := holds(saved, f, plan); err != nil {
			return err
		}
	}
	if o.format == "text" {
		a.planView(dir, o.viewOptions).print(plan, o.waves())
		a.causes(plan)
	}
	if plan.Empty() {
		return a.nothingToDo(plan, o.format)
	}
	if s := plan.Summary(); s.Unreachable+s.Refused > o.maxFailures {
		if o.format == "json" {
			a.writeUntouched(plan)
		}
		return fail(exitMachines, "%s cannot be changed, and a link with PFC at one end only loses frames. Nothing was changed. "+
			"Mend them, leave them out with --target, or go on without them with --max-failures %d.",
			diag.Count(s.Unreachable+s.Refused, "device"), s.Unreachable+s.Refused)
	}
	if !o.approve {
		word, changes := "yes", plan.Summary().Change
		if changes > 20 {
			word = f.Fabric.Name
		}
		if err := a.ask(ctx, fmt.Sprintf("Apply this to %s?", diag.Count(changes, "device")), word); err != nil {
			return err
		}
	}
	results, err := a.lead(ctx, lead{
		leadOptions: o.leadOptions, waves: o.waves(), fabric: dir, name: f.Fabric.Name, only: o.only, devices: devices, plan: plan,
	})
	if err != nil {
		return err
	}
	if o.lab != "" && ctx.Err() == nil && results.Complete() && o.hold == 0 && o.format == "text" {
		fmt.Fprintln(a.stdout, "\nThe same plan again, on the devices as they are now:")
		again := a.compare(ctx, devices)
		if o.onlyIntent {
			again.OnlyIntent(tool())
		}
		a.planView(dir, o.viewOptions).print(again, o.waves())
		if !again.Empty() {
			return &exit{exitIncomplete, ""}
		}
	}
	return outcome(results)
}

// nothingToDo ends an apply without changes; devices that could not be read are still worth an exit status.
func (a *app) nothingToDo(plan *deploy.Plan, format string) error {
	if format == "json" {
		a.writeUntouched(plan)
	}
	switch {
	case troubled(plan):
		return &exit{exitMachines, ""}
	case slices.ContainsFunc(plan.Devices, func(d *deploy.DevicePlan) bool { return d.Lock.Held() }):
		return &exit{exitLocked, ""} // what is in use there is not there to stay
	}
	return nil
}

// writeUntouched writes what becomes of the devices of a plan that is not done.
func (a *app) writeUntouched(plan *deploy.Plan) {
	sum := map[string]int{}
	for _, o := range deploy.Outcomes {
		sum[string(o)] = 0
	}
	for _, d := range plan.Devices {
		of := deploy.Unchanged
		switch {
		case d.Err != nil:
			of = deploy.Refused
			a.writeEvent(applyEvent{Event: "device", Device: d.Device.Name, Outcome: string(of), Detail: d.Err.Error()})
		case d.Status == deploy.StatusChange:
			of = deploy.NotStarted
		}
		sum[string(of)]++
	}
	a.writeEvent(applyEvent{Event: "summary", Summary: sum})
}

// outcome maps results to an exit status.
func outcome(r *deploy.Results) error {
	if r.Complete() {
		return nil
	}
	locked, machine := false, false
	for _, d := range r.Devices {
		if d.Err != nil {
			locked = locked || d.Err.Kind == deploy.Locked
			machine = machine || d.Err.Kind.Machine()
		}
	}
	switch {
	case r.Interrupted:
		return &exit{exitInterrupted, ""}
	case !r.Touched() && locked:
		return &exit{exitLocked, ""}
	case !r.Touched() && machine:
		return &exit{exitMachines, ""}
	}
	return &exit{exitIncomplete, ""}
}
