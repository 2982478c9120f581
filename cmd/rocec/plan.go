package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

func (a *app) planCommand() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan [DIR]",
		Short: "compare with the live devices; change nothing",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if err := o.readOptions.check(); err != nil {
				return err
			}
			return a.plan(cmd.Context(), folder(args), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "save the plan to a `file`, for apply --plan")
	f.BoolVar(&o.detailed, "detailed-exitcode", false, "exit 2 when there are changes")
	onlyIntentFlag(cmd, &o.onlyIntent)
	o.viewFlags(cmd)
	f.StringVar(&o.format, "format", "text", "text or json")
	labFlags(cmd, &o.lab)
	o.readFlags(cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type planOptions struct {
	readOptions
	viewOptions
	out, format string
	detailed    bool
	onlyIntent  bool
	lab         labFlag
	only        []string
}

func (a *app) plan(ctx context.Context, dir string, o planOptions) (err error) {
	if o.out != "" && o.lab != "" {
		return fail(exitUsage, "--out with --lab: what is planned for simulated devices does not fit real ones. Leave out one of the two")
	}
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	devices.read = o.readOptions
	plan := a.compare(ctx, devices)
	if ctx.Err() != nil {
		return fail(exitInterrupted, "interrupted; nothing was changed")
	}
	if o.onlyIntent {
		plan.OnlyIntent(tool())
	}
	if o.format == "json" {
		if err := a.writeJSON(planJSON(plan, rollout.WaveOptions{})); err != nil {
			return err
		}
	} else {
		a.planView(dir, o.viewOptions).print(plan, rollout.WaveOptions{})
		a.causes(plan)
	}
	if o.out != "" {
		if err := a.savePlan(dir, f, plan, o); err != nil {
			return err
		}
	}
	switch {
	case troubled(plan):
		return &exit{exitMachines, ""}
	case o.detailed && !plan.Empty():
		return &exit{exitChanges, ""}
	}
	return nil
}

// troubled tells whether a device could not be planned for.
func troubled(p *deploy.Plan) bool {
	s := p.Summary()
	return s.Unreachable+s.Refused > 0
}
