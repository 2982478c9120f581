package site

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsjwt "github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// memberVariable names the file with the place of a member of a cluster, for a process of its own.
const memberVariable = "ROCECD_TEST_MEMBER"

// member is one server of a cluster that rocecd does not run.
type member struct {
	Name, Keys, Store string

	Port, Route int
	Routes      []string // of all members
}

// memberProcess is the process of a member, until it is killed.
func memberProcess(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var m member
	if err := json.Unmarshal(text, &m); err != nil {
		panic(err)
	}
	ring, err := keys.Open(m.Keys, time.Now)
	if err != nil {
		panic(err)
	}
	trust, err := ring.Trust()
	if err != nil {
		panic(err)
	}
	resolver := &server.MemAccResolver{}
	for key, account := range trust.Accounts {
		if err := resolver.Store(key, account); err != nil {
			panic(err)
		}
	}
	o := &server.Options{
		ServerName: m.Name, Host: "127.0.0.1", Port: m.Port, MaxPayload: broker.MaxPayload, JetStream: true, StoreDir: m.Store,
		SyncAlways: true, TrustedOperators: []*natsjwt.OperatorClaims{trust.Operator}, AccountResolver: resolver, SystemAccount: trust.System,
		Cluster: server.ClusterOpts{Name: "rocec", Host: "127.0.0.1", Port: m.Route},
		Routes:  server.RoutesFromStr(strings.Join(m.Routes, ",")), TLSTimeout: 10,
	}
	if o.TLSConfig, err = ring.TLS(false); err != nil {
		panic(err)
	}
	o.TLS = true
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
}

// startMember starts the process of a member.
func (w *team) startMember(m *member) *exec.Cmd {
	w.t.Helper()
	text, err := json.Marshal(m)
	require.NoError(w.t, err)
	file := filepath.Join(w.dir, m.Name+".json")
	require.NoError(w.t, os.WriteFile(file, text, 0o600))
	self, err := os.Executable()
	require.NoError(w.t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), memberVariable+"="+file)
	cmd.Stderr = testLog{w.t, m.Name}
	require.NoError(w.t, cmd.Start())
	w.t.Cleanup(func() { killed(cmd) })
	return cmd
}

// killed kills a process, and waits until it has ended.
func killed(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// TestCluster: the hub is a cluster of three servers that rocecd does not run. During runs its members are killed by SIGKILL, one by one,
// and start again. Each run is complete, and has changed each device once.
func TestCluster(t *testing.T) {
	machinetest.Long(t)
	t.Parallel()
	w := newTeam(t)
	w.stop("dc1")
	w.stop("dc2")
	w.persons.Close()
	w.hub.Stop()
	members, urls := make([]*member, 3), make([]string, 3)
	processes := make([]*exec.Cmd, 3)
	var routes []string
	for i := range members {
		name := fmt.Sprint("member", i)
		members[i] = &member{Name: name, Keys: filepath.Join(w.dir, "keys"), Store: filepath.Join(w.dir, name), Port: free(t), Route: free(t)}
		urls[i] = fmt.Sprintf("tls://127.0.0.1:%d", members[i].Port)
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", members[i].Route))
	}
	for i, m := range members {
		m.Routes = routes
		processes[i] = w.startMember(m)
	}
	w.url = strings.Join(urls, ",")
	creds, err := w.ring.Add("cluster", keys.Hub, time.Hour)
	require.NoError(t, err)
	file := filepath.Join(w.dir, "cluster.creds")
	require.NoError(t, os.WriteFile(file, creds, 0o600))
	open := func(file string) (b *broker.Broker) {
		require.Eventually(t, func() bool {
			b, err = broker.Open(broker.Where{URL: w.url, Creds: file, CA: w.ring.CA()}, nil)
			return err == nil
		}, time.Minute, 100*time.Millisecond)
		t.Cleanup(b.Close)
		return b
	}
	hub := open(file)
	require.Eventually(t, func() bool {
		err = hub.Make(t.Context(), broker.Limits{Bytes: 1 << 30, Age: time.Hour, Replicas: 3})
		return err == nil && hub.MakeAlive(t.Context()) == nil
	}, 2*time.Minute, 100*time.Millisecond)
	w.persons = open(filepath.Join(w.dir, "persons.creds"))
	w.start("dc1")
	w.start("dc2")
	least := 1 // of all members
	if *whole {
		least = 20 // of each
	}
	met, runs := map[string]int{}, 0
	enough := func() bool {
		return !*whole && len(met) > 0 || min(met["member0"], met["member1"], met["member2"]) >= least
	}
	for ; !enough(); runs++ {
		require.Less(t, runs, 10*least, "enough members are killed within this many runs")
		if runs > 0 {
			w.fresh()
		}
		w.current(hub)
		run := fmt.Sprintf("20261130t13%02d%02dz-ffff", runs/60, runs%60)
		w.submit(run, w.envelope(w.plan(nil, "dc1", "dc2"), nil))
		for r := w.queue().Run(run); r == nil || !r.Over(time.Now()); r = w.queue().Run(run) {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
			i := rand.IntN(3)
			killed(processes[i])
			met[members[i].Name]++
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
			processes[i] = w.startMember(members[i])
			w.current(hub)
		}
		w.story(run)
		require.Eventually(t, func() bool { // a member that has just started lacks the newest messages for a moment
			return bySite(strings.Split(w.said(run), "\n")) == wholeStory
		}, 2*time.Minute, 50*time.Millisecond)
		w.requireChanged(run)
	}
	t.Logf("%d runs, killed %v", runs, met)
}

// current waits until the stream takes a message.
func (w *team) current(hub *broker.Broker) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		_, err := hub.Last(w.t.Context())
		return err == nil && w.persons.Connected()
	}, 2*time.Minute, 50*time.Millisecond)
}

// free returns a port on which nothing listens.
func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
