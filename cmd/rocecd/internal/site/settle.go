package site

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy"
)

// recover ends what a worker that was killed had begun on devices, as rocec resume does. It needs no hub.
func (w *Worker) recover(ctx context.Context) error {
	logs, err := w.ofTeam()
	if err != nil {
		return err
	}
	for _, l := range logs {
		w.noteRun(l.Run, l.Name, l.Team.Run)
		if ctx.Err() != nil || l.Alive || len(openOf(l)) == 0 || l.Ended != nil && waiting(l) {
			continue
		}
		w.o.Log.Info("the site goes on with a run that was cut off", "run", l.Run)
		if err := w.goOn(ctx, l, (*session.OpenedRun).Resuming); err != nil && ctx.Err() == nil {
			w.o.Log.Error("the run could not go on", "run", l.Run, "error", err)
		}
	}
	return nil
}

// openOf returns the devices on which a run has begun and may not be over.
func openOf(l *journal.Log) (out []string) {
	for _, d := range l.Devices {
		if l.BegunOn(d.Name) && l.Open(d.Name) {
			out = append(out, d.Name)
		}
	}
	return out
}

// unsettled returns the devices that the run at index i left open, without those that a later one has brought to an end. The oldest run is
// the first.
func unsettled(logs []*journal.Log, i int) []string {
	return slices.DeleteFunc(openOf(logs[i]), func(name string) bool {
		return slices.ContainsFunc(logs[i+1:], func(l *journal.Log) bool { return l.BegunOn(name) && !l.Open(name) })
	})
}

// waiting reports whether all open devices of a run wait to be confirmed.
func waiting(l *journal.Log) bool {
	return !slices.ContainsFunc(openOf(l), func(name string) bool { return l.OutcomeOf(name) != string(deploy.Unconfirmed) })
}

// goOn goes on with a run of the journal.
func (w *Worker) goOn(ctx context.Context, l *journal.Log, how func(*session.OpenedRun, session.RunOptions) session.GoingOn) (err error) {
	defer w.useLab()()
	s := w.o.Session(func(n journal.Notice) { w.noteRun(n.Run, l.Name, l.Team.Run) })
	o := w.runOptions()
	r, err := s.OpenRun(ctx, l.Run, nil, "")
	if err != nil || len(r.Open) == 0 {
		return err
	}
	f, err := r.Connect()
	if err != nil {
		return err
	}
	defer f.Close(&err)
	g := how(r, o)
	_, err = r.GoOn(ctx, f, r.Open, &g)
	return err
}

func (w *Worker) runOptions() session.RunOptions {
	o := session.RunOptions{Format: w.o.Change.Format, Parallel: w.o.Change.Parallel}
	o.Hooks.Timeout = session.HookTime
	return o
}

// checkTime is how often a worker looks whether a person has confirmed a run at the machine of the site.
const checkTime = 5 * time.Second

// settle ends a share whose waves are complete. If its devices wait to be confirmed, it waits for a person.
func (w *Worker) settle(ctx context.Context, j *job) error {
	confirmed := uint64(0) // the number of the last statement that was obeyed
	asked := false         // after the time to confirm
	for said := ""; ; {
		logs, err := w.ofTeam()
		if err != nil {
			return err
		}
		logs = slices.DeleteFunc(logs, func(l *journal.Log) bool { return l.Team.Run != j.Name })
		open := map[*journal.Log][]string{}
		for i, l := range logs {
			if names := unsettled(logs, i); len(names) > 0 {
				open[l] = names
			}
		}
		logs = slices.DeleteFunc(logs, func(l *journal.Log) bool { return open[l] == nil })
		if len(logs) == 0 {
			if why, err := w.failed(j); err != nil || why != "" {
				return errors.Join(err, w.over(ctx, j, stopped, why))
			}
			return w.over(ctx, j, statement.Complete, "")
		}
		l := logs[0]
		w.mu.Lock()
		number, newer, wake := j.confirmed(w.o.Site), j.EpochAt(w.o.Site) != j.epoch, w.wake
		w.mu.Unlock()
		until := firstUndone(l)
		late := w.o.Clock.Now().After(until.Add(time.Minute))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case newer:
			return errEpoch
		case late && asked:
			return w.over(ctx, j, stopped, session.Nodes(open[l])+" was not confirmed in time, and it is not known what it holds")
		case number > confirmed || late:
			confirmed, asked = number, late
			how := (*session.OpenedRun).Resuming // finds what the devices have undone
			if !late {
				how = func(r *session.OpenedRun, o session.RunOptions) session.GoingOn {
					g, _, _ := r.Confirming(o)
					return g
				}
			}
			for _, l := range logs {
				if err := w.goOn(ctx, l, how); err != nil && ctx.Err() == nil {
					return w.ends(ctx, j, err)
				}
			}
			continue
		}
		if why := fmt.Sprintf("a person has to confirm the run until %s", until.UTC().Format(time.RFC3339)); why != said {
			said = why
			w.setWaits(j.Name, why)
			if err := w.tell(ctx, j, statement.Statement{Verb: statement.Waits, Why: why}); err != nil {
				return err
			}
			continue
		}
		if err := w.sleep(ctx, wake, checkTime); err != nil {
			return err
		}
	}
}

// firstUndone returns when the first device of a run undoes it, unless a person confirms the run.
func firstUndone(l *journal.Log) (until time.Time) {
	for _, o := range l.Outcomes {
		r, ok := o.Data()
		if at := o.Time.Add(time.Duration(r.Until) * time.Second); ok && r.Until > 0 && (until.IsZero() || at.Before(until)) {
			until = at
		}
	}
	if until.IsZero() {
		until = l.Began.Add(holdOf(l))
	}
	return until
}

func holdOf(l *journal.Log) time.Duration {
	hold, _ := time.ParseDuration(l.Hold) // no time: the run waits for no confirm
	return hold
}

// confirmed returns the number of the newest statement that confirms the run; 0: no person confirmed it. The caller holds the lock.
func (j *job) confirmed(site string) (number uint64) {
	for i := range j.Said {
		if s := &j.Said[i]; s.Verb == statement.Confirm && (s.Site == "" || s.Site == site) {
			number = s.Number
		}
	}
	return number
}

// goBack undoes the share of a run, the last one first, when the sites after this one have undone theirs.
func (w *Worker) goBack(ctx context.Context, j *job) error {
	may := func() (teamqueue.Admission, string) {
		return w.queue.MayGoBack(j.TeamRun, w.o.Site, w.o.Clock.Now(), w.isAway)
	}
	if err := w.await(ctx, j, may); err != nil {
		return w.ends(ctx, j, err)
	}
	logs, err := w.ofTeam()
	if err != nil {
		return err
	}
	for _, l := range slices.Backward(logs) {
		if l.Team.Run != j.Name || l.Undoes != "" {
			continue
		}
		o := &session.BackOptions{ChangeOptions: w.o.Change, Going: w.runOptions(), Team: w.team(j)}
		o.Approve, o.Message, o.Lab = true, j.Plan.Terms.Message, session.LabFlag(l.Lab)
		s := w.o.Session(func(n journal.Notice) { w.noteRun(n.Run, j.Fabric, j.Name) })
		end := w.useLab()
		err := session.Undo(ctx, s, l.Run, o, w.o.Rules)
		end()
		if err != nil {
			return w.ends(ctx, j, err)
		}
	}
	return w.over(ctx, j, statement.Complete, "the share is undone")
}
