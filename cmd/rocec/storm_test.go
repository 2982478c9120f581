package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// stormOf lets a host pause its switch all the time, and the switch its other hosts. second is the rise of a counter of time in a second.
func stormOf(devices *lab.Lab, origin *ir.Port, cos string, second float64) {
	const frames = 3000
	tor := origin.Peer().Device()
	host := devices.Device(origin.Device().Name)
	host.SetCounter(origin.Name, "tx_prio"+cos+"_pause", 0, frames)
	host.SetCounter(origin.Name, "tx_prio"+cos+"_pause_duration", 0, second)
	for _, p := range tor.Ports {
		if p.Peer() == origin {
			devices.Device(tor.Name).SetCounter(p.Name, "HwIfInPfc"+cos+"Pkt", 0, frames)
			continue
		}
		devices.Device(tor.Name).SetCounter(p.Name, "HwIfOutPfc"+cos+"Pkt", 0, frames)
		waits := devices.Device(p.Peer().Device().Name)
		waits.SetCounter(p.Peer().Name, "rx_prio"+cos+"_pause", 0, frames)
		waits.SetCounter(p.Peer().Name, "rx_prio"+cos+"_pause_duration", 0, second)
	}
}

// portOf returns the first port of a device.
func portOf(f *ir.Fabric, device string) *ir.Port {
	for _, p := range f.Ports {
		if p.Device().Name == device {
			return p
		}
	}
	panic("no such device")
}

// stormDoc runs storm, and returns its document.
func stormDoc(t *testing.T, status int, args ...string) (doc view.StormDocument) {
	t.Helper()
	code, stdout, stderr := rocec(t, append([]string{"storm", "--format", "json"}, args...)...)
	require.Equal(t, status, code, "%s%s", stdout, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc), stdout)
	return doc
}

// storm names the host that pauses its switch, live and by snapshots of the same devices, and a device that does not answer hides nothing
// that the other end has counted.
func TestStormNamesTheHost(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(dir)
	require.NoError(t, err)
	origin := portOf(f.Fabric, "store2")
	doc := stormDoc(t, exit.Good, "--window", "300ms", dir)
	require.Equal(t, "quiet", doc.Verdict)
	require.Equal(t, doc.Ports, doc.Judged, "%+v", doc)

	stormOf(devices, origin, "4", 1e6)
	code, stdout, stderr := rocec(t, "storm", "--window", "1s", dir)
	require.Equal(t, exit.Errors, code, stderr)
	assert.Contains(t, stdout, "storm: store2:ens1f0 pauses tor1:swp2 for ")
	assert.Contains(t, stdout, "5 ports wait behind it.")
	assert.Contains(t, stdout, "counter: sent pause time of store2:ens1f0: ")
	assert.Contains(t, stdout, "hosts: 4 hosts: store[1,3-5]")
	assert.NotContains(t, stdout, "broken")

	live := stormDoc(t, exit.Errors, "--window", "1s", dir)
	left := stormDoc(t, exit.Errors, "--window", "1s", "--target", "!store2", dir)
	require.Empty(t, left.Origins, "its switch counts frames alone")
	require.Equal(t, "no-time", left.NotKnown[0].Reason)
	require.Equal(t, "--target leaves it out", left.NotRead.Devices[0].Reason)

	var from []string
	for range 3 {
		const between = 100 * time.Second
		for _, d := range f.Fabric.Devices {
			devices.Device(d.Name).Pass(between)
		}
		name := filepath.Join(t.TempDir(), "snapshot")
		code, _, stderr := rocec(t, "collect", dir, "-o", name)
		require.Equal(t, exit.Good, code, stderr)
		from = append(from, "--from", name)
	}
	kept := stormDoc(t, exit.Errors, append(from, dir)...)
	require.Equal(t, live.Verdict, kept.Verdict)
	require.Len(t, kept.Origins, 1)
	for _, one := range []*view.StormOrigin{&live.Origins[0], &kept.Origins[0]} { // these depend on the moment
		one.Share, one.Counters = 0, nil
	}
	require.Equal(t, live.Origins, kept.Origins)
	require.Equal(t, live.NotRead, kept.NotRead)
	two := stormDoc(t, exit.Errors, append(from[:4:4], dir)...)
	require.Empty(t, two.Origins, "one window gives no name")
	require.Equal(t, "one-window", two.NotKnown[0].Reason)
}

// watched collects the output of a command that runs.
type watched struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements [io.Writer].
func (p *watched) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(data)
}

// String returns the output until now.
func (p *watched) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// storm --watch prints a result once, however often it reads the same, and the next one when it differs. A signal ends it.
func TestStormWatches(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(dir)
	require.NoError(t, err)
	var out, errs watched
	p := &person.Person{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(name string) string { return getenv(t, name) },
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, p, []string{"storm", "--watch", "--window", "1s", dir}) }()
	until := func(done func() bool) {
		for !done() {
			select {
			case code := <-ended:
				t.Fatalf("it ended with status %d: %s%s", code, out.String(), errs.String())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	reads := func() (n int) {
		for _, cmd := range devices.Device("tor1").Commands() {
			n += strings.Count(cmd, "ethtool -S")
		}
		return n
	}
	// printsOnce waits for a text, and then for three more reads: the results of two of them are complete.
	printsOnce := func(text string) {
		until(func() bool { return strings.Contains(out.String(), text) })
		seen := reads()
		until(func() bool { return reads() >= seen+3 })
		require.Equal(t, 1, strings.Count(out.String(), text), out.String())
	}
	printsOnce("No port that was read is paused.")
	// A counter of time that rises too fast shows a share of 1 as well, also if a busy machine delays one of two reads.
	stormOf(devices, portOf(f.Fabric, "store2"), "4", 1.2e6)
	printsOnce("storm: store2:ens1f0 pauses tor1:swp2")
	end()
	require.Equal(t, exit.Interrupted, <-ended)
	require.Contains(t, errs.String(), "interrupted")
	require.Regexp(t, `^\d\d:\d\d:\d\d\nNo port that was read is paused\.\n`, out.String())
}

// Flags without effect are refused, and so is a folder that is no snapshot.
func TestStormRefuses(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	setenv(t, "HOME", t.TempDir())
	const example = "../../examples/rack-v1-pfc"
	plain := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(plain, "counters.txt"), []byte("port swp1\n"), 0o600))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--from needs two or three snapshots", []string{"--from", plain}},
		{"it has no snapshot.json", []string{"--from", plain, "--from", plain}},
		{"--from reads snapshots, so --watch has no effect", []string{"--from", plain, "--from", plain, "--watch"}},
		{"--prometheus asks a server, so --lab has no effect", []string{"--prometheus", "https://prometheus.example.net", "--lab"}},
		{"is not the URL of a server", []string{"--prometheus", "prometheus"}},
		{"--window must not be negative", []string{"--window", "-1s"}},
		{"--format", []string{"--format", "xml"}},
	} {
		code, _, stderr := rocec(t, append(append([]string{"storm"}, c.args...), example)...)
		require.Equal(t, exit.Usage, code, c.args)
		require.Contains(t, stderr, c.want)
	}
	code, _, stderr := rocec(t, "storm", "--window", "2s", "../../examples/sonic-leaf-spine")
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "--window 2s is too short: leaf1 renews its counters more slowly, and needs 15s")
}

// nvuePair is two leaves and a spine with NVUE. The lossless group is in traffic class 5.
const nvuePair = `fabric "pair" {
  mtu     = 9216
  routing = "up-down"
}

cos_group "storage" {
  cos      = 4
  dscp     = [26]
  lossless = true
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
  members   = [host.store]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn3700"
  version = "5.9.1"
  tier    = 1
  ssh { address = "192.0.2.${self.index + 1}" }
}

switch "spine" {
  names   = "spine1"
  model   = "sn3700"
  version = "5.9.1"
  tier    = 2
  ssh { address = "192.0.2.9" }
}

host "store" {
  names = "store[1-4]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
  ssh { address = "192.0.2.${self.index + 101}" }
}

link "racks" {
  a      = "store[1-4]:ens1f0"
  b      = "leaf[1-2]:swp[1-2]"
  speed  = "100G"
  length = "3m"
}

mesh "uplinks" {
  lower  = "leaf[1-2]:swp31"
  upper  = "spine1:swp[1-2]"
  speed  = "100G"
  length = "10m"
}
`

// By the counters of NVUE, a queue that holds packets, sends none and is not paused is the origin. Congestion, whose queue sends, accuses
// no device. Without the answers of nv neither is known. A live reading also reads the configurations of the switches, which precede
// the fabric.
func TestStormAtQueuesOfNVUE(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standingOf(t, nvuePair, map[string][]string{
		`ssh { address = "192.0.2.${self.index + 1}" }`: {"leaf1", "leaf2"}, `ssh { address = "192.0.2.9" }`: {"spine1"},
		`ssh { address = "192.0.2.${self.index + 101}" }`: {"store1", "store2", "store3", "store4"},
	})
	const second = 1e6
	leaf, spine, waits := devices.Device("leaf2"), devices.Device("spine1"), devices.Device("leaf1")
	for _, d := range []*lab.Device{spine, waits} { // leaf2 pauses spine1, and spine1 pauses leaf1
		at := map[*lab.Device]string{spine: "swp2", waits: "swp31"}[d]
		d.SetCounter(at, "HwIfInPfc4Pkt", 0, 3000)
		d.SetCounter(at, "queue 4 current-usage", 50_000, 0)
	}
	leaf.SetCounter("swp31", "HwIfOutPfc4Pkt", 0, 3000)
	spine.SetCounter("swp1", "HwIfOutPfc4Pkt", 0, 3000)
	for i, name := range []string{"store1", "store2"} { // leaf1 pauses its hosts
		waits.SetCounter(fmt.Sprint("swp", i+1), "HwIfOutPfc4Pkt", 0, 3000)
		devices.Device(name).SetCounter("ens1f0", "rx_prio4_pause", 0, 3000)
		devices.Device(name).SetCounter("ens1f0", "rx_prio4_pause_duration", 0, second)
	}
	leaf.SetCounter("swp2", "queue 4 current-usage", 90_000, 0) // to store4
	looks := func() (from []string) {
		for range 3 {
			for _, name := range []string{"leaf1", "leaf2", "spine1", "store1", "store2", "store3", "store4"} {
				devices.Device(name).Pass(40 * time.Second)
			}
			name := filepath.Join(t.TempDir(), "snapshot")
			code, _, stderr := rocec(t, "collect", dir, "-o", name)
			require.Equal(t, exit.Good, code, stderr)
			from = append(from, "--from", name)
		}
		return append(from, dir)
	}
	stuck := stormDoc(t, exit.Errors, looks()...)
	require.Len(t, stuck.Origins, 1, "%+v", stuck)
	require.Equal(t, "queue", stuck.Origins[0].Kind)
	require.Equal(t, "leaf2:swp2", stuck.Origins[0].Port)

	leaf.SetCounter("swp2", "queue 4 tx-frames", 0, 1e6)
	sends := looks()
	busy := stormDoc(t, exit.Good, sends...)
	require.Empty(t, busy.Origins, "%+v", busy)
	require.Contains(t, busy.Congested, "leaf2:swp2")

	require.Empty(t, busy.Cutting)

	for _, name := range []string{sends[1], sends[3], sends[5]} {
		require.NoError(t, os.Remove(filepath.Join(name, "leaf2", "queues.txt")))
	}
	dark := stormDoc(t, exit.Errors, sends...)
	require.Empty(t, dark.Origins)
	require.Equal(t, "no-progress", dark.NotKnown[0].Reason, "%+v", dark)

	host := devices.Device("store4")
	host.SetCounter("ens1f0", "tx_prio4_pause", 0, 3000)
	host.SetCounter("ens1f0", "tx_prio4_pause_duration", 0, second)
	leaf.SetCounter("swp2", "HwIfInPfc4Pkt", 0, 3000)
	live := stormDoc(t, exit.Errors, "--window", "1s", dir)
	require.Equal(t, "store4:ens1f0", live.Origins[0].Port)
	require.NotEmpty(t, live.Origins[0].Waits)
	require.Empty(t, live.Origins[0].Watchdogs, "rocec writes watchdogs, and the configurations of the switches have none")
}
