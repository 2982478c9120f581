package site

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

var whole = flag.Bool("whole", false, "stop and kill a site at every line of its journal, use 200 devices, and break many connections")

// wire forwards the connections of a site to the hub. It draws what happens to each piece of data.
type wire struct {
	port int
	to   string

	mu   sync.Mutex
	rand *rand.Rand
	met  map[string]int // by kind
}

// The kinds of trouble on a wire.
const (
	cut    = "cut"    // both directions end
	held   = "held"   // a piece comes later
	split  = "split"  // a piece comes as single bytes and short pieces
	silent = "silent" // nothing comes any more, and then the connection ends
)

func newWire(t *testing.T, hub int, seed uint64) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wire{
		port: listener.Addr().(*net.TCPAddr).Port, to: fmt.Sprintf("127.0.0.1:%d", hub), rand: rand.New(rand.NewPCG(seed, 0)),
		met: map[string]int{},
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", w.to)
			if err != nil { // the hub is away
				from.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
				all.Go(func() {
					defer from.Close()
					defer to.Close()
					w.pump(way[0], way[1])
				})
			}
		}
	})
	t.Cleanup(func() { listener.Close() })
	return w
}

// draw returns what happens to a piece; empty: nothing.
func (w *wire) draw() (kind string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch p := w.rand.IntN(1000); {
	case p < 6:
		kind = cut
	case p < 10:
		kind = silent
	case p < 110:
		kind = held
	case p < 310:
		kind = split
	default:
		return "", 0
	}
	w.met[kind]++
	return kind, 1 + w.rand.IntN(60)
}

func (w *wire) pump(from, to net.Conn) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		data := piece[:n]
		kind, amount := w.draw()
		switch kind {
		case cut:
			return
		case silent:
			time.Sleep(time.Duration(amount) * 20 * time.Millisecond)
			return
		case held:
			time.Sleep(time.Duration(amount) * time.Millisecond)
		case split:
			for i := 0; i < 100 && len(data) > amount; i++ {
				if _, err := to.Write(data[:amount]); err != nil {
					return
				}
				data = data[amount:]
			}
		}
		if _, err := to.Write(data); err != nil {
			return
		}
	}
}

// fresh starts both sites with new devices.
func (w *team) fresh() {
	w.t.Helper()
	for _, site := range []string{"dc1", "dc2"} {
		w.stop(site)
		require.NoError(w.t, os.RemoveAll(filepath.Join(w.sites[site].state, "lab")))
		w.start(site)
	}
}

// requireOnce checks that a run is complete at both sites, that the hub has all lines of the journals, and that the run has changed each
// device once.
func (w *team) requireOnce(run string) {
	w.t.Helper()
	requireWhole(w.t, w.story(run))
	w.requireChanged(run)
}

// requireChanged is requireOnce without the statements.
func (w *team) requireChanged(run string) {
	w.t.Helper()
	for site, names := range siteOf {
		w.wholeEvents(site, run)
		want := map[string]int{}
		for _, name := range names {
			want[name] = 1
		}
		require.Equal(w.t, want, w.commits(site, run))
	}
}

// TestWire: connections of both sites end, wait, fall silent and come in pieces. Each run is complete, and the hub has each line once.
func TestWire(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	wires := map[string]*wire{}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i, site := range []string{"dc1", "dc2"} {
		w.stop(site)
		wires[site] = newWire(t, w.port, seed+uint64(i))
		w.sites[site].port = wires[site].port
		w.start(site)
	}
	enough := func(n int) bool {
		for _, kind := range []string{cut, held, split, silent} {
			met := 0
			for _, of := range wires {
				of.mu.Lock()
				met += of.met[kind]
				of.mu.Unlock()
			}
			if met < n {
				return false
			}
		}
		return true
	}
	each, runs := 1, 0
	if *whole {
		each = 25
	}
	for ; !enough(each); runs++ {
		require.Less(t, runs, 40*each, "each kind comes within this many runs")
		if runs > 0 {
			w.fresh()
		}
		run := fmt.Sprintf("20261130t11%02d%02dz-dddd", runs/60, runs%60)
		w.submit(run, w.envelope(w.plan(nil, "dc1", "dc2"), nil))
		w.requireOnce(run)
	}
	t.Logf("%d runs: dc1 met %v, dc2 met %v", runs, wires["dc1"].met, wires["dc2"].met)
}

// TestClocks: the clocks of two sites are eight minutes apart, and four from those of the hub and of the persons. A run goes over both.
func TestClocks(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	for site, ahead := range map[string]time.Duration{"dc1": 4 * time.Minute, "dc2": -4 * time.Minute} {
		w.stop(site)
		w.sites[site].ahead = ahead
		w.start(site)
	}
	w.submit(run1, w.envelope(w.plan(nil, "dc1", "dc2"), nil))
	w.requireOnce(run1)
}

// TestLargest: a site reads a message of the largest size that changes nothing, and does the next run.
func TestLargest(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	to := broker.Subject{Kind: broker.Submit, Fabric: "prod"}
	junk := []byte(strings.Repeat("x", broker.MaxMessage))
	_, err := w.persons.Publish(t.Context(), to, "junk", junk)
	require.NoError(t, err)
	st := statement.Statement{Verb: statement.Submit, Run: run2}
	body := []byte(strings.Repeat("[", broker.MaxMessage/4*3-(8<<10))) // signed and encoded
	data := w.signed("alice", &st, body)
	require.Greater(t, len(data), broker.MaxMessage-(16<<10))
	_, err = w.persons.Publish(t.Context(), to, st.Nonce, data)
	require.NoError(t, err)
	_, err = w.persons.Publish(t.Context(), to, "more", append(junk, 'x'))
	require.ErrorContains(t, err, "larger than 24 MiB")
	w.submit(run1, w.envelope(w.plan(nil, "dc1", "dc2"), nil))
	w.requireOnce(run1)
	require.Nil(t, w.queue().Run(run2))
}

// TestStreamDeleted: a stream that is deleted under a running hub is a trouble of each site. A site that has begun ends its waves. After a
// rebuild the run goes on.
func TestStreamDeleted(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	w.submit(run1, w.envelope(w.plan(nil, "dc1", "dc2"), nil))
	require.Eventually(t, func() bool { return strings.Contains(w.said(run1), "dc1 began 1") }, time.Minute, 10*time.Millisecond)
	w.deleteStream()
	for _, site := range []string{"dc1", "dc2"} {
		require.Eventually(t, func() bool { return strings.Contains(w.sites[site].Status().Trouble, "has no stream ROCEC") }, time.Minute,
			50*time.Millisecond, "%s: %s", site, w.sites[site].Status().Trouble)
		require.True(t, w.sites[site].Status().Connected)
	}
	require.Eventually(t, func() bool {
		l, err := w.session("dc1").ReadRun(run1)
		return err == nil && l.Ended != nil
	}, time.Minute, 50*time.Millisecond)
	hub := w.as("hub2", keys.Hub)
	require.NoError(t, hub.Make(t.Context(), broker.Limits{Bytes: 1 << 30, Age: time.Hour}))
	for _, site := range []string{"dc1", "dc2"} {
		require.Eventually(t, func() bool {
			return strings.Contains(w.sites[site].Status().Trouble, "rocecd rebuild --after ")
		}, time.Minute, 50*time.Millisecond)
	}
	w.rebuild(t, 1) // what the hub lacked comes twice: by the rebuild, and by the worker
	w.story(run1)
	for _, s := range w.queue().Run(run1).Shares {
		require.Equal(t, statement.Complete, s.Outcome, s.Site)
		require.Len(t, s.Waves, 3, s.Site)
	}
	w.requireChanged(run1)
}

// deleteStream deletes the stream as an administrator of NATS can. No user of the ring has the right.
func (w *team) deleteStream() {
	w.t.Helper()
	seed, err := os.ReadFile(filepath.Join(w.dir, "keys", "account.nk"))
	require.NoError(w.t, err)
	account, err := nkeys.FromSeed(bytes.TrimSpace(seed))
	require.NoError(w.t, err)
	user, err := nkeys.CreateUser()
	require.NoError(w.t, err)
	public, err := user.PublicKey()
	require.NoError(w.t, err)
	token, err := jwt.NewUserClaims(public).Encode(account)
	require.NoError(w.t, err)
	login := nats.UserJWT(func() (string, error) { return token, nil }, user.Sign)
	conn, err := nats.Connect(fmt.Sprintf("tls://127.0.0.1:%d", w.port), login, nats.RootCAs(w.ring.CA()))
	require.NoError(w.t, err)
	defer conn.Close()
	m, err := conn.Request("$JS.API.STREAM.DELETE."+broker.Stream, nil, time.Minute)
	require.NoError(w.t, err)
	var answer struct{ Success bool }
	require.NoError(w.t, json.Unmarshal(m.Data, &answer))
	require.True(w.t, answer.Success, "%s", m.Data)
}
