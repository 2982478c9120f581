package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/broker/brokertest"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy"
)

const run = "20261130t080000z-aaaa"

func newStream(t *testing.T) *stream {
	t.Helper()
	c := &clock{start}
	return &stream{brokertest.NewPeople(t, c.Now), c}
}

// state returns the state of a run as a sentence.
func (s *stream) state(name string) string {
	list, err := s.open().Runs(s.T.Context())
	require.NoError(s.T, err)
	r, err := list.Find(name)
	require.NoError(s.T, err)
	text := fmt.Sprintf("%s: %s", r.State, r.Why)
	if r.Over {
		text += " (over)"
	}
	return text
}

// says makes a person say something about a run.
func (s *stream) says(who string, verb statement.Verb, name, digest string, wave int) {
	s.Says(who, broker.Say, statement.Statement{Verb: verb, Run: name, Digest: digest, Wave: wave}, nil)
}

// TestStates goes through the states of a run: each reason names what the run waits for, or why it has ended.
func TestStates(t *testing.T) {
	s := newStream(t)
	digest := s.submit(run, "", func(terms *deploy.Terms, e *teamqueue.Envelope) {
		terms.Holds = []deploy.TermHold{{Wave: 3, Approvals: 1, WithinSeconds: 3600}}
		e.Hold = 600
	})
	say := func(site string, verb statement.Verb, wave int, outcome, why string) {
		s.site(run, digest, site, verb, wave, outcome, why)
	}
	is := func(want string) {
		t.Helper()
		require.Equal(t, want, s.state(run))
	}
	is("waits: the site dc1 has not taken the run")
	s.Hub.SetAway("dc1")
	is("waits: the site dc1 has not taken the run; the site dc1 is away")
	s.Hub.Young()
	is("waits: the site dc1 has not taken the run")
	s.Hub.SetAway()
	say("dc1", statement.Taken, 0, "", "")
	say("dc2", statement.Taken, 0, "", "")
	is("running: wave dc1/1 may begin")
	say("dc1", statement.Waits, 0, "", "its disk is full")
	is("waits: the site dc1 waits: its disk is full")
	say("dc1", statement.Began, 1, "", "")
	is("running: wave dc1/1 is under way since 2026-11-30T08:00:00Z")
	s.Hub.SetAway("dc1")
	is("running: wave dc1/1 is under way since 2026-11-30T08:00:00Z; the site dc1 is away")
	s.Hub.SetAway()
	for wave := 1; wave <= 2; wave++ {
		say("dc1", statement.Ended, wave, statement.Complete, "")
	}
	is("held: wave dc2/1 is held for 1 approval and has 0, until 2026-11-30T09:00:00Z (dc2/1)")
	s.says("bob", statement.Approve, run, digest, 3)
	is("running: wave dc2/1 may begin")
	say("dc2", statement.Ended, 3, statement.Complete, "")
	is("unconfirmed: the site dc1 waits: a person has to confirm the run")
	list, err := s.open().Device(t.Context(), "leaf3")
	require.NoError(t, err)
	require.Equal(t, "unconfirmed", list.Runs[0].Outcome)
	require.Equal(t, []string{"bob"}, list.Runs[0].Sites[1].Waves[0].Approved)
	s.says("carol", statement.Confirm, run, digest, 0)
	is("running: carol confirmed the run, and the site dc1 has not ended its share yet")
	say("dc1", statement.Over, 0, statement.Complete, "")
	say("dc2", statement.Over, 0, statement.Complete, "")
	is("complete:  (over)")
	s.says("alice", statement.Rollback, run, digest, 0)
	is("going-back: alice rolled the run back; the site dc1 has not taken the run")
	say("dc1", statement.Taken, 0, "", "")
	say("dc2", statement.Taken, 0, "", "")
	is("going-back: alice rolled the run back; the site dc2 undoes its share")
	say("dc2", statement.Over, 0, statement.Complete, "")
	say("dc1", statement.Over, 0, statement.Complete, "")
	is("rolled-back: alice rolled the run back (over)")
	list, err = s.open().Device(t.Context(), "leaf1")
	require.NoError(t, err)
	require.Equal(t, "restored", list.Runs[0].Outcome)
}

// TestKilledInWave: the wave of a site that ended its share without a word about the wave is no longer under way.
func TestKilledInWave(t *testing.T) {
	s := newStream(t)
	digest := s.submit(run, "", nil)
	for _, site := range []string{"dc1", "dc2"} {
		s.site(run, digest, site, statement.Taken, 0, "", "")
	}
	s.site(run, digest, "dc1", statement.Began, 1, "", "")
	s.site(run, digest, "dc1", statement.Over, 0, "stopped", "tor1 is unknown")
	list, err := s.open().Device(t.Context(), "leaf1")
	require.NoError(t, err)
	wave := list.Runs[0].Sites[0].Waves[0]
	require.Equal(t, ledger.Stopped, wave.State)
	require.Equal(t, ledger.Unsaid, wave.Why)
	require.Equal(t, string(deploy.Unknown), list.Runs[0].Outcome)
}

// TestEnds has the states of runs of which no further wave begins.
func TestEnds(t *testing.T) {
	for want, end := range map[string]func(s *stream, digest string){
		"refused: the site dc2 refuses the run: rocec \"2\" made the plan (over)": func(s *stream, digest string) {
			s.site(run, digest, "dc2", statement.Refused, 0, "", `rocec "2" made the plan`)
		},
		"withdrawn: alice withdrew the run (over)": func(s *stream, digest string) { s.says("alice", statement.Withdraw, run, digest, 0) },
		"expired: the plan was valid until 2026-11-30T16:00:00Z (over)": func(s *stream, _ string) {
			s.clock.now = start.Add(8 * time.Hour)
		},
		"withdrawn: alice withdrew the run; the site dc1 has not ended its share yet": func(s *stream, digest string) {
			s.site(run, digest, "dc1", statement.Taken, 0, "", "")
			s.says("alice", statement.Withdraw, run, digest, 0)
		},
		"stopped: wave dc1/1 ended as stopped: leaf1 is restored; the site dc1 has not ended its share yet": func(
			s *stream, digest string,
		) {
			s.site(run, digest, "dc1", statement.Taken, 0, "", "")
			s.site(run, digest, "dc1", statement.Ended, 1, "stopped", "leaf1 is restored")
		},
		"stopped: the share of the site dc1 ended as stopped: wave 1 was held for 1 approval, and had 0 by 09:00 (over)": func(
			s *stream, digest string,
		) {
			s.site(run, digest, "dc1", statement.Taken, 0, "", "")
			s.site(run, digest, "dc1", statement.Over, 0, "stopped", "wave 1 was held for 1 approval, and had 0 by 09:00")
		},
		"stopped: alice rolled the run back, and the site dc2 did not undo its share: leaf3 was changed since (over)": func(
			s *stream, digest string,
		) {
			s.says("alice", statement.Rollback, run, digest, 0)
			s.site(run, digest, "dc2", statement.Over, 0, "stopped", "leaf3 was changed since")
			s.site(run, digest, "dc1", statement.Over, 0, "stopped", "the site dc2 did not undo its share")
		},
	} {
		s := newStream(t)
		end(s, s.submit(run, "", nil))
		assert.Equal(t, want, s.state(run))
	}
}

// TestQueue: a run of a fabric waits for the run before it, and names it.
func TestQueue(t *testing.T) {
	s := newStream(t)
	first := s.submit(run, "", nil)
	second := strings.Replace(run, "aaaa", "bbbb", 1)
	s.submit(second, "", nil)
	require.Equal(t, "waits: the run "+run+" of alice is before it", s.state(second))
	s.says("alice", statement.Withdraw, run, first, 0)
	require.Equal(t, "waits: the site dc1 has not taken the run", s.state(second))
}

// TestHostileHub: what no allowed signer said changes nothing, and is counted with its reason.
func TestHostileHub(t *testing.T) {
	s := newStream(t)
	digest := s.submit(run, "", nil)
	before := s.state(run)
	s.Says("mallory", broker.Say, statement.Statement{Verb: statement.Withdraw, Run: run, Digest: digest}, nil)
	s.Says("bob", broker.Say, statement.Statement{Verb: statement.Rollback, Run: run, Digest: digest}, nil) // may approve alone
	s.Says("site:dc2", broker.Wave, statement.Statement{
		Verb: statement.Ended, Run: run, Digest: digest, Site: "dc1", Wave: 1, Outcome: statement.Complete, Epoch: 1,
	}, nil)
	s.Says("alice", broker.Say, statement.Statement{Verb: statement.Withdraw, Run: run, Digest: strings.Repeat("0", 64)}, nil)
	s.Says("alice", broker.Say, statement.Statement{
		Verb: statement.Withdraw, Run: run, Digest: digest, At: start.Add(-time.Hour), Nonce: "0123456789abcdefgh",
	}, nil)
	for _, data := range []string{"", "{}", "null", `{"text":"\u001b[31m"}`, strings.Repeat("[", 100_000)} {
		_, err := s.Hub.Publish(t.Context(), broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run}, "x"+data, []byte(data))
		require.NoError(t, err)
	}
	require.Equal(t, before, s.state(run))
	list, err := s.open().Runs(t.Context())
	require.NoError(t, err)
	require.Equal(t, 10, list.Ignored)
	require.Len(t, list.Rejected, 10)
	require.Contains(t, list.Rejected[0].Why, "no line has the key")
	for _, one := range list.Rejected {
		require.NotEmpty(t, one.Why)
		require.LessOrEqual(t, len(one.Why), 2100)
	}
}

// watch follows a run in the background, and keeps what it sees.
type watch struct {
	mu    sync.Mutex
	seen  []string
	ended chan error
}

func (s *stream) watch(t *testing.T) *watch { return watchBy(t, s.open()) }

func watchBy(t *testing.T, l *ledger.Stream) *watch {
	w := &watch{ended: make(chan error, 1)}
	go func() {
		w.ended <- l.Follow(t.Context(), run, func(r *ledger.RunSummary, e *ledger.Event) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if e == nil {
				w.seen = append(w.seen, string(r.State))
			} else {
				w.seen = append(w.seen, fmt.Sprintf("%s %s%s %v", e.Event, e.Site, e.Device, e.Signed))
			}
			return nil
		})
	}()
	return w
}

// has waits until the follower has seen something.
func (w *watch) has(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Contains(strings.Join(w.seen, "\n"), text)
	}, time.Minute, time.Millisecond, text)
}

// TestHubAway: a follower waits while the hub is away, reports it, and goes on with the next message when it is back.
func TestHubAway(t *testing.T) {
	s := newStream(t)
	digest := s.submit(run, "", nil)
	w := s.watch(t)
	w.has(t, "waits")
	s.Hub.Down(true)
	w.has(t, "hub-away")
	s.Hub.Down(false)
	w.has(t, "hub-back")
	line := teamqueue.Event{Line: 1, Notice: journal.Notice{Event: "outcome", Run: "local", Device: "leaf1", Outcome: "applied"}}
	data, err := json.Marshal(line)
	require.NoError(t, err)
	for _, id := range []string{"1", "2"} { // at least once: the second one is a double
		_, err = s.Hub.Publish(t.Context(), broker.Subject{Kind: broker.Event, Fabric: "prod", Run: run, Site: "dc1"}, id, data)
		require.NoError(t, err)
	}
	s.says("alice", statement.Withdraw, run, digest, 0)
	require.NoError(t, <-w.ended)
	require.Equal(t, []string{
		"submit  true", "waits", "hub-away  true", "hub-back  true", "outcome dc1leaf1 false", "withdraw  true",
	}, w.seen)
}

// TestFollowSigners: a follower notices that the allowed signers have changed, and keeps what it has verified.
func TestFollowSigners(t *testing.T) {
	s := newStream(t)
	digest := s.submit(run, "", nil)
	var now atomic.Pointer[sshsig.Signers]
	var reads, tenths atomic.Int64
	now.Store(s.Signers)
	l := s.open()
	l.Clock.Now = func() time.Time { return start.Add(time.Duration(tenths.Add(1)) * 100 * time.Millisecond) }
	l.Reread = func() (*sshsig.Signers, error) {
		reads.Add(1)
		return now.Load(), nil
	}
	read := func() {
		t.Helper()
		before := reads.Load()
		require.Eventually(t, func() bool { return reads.Load() > before+3 }, time.Minute, time.Millisecond)
	}
	w := watchBy(t, l)
	w.has(t, "waits")
	now.Store(&sshsig.Signers{})
	read()
	s.says("alice", statement.Withdraw, run, digest, 0)
	read()
	now.Store(s.Signers)
	require.NoError(t, <-w.ended)
	require.Equal(t, []string{"submit  true", "waits", "withdrawn"}, w.seen, "the withdrawal came without a line")
}

// TestOlderStore: a follower ends when the hub has lost messages that it has seen.
func TestOlderStore(t *testing.T) {
	s := newStream(t)
	digest := s.submit(run, "", nil)
	s.site(run, digest, "dc1", statement.Taken, 0, "", "")
	w := s.watch(t)
	w.has(t, "taken")
	s.Hub.Down(true)
	w.has(t, "hub-away")
	s.Hub.Forget(1)
	s.Hub.Down(false)
	require.ErrorContains(t, <-w.ended, "the store of the hub ends with message 1, and this verb has seen message 2: the store is older")
}

// junk is a hub with messages of an operator who has no key: 30 of the largest size before all others.
type junk struct{ *brokertest.Hub }

const (
	junkCount = 30
	junkBytes = 24 << 20
)

func (h junk) Read(ctx context.Context, from uint64, filters []broker.Subject, use func(*broker.Message) error) error {
	data := bytes.Repeat([]byte("x"), junkBytes)
	for n := range junkCount {
		m := &broker.Message{Subject: broker.Subject{Kind: broker.Submit, Fabric: "prod"}, Number: uint64(n + 1), At: start, Data: data}
		if err := use(m); err != nil {
			return err
		}
	}
	return h.Hub.Read(ctx, from, filters, func(m *broker.Message) error {
		one := *m
		one.Number += junkCount
		return use(&one)
	})
}

func (h junk) Follow(
	ctx context.Context, from uint64, filters []broker.Subject, use func(*broker.Message) error, caught func(),
) error {
	if err := h.Read(ctx, from, filters, use); err != nil {
		return err
	}
	caught()
	<-ctx.Done()
	return ctx.Err()
}

// TestJunk: messages without a signature do not use up what a verb keeps, and nothing of them is kept.
func TestJunk(t *testing.T) {
	s := newStream(t)
	digest := s.submit(run, "", nil)
	s.says("alice", statement.Withdraw, run, digest, 0)
	l := s.open()
	l.Hub = junk{s.Hub}
	before := heap()
	r, err := l.Read(t.Context())
	require.NoError(t, err)
	require.Less(t, heap(), before+junkBytes)
	list := l.List(r)
	require.Len(t, list.Runs, 1)
	require.Equal(t, ledger.Withdrawn, list.Runs[0].State)
	require.Equal(t, junkCount, list.Ignored)
	require.Equal(t, junkCount, list.Unsigned)
	require.NoError(t, l.Follow(t.Context(), run, func(*ledger.RunSummary, *ledger.Event) error { return nil }))
}

// heap returns the bytes that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
