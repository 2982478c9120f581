package site

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
)

// stopped is the outcome of a wave or a share that is not complete.
const stopped = "stopped"

// job is a run of the team, as a worker does it in one epoch.
type job struct {
	*teamqueue.TeamRun
	epoch uint64
	share *teamqueue.Share
	taken bool // in this epoch
	back  bool // it is undone

	vouched string // the site that vouches for the submission; empty: a line had the key
}

// errEpoch ends the work on a run that goes on in a newer epoch, or after an earlier run.
var errEpoch = errors.New("the run goes on in another epoch, or after an earlier run")

// work does the share of this site of all runs of a fabric, one after the other.
func (w *Worker) work(ctx context.Context, fabric string) error {
	for ctx.Err() == nil {
		w.mu.Lock()
		j, wake := w.next(fabric), w.wake
		w.mu.Unlock()
		if j == nil {
			_ = w.sleep(ctx, wake, retryTime)
			continue
		}
		err := w.do(ctx, j)
		if errors.Is(err, errEpoch) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next returns the first run that this site can take or has taken; nil: there is no such run. The caller holds the lock.
func (w *Worker) next(fabric string) *job {
	for _, r := range w.queue.Runs(fabric) {
		s := r.ShareOf(w.o.Site)
		if s == nil || !s.Over.IsZero() {
			continue
		}
		if s.Taken.IsZero() {
			if v, _ := w.queue.MayTake(r, w.o.Clock.Now(), nil); v != teamqueue.Begin {
				continue
			}
		}
		return &job{r, r.EpochAt(w.o.Site), s, !s.Taken.IsZero(), r.Back != nil, r.Vouched}
	}
	return nil
}

// tell makes a statement of this epoch about the run.
func (w *Worker) tell(ctx context.Context, j *job, st statement.Statement) error {
	st.Epoch = j.epoch
	return w.say(ctx, j.TeamRun, st)
}

// over ends the share.
func (w *Worker) over(ctx context.Context, j *job, outcome, why string) error {
	w.setWaits(j.Name, "")
	w.o.Log.Info("the share is over", "run", j.Name, "outcome", outcome, "why", why)
	return w.tell(ctx, j, statement.Statement{Verb: statement.Over, Outcome: outcome, Why: short(why), Head: w.head(j)})
}

// head returns the head of the newest journal of the run; empty: it has no journal.
func (w *Worker) head(j *job) string {
	logs, err := w.ofTeam()
	if err != nil {
		return ""
	}
	for _, l := range slices.Backward(logs) {
		if l.Team.Run != j.Name {
			continue
		}
		dir, err := w.o.Session(nil).Journals()
		if err != nil {
			return ""
		}
		if notices, _, err := dir.Notices(l.Run, 0); err == nil && len(notices) > 0 {
			return notices[len(notices)-1].Head
		}
	}
	return ""
}

// do does the share of a run, until it is over, ctx ends, or the run goes on in another epoch.
func (w *Worker) do(ctx context.Context, j *job) error {
	if !j.taken {
		if why := w.refuses(j); why != "" {
			return w.tell(ctx, j, statement.Statement{Verb: statement.Refused, Why: short(why)})
		}
		if err := w.tell(ctx, j, statement.Statement{Verb: statement.Taken}); err != nil {
			return err
		}
	}
	if j.back {
		return w.goBack(ctx, j)
	}
	if why, err := w.failed(j); err != nil || why != "" {
		return errors.Join(err, w.over(ctx, j, stopped, why))
	}
	first := w.firstWave(j)
	if first > 0 {
		if err := w.await(ctx, j, w.mayBegin(j, first)); err != nil {
			return w.ends(ctx, j, err)
		}
		results, err := w.carry(ctx, j)
		switch {
		case ctx.Err() != nil || results != nil && results.Interrupted:
			return ctx.Err()
		case err != nil:
			return w.ends(ctx, j, err)
		case !results.Complete() || results.Stopped != "":
			return w.ends(ctx, j, errors.New(stoppedText(results)))
		}
	}
	return w.settle(ctx, j)
}

// ends ends the share because of an error, unless the worker ends or the run goes on in another epoch.
func (w *Worker) ends(ctx context.Context, j *job, err error) error {
	w.mu.Lock()
	newer := j.EpochAt(w.o.Site) != j.epoch
	w.mu.Unlock()
	disk := (*diskError)(nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case newer || errors.Is(err, errEpoch):
		return errEpoch
	case errors.As(err, &disk):
		return err
	}
	return w.over(ctx, j, stopped, plain(err))
}

// stoppedText returns why a run is not complete.
func stoppedText(r *deploy.Results) string {
	if text := view.StoppedText(r); text != "" {
		return text
	}
	var names []string
	for _, d := range r.Devices {
		if d.Outcome != deploy.Applied && d.Outcome != deploy.Unchanged && d.Outcome != deploy.Unconfirmed || d.Cleanup != nil {
			names = append(names, d.Device.Name)
		}
	}
	return session.Nodes(names) + " is not as planned"
}

// refuses returns why this site does nothing for a run; empty: it takes it.
func (w *Worker) refuses(j *job) string {
	saved, s := j.Plan, w.o.Session(nil)
	switch {
	case j.back: // what is undone needs no right to begin
		return ""
	case j.vouched != "":
		return fmt.Sprintf("no line of the allowed signers here has the key %s, which submitted it (the site %s has taken it)", j.By, j.vouched)
	case !deploy.ValidRun(j.Name):
		return "the name of the run is not one that rocec gives"
	case saved.Tool != s.Rocec.Version:
		return fmt.Sprintf("rocec %q made the plan, and this site has rocec %q", saved.Tool, s.Rocec.Version)
	case len(s.Vars)+len(s.VarFiles) > 0:
		return "this site has variables of its own, and a plan of a team takes the files of the commit alone"
	}
	logs, err := w.ofTeam()
	if err != nil {
		return plain(err)
	}
	for _, l := range logs {
		if l.Team.Nonce == saved.Terms.Nonce && l.Team.Run != j.Name {
			return fmt.Sprintf("the plan was applied by the run %s already, and is good for one run", l.Team.Run)
		}
	}
	return ""
}

// failed returns why the share of this epoch has failed, by the journals: the site was stopped before it could say so. Empty: it has not.
func (w *Worker) failed(j *job) (string, error) {
	logs, err := w.ofTeam()
	if err != nil {
		return "", err
	}
	var names []string
	for _, l := range logs {
		if l.Team.Run != j.Name || l.Team.Epoch != j.epoch {
			continue
		}
		for _, d := range l.Devices {
			switch deploy.Outcome(l.OutcomeOf(d.Name)) {
			case deploy.Applied, deploy.Unchanged, deploy.Unconfirmed, deploy.NotStarted, "":
			default:
				if l.BegunOn(d.Name) {
					names = append(names, d.Name)
				}
			}
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return session.Nodes(names) + " is not as planned, by the journal of the site", nil
}

// firstWave returns the first wave of the share that is not complete; 0: all are.
func (w *Worker) firstWave(j *job) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := j.share.First; n <= j.share.Last; n++ {
		if wave := j.share.Waves[n]; wave == nil || wave.Outcome != statement.Complete {
			return n
		}
	}
	return 0
}

// mayBegin returns the question whether a wave may begin now. The lock is held when it is asked.
func (w *Worker) mayBegin(j *job, wave int) func() (teamqueue.Admission, string) {
	return func() (teamqueue.Admission, string) { return w.queue.May(j.TeamRun, wave, w.o.Clock.Now(), w.isAway) }
}

// await waits until something may begin. The error states why it never will. A statement names the reason to wait, each time that
// the reason changes.
func (w *Worker) await(ctx context.Context, j *job, may func() (teamqueue.Admission, string)) error {
	said := ""
	for {
		w.mu.Lock()
		v, why := may()
		newer, wake := j.EpochAt(w.o.Site) != j.epoch || w.behind(j), w.wake
		w.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case newer:
			return errEpoch
		case v == teamqueue.Begin:
			w.setWaits(j.Name, "")
			return nil
		case v == teamqueue.Never:
			return errors.New(why)
		case why != said:
			said = why
			w.setWaits(j.Name, why)
			if err := w.tell(ctx, j, statement.Statement{Verb: statement.Waits, Why: short(why)}); err != nil {
				return err
			}
			continue
		}
		if err := w.sleep(ctx, wake, retryTime); err != nil {
			return err
		}
	}
}

// behind reports whether another site has published the record of an earlier run of the fabric, and this one has begun no wave. The caller
// holds the lock.
func (w *Worker) behind(j *job) bool {
	next := w.next(j.Fabric)
	return len(j.share.Waves) == 0 && next != nil && next.Name != j.Name
}

// setWaits keeps what a run waits for, for the pages.
func (w *Worker) setWaits(run, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if why == "" {
		delete(w.status.Waits, run)
	} else {
		w.status.Waits[run] = why
	}
}

// carry changes the devices of the share that are left.
func (w *Worker) carry(ctx context.Context, j *job) (_ *deploy.Results, err error) {
	terms := j.Plan.Terms
	dir, err := w.folder(ctx, j.Fabric, terms.Commit)
	if err != nil {
		return nil, err
	}
	change := w.o.Change
	change.Approve, change.Message, change.Accept = true, terms.Message, change.Accept || j.Envelope.Accept
	if j.Envelope.Hold > 0 {
		change.Hold, change.HoldSet = time.Duration(j.Envelope.Hold)*time.Second, true
	}
	if err := change.Check(); err != nil {
		return nil, err
	}
	defer w.useLab()()
	s := w.o.Session(func(n journal.Notice) { w.noteRun(n.Run, j.Fabric, j.Name) })
	sh, err := session.OpenShare(ctx, s, &session.ShareOptions{
		ChangeOptions: change, Dir: dir, Fabric: j.Fabric, Commit: terms.Commit, Inputs: j.Plan.Inputs, Site: w.o.Site, Only: j.Plan.Targets,
		Rules: w.o.Rules, Plan: j.Plan,
	})
	if err != nil {
		return nil, err
	}
	defer sh.Close(&err)
	wanted, err := sh.Approvals()
	if err != nil {
		return nil, err
	}
	signers, err := w.o.Signers()
	if err != nil {
		return nil, err
	}
	agreement, err := savedplan.Verify(j.Envelope.Agreement, j.Plan, j.By, max(wanted, terms.Wants()), signers, w.o.Clock.Now())
	if err != nil {
		return nil, err
	}
	carry, ended := w.carrying(ctx, j)
	carry.Agreement = agreement
	results, err := sh.Apply(ctx, carry)
	return results, errors.Join(err, ended())
}

// carrying returns how the share is carried out. ended returns the error of the first statement that could not be made.
func (w *Worker) carrying(ctx context.Context, j *job) (c *session.Carry, ended func() error) {
	began := map[int]bool{}
	var mu sync.Mutex
	var first error
	c = &session.Carry{Saved: j.Plan, First: j.share.First, Waves: j.share.Last - j.share.First + 1, Team: w.team(j)}
	c.Await = func(ctx context.Context, wave int) error {
		if began[wave] { // a later part of the wave
			return nil
		}
		if err := w.await(ctx, j, w.mayBegin(j, wave)); err != nil {
			return err
		}
		began[wave] = true
		return w.tell(ctx, j, statement.Statement{Verb: statement.Began, Wave: wave})
	}
	c.Ended = func(wave int, devices []string, good bool, why string) {
		w.mu.Lock()
		have := j.share.Waves[wave]
		known := have != nil && have.Outcome == statement.Complete
		w.mu.Unlock()
		if known || !good && ctx.Err() != nil { // said before the worker was stopped, or it goes on with the wave later
			return
		}
		st := statement.Statement{Verb: statement.Ended, Wave: wave, Outcome: statement.Complete, Why: short(why)}
		st.Devices = session.Nodes(devices)
		if !good {
			st.Outcome = stopped
		}
		err := w.tell(ctx, j, st)
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = err
		}
	}
	return c, func() error {
		mu.Lock()
		defer mu.Unlock()
		return first
	}
}

// team names a run in the journal.
func (w *Worker) team(j *job) *journal.Team {
	t := &journal.Team{Run: j.Name, Digest: j.Digest, Nonce: j.Plan.Terms.Nonce, Epoch: j.epoch, Site: w.o.Site, By: j.By}
	for i := range j.Said {
		if j.Said[i].Number == j.epoch {
			t.By = j.Said[i].By
		}
	}
	return t
}
