package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy"
)

// at is the queue of a team at a time.
type at struct {
	queue *teamqueue.Queue
	now   time.Time
	away  func(site string) bool // nil: not known
}

// States has the states of a run of a team.
var States = []State{
	Waits, Held, Running, Unconfirmed, GoingBack, Complete, RolledBack, Stopped, Refused, Withdrawn, Expired,
}

// StateOf derives how far a run of a team is, with the reason for its wait or its end. away is nil where that is not known.
func StateOf(q *teamqueue.Queue, t *teamqueue.TeamRun, now time.Time, away func(site string) bool) (State, string) {
	return (&at{q, now, away}).state(t)
}

// Unsaid is the reason of a wave that is over without a statement of its site: the site was killed in it, and did not go on with it.
const Unsaid = "the site ended its share without an outcome of the wave"

// run returns a run of the team.
func (q *at) run(t *teamqueue.TeamRun) RunSummary {
	r := RunSummary{
		Run: t.Name, Fabric: t.Fabric, By: t.By, Began: t.At, Message: bound(t.Plan.Terms.Message), Commit: bound(t.Plan.Terms.Commit),
		Over: t.Over(q.now),
	}
	r.State, r.Why = q.state(t)
	r.Why = bound(r.Why)
	for _, s := range t.Shares {
		r.Sites = append(r.Sites, q.share(t, s))
	}
	return r
}

// state derives how far a run is, with the reason for its wait or its end.
func (q *at) state(t *teamqueue.TeamRun) (State, string) {
	open := slices.IndexFunc(t.Shares, func(s *teamqueue.Share) bool { return s.Outcome != statement.Complete })
	if t.Back != nil {
		return q.back(t)
	}
	if open < 0 {
		return Complete, ""
	}
	v, why := q.queue.MayTake(t, q.now, q.away)
	switch v {
	case teamqueue.Never:
		return q.ended(t, why)
	case teamqueue.Wait:
		return Waits, why
	}
	n, s := firstOpen(t)
	if s == nil {
		return q.settling(t, t.Shares[open])
	}
	if w := s.Waves[n]; w != nil && !w.Began.IsZero() {
		return Running, fmt.Sprintf("wave %s is under way since %s%s", nameOf(s, n), w.Began.Format(time.RFC3339), q.awayText(s.Site))
	}
	switch v, why := q.queue.May(t, n, q.now, q.away); {
	case v == teamqueue.Never:
		return q.ended(t, why)
	case v == teamqueue.Wait && !slices.ContainsFunc(t.Shares, func(s *teamqueue.Share) bool { return s.Taken.IsZero() }):
		return Held, fmt.Sprintf("%s (%s)", why, nameOf(s, n))
	case v == teamqueue.Wait:
		return Waits, why
	}
	if s.Waits != "" {
		return Waits, fmt.Sprintf("the site %s waits: %s%s", s.Site, s.Waits, q.awayText(s.Site))
	}
	return Running, fmt.Sprintf("wave %s may begin%s", nameOf(s, n), q.awayText(s.Site))
}

// back derives the state of a run that a person rolled back.
func (q *at) back(t *teamqueue.TeamRun) (State, string) {
	by := t.Back.By + " rolled the run back"
	for _, s := range slices.Backward(t.Shares) {
		switch {
		case s.Over.IsZero():
			if v, why := q.queue.MayGoBack(t, s.Site, q.now, q.away); v != teamqueue.Begin {
				return GoingBack, by + "; " + why
			}
			return GoingBack, fmt.Sprintf("%s; the site %s undoes its share%s", by, s.Site, q.awayText(s.Site))
		case s.Outcome != statement.Complete:
			return Stopped, fmt.Sprintf("%s, and the site %s did not undo its share: %s", by, s.Site, cmp.Or(s.Why, s.Refused))
		}
	}
	return RolledBack, by
}

// ended derives the state of a run of which no further wave begins.
func (q *at) ended(t *teamqueue.TeamRun, why string) (State, string) {
	for _, s := range t.Shares {
		if s.Over.IsZero() && !s.Taken.IsZero() {
			why += fmt.Sprintf("; the site %s has not ended its share yet%s", s.Site, q.awayText(s.Site))
		}
	}
	stopped := func(s *teamqueue.Share) bool {
		if s.Outcome != "" && s.Outcome != statement.Complete {
			return true
		}
		for _, w := range s.Waves {
			if w.Outcome != "" && w.Outcome != statement.Complete {
				return true
			}
		}
		return false
	}
	switch {
	case t.Withdrawn != "":
		return Withdrawn, why
	case slices.ContainsFunc(t.Shares, func(s *teamqueue.Share) bool { return s.Refused != "" }):
		return Refused, why
	case slices.ContainsFunc(t.Shares, stopped) || q.now.Before(t.Plan.Terms.Expires):
		return Stopped, why // by a wave, or as a hold was not lifted in time
	}
	return Expired, why
}

// settling derives the state of a run whose waves are all complete. s is a share that is not over.
func (q *at) settling(t *teamqueue.TeamRun, s *teamqueue.Share) (State, string) {
	for _, said := range slices.Backward(t.Said) {
		if said.Verb == statement.Confirm && (said.Site == "" || said.Site == s.Site) {
			why := fmt.Sprintf("%s confirmed the run, and the site %s has not ended its share yet", said.By, s.Site)
			if s.Waits != "" {
				why += " (" + s.Waits + ")"
			}
			return Running, why + q.awayText(s.Site)
		}
	}
	if t.Envelope.Hold > 0 {
		return Unconfirmed, fmt.Sprintf("the site %s waits: %s%s", s.Site, cmp.Or(s.Waits, "a person has to confirm the run"), q.awayText(s.Site))
	}
	return Running, fmt.Sprintf("the site %s has not ended its share yet%s", s.Site, q.awayText(s.Site))
}

// firstOpen returns the first wave that is not complete, and its share; nil: all waves are complete.
func firstOpen(t *teamqueue.TeamRun) (int, *teamqueue.Share) {
	for _, s := range t.Shares {
		for n := s.First; n <= s.Last; n++ {
			if w := s.Waves[n]; w == nil || w.Outcome != statement.Complete {
				return n, s
			}
		}
	}
	return 0, nil
}

// nameOf returns the name of a wave by its number in the plan, as a person writes it: dc1/2.
func nameOf(s *teamqueue.Share, wave int) string { return fmt.Sprintf("%s/%d", s.Site, wave-s.First+1) }

func (q *at) isAway(site string) bool { return q.away != nil && q.away(site) }

func (q *at) awayText(site string) string {
	if !q.isAway(site) {
		return ""
	}
	return "; the site " + site + " is away"
}

// share returns the part of a run that a site does.
func (q *at) share(t *teamqueue.TeamRun, s *teamqueue.Share) Share {
	out := Share{Site: s.Site, Journal: s.Head, Away: q.isAway(s.Site), Waves: []RunWave{}}
	switch {
	case s.Refused != "":
		out.State, out.Why = Refused, s.Refused
	case s.Outcome == statement.Complete && t.Back != nil:
		out.State = RolledBack
	case s.Outcome == statement.Complete:
		out.State = Complete
	case s.Outcome != "":
		out.State, out.Why = Stopped, s.Why
	case t.Back != nil:
		out.State = GoingBack
	case s.Taken.IsZero():
		out.State = Waits
	default:
		out.State, out.Why = Running, s.Waits
		if s.Waits != "" {
			out.State = Waits
		}
	}
	out.Why = bound(out.Why)
	for n := s.First; n <= s.Last; n++ {
		out.Waves = append(out.Waves, waveOf(t, s, n))
	}
	return out
}

// waveOf returns a wave of a share by its number in the plan.
func waveOf(t *teamqueue.TeamRun, s *teamqueue.Share, n int) RunWave {
	out := RunWave{Wave: n - s.First + 1, Devices: bound(t.Plan.Terms.Waves[n-1]), State: Waits}
	for _, h := range t.Plan.Terms.Holds {
		if h.Wave == n {
			out.Wanted = h.Approvals
		}
	}
	for _, a := range t.Approved[n] {
		out.Approved = append(out.Approved, a.Person)
	}
	w := s.Waves[n]
	if w == nil {
		return out
	}
	if !w.Began.IsZero() {
		out.Began, out.State = &w.Began, Running
	}
	if w.Ended.IsZero() && !s.Over.IsZero() {
		out.State, out.Why = Stopped, Unsaid
	}
	if !w.Ended.IsZero() {
		out.Ended, out.State = &w.Ended, Complete
		if w.Outcome != statement.Complete {
			out.State, out.Why = Stopped, bound(w.Why)
		}
	}
	return out
}

// outcome returns the outcome of a device by signed statements alone; empty: the run does not change the device.
func (q *at) outcome(t *teamqueue.TeamRun, device string) string {
	for _, s := range t.Shares {
		for n := s.First; n <= s.Last; n++ {
			names, err := teamplan.Names(t.Plan.Terms.Waves[n-1])
			if err != nil || !slices.Contains(names, device) {
				continue
			}
			w := s.Waves[n]
			switch {
			case w == nil || w.Began.IsZero() && w.Outcome == "":
				return string(deploy.NotStarted)
			case t.Back != nil && s.Outcome == statement.Complete:
				return string(deploy.Restored)
			case w.Outcome == "" && !s.Over.IsZero():
				return string(deploy.Unknown)
			case w.Outcome == "":
				return journal.UnderWay
			case w.Outcome != statement.Complete:
				return w.Outcome
			case t.Envelope.Hold > 0 && s.Outcome != statement.Complete:
				return string(deploy.Unconfirmed)
			}
			return string(deploy.Applied)
		}
	}
	return ""
}
