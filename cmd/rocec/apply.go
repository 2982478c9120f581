package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

func applyCommand(a *app) *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply [DIR] | apply --plan FILE [DIR] | apply --remove HOST [DIR] | apply --replace DEVICE [DIR]",
		Short: "make the changes that plan shows, in waves, and verify them",
		Long: "Apply reads the devices, shows the plan, asks, and changes the devices wave by wave, in an order that keeps every pair of\n" +
			"hosts connected. Each device is changed by compare-and-swap under a lock. Apply then waits, checks that neither the device nor one\n" +
			"beside it lost a link, daemon or neighbour, and confirms the change over a new login. A device undoes a change that is not\n" +
			"confirmed. The first Ctrl-C (or a closed terminal) lets the changes under way finish and starts no others; the second one ends\n" +
			"rocec. Finished changes are kept: see rocec runs.\n\n" +
			"With --remove it sets hosts back that are gone from the fabric, or are now set by hand. Their NICs go back to the settings " +
			"from before the first apply, and rocec's files on them are deleted. A host that does not answer stays pending. A host of the\n" +
			"fabric that is taken out of an intent needs no --remove.\n\n" +
			"With --team it submits a saved plan to the sites of a team, and follows the run. The sites do it without this machine: Ctrl-C ends\n" +
			"only the follower.\n\n" +
			"With --replace it applies to a device that was replaced or installed again. It first shows the new host key of the device beside\n" +
			"the known one, and trusts the new key after you have compared it with the device's console. A key that is pinned in the fabric\n" +
			"must be changed there.",
		Example: "  rocec apply --lab   # on devices inside the process\n" +
			"  rocec apply --target leaf01 --confirm 10m -m \"ticket 4711\"\n" +
			"  rocec apply --remove gpu017\n" +
			"  rocec apply --replace leaf01",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.SoakSet, o.HoldSet = cmd.Flags().Changed("soak"), cmd.Flags().Changed("confirm")
			if err := o.check(); err != nil {
				return err
			}
			if done, err := ofTeam(a, cmd, args, &o.team, o.Format, func(t *team.Client) error {
				return t.Submit(cmd.Context(), &team.SubmitOptions{
					Plan: o.saved, Hold: o.Hold, Accept: o.Accept, Message: o.Message, Approve: o.Approve, Detach: o.team.detach,
				})
			}, "plan", "confirm", "accept-unverified", "message", "auto-approve", "format"); done {
				return err
			}
			if err := o.checkUse(cmd); err != nil {
				return err
			}
			dir, err := fabricFolder(a, cmd, args)
			switch {
			case err != nil:
				return err
			case len(o.remove) > 0:
				return a.remove(cmd.Context(), dir, o.remove, o.ChangeOptions)
			case len(o.replace) > 0:
				return a.replace(cmd.Context(), dir, o.replace[0], replaceOptions{o.ChangeOptions, o.orderOptions, o.hostKey})
			}
			return a.apply(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.remove, "remove", nil, "set `HOST` back, which the fabric no longer has; repeatable")
	f.StringArrayVar(&o.replace, "replace", nil, "change only `DEVICE`, which was replaced or installed again, and trust its new host key")
	f.StringVar(&o.hostKey, "host-key", "", "with --replace: the `fingerprint` read on the device's console, which is trusted without "+
		"asking")
	f.StringVar(&o.saved, "plan", "", "apply only if the changes are those of the plan saved in a `file`: same fabric, variables, "+
		"targets and devices")
	offerNames(a, cmd, "remove", func(dir string, f *ir.Fabric) []string { return goneOf(a, dir, f) })
	offerNames(a, cmd, "replace", func(_ string, f *ir.Fabric) []string { return deviceNames(f) })
	trustFlag(cmd, &o.TrustByHand)
	acceptFlag(cmd, &o.Accept)
	trustFabricFlag(cmd, &o.TrustFabric)
	f.BoolVar(&o.PutGates, "gate", false, "first install the gate on each device that changes and lacks it, see rocec gate")
	gatesFlag(cmd, &o.Gates)
	f.BoolVar(&o.pending, "pending", false, "only the devices that earlier runs could not change: unreachable, or under maintenance")
	f.StringVar(&o.notAfter, "not-after", "", "begin no wave that may end after this `time`, such as 23:30 or 2026-11-23T23:30:00Z")
	o.orderFlags(a, cmd)
	adoptFlag(cmd, &o.adopt)
	leadFlags(cmd, &o.ChangeOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	followFlags(cmd, &o.team)
	return cmd
}

// applyLines is roughly the number of lines that apply prints below the plan if all goes well, without the lines about waves.
const applyLines = 10

// applyOptions are the flags of apply.
type applyOptions struct {
	session.ChangeOptions
	orderOptions
	saved    string
	notAfter string
	only     []string
	team     teamOptions
	pending  bool // only changes that earlier runs still owe

	adopt   bool
	remove  []string // hosts to set back, instead of applying
	replace []string // the device that was replaced; applies to it alone
	hostKey string   // fingerprint of the replaced device's key
}

// notOfRemove lists the flags of apply that have no effect on hosts that are set back.
var notOfRemove = []string{
	"replace", "host-key", "plan", "pending", "not-after", "adopt-derived", "target", "assume-peer-ready", "skip-cabling-check",
	"accept-unverified", "no-canary", "min-capacity", "max-dark",
}

func (o *applyOptions) check() error {
	return errors.Join(o.ChangeOptions.Check(), o.orderOptions.check())
}

// checkUse refuses flags that have no effect beside --remove or --replace.
func (o *applyOptions) checkUse(cmd *cobra.Command) error {
	switch {
	case len(o.remove) > 0:
		return without(cmd, "remove", "sets hosts back that the fabric no longer has", notOfRemove...)
	case len(o.replace) > 1:
		return exit.Fail(exit.Usage, "--replace changes a single device, and is given %d times", len(o.replace))
	case len(o.replace) > 0: // even if the name is empty, as from an unset variable of a script
		return without(cmd, "replace", "changes a single device", "plan", "pending", "not-after", "adopt-derived", "target")
	case cmd.Flags().Changed("host-key"):
		return exit.Fail(exit.Usage, "--host-key is for --replace DEVICE")
	}
	return nil
}

func (a *app) apply(ctx context.Context, dir string, o applyOptions) (err error) {
	until, err := moment(o.notAfter, time.Now())
	if err != nil {
		return err
	}
	var saved *deploy.Saved
	given := a.given(o.only, o.adopt)
	if o.saved != "" {
		if saved, err = given.Load(o.saved); err != nil {
			return err
		}
		if !session.HasFabric(dir) {
			if err := given.NoFabric(o.saved, saved, dir); err != nil {
				return err
			}
		}
	}
	f, devices, err := a.Open(dir, o.only, o.Lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	if saved != nil {
		if err := given.Same(o.saved, saved, dir, f); err != nil {
			return err
		}
	}
	if err := session.Usable(a.Session, f, o.saved, saved, o.Lab != ""); err != nil {
		return err
	}
	if len(o.only) > 0 {
		if err := session.OnlyOthers(devices.Tree); err != nil {
			return err
		}
	}
	devices.Look, devices.Adopt = true, o.adopt
	plan := devices.CompareForChange(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	w := work{f: f, devices: devices, dir: dir, until: until, owed: a.Debts(dir, devices.LabDir)}
	w.unlike = session.JudgePorts(f.Fabric, plan, o.TrustFabric)
	w.saved = saved
	if !until.IsZero() {
		a.Say("No wave begins that may end after %s.", until.Format("2006-01-02 15:04 MST"))
	}
	for range sequence.MostSteps {
		more, err := a.applyStep(ctx, &w, plan, o)
		if err != nil || !more {
			return err
		}
		if plan = devices.CompareForChange(ctx); ctx.Err() != nil {
			return exit.Fail(exit.Interrupted, "interrupted between two steps; the applied changes are kept, and the next apply goes on "+
				"from there")
		}
		w.unlike = session.JudgePorts(f.Fabric, plan, o.TrustFabric)
	}
	return exit.Fail(exit.Incomplete, "some devices still differ from the fabric after the last step; plan shows the changes that are left")
}

// work holds the state that the steps of an apply share.
type work struct {
	f       *report.Report
	devices *session.Fleet
	dir     string
	until   time.Time            // no wave begins that may end later; zero: no limit
	owed    map[string]view.Debt // the debts when apply began
	saved   *deploy.Saved        // nil: the apply has no saved plan
	unlike  *seen.Result         // cables and ports that differ from the fabric
}

// applyStep applies a plan, or its first step, and reports whether more is left to do.
func (a *app) applyStep(ctx context.Context, w *work, plan *deploy.Plan, o applyOptions) (more bool, err error) {
	debts := a.Debts(w.dir, w.devices.LabDir)
	if o.pending {
		if plan = session.Owing(plan, w.owed); len(plan.Devices) == 0 {
			a.Say("No device is pending from earlier runs.")
			return false, nil
		}
	}
	if o.away = session.Unread(plan); len(o.away) > o.MaxFailures {
		o.away = nil
	}
	plan, seq, err := w.devices.InOrder(w.f.Fabric, w.f.Tree(), plan, o.rules(o.Parallel, o.SoakTime()))
	if err != nil {
		return false, err
	}
	w.devices.ReadLocks(ctx, plan, seq)
	if w.saved != nil {
		if err := session.Matches(w.devices, plan, w.saved); err != nil {
			return false, exit.Fail(exit.Machines, "%v", err)
		}
		if terms := w.saved.Terms; terms != nil && o.Message == "" {
			o.Message = terms.Message
		}
	}
	if o.Format == "text" {
		v := a.planView(w.dir, o.Options)
		v.Fabric, v.Seen, v.Rehearsal = w.f.Fabric, w.unlike, w.devices.Lab != nil
		v.Sequence, v.Debts, v.Changed, v.Tool = seq, debts, a.ChangedHosts(w.dir, w.devices.LabDir), a.Rocec.Tool
		v.Below = applyLines
		v.Print(plan)
	}
	if plan.Empty() {
		return false, a.NothingToDo(plan, o.Format)
	}
	var agreement *journal.Agreement
	if o.Lab == "" {
		if agreement, err = session.Agree(ctx, a.Session, w.f, o.saved, w.saved, seq, o.Message); err != nil {
			return false, err
		}
	}
	if err := a.mayApply(ctx, w, plan, seq, o); err != nil {
		return false, err
	}
	results, err := a.Apply(ctx, session.Job{
		ChangeOptions: o.ChangeOptions, Order: seq.Order, Hooks: o.Programs(), NotAfter: w.until,
		Fabric: w.dir, Name: w.f.Fabric.Name, Report: w.f, Only: o.only, Devices: w.devices, Plan: plan, Agreement: agreement,
	})
	if err != nil {
		return false, err
	}
	if !results.Complete() || ctx.Err() != nil {
		return false, session.Outcome(results)
	}
	if len(seq.Steps) > 1 {
		if o.Hold > 0 {
			a.Say("This was the first of %s. When it is confirmed, rocec apply goes on. Confirm it: %s",
				diag.Count(len(seq.Steps), "step"), deploy.RunCommand("confirm", results.Run.Name))
			return false, session.Outcome(results)
		}
		if w.saved != nil {
			a.Say("This was the first of %s, and the plan is of this one. Make a plan of the next one.", diag.Count(len(seq.Steps), "step"))
			return false, exit.With(exit.Incomplete)
		}
		return true, nil
	}
	if o.Lab != "" && o.Hold == 0 && o.Format == "text" {
		return false, a.planAgain(ctx, w, plan, o)
	}
	return false, session.Outcome(results)
}

// mayApply checks the rules of changes, and then asks the person.
func (a *app) mayApply(ctx context.Context, w *work, plan *deploy.Plan, seq *sequence.Sequence, o applyOptions) error {
	if err := session.MayChange(w.devices, w.f, w.dir, plan, seq, &o.ChangeOptions); err != nil {
		return err
	}
	if o.Approve {
		return nil
	}
	word, changes := "yes", plan.Summary().Change
	if changes > 20 {
		word = w.f.Fabric.Name
	}
	return a.Ask(ctx, question(w.f.Fabric, diag.Count(changes, "device"), plan, seq), word)
}

// planAgain prints a new plan for the devices of a rehearsal. It is empty if the devices are as the fabric wants them.
func (a *app) planAgain(ctx context.Context, w *work, done *deploy.Plan, o applyOptions) error {
	fmt.Fprintln(a.Stdout, "\nThe same plan again, on the devices as they are now:")
	again := w.devices.Compare(ctx)
	if o.pending {
		again = session.Part(again, func(name string) bool {
			return slices.ContainsFunc(done.Devices, func(d *deploy.DevicePlan) bool { return d.Device.Name == name })
		})
	}
	v := a.planView(w.dir, o.Options)
	v.Again = true
	v.Print(again)
	if !again.Empty() {
		return exit.With(exit.Incomplete)
	}
	return nil
}

// moment parses a time of day, which is today or tomorrow, or a full date and time. It returns zero for an empty text.
func moment(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		if t.Before(now) {
			return t, exit.Fail(exit.Usage, "--not-after %s is over", text)
		}
		return t, nil
	}
	t, err := time.ParseInLocation("15:04", text, now.Location())
	if err != nil {
		return t, exit.Fail(exit.Usage, "--not-after is a time such as 23:30 or 2026-11-23T23:30:00Z, not %q", text)
	}
	t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if t.Before(now) {
		t = t.AddDate(0, 0, 1)
	}
	return t, nil
}
