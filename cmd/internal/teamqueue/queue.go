// Package teamqueue has the [Queue] of a team: the runs that persons submitted, in the order of the stream, with what persons and sites say
// about each.
//
// Each reader folds the same messages, and verifies each by its own allowed signers. So a site, a person and a page see the same queue, and
// none of them trusts the hub. A message that does not verify changes nothing, and is counted with its reason.
package teamqueue

import (
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
)

// Queue is the queue of all fabrics of a team.
type Queue struct {
	signers  *sshsig.Signers
	runs     map[string]*TeamRun // by name
	fabrics  map[string][]*TeamRun
	nonces   map[string]bool // of statements of persons
	counted  map[identity]bool
	unfit    map[identity]int // how often a signed statement came and did not fit
	last     uint64
	held     []held    // by their arrival
	bytes    int       // of them
	floor    time.Time // of the newest statement, as its author and the hub both state
	Dropped  Dropped
	Rejected []Rejected // the newest ones

	// Now is the clock of a site, which obeys what it reads: a key has to be valid then, too. nil: the reader obeys nothing.
	Now func() time.Time
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
	_, err := q.Accept(m)
	return err
}

// Accept is [Queue.Take] for a reader that keeps the messages. It returns what counts now: the message, after those that it vouches for.
func (q *Queue) Accept(m *broker.Message) (now []Accepted, err error) {
	var is folded
	if m.Number <= q.last {
		err = fmt.Errorf("the number %d is not above %d: the store of the hub is older than the messages that came before", m.Number, q.last)
	} else {
		q.last = m.Number
		is, err = take(q, m, find(q))
	}
	switch {
	case err == nil:
		counts(q, &is)
		return is.now, nil
	case q.counted[is.id]:
		return nil, err
	case is.id == identity{}:
		q.Dropped.Unsigned++
	default:
		q.Dropped.Unfit++
		q.unfit[is.id]++
	}
	q.Rejected = append(q.Rejected, Rejected{m.Number, m.Filter(), err.Error(), is.id})
	q.Rejected = q.Rejected[max(0, len(q.Rejected)-mostRejected):]
	return nil, err
}

// counts records that messages count, of which some changed nothing when they came.
func counts(q *Queue, is *folded) {
	q.counted[is.id] = true
	q.Dropped.Unfit -= q.unfit[is.id]
	delete(q.unfit, is.id)
	q.Rejected = slices.DeleteFunc(q.Rejected, func(r Rejected) bool {
		now := slices.ContainsFunc(is.now, func(a Accepted) bool { return a.Number == r.Number })
		if now && r.of == (identity{}) {
			q.Dropped.Unsigned--
		}
		return now || r.of == is.id
	})
}

// folded is a message that was added.
type folded struct {
	run, by string
	id      identity   // also of a message that changes nothing
	now     []Accepted // what counts now
}

func take(q *Queue, m *broker.Message, find finder) (is folded, err error) {
	of := m
	if m.Kind == broker.Record {
		of, err = OpenRecord(m, func(sig *sshsig.Signature) (string, error) { return known(q, find, &held{whole: m, of: m}, sig) })
		if err != nil {
			return is, err
		}
	}
	if is, err = fold(q, m, of, find); err != nil {
		return is, err
	}
	if m.Kind == broker.Record {
		q.runs[is.run].rebuilt = true
	}
	is.now = append(is.now, Accepted{Message: m, By: is.by})
	return is, nil
}

// fold adds a message that has its number and time from the stream, or from the record of a site, which is the whole then.
func fold(q *Queue, whole, m *broker.Message, find finder) (is folded, err error) {
	var signed statement.Signed
	if err := json.Unmarshal(m.Data, &signed); err != nil {
		return is, errors.New("it is no signed statement")
	}
	st, author, err := signed.OpenBy(func(sig *sshsig.Signature) (string, error) {
		return known(q, find, &held{whole: whole, of: m, text: signed.Text}, sig)
	})
	if err != nil {
		return is, err
	}
	is.run, is.by, is.id = st.Run, author, identityOf(author, signed.Text)
	if is.now, err = obey(q, m, st, journal.Signature{Person: author, Signature: signed.Signature}, signed.Body); err != nil {
		return is, err
	}
	if at := earlier(st.At, m.At); at.After(q.floor) {
		q.floor = at
	}
	return is, nil
}

// obey adds a statement. It returns the messages that the statement vouches for.
func obey(q *Queue, m *broker.Message, st *statement.Statement, by journal.Signature, body []byte) (now []Accepted, err error) {
	if st.Fabric != m.Fabric || m.Run != "" && st.Run != m.Run || m.Site != "" && st.Site != m.Site {
		return nil, fmt.Errorf("the statement is about %s %s %s, and its subject about another one", st.Fabric, st.Run, st.Site)
	}
	if !st.Verb.OfSite() {
		key := by.Person + " " + st.Nonce
		if q.nonces[key] {
			return nil, errors.New("the statement came before")
		}
		if err := st.Fits(statement.Want{Now: m.At}); err != nil { // a replay has an old time
			return nil, err
		}
		q.nonces[key] = true
	}
	switch {
	case m.Kind == broker.Submit && st.Verb == statement.Submit:
		return nil, submit(q, m.Number, st, by, body)
	case m.Kind == broker.Say && !st.Verb.OfSite() && st.Verb != statement.Ask && st.Verb != statement.Submit:
		return nil, say(q, m.Number, st, by)
	case m.Kind == broker.Wave && st.Verb.OfSite():
		now = vouched(q, st)
		return now, q.site(st)
	}
	return nil, fmt.Errorf("a statement %q does not belong into %s", st.Verb, m.Kind)
}

// submit adds a run.
func submit(q *Queue, number uint64, st *statement.Statement, by journal.Signature, body []byte) error {
	switch r := q.runs[st.Run]; {
	case r != nil && r.Vouched != "" && r.Digest == st.Digest: // a line has the key now
		r.By, r.Vouched, r.signed = by.Person, "", by
		return nil
	case r != nil:
		return fmt.Errorf("there is a run %s already", st.Run)
	}
	r, err := newRun(number, st, by, body)
	if err == nil {
		add(q, r)
	}
	return err
}

// add gives a run its place in the queue.
func add(q *Queue, r *TeamRun) {
	q.runs[r.Name] = r
	at, _ := slices.BinarySearchFunc(q.fabrics[r.Fabric], r.Number, func(r *TeamRun, n uint64) int { return cmp.Compare(r.Number, n) })
	q.fabrics[r.Fabric] = slices.Insert(q.fabrics[r.Fabric], at, r)
}

// run returns the run of a statement, which names the run's envelope, too.
func (q *Queue) run(st *statement.Statement) (*TeamRun, error) {
	r := q.runs[st.Run]
	if r == nil {
		return nil, fmt.Errorf("there is no run %s", st.Run)
	}
	return r, st.Fits(statement.Want{Fabric: r.Fabric, Run: r.Name, Digest: r.Digest})
}

// say takes a statement of a person.
func say(q *Queue, number uint64, st *statement.Statement, signed journal.Signature) error {
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

// site takes a statement of a site about its share.
func (q *Queue) site(st *statement.Statement) error {
	r, err := q.run(st)
	if err != nil {
		return err
	}
	s, err := shareOf(r, st)
	switch {
	case err != nil:
		return err
	case r.stays(s, st):
		s.Waves[st.Wave] = &Wave{Ended: st.At, Outcome: st.Outcome, Devices: st.Devices, Why: st.Why}
		return nil
	case st.Epoch < r.EpochAt(st.Site):
		return fmt.Errorf("the statement is of epoch %d, and the run has gone on in epoch %d", st.Epoch, r.EpochAt(st.Site))
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
		if w := wave(); w.Outcome != statement.Complete { // a run that goes on passes over a complete wave
			*w = Wave{Began: st.At}
		}
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

// Accepted is a message that counts for a reader, with its author at the time when the reader accepted it.
type Accepted struct {
	*broker.Message
	By      string `json:"by"`                // the person or the site; of a message that a site vouches for, the key
	Vouched string `json:"vouched,omitempty"` // the site
}

// held is a message that no line allows. A line may come, or a site may have accepted the message when a line was there.
type held struct {
	whole, of *broker.Message // of is the message in a record, or whole itself
	text      string          // of the statement in of; empty: of is a record
	key       string
}

// The bounds of messages that are held.
const (
	mostHeld      = 1000
	mostHeldBytes = 64 << 20
)

// finder returns whose key signed a message.
type finder func(m *broker.Message, sig *sshsig.Signature) (author string, err error)

// find judges whose key signed a message by the lines of now. The time of a message is the word of the hub, which could be wrong to let a
// key count again that has ended. So the key has to be valid at a time that the reader knows by itself, too: for a site this is the time of
// the reading, for others the one of the newest statement before.
func find(q *Queue) finder {
	return func(m *broker.Message, sig *sshsig.Signature) (author string, err error) {
		if author, err = q.signers.Find(sig, m.At); err != nil {
			return "", err
		}
		at := q.floor.Add(-statement.Skew)
		if q.Now != nil {
			at = q.Now()
		}
		if at.After(m.At) {
			_, err = q.signers.Find(sig, at)
		}
		return author, err
	}
}

// known calls find, and holds a message whose key it does not accept.
func known(q *Queue, find finder, h *held, sig *sshsig.Signature) (author string, err error) {
	if author, err = find(h.of, sig); err == nil {
		return author, nil
	}
	h.key = sig.Key.String()
	q.held = append(q.held, *h)
	q.bytes += len(h.whole.Data)
	for len(q.held) > mostHeld || q.bytes > mostHeldBytes {
		drop(q, 0)
	}
	return "", err
}

// drop holds a message no more.
func drop(q *Queue, i int) {
	q.bytes -= len(q.held[i].whole.Data)
	q.held = slices.Delete(q.held, i, i+1)
}

// Again adds a message that this reader has accepted before. A signer who has left since does not matter.
func (q *Queue) Again(a *Accepted) error {
	q.last = max(q.last, a.Number)
	is, err := take(q, a.Message, func(m *broker.Message, _ *sshsig.Signature) (string, error) {
		if m.Kind == broker.Record {
			return statement.SitePrincipal(m.Site), nil
		}
		return a.By, nil
	})
	if err != nil {
		return err
	}
	counts(q, &is)
	if a.Vouched != "" {
		q.runs[is.run].Vouched = a.Vouched
	}
	return nil
}

// Trust makes signers judge what comes from now on. What was accepted stays. A message that was not, and is now, counts late and is
// returned. A site does not obey a late statement about a run, unless it is as new as one that comes.
func (q *Queue) Trust(signers *sshsig.Signers) (now []Accepted) {
	waiting := q.held
	q.signers, q.held, q.bytes = signers, nil, 0
	for _, h := range waiting {
		if q.Now != nil && h.of.Kind == broker.Say && q.Now().Sub(h.of.At) > statement.Skew {
			continue
		}
		if is, err := take(q, h.whole, find(q)); err == nil {
			counts(q, &is)
			now = append(now, is.now...)
		}
	}
	return now
}

// Trusts reports whether signers judge the messages.
func (q *Queue) Trusts(signers *sshsig.Signers) bool { return q.signers.Same(signers) }

// vouched adds messages that the site of a statement has accepted, and this reader has not. The statement has the digest of the submission,
// or the number of a resume or rollback. So runs that a person who has left submitted are there for those who undo them. A site refuses
// such a run. It takes no word of another site for a resume or rollback: the number is the word of the hub.
func vouched(q *Queue, st *statement.Statement) (now []Accepted) {
	if st.Verb == statement.Refused {
		return nil
	}
	for i := 0; i < len(q.held); i++ {
		h := q.held[i]
		if h.of.Kind != broker.Submit && h.of.Kind != broker.Say {
			continue
		}
		said, err := statement.Parse([]byte(h.text))
		if err != nil || said.Fits(statement.Want{Fabric: st.Fabric, Run: st.Run, Digest: st.Digest, Now: h.of.At}) != nil {
			continue
		}
		var signed statement.Signed // read now: a message can be large
		if json.Unmarshal(h.of.Data, &signed) != nil {
			continue
		}
		by := journal.Signature{Person: h.key, Signature: signed.Signature}
		switch r := q.runs[st.Run]; {
		case said.Verb == statement.Submit && r == nil:
			if r, err = newRun(h.of.Number, said, by, signed.Body); err == nil {
				_, err = shareOf(r, st) // a site vouches for its own runs
			}
			if err == nil {
				r.Vouched = st.Site
				add(q, r)
			}
		case (said.Verb == statement.Resume || said.Verb == statement.Rollback) && r != nil && q.Now == nil &&
			h.of.Number == st.Epoch && st.Epoch > r.EpochAt(st.Site):
			if _, err = shareOf(r, st); err == nil {
				err = say(q, h.of.Number, said, by)
			}
		default:
			continue
		}
		if err == nil {
			drop(q, i)
			now = append(now, Accepted{h.whole, h.key, st.Site})
			i--
		}
	}
	return now
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
