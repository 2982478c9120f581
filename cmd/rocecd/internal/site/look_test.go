package site

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// rarely is an interval in which no look falls into a test.
const rarely = 200 * time.Hour

// board waits until the hub has n looks of dc1, and folds them.
func (w *team) board(n int) teamlook.SiteLook {
	w.t.Helper()
	var b *teamlook.Board
	require.Eventually(w.t, func() bool {
		b = teamlook.NewBoard(w.signers)
		have := 0
		require.NoError(w.t, w.persons.Read(w.t.Context(), 1, []broker.Subject{{Kind: broker.Look}}, func(m *broker.Message) error {
			have++
			for _, secret := range []string{w.dir, "127.0.0.1", "rocec-host", "/"} {
				assert.NotContains(w.t, string(bodyOf(w.t, m)), secret)
			}
			return b.Take(m)
		}))
		return have >= n
	}, time.Minute, 50*time.Millisecond)
	require.Len(w.t, b.Entries(), 1)
	return b.Entries()[0]
}

func bodyOf(t *testing.T, m *broker.Message) []byte {
	t.Helper()
	var signed statement.Signed
	require.NoError(t, json.Unmarshal(m.Data, &signed))
	return signed.Body
}

// TestLook: a site verifies its devices at the newest commit of its mirror. It publishes counts, codes and names, signed. A look that could
// not be made has its reason, and the one before is kept.
func TestLook(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	w.stop("dc2")
	w.stop("dc1")
	w.every = rarely
	w.start("dc1")
	s := w.sites["dc1"]
	looks := 0
	look := func() teamlook.SiteLook {
		t.Helper()
		time.Sleep(time.Second) // statements have whole seconds
		require.NoError(t, s.watches[0].Look(t.Context()))
		looks++
		return w.board(looks)
	}
	e := look()
	require.Empty(t, e.Failed)
	require.Equal(t, []any{w.commit, false, int(rarely / time.Second)}, []any{e.Last.Commit, e.Last.Good, e.Every})
	require.Equal(t, map[string]int{"drift": 3}, e.Last.Devices)
	require.Equal(t, []teamlook.Set{{Status: "drift", Devices: "a[1-2] and tor1"}}, e.Last.Unlike)
	require.Equal(t, e.Made, e.At)

	w.submit(run1, w.envelope(w.plan(nil, "dc1"), nil))
	require.Contains(t, w.story(run1), "dc1 over complete")
	e = look()
	require.Equal(t, []any{true, map[string]int{"good": 3}}, []any{e.Last.Good, e.Last.Devices})
	require.Empty(t, append(e.Last.Findings, teamlook.Found{})[1:])

	w.inside("dc1", func(l *lab.Lab) {
		_, said, status := l.Device("a1").Run(t.Context(), "root", "echo by hand > /usr/local/sbin/rocec-host", "")
		require.Zero(t, status, said)
	})
	w.write(fabric + "# a later commit\n")
	e = look()
	require.Equal(t, []any{w.commit, false}, []any{e.Last.Commit, e.Last.Good})
	require.Equal(t, []teamlook.Set{{Status: "drift", Devices: "a1"}}, e.Last.Unlike)
	made := e.Made

	w.write("fabric \"prod\" {}\nnonsense\n")
	e = look()
	require.Equal(t, "the fabric has errors; the log of the site has them", e.Failed)
	require.Equal(t, made, e.Made)
	require.NotNil(t, e.Last)
	require.NoDirExists(t, filepath.Join(s.state, "look", "look"))
}

// TestLookDuringRun: while a run of its own is under way, a site does not look, and says so.
func TestLookDuringRun(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	w.stop("dc1")
	w.stop("dc2")
	w.every = rarely
	w.start("dc1")
	w.submit(run1, w.envelope(w.plan(nil, "dc1"), func(e *teamqueue.Envelope) { e.Hold = 3600 }))
	w.until(broker.Subject{Kind: broker.Wave, Fabric: "prod", Run: run1}, 1, func(m *broker.Message) bool {
		var signed statement.Signed
		require.NoError(t, json.Unmarshal(m.Data, &signed))
		st, err := statement.Parse([]byte(signed.Text))
		return err == nil && st.Verb == statement.Waits
	})
	require.NoError(t, w.sites["dc1"].watches[0].Look(t.Context()))
	e := w.board(1)
	require.Equal(t, "the run "+run1+" is under way at this site", e.Failed)
	require.Nil(t, e.Last)
}

// TestLooksByThemselves: the worker looks at each interval without a call.
func TestLooksByThemselves(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	w.stop("dc1")
	w.stop("dc2")
	w.every = 3 * time.Second
	w.start("dc1")
	e := w.board(1)
	require.Equal(t, 3, e.Every)
	require.Equal(t, 3, e.Last.Devices["drift"])
}
