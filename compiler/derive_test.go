package compiler

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
)

// pair returns a fabric of one switch with two hosts on cables of the given length, in one lossless group.
func pair(model, speed string, metres float64) *lang.Source {
	s := graph{switches: 1, hosts: []int{0, 0}, version: 2}.source()
	a := &author{line: 8000}
	s.Switches[0].Model = val(a, model)
	b := s.Links[0].Block
	b.Length = val(a, metres)
	for _, mbps := range platform.Speeds {
		if platform.SpeedText(mbps) == speed {
			b.Speed = val(a, mbps)
		}
	}
	return s
}

func TestSizesGivenByThePersonAreTakenAsWritten(t *testing.T) {
	a := &author{line: 8500}
	for _, c := range []struct {
		name             string
		pfc              *lang.PFC
		size, xoff, xond int
	}{
		{"nothing", nil, 147_360 + 18_048, 18_048, 2016},
		{"an empty block", &lang.PFC{Decl: a.at()}, 147_360 + 18_048, 18_048, 2016},
		{"all", &lang.PFC{Decl: a.at(), Buffer: val(a, 25_000), Xoff: val(a, 10_000), XonDelta: val(a, 0)}, 25_000, 10_000, 0},
		{"buffer only", &lang.PFC{Decl: a.at(), Buffer: val(a, 70_000)}, 70_000, 18_048, 2016},
		{"a small buffer", &lang.PFC{Decl: a.at(), Buffer: val(a, 3_000)}, 3_000, 1_500, 750},
		{"xoff only", &lang.PFC{Decl: a.at(), Xoff: val(a, 30_000)}, 177_408, 30_000, 2016}, // 30,000 + 147,360 in cells
		{"xon delta only", &lang.PFC{Decl: a.at(), XonDelta: val(a, 4_000)}, 147_360 + 18_048, 18_048, 4_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pair("sn2700", "100G", 300)
			s.CosGroups[0].PFC = c.pfc
			f := compiled(t, s)
			p := port(f, "s0:swp1")
			b := p.Buffers()[0]
			assert.Equal(t, [3]int{c.size, c.xoff, c.xond}, [3]int{b.Size.N, b.Xoff.N, b.XonDelta.N})
			assert.Equal(t, 147_360, b.Need, "the need does not depend on the configured size")
			for _, n := range []ir.Derived{b.Size, b.Xoff, b.XonDelta} {
				assert.True(t, n.Set())
			}
			if c.pfc != nil && c.pfc.Buffer.Set() {
				assert.Equal(t, c.pfc.Buffer.At, b.Size.On(p.Link()).From[0].At)
				assert.Contains(t, b.Size.On(p.Link()).From[0].Why, "pfc.buffer = ")
			}
		})
	}
}

func TestMarks(t *testing.T) {
	a := &author{line: 8500}
	for _, c := range []struct {
		name         string
		model, speed string
		ecn          lang.ECN
		min, max, p  int
	}{
		{"100G on Spectrum", "sn2700", "100G", lang.ECN{}, 153_600, 1_536_000, 100},
		{"40G", "sn2700", "40G", lang.ECN{}, 61_440, 614_400, 100},
		{"10G ends at three frames", "sn2700", "10G", lang.ECN{}, 30_720, 307_200, 100},
		{"cells of 208 B", "z9100", "100G", lang.ECN{}, 153_504, 1_535_040, 100},
		{"all given", "sn2700", "100G", lang.ECN{Min: val(a, 1000), Max: val(a, 2000), Probability: val(a, 5)}, 1000, 2000, 5},
		{"min given", "sn2700", "100G", lang.ECN{Min: val(a, 50_000)}, 50_000, 500_000, 100},
		{"max given below the derived min", "sn2700", "100G", lang.ECN{Max: val(a, 100_000)}, 12_288, 100_000, 100},
		{"a min that the chip makes more than ten times as large", "sn2700", "100G", lang.ECN{Min: val(a, 500)}, 500, 12_288, 100},
		{"a max below ten cells", "sn2700", "100G", lang.ECN{Max: val(a, 5)}, 6144, 5, 100},
		{"probability given", "sn2700", "25G", lang.ECN{Probability: val(a, 20)}, 43_008, 430_080, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pair(c.model, c.speed, 5)
			c.ecn.Decl = a.at()
			s.CosGroups[0].ECN = &c.ecn
			f := compiled(t, s)
			p := port(f, "s0:swp1")
			m := p.Marks()[0]
			assert.Equal(t, [3]int{c.min, c.max, c.p}, [3]int{m.Min.N, m.Max.N, m.Probability.N})
			for _, n := range []ir.Derived{m.Min, m.Max, m.Probability} {
				require.True(t, n.Set())
				assert.NotEmpty(t, n.On(p.Link()).From[0].At.Filename, "the person's line comes first")
			}
		})
	}
}

// Where buffers reserve most of the chip, the usual mark would be above the pause threshold.
func TestMarksComeBeforePausing(t *testing.T) {
	g := graph{switches: 1, version: 2}
	for range 32 {
		g.hosts = append(g.hosts, 0)
	}
	s := g.source()
	a := &author{line: 9000}
	s.Links[0].Block.Length = val(a, 300.0)
	f := compiled(t, s)
	m := port(f, "s0:swp1").Marks()[0]
	bound := device(f, "s0").Memory().MarkBound()
	assert.Equal(t, (13_945_824-32*(147_360+18_048))/2/(32*2), bound)
	assert.Equal(t, 67_599, bound)
	assert.Equal(t, 67_584, m.Min.N, "the bound, in whole steps")
	assert.Contains(t, m.Min.From[2].Origin.Why, "below 67599 B")

	// The limit does not apply to a lossy group.
	s.CosGroups[0].Lossless.V = false
	assert.Equal(t, 153_600, port(compiled(t, s), "s0:swp1").Marks()[0].Min.N)

	// If twice the chip's memory is reserved, three frames remain.
	s.CosGroups[0].Lossless.V = true
	s.CosGroups[0].PFC = &lang.PFC{Decl: a.at(), Buffer: val(a, 1_000_000)}
	assert.Equal(t, 30_720, port(compiled(t, s), "s0:swp1").Marks()[0].Min.N)
}

// If xoff is the whole buffer of a port, the mark is below xoff by the incast of the fabric. Fewer than two senders are no incast.
func TestMarksComeBeforePausingOfAnIncast(t *testing.T) {
	marked := func(hosts int) (*ir.Fabric, *ir.Mark) {
		g := graph{switches: 1, version: 2}
		for range hosts {
			g.hosts = append(g.hosts, 0)
		}
		s := g.source()
		for _, sw := range s.Switches {
			sw.Model = val(&author{line: 9100}, "z9100")
		}
		f := compiled(t, s)
		return f, port(f, "s0:swp1").Marks()[0]
	}
	f, m := marked(6)
	require.True(t, device(f, "s0").Memory().Model.Absolute)
	assert.Equal(t, 5, device(f, "s0").Senders(m.Group))
	assert.Equal(t, 90_272, m.Min.N, "below 5 x 18,096, in whole cells")
	assert.Contains(t, m.Min.From[2].Origin.Why, "below 90480 B where 5 ports fill one queue")
	var inputs []string
	for _, s := range f.Sizes {
		inputs = append(inputs, s.Fresh.Inputs)
	}
	assert.Contains(t, inputs, "asic=tomahawk speed=100G mtu=9216 senders=5 xoff=18096",
		"fabric.lock distinguishes this mark from the marks of other switches")
	_, m = marked(3)
	assert.Equal(t, 35_984, m.Min.N)
	_, m = marked(2)
	assert.Equal(t, 153_504, m.Min.N, "one sender makes no queue")
}

func TestSpeeds(t *testing.T) {
	for _, c := range []struct {
		name, model, nic string
		ports            []string // of the switch, with one host each
		want             []int
	}{
		{"slower end", "sn2700", "connectx-4-lx", []string{"swp1"}, []int{50_000}},
		{"slower switch", "sn2410", "connectx-5", []string{"swp1", "swp49"}, []int{25_000, 100_000}},
		{"soft-roce uses the switch's value", "sn2700", "soft-roce", []string{"swp1"}, []int{100_000}},
		{"split in two", "sn2700", "connectx-5", []string{"swp1s0", "swp1s1", "swp2"}, []int{50_000, 50_000, 100_000}},
		{"split in four", "sn2700", "connectx-5", []string{"swp1s0", "swp1s2", "swp4s1"}, []int{25_000, 25_000, 50_000}},
		{"eight lanes", "sn4700", "connectx-7", []string{"swp1s0", "swp2s3", "swp3s7", "swp5"}, []int{200_000, 100_000, 50_000, 400_000}},
		{"40G on a 100G port", "sn2700", "connectx-3-pro", []string{"swp1"}, []int{40_000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph{switches: 1, version: 2}
			for range c.ports {
				g.hosts = append(g.hosts, 0)
			}
			s := g.source()
			s.Switches[0].Model.V = c.model
			s.Hosts[0].NICs[0].Model.V = c.nic
			for i, p := range c.ports {
				s.Links[i].B.Port = p
			}
			f := compiled(t, s)
			for i, p := range c.ports {
				got := port(f, "s0:"+p)
				assert.Equal(t, c.want[i], got.Speed(), p)
				assert.Equal(t, c.want[i], got.Peer().Speed(), p)
				assert.Equal(t, c.want[i], got.Link().Speed.N, p)
				assert.NotEmpty(t, got.Link().Speed.From[0].At.Filename)
			}
		})
	}
}

func TestRoutedByDefault(t *testing.T) {
	for routing, want := range map[string]bool{
		"up-down": true, "ebgp": true, "shortest-path": true, "spanning-tree": false, "flooding": false, "any": false, "": false,
	} {
		g := graph{switches: 2, links: [][2]int{{0, 1}}, hosts: []int{0, 1}, version: 2, routing: routing}
		s := g.source()
		a := &author{line: 9000}
		for _, w := range s.Switches {
			w.ASN = val(a, 65_000)
		}
		f := compiled(t, s)
		assert.Equal(t, want, f.Links[0].Routed, routing)
		assert.False(t, f.Links[1].Routed, "%s: links to hosts are bridged", routing)
		g.routed = []bool{!want}
		s = g.source()
		for _, w := range s.Switches {
			w.ASN = val(a, 65_000)
		}
		assert.Equal(t, !want, compiled(t, s).Links[0].Routed, "%s: the person's value wins", routing)
	}
}

func TestTiers(t *testing.T) {
	s := graph{switches: 5, links: [][2]int{{0, 1}, {1, 2}, {2, 3}}, hosts: []int{0}}.source()
	a := &author{line: 9000}
	s.Switches[3].Tier = val(a, 9)
	f := compiled(t, s)
	for i, want := range []int{1, 2, 3, 9, 0} {
		assert.Equal(t, want, f.Devices[1+i].Switch.Tier)
		assert.NotEmpty(t, f.Devices[1+i].Switch.TierFrom.Why)
	}
	assert.Equal(t, s.Switches[3].Tier.At, f.Devices[4].Switch.TierFrom.At)
}

func TestBondsAndMembers(t *testing.T) {
	a := &author{line: 9000}
	s := graph{switches: 1, hosts: []int{0}, version: 2}.source()
	mk := func(name string, roce bool) *lang.NIC {
		return &lang.NIC{Name: name, Decl: a.at(), Model: val(a, "connectx-5"), RoCE: val(a, roce)}
	}
	s.Hosts[0].NICs = []*lang.NIC{mk("eth10", true), mk("eth2", false), mk("eth0", true), mk("eth1", true)}
	s.Hosts[0].Bonds = []*lang.Bond{{
		Name: "bond0", Decl: a.at(), Mode: val(a, "802.3ad"),
		NICs: []lang.Value[string]{val(a, "eth0"), val(a, "eth1")},
	}}
	members := func(m ...lang.Member) []string {
		s.Roces[0].Members = m
		var out []string
		for _, m := range compiled(t, s).Intents[0].Members {
			out = append(out, m.NIC.Name)
		}
		return out
	}
	at := a.at()
	assert.Equal(t, []string{"eth0", "eth1", "eth10"}, members(lang.Member{Group: "h", At: at}), "natural order, RoCE on")
	assert.Equal(t, []string{"eth0", "eth1"}, members(lang.Member{Host: "h0", NIC: "bond0", At: at}))
	assert.Equal(t, []string{"eth0", "eth1"}, members(lang.Member{Host: "h0", NIC: "eth1", At: at}), "a bond is one RDMA device")
	assert.Equal(t, []string{"eth10"}, members(lang.Member{Host: "h0", NIC: "eth10", At: at}, lang.Member{Host: "h0", NIC: "eth10", At: at}),
		"once")
	assert.Empty(t, members(lang.Member{Group: "nobody", At: at}), "a group without hosts")

	f := compiled(t, s)
	b := device(f, "h0").Host.Bonds[0]
	assert.Len(t, b.NICs, 2)
	assert.Same(t, b, b.NICs[0].Bond)
}

func TestLogin(t *testing.T) {
	a := &author{line: 9000}
	s := graph{switches: 1, hosts: []int{0}}.source()
	s.SSH = lang.SSH{
		Decl: a.at(), User: val(a, "cumulus"), Jump: val(a, "bastion"), Port: val(a, 2222), Address: val(a, "192.0.2.99"),
		Transport: val(a, "openssh"),
	}
	s.Switches[0].SSH = &lang.SSH{Decl: a.at(), Address: val(a, "192.0.2.1"), User: val(a, "admin"), Transport: val(a, "native")}
	f := compiled(t, s)
	assert.Equal(t, ir.SSH{Address: "192.0.2.1", Port: 2222, User: "admin", Jump: "bastion", Transport: "native"}, device(f, "s0").SSH)
	assert.Equal(t, ir.SSH{Port: 2222, User: "cumulus", Jump: "bastion", Transport: "openssh"}, device(f, "h0").SSH,
		"an address is never shared")
}

func TestDefaults(t *testing.T) {
	f := compiled(t, graph{switches: 1, hosts: []int{0}}.source())
	assert.Equal(t, 9216, f.MTU)
	assert.Equal(t, 1, f.Failures)
	assert.Equal(t, ir.PFC, f.FlowControl)
	assert.Equal(t, "cumulus-linux", device(f, "s0").Switch.OS)
	g := f.CosGroups[0]
	assert.Equal(t, []ir.Claim{{Value: 3, At: g.CosAt}}, g.PCP, "the PCP is the cos")
	assert.Equal(t, 0, port(f, "h0:eth0").MTU(), "not stated")
}

func TestHint(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"leaf11", ` Did you mean "leaf1"?`},
		{"laef1", ` Did you mean "leaf1"?`},
		{"spine", ` Did you mean "spine1"?`},
		{"x", ""},
		{"", ""},
		{"something", ""},
	} {
		assert.Equal(t, c.want, hint(c.name, []string{"leaf1", "leaf2", "spine1"}).String(), c.name)
	}
}

func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range Topics {
		assert.Regexp(t, `^[a-z]+(-[a-z]+)*$`, topic.Code)
		assert.False(t, seen[topic.Code], topic.Code)
		seen[topic.Code] = true
		assert.NotEmpty(t, topic.Summary)
	}
}
