package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) resumeCommand() *cobra.Command {
	o := runOptions{}
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "bring a run to its end that died or lost devices",
		Long: "Resume asks the devices of a run what they hold. A change that is in place and in use is kept, or still waits to be confirmed\n" +
			"where the run was an apply --confirm; one that is half way is undone, what was only prepared is taken away. Devices on which\n" +
			"the run is over are left alone. Devices that the run had not begun stay as they are: plan and apply again for those.\n" +
			"A run that another machine or user started is looked for on the devices of the fabric (-C DIR, --lab), and goes on only where\n" +
			"this fabric wants of them what the run was to do.",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.resume(cmd.Context(), args[0], o) },
	}
	o.flags(a, cmd)
	return cmd
}

// runOptions are the flags of the verbs that go on with a run.
type runOptions struct {
	format   string
	lab      labFlag
	parallel int
	only     []string
	hooks    hooks.Programs // --undrain
}

// hookTime is how long a program of --drain or --undrain may take where no flag states it.
const hookTime = 10 * time.Minute

func (o *runOptions) flags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", "text", "text, or json: one object a line")
	cmd.Flags().IntVar(&o.parallel, "parallel", 8, "devices at the same time")
	cmd.Flags().StringArrayVar(&o.hooks.Undrain, "undrain", nil, "the `program` that the run had as --undrain, to put back traffic that it "+
		"left off; again for each of its arguments")
	cmd.Flags().DurationVar(&o.hooks.Timeout, "hook-timeout", hookTime, "how long --undrain may take")
	labFlags(cmd, &o.lab)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
}

func (o *runOptions) check() error {
	if o.parallel < 1 {
		return exit.Fail(exit.Usage, "--parallel is at least 1")
	}
	if o.hooks.Timeout <= 0 {
		return exit.Fail(exit.Usage, "--hook-timeout is more than 0")
	}
	return choice("format", o.format, "text", "json")
}

// undrainOver puts back the traffic of a run that is over on all its devices. It reports whether all of it is back.
func (a *app) undrainOver(ctx context.Context, l *journal.Log, by *hooks.Programs) (back bool, err error) {
	if len(hooks.Owed(l)) == 0 {
		return true, nil
	}
	dir, err := a.journals()
	if err != nil {
		return false, err
	}
	log, err := dir.Reopen(l.Run, time.Now)
	if err != nil {
		return false, exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	back = a.hooks().PutBack(ctx, l, log, by)
	if err := log.Finish(); err != nil {
		return false, exit.Fail(exit.Machines, "the journal of run %s cannot be written: %v", l.Run, err)
	}
	return back, nil
}

// tellNothing ends a verb on a run that has done nothing.
func (a *app) tellNothing(l *journal.Log, devices []journal.Device, text, format string) {
	if format == "json" {
		a.tellClosed(l, devices)
		return
	}
	fmt.Fprintf(a.stdout, text+"\n", l.Run)
}

// openedRun is a run of the journal that a verb goes on with.
type openedRun struct {
	log     *journal.Log
	kept    target.Kept      // contents from before the run, and those that its steps are made of
	plan    *deploy.Plan     // of a run that another machine started: of its devices, as they were read; else nil
	devices []journal.Device // those of --target
	begun   []journal.Device // of these, those on which the run did anything
	open    []journal.Device // of these, those on which it may not be over
	connect func() (*fleet, error)
}

// keptOf gives the contents that lie beside the journal of a run.
func (a *app) keptOf(l *journal.Log) target.Kept {
	return func(sum string) ([]byte, error) {
		dir, err := a.journals()
		if err != nil {
			return nil, err
		}
		return dir.Before(l.Run, sum)
	}
}

// openRun reads the journal of a run and prepares the way to its devices.
func (a *app) openRun(ctx context.Context, name string, only []string, which labFlag) (*openedRun, error) {
	l, taken, err := a.takenUp(ctx, name, only, which)
	if err != nil {
		return nil, err
	}
	if l.Alive {
		return nil, exit.Fail(exit.Locked, "run %s still goes on: process %d on %s, by %s. End it there first (one Ctrl-C).",
			l.Run, l.PID, l.Host, view.Who(l.Owner))
	}
	if !(deploy.Run{Name: l.Run, Key: l.Key}).Valid() {
		return nil, exit.Fail(exit.Usage, "the journal of run %q was changed by hand: its name or key is none of rocec's", name)
	}
	if l.Newer() {
		return nil, exit.Fail(exit.Usage, "a later rocec (%s) wrote the journal of run %s. Use that one, or a later one. Nothing was changed.",
			diag.Escape(diag.Cut(l.Tool)), l.Run)
	}
	if why := badDevices(l); why != "" {
		return nil, changedByHand(l, why)
	}
	kept := a.keptOf(l)
	tree := &target.Tree{}
	if err := a.logins(l); err != nil {
		return nil, err
	}
	r := replay.Read(&l.Header, kept)
	for i := range l.Devices {
		tree.Devices = append(tree.Devices, r.Device(&l.Devices[i]))
	}
	tree, err = selectDevices(tree, only)
	if err != nil {
		return nil, err
	}
	devices := slices.DeleteFunc(slices.Clone(l.Devices), func(d journal.Device) bool {
		return !slices.ContainsFunc(tree.Devices, func(have *target.Device) bool { return have.Name == d.Name })
	})
	if l.Damaged > 0 {
		fmt.Fprintf(a.stderr, "note: %s of the journal of run %s could not be read, so every device it was for is asked.\n",
			diag.Count(l.Damaged, "line"), l.Run)
	}
	begun := slices.DeleteFunc(slices.Clone(devices), func(d journal.Device) bool { return !l.BegunOn(d.Name) })
	open := slices.DeleteFunc(slices.Clone(begun), func(d journal.Device) bool { return !l.Open(d.Name) })
	return &openedRun{l, kept, taken, devices, begun, open, func() (*fleet, error) {
		if l.Lab != "" {
			return a.openLab(l)
		}
		f := &fleet{tree: tree}
		return f, a.connect(f)
	}}, nil
}

func (a *app) resume(ctx context.Context, name string, o runOptions) (err error) {
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
		a.tellNothing(l, r.devices, "Run %s had begun on no device; nothing is to be done.", o.format)
		return nil
	}
	if len(r.open) == 0 {
		if back, err := a.undrainOver(ctx, l, &o.hooks); err != nil || !back {
			return cmp.Or[error](err, exit.With(exit.Incomplete))
		}
		return a.over(l, r.begun, "resume", o.format)
	}
	if err := a.sameFabric(r); err != nil {
		return err
	}
	f, err := r.connect()
	if err != nil {
		return err
	}
	defer f.close(&err)
	g := goingOn{verb: "resume", goal: txn.Keep, options: o}
	if l.Hold != "" {
		g.goal = txn.Hold // only a person confirms it
		if !slices.ContainsFunc(r.open, func(d journal.Device) bool { return l.OutcomeOf(d.Name) != string(deploy.Unconfirmed) }) {
			g.together = true // they were checked when the run ended, and are only asked
		}
	}
	results, err := a.goOn(ctx, r, f, r.open, &g)
	if err != nil {
		return err
	}
	n := len(r.devices) - len(r.begun)
	if l.Adopted != nil {
		n += len(l.Adopted.Absent)
	}
	if n > 0 && o.format == "text" && len(o.only) == 0 {
		fmt.Fprintf(a.stdout, "%s had not been begun. Plan again for those: %s\n", diag.Count(n, "device"),
			diag.Rocec("plan", diag.Path("DIR", l.Fabric)))
	}
	if results.Count(deploy.Unconfirmed) > 0 && !results.Interrupted {
		return exit.Fail(exit.Usage, "run %s waits to be confirmed. Keep it: %s. Go back: %s.", l.Run, deploy.RunCommand("confirm", l.Run),
			deploy.RunCommand("rollback", l.Run))
	}
	if err := outcome(results); err != nil || !g.drained {
		return err
	}
	return exit.With(exit.Incomplete)
}

// goingOn is how a run is gone on with.
type goingOn struct {
	verb     string
	goal     txn.Goal
	together bool           // keep all devices or none
	soak     *time.Duration // how long they must still hold; nil: what their steps say
	maxDark  int            // hosts that may be dark at the same time; 0: as many as in the run
	quiet    bool           // nothing is told: only the journal is brought up to date
	drained  bool           // afterwards: traffic of the run is still off
	options  runOptions
}

// goOn brings devices of a run to the goal and writes that into its journal.
func (a *app) goOn(ctx context.Context, r *openedRun, f *fleet, devices []journal.Device, g *goingOn) (*deploy.Results, error) {
	l := r.log
	plan := replay.Read(&l.Header, r.kept).Plan(devices)
	dir, err := a.journals()
	if err != nil {
		return nil, err
	}
	log, err := dir.Reopen(l.Run, time.Now)
	if err != nil {
		return nil, exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	e := reporting{view.Occasion{Verb: g.verb, Lab: l.Lab != ""}, g.options.format}
	tell := func(rollout.Event) {}
	end := func() {}
	if !g.quiet {
		show := a.showing(e, l.Run, len(devices))
		tell, end = show.event, show.end
	}
	if g.soak == nil && l.Lab != "" {
		g.soak = new(time.Second)
	}
	options := rollout.ApplyOptions{
		Run: deploy.Run{Name: l.Run, Key: l.Key, Owner: l.Owner, By: a.owner(), Keys: keysOf(l)}, Parallel: g.options.parallel, Soak: g.soak,
		Marks: l.Marks(), Together: g.together, Order: orderOf(l, plan, g.goal, g.maxDark),
		Sudo: a.sudo, Clock: rollout.Clock{Now: time.Now, Wait: time.After},
		Event: func(e rollout.Event) {
			if e.Result != nil {
				_ = log.Outcome(journalOutcome(e.Result))
			}
			tell(e)
		},
		Record: func(e rollout.Entry) error { return record(log, e) },
	}
	hasten(&options)
	a.admitOrder(options.Order)
	results, err := rollout.Resume(ctx, f.dial, plan, g.goal, options)
	end()
	if err != nil {
		return nil, err
	}
	g.drained = !a.hooks().PutBack(ctx, l, log, &g.options.hooks)
	if err := log.Finish(); err != nil {
		fmt.Fprintf(a.stderr, "rocec: the journal of run %s could not be written to its end: %s\n", l.Run, diag.Escape(err.Error()))
	}
	if !g.quiet {
		a.reportResults(results, e)
	}
	return results, nil
}
