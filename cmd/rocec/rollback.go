package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
)

func (a *app) rollbackCommand() *cobra.Command {
	var o rollbackOptions
	cmd := &cobra.Command{
		Use:   "rollback RUN",
		Short: "put back what was there before a run; shows its plan first",
		Long: "Rollback goes back from a run, on all its devices or on those of --target. Devices that still wait to be confirmed, or\n" +
			"are half way, are undone at once; on those that kept the change the content from before, which lies beside the journal of\n" +
			"the run, is written again by a run of its own. A device that somebody has changed since is refused, and nothing goes back until\n" +
			"it is left out. --min-capacity and --max-dark bind the devices that kept the change; of those undone at once, --max-dark\n" +
			"binds hosts. One that has undone the run is left alone: what it holds is of another run. The fabric is not needed where\n" +
			"the journal knows the run; one that another machine or user started is looked for on the devices of the fabric (-C DIR,\n" +
			"--lab), which keep the content from before. RUN may be last, the newest one; with -C DIR, of that fabric.",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.soakSet, o.holdSet = cmd.Flags().Changed("soak"), cmd.Flags().Changed("confirm")
			if err := errors.Join(o.leadOptions.check(a, args), o.orderOptions.check()); err != nil {
				return err
			}
			return a.rollback(cmd.Context(), args[0], o)
		},
	}
	o.leadFlags(a, cmd)
	o.ruleFlags(cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type rollbackOptions struct {
	leadOptions
	orderOptions
	only []string
}

// goingOn are the flags as those of the verbs that go on with a run.
func (o *rollbackOptions) goingOn() runOptions {
	return runOptions{format: o.format, parallel: o.parallel, hooks: hooks.Programs{Undrain: o.undrain, Timeout: o.hookTime}}
}

// backs sorts the devices of a run that is to be gone back from.
type backs struct {
	over   []journal.Device   // the run is undone there: by the device, by rocec, or by a rollback
	asks   []journal.Device   // it is, and the journal does not know yet
	open   []journal.Device   // it is neither kept nor undone: the device undoes it
	loose  []journal.Device   // what became of it there is not known, and a later run may have written what is there
	kept   deploy.Plan        // it was kept: a run of its own writes what was there before
	order  *deploy.Order      // of going back on those
	barred bool               // another run keeps those from going back
	seq    *sequence.Sequence // the same in the fabric as it is; nil: that cannot be read any more
	reader *replay.Reader     // of the journal

	elsewhere map[string]deploy.RunMark // by device: the run by which another machine went back from the run
}

func (a *app) rollback(ctx context.Context, name string, o rollbackOptions) (err error) {
	r, err := a.openRun(ctx, name, o.only, o.lab)
	if err != nil {
		return err
	}
	l := r.log
	if len(hooks.Owed(l)) > 0 { // else the flag is of the way back alone
		if err := hooks.Same(l, o.undrain); err != nil {
			return err
		}
	}
	unasked := unaskedOf(l)
	if len(o.only) > 0 {
		unasked = nil
	}
	o.lab = labFlag(l.Lab)
	dir, err := a.journals()
	if err != nil {
		return err
	}
	logs, err := a.laterRuns(l)
	if err != nil {
		return err
	}
	var b backs
	var devices []journal.Device
	for _, d := range r.begun {
		o := deploy.Outcome(l.OutcomeOf(d.Name))
		if !l.Open(d.Name) && o != deploy.Applied && o != deploy.Conflict || l.RolledBackBy(logs, d.Name) != nil {
			b.over = append(b.over, d)
		} else {
			devices = append(devices, d)
		}
	}
	if len(devices) == 0 {
		return a.nothingBack(l, logs, &b, o.format)
	}
	f, err := r.connect()
	if err != nil {
		return err
	}
	defer f.close(&err)
	b.reader = replay.Read(&l.Header, r.kept)
	f.tree = b.reader.Back(devices)
	plan := a.compareForChange(ctx, f)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	for i, d := range plan.Devices {
		b.sort(d, devices[i], l, logs)
	}
	if err := a.wentBack(l, &b); err != nil {
		return err
	}
	if len(b.asks) > 0 { // what they have undone is written down, and what is left of it there goes
		g := goingOn{verb: "rollback", goal: txn.Back, quiet: true, options: o.goingOn()}
		if _, err := a.goOn(ctx, r, f, b.asks, &g); err != nil {
			return err
		}
		if l, err = dir.Read(l.Run); err != nil {
			return exit.Fail(exit.Machines, "the journal of run %s: %v", r.log.Run, err)
		}
		r.log = l
		b.over = append(b.over, b.asks...)
	}
	if len(b.open)+len(b.kept.Devices) == 0 {
		return a.nothingBack(l, logs, &b, o.format)
	}
	b.seq, b.order = a.backSequence(l, &b.kept, o)
	if b.seq != nil {
		a.readLocks(ctx, f, &b.kept, b.seq)
	}
	if o.format == "text" {
		a.planBack(l, logs, &b, o)
	}
	if len(b.open) == 0 && b.kept.Empty() {
		return a.nothingToDo(&b.kept, o.format)
	}
	if b.seq == nil && slices.ContainsFunc(b.order.Waves, func(w *deploy.Wave) bool { return !w.Stream }) {
		a.say("not judged: which hosts are cut off meanwhile, and whether other runs hold devices beside these. The fabric of run %s cannot be "+
			"read as it was.", l.Run)
	}
	if !b.kept.Empty() {
		if err := a.barred(nil, l.Fabric, f, &b.kept, b.seq, l.Run, &o.leadOptions); err != nil {
			if len(b.open) == 0 {
				return err
			}
			b.barred = true // going back from the devices that the run holds is never barred
		}
	}
	if b.seq != nil && len(b.seq.Refused) > 0 {
		p := &diag.Printer{Color: a.paints(a.stderr), Width: a.width(a.stderr)}
		p.Print(a.stderr, b.seq.Refusals()) //nolint:errcheck // a closed terminal has nobody to tell
		return exit.With(exit.Errors)
	}
	if b.seq == nil && o.given() && slices.ContainsFunc(b.order.Waves, func(w *deploy.Wave) bool { return !w.Stream }) {
		return exit.Fail(exit.Usage, "--min-capacity and --max-dark cannot be kept: the fabric of run %s cannot be read as it was, so the ways "+
			"between hosts are not known. Nothing was changed. Leave the flags out, or restore the fabric in %s", l.Run, l.Fabric)
	}
	if s := b.kept.Summary(); s.Unreachable+s.Refused+len(unasked) > o.maxFailures {
		return exit.Fail(exit.Machines, "%s cannot go back. Nothing was changed. Leave them out with --target, or go on without them "+
			"with --max-failures %d.",
			diag.Count(s.Unreachable+s.Refused+len(unasked), "device"), s.Unreachable+s.Refused+len(unasked))
	}
	if !o.approve {
		if err := a.ask(ctx, fmt.Sprintf("Go back on %s?", diag.Count(len(b.open)+b.kept.Summary().Change, "device")), "yes"); err != nil {
			return err
		}
	}
	return a.goBack(ctx, r, f, &b, o)
}

// goBack does what was planned.
func (a *app) goBack(ctx context.Context, r *openedRun, f *fleet, b *backs, o rollbackOptions) error {
	l := r.log
	var first error
	if len(b.open) > 0 {
		g := goingOn{verb: "rollback", goal: txn.Back, maxDark: o.maxDark, options: o.goingOn()}
		results, err := a.goOn(ctx, r, f, b.open, &g)
		if err != nil {
			return err
		}
		if first = undone(results); first == nil && g.drained {
			first = exit.With(exit.Incomplete)
		}
	}
	if b.kept.Empty() || ctx.Err() != nil {
		return first
	}
	if b.barred {
		return exit.Fail(exit.Locked, "the devices that kept run %s stay as they are: another run holds devices beside them", l.Run)
	}
	results, err := a.lead(ctx, lead{
		leadOptions: o.leadOptions, order: b.order, hooks: o.programs(), fabric: l.Fabric, name: l.Name, only: o.only,
		undoes: l.Run, devices: f, plan: &b.kept, kept: r.kept,
	})
	if err != nil {
		return err
	}
	return cmp.Or(outcome(results), first)
}

// sort says what is to be done on a device that was read. That its files hold what the run wrote decides nothing: a later run may
// have written the same.
func (b *backs) sort(d *deploy.DevicePlan, jd journal.Device, l *journal.Log, logs []*journal.Log) {
	there, mark := markOn(d, l.Run)
	by := slices.IndexFunc(d.Over, func(r deploy.RunMark) bool { return r.Undoes == l.Run })
	refused := d.Err != nil && d.Err.Kind == deploy.Journal
	began := l.Marks()[jd.Name]
	switch {
	case refused && d.Err.None && !there && mark == txn.Absent && (began == txn.Absent || began == txn.Prepared):
		b.asks = append(b.asks, jd) // it was changed by nothing, and has kept nothing
	case refused: // nothing is done to it, nor to others until it is left out
		b.kept.Devices = append(b.kept.Devices, d)
	case by >= 0 && !there:
		if b.elsewhere == nil {
			b.elsewhere = map[string]deploy.RunMark{}
		}
		b.elsewhere[jd.Name] = d.Over[by]
		b.over = append(b.over, jd)
	case there && mark == txn.Undone:
		b.asks = append(b.asks, jd)
	case there && mark != txn.Confirmed:
		b.open = append(b.open, jd)
	case there || d.Err != nil || l.OutcomeOf(jd.Name) == string(deploy.Applied) || mark == txn.Confirmed:
		b.kept.Devices = append(b.kept.Devices, d)
	case mark == txn.Undone || mark == txn.Prepared:
		b.asks = append(b.asks, jd)
	case journal.WriterOf(logs, jd.Name) != nil:
		b.loose = append(b.loose, jd)
	default:
		b.kept.Devices = append(b.kept.Devices, d)
	}
}

// wentBack writes into the journal of a run that another machine has gone back from it.
func (a *app) wentBack(l *journal.Log, b *backs) error {
	if len(b.elsewhere) == 0 {
		return nil
	}
	dir, err := a.journals()
	if err != nil {
		return err
	}
	log, err := dir.Reopen(l.Run, time.Now)
	if err != nil {
		return exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	for _, name := range slices.Sorted(maps.Keys(b.elsewhere)) {
		by := b.elsewhere[name]
		err = errors.Join(err, log.Result(journal.Line{
			Device: name, Verb: journal.BackVerb, Result: "ok", Detail: "Rolled back by run " + by.Run + " of " + by.Who + ".",
		}))
	}
	if err = errors.Join(err, log.Finish()); err != nil {
		return exit.Fail(exit.Machines, "the journal of run %s cannot be written: %v", l.Run, err)
	}
	return nil
}

// markOn is how far a run came on a device, and whether it has its lock or folder there still.
func markOn(d *deploy.DevicePlan, run string) (there bool, mark txn.Mark) {
	if d.Lock != nil && d.Lock.Txn == run {
		return true, d.Lock.Mark
	}
	for _, r := range d.Runs {
		if r.Run == run {
			return true, r.Mark
		}
	}
	for _, r := range d.Over {
		if r.Run == run {
			mark = r.Mark
		}
	}
	return false, mark
}

func namesOf(devices []journal.Device) string {
	var names []string
	for _, d := range devices {
		names = append(names, d.Name)
	}
	return diag.Escape(nodeset.Text(names, nodeset.Devices, math.MaxInt))
}

// nothingBack ends a rollback where the run is undone on every device. Where another run wrote what they hold now, the person
// may mean that.
func (a *app) nothingBack(l *journal.Log, logs []*journal.Log, b *backs, format string) error {
	devices := slices.Concat(b.over, b.loose)
	if len(devices) == 0 {
		fmt.Fprintf(a.stdout, "Run %s had begun on no device; nothing is to be done.\n", l.Run)
		return nil
	}
	if format == "json" {
		a.tellClosed(l, devices)
	}
	text := a.overText(l, logs, b)
	var writer *journal.Log
	for _, d := range devices {
		if w := journal.WriterOf(logs, d.Name); w != nil && (writer == nil || w.Began.After(writer.Began)) {
			writer = w
		}
	}
	switch {
	case writer == nil || writer.Undoes == l.Run && len(b.loose) == 0:
		if format == "text" {
			fmt.Fprintln(a.fitted(a.stdout), text+" Nothing to go back from.")
		}
		return nil
	default:
		return exit.Fail(exit.Usage, "%s What the devices hold was written by run %s. To go back from that: %s", text, writer.Run,
			deploy.RunCommand("rollback", writer.Run))
	}
}

// overText says on which devices a run is undone, and by whom.
func (a *app) overText(l *journal.Log, logs []*journal.Log, b *backs) string {
	by := map[string][]journal.Device{}
	var stories []string
	add := func(story string, d journal.Device) {
		if len(by[story]) == 0 {
			stories = append(stories, story)
		}
		by[story] = append(by[story], d)
	}
	for _, d := range b.over {
		switch o := deploy.Outcome(l.OutcomeOf(d.Name)); {
		case b.elsewhere[d.Name].Run != "":
			by := b.elsewhere[d.Name]
			add("was rolled back by run "+by.Run+" of "+diag.Escape(by.Who)+" on %s.", d)
		case l.RolledBackBy(logs, d.Name) != nil:
			add("was rolled back by run "+l.RolledBackBy(logs, d.Name).Run+" on %s.", d)
		case o == deploy.Reverted:
			add("was not confirmed, and is undone on %s.", d)
		case o == deploy.Restored:
			add("is undone on %s.", d)
		case o == deploy.Conflict:
			add("is undone on %s, but for files that others changed.", d)
		case o.Closed():
			add("changed nothing on %s ("+string(o)+").", d)
		default:
			add("is over on %s, and what became of it there is not known.", d)
		}
	}
	for _, d := range b.loose {
		add("is over on %s, and whether it was kept there is not known.", d)
	}
	var parts []string
	for _, s := range stories {
		parts = append(parts, fmt.Sprintf("Run %s "+s, l.Run, namesOf(by[s])))
	}
	return strings.Join(parts, " ")
}

// planBack shows what a rollback is about to do.
func (a *app) planBack(l *journal.Log, logs []*journal.Log, b *backs, o rollbackOptions) {
	if len(b.over)+len(b.loose) > 0 {
		w := a.fitted(a.stdout)
		fmt.Fprintf(w, "%s These stay as they are.\n\n", a.overText(l, logs, b))
	}
	if len(b.open) > 0 {
		a.planOpen(l, b, o)
	}
	if len(b.kept.Devices) > 0 {
		v := a.planView(l.Fabric, o.Options)
		v.Sequence, v.Own, v.ShowSteps = b.seq, l.Run, true
		v.Notes = map[string]string{}
		for i := range l.Devices {
			v.Notes[l.Devices[i].Name] = otherRocec(b.reader, l, &l.Devices[i])
		}
		v.Print(&b.kept)
	}
}

// undone is the exit status of a run that was to be undone: good where it holds what was there before.
func undone(r *deploy.Results) error {
	e := view.Occasion{Verb: "rollback"}
	for _, d := range r.Devices {
		if !e.Good(d) {
			return exit.With(exit.Incomplete)
		}
	}
	if r.Interrupted {
		return exit.With(exit.Interrupted)
	}
	return nil
}
