package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
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
		Short: "do what plan shows, in waves, verified",
		Long: "Apply reads the devices, shows the plan, asks, and does it: wave by wave in an order that keeps every pair of hosts\n" +
			"connected, each device by compare-and-swap under a lock. A device undoes the change by itself unless it is\n" +
			"confirmed over a new login, after it has held and neither it nor a device beside it lost a link, daemon or neighbour.\n" +
			"The first Ctrl-C (or a closed terminal) lets the devices under way finish and starts no other; the second one\n" +
			"ends rocec. Finished changes are kept: see rocec runs.\n\n" +
			"With --remove it sets hosts back that are gone from the fabric, or set by hand now: their NICs go back to the settings from\n" +
			"before the first apply, and rocec's files on them are deleted. A host that does not answer is kept as pending. A host of the\n" +
			"fabric that leaves an intent needs no --remove.\n\n" +
			"With --replace it shows the host key of a device that was replaced or installed again, beside the one on file, takes it over\n" +
			"when a person has compared it with the device's console, and applies to that device. The owner of the fabric changes a key\n" +
			"that is pinned there.",
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
			switch {
			case len(o.remove) > 0:
				if err := without(cmd, "remove", "sets hosts back that the fabric no longer has", notOfRemove...); err != nil {
					return err
				}
			case len(o.replace) > 1:
				return exit.Fail(exit.Usage, "--replace changes one device alone, and is there %d times", len(o.replace))
			case len(o.replace) > 0: // also by the empty variable of a script, which means no device
				if err := without(cmd, "replace", "changes one device alone", "plan", "pending", "not-after", "adopt-derived", "target"); err != nil {
					return err
				}
			case cmd.Flags().Changed("host-key"):
				return exit.Fail(exit.Usage, "--host-key is about --replace DEVICE")
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
	f.StringArrayVar(&o.replace, "replace", nil, "change `DEVICE` alone, a new one in an old place, and take over its host key")
	f.StringVar(&o.hostKey, "host-key", "", "with --replace: the `fingerprint` read on the device's console, which is trusted without asking")
	f.StringVar(&o.saved, "plan", "", "apply only if it does what the plan saved in a `file` says: the same fabric, variables, targets and devices")
	offerNames(a, cmd, "remove", func(dir string, f *ir.Fabric) []string { return goneOf(a, dir, f) })
	offerNames(a, cmd, "replace", func(_ string, f *ir.Fabric) []string { return deviceNames(f) })
	trustFlag(cmd, &o.TrustByHand)
	acceptFlag(cmd, &o.Accept)
	trustFabricFlag(cmd, &o.TrustFabric)
	f.BoolVar(&o.pending, "pending", false, "only the devices that earlier runs left as they were: away, or under maintenance")
	f.StringVar(&o.notAfter, "not-after", "", "begin no wave that may not end by then: a `time` such as 23:30 or 2026-11-23T23:30:00Z")
	o.orderFlags(a, cmd)
	adoptFlag(cmd, &o.adopt)
	leadFlags(cmd, &o.ChangeOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

// applyLines is roughly the number of lines that apply prints below a plan that goes well, without those of the waves.
const applyLines = 10

// applyOptions are the flags of apply.
type applyOptions struct {
	session.ChangeOptions
	orderOptions
	saved    string
	notAfter string
	only     []string
	pending  bool // only debts of earlier runs

	adopt   bool
	remove  []string // hosts that are set back, instead
	replace []string // the device that is replaced, instead
	hostKey string   // its fingerprint
}

// notOfRemove lists the flags of apply that have no effect on hosts that are set back.
var notOfRemove = []string{
	"replace", "host-key", "plan", "pending", "not-after", "adopt-derived", "target", "assume-peer-ready", "skip-cabling-check",
	"accept-unverified", "no-canary", "min-capacity", "max-dark",
}

func (o *applyOptions) check() error {
	return errors.Join(o.ChangeOptions.Check(), o.orderOptions.check())
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
		a.Say("No wave begins that may not end by %s.", until.Format("2006-01-02 15:04 MST"))
	}
	for range sequence.MostSteps {
		more, err := a.applyStep(ctx, &w, plan, o)
		if err != nil || !more {
			return err
		}
		if plan = devices.CompareForChange(ctx); ctx.Err() != nil {
			return exit.Fail(exit.Interrupted, "interrupted between two steps; what was applied is kept, and apply goes on from there")
		}
		w.unlike = session.JudgePorts(f.Fabric, plan, o.TrustFabric)
	}
	return exit.Fail(exit.Incomplete, "the devices do not come to what the fabric wants; plan shows what is left")
}

// work holds the state that the steps of an apply share.
type work struct {
	f       *report.Report
	devices *session.Fleet
	dir     string
	until   time.Time            // no wave begins that may not end by then; zero: any may
	owed    map[string]view.Debt // when it began
	saved   *deploy.Saved        // nil: the apply has no saved plan
	unlike  *seen.Result         // in what the devices are not as the fabric says
}

// applyStep applies a plan, or its first step, and reports whether more is left to do.
func (a *app) applyStep(ctx context.Context, w *work, plan *deploy.Plan, o applyOptions) (more bool, err error) {
	debts := a.Debts(w.dir, w.devices.LabDir)
	if o.pending {
		if plan = session.Owing(plan, w.owed); len(plan.Devices) == 0 {
			a.Say("No device waits: earlier runs left none as it was.")
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
		if err := matches(w, plan); err != nil {
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
	agreement, err := session.Agree(ctx, a.Session, w.f, o.saved, w.saved, seq, &o.ChangeOptions)
	if err != nil {
		return false, err
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

// matches refuses a plan that is not the saved one. A rehearsal has other host keys and contents, so it compares only the contents that
// devices are to get.
func matches(w *work, plan *deploy.Plan) error {
	if w.devices.Lab != nil {
		return plan.SameTargets(w.saved)
	}
	return plan.Matches(w.saved)
}

// mayApply asks the rules and the person.
func (a *app) mayApply(ctx context.Context, w *work, plan *deploy.Plan, seq *sequence.Sequence, o applyOptions) error {
	untouched := func(err error) error {
		if o.Format == "json" {
			session.WriteUntouched(a.Stdout, plan)
		}
		return err
	}
	if err := session.Permitted(a.Session, w.f, o.Message, o.Lab != ""); err != nil {
		return untouched(err)
	}
	if err := w.devices.Barred(w.f, w.dir, plan, seq, "", &o.ChangeOptions); err != nil {
		return err
	}
	if s := plan.Summary(); s.Unreachable+s.Refused > o.MaxFailures && (s.Refused > o.MaxFailures || seq.Lossy()) {
		return untouched(exit.Fail(exit.Machines, "%s cannot be changed, and a link with PFC at one end only loses frames. Nothing was changed. "+
			"Fix them, leave them out with --target, or go on without them with --max-failures %d.",
			diag.Count(s.Unreachable+s.Refused, "device"), s.Unreachable+s.Refused))
	}
	if err := a.Refuse(w.f, plan, seq, o.TrustByHand); err != nil {
		return untouched(err)
	}
	if err := w.devices.WantsAccepted(w.f, plan, o.Accept); err != nil {
		return untouched(err)
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

// planAgain shows that devices of a rehearsal are as the fabric wants them.
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

// moment reads a time of day, today or tomorrow, or a time in full; empty: none.
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
