package targets_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/judge"
)

// judged runs the pipeline on a fabric of one file.
func judged(t langtest.T, text string) *judge.Judged {
	fsys := fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}
	langtest.Dump(t, fsys)
	return judge.Judge(context.Background(), fsys, ".", judge.Options{})
}

// said returns the findings of some severities, one per line.
func said(j *judge.Judged, severities ...diag.Severity) string {
	var b strings.Builder
	for _, d := range j.Diags {
		if slices.Contains(severities, d.Severity) {
			fmt.Fprintf(&b, "%s:%d %s: %s\n", d.At.Filename, d.At.Start.Line, d.Code, d.Detail)
		}
	}
	return b.String()
}

// behaviour lists the codes of findings about packets that leave their class.
var behaviour = []string{
	"pfc-one-end", "pause-beside-pfc", "trust-mismatch", "map-mismatch", "tos-not-in-group", "cnp-lost", "cnp-no-dscp", "ecn-missing-hop",
	"dcqcn-off", "dcbx-firmware", "roce-v2-no-dscp", "pcp-untagged", "pcp-over-routed",
	"host-vlan",
}

// warns reports whether a warning has one of the codes.
func warns(j *judge.Judged, codes []string) bool {
	return slices.ContainsFunc(j.Diags, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Warning && slices.Contains(codes, d.Code)
	})
}

// TestWalkExamples follows every packet of every example without errors.
func TestWalkExamples(t *testing.T) {
	walked := 0
	entries, err := os.ReadDir("../examples")
	require.NoError(t, err)
	for _, e := range entries {
		for _, vars := range [][]string{nil, {"tor_version=4.3.0"}} {
			if !e.IsDir() || vars != nil && e.Name() != "storage-and-training" {
				continue
			}
			j := judge.Judge(t.Context(), os.DirFS("../examples"), e.Name(), judge.Options{Lang: lang.Options{Vars: vars}})
			require.NotNil(t, j.Fabric, e.Name())
			if j.Diags.HasErrors() || testing.Short() && len(j.Fabric.Devices) > 100 {
				continue
			}
			walked++
			w := walk(t, j.Fabric, j.Tree(), statements(j.Fabric), nil)
			assert.Empty(t, w.faults, e.Name())
			assert.NotZero(t, w.walks, e.Name())
		}
	}
	assert.GreaterOrEqual(t, walked, 5)
}

// TestWalkMakers walks one fabric with NICs of each driver that has its own map of DSCP, and of both in one host.
func TestWalkMakers(t *testing.T) {
	for _, models := range [][2]string{{"bcm57508", "bcm57508"}, {"connectx-5", "bcm57508"}} {
		text := strings.Replace(strings.ReplaceAll(spelled, "VERSION", "4.3.0"), "connectx-5", models[0], 1)
		j := judged(t, strings.Replace(text, "connectx-5", models[1], 1))
		require.False(t, j.Diags.HasErrors(), said(j, diag.Error))
		w := walk(t, j.Fabric, j.Tree(), nil, nil)
		require.NotNil(t, w)
		assert.Empty(t, w.faults)
		assert.NotZero(t, w.walks)
	}
}

// TestWalkDialects walks one fabric in the spelling of each dialect.
func TestWalkDialects(t *testing.T) {
	for _, tt := range []struct{ version, lies, key string }{
		{"3.1.1", "", "traffic.cos_4.packet_priorities"},
		{"3.4.3", "", "traffic.cos_4.packet_priorities"},
		{"3.4.3", standing[2], "traffic.cos_4.packet_priorities.dscp"},
		{"3.7.16", "", "ecn.roce_ecn.cos_list"},
		{"3.7.16", standing[4], "ecn_red.roce_ecn.cos_list"},
		{"4.1.1", "", "traffic.cos_4.priority_source.dscp"},
		{"4.3.0", "", "pfc.roce_pfc.cable_length"},
		{"4.4.0", "", "default_ecn_conf.egress_queue_list"},
		{"5.0.1", "", "ecn_red.roce_ecn.egress_queue_list"},
		{"5.3.0", standing[4], "default_egress_sched.egr_queue_4.bw_percent"},
	} {
		t.Run(tt.version+" "+tt.key, func(t *testing.T) {
			j := judged(t, strings.ReplaceAll(spelled, "VERSION", tt.version))
			require.False(t, j.Diags.HasErrors(), said(j, diag.Error))
			w := walk(t, j.Fabric, j.Tree(), nil, func(string) []byte { return []byte(tt.lies) })
			require.NotNil(t, w)
			assert.Empty(t, w.faults)
			assert.Contains(t, w.boxes["leaf1"].keys, tt.key)
			assert.Equal(t, 4+8*2, w.walks, "4 ordered pairs share a rack, 8 have a way over each spine")
		})
	}
}

// TestWalkFamilies walks one fabric with the NICs of each family that has a DSCP map.
func TestWalkFamilies(t *testing.T) {
	for model, key := range map[string]string{"connectx-6-dx": "ecn_np_prio4", "e810": "dcqcn"} {
		t.Run(model, func(t *testing.T) {
			text := strings.NewReplacer("VERSION", "4.3.0", "connectx-5", model).Replace(spelled)
			j := judged(t, text)
			require.False(t, j.Diags.HasErrors(), said(j, diag.Error))
			w := walk(t, j.Fabric, j.Tree(), nil, nil)
			require.NotNil(t, w)
			assert.Empty(t, w.faults)
			assert.Equal(t, "on", w.boxes["h1:e0"].nic[key])
			assert.Equal(t, 4+8*2, w.walks)
		})
	}
}

const spelled = `
fabric "f" {
  routing      = "up-down"
  cable_length = "3m"
}
cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.h]
}
switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "VERSION"
}
switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "VERSION"
}
host "h" {
  names = "h[1-4]"
  nic "e0" { model = "connectx-5" }
}
link "hosts" {
  a = "h[1-4]:e0"
  b = "leaf[1-2]:swp[1-2]"
}
mesh "up" {
  lower = "leaf[1-2]:swp[21-22]"
  upper = "spine[1-2]:swp[1-2]"
}
`

// statements returns the statements of a fabric's by_hand blocks, by device group.
func statements(f *ir.Fabric) map[string]statement {
	out := map[string]statement{}
	for _, d := range f.Devices {
		h := d.ByHand
		if h == nil {
			continue
		}
		s := statement{
			flow: string(h.FlowControl), noECN: !h.ECN, firmware: h.Firmware, noDCQCN: !h.DCQCN, dscp: map[int]int{},
			pcp: map[int]int{},
		}
		for _, c := range h.PFC {
			s.pfc = append(s.pfc, c.Value)
		}
		if h.Trust != nil {
			s.trust = map[ir.Trust]string{{PCP: true}: "pcp", {DSCP: true}: "dscp", {PCP: true, DSCP: true}: "both"}[*h.Trust]
		}
		for v, c := range h.DSCP {
			s.dscp[v] = c.Value
		}
		for v, c := range h.PCP {
			s.pcp[v] = c.Value
		}
		out[d.Group] = s
	}
	return out
}

// gen draws a leaf/spine fabric. Each device block has a placeholder for a by_hand block.
type gen struct {
	*rapid.T
	wild   bool // claims may collide, NICs may be shared, and parts may be missing
	share  bool // RoCEv1 and RoCEv2 share a marked lossless group, both identified by PCP
	b      strings.Builder
	groups []drawn // the data groups
}

// drawn is a cos group.
type drawn struct {
	name     string
	cos      int
	dscp     []int
	pcp      int // -1: not written
	lossless bool
}

func (g *gen) chance(percent int, what string) bool {
	return rapid.IntRange(1, 100).Draw(g.T, what) <= percent
}

// placeFor returns the placeholder for the by_hand block of a device group.
func placeFor(group string) string { return "  # by_hand of " + group + "\n" }

func (g *gen) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// fabric writes the text of a fabric.
func (g *gen) fabric() string {
	leaves, spines, hosts := rapid.IntRange(1, 3).Draw(g.T, "leaves"), rapid.IntRange(1, 2).Draw(g.T, "spines"),
		rapid.IntRange(1, 2).Draw(g.T, "hosts")
	if leaves == 1 {
		hosts = 2
	}
	routing := rapid.SampledFrom([]string{"up-down", "up-down", "spanning-tree"}).Draw(g.T, "routing")
	if g.share {
		routing = "spanning-tree" // RoCEv1 is not routed
	}
	g.line("fabric \"f\" {\n  routing = %q\n  cable_length = \"3m\"\n  failures = 0", routing)
	if g.chance(15, "pause") {
		g.line("  flow_control = \"pause\"")
	}
	g.line("}")
	cos := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7}).Draw(g.T, "cos")
	dscps := rapid.Permutation([]int{8, 10, 18, 24, 26, 27, 30, 34, 46, 48, 52}).Draw(g.T, "dscp")
	take := func() int {
		if g.wild && g.chance(10, "collide") {
			return rapid.IntRange(0, 63).Draw(g.T, "value")
		}
		v := dscps[0]
		dscps = dscps[1:]
		return v
	}
	groups := rapid.IntRange(1, 2).Draw(g.T, "groups")
	if g.share {
		groups = 0
		d := drawn{name: "data0", cos: cos[0], pcp: -1, lossless: true}
		g.group(d, "lossless = true\n  weight = 50", true)
		g.groups = append(g.groups, d)
	}
	for i := range groups {
		d := drawn{name: fmt.Sprint("data", i), cos: cos[i], pcp: -1, lossless: g.chance(80, "lossless")}
		for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(g.T, "claims") {
			d.dscp = append(d.dscp, take())
		}
		if g.wild && g.chance(20, "pcp") {
			d.pcp = rapid.IntRange(0, 7).Draw(g.T, "pcp value")
		}
		g.group(d, fmt.Sprintf("lossless = %v\n  weight = %d", d.lossless, rapid.IntRange(1, 90).Draw(g.T, "weight")), g.chance(60, "ecn"))
		g.groups = append(g.groups, d)
	}
	cnp := drawn{name: "cnp", cos: cos[4], pcp: -1}
	if !g.wild || g.chance(75, "cnp dscp") {
		cnp.dscp = []int{take()}
	}
	if g.wild && g.chance(10, "cnp pcp") {
		cnp.pcp = rapid.IntRange(0, 7).Draw(g.T, "pcp value")
	}
	g.group(cnp, "strict = true", false)
	second := drawn{name: "cnp2", cos: cos[5], dscp: []int{take()}, pcp: -1}
	g.group(second, "strict = true", false)
	g.intents(leaves * hosts)
	g.devices(leaves, spines, hosts)
	return g.b.String()
}

func (g *gen) group(d drawn, more string, ecn bool) {
	g.line("cos_group %q {\n  cos = %d\n  %s", d.name, d.cos, more)
	if len(d.dscp) > 0 {
		g.line("  dscp = %s", list(d.dscp))
	}
	if d.pcp >= 0 {
		g.line("  pcp = [%d]", d.pcp)
	}
	if ecn || len(d.dscp) > 0 && !d.lossless && d.name[0] == 'd' {
		g.line("  ecn {}")
	}
	g.line("}")
}

// intents writes one or two intents, the second on the second NIC of every host, or in wild fabrics also on the first.
func (g *gen) intents(hosts int) {
	if g.share {
		for i, version := range []int{2, 1} {
			g.line("roce \"r%d\" {\n  version = %d\n  cos_group = cos_group.data0\n  members = [\"h[1-%d]:e%d\"]\n  vlan = %d", i, version, hosts, i,
				100+i)
			if version == 2 {
				g.line("  cnp = cos_group.cnp")
			}
			g.line("}")
		}
		return
	}
	for i, d := range g.groups {
		version := 2
		if len(d.dscp) == 0 && d.lossless || g.wild && g.chance(10, "version") {
			version = rapid.IntRange(1, 2).Draw(g.T, "version")
		}
		nic := i
		if g.wild && g.chance(30, "shared") {
			nic = 0
		}
		g.line("roce \"r%d\" {\n  version = %d\n  cos_group = cos_group.%s\n  members = [\"h[1-%d]:e%d\"]", i, version, d.name, hosts, nic)
		if len(d.dscp) == 0 || g.chance(20, "vlan") {
			if !g.wild || g.chance(60, "tagged") {
				g.line("  vlan = %d", 100+i)
			}
		}
		switch {
		case version == 1:
		case g.wild && g.chance(10, "no cnp"):
		case g.wild && g.chance(20, "other cnp"):
			g.line("  cnp = cos_group.cnp2")
		default:
			g.line("  cnp = cos_group.cnp")
		}
		g.line("}")
	}
}

func (g *gen) devices(leaves, spines, hosts int) {
	versions := []string{
		"3.1.1", "3.2.1", "3.3.2", "3.4.3", "3.5.0", "3.7.16", "4.0.1", "4.1.1", "4.2.0", "4.3.0", "4.4.0", "5.0.1", "5.3.0",
		"5.4.0", "5.9.1", "5.15.0",
	}
	tier := func(name string, n, tier int) {
		release := rapid.SampledFrom(versions).Draw(g.T, "release")
		models := []string{"sn2700", "sn2700", "z9100"}
		if release >= "4.4" { // only on Spectrum
			models = []string{"sn2700", "sn3700", "sn4700"}
		}
		g.line("switch %q {\n  names = \"%s[1-%d]\"\n  model = %q\n  os = \"cumulus-linux\"\n  version = %q\n  tier = %d\n%s\n}", name, name, n,
			rapid.SampledFrom(models).Draw(g.T, "model"), release, tier, placeFor(name))
	}
	tier("leaf", leaves, 1)
	tier("spine", spines, 2)
	n := leaves * hosts
	g.line("host \"h\" {\n  names = \"h[1-%d]\"", n)
	for i := range 2 {
		model := "connectx-5"
		if g.wild && g.chance(20, "another maker") {
			model = "bcm57508"
		}
		g.line("  nic \"e%d\" {\n    model = %q", i, model)
		if g.wild && g.chance(15, "tos") {
			g.line("    tos = %d", 4*rapid.SampledFrom([]int{8, 26, 30, 48, 60}).Draw(g.T, "tos value"))
		}
		g.line("  }")
	}
	g.line("%s\n}", placeFor("h"))
	flow := func(percent int) string {
		if g.chance(percent, "flow control of cables") {
			return fmt.Sprintf("\n  flow_control = %q", rapid.SampledFrom([]string{"pfc", "pause", "pause"}).Draw(g.T, "flow control"))
		}
		return ""
	}
	for i := range 2 {
		g.line("link \"hosts%d\" {\n  a = \"h[1-%d]:e%d\"\n  b = \"leaf[1-%d]:swp[%d-%d]\"%s\n}", i, n, i, leaves, 1+i*hosts, (1+i)*hosts,
			flow(25))
	}
	g.line("mesh \"up\" {\n  lower = \"leaf[1-%d]:swp[21-%d]\"\n  upper = \"spine[1-%d]:swp[1-%d]\"%s\n}", leaves, 20+spines, spines, leaves,
		flow(10))
}

// standing lists possible files of a switch: no file, a spelling that is in no manual, and conflicting settings of others.
var standing = []string{
	"", "", `
traffic.packet_priority_source_set = [802.1p]
traffic.cos_0.packet_priorities.8021p = [0,1,2]
traffic.cos_4.packet_priorities.8021p = [3,4]
`, `
pfc.port_group_list = [mine]
pfc.mine.cos_list = [1,2,5]
pfc.mine.port_set = swp1-swp32
pfc.mine.tx_enable = true
pfc.mine.rx_enable = true
link_pause.port_group_list = [whole]
link_pause.whole.port_set = swp1-swp4
link_pause.whole.tx_enable = true
link_pause.whole.rx_enable = true
`, `
traffic.packet_priority_source_set = [802.1p]
traffic.cos_1.priority_source.dscp = [26]
source.port_group_list = [edge]
source.edge.port_set = swp1-swp2,swp21
source.edge.packet_priority_source_set = [802.1p]
source.edge.cos_0.priority_source.8021p = [0,1,2,3,4,5,6,7]
ecn_red.port_group_list = [other]
ecn_red.other.port_set = swp1-swp32
ecn_red.other.cos_list = [0,7]
ecn_red.other.ecn_enable = true
`, `
traffic.packet_priority_source_set = [802.1p,dscp]
traffic.cos_1.priority_source.dscp = [26]
pfc.port_group_list = [left, mine]
pfc.left.cos_list = [4]
pfc.left.port_set = swp1-swp20
pfc.left.tx_enable = true
pfc.left.rx_enable = true
pfc.mine.cos_list = [1,2,3]
pfc.mine.port_set = swp2,swp22,swp30-swp31
source.port_group_list = [edge]
source.edge.port_set = swp1-swp32
source.edge.packet_priority_source_set = []
`,
}

// standingTrees maps each of these files to a tree of a switch that NVUE configures.
var standingTrees = map[string]string{
	standing[2]: "qos: {mapping: {default-global: {trust: l2, pcp: {'3,4': {switch-priority: 4}}, dscp: {'26': {switch-priority: 1}}}}}",
	standing[3]: "qos: {pfc: {default-global: {switch-priority: {'1,2,5': {}}}, mine: {switch-priority: {'6': {}}}},\n" +
		" link-pause: {whole: {cable-length: 5}}, traffic-pool: {default-lossless: {memory-percent: 20}}}\n" +
		"interface: {swp1-4: {qos: {link-pause: {profile: whole}}}, swp22: {qos: {pfc: {profile: mine}}}}",
	standing[4]: "qos: {mapping: {edge: {trust: l2, pcp: {0-7: {switch-priority: 0}}}},\n" +
		" congestion-control: {default-global: {traffic-class: {0-7: {ecn: enable}}}, none: {traffic-class: {'0': {ecn: disable}}}}}\n" +
		"interface: {'swp1-2,swp21': {qos: {mapping: {profile: edge}, congestion-control: {profile: none}}}}",
	standing[5]: "qos: {mapping: {default-global: {trust: both}},\n" +
		" egress-queue-mapping: {default-global: {switch-priority: {0-7: {traffic-class: 0}}}},\n" +
		" egress-scheduler: {mine: {traffic-class: {'0': {mode: dwrr, bw-percent: 100}}}}, pfc: {left: {switch-priority: {'4': {}}}}}\n" +
		"interface: {swp1-20: {qos: {pfc: {profile: left}, egress-scheduler: {profile: mine}}}}",
}

// everyKind runs the given number of rounds of cases, and more until every kind has occurred. With -short a round has only a few cases.
func everyKind(t *testing.T, rounds int, one func(*rapid.T), met func() bool) {
	for round := 0; round < rounds || round < 20*rounds && !met(); round++ {
		rapid.Check(t, one)
	}
}

// TestWalkRandom: for any fabric, either rocec reports an error, or no path moves a packet out of its class. Slow paths are warnings.
func TestWalkRandom(t *testing.T) {
	walked, refused := 0, 0
	one := func(rt *rapid.T) {
		g := &gen{T: rt, wild: true}
		text := g.fabric()
		j := judged(rt, text)
		if j.Diags.HasErrors() {
			refused++
			return
		}
		old := map[string]string{}
		for _, group := range []string{"leaf", "spine"} {
			old[group] = rapid.SampledFrom(standing).Draw(rt, "on "+group)
		}
		w := walk(t, j.Fabric, j.Tree(), nil, func(group string) []byte { return []byte(old[group]) })
		if w == nil {
			refused++
			return
		}
		walked += w.walks
		for _, f := range w.faults {
			if !f.soft || !warns(j, behaviour) {
				rt.Fatalf("%s\n%q\n%s\nthe only findings:\n%s", text, old, f.text, said(j, diag.Warning))
			}
		}
	}
	everyKind(t, 4, one, func() bool { return walked > 0 && refused > 0 }) // most fabrics are refused
	t.Logf("%d walks in fabrics without errors, %d fabrics refused", walked, refused)
	assert.NotZero(t, walked)
	assert.NotZero(t, refused)
}

// TestWalkCorrupted: one device group of a sound fabric is set by hand, with one or two wrong settings. There is an error exactly if
// packets are lost on some path, and a warning exactly if a path is only slow.
func TestWalkCorrupted(t *testing.T) {
	machinetest.Long(t)
	lost, slow, harmless := 0, 0, 0
	one := func(rt *rapid.T) {
		g := &gen{T: rt}
		text := g.fabric()
		base := judged(rt, text)
		if base.Diags.HasErrors() || warns(base, behaviour) {
			return // not sound
		}
		require.Empty(rt, walk(t, base.Fabric, base.Tree(), nil, nil).faults, text)

		group, s, block := g.corruption()
		text = strings.Replace(text, placeFor(group), block, 1)
		j := judged(rt, text)
		require.NotNil(rt, j.Fabric, "%s\n%s", text, said(j, diag.Error))
		w := walk(t, j.Fabric, j.Tree(), map[string]statement{group: s}, nil)
		var faults []string
		isLost, isSlow := false, false
		for _, f := range w.faults {
			faults = append(faults, f.text)
			isLost, isSlow = isLost || !f.soft, isSlow || f.soft
		}
		switch {
		case isLost:
			lost++
		case isSlow:
			slow++
		default:
			harmless++
		}
		require.Equal(rt, isLost, j.Diags.HasErrors(), "%s\nwalk: %s\nsaid: %s", text, strings.Join(faults, "\n"), said(j, diag.Error))
		if !isLost {
			require.Equal(rt, isSlow, warns(j, behaviour), "%s\nwalk: %s\nsaid: %s", text, strings.Join(faults, "\n"), said(j, diag.Warning))
		}
	}
	everyKind(t, 4, one, func() bool { return lost > 0 && slow > 0 && harmless > 0 })
	t.Logf("%d lose packets, %d are slow, %d harmless", lost, slow, harmless)
	assert.NotZero(t, lost)
	assert.NotZero(t, slow)
	assert.NotZero(t, harmless)
}

// corruption draws the values of a by_hand block for one group, and writes the block.
func (g *gen) corruption() (group string, s statement, block string) {
	group = rapid.SampledFrom([]string{"leaf", "spine", "h"}).Draw(g.T, "by hand")
	var lines []string
	cos := rapid.IntRange(0, 7)
	for range rapid.IntRange(1, 2).Draw(g.T, "settings") {
		kind := rapid.IntRange(0, 7).Draw(g.T, "kind")
		switch {
		case kind == 0 && s.flow == "":
			s.flow = rapid.SampledFrom([]string{"pfc", "pfc-tx", "pfc-rx", "pause", "none"}).Draw(g.T, "flow")
			lines = append(lines, fmt.Sprintf("flow_control = %q", s.flow))
		case kind == 1 && s.pfc == nil:
			s.pfc = rapid.SliceOfNDistinct(cos, 0, 3, rapid.ID[int]).Draw(g.T, "mask")
			if g.chance(60, "with the groups") {
				for _, d := range g.groups {
					if d.lossless && !slices.Contains(s.pfc, d.cos) {
						s.pfc = append(s.pfc, d.cos)
					}
				}
			}
			lines = append(lines, "pfc = "+list(s.pfc))
		case kind == 2 && s.trust == "":
			s.trust = rapid.SampledFrom([]string{"pcp", "dscp", "both"}).Draw(g.T, "trust")
			lines = append(lines, fmt.Sprintf("trust = %q", s.trust))
		case kind <= 4 && s.dscp == nil:
			values := []int{0, 48, 63}
			for _, d := range g.groups {
				values = append(values, d.dscp...)
			}
			s.dscp = map[int]int{rapid.SampledFrom(values).Draw(g.T, "value"): cos.Draw(g.T, "to")}
			lines = append(lines, "dscp = "+table(s.dscp))
		case kind == 5 && s.pcp == nil:
			s.pcp = map[int]int{cos.Draw(g.T, "value"): cos.Draw(g.T, "to")}
			lines = append(lines, "pcp = "+table(s.pcp))
		case kind == 6 && group != "h" && !s.noECN:
			s.noECN = true
			lines = append(lines, "ecn = false")
		case kind == 6 && group == "h" && !s.noDCQCN:
			s.noDCQCN = true
			lines = append(lines, "dcqcn = false")
		case kind == 7 && group == "h" && !s.firmware:
			s.firmware = true
			lines = append(lines, "dcbx = \"firmware\"")
		}
	}
	return group, s, "  by_hand {\n    " + strings.Join(lines, "\n    ") + "\n  }\n"
}

func list(values []int) string { return strings.ReplaceAll(fmt.Sprint(values), " ", ", ") }

func table(m map[int]int) string {
	var b strings.Builder
	b.WriteString("{")
	for _, v := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, " %d = %d", v, m[v])
	}
	return b.String() + " }"
}
