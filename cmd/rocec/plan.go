package main

import (
	"context"
	"path"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/targets/deploy"
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
			return a.plan(cmd.Context(), folder(args), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "save the plan to a `file`, for apply --plan")
	f.BoolVar(&o.detailed, "detailed-exitcode", false, "exit 2 when there are changes")
	f.BoolVar(&o.diff, "diff", false, "show whole-text diffs instead of keys")
	f.BoolVar(&o.expand, "expand", false, "show every device on its own, also those with the same changes")
	f.BoolVar(&o.lab, "lab", false, "run against every device simulated inside the process")
	f.StringVar(&o.format, "format", "text", "text or json")
	a.targetFlag(cmd, &o.only)
	return cmd
}

type planOptions struct {
	out, format                 string
	detailed, diff, expand, lab bool
	only                        []string
}

func (a *app) plan(ctx context.Context, dir string, o planOptions) error {
	if o.out != "" && o.lab {
		return fail(exitUsage, "--out with --lab: what is planned for simulated devices does not fit real ones. Leave out one of the two")
	}
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close()
	plan := a.compare(ctx, devices)
	if ctx.Err() != nil {
		return fail(exitInterrupted, "interrupted; nothing was changed")
	}
	if o.format == "json" {
		if err := a.writeJSON(planJSON(plan, deploy.WaveOptions{})); err != nil {
			return err
		}
	} else {
		v := &planView{w: a.stdout, color: a.paints(a.stdout), dir: path.Clean(dir), diff: o.diff, expand: o.expand}
		v.print(plan, deploy.WaveOptions{})
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
	s := p.Summary(deploy.WaveOptions{})
	return s.Unreachable+s.Refused > 0
}
