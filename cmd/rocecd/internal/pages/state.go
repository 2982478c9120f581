package pages

import (
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
)

// RunState is the state of a run in one word.
type RunState string

// The states. Those after Undoing are ends.
const (
	Waiting   RunState = "waiting"   // no wave is under way
	Working   RunState = "working"   // a wave is under way
	Undoing   RunState = "undoing"   // a person rolled it back, and a site is not done
	Complete  RunState = "complete"  // every device has the settings of the plan
	Stopped   RunState = "stopped"   // a wave or a site failed
	Refused   RunState = "refused"   // a site refuses it
	Withdrawn RunState = "withdrawn" // by a person
	Expired   RunState = "expired"   // the plan was valid for too short a time
	Undone    RunState = "undone"    // a person rolled it back, and all sites are done
)

// States has all states.
var States = []RunState{Waiting, Working, Undoing, Complete, Stopped, Refused, Withdrawn, Expired, Undone}

// Over reports whether the state is an end.
func (s RunState) Over() bool { return s != Waiting && s != Working && s != Undoing }

// stateOf returns the state of a run, and why it is in it.
func stateOf(q *teamqueue.Queue, r *teamqueue.TeamRun, now time.Time, away func(string) bool) (state RunState, why string) {
	if r.Over(now) {
		return endOf(r)
	}
	if r.Back != nil {
		for _, s := range r.Shares {
			if s.Waits != "" {
				return Undoing, fmt.Sprintf("the site %s: %s", s.Site, s.Waits)
			}
		}
		return Undoing, ""
	}
	for _, s := range r.Shares {
		for n := s.First; n <= s.Last; n++ {
			if w := s.Waves[n]; w != nil && !w.Began.IsZero() && w.Outcome == "" {
				return Working, fmt.Sprintf("wave %d of the site %s is under way", n, s.Site)
			}
		}
	}
	return Waiting, waitsFor(q, r, now, away)
}

// waitsFor returns what a run waits for that has no wave under way.
func waitsFor(q *teamqueue.Queue, r *teamqueue.TeamRun, now time.Time, away func(string) bool) string {
	for _, s := range r.Shares {
		for n := s.First; n <= s.Last; n++ {
			if w := s.Waves[n]; w != nil && w.Outcome == statement.Complete {
				continue
			}
			if v, why := q.May(r, n, now, away); v != teamqueue.Begin {
				return why
			}
			return fmt.Sprintf("the site %s has not begun wave %d", s.Site, n)
		}
	}
	for _, s := range r.Shares {
		if s.Waits != "" {
			return fmt.Sprintf("the site %s: %s", s.Site, s.Waits)
		}
	}
	return "all waves are complete, and a site has not ended its share"
}

// endOf returns how a run has ended.
func endOf(r *teamqueue.TeamRun) (state RunState, why string) {
	complete, begun := true, false
	for _, s := range r.Shares {
		complete, begun = complete && s.Outcome == statement.Complete, begun || len(s.Waves) > 0
		if !complete && why == "" && s.Why != "" {
			why = fmt.Sprintf("the site %s: %s", s.Site, s.Why)
		}
	}
	switch {
	case complete && r.Back != nil:
		return Undone, r.Back.By + " rolled the run back"
	case complete:
		return Complete, ""
	case r.Back != nil:
		return Stopped, why
	}
	for _, s := range r.Shares {
		if s.Refused != "" {
			return Refused, fmt.Sprintf("the site %s: %s", s.Site, s.Refused)
		}
	}
	switch {
	case r.Withdrawn != "":
		return Withdrawn, r.Withdrawn + " withdrew the run"
	case !begun && why == "":
		return Expired, "the plan was valid until " + r.Plan.Terms.Expires.UTC().Format(time.RFC3339)
	}
	return Stopped, why
}
