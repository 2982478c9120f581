package teamqueue

import (
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/diag"
)

// Admission is whether a wave may begin.
type Admission uint8

// The admissions.
const (
	Begin Admission = iota
	Wait            // for what the reason names
	Never           // neither this wave nor a later one begins
)

// Over reports whether no site does anything more for a run: each share is over or refused, or it never began and never will. A run that
// goes back is over when all sites have said so.
func (r *TeamRun) Over(now time.Time) bool {
	for _, s := range r.Shares {
		if s.Over.IsZero() && (r.Back != nil || !s.Taken.IsZero() || r.ended(now) == "") {
			return false
		}
	}
	return true
}

// ahead returns a run of the fabric that has to be over before; nil: there is no such run.
func (q *Queue) ahead(r *TeamRun, now time.Time) *TeamRun {
	for _, before := range q.fabrics[r.Fabric] {
		first := before.Epoch < r.Epoch && !overtakes(r, before) || r.Epoch < before.Epoch && overtakes(before, r)
		if first && !before.Over(now) {
			return before
		}
	}
	return nil
}

// overtakes reports whether a run is under way, and another one is not: the other one came late, such as with the line of its person.
func overtakes(r, late *TeamRun) bool {
	began := false
	for _, s := range r.Shares {
		if s.Taken.IsZero() {
			return false
		}
		began = began || len(s.Waves) > 0
	}
	return began && !slices.ContainsFunc(late.Shares, func(s *Share) bool { return !s.Taken.IsZero() })
}

// MayTake judges whether a site may take a run, or take it again after a person resumed it or rolled it back: it is the first one of its
// fabric that is not over. So a site has at most one run of a fabric. Since each run needs all of its sites, a hub that shows them
// different orders makes all of them wait.
func (q *Queue) MayTake(r *TeamRun, now time.Time, away func(site string) bool) (v Admission, why string) {
	if why := r.ended(now); why != "" && r.Back == nil {
		return Never, why
	}
	if before := q.ahead(r, now); before != nil {
		return Wait, before.isBefore(away)
	}
	return Begin, ""
}

// taken judges whether all sites have a run.
func (q *Queue) taken(r *TeamRun, now time.Time, away func(site string) bool) (v Admission, why string) {
	if before := q.ahead(r, now); before != nil {
		return Wait, before.isBefore(away)
	}
	for _, s := range r.Shares {
		if s.Taken.IsZero() {
			return Wait, fmt.Sprintf("the site %s has not taken the run%s", s.Site, awayOf(s.Site, away))
		}
	}
	return Begin, ""
}

// MayGoBack judges whether a site may undo its share of a run that a person rolled back: the last site begins.
func (q *Queue) MayGoBack(r *TeamRun, site string, now time.Time, away func(site string) bool) (v Admission, why string) {
	if v, why := q.taken(r, now, away); v != Begin {
		return v, why
	}
	for _, s := range slices.Backward(r.Shares) {
		if s.Site == site {
			break
		}
		if s.Over.IsZero() {
			return Wait, fmt.Sprintf("the site %s has not undone its share%s", s.Site, awayOf(s.Site, away))
		}
		if s.Outcome != statement.Complete {
			return Never, fmt.Sprintf("the site %s did not undo its share: %s", s.Site, s.Why)
		}
	}
	return Begin, ""
}

// ended returns why no further wave of the run begins; empty: nothing forbids it.
func (r *TeamRun) ended(now time.Time) string {
	if r.Back != nil {
		return r.Back.By + " rolled the run back"
	}
	if r.Withdrawn != "" {
		return r.Withdrawn + " withdrew the run"
	}
	for _, s := range r.Shares {
		switch {
		case s.Refused != "":
			return fmt.Sprintf("the site %s refuses the run: %s", s.Site, s.Refused)
		case s.Outcome != "" && s.Outcome != statement.Complete:
			return fmt.Sprintf("the share of the site %s ended as %s: %s", s.Site, s.Outcome, s.Why)
		}
		for n := s.First; n <= s.Last; n++ {
			if w := s.Waves[n]; w != nil && w.Outcome != "" && w.Outcome != statement.Complete {
				return fmt.Sprintf("wave %s ended as %s: %s", r.Plan.Terms.WaveName(n), w.Outcome, w.Why)
			}
		}
	}
	if !now.Before(r.Plan.Terms.Expires) {
		return "the plan was valid until " + r.Plan.Terms.Expires.Format(time.RFC3339)
	}
	return ""
}

// May reports whether a site may begin a wave of a run now. away reports whether a site is away; nil: it is not known.
func (q *Queue) May(r *TeamRun, wave int, now time.Time, away func(site string) bool) (v Admission, why string) {
	if why := r.ended(now); why != "" {
		return Never, why
	}
	if v, why := q.taken(r, now, away); v != Begin {
		return v, why
	}
	var last time.Time // the end of the wave before
	for _, s := range r.Shares {
		for n := s.First; n <= s.Last && n < wave; n++ {
			w := s.Waves[n]
			if w == nil || w.Outcome != statement.Complete {
				return Wait, fmt.Sprintf("wave %s is not over%s", r.Plan.Terms.WaveName(n), awayOf(s.Site, away))
			}
			last = w.Ended
		}
	}
	return r.held(wave, last, now)
}

// held judges the hold before a wave. Its time begins at the end of the wave before, or with the submission.
func (r *TeamRun) held(wave int, last, now time.Time) (v Admission, why string) {
	h := r.hold(wave)
	if h == nil || len(r.Approved[wave]) >= h.Approvals {
		return Begin, ""
	}
	if last.IsZero() {
		last = r.At
	}
	until := last.Add(time.Duration(h.WithinSeconds) * time.Second)
	if !now.Before(until) {
		return Never, fmt.Sprintf("wave %s was held for %s, and had %d by %s", r.Plan.Terms.WaveName(wave), diag.Count(h.Approvals, "approval"),
			len(r.Approved[wave]), until.Format(time.RFC3339))
	}
	return Wait, fmt.Sprintf("wave %s is held for %s and has %d, until %s", r.Plan.Terms.WaveName(wave), diag.Count(h.Approvals, "approval"),
		len(r.Approved[wave]), until.Format(time.RFC3339))
}

// isBefore states that a run is before another one.
func (r *TeamRun) isBefore(away func(string) bool) string {
	return fmt.Sprintf("the run %s of %s is before it%s", r.Name, r.By, awayText(r, away))
}

// awayText names the sites of a run that are away.
func awayText(r *TeamRun, away func(string) bool) string {
	for _, s := range r.Shares {
		if s.Over.IsZero() && away != nil && away(s.Site) {
			return awayOf(s.Site, away)
		}
	}
	return ""
}

func awayOf(site string, away func(string) bool) string {
	if away == nil || !away(site) {
		return ""
	}
	return "; the site " + site + " is away"
}
