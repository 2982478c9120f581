package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

// Files is the ledger of the runs of this machine.
type Files struct {
	Dir   *journal.Dir
	Clock device.Clock
}

var _ Ledger = &Files{}

// Runs reads all journals.
func (f *Files) Runs(context.Context) (*List, error) {
	logs, unreadable, err := f.Dir.Runs()
	if err != nil {
		return nil, err
	}
	out := &List{Runs: []RunSummary{}, Ignored: len(unreadable)}
	for _, u := range unreadable {
		out.Rejected = append(out.Rejected, Message{Subject: u.Name, Why: bound(u.Err.Error())})
	}
	for _, l := range logs {
		out.Runs = append(out.Runs, ofLog(l, logs, f.Clock.Now()))
	}
	return out, nil
}

// Device reads all journals, and returns those that have a device.
func (f *Files) Device(_ context.Context, device string) (*List, error) {
	logs, unreadable, err := f.Dir.Runs()
	if err != nil {
		return nil, err
	}
	out := &List{Runs: []RunSummary{}, Ignored: len(unreadable)}
	for _, u := range unreadable {
		out.Rejected = append(out.Rejected, Message{Subject: u.Name, Why: bound(u.Err.Error())})
	}
	for _, l := range logs {
		if slices.ContainsFunc(l.Devices, func(d journal.Device) bool { return d.Name == device }) {
			r := ofLog(l, logs, f.Clock.Now())
			r.Outcome = l.OutcomeOf(device)
			out.Runs = append(out.Runs, r)
		}
	}
	return out, nil
}

// ofLog returns the run of a journal. logs has all runs.
func ofLog(l *journal.Log, logs []*journal.Log, now time.Time) RunSummary {
	r := RunSummary{
		Run: l.Run, Fabric: bound(l.Name), By: bound(l.Owner), Began: l.Began, Message: bound(l.Message), Commit: bound(l.Commit),
		Lab: l.Lab != "", Over: !l.Alive,
	}
	if l.Undoes != "" && r.Message == "" {
		r.Message = "rollback of " + l.Undoes
	}
	s := Share{Waves: wavesOf(l)}
	if t := l.Team; t != nil {
		s.Site, r.By = t.Site, bound(cmp.Or(t.By, l.Owner)) // the owner is the process of the site
	}
	r.State, r.Why = stateOfLog(l, logs, now)
	s.State, s.Why = r.State, r.Why
	r.Sites = []Share{s}
	return r
}

// stateOfLog returns how far a run is by its journal.
func stateOfLog(l *journal.Log, logs []*journal.Log, now time.Time) (State, string) {
	var waits, failed []string
	back, expired := len(l.Devices) > 0, false
	for _, d := range l.Devices {
		back = back && l.RolledBackBy(logs, d.Name) != nil
		switch deploy.Outcome(l.OutcomeOf(d.Name)) {
		case deploy.Applied, deploy.Unchanged:
		case deploy.Unconfirmed:
			waits = append(waits, d.Name)
			expired = expired || l.Outcomes[d.Name].Expired(now)
		default:
			failed = append(failed, d.Name)
		}
	}
	switch {
	case l.Status() == journal.Running:
		return Running, ""
	case l.Status() == journal.Died:
		return Died, "its process has ended before the run was over"
	case back:
		return RolledBack, ""
	case len(failed) > 0:
		return Stopped, nodes(failed) + " is not as planned"
	case expired:
		return Unconfirmed, "the time to confirm is over: " + deploy.RunCommand("resume", l.Run) + " asks the devices"
	case len(waits) > 0:
		return Unconfirmed, nodes(waits) + " waits to be confirmed"
	}
	return Complete, ""
}

// wavesOf returns the waves of a journal, as the header has them.
func wavesOf(l *journal.Log) []RunWave {
	of := map[int][]string{}
	out := []RunWave{}
	for _, d := range l.Devices {
		if of[d.Wave] == nil {
			out = append(out, RunWave{Wave: d.Wave})
		}
		of[d.Wave] = append(of[d.Wave], d.Name)
	}
	slices.SortFunc(out, func(a, b RunWave) int { return cmp.Compare(a.Wave, b.Wave) })
	for i := range out {
		w := &out[i]
		w.Devices, w.State = nodes(of[w.Wave]), Complete
		var failed []string
		for _, name := range of[w.Wave] {
			switch o := l.OutcomeOf(name); o {
			case string(deploy.Applied), string(deploy.Unchanged), string(deploy.Unconfirmed):
			case journal.UnderWay, journal.Waiting:
				w.State = Running
			case string(deploy.NotStarted):
				w.State = Waits
			default:
				failed = append(failed, name+" is "+o)
			}
		}
		if len(failed) > 0 {
			w.State, w.Why = Stopped, bound(fmt.Sprint(failed))
		}
	}
	return out
}

// nodes returns names as a nodeset.
func nodes(names []string) string {
	names = slices.Clone(names)
	slices.SortFunc(names, nodeset.Compare)
	return bound(nodeset.Text(names, nodeset.Devices, math.MaxInt))
}

// lookTime is how often a follower looks for new lines.
const lookTime = time.Second

// Follow reads the journal of a run until its process has ended.
func (f *Files) Follow(ctx context.Context, run string, use func(*RunSummary, *Event) error) error {
	list, err := f.Runs(ctx)
	if err != nil {
		return err
	}
	r, err := list.Find(run)
	if err != nil {
		return err
	}
	for after := 0; ; {
		l, err := f.Dir.Read(r.Run) // before its lines: so none is missing when it has ended
		if errors.Is(err, fs.ErrNotExist) {
			return ErrNoRun
		}
		if err != nil {
			return err
		}
		notices, lines, err := f.Dir.Notices(r.Run, after)
		if err != nil {
			return err
		}
		now := ofLog(l, nil, f.Clock.Now())
		for i := range notices {
			if err := use(&now, ofNotice(&notices[i], "")); err != nil {
				return err
			}
		}
		if after = lines; !l.Alive {
			return use(&now, nil)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.Clock.Wait(lookTime):
		}
	}
}

// ofNotice returns the event of a line of a journal.
func ofNotice(n *journal.Notice, site string) *Event {
	e := &Event{
		At: n.Time, Event: bound(n.Event), Site: site, By: bound(n.Owner), Wave: n.Wave, Device: bound(n.Device), Verb: bound(n.Verb),
		Done: n.Done, Outcome: bound(cmp.Or(n.Outcome, n.Result)),
	}
	return e
}
