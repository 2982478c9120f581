package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// graph is switches s0, s1, … with links between them, and hosts h0, h1, … on switches; all hosts are members.
type graph struct {
	switches int
	links    [][2]int
	hosts    []int
	routed   []bool // by link; nil: by the routing
	version  int
	routing  string
}

func (g graph) source() *lang.Source {
	a := &author{}
	s := &lang.Source{
		Fabric:    lang.Fabric{Name: "g", Decl: a.at(), CableLength: val(a, 3.0)},
		CosGroups: []*lang.CosGroup{{Name: "rdma", Decl: a.at(), Cos: val(a, 3), Lossless: val(a, true), ECN: &lang.ECN{Decl: a.at()}}},
		Roces: []*lang.Roce{{
			Name: "r", Decl: a.at(), Version: val(a, max(g.version, 1)), CosGroup: val(a, "rdma"),
			Members: []lang.Member{{Group: "h", At: a.at()}},
		}},
	}
	if g.routing != "" {
		s.Fabric.Routing = val(a, g.routing)
	}
	next := make([]int, g.switches)
	end := func(sw int) lang.Endpoint {
		next[sw]++
		return lang.Endpoint{Device: fmt.Sprintf("s%d", sw), Port: fmt.Sprintf("swp%d", next[sw]), At: new(a.at())}
	}
	for i := range g.switches {
		s.Switches = append(s.Switches, &lang.Switch{Name: fmt.Sprintf("s%d", i), Decl: a.at(), Model: val(a, "sn2700")})
	}
	for i, l := range g.links {
		b := &lang.LinkBlock{Kind: "link", Name: fmt.Sprint(i), Decl: a.at()}
		if g.routed != nil {
			b.Marks = &lang.LinkMarks{Routed: val(a, g.routed[i])}
		}
		s.Links = append(s.Links, &lang.Link{Block: b, A: end(l[0]), B: end(l[1])})
	}
	nic := &lang.NIC{Name: "eth0", Decl: a.at(), Model: val(a, "connectx-5")}
	down := &lang.LinkBlock{Kind: "link", Name: "hosts", Decl: a.at()}
	for i, sw := range g.hosts {
		name := fmt.Sprintf("h%d", i)
		s.Hosts = append(s.Hosts, &lang.Host{Name: name, Group: "h", Decl: a.at(), NICs: []*lang.NIC{nic}})
		s.Links = append(s.Links, &lang.Link{Block: down, A: lang.Endpoint{Device: name, Port: "eth0", At: new(a.at())}, B: end(sw)})
	}
	return s
}

// carrying returns the indexes of the links between switches that carry the group, and the links whose ends mark.
func carrying(f *ir.Fabric, links int) (carry, mark []int) {
	for i, l := range f.Links[:links] {
		if len(l.A().Buffers()) > 0 {
			carry = append(carry, i)
		}
		if len(l.A().Marks()) > 0 {
			mark = append(mark, i)
		}
	}
	return carry, mark
}

func TestCarry(t *testing.T) {
	ring := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}
	for _, c := range []struct {
		name string
		g    graph
		want []int
	}{
		{"chain with a dead end", graph{switches: 4, links: [][2]int{{0, 1}, {1, 2}, {2, 3}}, hosts: []int{0, 2}}, []int{0, 1}},
		{"one member switch", graph{switches: 4, links: ring, hosts: []int{0, 0}}, nil},
		{"ring", graph{switches: 4, links: ring, hosts: []int{0, 1}}, []int{0, 1, 2, 3}},
		{"attached ring", graph{switches: 6, links: [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 2}}, hosts: []int{0, 1, 1}}, []int{0}},
		{"parallel links", graph{switches: 3, links: [][2]int{{0, 1}, {0, 1}, {1, 2}, {1, 2}}, hosts: []int{0, 1}}, []int{0, 1}},
		{"two islands", graph{switches: 4, links: [][2]int{{0, 1}, {2, 3}}, hosts: []int{0, 2, 3}}, []int{1}},
		{"v1 stays on bridged links", graph{
			switches: 3, links: [][2]int{{0, 1}, {1, 2}, {0, 2}}, routed: []bool{false, true, false},
			hosts: []int{0, 1, 2},
		}, []int{0, 2}},
		{"v2 goes everywhere", graph{
			switches: 3, links: [][2]int{{0, 1}, {1, 2}, {0, 2}}, routed: []bool{false, true, false},
			hosts: []int{0, 1, 2}, version: 2,
		}, []int{0, 1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.g.routing = "any"
			f := compiled(t, c.g.source())
			carry, mark := carrying(f, len(c.g.links))
			assert.Equal(t, c.want, carry)
			if c.g.version == 2 {
				assert.Equal(t, c.want, mark)
			} else {
				assert.Empty(t, mark, "RoCEv1 cannot be marked")
			}
			for _, l := range f.Links {
				assert.Equal(t, len(l.A().Buffers()), len(l.B().Buffers()), "PFC at both ends of %s", l.A())
			}
			for _, m := range f.Intents[0].Members {
				assert.NotEmpty(t, m.NIC.Port.Buffers(), "a member's cable carries its group")
			}
		})
	}
}

// The oracle tries, one by one, every path between two members that visits no switch twice.
func TestCarryIsEverySimplePath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "switches")
		sw := rapid.IntRange(0, n-1)
		g := graph{
			switches: n, routing: "any", hosts: rapid.SliceOfN(sw, 1, 4).Draw(t, "hosts"),
			version: rapid.IntRange(1, 2).Draw(t, "version"),
		}
		for range rapid.IntRange(1, 9).Draw(t, "links") {
			a := sw.Draw(t, "a")
			b := (a + rapid.IntRange(1, n-1).Draw(t, "hop")) % n
			g.links = append(g.links, [2]int{a, b})
			g.routed = append(g.routed, rapid.Bool().Draw(t, "routed"))
		}
		want := map[int]bool{}
		var walk func(at int, path []int, seen []bool, from int)
		walk = func(at int, path []int, seen []bool, from int) {
			if at != from && slices.Contains(g.hosts, at) {
				for _, l := range path {
					want[l] = true
				}
			}
			for i, l := range g.links {
				for k := range 2 {
					if l[k] == at && !seen[l[1-k]] && (g.version == 2 || !g.routed[i]) {
						seen[l[1-k]] = true
						walk(l[1-k], append(slices.Clone(path), i), seen, from)
						seen[l[1-k]] = false
					}
				}
			}
		}
		for _, h := range g.hosts {
			seen := make([]bool, n)
			seen[h] = true
			walk(h, nil, seen, h)
		}
		f := compiled(t, g.source())
		got, _ := carrying(f, len(g.links))
		for i := range g.links {
			require.Equal(t, want[i], slices.Contains(got, i), "link %d of %v", i, g)
		}
	})
}

func TestAGroupWithoutIntentIsCarriedEverywhere(t *testing.T) {
	s := graph{switches: 3, links: [][2]int{{0, 1}, {1, 2}}, hosts: []int{0}}.source()
	s.Roces = nil
	f := compiled(t, s)
	for _, p := range f.Ports {
		assert.Len(t, p.Buffers(), 1, p)
		assert.Equal(t, p.Device().Switch != nil, len(p.Marks()) == 1, p)
	}
}

func TestAGroupIsCarriedInWhatItBouncesInto(t *testing.T) {
	for _, c := range []struct {
		flowControl, routing string
		want                 []string
	}{
		{"pfc", "shortest-path", []string{"rdma", "up", "last"}},
		{"pause", "shortest-path", []string{"rdma"}},
		{"pfc", "up-down", []string{"rdma"}},
	} {
		a := &author{}
		s := graph{switches: 3, links: [][2]int{{0, 1}, {1, 2}}, hosts: []int{0, 2}, version: 2, routing: c.routing}.source()
		s.Fabric.FlowControl = val(a, c.flowControl)
		s.CosGroups[0].Bounce = val(a, "up")
		s.CosGroups = append(s.CosGroups,
			&lang.CosGroup{Name: "up", Decl: a.at(), Cos: val(a, 4), Lossless: val(a, true), Bounce: val(a, "last"), ECN: &lang.ECN{Decl: a.at()}},
			&lang.CosGroup{Name: "last", Decl: a.at(), Cos: val(a, 5), Lossless: val(a, true), Bounce: val(a, "up"), ECN: &lang.ECN{Decl: a.at()}})
		for _, own := range []string{"up", "last"} { // intents of each switch alone
			s.Roces = append(s.Roces, &lang.Roce{
				Name: own, Decl: a.at(), Version: val(a, 2), CosGroup: val(a, own), Members: []lang.Member{{Host: "h0", At: a.at()}},
			})
		}
		f, ds := Compile(s, targets.Known)
		require.False(t, ds.HasErrors(), "%v", ds)
		var buffers, marks []string
		for _, b := range f.Links[0].B().Buffers() {
			buffers = append(buffers, b.Group.Name)
		}
		for _, m := range f.Links[0].B().Marks() {
			marks = append(marks, m.Group.Name)
		}
		assert.Equal(t, c.want, buffers, "%s, %s", c.flowControl, c.routing)
		assert.Equal(t, c.want, marks, "%s, %s", c.flowControl, c.routing)
	}
}

func TestAHostThatForwardsIsATransit(t *testing.T) {
	// s0 - h - s1: the only path between the hosts on s0 and s1 goes through h.
	s := graph{switches: 2, hosts: []int{0, 1}, version: 2}.source()
	a := &author{line: 7000}
	decl := a.at()
	var nics []*lang.NIC
	for i := range 2 {
		nics = append(nics, &lang.NIC{Name: fmt.Sprintf("eth%d", i), Decl: decl, Model: val(a, "connectx-5")})
		s.Links = append(s.Links, &lang.Link{
			Block: &lang.LinkBlock{Kind: "link", Name: "t", Decl: decl},
			A:     lang.Endpoint{Device: "transit", Port: fmt.Sprintf("eth%d", i), At: &decl},
			B:     lang.Endpoint{Device: fmt.Sprintf("s%d", i), Port: "swp30", At: &decl},
		})
	}
	transit := &lang.Host{Name: "transit", Group: "t", Decl: decl, NICs: nics, Forwards: val(a, true)}
	s.Hosts = append(s.Hosts, transit)
	assert.Len(t, port(compiled(t, s), "s0:swp30").Buffers(), 1)
	transit.Forwards.V = false
	assert.Empty(t, port(compiled(t, s), "s0:swp30").Buffers())
}

func TestRing(t *testing.T) {
	ringOf := func(links [][2]int, n int) []string {
		g := graph{switches: n, links: links, version: 2}
		for i := range n {
			g.hosts = append(g.hosts, i)
		}
		_, ds := Compile(g.source(), targets.Known)
		var out []string
		for _, d := range ds {
			require.Equal(t, "routing-missing", d.Code)
			for _, n := range d.Notes {
				out = append(out, n.Message)
			}
		}
		return out
	}
	assert.Empty(t, ringOf([][2]int{{0, 1}, {1, 2}, {1, 3}}, 4), "a tree needs no routing")
	for links, bond := range map[int]bool{2: true, 3: false} {
		g := graph{switches: links, links: [][2]int{{0, 1}, {1, 0}}, version: 2, hosts: []int{0, 1}}
		if links == 3 {
			g.links, g.hosts = [][2]int{{0, 1}, {1, 2}, {2, 0}}, []int{0, 1, 2}
		}
		_, ds := Compile(g.source(), targets.Known)
		require.Len(t, ds, 1)
		assert.Equal(t, bond, strings.Contains(ds[0].Detail, "write bond = true in their block"), ds[0].Detail)
	}
	assert.Equal(t, []string{
		"the ring: s1:swp1 to s2:swp1", "the ring: s2:swp2 to s3:swp1", "the ring: s3:swp2 to s1:swp3", "the group is lossless",
	}, ringOf([][2]int{{1, 2}, {0, 1}, {2, 3}, {3, 1}}, 4))
	assert.Equal(t, []string{"the ring: s0:swp1 to s1:swp1", "the ring: s1:swp2 to s0:swp2", "the group is lossless"},
		ringOf([][2]int{{0, 1}, {1, 0}}, 2), "parallel links")
}

// A ring is a closed walk over different links, in every fabric.
func TestRingIsClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "switches")
		g := graph{switches: n, routing: "any", version: 2}
		for i := range n {
			g.hosts = append(g.hosts, i)
		}
		for range rapid.IntRange(1, 14).Draw(t, "links") {
			a := rapid.IntRange(0, n-1).Draw(t, "a")
			g.links = append(g.links, [2]int{a, (a + rapid.IntRange(1, n-1).Draw(t, "hop")) % n})
		}
		f := compiled(t, g.source())
		every := make(linkSet, len(f.Links))
		for i := range every {
			every[i] = true
		}
		c := &compiler{f: f}
		ring := c.ring(every)
		if ring == nil {
			require.Less(t, len(g.links), n, "more links than a forest has")
			return
		}
		at := ring[0].A().Device()
		if last := ring[len(ring)-1]; last.A().Device() != at && last.B().Device() != at {
			at = ring[0].B().Device()
		}
		start, seen := at, map[*ir.Link]bool{}
		for i, l := range ring {
			require.False(t, seen[l])
			seen[l] = true
			require.True(t, l.A().Device() == at || l.B().Device() == at, "link %d does not join", i)
			if l.A().Device() == at {
				at = l.B().Device()
			} else {
				at = l.A().Device()
			}
		}
		require.Same(t, start, at)
		for _, l := range ring {
			require.LessOrEqual(t, diag.ComparePlace(ring[0].A().At, l.A().At), 0, "starts at the link written first")
		}
	})
}
