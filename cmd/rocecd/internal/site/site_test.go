package site

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/txn"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(childVariable); file != "" {
		os.Exit(child(file))
	}
	machinetest.Hasten()
	machinetest.Parallel(2)
	os.Exit(m.Run())
}

// Runs of the tests.
const (
	run1 = "20261130t080000z-aaaa"
	run2 = "20261130t080001z-bbbb"
)

// wholeStory is the story of a run that is complete at both sites.
const wholeStory = `dc1 began 1
dc1 ended 1 complete
dc1 began 2
dc1 ended 2 complete
dc1 began 3
dc1 ended 3 complete
dc1 over complete
dc2 began 4
dc2 ended 4 complete
dc2 began 5
dc2 ended 5 complete
dc2 began 6
dc2 ended 6 complete
dc2 over complete`

// requireWhole checks a story: each site has all of its lines in their order, and dc2 begins after the last wave of dc1. The end of the
// share of dc1 may come later than that, since dc1 first sends the lines of its journal.
func requireWhole(t *testing.T, story string) {
	t.Helper()
	lines := strings.Split(story, "\n")
	require.Less(t, slices.Index(lines, "dc1 ended 3 complete"), slices.Index(lines, "dc2 began 4"), story)
	require.Equal(t, wholeStory, bySite(lines))
}

// bySite returns the lines of a story with those of each site together, in their order.
func bySite(lines []string) string {
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[:min(3, len(a))], b[:min(3, len(b))]) })
	return strings.Join(lines, "\n")
}

// The counts of devices that one run has changed, and that none has.
var (
	once1  = map[string]int{"tor1": 1, "a1": 1, "a2": 1}
	once2  = map[string]int{"tor2": 1, "b1": 1, "b2": 1}
	never1 = map[string]int{"tor1": -1, "a1": -1, "a2": -1}
	never2 = map[string]int{"tor2": -1, "b1": -1, "b2": -1}
)

// events returns the lines of journals that the hub has of a run, by site and run of the journal.
func (w *team) events(run string) map[string][]teamqueue.Event {
	w.t.Helper()
	out := map[string][]teamqueue.Event{}
	for _, m := range w.read(broker.Subject{Kind: broker.Event, Fabric: "prod", Run: run}) {
		var e teamqueue.Event
		require.NoError(w.t, json.Unmarshal(m.Data, &e))
		of := m.Site + " " + e.Run
		if have := out[of]; len(have) == 0 || have[len(have)-1].Line < e.Line { // a line may come twice
			out[of] = append(have, e)
		}
	}
	return out
}

// wholeEvents waits until the hub has all lines of the journals of a site, and checks that they are a chain.
func (w *team) wholeEvents(site, run string) (lines int) {
	w.t.Helper()
	dir, err := w.session(site).Journals()
	require.NoError(w.t, err)
	logs, _, err := dir.Runs()
	require.NoError(w.t, err)
	for _, l := range logs {
		if l.Team == nil || l.Team.Run != run {
			continue
		}
		want, n, err := dir.Notices(l.Run, 0)
		require.NoError(w.t, err)
		require.Eventually(w.t, func() bool { return len(w.events(run)[site+" "+l.Run]) == n }, time.Minute, 50*time.Millisecond)
		head := ""
		for i, e := range w.events(run)[site+" "+l.Run] {
			require.Equal(w.t, i+1, e.Line)
			require.Equal(w.t, head, e.After)
			require.Equal(w.t, want[i].Head, e.Head)
			head = e.Head
		}
		lines += n
	}
	return lines
}

// TestTwoSites goes from questions to a run over two sites: the waves of both follow each other, each device is changed once, and the hub
// has every line of both journals and nothing that it may not have.
func TestTwoSites(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	began := time.Now()
	saved := w.plan(nil, "dc1", "dc2")
	require.Equal(t, []string{"tor1", "a1", "a2", "tor2", "b1", "b2"}, saved.Terms.Waves)
	require.Equal(t, []deploy.TermShare{{Site: "dc1", Waves: 3}, {Site: "dc2", Waves: 3}}, saved.Terms.Shares)
	planned := time.Now()
	w.submit(run1, w.envelope(saved, nil))
	requireWhole(t, w.story(run1))
	t.Logf("plan %s, run %s", planned.Sub(began), time.Since(planned))
	lines := w.wholeEvents("dc1", run1) + w.wholeEvents("dc2", run1)
	r := w.queue().Run(run1)
	for _, s := range r.Shares {
		events := w.events(run1)[s.Site+" "+run1]
		require.Equal(t, events[len(events)-1].Head, s.Head, "the signed end of the share has the head of the journal")
	}
	last, err := w.persons.Last(t.Context())
	require.NoError(t, err)
	t.Logf("%d messages, %d of them lines of journals, for 6 devices", last, lines)
	require.NoError(t, w.persons.Read(t.Context(), 1, []broker.Subject{
		{Kind: broker.Share}, {Kind: broker.Wave}, {Kind: broker.Event},
	}, func(m *broker.Message) error {
		for _, secret := range []string{w.dir, "127.0.0.1", "BEGIN OPENSSH", "qos config", "/bin/"} {
			assert.NotContains(t, string(m.Data), secret)
		}
		return nil
	}))
	w.stop("dc1")
	w.stop("dc2")
	require.Equal(t, once1, w.counts("dc1"))
	require.Equal(t, once2, w.counts("dc2"))

	// A second run of the same plan is refused, also by a site that has started again.
	w.start("dc1")
	w.start("dc2")
	w.submit(run2, w.envelope(saved, nil))
	require.Contains(t, w.story(run2), "refused the plan was applied by the run "+run1+" already, and is good for one run")
}

// TestWaveFails: a wave that fails stops its site and the later sites, and a person resumes the run.
func TestWaveFails(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	w.stop("dc1")
	fails := filepath.Join(w.dir, "fails")
	require.NoError(t, os.WriteFile(fails, nil, 0o600))
	w.sites["dc1"].drain = []string{"/bin/sh", "-c", `test "$ROCEC_DEVICES" != a1 || test ! -e ` + fails}
	w.start("dc1")
	digest := w.submit(run1, w.envelope(saved, nil))
	story := w.story(run1)
	require.Contains(t, story, "dc1 ended 1 complete\ndc1 began 2\ndc1 ended 2 stopped a1 is")
	// It has heard of the wave alone, or also of the end of the share.
	require.Regexp(t, "dc2 over stopped (the share of the site dc1 ended as stopped: No further wave began: )?"+
		"wave dc1/2 ended as stopped", story)
	require.NotContains(t, story, "began 3")
	require.NotContains(t, story, "dc2 began")
	w.stop("dc2")
	require.Equal(t, never2, w.counts("dc2"))
	w.start("dc2")

	require.NoError(t, os.Remove(fails))
	w.says("carol", broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run1},
		statement.Statement{Verb: statement.Resume, Run: run1, Digest: digest}, nil)
	require.Eventually(t, func() bool { return strings.Count(w.said(run1), "over complete") == 2 }, time.Minute, 100*time.Millisecond)
	w.stop("dc1")
	w.stop("dc2")
	require.Equal(t, once1, w.counts("dc1"))
	require.Equal(t, once2, w.counts("dc2"))
}

// TestHubAway: a site does its waves without the hub, and the hub has the whole story when it is back.
func TestHubAway(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	down := make(chan bool, 1)
	w.sites["dc1"].hears = func(n journal.Notice) {
		if n.Event == "outcome" && n.Device == "tor1" {
			w.hub.Stop()
			down <- true
		}
	}
	w.submit(run1, w.envelope(saved, nil))
	<-down
	require.Eventually(t, func() bool {
		l, err := w.session("dc1").ReadRun(run1)
		return err == nil && l.Ended != nil
	}, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool { return !w.sites["dc2"].Status().Connected }, time.Minute, 50*time.Millisecond)
	w.up()
	require.Eventually(t, w.persons.Connected, time.Minute, 50*time.Millisecond)
	requireWhole(t, w.story(run1))
	w.wholeEvents("dc1", run1)
	w.wholeEvents("dc2", run1)
}

// TestStoppedWithoutHub: a site that starts again while the hub is away goes on with the run that it has taken.
func TestStoppedWithoutHub(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	down := make(chan bool, 1)
	s := w.sites["dc1"]
	s.hears = func(n journal.Notice) {
		if n.Event == "outcome" && n.Device == "tor1" {
			w.hub.Stop()
			s.cancel()
			down <- true
		}
	}
	w.submit(run1, w.envelope(saved, nil))
	<-down
	require.NoError(t, <-s.ended)
	s.hears, s.cancel = nil, nil
	w.start("dc1")
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		r := s.queue.Run(run1)
		return r != nil && r.ShareOf("dc1").Outcome == statement.Complete
	}, time.Minute, 50*time.Millisecond)
	require.False(t, s.Status().Connected)
	w.up()
	require.Eventually(t, w.persons.Connected, time.Minute, 50*time.Millisecond)
	requireWhole(t, w.story(run1))
	w.wholeEvents("dc1", run1)
	require.Equal(t, map[string]int{"tor1": 1, "a1": 1, "a2": 1}, w.commits("dc1", run1))
}

// TestStopped stops and starts a site at lines of its journal: each device is changed once, and each end is told once.
func TestStopped(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	moments := []int{1, 2 + rand.IntN(8), 10 + rand.IntN(12), 22 + rand.IntN(12)}
	if *whole {
		moments = nil
		for n := 1; n < 35; n++ {
			moments = append(moments, n)
		}
	}
	for i, moment := range moments {
		saved := w.plan(nil, "dc1", "dc2")
		run := fmt.Sprintf("20261130t0900%02dz-aaaa", i)
		s := w.sites["dc1"]
		lines, stopped := 0, make(chan bool)
		cancel := s.cancel
		s.hears = func(journal.Notice) {
			if lines++; lines == moment {
				cancel()
				close(stopped)
			}
		}
		w.submit(run, w.envelope(saved, nil))
		select {
		case <-stopped:
			require.NoError(t, <-s.ended)
			s.cancel, s.hears = nil, nil
			w.start("dc1")
		case <-time.After(time.Minute):
			require.Fail(t, "the run has not come so far", "%d lines of %d", lines, moment)
		}
		began := time.Now()
		story := w.story(run)
		t.Logf("stopped at line %d; %s from the start to the end", moment, time.Since(began))
		for n := 1; n <= 3; n++ {
			require.Equal(t, 1, strings.Count(story, fmt.Sprintf("dc1 ended %d complete", n)), "%d: %s", moment, story)
		}
		require.Equal(t, 2, strings.Count(story, "over complete"), "%d: %s", moment, story)
		w.wholeEvents("dc1", run)
		require.Equal(t, map[string]int{"tor1": 1, "a1": 1, "a2": 1}, w.commits("dc1", run), "line %d", moment)
		for _, site := range []string{"dc1", "dc2"} {
			w.stop(site)
			for device, count := range w.counts(site) {
				require.Positive(t, count, device)
			}
			require.NoError(t, os.RemoveAll(filepath.Join(w.sites[site].state, "lab")))
			w.start(site)
		}
	}
}

// commits returns how often a run has made each device of a site use the new content.
func (w *team) commits(site, run string) map[string]int {
	w.t.Helper()
	_, logs, _, err := w.session(site).ReadRuns()
	require.NoError(w.t, err)
	out := map[string]int{}
	for _, l := range logs {
		for _, line := range l.Lines {
			if l.Team != nil && l.Team.Run == run && line.Verb == string(txn.Commit) && line.Done && line.Result == "ok" {
				out[line.Device]++
			}
		}
	}
	return out
}

// TestHeld: a wave that is held waits for another person, and a run that is withdrawn ends before it.
func TestHeld(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	hold := []deploy.TermHold{{Wave: 4, Approvals: 1, WithinSeconds: 3600}, {Wave: 6, Approvals: 1, WithinSeconds: 3600}}
	digest := w.submit(run1, w.envelope(w.plan(hold, "dc1", "dc2"), nil))
	waits := func(text string) {
		t.Helper()
		require.Eventually(t, func() bool {
			r := w.queue().Run(run1)
			return r != nil && strings.HasPrefix(r.ShareOf("dc2").Waits, text)
		}, time.Minute, 50*time.Millisecond, text)
	}
	say := func(who string, st statement.Statement) {
		st.Run, st.Digest = run1, digest
		w.says(who, broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run1}, st, nil)
	}
	waits("wave dc2/1 is held for 1 approval and has 0, until ")
	say("alice", statement.Statement{Verb: statement.Approve, Wave: 4}) // who submitted it has no such right
	say("mallory", statement.Statement{Verb: statement.Approve, Wave: 4})
	waits("wave dc2/1 is held for 1 approval and has 0, until ")
	say("bob", statement.Statement{Verb: statement.Approve, Wave: 4})
	waits("wave dc2/3 is held for 1 approval and has 0, until ")
	say("carol", statement.Statement{Verb: statement.Withdraw})
	require.Contains(t, w.story(run1), "dc2 ended 5 complete\ndc2 over stopped No further wave began: carol withdrew the run.")
	w.stop("dc2")
	require.Equal(t, map[string]int{"tor2": 1, "b1": 1, "b2": -1}, w.counts("dc2"))
}

// TestConfirm: devices that wait to be confirmed are kept when a person says so.
func TestConfirm(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	digest := w.submit(run1, w.envelope(w.plan(nil, "dc1", "dc2"), func(e *teamqueue.Envelope) { e.Hold = 3600 }))
	require.Eventually(t, func() bool {
		r := w.queue().Run(run1)
		return r != nil && strings.HasPrefix(r.ShareOf("dc2").Waits, "a person has to confirm the run until ")
	}, time.Minute, 50*time.Millisecond)
	w.stop("dc1") // and knows it still when it starts again
	w.start("dc1")
	require.NotContains(t, w.said(run1), "over")
	w.says("carol", broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run1},
		statement.Statement{Verb: statement.Confirm, Run: run1, Digest: digest}, nil)
	require.Equal(t, 2, strings.Count(w.story(run1), "over complete"))
	w.stop("dc1")
	require.Equal(t, once1, w.counts("dc1"))
}

// TestRollback: the last site goes back first, whether its devices wait or have kept the change.
func TestRollback(t *testing.T) {
	t.Parallel()
	for name, seconds := range map[string]int{"kept": 0, "waiting": 3600} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTeam(t)
			digest := w.submit(run1, w.envelope(w.plan(nil, "dc1", "dc2"), func(e *teamqueue.Envelope) { e.Hold = seconds }))
			require.Eventually(t, func() bool {
				return strings.Contains(w.said(run1), "dc2 ended 6 complete")
			}, time.Minute, 50*time.Millisecond)
			w.says("carol", broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run1},
				statement.Statement{Verb: statement.Rollback, Run: run1, Digest: digest}, nil)
			story := w.story(run1)
			require.Contains(t, story, "dc2 over complete the share is undone\ndc1 over complete the share is undone")
			w.stop("dc1")
			w.stop("dc2")
			for _, site := range []string{"dc1", "dc2"} {
				for device, count := range w.counts(site) {
					require.Negative(t, count, device)
				}
			}
		})
	}
}

// TestDiffers: a device that is not as the plan saw it stops the share before it begins.
func TestDiffers(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	w.inside("dc1", func(l *lab.Lab) {
		_, said, status := l.Device("a1").Run(t.Context(), "root", "echo by hand > /usr/local/sbin/rocec-host", "")
		require.Zero(t, status, said)
	})
	w.submit(run1, w.envelope(saved, nil))
	story := w.story(run1)
	require.Contains(t, story, "dc1 over stopped the saved plan no longer fits: a1: /usr/local/sbin/rocec-host changed on the device.")
	require.NotContains(t, story, "began")
}

// TestRefused lists runs that a site refuses or stops before it begins, by the sentence.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	again := func(change func(*deploy.Saved)) *deploy.Saved {
		of := *saved
		terms := *saved.Terms
		of.Terms = &terms
		change(&of)
		return deploy.NewSaved(of.Devices, of.Meta)
	}
	n := 0
	for says, body := range map[string][]byte{
		"wants 1 approval and has 0": w.envelope(saved, func(e *teamqueue.Envelope) { e.Agreement = nil }),
		"carol signed the submission of the plan, and alice sent it": w.envelope(saved, func(e *teamqueue.Envelope) {
			e.Agreement.Submitted.Signature = string(w.tokens["carol"].Sign("rocec-apply", e.Agreement.Submission(), 1))
		}),
		"no line has the key": w.envelope(saved, func(e *teamqueue.Envelope) {
			e.Agreement.Approvals[0].Signature = string(w.tokens["mallory"].Sign("rocec-approve", saved.Bytes(), 1))
		}),
		"names no commit":                  w.envelope(again(func(s *deploy.Saved) { s.Terms.Commit = strings.Repeat("a", 40) + "+" }), nil),
		"not have the com":                 w.envelope(again(func(s *deploy.Saved) { s.Terms.Commit = strings.Repeat("a", 40) }), nil),
		"their hash differs":               w.envelope(again(func(s *deploy.Saved) { s.Inputs = statement.Sum(nil) }), nil),
		"made the plan, and this site has": w.envelope(again(func(s *deploy.Saved) { s.Tool = "older" }), nil),
		"would get other content": w.envelope(again(func(s *deploy.Saved) {
			s.Devices = append([]deploy.SavedDevice{}, s.Devices...)
			for i := range s.Devices {
				s.Devices[i].Files = append([]deploy.SavedFile{}, s.Devices[i].Files...)
				s.Devices[i].Files[0].Target = statement.Sum([]byte("other"))
			}
		}), nil),
		"the waves would be others now": w.envelope(again(func(s *deploy.Saved) {
			s.Terms.Waves = []string{"a1", "tor1", "a2", "tor2", "b1", "b2"}
		}), nil),
	} {
		n++
		run := fmt.Sprintf("20261130t1000%02dz-cccc", n)
		w.submit(run, body)
		story := w.story(run)
		assert.Contains(t, story, says)
		assert.NotContains(t, story, "began", says)
	}
	w.stop("dc1")
	require.Equal(t, never1, w.counts("dc1"))
}

// TestQuestions lists questions that a site does not answer, or answers with a refusal.
func TestQuestions(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	good := w.commit
	for says, commit := range map[string]string{
		"names no commit by its whole hash": good[:12], "does not have the commit": strings.Repeat("b", 40),
	} {
		w.commit = commit
		_, refused := w.ask("dc1")
		require.Len(t, refused, 1)
		assert.Contains(t, refused[0], says)
		assert.NotContains(t, refused[0], w.dir)
	}
	w.commit = good
	q, err := json.Marshal(teamplan.Question{Commit: w.commit, Inputs: w.inputs(), Tool: "test"})
	require.NoError(t, err)
	site := w.sites["dc1"]
	w.stop("dc1")
	message := func(who string, st statement.Statement) *broker.Message {
		data := w.signed(who, &st, q)
		return &broker.Message{Subject: broker.Subject{Kind: broker.Ask, Fabric: "prod", Site: "dc1"}, Number: 9, At: time.Now(), Data: data}
	}
	ask := statement.Statement{Verb: statement.Ask, Site: "dc1"}
	for says, m := range map[string]*broker.Message{
		`does not allow bob`:    message("bob", ask),
		"no line has the key":   message("mallory", ask),
		"is for the site":       message("alice", statement.Statement{Verb: statement.Ask, Site: "dc2"}),
		"is no question":        message("alice", statement.Statement{Verb: statement.Submit, Run: run1}),
		"it is no signed state": {Subject: broker.Subject{Kind: broker.Ask, Fabric: "prod", Site: "dc1"}, Data: []byte("[")},
	} {
		_, _, _, err := site.asked(m)
		assert.ErrorContains(t, err, says)
	}
	_, _, _, err = site.asked(message("alice", ask))
	require.NoError(t, err)
	later := site.Worker
	later.o.Clock.Now = func() time.Time { return time.Now().Add(6 * time.Minute) }
	_, _, _, err = later.asked(message("alice", ask))
	require.ErrorContains(t, err, "good for 5 minutes")
}

// TestFullDisk: without its record a site begins nothing.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	state := filepath.Join(w.sites["dc1"].state, "state", "rocec")
	require.NoError(t, os.MkdirAll(state, 0o700))
	require.NoError(t, os.RemoveAll(filepath.Join(state, "runs")))
	require.NoError(t, os.Symlink("/dev/full", filepath.Join(state, "runs")))
	w.submit(run1, w.envelope(saved, nil))
	story := w.story(run1)
	require.NotContains(t, story, "began")
	require.Contains(t, story, "dc1 ")
	require.NoError(t, os.Remove(filepath.Join(state, "runs")))

	w.stop("dc1")
	s := w.sites["dc1"]
	w.start("dc1")
	saved = w.plan(nil, "dc1")
	s.mu.Lock()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	require.NoError(t, err)
	s.book.out.Close() //nolint:errcheck // the test replaces it
	s.book.out = full
	s.mu.Unlock()
	w.submit(run2, w.envelope(saved, nil))
	require.ErrorContains(t, <-s.ended, "The site begins nothing")
	s.cancel = nil
	require.NotContains(t, w.said(run2), "dc1")
	require.Equal(t, never1, w.counts("dc1"))
}

// TestOlderStore: a site uses nothing of a hub whose store is older than what the site has seen.
func TestOlderStore(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	w.submit(run1, w.envelope(saved, nil))
	requireWhole(t, w.story(run1))
	w.hub.Stop()
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "store")))
	w.up()
	for _, site := range []string{"dc1", "dc2"} {
		require.Eventually(t, func() bool {
			return strings.Contains(w.sites[site].Status().Trouble,
				"the store of the hub is older than what this site has seen: it ends with message 0")
		}, time.Minute, 50*time.Millisecond)
	}
	require.Eventually(t, w.persons.Connected, time.Minute, 50*time.Millisecond)
	terms := *saved.Terms
	terms.Nonce = "another"
	meta := saved.Meta
	meta.Terms = &terms
	w.submit(run2, w.envelope(deploy.NewSaved(saved.Devices, meta), nil))
	time.Sleep(2 * retryTime)
	require.Empty(t, w.said(run2))
}

// TestFleet measures a run over two sites, and checks that each device is changed once.
func TestFleet(t *testing.T) {
	machinetest.Long(t)
	t.Parallel()
	w := newTeam(t)
	racks := 1
	if *whole {
		racks = 4
	}
	head := strings.Index(fabric, "roce ")
	var text strings.Builder
	text.WriteString(fabric[:head])
	for n := range racks {
		text.WriteString(strings.NewReplacer(
			`"one"`, fmt.Sprintf(`"one%d"`, n), `"two"`, fmt.Sprintf(`"two%d"`, n), `"a"`, fmt.Sprintf(`"a%d"`, n), `"b"`, fmt.Sprintf(`"b%d"`, n),
			"host.a", fmt.Sprint("host.a", n), "host.b", fmt.Sprint("host.b", n), "a[1-2]", fmt.Sprintf("a%d[1-24]", n), "b[1-2]",
			fmt.Sprintf("b%d[1-24]", n), "tor1", fmt.Sprintf("tora%d", n), "tor2", fmt.Sprintf("torb%d", n), "swp[1-2]", "swp[1-24]",
		).Replace(fabric[head:]))
	}
	w.write(text.String())
	began := time.Now()
	parts, refused := w.ask("dc1", "dc2")
	require.Empty(t, refused)
	devices := map[string][]string{}
	for _, p := range parts {
		for _, d := range p.Devices {
			devices[p.Site] = append(devices[p.Site], d.Name)
		}
	}
	all := float64(len(devices["dc1"]) + len(devices["dc2"]))
	require.EqualValues(t, 50*racks, all)
	planned := time.Now()
	w.submit(run1, w.envelope(w.merge(parts, devices, nil), nil))
	require.Equal(t, 2, strings.Count(w.story(run1), "over complete"))
	ran := time.Since(planned)
	lines := w.wholeEvents("dc1", run1) + w.wholeEvents("dc2", run1)
	last, err := w.persons.Last(t.Context())
	require.NoError(t, err)
	t.Logf("%.0f devices: plan %s, run %s, %.1f devices a second; %.1f messages a device, %.1f lines of journals; hub has all after %s",
		all, planned.Sub(began), ran, all/ran.Seconds(), float64(last)/all, float64(lines)/all, time.Since(planned))
	for site, names := range devices {
		for name, n := range w.commits(site, run1) {
			require.Equal(t, 1, n, name)
		}
		require.Len(t, w.commits(site, run1), len(names))
	}
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	t.Logf("the process with the hub, both sites and all devices used at most %d MiB", used.Maxrss>>10)
}
