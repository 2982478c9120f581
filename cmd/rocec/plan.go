package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

func (a *app) planCommand() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan [DIR]",
		Short: "compare with the live devices; change nothing",
		Args:  takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if err := errors.Join(o.readOptions.check(), o.orderOptions.check()); err != nil {
				return err
			}
			dir, err := a.folder(args)
			if err != nil {
				return err
			}
			return a.plan(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "save the plan to a `file`, for apply --plan")
	f.BoolVar(&o.detailed, "detailed-exitcode", false, "exit 2 when there are changes")
	onlyIntentFlag(cmd, &o.onlyIntent)
	viewFlags(cmd, &o.Options)
	o.orderFlags(cmd)
	f.StringVar(&o.format, "format", "text", "text or json")
	labFlags(cmd, &o.lab)
	trustFlag(cmd, &o.trustByHand)
	trustFabricFlag(cmd, &o.trustFabric)
	o.readFlags(cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type planOptions struct {
	readOptions
	view.Options
	orderOptions
	out, format string
	detailed    bool
	trustByHand bool
	trustFabric bool
	onlyIntent  bool
	lab         labFlag
	only        []string
}

func (a *app) plan(ctx context.Context, dir string, o planOptions) (err error) {
	if o.out != "" && o.lab != "" {
		return exit.Fail(exit.Usage, "--out with --lab: what is planned for simulated devices does not fit real ones. Leave out one of the two")
	}
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	devices.read, devices.look = o.readOptions, true
	plan := a.compare(ctx, devices)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	if o.onlyIntent {
		plan.OnlyIntent(tool())
	}
	found := judged(f.Fabric, plan, o.trustFabric)
	debts := a.debts(dir, devices.labDir)
	plan, seq, err := devices.inOrder(f.Fabric, f.Tree(), plan, o.rules(defaultParallel, o.labSoak()))
	if err != nil {
		return err
	}
	a.readLocks(ctx, devices, plan, seq)
	if o.format == "json" {
		doc := view.PlanJSON(plan, seq, tool())
		doc.ByHand, doc.Seen = view.ByHandJSON(f.Fabric), view.SeenJSON(found)
		doc.Refused = view.RefusedJSON(against(plan, seq, o.trustByHand))
		doc.Evidence = view.EvidenceJSON(plan, devices.lab != nil)
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	} else {
		v := a.planView(dir, o.Options)
		v.Fabric, v.Seen, v.Rehearsal = f.Fabric, found, devices.lab != nil
		v.Sequence, v.Debts, v.Changed = seq, debts, a.changedHosts(dir, devices.labDir)
		v.Print(plan)
		v.Causes(plan)
	}
	refused := a.refuse(f, plan, seq, o.trustByHand)
	if refused != nil && !troubled(plan) {
		return refused
	}
	if o.out != "" && len(seq.Steps) > 0 {
		return savedStep(seq)
	}
	if o.out != "" {
		if err := a.savePlan(dir, f, plan, &o); err != nil {
			return err
		}
	}
	switch {
	case troubled(plan):
		return exit.With(exit.Machines)
	case o.detailed && !plan.Empty():
		return exit.With(exit.Changes)
	}
	return nil
}

// savePlan writes the plan for a later apply --plan, and prints the command.
func (a *app) savePlan(dir string, f *report.Report, plan *deploy.Plan, o *planOptions) error {
	if plan.Empty() && troubled(plan) {
		return exit.Fail(exit.Machines, "the plan was not saved: it changes nothing, for no device that was read differs")
	}
	given := a.given(o.only, o.onlyIntent)
	m, err := given.Save(o.out, dir, f, plan)
	if err != nil {
		return err
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "saved; do it with: %s\n", given.ApplyCommand(o.out, dir, m))
		if len(m.Environment) > 0 {
			fmt.Fprintf(a.stderr, "It wants the environment as it is now: %s.\n", diag.And(m.EnvironmentNames()))
		}
	}
	return nil
}

// given returns everything that this command names for a plan.
func (a *app) given(only []string, onlyIntent bool) *savedplan.Given {
	return &savedplan.Given{
		Tool: buildVersion().Version, Vars: a.vars, VarFiles: a.varFiles, Environ: a.environ, Allowed: a.allowed, Targets: only,
		OnlyIntent: onlyIntent,
	}
}

// labSoak is how long devices of a rehearsal must hold; nil: as long as their steps say.
func (o *planOptions) labSoak() *time.Duration {
	if o.lab == "" {
		return nil
	}
	soak := labSoak
	return &soak
}

// troubled reports whether a device could not be planned for.
func troubled(p *deploy.Plan) bool {
	s := p.Summary()
	return s.Unreachable+s.Refused > 0
}

// trustFlag adds --trust-by-hand to a verb that plans.
func trustFlag(cmd *cobra.Command, trust *bool) {
	cmd.Flags().BoolVar(trust, "trust-by-hand", false,
		"switch PFC on also opposite devices that rocec does not read: somebody has seen that it is on there")
}

// against is what rules have against a plan: devices that cannot be changed while the fabric keeps what it is to keep, and PFC that is
// switched on opposite devices that nobody has read.
func against(plan *deploy.Plan, seq *sequence.Sequence, trust bool) diag.List {
	ds := seq.Refusals()
	if !trust {
		ds = append(ds, plan.Unread(seq.Rules.Away)...)
	}
	return ds
}

// refuse says what rules have against a plan, and refuses it then.
func (a *app) refuse(f *report.Report, plan *deploy.Plan, seq *sequence.Sequence, trust bool) error {
	ds := against(plan, seq, trust)
	if len(ds) == 0 {
		return nil
	}
	return a.refusal(f, ds)
}

// refusal prints what is against a plan.
func (a *app) refusal(f *report.Report, ds diag.List) error {
	p := &diag.Printer{Files: f.Source.Files, Color: a.paints(a.stderr), Width: a.width(a.stderr)}
	p.Print(a.stderr, ds) //nolint:errcheck // a closed terminal has nobody to tell
	return exit.With(exit.Errors)
}
