package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/broker/brokertest"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

var start = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// clock is the time of a test. Each wait lets a second pass.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// device returns a clock whose waits end at once.
func (c *clock) device() device.Clock {
	return device.Clock{Now: c.Now, Wait: func(time.Duration) <-chan time.Time {
		out := make(chan time.Time)
		time.AfterFunc(time.Millisecond, func() { close(out) })
		return out
	}}
}

// happened is how far a run of three waves, each of one device, came.
type happened struct {
	run, message string
	complete     int  // waves
	failed       bool // the wave after them
}

// record writes runs into one kind of ledger.
type record interface {
	ledger() ledger.Ledger
	write(t *testing.T, h happened)
}

// files are journals of this machine.
type files struct {
	dir   *journal.Dir
	clock *clock
}

func (f *files) ledger() ledger.Ledger { return &ledger.Files{Dir: f.dir, Clock: f.clock.device()} }

func (f *files) write(t *testing.T, h happened) {
	head := journal.Header{
		Run: h.run, Key: "k", Owner: "alice", Began: f.clock.now, Message: h.message, Commit: "abc", Fabric: "/fabrics/prod", Name: "prod",
	}
	for i := range 3 {
		head.Devices = append(head.Devices, journal.Device{Name: fmt.Sprintf("leaf%d", i+1), Wave: i + 1})
	}
	r, err := f.dir.Begin(head, f.clock.Now)
	require.NoError(t, err)
	outcome := func(n int, is deploy.Outcome) {
		name := fmt.Sprintf("leaf%d", n)
		_, err := r.Intent(name, "commit")
		require.NoError(t, err)
		require.NoError(t, r.Outcome(journal.Outcome{Time: f.clock.now, Device: name, Outcome: string(is)}))
	}
	for n := range h.complete {
		outcome(n+1, deploy.Applied)
	}
	if h.failed {
		outcome(h.complete+1, deploy.Restored)
	}
	for n := h.complete + 1; n <= 3; n++ {
		if n > h.complete+1 || !h.failed {
			require.NoError(t, r.Outcome(journal.Outcome{Time: f.clock.now, Device: fmt.Sprintf("leaf%d", n), Outcome: string(deploy.NotStarted)}))
		}
	}
	require.NoError(t, r.Finish(nil))
}

// stream is a team of two sites: the first two waves are of dc1, and the third one of dc2.
type stream struct {
	*brokertest.People
	clock *clock
}

func (s *stream) ledger() ledger.Ledger { return s.open() }

func (s *stream) open() *ledger.Stream {
	return &ledger.Stream{Hub: s.Hub, Signers: s.Signers, Clock: s.clock.device()}
}

// submit submits a run, and returns the digest of its envelope.
func (s *stream) submit(run, message string, change func(*deploy.Terms, *teamqueue.Envelope)) string {
	terms := &deploy.Terms{
		Name: "prod", Commit: "abc", Message: message, Made: s.clock.now, Expires: s.clock.now.Add(8 * time.Hour), Nonce: "nonce-" + run,
		Waves: []string{"leaf1", "leaf2", "leaf3"}, Disrupts: []string{},
		Shares: []deploy.TermShare{{Site: "dc1", Waves: 2}, {Site: "dc2", Waves: 1}},
	}
	var e teamqueue.Envelope
	if change != nil {
		change(terms, &e)
	}
	e.Plan = deploy.NewSaved(nil, deploy.Meta{Tool: "dev", Fabric: "prod", Terms: terms}).Bytes()
	body, err := json.Marshal(e)
	require.NoError(s.T, err)
	return s.Says("alice", broker.Submit, statement.Statement{Verb: statement.Submit, Run: run}, body)
}

// site makes a site say something about a run. Its epoch is a number that no later message has.
func (s *stream) site(run, digest, site string, verb statement.Verb, wave int, outcome, why string) {
	s.Says("site:"+site, broker.Wave, statement.Statement{
		Verb: verb, Run: run, Digest: digest, Site: site, Wave: wave, Outcome: outcome, Why: why, Epoch: 1000,
	}, nil)
}

func (s *stream) write(_ *testing.T, h happened) {
	digest := s.submit(h.run, h.message, nil)
	say := func(site string, verb statement.Verb, wave int, outcome string) {
		s.site(h.run, digest, site, verb, wave, outcome, map[bool]string{true: "leaf is restored"}[outcome == "stopped"])
	}
	say("dc1", statement.Taken, 0, "")
	say("dc2", statement.Taken, 0, "")
	of := []string{"dc1", "dc1", "dc2"}
	for n := range of {
		switch {
		case n < h.complete:
			say(of[n], statement.Began, n+1, "")
			say(of[n], statement.Ended, n+1, statement.Complete)
		case n == h.complete && h.failed:
			say(of[n], statement.Began, n+1, "")
			say(of[n], statement.Ended, n+1, "stopped")
		}
	}
	outcome := func(done int) string {
		if h.complete >= done {
			return statement.Complete
		}
		return "stopped"
	}
	say("dc1", statement.Over, 0, outcome(2))
	say("dc2", statement.Over, 0, outcome(3))
}

// each runs a test on both ledgers.
func each(t *testing.T, test func(t *testing.T, c *clock, r record)) {
	t.Run("files", func(t *testing.T) {
		c := &clock{start}
		test(t, c, &files{journal.Open(t.TempDir()), c})
	})
	t.Run("stream", func(t *testing.T) {
		c := &clock{start}
		test(t, c, &stream{brokertest.NewPeople(t, c.Now), c})
	})
}

// TestRuns: both ledgers list the same runs with the same states, and find a run by its name.
func TestRuns(t *testing.T) {
	each(t, func(t *testing.T, c *clock, r record) {
		l := r.ledger()
		list, err := l.Runs(t.Context())
		require.NoError(t, err, "without a record there are no runs")
		require.Empty(t, list.Runs)

		r.write(t, happened{"20261130t080000z-aaaa", "ticket 1", 3, false})
		c.now = c.now.Add(time.Hour)
		r.write(t, happened{"20261130t090000z-bbbb", "ticket 2", 1, true})
		list, err = l.Runs(t.Context())
		require.NoError(t, err)
		require.Len(t, list.Runs, 2)
		require.Zero(t, list.Ignored)
		second, first := list.Runs[0], list.Runs[1]
		assert.Equal(t, "20261130t090000z-bbbb", second.Run, "the newest one is the first")
		assert.Equal(t, []string{"prod", "alice", "ticket 1", "abc"}, []string{first.Fabric, first.By, first.Message, first.Commit})
		assert.True(t, first.Began.Equal(start))
		assert.Equal(t, ledger.Complete, first.State)
		assert.Empty(t, first.Why)
		assert.Equal(t, ledger.Stopped, second.State)
		assert.Contains(t, second.Why, "leaf")
		assert.True(t, first.Over && second.Over)
		assert.Equal(t, []string{"leaf1 complete", "leaf2 complete", "leaf3 complete"}, waves(&first))
		assert.Equal(t, []string{"leaf1 complete", "leaf2 stopped", "leaf3 waits"}, waves(&second))

		for name, want := range map[string]string{
			"last": second.Run, first.Run: first.Run, "aaaa": first.Run, "20261130t09": second.Run,
		} {
			found, err := list.Find(name)
			require.NoError(t, err, name)
			assert.Equal(t, want, found.Run)
		}
		for name, want := range map[string]error{"2026": ledger.ErrManyOf, "cccc": ledger.ErrNoRun, "aaa": ledger.ErrNoRun, "": ledger.ErrNoRun} {
			_, err := list.Find(name)
			assert.ErrorIs(t, err, want, name)
		}
	})
}

func waves(r *ledger.RunSummary) (out []string) {
	for _, s := range r.Sites {
		for _, w := range s.Waves {
			out = append(out, w.Devices+" "+string(w.State))
		}
	}
	return out
}

// TestDevice: both ledgers find the runs of a device, with its outcome in each.
func TestDevice(t *testing.T) {
	each(t, func(t *testing.T, c *clock, r record) {
		r.write(t, happened{"20261130t080000z-aaaa", "ticket 1", 3, false})
		c.now = c.now.Add(time.Hour)
		r.write(t, happened{"20261130t090000z-bbbb", "ticket 2", 1, true})
		outcomes := func(name string) (out []string) {
			list, err := r.ledger().Device(t.Context(), name)
			require.NoError(t, err)
			for _, one := range list.Runs {
				out = append(out, one.Run[len(one.Run)-4:]+" "+one.Outcome)
			}
			return out
		}
		assert.Equal(t, []string{"bbbb applied", "aaaa applied"}, outcomes("leaf1"))
		assert.Equal(t, []string{"bbbb not-started", "aaaa applied"}, outcomes("leaf3"))
		failed := outcomes("leaf2")
		require.Len(t, failed, 2)
		assert.NotContains(t, []string{"bbbb applied", "bbbb not-started"}, failed[0])
		assert.Empty(t, outcomes("leaf"), "a part of a name is no device")
		assert.Empty(t, outcomes(""))
	})
}

// TestFollow: both ledgers have the events of a run in their order, and end with the run.
func TestFollow(t *testing.T) {
	each(t, func(t *testing.T, _ *clock, r record) {
		r.write(t, happened{"20261130t080000z-aaaa", "ticket 1", 3, false})
		var of []string
		var last *ledger.RunSummary
		ended := false
		require.NoError(t, r.ledger().Follow(t.Context(), "aaaa", func(r *ledger.RunSummary, e *ledger.Event) error {
			require.False(t, ended, "nothing comes after the last call")
			last = r
			if e == nil {
				ended = r.Over
				return nil
			}
			of = append(of, e.Event)
			return nil
		}))
		require.True(t, ended)
		assert.Equal(t, ledger.Complete, last.State)
		assert.Contains(t, []string{"begin", "submit"}, of[0])
		assert.Contains(t, []string{"end", "over"}, of[len(of)-1])

		stop := errors.New("stop")
		calls := 0
		require.ErrorIs(t, r.ledger().Follow(t.Context(), "aaaa", func(*ledger.RunSummary, *ledger.Event) error {
			calls++
			return stop
		}), stop)
		require.Equal(t, 1, calls)
		none := func(*ledger.RunSummary, *ledger.Event) error { return nil }
		require.ErrorIs(t, r.ledger().Follow(t.Context(), "cccc", none), ledger.ErrNoRun)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = r.ledger().Follow(ctx, "aaaa", none) // it returns
	})
}

// TestBounds: a text of another machine that is too long is cut.
func TestBounds(t *testing.T) {
	each(t, func(t *testing.T, _ *clock, r record) {
		r.write(t, happened{"20261130t080000z-aaaa", strings.Repeat("ä", 5000), 3, false})
		list, err := r.ledger().Runs(t.Context())
		require.NoError(t, err)
		assert.Less(t, len(list.Runs[0].Message), 2100)
	})
}
