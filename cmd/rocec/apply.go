package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

func (a *app) applyCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply [DIR] | apply --plan FILE [DIR]",
		Short: "do what plan shows, in waves, verified",
		Long: "Apply reads the devices, shows the plan, asks, and does it: wave by wave in an order that keeps every pair of hosts\n" +
			"connected, each device by compare-and-swap under a lock. A device undoes the change by itself unless it is\n" +
			"confirmed over a new login, after it has held and neither it nor a device beside it lost a link, daemon or neighbour.\n" +
			"The first Ctrl-C (or a closed terminal) lets the devices under way come to an end and starts no other; the\n" +
			"second one ends rocec. What was done is kept: see rocec runs.",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.soakSet, o.holdSet = cmd.Flags().Changed("soak"), cmd.Flags().Changed("confirm")
			if err := o.check(a, args); err != nil {
				return err
			}
			return a.apply(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.saved, "plan", "", "apply only if it does what the plan saved in a `file` says: the same fabric, variables, targets and devices")
	trustFlag(cmd, &o.trustByHand)
	acceptFlag(cmd, &o.accept)
	trustFabricFlag(cmd, &o.trustFabric)
	f.BoolVar(&o.pending, "pending", false, "only the devices that earlier runs left as they were: away, or under maintenance")
	f.StringVar(&o.notAfter, "not-after", "", "begin no wave that may not end by then: a `time` such as 23:30 or 2026-11-23T23:30:00Z")
	o.orderFlags(cmd)
	onlyIntentFlag(cmd, &o.onlyIntent)
	o.leadFlags(a, cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

// applyOptions are the flags of apply.
type applyOptions struct {
	leadOptions
	orderOptions
	saved    string
	notAfter string
	only     []string
	pending  bool // only debts of earlier runs

	onlyIntent bool
}

// leadOptions are the flags of every verb that changes devices.
type leadOptions struct {
	format                string
	approve               bool
	lab                   labFlag
	parallel, maxFailures int
	hold, soak            time.Duration
	onFailure, anomaly    string
	drain, undrain        []string
	hookTime              time.Duration
	soakSet, holdSet      bool
	message               string
	alone                 bool
	trustByHand           bool
	accept                bool // --accept-documented
	trustFabric           bool
	view.Options
}

// defaultParallel is how many devices are changed at the same time.
const defaultParallel = 8

// mostHold is how long a device may wait to be confirmed.
const mostHold = deploy.MaxHold

// leadFlags declares them.
func (o *leadOptions) leadFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.approve, "auto-approve", false, "do not ask")
	f.IntVar(&o.parallel, "parallel", defaultParallel, "devices changed at the same time")
	f.IntVar(&o.maxFailures, "max-failures", 0, "devices that may fail before no further one starts")
	f.DurationVar(&o.hold, "confirm", 0, "keep every device armed for a `duration` after its change: it undoes it by itself "+
		"unless rocec confirm comes before")
	f.DurationVar(&o.soak, "soak", 0, "how long a device must hold before its change is kept (default: what its change needs, "+
		"30s where ports reset, 5s elsewhere, 1s in the lab)")
	f.StringVar(&o.onFailure, "on-failure", string(rollout.UndoWave), "what becomes of the others when more devices fail than may: undo-wave "+
		"(those of the same wave go back), stop (they keep the change), or undo-all (all go back, the last wave first)")
	f.StringVar(&o.anomaly, "on-anomaly", string(rollout.AnomalyStop), "what to do when counters rise far faster after a wave than before: "+
		"stop (ask on a terminal), ignore, or undo (the wave goes back)")
	f.StringArrayVar(&o.drain, "drain", nil, "a `program` that takes traffic off the devices of a wave before it begins, with the devices in "+
		"$ROCEC_DEVICES; again for each of its arguments")
	f.StringArrayVar(&o.undrain, "undrain", nil, "a `program` that puts it back after the wave, whatever became of it; again for "+
		"each of its arguments")
	f.DurationVar(&o.hookTime, "hook-timeout", hookTime, "how long --drain and --undrain may take, each")
	f.StringVarP(&o.message, "message", "m", "", "why, for rocec runs")
	f.BoolVar(&o.alone, "alone", false, "go on though a switch cannot carry the mark by which other runs see this one: no other run goes on, "+
		"as -m says why")
	viewFlags(cmd, &o.Options)
	labFlags(cmd, &o.lab)
	f.StringVar(&o.format, "format", "text", "text, or json: one object a line")
	offer(cmd, "on-failure", string(rollout.UndoWave), string(rollout.Stop), string(rollout.UndoAll))
	offer(cmd, "on-anomaly", string(rollout.AnomalyStop), string(rollout.AnomalyIgnore), string(rollout.AnomalyUndo))
}

// programs returns those that take traffic off devices and put it back; nil: none was named.
func (o *leadOptions) programs() *hooks.Programs {
	if len(o.drain)+len(o.undrain) == 0 {
		return nil
	}
	return &hooks.Programs{Drain: o.drain, Undrain: o.undrain, Timeout: o.hookTime}
}

// check judges the flags together.
func (o *leadOptions) check(a *app, args []string) error {
	switch {
	case o.parallel < 1 || o.maxFailures < 0:
		return exit.Fail(exit.Usage, "--parallel is at least 1 and --max-failures at least 0")
	case o.hold < 0 || o.holdSet && o.hold == 0 || o.hold > mostHold || o.soak < 0 || o.soak > mostHold:
		return exit.Fail(exit.Usage, "--confirm and --soak are durations such as 10m or 30s, and of at most 30 days")
	}
	if o.alone && strings.TrimSpace(o.message) == "" {
		return exit.Fail(exit.Usage, "--alone wants a reason, for whoever asks later: -m WHY")
	}
	if o.hookTime <= 0 || len(o.drain) > 0 && o.drain[0] == "" || len(o.undrain) > 0 && o.undrain[0] == "" {
		return exit.Fail(exit.Usage, "--drain and --undrain name a program, and --hook-timeout is more than 0")
	}
	return errors.Join(
		choice("on-failure", o.onFailure, string(rollout.UndoWave), string(rollout.Stop), string(rollout.UndoAll)),
		choice("on-anomaly", o.anomaly, string(rollout.AnomalyStop), string(rollout.AnomalyIgnore), string(rollout.AnomalyUndo)),
		choice("format", o.format, "text", "json"),
	)
}

func (o *applyOptions) check(a *app, args []string) error {
	if o.saved != "" && o.lab != "" {
		return exit.Fail(exit.Usage, "--plan with --lab: a saved plan is for real devices. Leave out one of the two")
	}
	return errors.Join(o.leadOptions.check(a, args), o.orderOptions.check())
}

func (a *app) apply(ctx context.Context, args []string, o applyOptions) (err error) {
	dir, err := a.folder(args)
	if err != nil {
		return err
	}
	until, err := moment(o.notAfter, time.Now())
	if err != nil {
		return err
	}
	var saved *deploy.Saved
	given := a.given(o.only, o.onlyIntent)
	if o.saved != "" {
		if saved, err = given.Load(o.saved); err != nil {
			return err
		}
		if !hasFabric(dir) {
			if err := given.NoFabric(o.saved, saved, dir); err != nil {
				return err
			}
		}
	}
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	if saved != nil {
		if err := given.Same(o.saved, saved, dir, f); err != nil {
			return err
		}
	}
	if len(o.only) > 0 {
		if err := onlyOthers(devices.tree); err != nil {
			return err
		}
	}
	devices.look = true
	plan := a.compareForChange(ctx, devices)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	if o.onlyIntent {
		plan.OnlyIntent(tool())
	}
	w := work{f: f, devices: devices, dir: dir, until: until, owed: a.debts(dir, devices.labDir)}
	w.unlike = judged(f.Fabric, plan, o.trustFabric)
	if saved != nil {
		if err := plan.Matches(saved); err != nil {
			return exit.Fail(exit.Machines, "%v", err)
		}
	}
	if !until.IsZero() {
		a.say("No wave begins that may not end by %s.", until.Format("2006-01-02 15:04 MST"))
	}
	for range sequence.MostSteps {
		more, err := a.applyStep(ctx, &w, plan, o)
		if err != nil || !more {
			return err
		}
		if plan = a.compareForChange(ctx, devices); ctx.Err() != nil {
			return exit.Fail(exit.Interrupted, "interrupted between two steps; what was applied is kept, and apply goes on from there")
		}
		w.unlike = judged(f.Fabric, plan, o.trustFabric)
	}
	return exit.Fail(exit.Incomplete, "the devices do not come to what the fabric wants; plan shows what is left")
}

// work is what the steps of an apply have in common.
type work struct {
	f       *report.Report
	devices *fleet
	dir     string
	until   time.Time            // no wave begins that may not end by then; zero: any may
	owed    map[string]view.Debt // when it began
	unlike  *seen.Result         // in what the devices are not as the fabric says
}

// applyStep does a plan, or the first step of it, and reports whether there is more to do.
func (a *app) applyStep(ctx context.Context, w *work, plan *deploy.Plan, o applyOptions) (more bool, err error) {
	debts := a.debts(w.dir, w.devices.labDir)
	if o.pending {
		if plan = owing(plan, w.owed); len(plan.Devices) == 0 {
			a.say("No device waits: earlier runs left none as it was.")
			return false, nil
		}
	}
	if o.away = unread(plan); len(o.away) > o.maxFailures {
		o.away = nil
	}
	plan, seq, err := w.devices.inOrder(w.f.Fabric, w.f.Tree(), plan, o.rules(o.parallel, o.soakTime()))
	if err != nil {
		return false, err
	}
	a.readLocks(ctx, w.devices, plan, seq)
	if len(seq.Steps) > 0 && o.saved != "" {
		return false, savedStep(seq)
	}
	if o.format == "text" {
		v := a.planView(w.dir, o.Options)
		v.Fabric, v.Seen, v.Rehearsal = w.f.Fabric, w.unlike, w.devices.lab != nil
		v.Sequence, v.Debts, v.Changed = seq, debts, a.changedHosts(w.dir, w.devices.labDir)
		v.Print(plan)
		v.Causes(plan)
	}
	if plan.Empty() {
		return false, a.nothingToDo(plan, o.format)
	}
	if err := a.mayApply(ctx, w, plan, seq, o); err != nil {
		return false, err
	}
	results, err := a.lead(ctx, lead{
		leadOptions: o.leadOptions, order: seq.Order, hooks: o.programs(), notAfter: w.until, fabric: w.dir, name: w.f.Fabric.Name, only: o.only,
		devices: w.devices, plan: plan,
	})
	if err != nil {
		return false, err
	}
	if !results.Complete() || ctx.Err() != nil {
		return false, outcome(results)
	}
	if len(seq.Steps) > 1 {
		if o.hold > 0 {
			a.say("This was the first of %s. When it is confirmed, apply goes on: %s, then rocec apply.",
				diag.Count(len(seq.Steps), "step"), deploy.RunCommand("confirm", results.Run.Name))
			return false, outcome(results)
		}
		return true, nil
	}
	if o.lab != "" && o.hold == 0 && o.format == "text" {
		return false, a.planAgain(ctx, w, plan, o)
	}
	return false, outcome(results)
}

// mayApply asks the rules and the person.
func (a *app) mayApply(ctx context.Context, w *work, plan *deploy.Plan, seq *sequence.Sequence, o applyOptions) error {
	untouched := func(err error) error {
		if o.format == "json" {
			a.writeUntouched(plan)
		}
		return err
	}
	if err := a.barred(w.f, w.dir, w.devices, plan, seq, "", &o.leadOptions); err != nil {
		return err
	}
	if s := plan.Summary(); s.Unreachable+s.Refused > o.maxFailures && (s.Refused > o.maxFailures || seq.Lossy()) {
		return untouched(exit.Fail(exit.Machines, "%s cannot be changed, and a link with PFC at one end only loses frames. Nothing was changed. "+
			"Fix them, leave them out with --target, or go on without them with --max-failures %d.",
			diag.Count(s.Unreachable+s.Refused, "device"), s.Unreachable+s.Refused))
	}
	if err := a.refuse(w.f, plan, seq, o.trustByHand); err != nil {
		return untouched(err)
	}
	if err := a.wantsAccepted(w.f, w.devices, plan, o.accept); err != nil {
		return untouched(err)
	}
	if o.approve {
		return nil
	}
	word, changes := "yes", plan.Summary().Change
	if changes > 20 {
		word = w.f.Fabric.Name
	}
	return a.ask(ctx, question(w.f.Fabric, diag.Count(changes, "device")), word)
}

// planAgain shows that devices of a rehearsal are as the fabric wants them.
func (a *app) planAgain(ctx context.Context, w *work, done *deploy.Plan, o applyOptions) error {
	fmt.Fprintln(a.stdout, "\nThe same plan again, on the devices as they are now:")
	again := a.compare(ctx, w.devices)
	if o.onlyIntent {
		again.OnlyIntent(tool())
	}
	if o.pending {
		again = part(again, func(name string) bool {
			return slices.ContainsFunc(done.Devices, func(d *deploy.DevicePlan) bool { return d.Device.Name == name })
		})
	}
	a.planView(w.dir, o.Options).Print(again)
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

// question asks whether to go on, and says what nobody has looked at.
func question(f *ir.Fabric, what string) string {
	q := "Apply this to " + what + "?"
	if text := deploy.ByHand(f); text != "" {
		q += " " + text + "."
	}
	return q
}

// nothingToDo ends an apply without changes; devices that could not be read are still worth an exit status.
func (a *app) nothingToDo(plan *deploy.Plan, format string) error {
	held := sequence.Bars(plan, nil, "")
	switch {
	case format == "json" && len(held) > 0:
		a.writeStopped(plan, held, deploy.OtherRun, held[0].Holds(held[0].Names()...))
	case format == "json":
		a.writeUntouched(plan)
	}
	if troubled(plan) {
		return exit.With(exit.Machines)
	}
	var texts []string
	for _, h := range held { // what is in use there may not stay
		texts = append(texts, h.Holds(h.Names()...)+" "+h.GoOn(h.Names()...))
	}
	if len(texts) > 0 {
		return exit.Fail(exit.Locked, "%s", strings.Join(texts, " "))
	}
	return nil
}

// writeUntouched writes what becomes of the devices of a plan that is not done.
func (a *app) writeUntouched(plan *deploy.Plan) {
	a.writeEvent(applyEvent{Event: "summary", Summary: a.untouched(plan, nil)})
}

// untouched writes an event for each device that is refused, those of refused with a reason of their own, and counts the outcomes.
func (a *app) untouched(plan *deploy.Plan, refused map[string]string) map[string]int {
	sum := deploy.Tally()
	for _, d := range plan.Devices {
		of := deploy.Unchanged
		switch why := refused[d.Device.Name]; {
		case why != "":
			of = deploy.Refused
			a.writeEvent(applyEvent{Event: "device", Device: d.Device.Name, Outcome: string(of), Detail: why})
			delete(refused, d.Device.Name)
		case d.Err != nil:
			of = deploy.Refused
			a.writeEvent(applyEvent{Event: "device", Device: d.Device.Name, Outcome: string(of), Detail: d.Err.Error()})
		case d.Status == deploy.StatusChange:
			of = deploy.NotStarted
		}
		sum[string(of)]++
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) { // beside the plan
		sum[string(deploy.Refused)]++
		a.writeEvent(applyEvent{Event: "device", Device: name, Outcome: string(deploy.Refused), Detail: refused[name]})
	}
	return sum
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
		return exit.With(exit.Interrupted)
	case !r.Touched() && (locked || r.Stopped == deploy.OtherRun):
		return exit.With(exit.Locked)
	case !r.Touched() && (machine || r.Stopped == deploy.NotMarked && r.Because.Machine()):
		return exit.With(exit.Machines)
	}
	return exit.With(exit.Incomplete)
}
