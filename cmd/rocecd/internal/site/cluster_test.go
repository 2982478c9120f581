package site

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// member is one nats-server of a cluster that rocecd does not run.
type member struct {
	Name        string
	Port, Route int
	file        string // its configuration
}

// memberText is the configuration of a member. The rest of it is what rocecd keys nats prints.
const memberText = `
include "rocec.conf"
server_name: %q
listen: "127.0.0.1:%d"
tls: { cert_file: %[4]q, key_file: %[5]q }
jetstream: { store_dir: %[6]q, sync_interval: always }
cluster: { name: rocec, listen: "127.0.0.1:%[3]d", routes: [%[7]s] }
`

// trust writes what the members of the cluster know of the keys.
func (w *team) trust() {
	trust, err := w.ring.Trust()
	require.NoError(w.t, err)
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, "rocec.conf"), []byte(trust.NATSConf()), 0o600))
}

// newMembers writes the configurations of three members.
func (w *team) newMembers() (members []*member) {
	var routes []string
	for i := range 3 {
		members = append(members, &member{Name: fmt.Sprint("member", i), Port: free(w.t), Route: free(w.t)})
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", members[i].Route))
	}
	for _, m := range members {
		m.file = filepath.Join(w.dir, m.Name+".conf")
		text := fmt.Sprintf(memberText, m.Name, m.Port, m.Route, filepath.Join(w.dir, "keys", "server.crt"),
			filepath.Join(w.dir, "keys", "server.key"), filepath.Join(w.dir, m.Name), strings.Join(routes, ", "))
		require.NoError(w.t, os.WriteFile(m.file, []byte(text), 0o600))
	}
	w.trust()
	return members
}

// startMember starts the process of a member.
func (w *team) startMember(m *member) *exec.Cmd {
	w.t.Helper()
	cmd := exec.Command(machinetest.NATSServer(w.t), "--config", m.file)
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

// TestCluster: the hub is a cluster of three nats-servers of another minor version. During runs its members are killed by SIGKILL, one by
// one, and start again. Each run is complete, and has changed each device once. Last, a reload cuts a person whose key is revoked.
func TestCluster(t *testing.T) {
	machinetest.Long(t)
	t.Parallel()
	w := newTeam(t)
	w.stop("dc1")
	w.stop("dc2")
	w.persons.Close()
	w.hub.Stop()
	version, err := exec.Command(machinetest.NATSServer(t), "--version").Output()
	require.NoError(t, err)
	minor := func(version string) string { return version[:strings.LastIndex(version, ".")] }
	_, other, _ := strings.Cut(strings.TrimSpace(string(version)), ": v")
	require.NotEqual(t, minor(server.VERSION), minor(other), "not the server in rocecd")
	page, err := os.ReadFile("../../../../docs/fleet.md")
	require.NoError(t, err)
	require.Contains(t, strings.Join(strings.Fields(string(page)), " "),
		fmt.Sprintf("three servers of version %s; rocecd contains %s.", minor(other), minor(server.VERSION)))
	members, urls := w.newMembers(), make([]string, 3)
	processes := make([]*exec.Cmd, 3)
	for i, m := range members {
		urls[i] = fmt.Sprintf("tls://127.0.0.1:%d", m.Port)
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
		return err == nil && hub.MakeAlive(t.Context(), 3) == nil
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
	require.NoError(t, w.ring.Revoke("persons"))
	w.trust()
	for _, p := range processes {
		require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	}
	require.Eventually(t, func() bool { return !w.persons.Connected() }, time.Minute, 50*time.Millisecond)
	_, err = broker.Open(broker.Where{URL: w.url, Creds: filepath.Join(w.dir, "persons.creds"), CA: w.ring.CA()}, nil)
	require.ErrorContains(t, err, "revoked")
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
