package pages

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/cmd/rocecd/internal/server"
	"github.com/rocec/rocec/targets/deploy/device"
)

// hub is a server with its keys.
type hub struct {
	t    *testing.T
	dir  string
	ring *keys.Ring
	*server.Hub
	port int
}

func (h *hub) up() {
	h.t.Helper()
	h.start()
	b := h.as("hub", keys.Hub)
	defer b.Close()
	require.NoError(h.t, b.MakeAlive(h.t.Context(), 1))
}

// start starts the server without the stream of the signs of life, which is in memory.
func (h *hub) start() {
	h.t.Helper()
	var err error
	h.Hub, err = server.Start(server.Options{
		Port: h.port, Store: filepath.Join(h.dir, "store"), Ring: h.ring, Plain: true, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(h.t, err)
	at, err := url.Parse(h.URL())
	require.NoError(h.t, err)
	_, err = fmt.Sscan(at.Port(), &h.port)
	require.NoError(h.t, err)
	b := h.as("hub", keys.Hub)
	defer b.Close()
	require.NoError(h.t, b.Make(h.t.Context(), broker.Limits{Bytes: 1 << 20, Age: time.Hour}))
}

func (h *hub) as(name string, role keys.Role) *broker.Broker {
	h.t.Helper()
	creds, err := h.ring.Add(name, role, time.Hour)
	require.NoError(h.t, err)
	require.NoError(h.t, h.Reload())
	file := filepath.Join(h.dir, name+".creds")
	require.NoError(h.t, os.WriteFile(file, creds, 0o600))
	b, err := broker.Open(broker.Where{URL: fmt.Sprintf("nats://127.0.0.1:%d", h.port), Creds: file, Name: name}, nil)
	require.NoError(h.t, err)
	return b
}

// TestFeed: pages follow a hub. They show its runs, looks and sites, state when the hub is away, and read a hub anew that is back with
// another store.
func TestFeed(t *testing.T) {
	h := &hub{t: t, dir: t.TempDir(), port: -1}
	var err error
	h.ring, err = keys.Make(filepath.Join(h.dir, "keys"), time.Now)
	require.NoError(t, err)
	h.up()
	defer func() { h.Stop() }()

	s := newStory(t)
	s.now = time.Now().UTC().Truncate(time.Second)
	publish := func(b *broker.Broker, m *broker.Message) {
		t.Helper()
		_, err := b.Publish(t.Context(), m.Subject, fmt.Sprint(m.Number), m.Data)
		require.NoError(t, err)
	}
	run := func(name string) *broker.Message {
		m, _ := s.submission(name, "")
		return m
	}
	var signers atomic.Pointer[sshsig.Signers]
	signers.Store(s.signers)
	persons, site := h.as("alice", keys.Operator), h.as("dc1", keys.Site)
	publish(persons, run(done))
	look, _ := s.message(broker.Look, "site:dc1", statement.Statement{Verb: statement.Looked, Site: "dc1", Outcome: statement.Complete},
		[]byte(`{"every_seconds":900,"devices":{"good":7}}`))
	publish(site, look)
	publish(site, &broker.Message{Subject: look.Subject, Number: 99, Data: []byte("forged")})
	require.NoError(t, site.Beat("dc1"))

	of := h.as("pages", keys.Reader)
	of.Close()
	f := NewFeed(FeedOptions{
		Connect: func() (*broker.Broker, error) {
			return broker.Open(broker.Where{
				URL: fmt.Sprintf("nats://127.0.0.1:%d", h.port), Creds: filepath.Join(h.dir, "pages.creds"), Name: "pages",
			}, nil)
		},
		Signers: func() (*sshsig.Signers, error) { return signers.Load(), nil },
		Clock:   device.Clock{Now: time.Now, Wait: time.After}, Log: slog.New(slog.DiscardHandler),
	})
	shows := func(want ...string) {
		t.Helper()
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			got := text(t, get(t, f, Operator, http.MethodGet, "/"))
			for _, one := range want {
				require.Contains(c, got, one)
			}
		}, time.Minute, 50*time.Millisecond)
	}
	shows("This page does not have what the hub has now: the hub has not been read yet", "Every run is over.")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go f.Run(ctx)
	shows(done, "7 good", `<span class="alive">alive</span>`)
	require.Empty(t, f.Trouble())
	for _, path := range []string{"/index.json", "/metrics", "/runs/" + done, "/runs/" + done + ".json"} {
		require.Contains(t, text(t, get(t, f, Operator, http.MethodGet, path)), "prod")
	}
	publish(persons, run(going)) // while it follows
	shows(going)

	var none sshsig.Signers
	signers.Store(&none) // the page notices it, and keeps what it has verified
	require.Eventually(t, func() (is bool) {
		f.Read(func(q *teamqueue.Queue, _ []teamlook.SiteLook) { is = q.Trusts(&none) })
		return is
	}, time.Minute, 50*time.Millisecond)
	publish(persons, run(next))
	require.Eventually(t, func() (is bool) {
		f.Read(func(q *teamqueue.Queue, _ []teamlook.SiteLook) { is = len(q.Rejected) == 1 && q.Run(next) == nil })
		return is
	}, time.Minute, 50*time.Millisecond)
	shows(done, going)
	signers.Store(s.signers)
	shows(done, going, next)

	h.Stop()
	shows("This page does not have what the hub has now: since ", done, going)
	since, _, _ := strings.Cut(f.Trouble(), "Z: ")
	h.start() // it has the messages, and cannot tell which sites are alive
	require.Eventually(t, func() bool { return strings.Contains(f.Trouble(), "no stream for signs") }, time.Minute, 50*time.Millisecond)
	require.Never(t, func() bool { return !strings.HasPrefix(f.Trouble(), since) }, 2500*time.Millisecond, 5*time.Millisecond)
	h.Stop()
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, "store")))
	h.up()
	require.Eventually(t, func() bool { return f.Trouble() == "" && f.known() == 0 }, time.Minute, 50*time.Millisecond)
}

// known returns how many looks the feed has.
func (f *Feed) known() (n int) {
	f.Read(func(_ *teamqueue.Queue, looks []teamlook.SiteLook) { n = len(looks) })
	return n
}
