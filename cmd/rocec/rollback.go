package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

func rollbackCommand(a *app) *cobra.Command {
	var o rollbackOptions
	cmd := &cobra.Command{
		Use:   "rollback RUN",
		Short: "restore the content from before a run, after showing the plan",
		Long: "Rollback undoes a run, on all its devices or those of --target. Devices that wait to be confirmed, or are half way, are\n" +
			"undone at once. For devices that kept the change, a new run restores the content from before, which the journal keeps. Rollback\n" +
			"refuses if a device was changed since; leave that device out. --min-capacity and --max-dark limit the restored devices; of devices\n" +
			"undone at once, --max-dark limits hosts. A device that has already undone the run is not touched. If the journal has the run,\n" +
			"rollback does not need the fabric. For a run of another machine or user, it asks the devices of the fabric (-C DIR, --lab), which\n" +
			"keep the content from before. RUN may be last, the newest run (with -C DIR: of that fabric).\n\n" +
			"With --team the sites of a run undo it, the last site first.",
		Example: "  rocec rollback last\n" +
			"  rocec rollback last --target leaf01",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.SoakSet, o.HoldSet = cmd.Flags().Changed("soak"), cmd.Flags().Changed("confirm")
			if err := errors.Join(o.ChangeOptions.Check(), o.orderOptions.check()); err != nil {
				return err
			}
			says := saysOfTeam(cmd, &o.team, statement.Rollback, args[0], o.Approve)
			if done, err := ofTeam(a, cmd, args, &o.team, o.Format, says, "format", "auto-approve"); done {
				return err
			}
			return a.rollback(cmd.Context(), args[0], o)
		},
	}
	leadFlags(cmd, &o.ChangeOptions)
	o.ruleFlags(a, cmd)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	followFlags(cmd, &o.team)
	offerRuns(a, cmd)
	return cmd
}

type rollbackOptions struct {
	session.ChangeOptions
	orderOptions
	only []string
	team teamOptions
}

// goingOn returns the flags of a rollback as the options that confirm, resume and rollback share.
func (o *rollbackOptions) goingOn() session.RunOptions {
	return session.RunOptions{Format: o.Format, Parallel: o.Parallel, Hooks: hooks.Programs{Undrain: o.Undrain, Timeout: o.HookTime}}
}

func (a *app) rollback(ctx context.Context, name string, o rollbackOptions) (err error) {
	r, err := a.OpenRun(ctx, name, o.only, o.Lab)
	if err != nil {
		return err
	}
	l := r.Log
	if len(hooks.Owed(l)) > 0 { // otherwise --undrain is only for the rollback
		if err := hooks.Same(l, o.Undrain); err != nil {
			return err
		}
	}
	unasked := session.UnaskedOf(l)
	if len(o.only) > 0 {
		unasked = nil
	}
	o.Lab = session.LabFlag(l.Lab)
	logs, err := a.LaterRuns(l)
	if err != nil {
		return err
	}
	b, devices := r.Undoable(logs)
	if len(devices) == 0 {
		return a.nothingBack(l, logs, b, o.Format)
	}
	f, err := r.Connect()
	if err != nil {
		return err
	}
	defer f.Close(&err)
	if err := r.ReadBack(ctx, f, b, devices, logs, o.goingOn()); err != nil {
		return err
	}
	l = r.Log
	if len(b.Open)+len(b.Kept.Devices) == 0 {
		return a.nothingBack(l, logs, b, o.Format)
	}
	b.Seq, b.Order = a.BackSequence(l, &b.Kept, o.maxDark, o.rules(o.Parallel, o.SoakTime()))
	if b.Seq != nil {
		f.ReadLocks(ctx, &b.Kept, b.Seq)
	}
	if o.Format == "text" {
		a.planBack(l, logs, b, o)
	}
	if len(b.Open) == 0 && b.Kept.Empty() {
		return a.NothingToDo(&b.Kept, o.Format)
	}
	if b.Seq == nil && slices.ContainsFunc(b.Order.Waves, func(w *deploy.Wave) bool { return !w.Stream }) {
		a.Say("not checked: hosts that are cut off meanwhile, and locks of other runs on neighbours. The fabric of run %s cannot be "+
			"read as it was.", l.Run)
	}
	if !b.Kept.Empty() {
		if err := f.Barred(nil, l.Fabric, &b.Kept, b.Seq, l.Run, &o.ChangeOptions); err != nil {
			if len(b.Open) == 0 {
				return err
			}
			// Undoing devices that the run still holds is always allowed.
			b.Barred = exit.Fail(exit.Locked, "the devices that kept run %s were not rolled back: another run holds neighbours of these devices",
				l.Run)
		} else if err := session.Permitted(a.Session, nil, o.Message, o.Lab != ""); err != nil {
			if len(b.Open) == 0 {
				return err
			}
			b.Barred = exit.Fail(exit.Errors, "the devices that kept run %s were not rolled back: the policy does not allow a new run",
				l.Run)
		}
	}
	if b.Seq != nil && len(b.Seq.Refused) > 0 {
		p := &diag.Printer{Color: a.Paints(a.Stderr), Width: a.Width(a.Stderr)}
		p.Print(a.Stderr, b.Seq.Refusals()) //nolint:errcheck // a closed terminal cannot show the error
		return exit.With(exit.Errors)
	}
	if b.Seq == nil && o.given() && slices.ContainsFunc(b.Order.Waves, func(w *deploy.Wave) bool { return !w.Stream }) {
		return exit.Fail(exit.Usage, "--min-capacity and --max-dark cannot be kept: the fabric of run %s cannot be read as it was, so the paths "+
			"between hosts are unknown. Nothing was changed. Leave the flags out, or restore the fabric in %s", l.Run, l.Fabric)
	}
	if s := b.Kept.Summary(); s.Unreachable+s.Refused+len(unasked) > o.MaxFailures {
		return exit.Fail(exit.Machines, "%s cannot be rolled back. Nothing was changed. Leave them out with --target, or go on without them "+
			"with --max-failures %d.",
			diag.Count(s.Unreachable+s.Refused+len(unasked), "device"), s.Unreachable+s.Refused+len(unasked))
	}
	if !o.Approve {
		question := fmt.Sprintf("Go back from run %s of fabric %s on %s?", l.Run, diag.Escape(l.Name),
			diag.Count(len(b.Open)+b.Kept.Summary().Change, "device"))
		if err := a.Ask(ctx, question, "yes"); err != nil {
			return err
		}
	}
	return r.GoBack(ctx, f, b, &session.BackOptions{
		ChangeOptions: o.ChangeOptions, Going: o.goingOn(), MaxDark: o.maxDark, Only: o.only,
	})
}

// nothingBack ends a rollback of a run that is undone on every device. If another run wrote the present content of the devices, it names
// that run, which the person may mean.
func (a *app) nothingBack(l *journal.Log, logs []*journal.Log, b *session.WayBack, format string) error {
	devices := slices.Concat(b.Over, b.Unsure)
	if len(devices) == 0 {
		fmt.Fprintf(a.Stdout, "Run %s had begun on no device; there is nothing to do.\n", l.Run)
		return nil
	}
	if format == "json" {
		session.TellClosed(a.Stdout, l, devices)
	}
	text := b.OverText(l, logs)
	var writer *journal.Log
	for _, d := range devices {
		if w := journal.WriterOf(logs, d.Name); w != nil && (writer == nil || w.Began.After(writer.Began)) {
			writer = w
		}
	}
	switch {
	case writer == nil || writer.Undoes == l.Run && len(b.Unsure) == 0:
		if format == "text" {
			fmt.Fprintln(a.Fitted(a.Stdout), text+" There is nothing to roll back.")
		}
		return nil
	default:
		return exit.Fail(exit.Usage, "%s Run %s wrote the present content of the devices. To roll that back: %s", text, writer.Run,
			deploy.RunCommand("rollback", writer.Run))
	}
}

// planBack shows the changes that a rollback is about to make.
func (a *app) planBack(l *journal.Log, logs []*journal.Log, b *session.WayBack, o rollbackOptions) {
	a.Screen().RunHead(l)
	if len(b.Over)+len(b.Unsure) > 0 {
		w := a.Fitted(a.Stdout)
		fmt.Fprintf(w, "%s These stay as they are.\n\n", b.OverText(l, logs))
	}
	if len(b.Open) > 0 {
		a.Screen().Undoing(b.Undoings(l), o.Parallel, o.Diff)
	}
	if len(b.Kept.Devices) > 0 {
		v := a.planView(l.Fabric, o.Options)
		v.Sequence, v.Own, v.ShowSteps = b.Seq, l.Run, true
		v.Notes = map[string]string{}
		for i := range l.Devices {
			v.Notes[l.Devices[i].Name] = session.OtherRocec(b.Reader, l, &l.Devices[i])
		}
		v.Print(&b.Kept)
	}
}
