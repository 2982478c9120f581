package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/policy"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// RunOptions contains the flags of the verbs that go on with a run.
type RunOptions struct {
	Format   string
	Lab      LabFlag
	Parallel int
	Only     []string
	Hooks    hooks.Programs // --undrain
}

// HookTime is the default time limit of a --drain or --undrain program.
const HookTime = 10 * time.Minute

// Check refuses invalid flags.
func (o *RunOptions) Check() error {
	if o.Parallel < 1 {
		return exit.Fail(exit.Usage, "--parallel must be at least 1")
	}
	if o.Hooks.Timeout <= 0 {
		return exit.Fail(exit.Usage, "--hook-timeout must be more than 0")
	}
	return exit.Choice("format", o.Format, "text", "json")
}

// UndrainOver puts back the traffic of a finished run on all its devices. It reports whether all traffic is back.
func (s *Session) UndrainOver(ctx context.Context, l *journal.Log, by *hooks.Programs) (back bool, err error) {
	if len(hooks.Owed(l)) == 0 {
		return true, nil
	}
	dir, err := journals(s, l.Lab != "")
	if err != nil {
		return false, err
	}
	log, err := dir.Reopen(l.Run, s.clock.Now)
	if err != nil {
		return false, exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	back = s.hooks().PutBack(ctx, l, log, by)
	if err := finish(ctx, s, log, l.Lab != ""); err != nil {
		return false, exit.Fail(exit.Machines, "the journal of run %s cannot be written: %v", l.Run, err)
	}
	return back, nil
}

// TellNothing ends a verb on a run that has changed nothing.
func (s *Session) TellNothing(l *journal.Log, devices []journal.Device, text, format string) {
	if format == "json" {
		TellClosed(s.Stdout, l, devices)
		return
	}
	fmt.Fprintf(s.Stdout, text+"\n", l.Run)
}

// OpenedRun is a run of the journal with which a verb goes on.
type OpenedRun struct {
	s       *Session
	Log     *journal.Log
	Kept    commands.Kept    // contents from before the run, and contents for its steps
	plan    *deploy.Plan     // devices of an adopted run, as they were read; else nil
	Devices []journal.Device // devices of the run, limited by --target
	Begun   []journal.Device // subset on which the run has begun
	Open    []journal.Device // subset on which the run may not be over
	Connect func() (*Fleet, error)
}

// OpenRun reads the journal of a run and prepares the way to its devices.
func (s *Session) OpenRun(ctx context.Context, name string, only []string, which LabFlag) (*OpenedRun, error) {
	l, taken, err := s.takenUp(ctx, name, only, which)
	if err != nil {
		return nil, err
	}
	if l.Alive {
		return nil, exit.Fail(exit.Locked, "run %s is still under way: process %d on %s, by %s. End it there first (one Ctrl-C).",
			l.Run, l.PID, l.Host, view.Who(l.Owner))
	}
	if !(deploy.Run{Name: l.Run, Key: l.Key}).Valid() {
		return nil, exit.Fail(exit.Usage, "the journal of run %q was changed by hand: its name or key is invalid", name)
	}
	if l.Newer() {
		return nil, exit.Fail(exit.Usage, "a later rocec (%s) wrote the journal of run %s. Use that release, or a later one. Nothing was "+
			"changed.",
			diag.Escape(diag.Cut(l.Tool)), l.Run)
	}
	if why := badDevices(l); why != "" {
		return nil, changedByHand(l, why)
	}
	if err := PermittedPart(s, policy.GoBack, l.Lab != ""); err != nil {
		return nil, err
	}
	kept := s.keptOf(l)
	tree := &target.Tree{}
	if err := s.logins(l); err != nil {
		return nil, err
	}
	r := replay.Read(&l.Header, kept)
	for i := range l.Devices {
		tree.Devices = append(tree.Devices, r.Device(&l.Devices[i]))
	}
	tree, err = SelectDevices(tree, only)
	if err != nil {
		return nil, err
	}
	devices := slices.DeleteFunc(slices.Clone(l.Devices), func(d journal.Device) bool {
		return !slices.ContainsFunc(tree.Devices, func(have *target.Device) bool { return have.Name == d.Name })
	})
	if l.Damaged > 0 {
		fmt.Fprintf(s.Stderr, "note: %s of the journal of run %s could not be read, so rocec asks every device of the run.\n",
			diag.Count(l.Damaged, "line"), l.Run)
	}
	begun := slices.DeleteFunc(slices.Clone(devices), func(d journal.Device) bool { return !l.BegunOn(d.Name) })
	open := slices.DeleteFunc(slices.Clone(begun), func(d journal.Device) bool { return !l.Open(d.Name) })
	return &OpenedRun{s, l, kept, taken, devices, begun, open, func() (*Fleet, error) {
		if l.Lab != "" {
			return s.openLab(l)
		}
		f := s.NewFleet(tree)
		return f, f.Connect()
	}}, nil
}

// GoingOn contains the options for going on with a run.
type GoingOn struct {
	Verb     string
	Goal     txn.Goal
	Together bool           // keep all devices or none
	Soak     *time.Duration // how long devices must still work; nil: their steps decide
	MaxDark  int            // hosts that may be dark at the same time; 0: as many as in the run
	Quiet    bool           // print nothing: only update the journal
	Drained  bool           // result: devices are still drained
	Options  RunOptions
}

// GoOn brings devices of a run to the goal and writes the outcomes into its journal.
func (r *OpenedRun) GoOn(ctx context.Context, f *Fleet, devices []journal.Device, g *GoingOn) (*deploy.Results, error) {
	l := r.Log
	if g.Goal != txn.Back {
		if err := PermittedPart(r.s, policy.End, l.Lab != ""); err != nil {
			return nil, err
		}
	}
	plan := replay.Read(&l.Header, r.Kept).Plan(devices)
	dir, err := journals(r.s, l.Lab != "")
	if err != nil {
		return nil, err
	}
	log, err := dir.Reopen(l.Run, r.s.clock.Now)
	if err != nil {
		return nil, exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	e := reporting{view.Occasion{Verb: g.Verb, Lab: l.Lab != ""}, g.Options.Format}
	order := orderOf(l, plan, g.Goal, g.MaxDark)
	tell := func(rollout.Event) {}
	end := func() {}
	if !g.Quiet {
		names := make([]string, len(devices))
		for i := range devices {
			names[i] = devices[i].Name
		}
		show := r.s.showing(e, l.Run, order, names)
		tell, end = show.event, show.end
	}
	if g.Soak == nil && l.Lab != "" {
		g.Soak = new(time.Second)
	}
	options := rollout.ApplyOptions{
		Run: deploy.Run{Name: l.Run, Key: l.Key, Owner: l.Owner, By: r.s.Owner(), Keys: keysOf(l)}, Parallel: g.Options.Parallel, Soak: g.Soak,
		Marks: l.Marks(), Together: g.Together, Order: order,
		Sudo: r.s.sudo, Clock: rollout.Clock(r.s.clock),
		Event: func(e rollout.Event) {
			if e.Result != nil {
				_ = log.Outcome(journalOutcome(e.Result))
			}
			tell(e)
		},
		Record: func(e rollout.Entry) (string, error) { return logEntry(log, e) },
	}
	hasten(&options)
	r.s.admitOrder(options.Order)
	results, err := rollout.Resume(ctx, f.Dial, plan, g.Goal, options)
	end()
	if err != nil {
		return nil, err
	}
	g.Drained = !r.s.hooks().PutBack(ctx, l, log, &g.Options.Hooks)
	if err := finish(ctx, r.s, log, l.Lab != ""); err != nil {
		fmt.Fprintf(r.s.Stderr, "rocec: the journal of run %s is incomplete: %s\n", l.Run, diag.Escape(err.Error()))
	}
	if !g.Quiet {
		r.s.reportResults(results, e)
	}
	return results, nil
}

// Resuming returns how to go on with a run whose process has died.
func (r *OpenedRun) Resuming(o RunOptions) GoingOn {
	g := GoingOn{Verb: "resume", Goal: txn.Keep, Options: o}
	if r.Log.Hold != "" {
		g.Goal = txn.Hold // rocec confirm must keep it
		if !slices.ContainsFunc(r.Open, func(d journal.Device) bool { return r.Log.OutcomeOf(d.Name) != string(deploy.Unconfirmed) }) {
			g.Together = true // the devices were checked when the run ended, so reading their state is enough
		}
	}
	return g
}

// Confirming returns how to keep a run, and its devices that do not hold the change, or may not hold it.
func (r *OpenedRun) Confirming(o RunOptions) (g GoingOn, missing, unasked []string) {
	soak := new(time.Duration) // zero: the devices have held while the person looked
	g = GoingOn{Verb: "confirm", Goal: txn.Keep, Together: true, Soak: soak, Options: o}
	missing, unasked = NotHeld(r.Log), UnaskedOf(r.Log)
	if len(o.Only) == 0 && len(missing)+len(unasked) > 0 {
		g.Goal = txn.Hold // some device cannot keep the change
	}
	return g, missing, unasked
}

// NotHeld returns the devices without the change of a run: undone, refused, or never begun.
func NotHeld(l *journal.Log) []string {
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

// UnaskedOf returns the devices of an adopted run that could not be asked.
func UnaskedOf(l *journal.Log) []string {
	var names []string
	if l.Adopted != nil {
		for _, d := range l.Adopted.Unasked {
			names = append(names, d.Name)
		}
	}
	return names
}

// TargetFlags returns the flags that name devices on a command line.
func TargetFlags(names []string) (flags []diag.Word) {
	for _, set := range nodeset.Fold(names, nodeset.Devices) {
		flags = append(flags, deploy.OnDevice(set))
	}
	return flags
}

// Over ends confirm or resume, named by what, if no device of the run is open. It prints the outcome.
func (s *Session) Over(l *journal.Log, devices []journal.Device, what, format string) error {
	logs, err := s.LaterRuns(l)
	if err != nil {
		return err
	}
	good := true
	back := map[string]bool{}
	for _, d := range devices {
		o := deploy.Outcome(l.OutcomeOf(d.Name))
		good = good && (o == deploy.Applied || o == deploy.Unchanged)
		if by := l.RolledBackBy(logs, d.Name); by != nil && !back[by.Run] {
			back[by.Run] = true
			good = good && what != "confirm" // who confirms wants to have it
		}
	}
	if format == "json" {
		TellClosed(s.Stdout, l, devices)
	} else {
		var text strings.Builder
		text.WriteString(countOutcomes(l, devices))
		for _, o := range logs {
			if back[o.Run] {
				text.WriteString(", rolled back by run " + o.Run)
			}
		}
		fmt.Fprintf(s.Stdout, "Run %s is over (%s). Nothing to %s.%s\n", l.Run, text.String(), what, HeldNow(l, logs, devices))
	}
	if !good {
		return exit.With(exit.Incomplete)
	}
	return nil
}

// countOutcomes returns "6 applied, 1 restored" for devices of a run.
func countOutcomes(l *journal.Log, devices []journal.Device) string {
	n := map[string]int{}
	for _, d := range devices {
		n[l.OutcomeOf(d.Name)]++
	}
	return view.OutcomesText(view.Run{Outcomes: n, Status: journal.Ended})
}

// HeldNow names the later run that wrote the present content of devices on which this run is undone.
func HeldNow(l *journal.Log, logs []*journal.Log, devices []journal.Device) string {
	by := map[string][]string{}
	for _, d := range devices {
		if o := deploy.Outcome(l.OutcomeOf(d.Name)); o != deploy.Reverted && o != deploy.Restored {
			continue
		}
		if w := journal.WriterOf(logs, d.Name); w != nil {
			by[w.Run] = append(by[w.Run], d.Name)
		}
	}
	var b strings.Builder
	for _, o := range logs {
		if names := by[o.Run]; len(names) > 0 {
			fmt.Fprintf(&b, " What %s now was written by run %s.", holdText(names), o.Run)
		}
	}
	return b.String()
}

func holdText(names []string) string {
	verb := "hold"
	if len(names) == 1 {
		verb = "holds"
	}
	return diag.Escape(nodeset.Text(names, nodeset.Devices, math.MaxInt)) + " " + verb
}

// DefaultParallel is the default number of devices that are changed at the same time.
const DefaultParallel = 8
