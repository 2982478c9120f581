package pages

import (
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/lang/diag"
)

// OneRun is the document of a run. A reader gets no names of persons and no reasons.
type OneRun struct {
	FormatVersion string `json:"format_version"`
	Current       bool   `json:"current"`
	Trouble       string `json:"trouble,omitempty"`
	ListedRun
	Tool         string    `json:"tool"`   // version of rocec
	Digest       string    `json:"digest"` // SHA-256 of the submitted plan with its signatures
	Expires      time.Time `json:"expires"`
	Seconds      int       `json:"takes_seconds"` // as planned
	Message      string    `json:"message,omitempty"`
	Disrupts     []string  `json:"disrupts"`
	MoreDisrupts int       `json:"more_disrupts"`
	Shares       []Share   `json:"shares"` // in the order in which the sites work
	Said         []Said    `json:"said"`   // statements of persons, in their order
	MoreSaid     int       `json:"more_said"`
}

// Share is the part of a run that one site does.
type Share struct {
	Site      string       `json:"site"`
	Taken     *time.Time   `json:"taken,omitempty"`
	Refused   bool         `json:"refused"`
	Waits     bool         `json:"waits"`
	Outcome   string       `json:"outcome,omitempty"` // empty: it goes on
	Over      *time.Time   `json:"over,omitempty"`
	Why       string       `json:"why,omitempty"` // it refuses, waits or has ended
	Head      string       `json:"head,omitempty"`
	Waves     []ListedWave `json:"waves"`
	MoreWaves int          `json:"more_waves"`
}

// ListedWave is a wave of the plan.
type ListedWave struct {
	Number   int        `json:"number"`  // from 1 in the share, as in rocec approve --wave SITE/NUMBER
	Devices  string     `json:"devices"` // a nodeset
	Began    *time.Time `json:"began,omitempty"`
	Ended    *time.Time `json:"ended,omitempty"`
	Outcome  string     `json:"outcome,omitempty"`
	Why      string     `json:"why,omitempty"`
	Wanted   int        `json:"approvals_wanted"` // 0: it is not held
	Approved int        `json:"approvals"`
	By       []string   `json:"approved_by"`
}

// Said is a statement of a person about a run.
type Said struct {
	Verb string    `json:"verb"`
	Site string    `json:"site,omitempty"` // empty: all sites
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
}

// oneRun returns the document of a run.
func (v *view) oneRun(r *teamqueue.TeamRun) *OneRun {
	t := r.Plan.Terms
	out := &OneRun{
		FormatVersion: report.FormatVersion, ListedRun: v.run(r), Tool: diag.Escape(r.Plan.Tool), Digest: r.Digest, Expires: t.Expires.UTC(),
		Seconds: t.Takes, Message: v.person(t.Message), Disrupts: []string{}, Said: []Said{},
	}
	var disrupts []string
	disrupts, out.MoreDisrupts = cut(t.Disrupts, mostTexts)
	for _, text := range disrupts {
		out.Disrupts = append(out.Disrupts, diag.Escape(text))
	}
	for _, s := range r.Shares {
		out.Shares = append(out.Shares, v.share(r, s))
	}
	said := r.Said
	if len(said) > mostTexts {
		said, out.MoreSaid = said[len(said)-mostTexts:], len(said)-mostTexts
	}
	for i := range said {
		s := &said[i]
		out.Said = append(out.Said, Said{string(s.Verb), s.Site, s.At.UTC(), v.person(s.By)})
	}
	return out
}

func (v *view) share(r *teamqueue.TeamRun, s *teamqueue.Share) Share {
	out := Share{
		Site: s.Site, Taken: when(s.Taken), Refused: s.Refused != "", Waits: s.Waits != "", Outcome: s.Outcome, Over: when(s.Over),
		Head: s.Head, Waves: []ListedWave{},
	}
	for _, why := range []string{s.Refused, s.Waits, s.Why} {
		if why != "" {
			out.Why = v.person(why)
		}
	}
	for n := s.First; n <= s.Last; n++ {
		if len(out.Waves) == mostWaves {
			out.MoreWaves = s.Last - n + 1
			break
		}
		out.Waves = append(out.Waves, v.wave(r, s, n))
	}
	return out
}

func (v *view) wave(r *teamqueue.TeamRun, s *teamqueue.Share, n int) ListedWave {
	out := ListedWave{Number: n - s.First + 1, Devices: diag.Escape(r.Plan.Terms.Waves[n-1]), Approved: len(r.Approved[n]), By: []string{}}
	for _, h := range r.Plan.Terms.Holds {
		if h.Wave == n {
			out.Wanted = h.Approvals
		}
	}
	if v.full {
		for _, a := range r.Approved[n] {
			out.By = append(out.By, diag.Escape(a.Person))
		}
		slices.Sort(out.By)
	}
	if w := s.Waves[n]; w != nil {
		out.Began, out.Ended, out.Outcome, out.Why = when(w.Began), when(w.Ended), w.Outcome, v.person(w.Why)
		if w.Ended.IsZero() && !s.Over.IsZero() {
			out.Outcome, out.Why = string(ledger.Stopped), v.person(ledger.Unsaid)
		}
	}
	return out
}

// when returns a time for a document; nil: it has not come.
func when(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}
