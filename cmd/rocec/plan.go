package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

func planCommand(a *app) *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan [DIR]",
		Short: "compare with the live devices; change nothing",
		Long: "Plan reads the devices and prints what apply would do: every key before and after, the traffic that stops, and the waves. It\n" +
			"changes nothing, and exits 1 if apply would refuse. With --out it saves the plan; apply --plan then makes exactly these changes.\n\n" +
			"With --team it asks the sites that have the keys of the devices, and makes one plan of their parts. The sites take the fabric from\n" +
			"its commit. They work one after the other.",
		Example: "  rocec plan --lab   # on devices inside the process\n" +
			"  rocec plan --target leaf01 --diff\n" +
			"  rocec plan --out change.plan",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if err := errors.Join(o.ReadOptions.Check(), o.orderOptions.check()); err != nil {
				return err
			}
			if o.valid <= 0 || o.valid > savedplan.MostValidity {
				return exit.Fail(exit.Usage, "--valid is more than 0 and at most 90 days, such as 24h")
			}
			dir, err := fabricFolder(a, cmd, args)
			if err != nil {
				return err
			}
			if done, err := ofTeam(a, cmd, args, &o.team, o.format, func(t *team.Client) error {
				return t.Plan(cmd.Context(), dir, &team.PlanOptions{
					Out: o.out, Valid: o.valid, Message: o.message, Only: o.only, Changes: o.detailed,
					Sites: o.team.sites, Holds: o.team.holds, Within: o.team.within,
				})
			}, "out", "valid", "message", "detailed-exitcode", "format", "target"); done {
				return err
			}
			for _, name := range ofPlanAndApply {
				if f := cmd.Flags().Lookup(name); f.Changed {
					o.shared = append(o.shared, flagWord(f, f.Value.String()))
				}
			}
			return a.plan(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "save the plan to a `file`, for apply --plan")
	f.DurationVar(&o.valid, "valid", savedplan.DefaultValidity, "with --out: how long the plan may be applied, as a `duration`")
	f.StringVarP(&o.message, "message", "m", "", "with --out: why, for those who approve the plan and for rocec runs")
	f.BoolVar(&o.detailed, "detailed-exitcode", false, "exit 2 when there are changes")
	adoptFlag(cmd, &o.adopt)
	viewFlags(cmd, &o.Options)
	o.orderFlags(a, cmd)
	f.StringVar(&o.format, "format", "text", "text or json")
	labFlags(cmd, &o.lab)
	trustFlag(cmd, &o.trustByHand)
	trustFabricFlag(cmd, &o.trustFabric)
	readFlags(cmd, &o.ReadOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	planFlagsOfTeam(cmd, &o.team)
	return cmd
}

// ofPlanAndApply lists the flags of plan that the apply of its saved plan needs, too.
var ofPlanAndApply = []string{
	"assume-peer-ready", "skip-cabling-check", "min-capacity", "max-dark", "no-canary", "ask-sudo-password", "max-objects", "budget",
}

type planOptions struct {
	session.ReadOptions
	view.Options
	orderOptions
	out, format string
	valid       time.Duration // of the saved plan
	message     string
	detailed    bool
	trustByHand bool
	trustFabric bool
	adopt       bool
	lab         session.LabFlag
	only        []string
	team        teamOptions
	shared      []diag.Word // the given flags of ofPlanAndApply
}

func (a *app) plan(ctx context.Context, dir string, o planOptions) (err error) {
	if o.out != "" && o.lab != "" {
		return exit.Fail(exit.Usage, "--out with --lab: a plan for simulated devices does not fit real devices. Leave out one of the two")
	}
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	devices.Read, devices.Look, devices.Adopt = o.ReadOptions, true, o.adopt
	plan := devices.Compare(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	found := session.JudgePorts(f.Fabric, plan, o.trustFabric)
	debts := a.Debts(dir, devices.LabDir)
	plan, seq, err := devices.InOrder(f.Fabric, f.Tree(), plan, o.rules(session.DefaultParallel, o.labSoak()))
	if err != nil {
		return err
	}
	devices.ReadLocks(ctx, plan, seq)
	forbidden, refuse, err := session.Foreseen(a.Session, f, plan, o.message, o.lab != "")
	if err != nil {
		return err
	}
	wanted, err := session.Wanted(a.Session, f, o.lab != "")
	if err != nil {
		return err
	}
	states := session.RecallClaims(devices, dir, f)
	against := slices.Concat(session.Against(plan, seq, o.trustByHand), forbidden)
	if o.format == "json" {
		doc := view.PlanJSON(plan, seq, a.Rocec.Tool)
		doc.ByHand, doc.Seen = view.ByHandJSON(f.Fabric), view.SeenJSON(found)
		doc.Refused, doc.Loops = view.RefusedJSON(against), view.LoopsJSON(f, states)
		doc.Evidence = view.EvidenceJSON(plan, devices.Lab != nil)
		if err := a.WriteJSON(doc); err != nil {
			return err
		}
	} else {
		v := a.planView(dir, o.Options)
		v.Fabric, v.Seen, v.Rehearsal = f.Fabric, found, devices.Lab != nil
		v.Sequence, v.Debts, v.Changed, v.Tool = seq, debts, a.ChangedHosts(dir, devices.LabDir), a.Rocec.Tool
		if o.out == "" && wanted == 0 && !plan.Empty() && !session.Troubled(plan) && len(against) == 0 &&
			devices.Accepted(plan) {
			v.Next = a.given(o.only, o.adopt, o.shared...).Command("apply", string(o.lab), dir)
		}
		if !a.Quiet {
			v.Assumed = claimed.KeptText(f.Proofs, states)
		}
		v.Below = 2 // the notes of validate
		v.Print(plan)
	}
	if wanted > 0 && o.out == "" && !plan.Empty() {
		a.Say("The apply of this wants %s: save the plan with --out, for rocec approve.", diag.Count(wanted, "approval"))
	}
	refused := cmp.Or(refuse(), a.Refuse(f, plan, seq, o.trustByHand))
	if refused != nil && !session.Troubled(plan) {
		return refused
	}
	if o.out != "" {
		if err := a.savePlan(ctx, dir, f, plan, seq, &o); err != nil {
			return err
		}
	}
	switch {
	case session.Troubled(plan):
		return exit.With(exit.Machines)
	case o.detailed && !plan.Empty():
		return exit.With(exit.Changes)
	}
	return nil
}

// savePlan writes the plan for a later apply --plan, and prints the command.
func (a *app) savePlan(ctx context.Context, dir string, f *report.Report, plan *deploy.Plan, seq *sequence.Sequence, o *planOptions) error {
	if plan.Empty() && session.Troubled(plan) {
		return exit.Fail(exit.Machines, "the plan was not saved: it has no changes, as no device that was read differs")
	}
	r, err := session.Rights(a.Session, false)
	if err != nil {
		return err
	}
	terms := session.TermsOf(a.Session, dir, f, plan, seq)
	terms.Message, terms.Approvals = o.message, r.Approvals(f.Fabric.Approvals)
	terms.Expires = terms.Made.Add(o.valid)
	given := a.given(o.only, o.adopt, o.shared...)
	m, err := given.Save(o.out, dir, f, plan, terms)
	if err != nil {
		return err
	}
	if r.Key != "" {
		saved, err := savedplan.Read(o.out)
		if err != nil {
			return err
		}
		if _, err := savedplan.Sign(ctx, r, o.out, saved, sshsig.RolePlan); err != nil {
			return err
		}
	}
	if !a.Quiet {
		if terms.Approvals > 0 {
			fmt.Fprintf(a.Stderr, "saved; it wants %s: %s\n", diag.Count(terms.Approvals, "approval"),
				diag.Rocec("approve", diag.Path("PLAN", o.out)))
		}
		fmt.Fprintf(a.Stderr, "saved; apply it with: %s\n", given.ApplyCommand(o.out, dir, m))
		if len(m.Environment) > 0 {
			fmt.Fprintf(a.Stderr, "Apply it with these environment variables as they are now: %s.\n", diag.And(m.EnvironmentNames()))
		}
	}
	return nil
}

// given returns the inputs of a plan that this command names, and more flags for the command that applies it.
func (a *app) given(only []string, adopt bool, more ...diag.Word) *savedplan.Given {
	return &savedplan.Given{
		Tool: a.Rocec.Version, Vars: a.Vars, VarFiles: a.VarFiles, Environ: a.Environ, Allowed: a.Allowed, Targets: only,
		AdoptDerived: adopt, More: more,
	}
}

// labSoak returns how long devices of a rehearsal must work; nil: the time depends on their steps.
func (o *planOptions) labSoak() *time.Duration {
	if o.lab == "" {
		return nil
	}
	soak := session.LabSoak
	return &soak
}
