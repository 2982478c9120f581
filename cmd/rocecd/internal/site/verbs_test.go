package site

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	verbs "github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/targets/deploy/device"
)

// screen is what a verb prints.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// person returns the verbs of a person at a machine of his own, and what they print.
func (w *team) person(name string, role keys.Role) (*verbs.Client, *screen) {
	w.t.Helper()
	out := &screen{}
	g := globals.New(&person.Person{
		Stdin: strings.NewReader(""), Stdout: out, Stderr: out, Color: "never",
		Getenv: func(v string) string { return map[string]string{"HOME": filepath.Join(w.dir, name)}[v] },
	}, globals.Build{Version: "test", Tool: "test"})
	g.LogFormat = "text"
	require.NoError(w.t, g.Prepare())
	clock := device.Clock{Now: time.Now, Wait: time.After}
	return &verbs.Client{
		Session: session.New(g, clock), Hub: w.as(name+"-desk", role), Clock: clock, Signers: w.signers, Rights: &rights.Rights{}, Format: "text",
		Sign: func(_ context.Context, namespace string, message []byte) ([]byte, error) {
			return w.tokens[name].Sign(namespace, message, 1), nil
		},
	}, out
}

// has waits until a text has been printed.
func (s *screen) has(t *testing.T, text string) {
	t.Helper()
	there := func() bool { return strings.Contains(oneLine(s.String()), text) }
	require.Eventually(t, there, time.Minute, 10*time.Millisecond, "%s is not in %s", text, s)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestVerbs goes the way of a person: plan with the sites, submit, approve a wave that is held, follow, confirm, look at a device, and
// roll back.
func TestVerbs(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	alice, out := w.person("alice", keys.Operator)
	bob, _ := w.person("bob", keys.Operator)
	file := filepath.Join(w.dir, "change.plan")
	require.NoError(t, alice.Plan(t.Context(), w.repo, &verbs.PlanOptions{
		Out: file, Valid: time.Hour, Message: "ticket 4711", Sites: []string{"dc2", "dc1"}, Holds: []string{"dc1/2"}, Within: time.Hour,
	}))
	printed := oneLine(out.String())
	for _, text := range []string{
		"site dc2 3 changes in 3 waves", "wave dc1/1: tor1", "Wave dc1/2 waits for 1 approval, at most 1h after the wave before it.",
		"saved; submit it to the sites with: rocec apply --team --plan ",
	} {
		require.Contains(t, printed, text)
	}

	ended := make(chan error, 1)
	go func() {
		ended <- alice.Submit(t.Context(), &verbs.SubmitOptions{Plan: file, Approve: true, Hold: 10 * time.Minute})
	}()
	out.has(t, "held: wave dc1/2 is held for 1 approval and has 0, until")
	name := regexp.MustCompile(`Submitted as run (\S+) `).FindStringSubmatch(out.String())[1]
	require.ErrorContains(t, alice.ApproveWave(t.Context(), name, "dc1/2", true), "does not allow alice to sign")
	require.ErrorContains(t, bob.ApproveWave(t.Context(), name, "dc1/1", true), "is not held")
	require.NoError(t, bob.ApproveWave(t.Context(), name, "dc1/2", true))
	require.NoError(t, <-ended, "the follower ends where the run waits for a person")
	printed = oneLine(out.String())
	for _, text := range []string{
		"the site dc1 takes the run", "wave dc2/1 begins", "wave dc2/3 is complete (b2)", "bob approves wave dc1/2",
		"All waves of the run " + name + " are complete, and it waits to be confirmed", "rocec confirm --team " + name,
	} {
		require.Contains(t, printed, text)
	}
	require.Less(t, strings.Index(printed, "wave dc2/3 is complete"), strings.Index(printed, "wave dc1/1 begins"), "sites follow each other")

	require.NoError(t, alice.SayAbout(t.Context(), &verbs.SayOptions{Verb: statement.Confirm, Run: "last"}))
	out.has(t, "The run "+name+" is over: complete.")
	require.NoError(t, verbs.Device(t.Context(), alice.Session, alice.Ledger(""), "b2", "text"))
	require.Regexp(t, name+` .* alice .* complete +applied`, out.String())
	require.NoError(t, alice.Show(t.Context(), &verbs.ShowOptions{Run: name}))
	out.has(t, "site dc2 complete dc2/1 complete tor2")

	require.NoError(t, alice.SayAbout(t.Context(), &verbs.SayOptions{Verb: statement.Rollback, Run: name, Yes: true}))
	out.has(t, "is over: rolled-back: alice rolled the run back.")
	err := alice.SayAbout(t.Context(), &verbs.SayOptions{Verb: statement.Rollback, Run: name, Yes: true})
	require.ErrorContains(t, err, "rolled back already")

	// The journals of the sites have the same outcomes as the stream.
	for site, names := range siteOf {
		dir, err := w.session(site).Journals()
		require.NoError(t, err)
		for _, name := range names {
			list, err := (&ledger.Files{Dir: dir, Clock: alice.Clock}).Device(t.Context(), name)
			require.NoError(t, err)
			require.Len(t, list.Runs, 2, "the run, and the way back")
			require.Equal(t, ledger.RolledBack, list.Runs[1].State)
			require.Equal(t, site, list.Runs[1].Sites[0].Site)
		}
	}
}

// TestVerbsDetached: a person detaches, and stops following, and the sites go on. A reader submits nothing, and files that are not
// committed are no plan.
func TestVerbsDetached(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	alice, out := w.person("alice", keys.Operator)
	file := filepath.Join(w.dir, "change.plan")
	require.NoError(t, alice.Plan(t.Context(), w.repo, &verbs.PlanOptions{Out: file, Valid: time.Hour}))
	reader, _ := w.person("carol", keys.Reader)
	require.ErrorContains(t, reader.Submit(t.Context(), &verbs.SubmitOptions{Plan: file, Approve: true, Detach: true}),
		"a reader submits nothing")
	bob, _ := w.person("bob", keys.Operator)
	require.ErrorContains(t, bob.Submit(t.Context(), &verbs.SubmitOptions{Plan: file, Approve: true, Detach: true}),
		"does not allow bob to sign")
	require.NoError(t, alice.Submit(t.Context(), &verbs.SubmitOptions{Plan: file, Approve: true, Detach: true}))
	name := regexp.MustCompile(`Submitted as run (\S+) `).FindStringSubmatch(out.String())[1]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, alice.Follow(ctx, name, ""), "you follow the run no longer")
	alice.Format = "json"
	require.NoError(t, alice.Follow(t.Context(), name, ""))
	require.Contains(t, out.String(), `"state":"complete"`)
	require.Equal(t, wholeStory, w.said(name))

	require.NoError(t, os.WriteFile(filepath.Join(w.repo, "more.hcl"), []byte("\n"), 0o600))
	require.ErrorContains(t, alice.Plan(t.Context(), w.repo, &verbs.PlanOptions{Valid: time.Hour}), "has changes that are not committed")
}

// TestVerbsHubAway: a person who follows a run hears that the hub is away and is back, and the run goes on to its end.
func TestVerbsHubAway(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	alice, out := w.person("alice", keys.Operator)
	bob, _ := w.person("bob", keys.Operator)
	file := filepath.Join(w.dir, "change.plan")
	require.NoError(t, alice.Plan(t.Context(), w.repo, &verbs.PlanOptions{
		Out: file, Valid: time.Hour, Holds: []string{"dc2/1"}, Within: time.Hour,
	}))
	ended := make(chan error, 1)
	go func() { ended <- alice.Submit(t.Context(), &verbs.SubmitOptions{Plan: file, Approve: true}) }()
	out.has(t, "held: wave dc2/1 is held for 1 approval")
	w.hub.Stop()
	out.has(t, "the hub is away. The sites go on with waves that need no statement of another site")
	require.ErrorContains(t, bob.ApproveWave(t.Context(), "last", "dc2/1", true), "This verb changed nothing.")
	w.up()
	out.has(t, "the hub is back")
	require.Eventually(t, bob.Hub.Connected, time.Minute, 10*time.Millisecond)
	require.NoError(t, bob.ApproveWave(t.Context(), "last", "dc2/1", true))
	require.NoError(t, <-ended)
	out.has(t, "is over: complete.")
}
