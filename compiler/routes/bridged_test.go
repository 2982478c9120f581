package routes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// bridgedLinks makes every cable a bridged one.
func bridgedLinks(c *irtest.Cabling) *irtest.Cabling {
	for _, l := range c.F.Links {
		l.Routed = false
	}
	return c
}

// forwardingCables returns the forwarding cables between switches in the form "R0-R1".
func forwardingCables(f *ir.Fabric, down ...*ir.Link) []string {
	gone := make([]bool, len(f.Links))
	for _, l := range down {
		gone[l.ID] = true
	}
	tree := newNetwork(f).spanningTree(gone)
	var out []string
	for _, l := range between(f) {
		if tree[l.ID] {
			out = append(out, l.A().Device().Name+"-"+l.B().Device().Name)
		}
	}
	return out
}

func TestSpanningTree(t *testing.T) {
	ring := bridgedLinks(irtest.Ring(ir.SpanningTree, 4)) // R0-R1 R1-R2 R2-R3 R3-R0
	f := routed(ring)
	assert.Equal(t, []string{"R0-R1", "R1-R2", "R3-R0"}, forwardingCables(f), "R2 is equally near over R1 and R3: the first is chosen")
	turns := turnsIn(t, f, ir.State{})
	nodes, edges := size(f, turns)
	assert.Equal(t, [2]int{6, 4}, [2]int{nodes, edges}, "a chain R3 R0 R1 R2, both ways")
	assert.False(t, circular(f, turns))
	assert.Empty(t, turns.Mixed)

	down := ring.Cables("R0-R1")
	assert.Equal(t, []string{"R1-R2", "R2-R3", "R3-R0"}, forwardingCables(f, down...))
	after := turnsIn(t, f, ir.State{Down: down})
	assert.False(t, circular(f, after))
	both := turnsIn(t, f, ir.State{Down: down, Converging: true})
	assert.True(t, circular(f, both), "frames run back and forth between R2 and R3 while only one of them has the new tree")
	for turn := range turnsOf(f, after) {
		assert.True(t, both.Has(turn.In, turn.Out))
	}

	pinned := bridgedLinks(irtest.Ring(ir.SpanningTree, 4))
	pinned.F.Root = pinned.Device("R2")
	assert.Equal(t, []string{"R0-R1", "R1-R2", "R2-R3"}, forwardingCables(routed(pinned)))

	double := bridgedLinks(irtest.New(ir.SpanningTree).Links("A-B A-B A-B").Hosts("A", "B"))
	f = routed(double)
	assert.Equal(t, []string{"A-B"}, forwardingCables(f))
	assert.Equal(t, []string{"A-B"}, forwardingCables(f, f.Links[0]))
	assert.Empty(t, turnsOf(f, turnsIn(t, f, ir.State{})))
}

// A bond is one port of a bridge: all its cables forward or all are blocked, and no frame comes back by another cable of the bond.
func TestBondsOfBridges(t *testing.T) {
	c := bridgedLinks(irtest.New(ir.SpanningTree).Links("A-B A-B B-C C-A").Hosts("A", "B", "C"))
	f := routed(c)
	one, other := f.Links[0], f.Links[1]
	assert.Equal(t, []string{"A-B", "C-A"}, forwardingCables(f), "two cables: one of them is blocked")
	one.Bond, other.Bond = 1, 1
	f = routed(c)
	assert.Equal(t, []string{"A-B", "A-B", "C-A"}, forwardingCables(f))
	assert.Equal(t, []string{"A-B", "C-A"}, forwardingCables(f, one), "the rest of the bond is equally near")
	assert.Equal(t, []string{"B-C", "C-A"}, forwardingCables(f, one, other))
	turns := turnsIn(t, f, ir.State{})
	toA := c.Between("C", "A")
	in := toA.B()
	assert.True(t, turns.Has(in, one.A()) && turns.Has(in, other.A()), "C reaches B by both cables of the bond")
	assert.True(t, turns.Has(one.A(), in) && turns.Has(other.A(), in))
	assert.False(t, turns.Has(one.A(), other.A()))
	assert.False(t, circular(f, turns))

	pair := bridgedLinks(irtest.New(ir.Flooding).Links("A-B A-B").Hosts("A", "B"))
	f = routed(pair)
	assert.True(t, circular(f, turnsIn(t, f, ir.State{})), "a flood goes round two cables")
	for _, l := range between(f) {
		l.Bond = 1
	}
	f = routed(pair)
	assert.Empty(t, turnsOf(f, turnsIn(t, f, ir.State{})))

	ring := bridgedLinks(irtest.New(ir.Flooding).Links("A-B A-B B-C C-A").Hosts("A"))
	for _, l := range ring.Cables("A-B") {
		l.Bond = 1
	}
	ring.F.Links[1].Bond = 1
	ring.Hosts("B")
	f = routed(ring)
	turns = turnsIn(t, f, ir.State{})
	assert.True(t, circular(f, turns), "a ring has a cycle with or without a bond")
	assert.False(t, turns.Has(f.Links[0].A(), f.Links[1].A()))

	blind := bridgedLinks(irtest.New(ir.Flooding).Links("A-B A-B A-D D-E E-F F-D").Hosts("A", "D"))
	f = routed(blind)
	back, also, on := f.Links[0].A(), f.Links[1].A(), f.Links[2].A()
	assert.True(t, turnsIn(t, f, ir.State{}).Has(back, on), "traffic that came to B by one cable comes back by the other")
	f.Links[0].Bond, f.Links[1].Bond = 1, 1
	f = routed(blind)
	assert.False(t, turnsIn(t, f, ir.State{}).Has(back, on))
	assert.False(t, turnsIn(t, f, ir.State{}).Has(also, on))
}

// For random cabling and failures there is no cycle, and the traffic of every pair takes exactly the turns of the one path between them.
func TestSpanningTreeIsATree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := bridgedLinks(randomSwitches(t, ir.SpanningTree))
		if rapid.Bool().Draw(t, "pinned") {
			c.F.Root = rapid.SampledFrom(c.F.Devices).Draw(t, "root")
			if c.F.Root.Switch == nil {
				c.F.Root = nil
			}
		}
		f := routed(c)
		s := ir.State{Down: failurestest.Down(t, f, 3)}
		v := f.Routes.(*Router).views[c.Group]()
		turns, err := v.spanningTreePaths(s)
		require.NoError(t, err)
		require.False(t, circular(f, turns))
		gone := make([]bool, len(f.Links))
		for _, l := range s.Down {
			gone[l.ID] = true
		}
		tree := v.spanningTree(gone)
		want := map[ir.Turn]bool{}
		var walk func(path []*ir.Port, to *ir.Device) bool
		walk = func(path []*ir.Port, to *ir.Device) bool {
			at := path[len(path)-1]
			if at.Device() == to {
				for i := 1; i+1 < len(path); i += 2 {
					if turn := (ir.Turn{In: path[i], Out: path[i+1]}); turnBetween(turn, c.Group) {
						want[turn] = true
					}
				}
				return true
			}
			found := false
			for _, p := range at.Device().Ports {
				if p != at && tree[p.Link().ID] && walk(append(slices.Clone(path), p, p.Peer()), to) {
					require.False(t, found, "two paths on a tree")
					found = true
				}
			}
			return found
		}
		for _, a := range f.Intents[0].Members {
			for _, b := range f.Intents[0].Members {
				if p, q := a.NIC.Port, b.NIC.Port; p != q && up(s.Down, p) && up(s.Down, q) {
					walk([]*ir.Port{p, p.Peer()}, q.Peer().Device())
				}
			}
		}
		require.Equal(t, want, turnsOf(f, turns))
	})
}

func TestBridgedRoutingsWithRoutedLinks(t *testing.T) {
	for _, r := range []ir.Routing{ir.SpanningTree, ir.Flooding} {
		c := bridgedLinks(irtest.Ring(r, 4))
		odd := c.Between("R1", "R2")
		odd.Routed = true
		f := routed(c)
		_, err := f.Routes.Turns(c.Group, ir.State{})
		require.Equal(t, &ir.RoutingError{Code: ir.RoutedLink, Routing: r, Out: odd.A(), In: odd.B()}, err)
		odd.A().SetBuffers(nil)
		c.F.Routes = New(c.F)
		turns := turnsIn(t, f, ir.State{})
		assert.False(t, circular(f, turns), "bridged traffic does not cross it")
	}
}

func TestFlooding(t *testing.T) {
	for _, c := range []struct {
		name     string
		cabling  *irtest.Cabling
		circular bool
		nodes    int
		edges    int
	}{
		{"T40 two ToRs, two leaves", irtest.LeafSpine(ir.Flooding, 2, 2), true, 8, 8},
		{"a tree", irtest.LeafSpine(ir.Flooding, 4, 1), false, 8, 12},
		{"T11 any turn at any switch", irtest.LeafSpine(ir.Flooding, 4, 2), true, 16, 32},
		{"back to the same switch over the other cable", irtest.New(ir.Flooding).Links("A-B A-B").Hosts("A", "B"), true, 4, 4},
		{"no second member", irtest.New(ir.Flooding).Links("A-B A-B").Hosts("A"), false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := routed(bridgedLinks(c.cabling))
			v := f.Routes.(*Router).views[c.cabling.Group]()
			turns, err := v.floodedPaths(ir.State{})
			require.NoError(t, err)
			nodes, edges := size(f, turns)
			assert.Equal(t, [2]int{c.nodes, c.edges}, [2]int{nodes, edges})
			assert.Equal(t, c.circular, circular(f, turns))
		})
	}
	c := bridgedLinks(irtest.LeafSpine(ir.Flooding, 2, 2).Bounce())
	_, err := routed(c).Routes.Turns(c.Group, ir.State{})
	require.Equal(t, &ir.RoutingError{Code: ir.FloodedBounce, Routing: ir.Flooding}, err)
	c = bridgedLinks(irtest.LeafSpine(ir.Flooding, 2, 2))
	_, err = routed(c).Routes.Turns(c.Group, ir.State{Budget: ir.NewBudget(1)})
	require.ErrorIs(t, err, ir.ErrBudget)
}

// Floods take the same turns as a simulation of every frame, and flows lead from a member through the turn.
func TestFloodingAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := bridgedLinks(randomSwitches(t, ir.Flooding))
		f := routed(c)
		s := ir.State{Down: failurestest.Down(t, f, 3)}
		v := f.Routes.(*Router).views[c.Group]()
		turns, err := v.floodedPaths(s)
		require.NoError(t, err)
		want := map[ir.Turn]bool{}
		seen := map[*ir.Port]bool{}
		var arrive func(in *ir.Port)
		arrive = func(in *ir.Port) {
			if seen[in] || in.Device().Host != nil {
				return
			}
			seen[in] = true
			for _, p := range in.Device().Ports {
				if p != in && up(s.Down, p) {
					if turn := (ir.Turn{In: in, Out: p}); turnBetween(turn, c.Group) {
						want[turn] = true
					}
					arrive(p.Peer())
				}
			}
		}
		members := f.Intents[0].Members
		for _, m := range members {
			if p := m.NIC.Port; len(members) > 1 && up(s.Down, p) {
				arrive(p.Peer())
			}
		}
		require.Equal(t, want, turnsOf(f, turns))
		requireFlows(t, f, c.Group, turns, s.Down)
	})
}

// requireFlows requires a flow through every turn: from a host, through the turn, only over cables that are up.
func requireFlows(t *rapid.T, f *ir.Fabric, g *ir.CosGroup, turns *ir.Turns, down []*ir.Link) {
	var all []ir.Turn
	for _, in := range f.Ports {
		for _, out := range in.Device().Ports {
			if turns.Has(in, out) {
				all = append(all, ir.Turn{In: in, Out: out})
			}
		}
	}
	for i, flow := range turns.Witness(all) {
		require.NotNil(t, flow)
		require.True(t, flow.Takes(g, all[i].In, all[i].Out))
		require.NotNil(t, flow.Ports[0].Device().Host)
		require.Len(t, flow.Groups, len(flow.Ports)/2)
		for j, p := range flow.Ports {
			if j%2 == 1 {
				require.Same(t, flow.Ports[j-1].Peer(), p)
				require.True(t, j == len(flow.Ports)-1 || up(down, p))
			} else if j > 0 {
				require.Same(t, flow.Ports[j-1].Device(), p.Device())
			}
		}
	}
}
