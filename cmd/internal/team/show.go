package team

import (
	"context"
	"fmt"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/device"
)

// ShowOptions are the runs that a person wants to see: one of them is set, or none for all.
type ShowOptions struct {
	Run    string
	Follow string // a run, until it is over
	Device string // the runs that change it
}

// check refuses options that do not go together.
func (o *ShowOptions) check(format string) error {
	switch {
	case format == "md":
		return exit.Fail(exit.Usage, "--format md is the record of one run on this machine: leave out --team, --follow and --device")
	case o.Follow != "" && o.Device != "", o.Run != "" && o.Follow+o.Device != "":
		return exit.Fail(exit.Usage, "runs shows one of these: RUN, --follow RUN, or --device NAME")
	}
	return nil
}

// Show shows runs of the team.
func (t *Client) Show(ctx context.Context, o *ShowOptions) error {
	if err := o.check(t.Format); err != nil {
		return err
	}
	fabric := "" // all
	if t.Dir != "" {
		f, err := t.LoadGood(t.Dir)
		if err != nil {
			return err
		}
		fabric = f.Fabric.Name
	}
	l := t.Ledger(fabric)
	switch {
	case o.Device != "":
		return Device(ctx, t.Session, l, o.Device, t.Format)
	case o.Follow != "":
		return Follow(ctx, t.Session, l, &FollowOptions{Run: o.Follow, Format: t.Format, Team: true})
	}
	return t.runs(ctx, l, o.Run)
}

// Show shows runs of this machine: those of a device, or the events of one.
func Show(ctx context.Context, s *session.Session, clock device.Clock, format string, o *ShowOptions) error {
	if err := o.check(format); err != nil {
		return err
	}
	dir, err := s.Journals()
	if err != nil {
		return err
	}
	files := &ledger.Files{Dir: dir, Clock: clock}
	if o.Device != "" {
		return Device(ctx, s, files, o.Device, format)
	}
	s.Ending.OnDevices() // the first signal ends the follower
	return Follow(ctx, s, files, &FollowOptions{Run: o.Follow, Format: format})
}

// runs prints the queue of a team: all runs, or one.
func (t *Client) runs(ctx context.Context, l *ledger.Stream, name string) error {
	r, err := l.Read(ctx)
	if err != nil {
		return hubError(err)
	}
	list := l.List(r)
	if name != "" {
		one, err := list.Find(name)
		if err != nil {
			return noRun(name, true, err)
		}
		list.Runs = []ledger.RunSummary{*one}
	}
	if t.Format == "json" {
		return t.WriteJSON(RunsDocument{report.FormatVersion, "", *list})
	}
	if name != "" {
		t.printRun(&list.Runs[0])
	} else {
		printRuns(t.Screen(), list, "No run was submitted to this hub.")
	}
	if r.AwayWhy != nil {
		t.Say("It is not known which sites are away: %s.", diag.Escape(r.AwayWhy.Error()))
	}
	t.leftOut(list)
	return nil
}

// leftOut reports messages that could not be used.
func (t *Client) leftOut(l *ledger.List) {
	if l.After > 0 {
		t.Say("The messages of the hub up to number %d are not read, as there are too many: older runs are missing here.", l.After)
	}
	if l.Ignored == 0 || len(l.Rejected) == 0 {
		return
	}
	var why []string
	if l.Unsigned > 0 {
		why = append(why, fmt.Sprintf("no allowed signer signed %d", l.Unsigned))
	}
	if n := l.Ignored - l.Unsigned; n > 0 {
		why = append(why, fmt.Sprintf("%d %s not fit", n, diag.Plural(n, "does", "do")))
	}
	last := l.Rejected[len(l.Rejected)-1]
	t.Say("%s of the hub %s nothing: %s. The newest is number %d (%s): %s.", diag.Count(l.Ignored, "message"),
		diag.Plural(l.Ignored, "changes", "change"), diag.And(why), last.Number, diag.Escape(last.Subject), diag.Escape(last.Why))
}

// Device prints the runs that change a device.
func Device(ctx context.Context, s *session.Session, l ledger.Ledger, device, format string) error {
	list, err := l.Device(ctx, device)
	if err != nil {
		if _, team := l.(*ledger.Stream); team {
			return hubError(err)
		}
		return exit.Fail(exit.Machines, "the journals of runs cannot be read: %v", err)
	}
	if format == "json" {
		return s.WriteJSON(RunsDocument{report.FormatVersion, device, *list})
	}
	printRuns(s.Screen(), list, "No run changes "+diag.Escape(device)+".")
	if n := list.Ignored; n > 0 {
		s.Say("%s of the record cannot be used.", diag.Count(n, "part"))
	}
	return nil
}
