package routes

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// randomClos draws a Clos of 20 to 110 switches. It has some leaf-leaf cables, doubled cables, lossy cables, cables that are not routed,
// dual-homed hosts (some bonded) and leaves without hosts. It has up to 3 intents.
func randomClos(t *rapid.T, r ir.Routing) *irtest.Cabling {
	draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
	pods, leaves, aggs, cores := draw("pods", 2, 6), draw("leaves", 3, 10), draw("aggs", 2, 4), draw("cores", 1, 5)
	c := irtest.Clos(r, pods, leaves, aggs, cores, 0)
	leaf := func() string { return fmt.Sprintf("T%d.%d", draw("pod", 0, pods-1), draw("leaf", 0, leaves-1)) }
	for p := range pods {
		for l := range leaves {
			for range draw("hosts", 0, 2) {
				c.Hosts(fmt.Sprintf("T%d.%d", p, l))
			}
		}
	}
	for range draw("hosts above the leaves", 0, 4) {
		c.Hosts(fmt.Sprintf("A%d.%d", draw("pod", 0, pods-1), draw("agg", 0, aggs-1)))
	}
	for range draw("leaf-leaf cables", 0, 5) {
		if a, b := leaf(), leaf(); a != b {
			c.Link(a, b).Peer = true
		}
	}
	for range draw("doubled cables", 0, 5) {
		l := c.F.Links[draw("doubled", 0, pods*leaves*aggs-1)]
		c.Link(l.A().Device().Name, l.B().Device().Name)
	}
	for range draw("lossy cables", 0, 3) {
		c.F.Links[draw("lossy", 0, len(c.F.Links)-1)].A().SetBuffers(nil)
	}
	for range draw("bridged cables", 0, 5) {
		c.F.Links[draw("bridged", 0, len(c.F.Links)-1)].Routed = false
	}
	for i := range draw("dual-homed hosts", 0, 4) {
		h := fmt.Sprint("hd", i)
		c.Link(h, leaf())
		c.Link(h, leaf())
		if d := c.Device(h).Host; draw("bonded", 0, 1) == 1 {
			d.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: d.NICs}}
			for _, n := range d.NICs {
				n.Bond = d.Bonds[0]
			}
		}
	}
	f := c.Fabric()
	all := f.Intents[0].Members
	for i := range draw("more intents", 0, 2) {
		in := &ir.Intent{Version: 2 - i, Group: c.Group}
		for j := draw("from", 0, len(all)); j < len(all); j += draw("every", 1, 4) {
			in.Members = append(in.Members, all[j])
		}
		f.Intents = append(f.Intents, in)
	}
	return c
}

// TestSweepsAgreeWithSingleClasses compares the search for 64 destinations at a time, with twins collapsed, to a search for each class.
func TestSweepsAgreeWithSingleClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomClos(t, ir.ShortestPath)
		var down []*ir.Link
		for range rapid.IntRange(0, 5).Draw(t, "failures") {
			down = append(down, c.F.Links[rapid.IntRange(0, len(c.F.Links)-1).Draw(t, "down")])
		}
		r := New(c.F)
		turns, err := r.Turns(c.Group, ir.State{Down: down})
		require.NoError(t, err)
		got := turnsOf(c.F, turns)

		first := map[ir.Turn]*graph.Class{} // the first class that takes the turn
		view := r.views[c.Group]()
		var alone *walk
		for _, class := range newWalk(view, down).classes {
			alone = newWalk(view, down)
			alone.distances(class)
			alone.shortest(class)
			for turn := range turnsOf(c.F, alone.turns) {
				require.True(t, got[turn], "%s -> %s not found", turn.In, turn.Out)
				if first[turn] == nil {
					first[turn] = class
				}
			}
		}
		require.Equal(t, len(first), len(got), "turns that no class takes")

		var wanted []ir.Turn
		for _, in := range c.F.Ports {
			for _, out := range in.Device().Ports {
				if got[ir.Turn{In: in, Out: out}] && (in.ID+out.ID)%17 == 0 {
					wanted = append(wanted, ir.Turn{In: in, Out: out})
				}
			}
		}
		for i, flow := range turns.Witness(wanted) {
			require.NotNil(t, flow)
			require.True(t, flow.Takes(c.Group, wanted[i].In, wanted[i].Out))
			to := first[wanted[i]]
			last := flow.Ports[len(flow.Ports)-1]
			require.True(t, slices.ContainsFunc(to.Members, func(m graph.Member) bool { return slices.Contains(m, last) }),
				"%s -> %s: the flow does not go to the first class", wanted[i].In, wanted[i].Out)
			alone.distances(to)
			for j := 2; j+2 < len(flow.Ports); j += 2 {
				from, into := alone.VertexOf[flow.Ports[j].Device().ID], alone.VertexOf[flow.Ports[j+1].Device().ID]
				require.Equal(t, alone.dist[from]-1, alone.dist[into])
			}
		}
	})
}

// TestBouncingIsExact compares following only the classes with valleys, found 64 at a time, to following all classes.
func TestBouncingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomClos(t, ir.ShortestPath).Bounce()
		s := ir.State{}
		for range rapid.IntRange(0, 5).Draw(t, "failures") {
			s.Down = append(s.Down, c.F.Links[rapid.IntRange(0, len(c.F.Links)-1).Draw(t, "down")])
		}
		r := New(c.F)
		for _, g := range c.F.CosGroups {
			turns, err := r.Turns(g, s)
			require.NoError(t, err)
			all, err := r.views[g]().follow(s, plan{rule: shortestRule})
			require.NoError(t, err)
			require.Empty(t, differ(c.F, turnsOf(c.F, all), turnsOf(c.F, turns)))
			require.Equal(t, all.Bounced, turns.Bounced)
			for _, in := range c.F.Ports[:20] {
				for _, out := range in.Device().Ports {
					if turns.Has(in, out) {
						flow := turns.Witness([]ir.Turn{{In: in, Out: out}})[0]
						require.True(t, flow != nil && flow.Takes(g, in, out))
					}
				}
			}
		}
	})
}

// TestUpDownTwins compares the search with collapsed twins to a search for each class.
func TestUpDownTwins(t *testing.T) {
	compare := func(t require.TestingT, c *irtest.Cabling, down []*ir.Link) {
		r := New(c.F)
		turns, err := r.Turns(c.Group, ir.State{Down: down})
		require.NoError(t, err)
		alone := newWalk(r.views[c.Group](), down)
		byTier := alone.byTier()
		for _, class := range alone.classes {
			alone.reach(class, byTier)
			alone.upDown(destination{Class: class}, byTier)
		}
		require.Empty(t, differ(c.F, turnsOf(c.F, alone.turns), turnsOf(c.F, turns)))
	}
	rapid.Check(t, func(t *rapid.T) {
		c := randomClos(t, ir.UpDown)
		var down []*ir.Link
		for range rapid.IntRange(0, 5).Draw(t, "failures") {
			down = append(down, c.F.Links[rapid.IntRange(0, len(c.F.Links)-1).Draw(t, "down")])
		}
		compare(t, c, down)
	})
	// Traffic of others passes these twins: T0 - A1 - C0 - A0, although T0 has a cable to A0.
	c := irtest.New(ir.UpDown).Links("T0-A0 T0-A1 A0-C0 A1-C0").Tier("A", 2).Tier("C", 3).Hosts("T0", "A0", "A1")
	c.Fabric()
	compare(t, c, nil)
}

// TestTwinsAreFollowedOnce has cases of vertices that are twins, and of vertices that are not.
func TestTwinsAreFollowedOnce(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *irtest.Cabling) (down string)
		sizes  []int // sizes of the sets of twins
	}{
		{"all leaves", func(*irtest.Cabling) string { return "" }, []int{4}},
		{"a failed link", func(*irtest.Cabling) string { return "L0-S1" }, []int{1, 3}},
		{"the same link failed at two", func(*irtest.Cabling) string { return "L0-S1 L2-S1" }, []int{2, 2}},
		{"a doubled cable", func(c *irtest.Cabling) string { c.Link("L1", "S0"); return "" }, []int{3, 1}},
		{"doubled at two", func(c *irtest.Cabling) string { c.Links("L1-S0 L3-S0"); return "" }, []int{2, 2}},
		{"a lossy cable", func(c *irtest.Cabling) string { c.Between("L1", "S0").A().SetBuffers(nil); return "" }, []int{3, 1}},
		{"a cable between two", func(c *irtest.Cabling) string { c.Link("L1", "L2"); return "" }, []int{2, 1, 1}},
		{"hosts on the spines too", func(c *irtest.Cabling) string { c.Hosts("S0", "S1"); return "" }, []int{4, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := irtest.LeafSpine(ir.ShortestPath, 4, 2)
			down := tt.change(c)
			c.Fabric()
			w := newWalk(New(c.F).views[c.Group](), c.Cables(down))
			var sizes []int
			for _, b := range w.batches(w.classes) {
				for _, d := range b {
					sizes = append(sizes, 1+len(d.alike))
				}
			}
			assert.Equal(t, tt.sizes, sizes)
		})
	}
}

func TestTurnsAreTheSameOnEveryProcessorCount(t *testing.T) {
	// The classes make three batches, of which the last spans two islands.
	c := irtest.Torus(ir.ShortestPath, 12).Links("island0-island1 island1-island2").Hosts("island0", "island2")
	f := c.Fabric()
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one, err := New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	alone := newWalk(New(f).views[c.Group](), nil)
	for _, class := range alone.classes {
		alone.distances(class)
		alone.shortest(class)
	}
	require.Empty(t, differ(f, turnsOf(f, alone.turns), turnsOf(f, one)))
	wanted := slices.Collect(func(yield func(ir.Turn) bool) {
		for _, p := range f.Ports[:40] {
			if !yield(ir.Turn{In: p, Out: p.Device().Ports[0]}) {
				return
			}
		}
	})
	flows := one.Witness(wanted)
	for _, processors := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(processors)
		many, err := New(f).Turns(c.Group, ir.State{})
		require.NoError(t, err)
		assert.Equal(t, one.Rows, many.Rows)
		assert.Equal(t, len(flows), len(many.Witness(wanted)))
		for i, flow := range many.Witness(wanted) {
			assert.True(t, (flow == nil) == (flows[i] == nil) && (flow == nil || slices.Equal(flow.Ports, flows[i].Ports)))
		}
	}
}

func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		c *irtest.Cabling
		s ir.State
	}{
		{irtest.Torus(ir.ShortestPath, 6), ir.State{}},
		{irtest.Torus(ir.AnyPath, 6), ir.State{}},
		{irtest.LeafSpine(ir.UpDown, 6, 4), ir.State{}},
		{irtest.Torus(ir.ShortestPath, 6).Bounce(), ir.State{}},
		{irtest.Torus(ir.ShortestPath, 6), ir.State{Converging: true}},
	} {
		f := tt.c.Fabric()
		for steps := int64(1); ; steps *= 2 {
			tt.s.Budget = ir.NewBudget(steps)
			_, err := New(f).Turns(tt.c.Group, tt.s)
			if err == nil {
				assert.Greater(t, steps, int64(len(f.Links)), "work costs")
				break
			}
			require.ErrorIs(t, err, ir.ErrBudget)
		}
	}
}
