package walk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/walk"
)

// sound is a fabric of two leaves and two spines with nothing wrong in it.
const sound = `
fabric "f" {
  routing      = "up-down"
  cable_length = "3m"
}
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
cos_group "default" {
  cos    = 0
  weight = 40
}
roce "train" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.a, host.b]
}
switch "leaf" {
  names   = "leaf1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}
switch "end" {
  names   = "leaf2"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}
switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}
host "a" {
  names = "a1"
  nic "eth0" {
    model = "connectx-5"
    mtu   = 9000
  }
}
host "b" {
  names = "b1"
  nic "eth0" {
    model = "connectx-5"
    mtu   = 9000
  }
}
link "a" {
  a = "a1:eth0"
  b = "leaf1:swp1"
}
link "b" {
  a = "b1:eth0"
  b = "leaf2:swp1"
}
mesh "up" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
`

// written returns sound with parts replaced: pairs of what stands there and what is to.
func written(t testing.TB, edits ...string) string {
	t.Helper()
	src := sound
	for i := 0; i < len(edits); i += 2 {
		require.Contains(t, src, edits[i])
		src = strings.ReplaceAll(src, edits[i], edits[i+1])
	}
	return src
}

// byHand is an edit that lets others configure the devices of a block.
func byHand(names, text string) []string {
	line := fmt.Sprintf("names   = %q\n", names)
	if len(names) == 2 {
		line = fmt.Sprintf("names = %q\n", names)
	}
	return []string{line, line + "  by_hand { " + strings.ReplaceAll(text, "; ", "\n") + " }\n"}
}

func device(f *ir.Fabric, name string) *ir.Device {
	return f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == name })]
}

func link(f *ir.Fabric, name string) *ir.Link {
	return f.Ports[slices.IndexFunc(f.Ports, func(p *ir.Port) bool { return p.String() == name })].Link
}

// traced follows the first intent from a1 to b1.
func traced(t testing.TB, f *ir.Fabric, down ...string) *walk.Trace {
	t.Helper()
	q := walk.Question{Fabric: f, Intent: f.Intents[0]}
	q.From, q.To = walk.Ends(q.Intent, device(f, "a1"), "")[0], walk.Ends(q.Intent, device(f, "b1"), "")[0]
	for _, name := range down {
		q.State.Down = append(q.State.Down, link(f, name))
	}
	tr, err := walk.Run(q)
	require.NoError(t, err)
	return tr
}

// spelled writes a walk in short: device, cos, and the faults.
func spelled(w *walk.Walk) string {
	var out []string
	for _, h := range w.Hops {
		s := h.Devices[0].Name
		if n := len(h.Devices); n > 1 {
			s += fmt.Sprintf("x%d", n)
		}
		out = append(out, fmt.Sprintf("%s:%d", s, h.Sort.Cos))
	}
	return strings.Join(out, " ")
}

func TestSound(t *testing.T) {
	tr := traced(t, compilertest.Compile(t, sound))
	assert.False(t, tr.Breaks())
	assert.Empty(t, tr.Data.Faults())
	assert.Empty(t, tr.CNP.Faults())
	assert.Equal(t, "a1:4 leaf1:4 spine1x2:4 leaf2:4 b1:4", spelled(tr.Data))
	assert.Equal(t, "b1:6 leaf2:6 spine1x2:6 leaf1:6 a1:6", spelled(tr.CNP))
	assert.EqualValues(t, 2, tr.Data.Ways)
	assert.Equal(t, [2]int{4, 4}, [2]int{tr.Data.Cables, tr.Data.Most})
	assert.Equal(t, ir.Packet{IP: true, DSCP: 26}, tr.Data.Packet)
	assert.Equal(t, ir.Packet{IP: true, DSCP: 48}, tr.CNP.Packet)
	leaf := tr.Data.Hops[1]
	assert.Equal(t, "DSCP 26", leaf.Sort.By)
	in, out := leaf.In[0], leaf.Out[0]
	assert.True(t, in.Pauses && in.Buffered && in.Sized && in.Headroom() >= in.Need)
	assert.True(t, out.Pauses && out.Marks && out.Max == 10*out.Min)
	assert.Len(t, out.Ports, 2)
}

// A host that passes packets on by NICs of no intent is set up by nobody, unless a by_hand block speaks of it.
func TestUnwrittenTransit(t *testing.T) {
	const transit = `host "t" {
  names    = "t1"
  forwards = true
  # how
  nic "eth[0-1]" { model = "connectx-5" }
}
link "t" {
  a = "t1:eth[0-1]"
  b = "leaf[1-2]:swp3"
}
`
	mesh := sound[strings.Index(sound, `mesh "up"`):]
	edits := []string{mesh, transit, `routing      = "up-down"`, `routing      = "shortest-path"`}
	tr := traced(t, compilertest.Compile(t, written(t, edits...)))
	require.Len(t, tr.Data.Faults(), 1)
	fault := tr.Data.Faults()[0]
	assert.False(t, fault.Breaks)
	assert.Contains(t, fault.What, "t1:eth0 is in no intent")
	assert.Empty(t, tr.CNP.Faults(), "CNPs are not lossless")
	edits[1] = strings.Replace(transit, "# how", "by_hand {}", 1)
	assert.Empty(t, traced(t, compilertest.Compile(t, written(t, edits...))).Data.Faults())
}

// Each kind of fault, by what the walk says of it first, at which line, and whether the promise is broken.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		edits  []string
		data   string // the first fault there
		back   string // the first fault of the CNP
		at     string // text of the guilty line
		breaks bool
	}{
		{
			name: "trust", edits: byHand("leaf2", `trust = "pcp"`), breaks: true, at: "trust",
			data: `leaf2 goes by its default, for want of a PCP, and puts the packet into cos group "default" (cos 0), not into the lossless cos group "rdma" (cos 4): it is dropped when its queue is full.`,
			back: `leaf2 puts CNPs (by its default, for want of a PCP) into cos group "default" (cos 0), not into cos group "cnp" (cos 6): they can come late when it matters.`,
		},
		{
			name: "an exception by address", breaks: true, at: "tos = 0",
			edits: []string{
				"host \"a\" {\n  names = \"a1\"\n  nic \"eth0\" {\n", "host \"a\" {\n  names = \"a1\"\n  nic \"eth0\" {\n    ip = \"192.0.2.1/24\"\n    " +
					"traffic_class {\n      tos = 0\n      dst = \"192.0.2.2\"\n    }\n",
				"host \"b\" {\n  names = \"b1\"\n  nic \"eth0\" {\n", "host \"b\" {\n  names = \"b1\"\n  nic \"eth0\" {\n    ip = \"192.0.2.2/24\"\n",
			},
			data: `a1 goes by DSCP 0, and puts the packet into no cos group, not into the lossless cos group "rdma" (cos 4): it is dropped when its queue is full.`,
		},
		{
			name: "dscp map", edits: byHand("spine[1-2]", "dscp = { 26 = 3 }"), breaks: true, at: "26 = 3",
			data: `spine1 goes by DSCP 26, and puts the packet into cos 3, which is of no cos group, not into the lossless cos group "rdma" (cos 4): it is dropped when its queue is full.`,
		},
		{
			name: "CNP into the lossless group", edits: byHand("leaf1", "dscp = { 48 = 4 }"), breaks: true, at: "48 = 4",
			back: `leaf1 puts CNPs (by DSCP 48) into cos group "rdma" (cos 4), which is lossless: they wait behind the packets they are about, and can be paused.`,
		},
		{
			name: "the receiving NIC", edits: byHand("b1", "dscp = { 26 = 0 }"), breaks: true, at: "26 = 0",
			data: `b1 goes by DSCP 26, and puts the packet into cos group "default" (cos 0), not into the lossless cos group "rdma" (cos 4): it is dropped when its queue is full.`,
		},
		{
			name: "obeys no pauses", edits: byHand("spine[1-2]", `flow_control = "pfc-tx"`), breaks: true, at: "flow_control",
			data: "spine1:swp2 does not obey pauses for priority 4, so it goes on sending when the buffer of leaf2:swp31 is full.",
		},
		{
			name: "sends no pauses", edits: byHand("spine[1-2]", `flow_control = "pfc-rx"`), breaks: true, at: "flow_control",
			data: "spine1:swp1 sends no pauses for priority 4, so leaf1 goes on sending when the buffer is full.",
		},
		{
			name: "neither", edits: byHand("b1", `flow_control = "none"`), breaks: true, at: "flow_control",
			data: "b1:eth0 sends no pauses for priority 4, so leaf2 goes on sending when the buffer is full.",
		},
		{
			name: "PFC on another priority", edits: byHand("leaf1", "pfc = [3]"), breaks: true, at: "pfc",
			data: "leaf1:swp1 sends no pauses for priority 4, so a1 goes on sending when the buffer is full.",
		},
		{
			name: "link pause beside PFC", edits: byHand("leaf2", `flow_control = "pause"`), breaks: true, at: "flow_control",
			data: "leaf2:swp31 is lossless by link pause, spine1:swp2 by PFC: the one does not understand the other's pauses.",
		},
		{
			name: "no marks", edits: byHand("leaf2", "ecn = false"), at: "ecn = false",
			data: `leaf2:swp1 does not mark cos group "rdma" (cos 4), so congestion there stays unseen until it pauses.`,
		},
		{
			name: "no answer to marks", edits: byHand("b1", "dcqcn = false"), at: "dcqcn",
			data: "b1 answers no marks with CNPs, so senders are not told of congestion and only pauses hold them.",
		},
		{
			name: "no answer to CNPs", edits: byHand("a1", "dcqcn = false"), at: "dcqcn",
			back: "a1 does not slow down when CNPs tell it to, so only pauses hold it.",
		},
		{
			name: "firmware decides", edits: byHand("a1", `dcbx = "firmware"`), at: "dcbx",
			data: "The firmware of a1 decides its PFC and trust with what its neighbour advertises; rocec does not see what came out.",
		},
		{
			name: "wrong tos", edits: []string{"names = \"a1\"\n  nic \"eth0\" {\n", "names = \"a1\"\n  nic \"eth0\" {\n    tos   = 40\n"}, breaks: true, at: "tos   = 40",
			data: `a1 goes by DSCP 10, and puts the packet into no cos group, not into the lossless cos group "rdma" (cos 4): it is dropped when its queue is full.`,
		},
		{
			name: "PCP over an IP hop", edits: []string{"  dscp     = [26]\n", "", "version   = 2\n", "version   = 2\n  vlan      = 100\n"}, breaks: true, at: `cos_group "rdma"`,
			data: `spine1 goes by its default, for want of a PCP, and puts the packet into cos group "default" (cos 0), not into the lossless cos group "rdma" (cos 4): it is dropped when its queue is full.`,
			back: `spine1 puts CNPs (by its default, for want of a PCP) into cos group "default" (cos 0), not into cos group "cnp" (cos 6): they can come late when it matters.`,
		},
		{
			name: "PCP without a tag", edits: []string{"  dscp     = [26]\n", ""}, breaks: true, at: `roce "train"`,
			data: `a1 goes by its default, for want of a PCP, and puts the packet into cos group "default" (cos 0), not into the lossless cos group "rdma" (cos 4): it is dropped when its queue is full.`,
			back: `b1 puts CNPs (by its default, for want of a PCP) into cos group "default" (cos 0), not into cos group "cnp" (cos 6): they can come late when it matters.`,
		},
		{
			name: "headroom below the floor", edits: []string{"  ecn {}\n", "  ecn {}\n  pfc {\n    buffer = \"25000B\"\n    xoff   = \"10000B\"\n  }\n"}, breaks: true, at: "pfc {",
			data: `leaf1:swp1 keeps 15000 B of headroom for cos group "rdma" (cos 4), and 72288 B can arrive after the pause: frames are lost.`,
		},
		{
			name: "headroom between floor and need", edits: []string{"  ecn {}\n", "  ecn {}\n  pfc {\n    buffer = \"80000B\"\n    xoff   = \"10000B\"\n  }\n"}, at: "pfc {",
			data: `leaf1:swp1 keeps 70000 B of headroom for cos group "rdma" (cos 4), and 72288 B can arrive after the pause when packets are small.`,
		},
		{
			name: "MTU of a switch link", edits: []string{"mesh \"up\" {\n", "mesh \"up\" {\n  mtu   = 1500\n"}, breaks: true, at: "1500",
			data: "leaf1:swp31 takes frames of 1500 B, and the sender sends up to 9000 B: larger frames are dropped.",
		},
		{
			name: "MTU of the first link", edits: []string{"link \"a\" {\n", "link \"a\" {\n  mtu = 1500\n"}, breaks: true, at: "1500",
			data: "leaf1:swp1 takes frames of 1500 B, and the sender sends up to 9000 B: larger frames are dropped.",
		},
		{
			name: "MTU of the receiver", edits: []string{"names = \"b1\"\n  nic \"eth0\" {\n    model = \"connectx-5\"\n    mtu   = 9000\n", "names = \"b1\"\n  nic \"eth0\" {\n    model = \"connectx-5\"\n    mtu   = 4200\n"}, breaks: true, at: "4200",
			data: "b1:eth0 takes frames of 4200 B, and the sender sends up to 9000 B: larger frames are dropped.",
		},
		{
			name: "RoCEv1 over IP hops", edits: []string{"version   = 2\n", "version   = 1\n  vlan      = 100\n", "  cnp       = cos_group.cnp\n", ""}, breaks: true, at: "version   = 1",
			data: "leaf1 has no bridged way on to b1: what comes there is dropped.",
		},
		{
			name: "CNP in a lossless group", edits: []string{"  strict = true\n", "  lossless = true\n"}, breaks: true, at: "lossless = true",
			back: `b1 puts CNPs (by DSCP 48) into cos group "cnp" (cos 6), which is lossless: they wait behind the packets they are about, and can be paused.`,
		},
		{
			name: "no CNP group", edits: []string{"  cnp       = cos_group.cnp\n", ""}, at: `roce "train"`,
			back: `Nobody says in which cos group CNPs of "train" are; b1 puts them (by DSCP 48) into cos group "cnp" (cos 6).`,
		},
		{
			name: "CNP of no DSCP", edits: []string{"  dscp   = [48]\n", ""}, at: `cos_group "cnp"`,
			back: `b1 puts CNPs (by DSCP 48) into no cos group, not into cos group "cnp" (cos 6): they can come late when it matters.`,
		},
		{
			name: "a NIC made of software", edits: []string{"names = \"b1\"\n  nic \"eth0\" {\n    model = \"connectx-5\"\n", "names = \"b1\"\n  nic \"eth0\" {\n    model = \"soft-roce\"\n"}, breaks: true, at: "soft-roce",
			data: "b1:eth0 is a NIC made of software, which sends no pauses.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := written(t, c.edits...)
			tr := traced(t, compilertest.Compile(t, src))
			first := func(w *walk.Walk) (*walk.Fault, string) {
				if w == nil || len(w.Faults()) == 0 {
					return nil, ""
				}
				return w.Faults()[0], w.Faults()[0].What
			}
			data, says := first(tr.Data)
			assert.Equal(t, c.data, says)
			back, says := first(tr.CNP)
			assert.Equal(t, c.back, says)
			if data == nil {
				data = back
			}
			require.NotNil(t, data)
			assert.Equal(t, c.breaks, tr.Breaks())
			assert.Equal(t, c.breaks, data.Breaks)
			assert.NotEmpty(t, data.Mend)
			assert.Contains(t, strings.Split(src, "\n")[data.At.Start.Line-1], c.at)
		})
	}
}

func TestLossyIntent(t *testing.T) {
	edits := append(byHand("leaf2", "ecn = false"), "  lossless = true\n", "")
	tr := traced(t, compilertest.Compile(t, written(t, edits...)))
	assert.False(t, tr.Data.Promised)
	assert.False(t, tr.Breaks())
	require.Len(t, tr.Data.Faults(), 1)
	assert.Equal(t, `leaf2:swp1 does not mark cos group "rdma" (cos 4), so congestion there stays unseen until it pauses.`, tr.Data.Faults()[0].What)
}

// Link pause stops the whole cable: where a packet is sorted to does not matter for losslessness.
func TestLinkPause(t *testing.T) {
	pause := []string{"routing      =", "flow_control = \"pause\"\n  routing      ="}
	tr := traced(t, compilertest.Compile(t, written(t, pause...)))
	assert.Empty(t, tr.Data.Faults())
	tr = traced(t, compilertest.Compile(t, written(t, append(pause, byHand("leaf2", "dscp = { 26 = 0 }")...)...)))
	assert.False(t, tr.Breaks())
	assert.NotEmpty(t, tr.Data.Faults())
	tr = traced(t, compilertest.Compile(t, written(t, append(pause, byHand("leaf2", `flow_control = "pfc"`)...)...)))
	assert.True(t, tr.Breaks())
}

func TestDown(t *testing.T) {
	f := compilertest.Compile(t, sound)
	tr := traced(t, f, "leaf1:swp31")
	assert.Equal(t, "a1:4 leaf1:4 spine2:4 leaf2:4 b1:4", spelled(tr.Data))
	assert.EqualValues(t, 1, tr.Data.Ways)
	tr = traced(t, f, "leaf1:swp31", "leaf1:swp32")
	assert.Equal(t, -1, tr.Data.Cables)
	assert.True(t, tr.Breaks())
	tr = traced(t, f, "a1:eth0")
	assert.Equal(t, "There is no way from a1 to b1 that the routing allows.", tr.Data.FirstBreak().What)
}

func TestNoCNP(t *testing.T) {
	tr := traced(t, compilertest.Compile(t, written(t, "  ecn {}\n", "")))
	assert.Nil(t, tr.CNP)
	assert.NotEmpty(t, tr.NoCNP)
}

func TestEnds(t *testing.T) {
	bond := func(mode string) *ir.Fabric {
		return compilertest.Compile(t, written(t, "names = \"a1\"\n  nic \"eth0\" {", "names = \"a1\"\n  bond \"bond0\" {\n    nics = [\"eth0\", \"eth1\"]\n    mode = \""+mode+
			"\"\n  }\n  nic \"eth[0-1]\" {", "  a = \"a1:eth0\"\n  b = \"leaf1:swp1\"", "  a = \"a1:eth[0-1]\"\n  b = \"leaf1:swp1,leaf2:swp2\""))
	}
	f := bond("802.3ad")
	in := f.Intents[0]
	for _, name := range []string{"", "eth0", "eth1", "bond0"} {
		ends := walk.Ends(in, device(f, "a1"), name)
		require.Len(t, ends, 1, name)
		assert.Len(t, ends[0], 2, name)
	}
	assert.Empty(t, walk.Ends(in, device(f, "a1"), "eth9"))
	assert.Empty(t, walk.Ends(in, device(f, "leaf1"), ""))
	tr := traced(t, f)
	assert.Equal(t, "a1:4 leaf1:4 leaf2:4 spine1x2:4 leaf2:4 b1:4", spelled(tr.Data))
	f = bond("active-backup")
	assert.Len(t, walk.Ends(f.Intents[0], device(f, "a1"), ""), 2)
	assert.Len(t, walk.Ends(f.Intents[0], device(f, "a1"), "eth1"), 1)
	assert.Len(t, walk.Ends(f.Intents[0], device(f, "a1"), "bond0"), 2)
}
