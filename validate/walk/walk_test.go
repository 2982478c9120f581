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
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// sound is a fabric of two leaves and two spines without findings.
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

// written returns sound with replaced parts. The arguments are pairs of a part and its replacement.
func written(t testing.TB, edits ...string) string {
	t.Helper()
	src := sound
	for i := 0; i < len(edits); i += 2 {
		require.Contains(t, src, edits[i])
		src = strings.ReplaceAll(src, edits[i], edits[i+1])
	}
	return src
}

// onSONiC is an edit that gives every switch SONiC, whose queues drop unmarkable packets.
var onSONiC = []string{`os      = "cumulus-linux"`, `os      = "sonic"`, `version = "4.3.0"`, `version = "202511"`, ":swp", ":etp"}

// byHand is an edit that adds a by_hand block to a block of devices.
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
	return f.Ports[slices.IndexFunc(f.Ports, func(p *ir.Port) bool { return p.String() == name })].Link()
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

// firstBreak returns the first finding that breaks the promise, or nil.
func firstBreak(w *walk.Walk) *walk.Finding {
	all := w.Findings()
	if i := slices.IndexFunc(all, func(x *walk.Finding) bool { return x.Breaks }); i >= 0 {
		return all[i]
	}
	return nil
}

// breaks reports whether an intent that must be lossless is not.
func breaks(tr *walk.Trace) bool {
	return tr.Data.Promised && (firstBreak(tr.Data) != nil || tr.CNP != nil && firstBreak(tr.CNP) != nil)
}

// spelled returns a walk in short form: device, cos, and the findings.
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
	assert.False(t, breaks(tr))
	assert.Empty(t, tr.Data.Findings())
	assert.Empty(t, tr.CNP.Findings())
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

// A host that forwards packets by NICs without an intent has no settings from rocec, unless a by_hand block states them.
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
	require.Len(t, tr.Data.Findings(), 1)
	x := tr.Data.Findings()[0]
	assert.False(t, x.Breaks)
	assert.Equal(t, walk.HostNotMember+" t1:eth0", x.Code+" "+x.Port.String())
	assert.Empty(t, tr.CNP.Findings(), "CNPs are not lossless")
	edits[1] = strings.Replace(transit, "# how", "by_hand {}", 1)
	assert.Empty(t, traced(t, compilertest.Compile(t, written(t, edits...))).Data.Findings())
}

// Each row has a kind of finding: the first of a direction with its code, its line, and whether it breaks losslessness. Package validate
// has a diagnostic at the same place.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		edits  []string
		data   string // the code of the first finding on the way to the receiver
		back   string // on the way of the CNP
		at     string // the text of the line
		breaks bool
	}{
		{
			name: "trust", data: "trust-mismatch", back: "trust-mismatch", at: "trust", breaks: true,
			edits: byHand("leaf2", `trust = "pcp"`),
		},
		{
			name: "an exception by address", data: "traffic-class-not-in-group", at: "tos = 0", breaks: true,
			edits: []string{
				"host \"a\" {\n  names = \"a1\"\n  nic \"eth0\" {\n",
				"host \"a\" {\n  names = \"a1\"\n  nic \"eth0\" {\n    ip = \"192.0.2.1/24\"\n    " +
					"traffic_class {\n      tos = 0\n      dst = \"192.0.2.2\"\n    }\n",
				"host \"b\" {\n  names = \"b1\"\n  nic \"eth0\" {\n", "host \"b\" {\n  names = \"b1\"\n  nic \"eth0\" {\n    ip = \"192.0.2.2/24\"\n",
			},
		},
		{
			name: "dscp map", data: "map-mismatch", at: "26 = 3", breaks: true,
			edits: byHand("spine[1-2]", "dscp = { 26 = 3 }"),
		},
		{
			name: "CNP into the lossless group", back: "cnp-lost", at: "48 = 4", breaks: true,
			edits: byHand("leaf1", "dscp = { 48 = 4 }"),
		},
		{
			name: "the receiving NIC", data: "map-mismatch", at: "26 = 0", breaks: true,
			edits: byHand("b1", "dscp = { 26 = 0 }"),
		},
		{
			name: "obeys no pauses", data: "pfc-one-end", at: "flow_control", breaks: true,
			edits: byHand("spine[1-2]", `flow_control = "pfc-tx"`),
		},
		{
			name: "sends no pauses", data: "pfc-one-end", at: "flow_control", breaks: true,
			edits: byHand("spine[1-2]", `flow_control = "pfc-rx"`),
		},
		{
			name: "neither", data: "pfc-one-end", at: "flow_control", breaks: true,
			edits: byHand("b1", `flow_control = "none"`),
		},
		{
			name: "PFC on another priority", data: "pfc-one-end", at: "pfc", breaks: true,
			edits: byHand("leaf1", "pfc = [3]"),
		},
		{
			name: "link pause beside PFC", data: "pause-beside-pfc", at: "flow_control", breaks: true,
			edits: byHand("leaf2", `flow_control = "pause"`),
		},
		{
			name: "no marks", data: "ecn-missing-hop", at: "ecn = false",
			edits: byHand("leaf2", "ecn = false"),
		},
		{
			name: "no answer to marks", data: "dcqcn-off", at: "dcqcn",
			edits: byHand("b1", "dcqcn = false"),
		},
		{
			name: "no answer to CNPs", back: "dcqcn-off", at: "dcqcn",
			edits: byHand("a1", "dcqcn = false"),
		},
		{
			name: "no answer to CNPs where unmarkable packets are dropped", data: "ecn-drops-unmarkable", back: "dcqcn-off", at: "dcqcn",
			breaks: true, edits: append(byHand("a1", "dcqcn = false"), onSONiC...),
		},
		{
			name: "no answer to marks there", data: "dcqcn-off", at: "dcqcn", edits: append(byHand("b1", "dcqcn = false"), onSONiC...),
		},
		{
			name: "RoCEv1 in a marked group there", data: "ecn-drops-unmarkable", at: "cos_group = cos_group.rdma", breaks: true,
			edits: append([]string{
				"  dscp     = [26]\n", "", "routing      = \"up-down\"", "routing      = \"spanning-tree\"",
				"version   = 2\n", "version   = 1\n  vlan      = 100\n", "  cnp       = cos_group.cnp\n  members   = [host.a, host.b]\n}\n",
				"  members   = [host.a, host.b]\n}\n" + `roce "west" {
  version   = 2
  vlan      = 101
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["a1:eth1", "b1:eth1"]
}
link "more" {
  a = "a1:eth1,b1:eth1"
  b = "leaf1:etp9,leaf2:etp9"
}
`, "  nic \"eth0\" {\n", "  nic \"eth[0-1]\" {\n",
			}, onSONiC...),
		},
		{
			name: "firmware decides", data: "dcbx-firmware", at: "dcbx", breaks: true,
			edits: byHand("a1", `dcbx = "firmware"`),
		},
		{
			name: "wrong tos", data: "tos-not-in-group", at: "tos   = 40", breaks: true,
			edits: []string{"names = \"a1\"\n  nic \"eth0\" {\n", "names = \"a1\"\n  nic \"eth0\" {\n    tos   = 40\n"},
		},
		{
			name: "PCP over an IP hop", data: "pcp-over-routed", back: "pcp-over-routed", at: "cos_group = cos_group.rdma", breaks: true,
			edits: []string{"  dscp     = [26]\n", "", "version   = 2\n", "version   = 2\n  vlan      = 100\n"},
		},
		{
			name: "PCP without a tag", data: "roce-v2-no-dscp", back: "roce-v2-no-dscp", at: "cos_group = cos_group.rdma", breaks: true,
			edits: []string{"  dscp     = [26]\n", ""},
		},
		{
			name: "headroom below the floor", data: "headroom-too-small", at: "25000B", breaks: true,
			edits: []string{"  ecn {}\n", "  ecn {}\n  pfc {\n    buffer = \"25000B\"\n    xoff   = \"10000B\"\n  }\n"},
		},
		{
			name: "headroom between floor and need", data: "headroom-too-small", at: "80000B",
			edits: []string{"  ecn {}\n", "  ecn {}\n  pfc {\n    buffer = \"80000B\"\n    xoff   = \"10000B\"\n  }\n"},
		},
		{
			name: "MTU of a switch link", data: "mtu-path", at: "1500", breaks: true,
			edits: []string{"mesh \"up\" {\n", "mesh \"up\" {\n  mtu   = 1500\n"},
		},
		{
			name: "MTU of the first link", data: "mtu-mismatch", at: "9000", breaks: true,
			edits: []string{"link \"a\" {\n", "link \"a\" {\n  mtu = 1500\n"},
		},
		{
			name: "MTU of the receiver", data: "mtu-uneven", at: "2500",
			edits: []string{
				"names = \"b1\"\n  nic \"eth0\" {\n    model = \"connectx-5\"\n    mtu   = 9000\n",
				"names = \"b1\"\n  nic \"eth0\" {\n    model = \"connectx-5\"\n    mtu   = 2500\n",
			},
		},
		{
			name: "RoCEv1 over IP hops", data: "roce-v1-routed", at: `roce "train"`, breaks: true,
			edits: []string{"version   = 2\n", "version   = 1\n  vlan      = 100\n", "  cnp       = cos_group.cnp\n", ""},
		},
		{
			name: "CNP in a lossless group", back: "cnp-in-lossless-group", at: "cnp       = cos_group.cnp", breaks: true,
			edits: []string{"  strict = true\n", "  lossless = true\n"},
		},
		{
			name: "no CNP group", back: "roce-v2-no-cnp", at: `roce "train"`,
			edits: []string{"  cnp       = cos_group.cnp\n", ""},
		},
		{
			name: "CNP of no DSCP", back: "cnp-no-dscp", at: `cos_group "cnp"`,
			edits: []string{"  dscp   = [48]\n", ""},
		},
		{
			name: "a NIC made of software", data: "nic-no-pfc", at: "soft-roce", breaks: true,
			edits: []string{"names = \"b1\"\n  nic \"eth0\" {\n    model = \"connectx-5\"\n", "names = \"b1\"\n  nic \"eth0\" {\n    model = " +
				"\"soft-roce\"\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := written(t, c.edits...)
			f := compilertest.Compile(t, src)
			tr := traced(t, f)
			first := func(w *walk.Walk) (*walk.Finding, string) {
				if w == nil || len(w.Findings()) == 0 {
					return nil, ""
				}
				return w.Findings()[0], w.Findings()[0].Code
			}
			data, code := first(tr.Data)
			assert.Equal(t, c.data, code)
			back, code := first(tr.CNP)
			assert.Equal(t, c.back, code)
			if data == nil {
				data = back
			}
			require.NotNil(t, data)
			assert.Equal(t, c.breaks, breaks(tr))
			assert.Equal(t, c.breaks, data.Breaks)
			assert.Contains(t, strings.Split(src, "\n")[data.At.Start.Line-1], c.at)
			found := validate.Run(f, nil).Diagnostics
			for _, x := range tr.Data.Findings() {
				same := func(d *diag.Diagnostic) bool { return d.Code == x.Code && d.At == x.At }
				assert.True(t, slices.ContainsFunc(found, same), "validate does not find %s at %s", x.Code, x.At)
			}
		})
	}
}

func TestLossyIntent(t *testing.T) {
	edits := append(byHand("leaf2", "ecn = false"), "  lossless = true\n", "")
	tr := traced(t, compilertest.Compile(t, written(t, edits...)))
	assert.False(t, tr.Data.Promised)
	assert.False(t, breaks(tr))
	require.Len(t, tr.Data.Findings(), 1)
	assert.Equal(t, "ecn-missing-hop", tr.Data.Findings()[0].Code)
}

// Link pause stops the whole cable: the class of a packet does not matter for losslessness.
func TestLinkPause(t *testing.T) {
	pause := []string{"routing      =", "flow_control = \"pause\"\n  routing      ="}
	tr := traced(t, compilertest.Compile(t, written(t, pause...)))
	assert.Empty(t, tr.Data.Findings())
	tr = traced(t, compilertest.Compile(t, written(t, append(pause, byHand("leaf2", "dscp = { 26 = 0 }")...)...)))
	assert.False(t, breaks(tr))
	assert.NotEmpty(t, tr.Data.Findings())
	tr = traced(t, compilertest.Compile(t, written(t, append(pause, byHand("leaf2", `flow_control = "pfc"`)...)...)))
	assert.True(t, breaks(tr))
}

func TestDown(t *testing.T) {
	f := compilertest.Compile(t, sound)
	tr := traced(t, f, "leaf1:swp31")
	assert.Equal(t, "a1:4 leaf1:4 spine2:4 leaf2:4 b1:4", spelled(tr.Data))
	assert.EqualValues(t, 1, tr.Data.Ways)
	tr = traced(t, f, "leaf1:swp31", "leaf1:swp32")
	assert.Equal(t, -1, tr.Data.Cables)
	assert.True(t, breaks(tr))
	tr = traced(t, f, "a1:eth0")
	x := firstBreak(tr.Data)
	assert.Equal(t, "roce-members", x.Code)
	d := validate.Say(f, x)
	assert.Equal(t, x.At, d.At)
	assert.Equal(t, `b1:eth0 and a1:eth0 are members of roce "train", and no links join leaf2 and a1. `+
		"Link them, or split the roce block into two.", d.Detail)
}

func TestNoCNP(t *testing.T) {
	tr := traced(t, compilertest.Compile(t, written(t, "  ecn {}\n", "")))
	assert.Nil(t, tr.CNP)
	assert.NotEmpty(t, tr.NoCNP)
}

func TestEnds(t *testing.T) {
	bond := func(mode string, edits ...string) *ir.Fabric {
		return compilertest.Compile(t, written(t, append(edits, "names = \"a1\"\n  nic \"eth0\" {", "names = \"a1\"\n  bond \"bond0\" {\n    "+
			"nics = [\"eth0\", \"eth1\"]\n    mode = \""+mode+
			"\"\n  }\n  nic \"eth[0-1]\" {", "  a = \"a1:eth0\"\n  b = \"leaf1:swp1\"", "  a = \"a1:eth[0-1]\"\n  b = "+
			"\"leaf1:swp1,leaf2:swp2\"")...))
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
	tr = traced(t, bond("802.3ad", "link \"a\" {\n", "link \"a\" {\n  mtu = 1500\n"))
	large := map[string]string{} // both ports of the bond send too large frames
	for _, x := range tr.Data.Findings() {
		large[x.Port.String()] = x.Code + " " + x.NIC.Name
	}
	assert.Equal(t, map[string]string{"leaf1:swp1": "mtu-mismatch eth0", "leaf2:swp2": "mtu-mismatch eth1"}, large)
	f = bond("active-backup")
	assert.Len(t, walk.Ends(f.Intents[0], device(f, "a1"), ""), 2)
	assert.Len(t, walk.Ends(f.Intents[0], device(f, "a1"), "eth1"), 1)
	assert.Len(t, walk.Ends(f.Intents[0], device(f, "a1"), "bond0"), 2)
}
