package site

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
)

// thief is a hub that an attacker has: it delivers what it wants to each site, with numbers and times of its choice, and has no key.
type thief struct {
	*team
	number uint64
	had    map[string]int // statements of a site that were taken from it
}

// gives delivers a message to a site.
func (h *thief) gives(site string, of broker.Subject, data []byte) {
	h.number++
	of.Fabric = "prod"
	_ = h.sites[site].take(&broker.Message{Subject: of, Number: h.number, At: time.Now(), Data: data})
}

// takes returns the next statement of a site with a verb, and drops those before it.
func (h *thief) takes(site string, verb statement.Verb) []byte {
	h.t.Helper()
	var out []byte
	require.Eventually(h.t, func() bool {
		s := h.sites[site]
		s.mu.Lock()
		defer s.mu.Unlock()
		for h.had[site] < len(s.book.said) {
			one := s.book.said[h.had[site]]
			h.had[site]++
			if strings.Contains(one.Text, "\nverb "+string(verb)+"\n") {
				out = one.Data
				return true
			}
		}
		return false
	}, time.Minute, 20*time.Millisecond, "%s %s", site, verb)
	return out
}

// TestHubIsAttacker: whatever a stolen hub forges, replays, redirects, alters, drops and reorders, a site begins no wave before it has the
// statements of the sites before, and each site has the record of its own work.
func TestHubIsAttacker(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved := w.plan(nil, "dc1", "dc2")
	w.hub.Stop()
	h := &thief{w, 1000, map[string]int{}}
	body := w.envelope(saved, nil)
	of := statement.Statement{Verb: statement.Submit, Run: run1}
	submit := w.signed("alice", &of, body)
	digest := of.Digest
	waveOf := func(site string) broker.Subject { return broker.Subject{Kind: broker.Wave, Run: run1, Site: site} }
	about := func(st statement.Statement) *statement.Statement {
		st.Run, st.Digest, st.Epoch = run1, digest, h.number
		return &st
	}
	for _, who := range []string{"mallory", "bob"} { // who may not submit
		st := statement.Statement{Verb: statement.Submit, Run: run2}
		h.gives("dc1", broker.Subject{Kind: broker.Submit}, w.signed(who, &st, body))
	}
	altered := bytes.Replace(submit, []byte("verb submit"), []byte("verb resume"), 1)
	h.gives("dc1", broker.Subject{Kind: broker.Submit}, altered)
	h.number = 1100 // both sites get the run as the same message
	h.gives("dc1", broker.Subject{Kind: broker.Submit}, submit)
	h.number = 1100
	h.gives("dc2", broker.Subject{Kind: broker.Submit}, submit)
	h.number = 1101
	taken1, taken2 := h.takes("dc1", statement.Taken), h.takes("dc2", statement.Taken)
	waits := func(site, text string) {
		t.Helper()
		require.Eventually(t, func() bool { return w.sites[site].Status().Waits[run1] == text }, time.Minute, 20*time.Millisecond, text)
	}
	waits("dc1", "the site dc2 has not taken the run")
	h.gives("dc1", waveOf("dc2"), taken1) // the statement of another site
	h.gives("dc1", waveOf("dc2"), w.signed("mallory", about(statement.Statement{Verb: statement.Taken, Site: "dc2"}), nil))
	h.gives("dc1", waveOf("dc2"), w.signed("site:dc1", about(statement.Statement{Verb: statement.Taken, Site: "dc2"}), nil))
	waits("dc1", "the site dc2 has not taken the run")
	h.gives("dc1", waveOf("dc2"), taken2)
	h.gives("dc2", waveOf("dc1"), taken1)
	ended := [][]byte{h.takes("dc1", statement.Ended), h.takes("dc1", statement.Ended), h.takes("dc1", statement.Ended)}
	over := h.takes("dc1", statement.Over)

	waits("dc2", "wave dc1/1 is not over")
	h.gives("dc2", waveOf("dc1"), bytes.Replace(ended[0], []byte(`\nwave 1\n`), []byte(`\nwave 3\n`), 1))
	for _, who := range []string{"mallory", "alice", "site:dc2"} {
		st := about(statement.Statement{Verb: statement.Ended, Site: "dc1", Wave: 3, Outcome: statement.Complete})
		h.gives("dc2", waveOf("dc1"), w.signed(who, st, nil))
	}
	other := about(statement.Statement{Verb: statement.Ended, Site: "dc1", Wave: 3, Outcome: statement.Complete})
	other.Digest = statement.Sum([]byte("another envelope"))
	h.gives("dc2", waveOf("dc1"), w.signed("site:dc1", other, nil))
	h.gives("dc2", broker.Subject{Kind: broker.Wave, Run: run2, Site: "dc1"}, ended[2])
	h.gives("dc2", waveOf("dc1"), []byte(strings.Repeat("[", 1<<20)))
	h.gives("dc2", broker.Subject{Kind: broker.Submit}, submit) // the run again
	waits("dc2", "wave dc1/1 is not over")
	h.gives("dc2", waveOf("dc1"), ended[1])
	h.gives("dc2", waveOf("dc1"), over)
	waits("dc2", "wave dc1/1 is not over")
	h.gives("dc2", waveOf("dc1"), ended[0])
	waits("dc2", "wave dc1/3 is not over")
	later := h.number
	h.number = 1050 // below what the site has seen
	h.gives("dc2", waveOf("dc1"), ended[2])
	h.number = later
	waits("dc2", "wave dc1/3 is not over")
	_, err := w.session("dc2").ReadRun(run1)
	require.Error(t, err, "the site has begun nothing")
	h.gives("dc2", waveOf("dc1"), ended[2])
	h.takes("dc2", statement.Over)

	for _, site := range []string{"dc1", "dc2"} { // the record of a site needs no hub
		l, err := w.session(site).ReadRun(run1)
		require.NoError(t, err)
		require.NotNil(t, l.Ended)
		assert.Equal(t, digest, l.Team.Digest)
		assert.Equal(t, "bob", l.Agreement.Approvals[0].Person)
		assert.Equal(t, "alice", l.Team.By)
		w.stop(site)
	}
	require.Equal(t, once1, w.counts("dc1"))
	require.Equal(t, once2, w.counts("dc2"))
	for _, site := range []string{"dc1", "dc2"} {
		for _, m := range w.sites[site].queue.Rejected {
			assert.NotEmpty(t, m.Why)
		}
	}
	rejected, err := json.Marshal(w.sites["dc2"].queue.Rejected)
	require.NoError(t, err)
	t.Logf("%s", rejected)
}
