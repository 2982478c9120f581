package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

// hub is a running server with its ring.
type hub struct {
	*Hub
	ring *keys.Ring
	dir  string
}

func start(t *testing.T) *hub {
	t.Helper()
	dir := t.TempDir()
	ring, err := keys.Make(filepath.Join(dir, "keys"), time.Now)
	require.NoError(t, err)
	require.NoError(t, ring.Server([]string{"localhost", "127.0.0.1"}, time.Hour))
	h := &hub{ring: ring, dir: dir}
	h.up(t)
	t.Cleanup(func() { h.Stop() })
	b := h.as(t, "hub", keys.Hub)
	require.NoError(t, b.Make(t.Context(), broker.Limits{Bytes: 1 << 30, Age: time.Hour}))
	return h
}

func (h *hub) up(t *testing.T) {
	t.Helper()
	s, err := Start(Options{Port: -1, Store: filepath.Join(h.dir, "store"), Ring: h.ring, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	h.Hub = s
}

// as connects as a new user with a role.
func (h *hub) as(t *testing.T, name string, role keys.Role) *broker.Broker {
	t.Helper()
	creds, err := h.ring.Add(name, role, time.Hour)
	require.NoError(t, err)
	require.NoError(t, h.Reload())
	file := filepath.Join(h.dir, name+".creds")
	require.NoError(t, os.WriteFile(file, creds, 0o600))
	at, err := url.Parse(h.URL())
	require.NoError(t, err)
	b, err := broker.Open(broker.Where{URL: "tls://127.0.0.1:" + at.Port(), Creds: file, CA: h.ring.CA(), Name: name}, nil)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// TestStream publishes and reads by TLS and JWT, also after the server has started again.
func TestStream(t *testing.T) {
	h := start(t)
	alice, dc1 := h.as(t, "alice", keys.Operator), h.as(t, "dc1", keys.Site)
	to := broker.Subject{Kind: broker.Submit, Fabric: "pod.1 *"}
	n, err := alice.Publish(t.Context(), to, "one", []byte("plan"))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	again, err := alice.Publish(t.Context(), to, "one", []byte("plan"))
	require.NoError(t, err)
	require.Equal(t, n, again, "the stream has a message once")
	_, err = dc1.Publish(t.Context(), broker.Subject{Kind: broker.Wave, Fabric: "pod.1 *", Run: "r1", Site: "dc1"}, "two", []byte("began"))
	require.NoError(t, err)

	read := func(b *broker.Broker, filters ...broker.Subject) (out []string) {
		require.NoError(t, b.Read(t.Context(), 1, filters, func(m *broker.Message) error {
			out = append(out, fmt.Sprint(m.Number, " ", m.Kind, " ", m.Fabric, " ", m.Run, " ", m.Site, " ", string(m.Data)))
			return nil
		}))
		return out
	}
	all := []string{"1 submit pod.1 *   plan", "2 wave pod.1 * r1 dc1 began"}
	require.Equal(t, all, read(dc1, broker.Subject{Kind: broker.Submit}, broker.Subject{Kind: broker.Wave}))
	require.Equal(t, all[1:], read(alice, broker.Subject{Kind: broker.Wave, Run: "r1"}))
	require.Empty(t, read(alice, broker.Subject{Kind: broker.Wave, Run: "r2"}))

	h.Stop()
	h.up(t)
	require.Equal(t, all, read(h.as(t, "bob", keys.Reader), broker.Subject{Kind: broker.Submit}, broker.Subject{Kind: broker.Wave}))
}

// TestNumbers: a reader uses no store with a number that no store reaches. The thief of a hub can make one.
func TestNumbers(t *testing.T) {
	h := start(t)
	alice := h.as(t, "alice", keys.Operator)
	h.as(t, "thief", keys.Hub)
	conn, err := nats.Connect(h.URL(), nats.UserCredentials(filepath.Join(h.dir, "thief.creds")), nats.RootCAs(h.ring.CA()))
	require.NoError(t, err)
	defer conn.Close()
	for _, n := range []uint64{1 << 48, 1<<63 + 1} {
		m, err := conn.Request("$JS.API.STREAM.PURGE."+broker.Stream, fmt.Appendf(nil, `{"seq":%d}`, n+1), time.Minute)
		require.NoError(t, err)
		require.Contains(t, string(m.Data), `"success":true`)
		_, err = alice.Publish(t.Context(), broker.Subject{Kind: broker.Submit, Fabric: "pod"}, fmt.Sprint(n), []byte("plan"))
		require.NoError(t, err)
		_, err = alice.Last(t.Context())
		require.ErrorContains(t, err, "no store has so many")
		err = alice.Read(t.Context(), 1, []broker.Subject{{Kind: broker.Submit}}, func(*broker.Message) error { return nil })
		require.ErrorContains(t, err, "no store has so many")
	}
}

// TestAlive: the hub has the newest sign of life of each site, and a site sends those of its own name alone.
func TestAlive(t *testing.T) {
	h := start(t)
	b := h.as(t, "hub2", keys.Hub)
	require.NoError(t, b.MakeAlive(t.Context(), 1))
	dc1, dc2, reader := h.as(t, "dc1", keys.Site), h.as(t, "dc2", keys.Site), h.as(t, "bob", keys.Reader)
	for range 3 {
		require.NoError(t, dc1.Beat("dc1"))
	}
	require.NoError(t, dc2.Beat("dc3")) // the server drops it
	require.Eventually(t, func() bool {
		alive, err := reader.Alive(t.Context())
		require.NoError(t, err)
		return len(alive) == 1 && time.Since(alive["dc1"]) < time.Minute
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, dc2.Beat("dc2"))
	require.Eventually(t, func() bool {
		alive, err := dc1.Alive(t.Context())
		require.NoError(t, err)
		_, forged := alive["dc3"]
		require.False(t, forged)
		return len(alive) == 2
	}, time.Minute, 20*time.Millisecond)
}

// TestPermissions: a role publishes its own subjects alone, and a site those with its name.
func TestPermissions(t *testing.T) {
	h := start(t)
	users := map[string]*broker.Broker{
		"alice": h.as(t, "alice", keys.Operator), "dc1": h.as(t, "dc1", keys.Site), "bob": h.as(t, "bob", keys.Reader),
	}
	may := map[string][]broker.Kind{
		"alice": {broker.Ask, broker.Submit, broker.Say}, "dc1": {broker.Share, broker.Wave, broker.Event, broker.Look, broker.Record},
	}
	for name, b := range users {
		for _, kind := range broker.Kinds {
			for _, site := range []string{"dc1", "dc2"} {
				want := false
				for _, k := range may[name] {
					want = want || k == kind && (name != "dc1" || site == "dc1")
				}
				_, err := b.Publish(t.Context(), broker.Subject{Kind: kind, Fabric: "f", Run: "r", Site: site}, name+string(kind)+site, nil)
				if want {
					assert.NoError(t, err, "%s %s %s", name, kind, site)
				} else {
					assert.ErrorIs(t, err, broker.ErrRole, "%s %s %s", name, kind, site)
				}
			}
		}
	}
}

// TestRevoke: a revoked user is disconnected, and cannot come back. A renewed one works.
func TestRevoke(t *testing.T) {
	h := start(t)
	alice := h.as(t, "alice", keys.Operator)
	require.True(t, alice.Connected())
	require.NoError(t, h.ring.Revoke("alice"))
	require.NoError(t, h.Reload())
	require.Eventually(t, func() bool { return !alice.Connected() }, 20*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, h.ring.Revoke("alice"), `no user "alice"`)
	again := h.as(t, "alice", keys.Operator)
	_, err := again.Publish(t.Context(), broker.Subject{Kind: broker.Submit, Fabric: "f"}, "x", nil)
	require.NoError(t, err)
	var names []string
	for _, u := range h.ring.Users() {
		names = append(names, fmt.Sprint(u.Role, " ", u.Revoked.IsZero()))
	}
	require.Equal(t, []string{"operator false", "operator true", "hub true"}, names)
}

// TestFull: a stream that keeps no more messages refuses one, and loses none.
func TestFull(t *testing.T) {
	h := start(t)
	hub := h.as(t, "hub2", keys.Hub)
	require.NoError(t, hub.Make(t.Context(), broker.Limits{Bytes: 1 << 20, Age: time.Hour}))
	alice := h.as(t, "alice", keys.Operator)
	var err error
	stored := 0
	for i := range 100 {
		_, err = alice.Publish(t.Context(), broker.Subject{Kind: broker.Submit, Fabric: "f"}, fmt.Sprint(i), make([]byte, 100<<10))
		if err != nil {
			break
		}
		stored++
	}
	require.ErrorIs(t, err, broker.ErrFull)
	count := 0
	require.NoError(t, alice.Read(t.Context(), 1, []broker.Subject{{Kind: broker.Submit}}, func(*broker.Message) error {
		count++
		return nil
	}))
	require.Equal(t, stored, count)
	_, err = alice.Publish(t.Context(), broker.Subject{Kind: broker.Submit, Fabric: "f"}, "big", make([]byte, broker.MaxMessage+1))
	require.ErrorContains(t, err, "larger than 24 MiB")
}

// TestAway: Follow hears of messages as they come, and the broker comes back after the server was away.
func TestAway(t *testing.T) {
	h := start(t)
	dc1, alice := h.as(t, "dc1", keys.Site), h.as(t, "alice", keys.Operator)
	got, caught := make(chan string, 10), make(chan bool, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- dc1.Follow(ctx, 1, []broker.Subject{{Kind: broker.Say}}, func(m *broker.Message) error {
			got <- string(m.Data)
			return nil
		}, func() { caught <- true })
	}()
	require.True(t, <-caught)
	_, err := alice.Publish(t.Context(), broker.Subject{Kind: broker.Say, Fabric: "f", Run: "r"}, "1", []byte("confirm"))
	require.NoError(t, err)
	require.Equal(t, "confirm", <-got)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	err = alice.Read(t.Context(), 1, []broker.Subject{{Kind: broker.Say}}, func(*broker.Message) error { return errors.New("enough") })
	require.ErrorContains(t, err, "enough")
}
