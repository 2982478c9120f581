package validate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

func prove(t *testing.T, f *ir.Fabric) *loopProof {
	t.Helper()
	ps := proveLoops(f)
	require.Len(t, ps, 1)
	return ps[0]
}

// The verdicts of the literature's topologies, with the shortest circle and how many links must fail for it.
func TestVerdicts(t *testing.T) {
	const sp, ud = ir.ShortestPath, ir.UpDown
	tests := []struct {
		name        string
		c           *irtest.Cabling
		verdict     Verdict
		certificate string
		circle      int // buffers
		failures    int
	}{
		{"two switches, one cable", irtest.New(sp).Links("A-B").Hosts("A", "B").Failures(1), Free, "forest", 0, 0},
		{"daisy chain of 6, any", irtest.New(ir.AnyPath).Links("A-B B-C C-D D-E E-F").Hosts("A", "F"), Free, "forest", 0, 0},
		{"daisy chain, ebgp", irtest.New(ir.EBGP).Links("A-B B-C").Hosts("A", "C"), Free, "forest", 0, 0},
		{"parallel cables", irtest.New(sp).Links("A-B A-B").Hosts("A", "B"), Free, "forest", 0, 0},
		{"parallel cables, flooding", irtest.New(ir.Flooding).Links("A-B A-B").Hosts("A", "B"), Unknown, "", 0, 0},
		{"ring, ebgp", irtest.Ring(ir.EBGP, 4), Unknown, "", 0, 0},
		{"ring, spanning-tree", irtest.Ring(ir.SpanningTree, 4), Unknown, "", 0, 0},
		{"triangle", irtest.Ring(sp, 3).Failures(1), Free, "exact", 0, 1},
		{"ring of 4", irtest.Ring(sp, 4), Prone, "", 4, 0},
		{"ring of 5", irtest.Ring(sp, 5), Prone, "", 5, 0},
		{"ring of 6", irtest.Ring(sp, 6), Prone, "", 6, 0},
		{"ring of 7", irtest.Ring(sp, 7), Prone, "", 7, 0},
		{"LS4x2, healthy", irtest.LeafSpine(sp, 4, 2), Free, "exact", 0, 0},
		{"LS4x2, any one down", irtest.LeafSpine(sp, 4, 2).Failures(1), Free, "exact", 0, 1},
		{"LS4x2, any two down", irtest.LeafSpine(sp, 4, 2).Failures(2), Prone, "", 4, 2},
		{"LS5x2, any two down", irtest.LeafSpine(sp, 5, 2).Failures(2), Prone, "", 4, 2},
		{"LS4x3, any two down", irtest.LeafSpine(sp, 4, 3).Failures(2), Free, "exact", 0, 2},
		{"LS4x3, any three down", irtest.LeafSpine(sp, 4, 3).Failures(3), Prone, "", 4, 3},
		{"LS4x2, up-down, any number down", irtest.LeafSpine(ud, 4, 2).Failures(8), Free, "up-down", 0, 0},
		{"LS4x2, any path", irtest.LeafSpine(ir.AnyPath, 4, 2), Prone, "", 4, 0},
		{"LS2x2, hosts on both spines", irtest.LeafSpine(sp, 2, 2).Hosts("S0", "S1"), Prone, "", 4, 0},
		{"LS3x2, hosts on one spine", irtest.LeafSpine(sp, 3, 2).Hosts("S0"), Free, "exact", 0, 0},
		{"LS4x2 and a ring of leaves", irtest.LeafSpine(sp, 4, 2).Links("L0-L1 L1-L2 L2-L3 L3-L0"), Prone, "", 4, 0},
		{"full mesh of 4", irtest.FullMesh(sp, 4).Failures(1), Free, "exact", 0, 1},
		{"full mesh of 4, two down", irtest.FullMesh(sp, 4).Failures(2), Prone, "", 4, 2},
		{"full mesh of 5, two down", irtest.FullMesh(sp, 5).Failures(2), Prone, "", 4, 2},
		{"torus 3x3", irtest.Torus(sp, 3), Prone, "", 4, 0},
		{"torus 4x4", irtest.Torus(sp, 4), Prone, "", 4, 0},
		{"dragonfly a=2 h=1 g=3", irtest.New(sp).Links("A0-A1 B0-B1 C0-C1 A1-B0 B1-C0 C1-A0").
			Hosts("A0", "A1", "B0", "B1", "C0", "C1"), Prone, "", 6, 0},
		{"5 stages, one down", irtest.Clos(sp, 2, 2, 2, 2, 1).Failures(1), Free, "exact", 0, 1},
		{"5 stages, two down", irtest.Clos(sp, 2, 2, 2, 2, 1).Failures(2), Prone, "", 4, 2},
		{"5 stages of 3 planes, two down", irtest.Clos(sp, 2, 2, 3, 1, 1).Failures(2), Free, "exact", 0, 2},
		{"5 stages, up-down", irtest.Clos(ud, 2, 2, 2, 2, 1).Failures(4), Free, "up-down", 0, 0},
		{"up-down without tiers", irtest.Ring(ud, 4), Unknown, "", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fabric(tt.c)
			if tt.name == "up-down without tiers" {
				f.Routes = router(func(*ir.CosGroup, ir.State) (*ir.Turns, error) { return nil, fmt.Errorf("both are of tier 1") })
			}
			p := prove(t, f)
			assert.Equal(t, tt.verdict, p.verdict, p.why)
			assert.Equal(t, tt.certificate, p.certificate)
			assert.Equal(t, tt.failures, p.failures)
			if tt.verdict == Prone {
				assert.Len(t, p.loops.circle, tt.circle)
				assert.Len(t, p.down, tt.failures)
				assertCircle(t, p)
			}
			for _, r := range []Report{Run(f), Run(f)} {
				require.Len(t, r.Proofs, 1)
				assert.Equal(t, tt.verdict, r.Proofs[0].Verdict)
				assert.NotEmpty(t, r.Proofs[0].Why)
				assert.Equal(t, tt.verdict == Free, len(r.Proofs[0].Assumptions) > 0)
			}
		})
	}
}

// assertCircle checks that a witness is a real circle of real turns, made by real flows.
func assertCircle(t require.TestingT, p *loopProof) {
	circle := p.loops.circle
	for i, h := range circle {
		next := circle[(i+1)%len(circle)]
		require.Same(t, h.Out.Peer(), next.In, "hop %d leads to the next", i)
		require.Same(t, h.In.Device, h.Out.Device)
		turns, err := p.fabric.Routes.Turns(h.Group, ir.State{Down: p.down})
		require.NoError(t, err)
		require.True(t, turns.Has(h.In, h.Out), "hop %d is a turn", i)
	}
	if p.fabric.Routing == ir.AnyPath {
		return
	}
	for _, h := range circle {
		require.True(t, slices.ContainsFunc(p.graph.flows(circle), func(f *ir.Flow) bool { return f.Takes(h.Group, h.In, h.Out) }), "a flow makes every turn")
	}
}

func TestFailureSetsBeyondTheBudgetAreUnknown(t *testing.T) {
	p := prove(t, fabric(irtest.LeafSpine(ir.ShortestPath, 16, 8).Failures(2)))
	assert.Equal(t, Unknown, p.verdict, p.why)
	assert.Equal(t, 1, p.failures)
	assert.Contains(t, p.why, "the healthy fabric is free, also with any 1 link down, but with 2 links down of 128 there are too many cases")
}

func TestFailuresThatAreWitnessedAreReal(t *testing.T) {
	p := prove(t, fabric(irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2)))
	require.Equal(t, Prone, p.verdict)
	text := loopText(p)
	assert.Contains(t, text, "only when 2 links are down:")
	assert.Contains(t, text, "down, then up again")
	assert.Contains(t, text, "no set of fewer than 2 failed links makes a circle")
}

func TestRingReport(t *testing.T) {
	f := fabric(irtest.Ring(ir.ShortestPath, 4))
	r := Run(f)
	i := slices.IndexFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == "pfc-loop" })
	require.GreaterOrEqual(t, i, 0)
	d := r.Diagnostics[i]
	assert.Equal(t, diag.Error, d.Severity)
	assert.Equal(t, f.RoutingAt, d.At)
	assert.Equal(t, []diag.Hop{
		{Device: "R0", In: "p0", Out: "p1", CosGroup: "rdma"},
		{Device: "R3", In: "p1", Out: "p0", CosGroup: "rdma"},
		{Device: "R2", In: "p1", Out: "p0", CosGroup: "rdma"},
		{Device: "R1", In: "p1", Out: "p0", CosGroup: "rdma"},
	}, d.Loop)
	assert.Contains(t, d.Text, "the same 4 links make a circle in the other direction too")
	assert.Contains(t, d.Text, "flows that fill it:")
	assert.Contains(t, d.Fix.Message, `tier = 3 on R0, tier = 2 on R1 and R3, tier = 1 on R2`)
	assert.Contains(t, d.Fix.Message, "take out one cable of the circle")
	assert.NotContains(t, d.Detail+d.Text+d.Fix.Message, "will deadlock")
	for line := range strings.SplitSeq(d.Text, "\n") {
		assert.LessOrEqual(t, len(line), 98)
	}
}

func TestAllowDeadlockTurnsTheErrorIntoAWarning(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	c.Group.AllowDeadlock = "lab only"
	r := Run(fabric(c))
	i := slices.IndexFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == "pfc-loop" })
	assert.Equal(t, diag.Warning, r.Diagnostics[i].Severity)
	assert.Contains(t, r.Diagnostics[i].Detail, `allow_deadlock of "rdma" says: lab only.`)
	assert.Equal(t, Prone, r.Proofs[0].Verdict)
}

func TestUpDownIsTheEditWhereTiersAllowIt(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2))
	p := prove(t, f)
	assert.Equal(t, []diag.Edit{{At: f.RoutingAt, New: `"up-down"`}}, p.waysOut().Edits)
	assert.Contains(t, p.waysOut().Message, "failures = 1")
	assert.Empty(t, prove(t, fabric(irtest.Ring(ir.ShortestPath, 4))).waysOut().Edits)
}

// Two groups, each free alone: one goes round the ring on three quarters of the way, the other closes it.
func TestSharedBuffersAreJudgedTogether(t *testing.T) {
	half := func(shared bool) []*loopProof {
		c := irtest.New(ir.ShortestPath)
		c.Links("R0-R1 R1-R2 R2-R3 R3-R4 R4-R0")
		c.Hosts("R0", "R1", "R2", "R3", "R4")
		f := fabric(c)
		g := c.Group
		other := &ir.CosGroup{Name: "storage", Cos: 4, Lossless: true}
		f.CosGroups = append(f.CosGroups, other)
		for _, p := range f.Ports {
			p.Buffers = append(p.Buffers, &ir.Buffer{Group: other})
		}
		for _, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.Model = &platform.Switch{ASIC: &platform.ASIC{SharedPG: shared}}
			}
		}
		all, err := enumerator{c}.Turns(g, ir.State{})
		require.NoError(t, err)
		f.Routes = router(func(want *ir.CosGroup, _ ir.State) (*ir.Turns, error) {
			part := &ir.Turns{Group: want, Rows: make([][]uint64, len(f.Ports)), Witness: all.Witness}
			for _, in := range f.Ports {
				for _, out := range in.Device.Ports {
					if all.Has(in, out) && (in.Device.Name == "R0") == (want == other) {
						part.Add(in, out)
					}
				}
			}
			return part, nil
		})
		return proveLoops(f)
	}
	apart := half(false)
	require.Len(t, apart, 2)
	assert.Equal(t, Free, apart[0].verdict)
	assert.Equal(t, Free, apart[1].verdict)
	together := half(true)
	require.Len(t, together, 1)
	assert.Equal(t, Prone, together[0].verdict)
	assert.Len(t, together[0].loops.circle, 5)
	names := map[string]bool{}
	for _, h := range together[0].loops.circle {
		names[h.Group.Name] = true
	}
	assert.Len(t, names, 2)
}

// router is a function that answers for turns, and knows no cuts.
type router func(*ir.CosGroup, ir.State) (*ir.Turns, error)

func (r router) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error)   { return r(g, s) }
func (r router) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) { return r(g, s) }

func (r router) Cuts([]*ir.CosGroup, []*ir.Link, int, *ir.Budget) ([]ir.Cut, error) { return nil, nil }

// randomFabric is a small fabric of switches anyhow joined.
func randomFabric(t *rapid.T, prefix string) *irtest.Cabling {
	c := irtest.New(ir.ShortestPath)
	addRandom(t, c, prefix)
	return c
}

func addRandom(t *rapid.T, c *irtest.Cabling, prefix string) {
	n := rapid.IntRange(3, 7).Draw(t, "switches")
	for i := 1; i < n; i++ { // connected, then more
		c.Link(fmt.Sprint(prefix, rapid.IntRange(0, i-1).Draw(t, "a")), fmt.Sprint(prefix, i))
	}
	for range rapid.IntRange(0, 6).Draw(t, "more") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		if a != b {
			c.Link(fmt.Sprint(prefix, a), fmt.Sprint(prefix, b))
		}
	}
	for i := range n {
		if rapid.IntRange(0, 3).Draw(t, "host") > 0 {
			c.Hosts(fmt.Sprint(prefix, i))
		}
	}
}

// TestLawsOfTheProof: the verdict and the length of the circle agree with a search over all circles; renaming devices changes
// only names; a free fabric beside another changes nothing.
func TestLawsOfTheProof(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomFabric(rt, "R")
		f := fabric(c)
		ps := proveLoops(f)
		p := ps[0]
		g, err := newGraph(f, p.groups, nil)
		require.NoError(rt, err)
		shortest := shortestByHand(g)
		if (p.verdict == Prone) != (shortest > 0) {
			rt.Fatalf("verdict %s, but the shortest circle has %d buffers", p.verdict, shortest)
		}
		if p.verdict == Prone {
			assertCircle(rt, p)
			smallest := len(slices.MinFunc(g.components(), func(a, b []int32) int { return len(a) - len(b) }))
			if n := len(p.loops.circle); n < shortest || n > smallest {
				rt.Fatalf("circle of %d, shortest %d, smallest part %d", n, shortest, smallest)
			}
		}
		parts, circle, text := 0, 0, ""
		if p.loops != nil {
			parts, circle, text = p.loops.parts, len(p.loops.circle), circleText(p.loops.circle)
		}

		f = fabric(c.Rename(func(s string) string { return "z" + s })) // keeps the order
		q := proveLoops(f)[0]
		if q.verdict != p.verdict || q.loops != nil && strings.ReplaceAll(circleText(q.loops.circle), "z", "") != text {
			rt.Fatalf("renamed: %v, not %v", q.why, p.why)
		}

		c.Links("X0-X1 X1-X2").Hosts("X0", "X1", "X2")
		q = proveLoops(fabric(c))[0]
		if q.verdict != p.verdict || q.loops != nil && (q.loops.parts != parts || len(q.loops.circle) != circle) {
			rt.Fatalf("with a free fabric beside it: %v, not %v", q.why, p.why)
		}
	})
}

// shortestByHand returns the length of the shortest circle by walking from every node, or 0.
func shortestByHand(g *graph) int {
	best := 0
	for root := range int32(g.nodes()) {
		dist := map[int32]int{root: 0}
		queue := []int32{root}
		for i := 0; i < len(queue); i++ {
			p := g.port(queue[i])
			for _, out := range p.Device.Ports {
				if !g.turns[0].Has(p, out) {
					continue
				}
				to := int32(out.Peer().ID)
				if to == root && (best == 0 || dist[queue[i]]+1 < best) {
					best = dist[queue[i]] + 1
				}
				if _, known := dist[to]; !known {
					dist[to] = dist[queue[i]] + 1
					queue = append(queue, to)
				}
			}
		}
	}
	return best
}

func TestCombinations(t *testing.T) {
	links := make([]*ir.Link, 5)
	for i := range links {
		links[i] = &ir.Link{ID: i}
	}
	var got []string
	for set := range combinations(links, 3) {
		got = append(got, fmt.Sprint(set[0].ID, set[1].ID, set[2].ID))
	}
	assert.Equal(t, []string{"0 1 2", "0 1 3", "0 1 4", "0 2 3", "0 2 4", "0 3 4", "1 2 3", "1 2 4", "1 3 4", "2 3 4"}, got)
	assert.Equal(t, 10, choose(5, 3, 100))
	assert.Equal(t, 100, choose(1000, 500, 100))
	assert.Equal(t, 1, choose(5, 0, 100))
}
