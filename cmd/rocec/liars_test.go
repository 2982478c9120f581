package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
)

// liarRack is a fabric of one switch and some hosts. The operating system, its release and the names of ports are replaced.
const liarRack = `fabric "rack" {
  bench = true
  mtu   = 9216
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af31"]
  lossless = true
  weight   = 50

  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "tor" {
  names             = "tor1"
  model             = "sn3700"
  accept_documented = true
  SYSTEM

  TOR
}

host "store" {
  names = "store[1-HOSTS]"

  nic "ens1f0" {
    model = "connectx-6-dx"
    mtu   = 9000
  }

  STORE
}

link "rack" {
  a      = "store[1-HOSTS]:ens1f0"
  b      = "tor1:PORTS"
  speed  = "100G"
  length = "3m"
}
`

// liarSystems are the systems of liarRack, each with the ports of its hosts. Two senders to one port need a third host.
var liarSystems = map[string]struct{ system, ports string }{
	"senders":       {"os = \"sonic\"\n  version = \"202505\"", "Ethernet[0,8,16]"},
	"senders files": {"os = \"cumulus-linux\"\n  version = \"5.3.1\"\n  config = \"files\"", "swp1-3"},
	"senders nvue":  {"os = \"cumulus-linux\"\n  version = \"5.9.1\"", "swp1-3"},

	"cumulus": {"os = \"cumulus-linux\"\n  version = \"5.3.1\"\n  config = \"files\"", "swp1-2"},
	"traffic": {"os = \"cumulus-linux\"\n  version = \"4.3.0\"", "swp1-2"},
	"nvue":    {"os = \"cumulus-linux\"\n  version = \"5.9.1\"", "swp1-2"},
	"later":   {"os = \"cumulus-linux\"\n  version = \"5.17.0\"", "swp1-2"},
	"sonic":   {"os = \"sonic\"\n  version = \"202505\"", "Ethernet[0,8]"},
	"newest":  {"os = \"sonic\"\n  version = \"202511\"", "Ethernet[0,8]"},
	"mlx5":    {"os = \"cumulus-linux\"\n  version = \"5.3.1\"\n  config = \"files\"", "swp1-2"},
}

// lie changes what the daemons and programs of one device do, from the moment it is armed. A nil function is honest.
type lie struct {
	armed atomic.Bool

	// read and write change the content of a file that a daemon reads or writes.
	read, write func(l *lie, path, text string) string

	// program changes a run of a program: it may run the honest program, change its output, or leave it out.
	program func(l *lie, honest target.Program, p *target.Proc) int

	// marks changes at which queue length a switch marks.
	marks func(l *lie, honest func(port string, cos int) (int, bool), port string, cos int) (int, bool)

	// pauses changes how a switch pauses a sender.
	pauses func(l *lie, honest func(port string, cos int, packets uint64) uint64, port string, cos int, packets uint64) uint64

	// start begins a lie that needs no event.
	start func(devices *lab.Lab)

	// count changes a counter that rises by a number.
	count func(l *lie, name string, by uint64) uint64

	m      target.Machine
	kept   map[string]string // what the lie remembers, by a name
	since  time.Duration     // when the lie was told first
	honest string            // the content of the file that was read last before the lie was armed
}

// liar is a part of a simulated device that lies.
type liar struct {
	target.Sim
	*lie
}

// Boot implements [target.Sim].
func (l *liar) Boot(m target.Machine) {
	l.m = m
	l.Sim.Boot(&lyingMachine{m, l.lie})
}

// Marks implements [target.Marker].
func (l *liar) Marks(port string, cos int) (from int, ok bool) {
	honest, is := l.Sim.(target.Marker)
	switch {
	case !is:
		return 0, false
	case l.marks != nil && l.armed.Load():
		return l.marks(l.lie, honest.Marks, port, cos)
	}
	return honest.Marks(port, cos)
}

// Pause implements [target.Pauser].
func (l *liar) Pause(port string, cos int, packets uint64) uint64 {
	honest, is := l.Sim.(target.Pauser)
	switch {
	case !is:
		return 0
	case l.pauses != nil && l.armed.Load():
		return l.pauses(l.lie, honest.Pause, port, cos, packets)
	}
	return honest.Pause(port, cos, packets)
}

// lyingHost is a liar whose interfaces have addresses.
type lyingHost struct {
	*liar
	target.Holder
}

// lyingMachine is what a lying part sees of its machine.
type lyingMachine struct {
	target.Machine
	*lie
}

func (m *lyingMachine) ReadFile(path string) ([]byte, error) {
	data, err := m.Machine.ReadFile(path)
	switch {
	case err != nil || m.read == nil:
	case m.armed.Load():
		data = []byte(m.read(m.lie, path, string(data)))
	default:
		if strings.HasSuffix(path, "features.conf") {
			m.honest = string(data)
		}
	}
	return data, err
}

func (m *lyingMachine) WriteFile(path, text string) {
	if m.write != nil && m.armed.Load() {
		text = m.write(m.lie, path, text)
	}
	m.Machine.WriteFile(path, text)
}

func (m *lyingMachine) Install(path string, p target.Program) {
	if m.program == nil {
		m.Machine.Install(path, p)
		return
	}
	m.Machine.Install(path, func(proc *target.Proc) int {
		if !m.armed.Load() {
			return p(proc)
		}
		return m.program(m.lie, p, proc)
	})
}

func (m *lyingMachine) Count(netdev, name string, by uint64) {
	if m.count != nil && m.armed.Load() {
		by = m.count(m.lie, name, by)
	}
	m.Machine.Count(netdev, name, by)
}

// outputOf runs a program and returns its output.
func outputOf(honest target.Program, p *target.Proc) (out string, status int) {
	var b bytes.Buffer
	own := *p
	own.Stdout, own.Stderr = &b, &b
	status = honest(&own)
	return b.String(), status
}

// keep returns the first text with a name.
func (l *lie) keep(name, text string) string {
	if l.kept == nil {
		l.kept = map[string]string{}
	}
	if _, known := l.kept[name]; !known {
		l.kept[name] = text
	}
	return l.kept[name]
}

// lyingRack starts a rack with a system on its switch whose device tells a lie.
func lyingRack(t *testing.T, system, device string, tells *lie) (dir string, devices *lab.Lab) {
	t.Helper()
	setenv(t, "COLUMNS", "1000")
	of := liarSystems[system]
	hosts := []string{"store1", "store2"}
	if strings.HasPrefix(system, "senders") {
		hosts = append(hosts, "store3")
	}
	text := strings.NewReplacer("SYSTEM", of.system, "PORTS", of.ports, "HOSTS", fmt.Sprint(len(hosts))).Replace(liarRack)
	dir, home := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "fabric.hcl")
	require.NoError(t, os.WriteFile(file, []byte(strings.NewReplacer("TOR", "", "STORE", "").Replace(text)), 0o600))
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(dir)
	require.NoError(t, err)
	require.False(t, f.Diags.HasErrors(), f.Diags)
	tree := f.Tree()
	for _, d := range tree.Devices {
		if d.Name != device || tells == nil {
			continue
		}
		own, honest := *d.Target, d.Target.Image
		own.Image = func(of *ir.Device) target.Image {
			img := honest(of)
			one := &liar{img.Sims[0], tells}
			img.Sims[0] = one
			if holder, is := one.Sim.(target.Holder); is {
				img.Sims[0] = &lyingHost{one, holder}
			}
			return img
		}
		d.Target = &own
	}
	devices, err = lab.Start(tree)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, devices.Close()) })
	block := func(names ...string) string {
		var ports, keys []string
		for _, n := range names {
			l, err := devices.Listen(n)
			require.NoError(t, err)
			ports, keys = append(ports, fmt.Sprint(l.Port)), append(keys, fmt.Sprintf("%q", l.HostKey))
		}
		return fmt.Sprintf("ssh {\n    address = \"127.0.0.1\"\n    user = %q\n    port = [%s][self.index]\n    host_key = [%s][self.index]\n}",
			devices.Login(names[0]).User, strings.Join(ports, ", "), strings.Join(keys, ", "))
	}
	text = strings.NewReplacer("TOR", block("tor1"), "STORE", block(hosts...)).Replace(text)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), devices.Key(), 0o600))
	setenv(t, "HOME", home)
	setenv(t, "XDG_STATE_HOME", filepath.Join(home, "state"))
	code, stdout, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", dir)
	require.Equal(t, exit.Good, code, stdout+stderr)
	return dir, devices
}

// Lies that several systems tell.

// otherOutput replaces words of the output of a program whose command line matches a pattern.
func otherOutput(command string, pairs ...string) *lie {
	is := regexp.MustCompile(command)
	return &lie{program: func(_ *lie, honest target.Program, p *target.Proc) int {
		if !is.MatchString(p.CommandLine()) {
			return honest(p)
		}
		out, status := outputOf(honest, p)
		p.Print(strings.NewReplacer(pairs...).Replace(out))
		return status
	}}
}

// cached answers every such command with the first answer.
func cached(command string) *lie {
	is := regexp.MustCompile(command)
	return &lie{program: func(l *lie, honest target.Program, p *target.Proc) int {
		if !is.MatchString(p.CommandLine()) {
			return honest(p)
		}
		out, status := outputOf(honest, p)
		p.Print(l.keep(p.CommandLine(), out))
		return status
	}}
}

// short cuts the answer of such a command in half.
func short(command string) *lie {
	is := regexp.MustCompile(command)
	return &lie{program: func(_ *lie, honest target.Program, p *target.Proc) int {
		if !is.MatchString(p.CommandLine()) {
			return honest(p)
		}
		out, status := outputOf(honest, p)
		p.Print(out[:len(out)/2])
		return status
	}}
}

// idle reports success for such a command and does nothing.
func idle(command string) *lie {
	is := regexp.MustCompile(command)
	return &lie{program: func(_ *lie, honest target.Program, p *target.Proc) int {
		if is.MatchString(p.CommandLine()) {
			return 0
		}
		return honest(p)
	}}
}

// reverting shows the answers to such a command from before a change again, some seconds after the change.
func reverting(change, command string) *lie {
	changes, is := regexp.MustCompile(change), regexp.MustCompile(command)
	return &lie{program: func(l *lie, honest target.Program, p *target.Proc) int {
		if changes.MatchString(p.CommandLine()) && l.since == 0 {
			l.since = l.m.Now()
		}
		if !is.MatchString(p.CommandLine()) {
			return honest(p)
		}
		out, status := outputOf(honest, p)
		first := l.keep(p.CommandLine(), out)
		if l.since > 0 && l.m.Now() > l.since+4*time.Second {
			out = first
		}
		p.Print(out)
		return status
	}}
}

// stuck shows the answers to such a command from after the first change forever.
func stuck(command string) *lie {
	is := regexp.MustCompile(command)
	return &lie{program: func(l *lie, honest target.Program, p *target.Proc) int {
		if !is.MatchString(p.CommandLine()) {
			return honest(p)
		}
		out, status := outputOf(honest, p)
		if first := l.keep(p.CommandLine(), out); out != first {
			out = l.keep("new "+p.CommandLine(), out)
		}
		if now := l.kept["new "+p.CommandLine()]; now != "" {
			out = now
		}
		p.Print(out)
		return status
	}}
}

// marking makes a switch mark in another way.
func marking(how func(l *lie, honest func(string, int) (int, bool), port string, cos int) (int, bool)) *lie {
	return &lie{marks: how}
}

// noMarks drops every mark, allMarks marks every packet, oldMarks marks as before it was armed, lowMarks keeps the lowest threshold,
// roundMarks knows only multiples of 100 KB, besideMarks marks the queue of another port, swappedMarks marks another cos.
var (
	noMarks  = func(*lie, func(string, int) (int, bool), string, int) (int, bool) { return 0, false }
	allMarks = func(*lie, func(string, int) (int, bool), string, int) (int, bool) { return 0, true }
	oldMarks = func(l *lie, honest func(string, int) (int, bool), port string, cos int) (int, bool) {
		from, ok := honest(port, cos)
		var was int
		_, err := fmt.Sscan(l.keep(fmt.Sprint(port, cos), fmt.Sprint(from)), &was)
		return was, ok && err == nil
	}
	lowMarks = func(l *lie, honest func(string, int) (int, bool), port string, cos int) (int, bool) {
		from, ok := honest(port, cos)
		if low := 50_000; from < low {
			l.keep("low", "yes")
		}
		if l.kept["low"] != "" {
			from = 0
		}
		return from, ok
	}
	roundMarks = func(_ *lie, honest func(string, int) (int, bool), port string, cos int) (int, bool) {
		from, ok := honest(port, cos)
		return max(from/100_000, 1) * 100_000, ok
	}
	besideMarks = func(_ *lie, honest func(string, int) (int, bool), port string, cos int) (int, bool) {
		return honest(map[string]string{"swp1": "swp2", "swp2": "swp1"}[port], cos)
	}
	swappedMarks = func(_ *lie, honest func(string, int) (int, bool), port string, cos int) (int, bool) {
		return honest(port, cos^1)
	}
)

// onFiles are lies of a daemon about its file: some time after it has loaded a new content, it writes another one. change returns that
// content, from the content before the first change and after it.
func onFiles(after time.Duration, change func(before, now string) string) *lie {
	const features = "/etc/cumulus/datapath/qos/qos_features.conf"
	told := &lie{}
	told.read = func(l *lie, path, text string) string {
		if path == features {
			if text != l.honest || l.kept["new"] != "" {
				l.keep("new", text)
				l.m.After(after, func() { l.m.WriteFile(features, change(l.honest, l.kept["new"])) })
			}
			return text
		}
		return text
	}
	return told
}

// counting changes a counter of a NIC.
func counting(name string, to func(by uint64) uint64) *lie {
	return &lie{count: func(_ *lie, counter string, by uint64) uint64 {
		if counter == name {
			return to(by)
		}
		return by
	}}
}

// rising makes a counter of a port of the switch rise all the time.
func rising(port, name string) *lie {
	const perSecond = 100
	return &lie{start: func(devices *lab.Lab) { devices.Device("tor1").SetCounter(port, name, 0, perSecond) }}
}

// pausing makes a switch pause in another way.
func pausing(how func(l *lie, honest func(string, int, uint64) uint64, port string, cos int, packets uint64) uint64) *lie {
	return &lie{pauses: how}
}

// noPauses drops packets and pauses no sender, emptyPauses only counts pauses, dropPauses pauses and drops.
var (
	noPauses = func(l *lie, _ func(string, int, uint64) uint64, port string, cos int, packets uint64) uint64 {
		l.m.Count(port, fmt.Sprintf("SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS:%d", cos), packets)
		return 0
	}
	emptyPauses = func(_ *lie, honest func(string, int, uint64) uint64, port string, cos int, packets uint64) uint64 {
		honest(port, cos, packets)
		return 0
	}
	dropPauses = func(l *lie, honest func(string, int, uint64) uint64, port string, cos int, packets uint64) uint64 {
		noPauses(l, honest, port, cos, packets)
		return honest(port, cos, packets)
	}
)

// told is a row of the table of lies: the lie, the level that finds it, and words of the finding.
type told struct {
	name, system string
	level        int
	device       string
	told         func() *lie
	says         string
	quick        bool // every test run has it
}

// liars is the table of lies.
var liars = []told{
	{"ignores a reload", "cumulus", 2, "tor1", func() *lie { return marking(oldMarks) }, "marks nothing, or its queue", true},
	{"rounds a threshold", "cumulus", 2, "tor1", func() *lie { return marking(roundMarks) }, "marks nothing, or its queue", false},
	{"drops marks", "cumulus", 2, "tor1", func() *lie { return marking(noMarks) }, "marks nothing, or its queue", false},
	{"marks always", "cumulus", 2, "tor1", func() *lie { return marking(allMarks) }, "a mark proves nothing", false},
	{"keeps the low threshold", "cumulus", 2, "tor1", func() *lie { return marking(lowMarks) }, "still uses the low threshold", false},
	{"applies to another port", "cumulus", 2, "tor1", func() *lie { return marking(besideMarks) }, "marks nothing, or its queue", false},
	{"swaps two priorities", "cumulus", 2, "tor1", func() *lie { return marking(swappedMarks) }, "marks nothing, or its queue", false},
	{"goes back after some seconds", "cumulus", 1, "tor1", func() *lie {
		return onFiles(4*time.Second, func(before, _ string) string { return before })
	}, "does not hold", true},
	{"loses one key of many", "cumulus", 1, "tor1", func() *lie {
		return onFiles(time.Second, func(_, now string) string {
			return regexp.MustCompile(`(?m)^pfc.roce_pfc.xon_delta = .*\n`).ReplaceAllString(now, "")
		})
	}, "does not hold", false},
	{"keeps the new value after the undo", "cumulus", 1, "tor1", func() *lie {
		return onFiles(time.Second, func(_, now string) string { return now })
	}, "does not hold", false},
	{"claims another release", "cumulus", 1, "tor1", func() *lie {
		return otherOutput("cl-consistency-check .*-h", "-qf", "-t", "-qi", "-i")
	}, "cumulus-checker-options: does not hold", false},

	{"ignores an apply", "nvue", 1, "tor1", func() *lie { return idle("nv config apply") }, "does not hold", true},
	{"answers from a cache", "nvue", 1, "tor1", func() *lie { return cached("nv config show") }, "does not hold", false},
	{"rounds a value", "nvue", 1, "tor1", func() *lie {
		return otherOutput("nv config show", "min-threshold: 165888", "min-threshold: 165000")
	}, "does not hold", false},
	{"loses one key of many", "nvue", 1, "tor1", func() *lie {
		return otherOutput("nv config show", "probability: 100", "")
	}, "does not hold", false},
	{"swaps two priorities", "nvue", 1, "tor1", func() *lie {
		return otherOutput("nv config show", "'3':", "'4':", "'4':", "'3':")
	}, "does not hold", false},
	{"goes back after some seconds", "nvue", 1, "tor1", func() *lie {
		return reverting("nv config apply", "nv config show")
	}, "does not hold", false},
	{"keeps the new value after the undo", "nvue", 1, "tor1", func() *lie { return stuck("nv config show") }, "does not hold", false},
	{"truncates answers", "nvue", 1, "tor1", func() *lie { return short("nv config show") }, "cannot be edited: line", false},
	{"claims another release", "nvue", 1, "tor1", func() *lie {
		return otherOutput("decode-syseeprom", `"tlv"`, `"table"`)
	}, "nvue-eeprom: does not hold", false},
	{"drops marks", "nvue", 2, "tor1", func() *lie { return marking(noMarks) }, "marks nothing, or its queue", false},
	{"marks always", "nvue", 2, "tor1", func() *lie { return marking(allMarks) }, "a mark proves nothing", false},
	{"reports loaded and is not", "later", 2, "tor1", func() *lie { return marking(oldMarks) }, "marks nothing, or its queue", false},
	{"keeps the low threshold", "later", 2, "tor1", func() *lie { return marking(lowMarks) }, "still uses the low threshold", false},
	{"applies to another port", "later", 2, "tor1", func() *lie { return marking(besideMarks) }, "marks nothing, or its queue", false},

	{"ignores a patch", "sonic", 1, "tor1", func() *lie { return idle("config apply-patch") }, "does not hold", true},
	{"answers from a cache", "sonic", 1, "tor1", func() *lie { return cached("sonic-cfggen") }, "does not hold", false},
	{"truncates answers", "sonic", 1, "tor1", func() *lie {
		return short("sonic-cfggen.*--print-data")
	}, "gives no whole configuration", false},
	{"goes back after some seconds", "sonic", 1, "tor1", func() *lie {
		return reverting("config apply-patch", "sonic-cfggen.*--print-data")
	}, "does not hold", false},
	{"keeps the new value after the undo", "sonic", 1, "tor1", func() *lie {
		return stuck("sonic-cfggen.*--print-data")
	}, "does not hold", false},
	{"loses one key of many", "sonic", 1, "tor1", func() *lie {
		return otherOutput("sonic-cfggen.*--print-data", `"pfc_enable"`, `"pfc_unable"`)
	}, "does not hold", false},
	{"swaps two ports", "newest", 1, "tor1", func() *lie {
		return otherOutput("sonic-cfggen.*--print-data", `"Ethernet0|`, `"Ethernet8|`, `"Ethernet8|`, `"Ethernet0|`)
	}, "does not hold", false},
	{"claims another release", "newest", 1, "tor1", func() *lie {
		return otherOutput("sonic-db-cli CONFIG_DB HGETALL", "'", `"`)
	}, "sonic-hash-text: does not hold", false},

	{"ignores a setting", "mlx5", 1, "store1", func() *lie { return idle("dcb pfc set") }, "does not hold", true},
	{"answers from a cache", "mlx5", 1, "store1", func() *lie { return cached("dcb .*pfc show") }, "does not hold", false},
	{"rounds a value", "mlx5", 1, "store1", func() *lie {
		return otherOutput("dcb .*pfc show", "delay 4", "delay 5")
	}, "does not hold", false},
	{"goes back after some seconds", "mlx5", 1, "store1", func() *lie {
		return reverting("dcb pfc set", "dcb .*pfc show")
	}, "does not hold", false},
	{"keeps the new value after the undo", "mlx5", 1, "store1", func() *lie { return stuck("dcb .*pfc show") }, "does not hold", false},
	{"truncates answers", "mlx5", 1, "store1", func() *lie { return short("dcb .*ets show") }, "dcb does not tell it", false},
	{"swaps two priorities", "mlx5", 1, "store1", func() *lie {
		return otherOutput("dcb .*pfc show", "3:on", "3:off", "4:off", "4:on")
	}, "does not hold", false},
	{"counts no notifications", "mlx5", 2, "store2", func() *lie {
		return counting("np_cnp_sent", func(uint64) uint64 { return 0 })
	}, "it sent no notification", false},
	{"counts marks always", "mlx5", 2, "store2", func() *lie {
		return &lie{count: func(l *lie, name string, by uint64) uint64 {
			if strings.HasPrefix(name, "rx_prio") {
				l.m.Count("ens1f0", "np_ecn_marked_roce_packets", by)
			}
			return by
		}}
	}, "a mark proves nothing", false},
	{"acts on no notification", "mlx5", 2, "store1", func() *lie {
		return counting("rp_cnp_handled", func(uint64) uint64 { return 0 })
	}, "acted on none", false},

	{"sends no pause", "senders", 3, "tor1", func() *lie { return pausing(noPauses) }, "dropped 1,000 packets of the lossless class", true},
	{"drops and reports pauses", "senders", 3, "tor1", func() *lie {
		return pausing(dropPauses)
	}, "dropped 1,000 packets of the lossless class", false},
	{"counts pauses that it does not send", "senders", 3, "tor1", func() *lie {
		return pausing(emptyPauses)
	}, "counts 1,000 sent pauses of priority 3 for", false},
	{"counts no pause that it sends", "senders", 3, "tor1", func() *lie {
		return counting("SAI_PORT_STAT_PFC_3_TX_PKTS", func(uint64) uint64 { return 0 })
	}, "counts 0 sent pauses of priority 3 for", false},
	{"counts pauses always", "senders", 3, "tor1", func() *lie {
		return rising("Ethernet0", "SAI_PORT_STAT_PFC_3_TX_PKTS")
	}, "Ethernet0 of the switch counts", false},
	{"counts pauses always", "senders files", 3, "tor1", func() *lie {
		return rising("swp1", "HwIfOutPfc3Pkt")
	}, "swp1 of the switch counts", true},
	{"counts pauses that it does not send", "senders nvue", 3, "tor1", func() *lie {
		return pausing(emptyPauses)
	}, "counts 1,000 sent pauses of priority 3 for", false},
}

// TestLiars: a selftest finds each lie, and its saved text has the verdict that --judge derives. One lie of each system is in every run.
func TestLiars(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(liars), 40)
	for _, system := range []string{"cumulus", "nvue", "sonic", "mlx5"} {
		require.True(t, slices.ContainsFunc(liars, func(l told) bool { return l.system == system && l.quick }), system)
	}
	for _, row := range liars {
		if !row.quick && machinetest.Quick() {
			continue
		}
		t.Run(row.system+" "+row.name, func(t *testing.T) {
			t.Parallel()
			told := row.told()
			dir, devices := lyingRack(t, row.system, row.device, told)
			told.armed.Store(true)
			if told.start != nil {
				told.start(devices)
			}
			saved := filepath.Join(t.TempDir(), "report.txt")
			code, stdout, stderr := trialOf(t, dir, row.level, row.device, "--out", saved)
			assert.NotEqual(t, exit.Good, code, stdout)
			assert.Contains(t, stdout+stderr, row.says)
			if _, err := os.Stat(saved); err == nil {
				code, stdout, stderr = rocec(t, "selftest", "--judge", saved)
				assert.Equal(t, exit.Good, code, stdout+stderr)
			} else {
				assert.Contains(t, row.name, "truncates", "the device was not read")
			}
		})
	}
}

// trialOf runs a level on a rack.
func trialOf(t *testing.T, dir string, level int, device string, more ...string) (code int, stdout, stderr string) {
	args := append([]string{"selftest", "--auto-approve", "--level", fmt.Sprint(level), dir}, more...)
	if level == 1 {
		args = append(args, "--target", device)
	}
	return rocec(t, args...)
}

// TestHonest: no level blames an honest device.
func TestHonest(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for system := range liarSystems {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			dir, _ := lyingRack(t, system, "", nil)
			for _, one := range []struct {
				level  int
				device string
			}{{1, "tor1"}, {1, "store1"}, {2, ""}, {3, ""}} {
				if one.level == 3 && !strings.HasPrefix(system, "senders") || one.level == 2 && system == "senders" {
					continue
				}
				if one.level == 2 && (system == "sonic" || system == "newest") {
					continue // level 2 is refused: the switch drops packets beyond a threshold
				}
				code, stdout, stderr := trialOf(t, dir, one.level, one.device)
				assert.Equal(t, exit.Good, code, "%d %s %s%s", one.level, one.device, stdout, stderr)
				assert.NotContains(t, stdout, "does not hold")
				if one.level == 3 {
					assert.Contains(t, stdout, map[bool]string{
						true:  "tor1: traffic-pauses: holds",
						false: "tor1: traffic-pauses: not decided. The switch shows no counter of dropped packets of the lossless priority.",
					}[system == "senders"])
				}
			}
		})
	}
}
