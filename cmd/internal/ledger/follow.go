package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
)

// follower follows one run of a team.
type follower struct {
	s     *Stream
	queue *teamqueue.Queue
	name  string
	use   func(*RunSummary, *Event) error

	there bool                   // the hub
	lost  bool                   // the reading of the stream has ended, and has not begun again
	now   bool                   // all messages that were there have been used, so the state of the run is that of the present
	away  func(site string) bool // nil: not known
	asked time.Time              // for away
	read  time.Time              // of the signers
	shown string                 // state and reason of the run when use was last called
	lines map[string]int         // of the journals of sites that use has seen, by site and journal

	within func(*broker.Message) error // see [bounds]
}

// piece is a message that the reader of the stream passes to a follower, or a change of the reading.
type piece struct {
	message *broker.Message
	lost    bool  // the reading has ended, and begins again
	err     error // the reading has ended, and does not begin again
}

// awayTime is how often a follower asks which sites are away.
const awayTime = 10 * time.Second

// Follow reads the messages about a run as they come. While the hub is away it waits, and reports it.
func (s *Stream) Follow(ctx context.Context, name string, use func(*RunSummary, *Event) error) error {
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	run, err := s.List(r).Find(name)
	if err != nil {
		return err
	}
	f := &follower{
		s: s, queue: teamqueue.New(s.Signers), name: run.Run, use: use, there: true, away: r.Away, asked: s.Clock.Now(),
		lines: map[string]int{}, within: bounds(),
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pieces := make(chan piece)
	go s.pump(ctx, r.After, append(s.filters(), broker.Subject{Kind: broker.Event, Fabric: run.Fabric, Run: run.Run}), pieces)
	return f.loop(ctx, pieces)
}

// pump sends the messages after a number, and begins again when the reading has ended. A piece without content says that all messages
// which were there are sent.
func (s *Stream) pump(ctx context.Context, after uint64, filters []broker.Subject, out chan<- piece) {
	send := func(p piece) error {
		select {
		case out <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for ctx.Err() == nil {
		newest, err := s.Hub.Last(ctx)
		if err == nil && newest < after {
			err := fmt.Errorf("the store of the hub ends with message %d, and this verb has seen message %d: the store is older", newest, after)
			_ = send(piece{err: err}) // ctx ends the verb anyway
			return
		}
		if err == nil {
			err = s.Hub.Follow(ctx, after+1, filters, func(m *broker.Message) error {
				after = m.Number
				return send(piece{message: m})
			}, func() { _ = send(piece{}) }) // ctx ends the verb anyway
		}
		if err == nil || send(piece{lost: true}) != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-s.Clock.Wait(lookTime):
		}
	}
}

// loop uses messages until the run is over.
func (f *follower) loop(ctx context.Context, pieces <-chan piece) error {
	for {
		over, err := false, f.trust()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-pieces:
			switch {
			case p.err != nil:
				return p.err
			case p.lost:
				f.lost = true
			case p.message == nil:
				f.lost, f.now = false, true
				over, err = f.show()
			default:
				over, err = f.take(p.message)
			}
		case <-f.s.Clock.Wait(lookTime):
			over, err = f.look(ctx)
		}
		if over || err != nil {
			return err
		}
	}
}

// trust makes the signers of now judge the messages. It reads them at most once in a lookTime.
func (f *follower) trust() error {
	now := f.s.Clock.Now()
	if f.s.Reread == nil || now.Sub(f.read) < lookTime {
		return nil
	}
	f.read = now
	signers, err := f.s.Reread()
	if err == nil && !f.queue.Trusts(signers) {
		f.queue.Trust(signers)
	}
	return err
}

// look looks whether the hub is there, which sites are away, and whether time has changed the state of the run.
func (f *follower) look(ctx context.Context) (over bool, err error) {
	if is := f.s.Hub.Connected() && !f.lost; is != f.there {
		f.there = is
		e := &Event{At: f.s.Clock.Now(), Event: HubBack, Signed: true}
		if f.asked = (time.Time{}); !is {
			e.Event, f.away = HubAway, nil
		}
		if err := f.use(f.run(), e); err != nil {
			return false, err
		}
	}
	if now := f.s.Clock.Now(); f.there && now.Sub(f.asked) >= awayTime {
		f.asked = now
		if f.away, err = f.s.Hub.Away(ctx); err != nil {
			f.away = nil // which sites are away is not known
		}
	}
	if !f.now {
		return false, nil
	}
	return f.show()
}

// run returns the run as it is now; nil: its submission has not come yet.
func (f *follower) run() *RunSummary {
	t := f.queue.Run(f.name)
	if t == nil {
		return nil
	}
	r := (&at{f.queue, f.s.Clock.Now(), f.away}).run(t)
	return &r
}

// take uses a message.
func (f *follower) take(m *broker.Message) (over bool, err error) {
	if m.Kind == broker.Event {
		return f.tell(f.line(m))
	}
	now, err := f.queue.Accept(m)
	if err != nil { // a list of runs counts it
		return false, nil //nolint:nilerr // the message changes nothing
	}
	if err := f.within(m); err != nil {
		return false, err
	}
	var signed statement.Signed
	_ = json.Unmarshal(m.Data, &signed) // it was verified
	st, err := statement.Parse([]byte(signed.Text))
	if err != nil {
		return false, err
	}
	by := now[len(now)-1].By
	if m.Kind == broker.Record {
		by = statement.SitePrincipal(st.Site)
	}
	if st.Run != f.name {
		if !f.now {
			return false, nil
		}
		return f.show() // the run may have waited for it
	}
	e := &Event{
		At: st.At, Event: string(st.Verb), By: by, Site: st.Site, Devices: bound(st.Devices), Outcome: st.Outcome, Why: bound(st.Why),
		Signed: true,
	}
	for _, s := range f.queue.Run(f.name).Shares {
		if st.Wave >= s.First && st.Wave <= s.Last {
			e.Site, e.Wave = s.Site, st.Wave-s.First+1
		}
	}
	return f.tell(e)
}

// line returns the event of a line of a journal; nil: it came before, or is no line.
func (f *follower) line(m *broker.Message) *Event {
	var e teamqueue.Event
	if json.Unmarshal(m.Data, &e) != nil || f.queue.Run(f.name) == nil {
		return nil
	}
	of := m.Site + " " + e.Run
	if e.Line <= f.lines[of] || len(f.lines) > mostJournals {
		return nil
	}
	f.lines[of] = e.Line
	return ofNotice(&e.Notice, m.Site)
}

// mostJournals bounds the journals of one run of a team. A site has one more each time that it goes on.
const mostJournals = 10_000

// tell uses an event.
func (f *follower) tell(e *Event) (over bool, err error) {
	if e == nil {
		return false, nil
	}
	r := f.run()
	e.Past = !f.now
	if err := f.use(r, e); err != nil || !f.now {
		return false, err
	}
	f.shown = shownOf(r)
	return r.Over, nil
}

// show uses the run where its state has changed without an event.
func (f *follower) show() (over bool, err error) {
	r := f.run()
	if r == nil {
		return false, nil
	}
	if text := shownOf(r); text != f.shown {
		f.shown = text
		if err := f.use(r, nil); err != nil {
			return false, err
		}
	}
	return r.Over, nil
}

func shownOf(r *RunSummary) string { return string(r.State) + " " + r.Why }
