package teamqueue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// Envelope is the body of a submission.
type Envelope struct {
	Plan      []byte             `json:"plan"` // the bytes of the plan file
	Agreement *journal.Agreement `json:"agreement,omitempty"`
	Hold      int                `json:"hold_seconds,omitempty"` // of --confirm; 0: changes are kept at once
	Accept    bool               `json:"accept_unverified,omitempty"`
}

// TeamRun is a run of the team.
type TeamRun struct {
	Name, Fabric string
	Number       uint64 // of the submission: the first epoch
	Epoch        uint64 // of the newest resume or rollback, or of the submission: its place in the queue of the fabric
	Digest       string // SHA-256 of the envelope
	By           string // the person who submitted it
	At           time.Time
	Plan         *deploy.Saved
	Envelope     *Envelope
	Shares       []*Share           // in the order in which the sites work
	Approved     map[int][]Approval // of waves that are held
	Said         []Said             // confirm, resume, rollback and withdraw, in their order
	Withdrawn    string             // who withdrew it; empty: no person
	Back         *Said              // the newest rollback; nil: no person rolled it back
	Vouched      string             // the site that vouches for the submission, as no line has its key any more; empty: a line has it
	rebuilt      bool               // what persons said comes from records of sites, before what sites said
	signed       journal.Signature  // of the submission
}

// Approval is the approval of a wave that is held.
type Approval struct {
	Person string
	At     time.Time
	signed journal.Signature
}

// Said is a statement of a person about a run.
type Said struct {
	statement.Statement
	Number uint64
	By     string
}

// Share is what one site does of a run.
type Share struct {
	Site        string
	First, Last int // its waves, from 1 in the order of the plan
	Taken       time.Time
	Refused     string // why; empty: it does not refuse
	Waits       string // for what; empty: it does not wait
	Waves       map[int]*Wave
	Outcome     string // of the whole share; empty: it goes on
	Why         string
	Over        time.Time
	Head        string // of the journal of the site
}

// Wave is how far a wave is.
type Wave struct {
	Began, Ended time.Time
	Outcome      string
	Devices      string
	Why          string
}

// newRun returns the run of a submission.
func newRun(number uint64, st *statement.Statement, by journal.Signature, body []byte) (*TeamRun, error) {
	var e Envelope
	if body == nil || json.Unmarshal(body, &e) != nil {
		return nil, errors.New("it has no plan")
	}
	plan, err := deploy.LoadPlan(bytes.NewReader(e.Plan))
	if err != nil {
		return nil, err
	}
	switch {
	case plan.Terms == nil || len(plan.Terms.Shares) == 0:
		return nil, errors.New("the plan names no sites: rocec plan --team makes a plan for a team")
	case plan.Terms.Name != st.Fabric:
		return nil, fmt.Errorf("the plan is of the fabric %q, not %q", plan.Terms.Name, st.Fabric)
	}
	r := &TeamRun{
		Name: st.Run, Fabric: st.Fabric, Number: number, Epoch: number, Digest: st.Digest, By: by.Person, At: st.At, Plan: plan,
		Envelope: &e, Approved: map[int][]Approval{}, signed: by,
	}
	wave := 1
	for _, s := range plan.Terms.Shares { // they split the waves, or LoadPlan would have refused the plan
		if !statement.Token(s.Site) {
			return nil, fmt.Errorf("a share of the plan names the site %q, and no site has such a name", diag.Cut(s.Site))
		}
		r.Shares = append(r.Shares, &Share{Site: s.Site, First: wave, Last: wave + s.Waves - 1, Waves: map[int]*Wave{}})
		wave += s.Waves
	}
	return r, nil
}

// approve takes an approval of a wave that is held. [journal.Signature.Same] decides who is another person, as it does for a plan.
func (r *TeamRun) approve(st *statement.Statement, signed journal.Signature) error {
	by, have := signed.Person, r.Approved[st.Wave]
	alias := func(of journal.Signature) string {
		if of.Person == by {
			return ""
		}
		return fmt.Sprintf(" (%s and %s have one key or name)", by, of.Person)
	}
	i := slices.IndexFunc(have, func(a Approval) bool { return a.signed.Same(signed) })
	switch {
	case r.hold(st.Wave) == nil:
		return fmt.Errorf("wave %d is not held", st.Wave)
	case r.signed.Same(signed):
		return fmt.Errorf("%s submitted the run, and so approves none of its waves%s", r.By, alias(r.signed))
	case i >= 0:
		return fmt.Errorf("%s has approved it already%s", have[i].Person, alias(have[i].signed))
	}
	r.Approved[st.Wave] = append(have, Approval{by, st.At, signed})
	return nil
}

// again makes the shares of a site, or of all sites, go on from the first wave that is not complete.
func (r *TeamRun) again(site string) {
	for _, s := range r.Shares {
		if site != "" && s.Site != site || s.Outcome == statement.Complete {
			continue
		}
		s.Refused, s.Outcome, s.Why, s.Over, s.Waits, s.Taken = "", "", "", time.Time{}, "", time.Time{}
		for n, w := range s.Waves {
			if w.Outcome != statement.Complete {
				delete(s.Waves, n)
			}
		}
	}
}

// shareOf returns the share that a statement of a site is about.
func shareOf(r *TeamRun, st *statement.Statement) (*Share, error) {
	s := r.share(st.Site)
	switch {
	case s == nil:
		return nil, fmt.Errorf("the site %q has no share of the run", st.Site)
	case st.Wave > 0 && (st.Wave < s.First || st.Wave > s.Last):
		return nil, fmt.Errorf("wave %d belongs to another site", st.Wave)
	}
	return s, nil
}

// stays reports whether a statement of an earlier epoch is that a wave is complete, where records of sites had the resume before it: a
// resume does not begin such a wave again.
func (r *TeamRun) stays(s *Share, st *statement.Statement) bool {
	return r.rebuilt && st.Verb == statement.Ended && st.Outcome == statement.Complete && r.Back == nil && r.Number <= st.Epoch &&
		st.Epoch < r.EpochAt(s.Site) && s.First <= st.Wave && st.Wave <= s.Last && s.Waves[st.Wave] == nil
}

// EpochAt returns the epoch of the newest resume or rollback for a site, or of the submission.
func (r *TeamRun) EpochAt(site string) uint64 {
	epoch := r.Number
	for i := range r.Said {
		if s := &r.Said[i]; (s.Verb == statement.Resume || s.Verb == statement.Rollback) && (s.Site == "" || s.Site == site) {
			epoch = s.Number
		}
	}
	return epoch
}

// share returns the share of a site; nil: it has no share.
func (r *TeamRun) share(site string) *Share {
	for _, s := range r.Shares {
		if s.Site == site {
			return s
		}
	}
	return nil
}

// ShareOf returns the share of a site; nil: it has no share.
func (r *TeamRun) ShareOf(site string) *Share { return r.share(site) }

// hold returns the hold before a wave; nil: it is not held.
func (r *TeamRun) hold(wave int) *deploy.TermHold {
	for i := range r.Plan.Terms.Holds {
		if h := &r.Plan.Terms.Holds[i]; h.Wave == wave {
			return h
		}
	}
	return nil
}
