package cumulus

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// want returns the only diagnostic with a code.
func want(t *testing.T, ds diag.List, code string, severity diag.Severity, line int, parts ...string) *diag.Diagnostic {
	t.Helper()
	var found *diag.Diagnostic
	for _, d := range ds {
		if d.Code == code {
			require.Nil(t, found, "%s is reported twice", code)
			found = d
		}
	}
	require.NotNil(t, found, "%s is missing in %v", code, text(ds))
	assert.Equal(t, severity, found.Severity)
	assert.Equal(t, line, found.At.Start.Line, "place")
	for _, p := range parts {
		assert.Contains(t, found.Detail, p)
	}
	return found
}

func TestRelease(t *testing.T) {
	tests := []struct{ version, want string }{
		{"", "states no version"},
		{"3", "is not a release"},
		{"3.4.x", "is not a release"},
		{"3.4.3.1", "is not a release"},
		{"-3.4", "is not a release"},
		{"2.5.12", "one lossless group"},
		{"3.1.0", "one lossless group"},
		{"6.0", "not known"},
	}
	for _, tt := range tests {
		t.Run(tt.version, func(t *testing.T) {
			files, ds := Target.Render(canonicalSample(t, "sn2700", tt.version, 1).sw)
			assert.Empty(t, files)
			require.Len(t, ds, 1)
			want(t, ds, "cumulus-release", diag.Error, 4, tt.want)
		})
	}
	for version, tag := range map[string]string{
		"3.1.1": "T1", "3.2": "T1", "3.4.3": "T1", "3.4.99": "T1", "3.5.0": "T3", "3.7.16": "T3", "4.0.0": "T4", "4.3": "T4", "4.3.9": "T4",
		"4.4.0": "Q1", "5.0": "Q2", "5.3.1": "Q2", "5.9.1": "Q2",
	} {
		_, doc, ok := documented(version)
		assert.True(t, ok, version)
		assert.Equal(t, tag, doc.Dialect(), version)
	}
}

// TestWays: the switch block decides whether files or NVUE configure a switch, else the release. A release without NVUE has a reason.
func TestWays(t *testing.T) {
	for _, tt := range []struct {
		version, config string
		files           bool
	}{
		{"3.4.3", "", true},
		{"4.4.0", "", true},
		{"5.3.1", "", true},
		{"5.4.0", "", false},
		{"5.18", "", false},
		{"", "", true},
		{"x", "", true},
		{"5.4.0", "files", true},
		{"5.4.0", "nvue", false},
		{"4.4.0", "files", true},
	} {
		s := newSample(t, "sn3700", tt.version)
		s.sw.Switch.Config = tt.config
		assert.Equal(t, tt.files, Target.Serves(s.sw), "%v", tt)
	}
	nvue := OS.FindConfig("NVUE")
	require.NotNil(t, nvue)
	for version, why := range map[string]string{
		"3.7.16": "it has no NVUE", "4.4.0": "it has no NVUE", "5.0.0": "only the RoCE preset", "5.3.9": "only the RoCE preset", "5.4.0": "",
		"5.18.0": "", "x": "",
	} {
		assert.Contains(t, nvue.Not(version), why, version)
		assert.Equal(t, why == "", nvue.Not(version) == "", version)
	}
	files := OS.FindConfig("files")
	assert.Empty(t, files.Not("5.18"))
	assert.NotEmpty(t, files.Not("6.0"))
	assert.Nil(t, OS.FindConfig("file"))
	assert.Equal(t, []string{"files", "nvue"}, OS.ConfigNames())
}

// TestSpectrumOnly: releases from 4.4 on run on no other chip.
func TestSpectrumOnly(t *testing.T) {
	for version, wrong := range map[string]bool{"4.3.0": false, "4.4.0": true, "5.3.0": true} {
		ds := check(canonicalSample(t, "as7726-32x", version, 1).sw)
		assert.Equal(t, wrong, slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool {
			return d.Code == "cumulus-model" && strings.Contains(d.Detail, "Spectrum chips only")
		}), version)
	}
}

// TestUnlisted: no manual states that 5.x runs on some models.
func TestUnlisted(t *testing.T) {
	for model, noted := range map[string]bool{"sn3800": true, "sn3700": false} {
		for version, later := range map[string]bool{"4.3.0": false, "5.3.0": true} {
			s := canonicalSample(t, model, version, 1)
			ds := check(s.sw)
			require.False(t, ds.HasErrors())
			assert.Equal(t, noted && later, slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool {
				return d.Code == "cumulus-model" && d.Severity == diag.Notice
			}), model+version)
		}
	}
}

// TestMarkingOfAllPorts: 4.4 has one set of thresholds for all ports, 5.x one for each port group.
func TestMarkingOfAllPorts(t *testing.T) {
	for version, refused := range map[string]bool{"4.3.0": false, "4.4.0": true, "5.0.0": false} {
		s := canonicalSample(t, "sn3700", version, 2)
		s.sw.Ports[4].Marks()[0].Max = num(2_000_000, "max")
		ds := check(s.sw)
		require.Equal(t, refused, ds.HasErrors(), version)
		if refused {
			require.Len(t, ds, 1)
			want(t, ds, "cumulus-ecn-groups", diag.Error, 44, "has one set of thresholds for all ports")
		}
	}
}

// TestTrust checks a small form of the fabric storage-and-training: RoCEv1 by PCP and RoCEv2 by DSCP on one switch.
func TestTrust(t *testing.T) {
	build := func(version string) (*sample, *ir.Intent, *ir.Intent) {
		s := newSample(t, "sn2700", version)
		storage := s.group(ir.CosGroup{Name: "storage", Cos: 4, Lossless: true, Weight: 30})
		rdma := s.group(ir.CosGroup{Name: "rdma", Cos: 5, Lossless: true, Weight: 30, DSCP: claims(26), ECN: &ir.ECN{}})
		cnp := s.group(ir.CosGroup{Name: "cnp", Cos: 6, Strict: true, DSCP: claims(48)})
		v1, v2 := s.intent("nvme", 1, storage, nil), s.intent("training", 2, rdma, cnp)
		v1.VLAN = 100
		carry(s.cable("swp1", 5, v1), storage, 70000, 18000, 2000)
		p := s.cable("swp9", 5, v2)
		carry(p, rdma, 70000, 18000, 2000)
		marked(p, rdma, 153600, 1536000, 100)
		return s, v1, v2
	}
	t.Run("3.4", func(t *testing.T) {
		s, _, _ := build("3.4.3")
		_, ds := Target.Render(s.sw)
		require.Len(t, ds, 1)
		d := want(t, ds, "cumulus-trust", diag.Error, 4, `switch "leaf"`, `roce "nvme"`, `roce "training"`, "3.4.3")
		assert.NotContains(t, d.Detail, "leaf1", "the switches of a block share one finding")
		require.Len(t, d.Notes, 2)
		assert.Equal(t, []int{60, 61}, []int{d.Notes[0].At.Start.Line, d.Notes[1].At.Start.Line})
		assert.Contains(t, d.Fix.Message, "3.5")
	})
	t.Run("3.4, only one intent", func(t *testing.T) {
		s, v1, _ := build("3.4.3")
		s.sw.Ports = s.sw.Ports[1:]
		s.sw.Switch.Intents = irtest.Sees(s.sw)
		got := s.file(t)("")
		assert.Contains(t, got, "traffic.packet_priority_source = dscp\n")
		_ = v1
	})
	t.Run("3.4, both by PCP", func(t *testing.T) {
		s, _, v2 := build("3.4.3")
		v2.VLAN, v2.Group.DSCP = 200, nil
		got := s.file(t)("")
		assert.Contains(t, got, "traffic.packet_priority_source = 802.1p\n")
		assert.Contains(t, got, "traffic.cos_5.packet_priorities = [5]\n")
	})
	t.Run("3.4, link pause", func(t *testing.T) {
		s, _, _ := build("3.4.3")
		s.fabric.FlowControl = ir.Pause
		assert.Contains(t, s.file(t)(""), "traffic.packet_priority_source = dscp\n")
	})
	t.Run("4.3", func(t *testing.T) {
		s, _, _ := build("4.3.0")
		got := s.file(t)("")
		assert.Contains(t, got, "traffic.packet_priority_source_set = [802.1p,dscp]\n")
		assert.Contains(t, got, "traffic.cos_5.priority_source.dscp = [26]\n")
		assert.Contains(t, got, "pfc.port_group_list = [roce_pfc, roce_pfc_2]\npfc.roce_pfc.cos_list = [4]\npfc.roce_pfc.port_set = swp1\n")
		assert.Contains(t, got, "pfc.roce_pfc_2.cos_list = [5]\npfc.roce_pfc_2.port_set = swp9\n")
		assert.Contains(t, got, "priority_group.control.cos_list = [6,7]\npriority_group.service.cos_list = "+
			"[4,5]\npriority_group.bulk.cos_list = [0,1,2,3]\n")
		assert.Contains(t, got, "priority_group.service.weight = 60\npriority_group.bulk.weight = 40\n")
		readBack(t, got).check(t)
	})
}

func TestChips(t *testing.T) {
	t.Run("no PFC and no ECN", func(t *testing.T) {
		_, ds := Target.Render(canonicalSample(t, "as4610-54t", "3.4.3", 2).sw)
		require.Len(t, ds, 2)
		d := want(t, ds, "cumulus-no-pfc", diag.Error, 2, "Helix4", `switch "leaf"`)
		assert.Equal(t, 34, d.Notes[0].At.Start.Line)
		want(t, ds, "cumulus-no-ecn", diag.Error, 2, "Helix4")
	})
	t.Run("ECN on Broadcom in 3.1", func(t *testing.T) {
		_, ds := Target.Render(canonicalSample(t, "z9100", "3.1.2", 2).sw)
		require.Len(t, ds, 1)
		want(t, ds, "cumulus-no-ecn", diag.Error, 2, "3.1.2")
	})
	t.Run("no thresholds in 3.1", func(t *testing.T) {
		_, ds := Target.Render(canonicalSample(t, "sn2700", "3.1.2", 2).sw)
		require.Len(t, ds, 1)
		want(t, ds, "cumulus-ecn-thresholds", diag.Warning, 44, "rdma")
	})
	t.Run("Trident II drops", func(t *testing.T) {
		_, ds := Target.Render(canonicalSample(t, "s6000", "3.4.3", 2).sw)
		require.Len(t, ds, 1)
		want(t, ds, "cumulus-ecn-drops", diag.Warning, 44, "Trident II", "cos 4")
	})
	t.Run("chip and release", func(t *testing.T) {
		_, ds := Target.Render(canonicalSample(t, "sn3800", "3.7.16", 1).sw)
		require.Len(t, ds, 1)
		want(t, ds, "cumulus-chip", diag.Warning, 4, "Spectrum-2", "4.0")
	})
	t.Run("a chip in no list", func(t *testing.T) {
		_, ds := Target.Render(canonicalSample(t, "as5610-52x", "3.7.16", 1).sw)
		require.Len(t, ds, 2, "and it has no PFC")
		want(t, ds, "cumulus-chip", diag.Warning, 4, "Trident+", "no manual")
	})
	t.Run("link pause", func(t *testing.T) {
		s := canonicalSample(t, "as4610-54t", "3.4.3", 1)
		s.fabric.FlowControl = ir.Pause
		files, ds := Target.Render(s.sw)
		require.Len(t, files, 1)
		require.Len(t, ds, 1)
		want(t, ds, "cumulus-cut-through", diag.Warning, 2, "Helix4", "cut_through_enable")
	})
	for model, warns := range map[string]bool{"s6000": true, "sn2700": false} {
		s := newSample(t, model, "3.4.3")
		g := s.group(ir.CosGroup{Name: "rdma", Cos: 3, Lossless: true})
		carry(s.cable("swp1", 3, s.intent("x", 1, g, nil)), g, 70000, 18000, 2000)
		_, ds := Target.Render(s.sw)
		if warns {
			require.Len(t, ds, 1)
			want(t, ds, "cumulus-cos-3", diag.Warning, 23, "rdma")
		} else {
			assert.Empty(t, ds)
		}
	}
}

func TestListedChipsExist(t *testing.T) {
	for name := range chips {
		_, ok := platform.FindASIC(name)
		assert.True(t, ok, name)
	}
}

func TestTwoLosslessGroups(t *testing.T) {
	s := newSample(t, "sn2700", "4.3.0")
	a := s.group(ir.CosGroup{Name: "a", Cos: 4, Lossless: true})
	b := s.group(ir.CosGroup{Name: "b", Cos: 5, Lossless: true})
	in := s.intent("x", 1, a, nil)
	both := s.cable("swp2", 3, in)
	carry(both, a, 70000, 18000, 2000)
	carry(both, b, 50000, 12000, 3000)
	carry(s.cable("swp1", 30, in), a, 70000, 18000, 2000)
	_, ds := Target.Render(s.sw)
	require.Len(t, ds, 1)
	want(t, ds, "cumulus-lossless-groups", diag.Warning, 35, "a, b", "share one buffer")
	got := s.file(t)("")
	assert.Contains(t, got, `pfc.roce_pfc_2.cos_list = [4,5]
pfc.roce_pfc_2.port_set = swp2
pfc.roce_pfc_2.port_buffer_bytes = 120000
pfc.roce_pfc_2.xoff_size = 12000
pfc.roce_pfc_2.xon_delta = 2000
`)
	readBack(t, got).check(t)
}

func TestECNGroups(t *testing.T) {
	s := newSample(t, "sn2700", "4.3.0")
	a := s.group(ir.CosGroup{Name: "a", Cos: 1, DSCP: claims(8), ECN: &ir.ECN{}})
	b := s.group(ir.CosGroup{Name: "b", Cos: 2, DSCP: claims(16), ECN: &ir.ECN{}})
	in := s.intent("x", 2, a, nil)
	p := s.cable("swp1", 3, in)
	marked(p, a, 1000, 2000, 100)
	marked(p, b, 1000, 2000, 100)
	assert.Contains(t, s.file(t)(""), "ecn_red.roce_ecn.cos_list = [1,2]\n")
	p.Marks()[1].Min.N = 1500
	_, ds := Target.Render(s.sw)
	require.Len(t, ds, 1)
	want(t, ds, "cumulus-ecn-groups", diag.Error, 42, "a and b")
}

func TestWeights(t *testing.T) {
	for _, tt := range [][4]int{
		{0, 0, 16, 16},
		{60, 0, 60, 40},
		{0, 30, 70, 30},
		{50, 50, 50, 50},
		{100, 0, 100, 1},
		{200, 100, 127, 63},
		{1, 1000, 1, 127},
	} {
		s, b := weights(tt[0], tt[1])
		assert.Equal(t, tt[2:], []int{s, b}, tt)
	}
	s := newSample(t, "sn2700", "4.3.0")
	a := s.group(ir.CosGroup{Name: "a", Cos: 4, Lossless: true, Weight: 30})
	s.group(ir.CosGroup{Name: "b", Cos: 5, Lossless: true, Weight: 40})
	s.group(ir.CosGroup{Name: "default", Cos: 0, Weight: 30})
	s.group(ir.CosGroup{Name: "urgent", Cos: 6, Weight: 9, Strict: true})
	carry(s.cable("swp1", 3, s.intent("x", 1, a, nil)), a, 70000, 18000, 2000)
	_, ds := Target.Render(s.sw)
	require.Len(t, ds, 1)
	want(t, ds, "cumulus-weights", diag.Notice, 15, "a (weight 30) and b (weight 40)")
}

func TestPortNames(t *testing.T) {
	s := canonicalSample(t, "sn2700", "4.3.0", 1)
	s.sw.Ports[2].Name = "bond1"
	_, ds := Target.Render(s.sw)
	want(t, ds, "cumulus-port", diag.Error, 80, "leaf1:bond1")
}

func TestPause(t *testing.T) {
	s := canonicalSample(t, "sn2700", "4.3.0", 1)
	s.fabric.FlowControl = ir.Pause
	got := s.file(t)("pfc.port_group_list = [mine]\npfc.mine.cos_list = [4]\npfc.mine.port_set = swp1\n")
	assert.Contains(t, got, "pfc.port_group_list = []\n")
	assert.Contains(t, got, "pfc.mine.port_set = swp1\n")
	assert.Contains(t, got, `link_pause.port_group_list = [roce_pause]
link_pause.roce_pause.port_set = swp1-swp4,swp31-swp32
link_pause.roce_pause.port_buffer_bytes = 70000
link_pause.roce_pause.xoff_size = 18000
link_pause.roce_pause.xon_delta = 2000
link_pause.roce_pause.tx_enable = true
link_pause.roce_pause.rx_enable = true
link_pause.roce_pause.cable_length = 3
`)
	s.fabric.FlowControl = ir.PFC
	back := s.file(t)(got)
	assert.Contains(t, back, "link_pause.port_group_list = []\n")
	assert.NotContains(t, back, "roce_pause")
}

func TestNothingToSay(t *testing.T) {
	s := newSample(t, "sn2700", "3.4.3")
	files, ds := Target.Render(s.sw)
	assert.Empty(t, files, "a fabric without cos groups changes nothing on a switch")
	assert.Empty(t, ds)

	g := s.group(ir.CosGroup{Name: "rdma", Cos: 4, Lossless: true})
	s.intent("x", 1, g, nil)
	got := s.file(t)("pfc.port_group_list = [roce_pfc]\npfc.roce_pfc.cos_list = [4]\n")
	assert.Contains(t, got, "pfc.port_group_list = []\n", "a switch that carries no intent now has no PFC")
	assert.NotContains(t, got, "pfc.roce_pfc")
}

// TestBounce: a leaf with two uplinks gets a warning that no device moves its bounced traffic. A leaf with one uplink gets no warning.
func TestBounce(t *testing.T) {
	build := func(spines int) diag.List {
		s := newSample(t, "sn2700", "3.7.16")
		rdma, detour := s.group(ir.CosGroup{Name: "rdma", Cos: 4, Lossless: true}), s.group(ir.CosGroup{Name: "detour", Cos: 5, Lossless: true})
		rdma.Bounce = detour
		in := s.intent("training", 1, rdma, nil)
		for i, name := range []string{"swp1", "swp31", "swp32"} {
			p := s.cable(name, 3, in)
			carry(p, rdma, 70000, 18000, 2000)
			carry(p, detour, 70000, 18000, 2000)
			if i >= 3-spines {
				spine := p.Peer().Device()
				spine.Host, spine.Switch, spine.Name = nil, &ir.Switch{Tier: 2}, "spine"+name
			}
		}
		return check(s.sw)
	}
	d := want(t, build(2), "cumulus-bounce", diag.Warning, 14, `into the switches of switch "leaf" and goes up again must move into "detour"`)
	assert.Contains(t, d.Detail, "your own rules")
	for _, d := range build(1) {
		assert.NotEqual(t, "cumulus-bounce", d.Code)
	}
}

func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range topics {
		assert.False(t, seen[topic.Code], topic.Code)
		seen[topic.Code] = true
		assert.True(t, strings.HasPrefix(topic.Code, "cumulus-"))
		assert.NotEmpty(t, topic.Summary)
		assert.False(t, strings.HasSuffix(topic.Summary, "."))
	}
}
