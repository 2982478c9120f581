package site

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
)

// lines are the allowed signers of sites and persons, which a test changes while they work.
type lines struct {
	*team
	all []string
	now atomic.Pointer[sshsig.Signers]
}

// newLines makes a team whose sites read such lines. The first line is the one of alice.
func newLines(t *testing.T) *lines {
	t.Helper()
	w := &lines{team: newTeam(t)}
	for _, one := range []string{
		"alice rocec-plan,rocec-apply", "bob rocec-approve", "carol rocec-approve,rocec-apply", "site:dc1 rocec-site", "site:dc2 rocec-site",
	} {
		name, roles, _ := strings.Cut(one, " ")
		w.all = append(w.all, name+" namespaces=\""+roles+"\" "+w.tokens[name].Line())
	}
	w.set(w.all)
	for name := range siteOf {
		w.sites[name].signers = func() (*sshsig.Signers, error) { return w.now.Load(), nil }
		w.again(name)
	}
	return w
}

// set makes these lines count.
func (w *lines) set(lines []string) {
	w.t.Helper()
	signers, err := sshsig.ParseSigners([]byte(strings.Join(lines, "\n")))
	require.NoError(w.t, err)
	w.now.Store(signers)
	w.signers = signers
}

// again stops a site and starts it.
func (w *lines) again(site string) {
	w.t.Helper()
	w.stop(site)
	w.start(site)
}

// TestSignersChange: sites notice that the file of allowed signers has changed. A person whose line has gone changes no device, and another
// person still undoes what that person began, also after the sites have started again. A run that came before its line begins when the line
// is there.
func TestSignersChange(t *testing.T) {
	t.Parallel()
	w := newLines(t)
	first, second := w.plan(nil, "dc1", "dc2"), w.plan(nil, "dc1", "dc2")
	digest := w.submit(run1, w.envelope(first, nil))
	require.Equal(t, 2, strings.Count(w.story(run1), "over complete"))

	w.set(w.all[1:]) // alice leaves
	w.submit(run2, w.envelope(second, nil))
	rejects := func(site string) bool {
		s := w.sites[site]
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, one := range s.queue.Rejected {
			if strings.Contains(one.What, "submit") && strings.Contains(one.Why, "no line has the key") {
				return s.queue.Run(run2) == nil
			}
		}
		return false
	}
	for site := range siteOf {
		require.Eventually(t, func() bool { return rejects(site) }, time.Minute, 20*time.Millisecond, site)
	}
	require.Empty(t, w.said(run2))
	for site, s := range w.sites {
		w.again(site)
		s.mu.Lock()
		r := s.queue.Run(run1)
		require.NotNil(t, r, site)
		require.Equal(t, "alice", r.By)
		require.True(t, r.Over(time.Now()), "a run that is over stands before no other one")
		s.mu.Unlock()
	}
	r := w.queue().Run(run1) // of a person who reads all anew
	require.NotNil(t, r)
	require.NotEmpty(t, r.Vouched)
	w.says("carol", broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run1},
		statement.Statement{Verb: statement.Rollback, Run: run1, Digest: digest}, nil)
	require.Eventually(t, func() bool { return strings.Count(w.said(run1), "over complete the share is undone") == 2 }, 2*time.Minute,
		50*time.Millisecond, "%s", w.said(run1))

	w.set(w.all) // alice is back, and nothing else is sent
	for site := range siteOf {
		require.Eventually(t, func() bool { return strings.Contains(w.said(run2), site+" over") }, 2*time.Minute, 50*time.Millisecond, site)
	}
}

// TestVouchedRun: a site that was away and finds no line any more for a run that another site has taken refuses it with that reason. So the
// other site ends its share, and the next run begins.
func TestVouchedRun(t *testing.T) {
	t.Parallel()
	w := newLines(t)
	first := w.plan(nil, "dc1", "dc2")
	w.stop("dc2")
	w.submit(run1, w.envelope(first, nil))
	require.Eventually(t, func() bool {
		r := w.queue().Run(run1)
		return r != nil && !r.ShareOf("dc1").Taken.IsZero()
	}, time.Minute, 20*time.Millisecond)
	w.set(w.all[1:])
	w.start("dc2")
	said := w.story(run1)
	require.Contains(t, said, "dc2 refused no line of the allowed signers here has the key SHA256:")
	require.Contains(t, said, "dc1 over stopped the site dc2 refuses the run: no line")
	require.NotContains(t, said, "began")
}
