// Package teamqueue has the [Queue] of a team: the runs that persons submitted, in the order of the stream, with what persons and sites say
// about each.
//
// Each reader folds the same messages, and verifies each by its own allowed signers. So a site, a person and a page see the same queue, and
// none of them trusts the hub. A message that does not verify changes nothing, and is counted with its reason.
package teamqueue

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/targets/deploy"
)

// Envelope is the body of a submission.
type Envelope struct {
	Plan      []byte             `json:"plan"` // the bytes of the plan file
	Agreement *journal.Agreement `json:"agreement,omitempty"`
	Hold      int                `json:"hold_seconds,omitempty"` // of --confirm; 0: changes are kept at once
	Accept    bool               `json:"accept_unverified,omitempty"`
}

// Queue is the queue of all fabrics of a team.
type Queue struct {
	signers  *sshsig.Signers
	runs     map[string]*TeamRun // by name
	fabrics  map[string][]*TeamRun
	nonces   map[string]bool // of statements of persons
	counted  map[identity]bool
	unfit    map[identity]int // how often a signed statement came and did not fit
	last     uint64
	Dropped  Dropped
	Rejected []Rejected // the newest ones
}

// Rejected is a message that changed nothing.
type Rejected struct {
	Number uint64
	What   string // its subject
	Why    string
	of     identity
}

// Dropped counts the messages that changed nothing. It leaves out doubles of statements that count: a hub gets
// doubles when it is rebuilt, and keeps them.
type Dropped struct {
	Unsigned int // without the signature of an allowed signer
	Unfit    int // with one, and about another thing than the queue has
}

// identity is the SHA-256 of the author and the text of a statement. A message that is not verified has the zero value.
type identity [sha256.Size]byte

func identityOf(author, text string) identity { return sha256.Sum256([]byte(author + "\n" + text)) }

// mostRejected bounds the messages that are kept with their reasons.
const mostRejected = 200

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

// New returns an empty queue, whose messages the signers must have signed.
func New(signers *sshsig.Signers) *Queue {
	return &Queue{
		signers: signers, runs: map[string]*TeamRun{}, fabrics: map[string][]*TeamRun{}, nonces: map[string]bool{},
		counted: map[identity]bool{}, unfit: map[identity]int{},
	}
}

// Own takes a statement that this site has made, before the hub has it. So a site knows its own waves while the hub is away.
func (q *Queue) Own(st *statement.Statement) error { return q.site(st) }

// Kinds are the kinds of messages that a queue takes.
var Kinds = []broker.Kind{broker.Submit, broker.Say, broker.Wave, broker.Record}

// Take adds a message. The error states why it changes nothing, as part of a sentence.
//
// A statement can come before its run, and once more after that, as when a hub is rebuilt. Then it counts, and the first message is the
// double.
func (q *Queue) Take(m *broker.Message) error {
	id, err := q.take(m)
	switch {
	case err == nil:
		q.counted[id] = true
		q.Dropped.Unfit -= q.unfit[id]
		delete(q.unfit, id)
		q.Rejected = slices.DeleteFunc(q.Rejected, func(r Rejected) bool { return r.of == id })
		return nil
	case q.counted[id]:
		return err
	case id == identity{}:
		q.Dropped.Unsigned++
	default:
		q.Dropped.Unfit++
		q.unfit[id]++
	}
	q.Rejected = append(q.Rejected, Rejected{m.Number, m.Filter(), err.Error(), id})
	q.Rejected = q.Rejected[max(0, len(q.Rejected)-mostRejected):]
	return err
}

func (q *Queue) take(m *broker.Message) (identity, error) {
	if m.Number <= q.last {
		return identity{}, fmt.Errorf("the number %d is not above %d: the store of the hub is older than the messages that came before", m.Number,
			q.last)
	}
	q.last = m.Number
	if m.Kind != broker.Record {
		_, id, err := q.fold(m)
		return id, err
	}
	of, err := OpenRecord(m, q.signers)
	if err != nil {
		return identity{}, err
	}
	run, id, err := q.fold(of)
	if err == nil {
		q.runs[run].rebuilt = true
	}
	return id, err
}

// fold adds a message that has its number and time from the stream, or from the record of a site. It returns the run.
func (q *Queue) fold(m *broker.Message) (run string, id identity, err error) {
	var signed statement.Signed
	if err := json.Unmarshal(m.Data, &signed); err != nil {
		return "", id, errors.New("it is no signed statement")
	}
	st, author, err := signed.Open(q.signers, m.At)
	if err != nil {
		return "", id, err
	}
	id = identityOf(author, signed.Text)
	if st.Fabric != m.Fabric || m.Run != "" && st.Run != m.Run || m.Site != "" && st.Site != m.Site {
		return "", id, fmt.Errorf("the statement is about %s %s %s, and its subject about another one", st.Fabric, st.Run, st.Site)
	}
	if !st.Verb.OfSite() {
		key := author + " " + st.Nonce
		if q.nonces[key] {
			return "", id, errors.New("the statement came before")
		}
		if err := st.Fits(statement.Want{Now: m.At}); err != nil { // a replay has an old time
			return "", id, err
		}
		q.nonces[key] = true
	}
	by := journal.Signature{Person: author, Signature: signed.Signature}
	switch {
	case m.Kind == broker.Submit && st.Verb == statement.Submit:
		return st.Run, id, q.submit(m.Number, st, by, signed.Body)
	case m.Kind == broker.Say && !st.Verb.OfSite() && st.Verb != statement.Ask && st.Verb != statement.Submit:
		return st.Run, id, q.say(m.Number, st, by)
	case m.Kind == broker.Wave && st.Verb.OfSite():
		return st.Run, id, q.site(st)
	}
	return "", id, fmt.Errorf("a statement %q does not belong into %s", st.Verb, m.Kind)
}

// submit adds a run.
func (q *Queue) submit(number uint64, st *statement.Statement, by journal.Signature, body []byte) error {
	if q.runs[st.Run] != nil {
		return fmt.Errorf("there is a run %s already", st.Run)
	}
	var e Envelope
	if body == nil || json.Unmarshal(body, &e) != nil {
		return errors.New("it has no plan")
	}
	plan, err := deploy.LoadPlan(bytes.NewReader(e.Plan))
	if err != nil {
		return err
	}
	switch {
	case plan.Terms == nil || len(plan.Terms.Shares) == 0:
		return errors.New("the plan names no sites: rocec plan --team makes a plan for a team")
	case plan.Terms.Name != st.Fabric:
		return fmt.Errorf("the plan is of the fabric %q, not %q", plan.Terms.Name, st.Fabric)
	}
	r := &TeamRun{
		Name: st.Run, Fabric: st.Fabric, Number: number, Epoch: number, Digest: st.Digest, By: by.Person, At: st.At, Plan: plan,
		Envelope: &e, Approved: map[int][]Approval{}, signed: by,
	}
	wave := 1
	for _, s := range plan.Terms.Shares { // they split the waves, or LoadPlan would have refused the plan
		r.Shares = append(r.Shares, &Share{Site: s.Site, First: wave, Last: wave + s.Waves - 1, Waves: map[int]*Wave{}})
		wave += s.Waves
	}
	q.runs[r.Name] = r
	at, _ := slices.BinarySearchFunc(q.fabrics[r.Fabric], r.Number, func(r *TeamRun, n uint64) int { return cmp.Compare(r.Number, n) })
	q.fabrics[r.Fabric] = slices.Insert(q.fabrics[r.Fabric], at, r)
	return nil
}

// run returns the run of a statement, which names the run's envelope, too.
func (q *Queue) run(st *statement.Statement) (*TeamRun, error) {
	r := q.runs[st.Run]
	if r == nil {
		return nil, fmt.Errorf("there is no run %s", st.Run)
	}
	return r, st.Fits(statement.Want{Fabric: r.Fabric, Run: r.Name, Digest: r.Digest})
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

// say takes a statement of a person.
func (q *Queue) say(number uint64, st *statement.Statement, signed journal.Signature) error {
	by := signed.Person
	r, err := q.run(st)
	if err != nil {
		return err
	}
	switch {
	case st.Site != "" && r.share(st.Site) == nil:
		return fmt.Errorf("the run has no site %q", st.Site)
	case r.Back != nil && st.Verb != statement.Rollback:
		return fmt.Errorf("%s rolled the run back", r.Back.By)
	case st.Verb == statement.Rollback && st.Site != "":
		return errors.New("all sites of a run go back, and not one of them")
	}
	switch st.Verb {
	case statement.Approve:
		return r.approve(st, signed)
	case statement.Withdraw:
		if r.Withdrawn == "" {
			r.Withdrawn = by
		}
	case statement.Resume:
		if number > r.Epoch { // else it is a record, and the run has gone on since
			r.Epoch = number
			r.again(st.Site)
		}
	case statement.Rollback:
		r.Epoch = number
		r.Back = &Said{*st, number, by}
		for _, s := range r.Shares {
			s.Outcome, s.Why, s.Over, s.Waits, s.Taken = "", "", time.Time{}, "", time.Time{}
		}
	}
	at, _ := slices.BinarySearchFunc(r.Said, number, func(s Said, n uint64) int { return cmp.Compare(s.Number, n) })
	r.Said = slices.Insert(r.Said, at, Said{*st, number, by})
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

// site takes a statement of a site about its share.
func (q *Queue) site(st *statement.Statement) error {
	r, err := q.run(st)
	if err != nil {
		return err
	}
	s := r.share(st.Site)
	switch {
	case s == nil:
		return fmt.Errorf("the site %q has no share of the run", st.Site)
	case r.stays(s, st):
		s.Waves[st.Wave] = &Wave{Ended: st.At, Outcome: st.Outcome, Devices: st.Devices, Why: st.Why}
		return nil
	case st.Epoch < r.EpochAt(st.Site):
		return fmt.Errorf("the statement is of epoch %d, and the run has gone on in epoch %d", st.Epoch, r.EpochAt(st.Site))
	case st.Wave > 0 && (st.Wave < s.First || st.Wave > s.Last):
		return fmt.Errorf("wave %d belongs to another site", st.Wave)
	}
	wave := func() *Wave {
		if s.Waves[st.Wave] == nil {
			s.Waves[st.Wave] = &Wave{}
		}
		return s.Waves[st.Wave]
	}
	switch st.Verb {
	case statement.Taken:
		s.Taken = st.At
	case statement.Refused:
		s.Refused, s.Over = st.Why, st.At
	case statement.Waits:
		s.Waits = st.Why
	case statement.Began:
		s.Waits = ""
		wave().Began = st.At
	case statement.Ended:
		w := wave()
		w.Ended, w.Outcome, w.Devices, w.Why = st.At, st.Outcome, st.Devices, st.Why
	case statement.Over:
		s.Waits, s.Outcome, s.Why, s.Over, s.Head = "", st.Outcome, st.Why, st.At, st.Head
	default:
		return fmt.Errorf("a statement %q is not about a run", st.Verb)
	}
	return nil
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

// Runs returns the runs of a fabric in their order; all runs, by their numbers, for an empty name.
func (q *Queue) Runs(fabric string) []*TeamRun {
	if fabric != "" {
		return q.fabrics[fabric]
	}
	var out []*TeamRun
	for _, r := range q.runs {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *TeamRun) int { return int(int64(a.Number) - int64(b.Number)) })
	return out
}

// Run returns a run by its name; nil: there is no such run.
func (q *Queue) Run(name string) *TeamRun { return q.runs[name] }

// Last returns the number of the newest message.
func (q *Queue) Last() uint64 { return q.last }

// Event is a line of the journal of a site, as it travels. The statement that a share is over has the head of the journal.
type Event struct {
	Line int `json:"line"` // from 1
	journal.Notice
}
