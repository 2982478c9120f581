package main

import (
	"context"
	"encoding/json"
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
