package routes

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// The sizes of the buffer dependency graphs of the literature's topologies: vertices with an edge, and edges.
func TestTurnsOfKnownTopologies(t *testing.T) {
	const sp, ud, any = ir.ShortestPath, ir.UpDown, ir.AnyPath
	tests := []struct {
		name         string
		c            *irtest.Cabling
		down         string // cables, "a-b c-d"
		nodes, edges int
	}{
		{"two switches, one cable", irtest.New(sp).Links("A-B").Hosts("A", "B"), "", 0, 0},
		{"daisy chain of 6", irtest.New(sp).Links("A-B B-C C-D D-E E-F").Hosts("A", "B", "C", "D", "E", "F"), "", 10, 8},
		{"daisy chain of 6, any", irtest.New(any).Links("A-B B-C C-D D-E E-F").Hosts("A", "B", "C", "D", "E", "F"), "", 10, 8},
		{"triangle", irtest.Ring(sp, 3), "", 0, 0},
		{"ring of 4", irtest.Ring(sp, 4), "", 8, 8},
		{"ring of 5", irtest.Ring(sp, 5), "", 10, 10},
		{"ring of 5, one cable down", irtest.Ring(sp, 5), "R0-R1", 8, 6},
		{"ring of 6", irtest.Ring(sp, 6), "", 12, 12},
		{"LS4x2", irtest.LeafSpine(sp, 4, 2), "", 16, 24},
		{"LS4x2, up-down", irtest.LeafSpine(ud, 4, 2), "", 16, 24},
		{"LS4x2, any", irtest.LeafSpine(any, 4, 2), "", 16, 32},
		{"LS4x2, two down: a valley", irtest.LeafSpine(sp, 4, 2), "L0-S1 L1-S0", 12, 16},
		{"LS4x2, two down, up-down: no valley", irtest.LeafSpine(ud, 4, 2), "L0-S1 L1-S0", 12, 12},
		{"LS2x2, hosts on the spines too", irtest.LeafSpine(sp, 2, 2).Hosts("S0", "S1"), "", 8, 8},
		{"LS3x2, hosts on one spine too", irtest.LeafSpine(sp, 3, 2).Hosts("S0"), "", 12, 12},
		{"LS4x2 and a ring of leaves", irtest.LeafSpine(sp, 4, 2).Links("L0-L1 L1-L2 L2-L3 L3-L0"), "", 24, 16},
		{"full mesh of 4", irtest.FullMesh(sp, 4), "", 0, 0},
		{"full mesh of 5", irtest.FullMesh(sp, 5), "", 0, 0},
		{"HyperX 3x3", irtest.HyperX(sp, 3), "", 36, 72},
		{"torus 3x3", irtest.Torus(sp, 3), "", 36, 72},
		{"torus 4x4", irtest.Torus(sp, 4), "", 64, 192},
		{"dragonfly a=2 h=1 g=3", irtest.New(sp).Links("A0-A1 B0-B1 C0-C1 A1-B0 B1-C0 C1-A0").
			Hosts("A0", "A1", "B0", "B1", "C0", "C1"), "", 12, 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := routed(tt.c)
			turns, err := f.Routes.Turns(tt.c.Group, ir.State{Down: tt.c.Cables(tt.down)})
			require.NoError(t, err)
			nodes, edges := size(f, turns)
			assert.Equal(t, [2]int{tt.nodes, tt.edges}, [2]int{nodes, edges})
		})
	}
}

func TestOnlyTalkersMakeTurns(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	f := routed(c)
	// Only neighbours talk: R0 with R1, and R2 with R3, in two intents. No traffic passes a third switch.
	m := f.Intents[0].Members
	f.Intents = []*ir.Intent{
		{Version: 2, Group: c.Group, Members: m[:2]},
		{Version: 2, Group: c.Group, Members: m[2:]},
	}
	turns, err := New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	nodes, edges := size(f, turns)
	assert.Equal(t, [2]int{0, 0}, [2]int{nodes, edges})

	// RoCEv1 does not cross routed cables, and all these cables are routed.
	f.Intents = []*ir.Intent{{Version: 1, Group: c.Group, Members: m}}
	turns, err = New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges = size(f, turns)
	assert.Equal(t, 0, edges)
	for _, l := range f.Links {
		l.Routed = false
	}
	turns, err = New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges = size(f, turns)
	assert.Equal(t, 8, edges)

	// Without an intent, every host port that carries the group talks.
	f.Intents = nil
	turns, err = New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges = size(f, turns)
	assert.Equal(t, 8, edges)

	// Link pause stops every frame, so every host talks, regardless of the intents.
	f.Intents, f.FlowControl = []*ir.Intent{{Version: 2, Group: c.Group, Members: m[:2]}}, ir.Pause
	turns, err = New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges = size(f, turns)
	assert.Equal(t, 8, edges)

	// Hosts whose own cable is not paused talk, too.
	for _, l := range f.Links {
		if l.A().Device().Host != nil && l.A() != m[0].NIC.Port && l.A() != m[1].NIC.Port {
			l.A().SetBuffers(nil)
			l.B().SetBuffers(nil)
		}
	}
	turns, err = New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges = size(f, turns)
	assert.Equal(t, 8, edges)
}

func TestLossyCableIsNoNode(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 5)
	f := routed(c)
	c.Between("R0", "R1").A().SetBuffers(nil)
	turns, err := New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	nodes, edges := size(f, turns)
	assert.Equal(t, [2]int{8, 6}, [2]int{nodes, edges}, "traffic still takes the lossy cable, but nothing waits for it")
}

func TestBondIsOneDestination(t *testing.T) {
	// A host is attached to both leaves: either leaf delivers, so no traffic goes up again to reach the other leaf.
	c := irtest.LeafSpine(ir.ShortestPath, 3, 2)
	c.Link("hb", "L0")
	c.Link("hb", "L1")
	f := routed(c)
	h := c.Device("hb").Host
	h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
	for _, n := range h.NICs {
		n.Bond = h.Bonds[0]
	}
	in := f.Intents[0]
	in.Members = append(in.Members[:0], &ir.Member{NIC: h.NICs[0]}, &ir.Member{NIC: h.NICs[1]},
		&ir.Member{NIC: c.Between("L2", c.HostOf("L2")).A().NIC})
	turns, err := New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges := size(f, turns)
	assert.Equal(t, 2*2+2*2, edges, "L2 to and from L0 and L1 over two spines")

	h.Bonds[0].Mode = "active-backup"
	turns, err = New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges = size(f, turns)
	assert.Equal(t, 2*2+2*2, edges, "either port may be active, and the two ports never talk with each other")

	f.Routing = ir.AnyPath // by L2, back to the host that sent the traffic
	turns, err = New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	alone := f.Intents[0]
	alone.Members = alone.Members[:2]
	none, err := New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	_, edges = size(f, turns)
	assert.NotZero(t, edges)
	_, edges = size(f, none)
	assert.Zero(t, edges, "a single bond has no other member to talk to")
}

func TestHostThatForwardsIsASwitch(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 2, 1)
	c.Link("ht", "L0")
	c.Link("ht", "L1")
	f := routed(c)
	c.Device("ht").Host.Forwards = true
	turns, err := New(f).Turns(c.Group, ir.State{})
	require.NoError(t, err)
	ht := c.Device("ht")
	assert.True(t, turns.Has(ht.Ports[0], ht.Ports[1]), "two hops over the host are as short as two over the spine")

	f.Routing = ir.UpDown
	_, err = New(f).Turns(c.Group, ir.State{})
	assert.EqualError(t, err, `routing "up-down" cannot be followed: host-between ht L0 L1`)
}

func TestOnATreeEveryRoutingIsFollowed(t *testing.T) {
	for _, r := range []ir.Routing{"", ir.EBGP, ir.SpanningTree, ir.Flooding, ir.UpDown} {
		c := irtest.New(r).Links("A-B B-C B-D").Hosts("A", "C", "D")
		f := routed(c)
		turns, err := f.Routes.Turns(c.Group, ir.State{})
		require.NoError(t, err)
		_, edges := size(f, turns)
		assert.Equal(t, 6, edges, r)
	}
}

func TestFabricsWithoutTurns(t *testing.T) {
	for name, c := range map[string]func(r ir.Routing) *irtest.Cabling{
		"nothing":         irtest.New,
		"two hosts":       func(r ir.Routing) *irtest.Cabling { return irtest.New(r).Links("ha-hb") },
		"one switch":      func(r ir.Routing) *irtest.Cabling { return irtest.New(r).Hosts("A", "A") },
		"a cable to self": func(r ir.Routing) *irtest.Cabling { return irtest.New(r).Links("A-A A-B").Hosts("A", "B") },
		"two islands":     func(r ir.Routing) *irtest.Cabling { return irtest.New(r).Links("A-B C-D").Hosts("A", "D") },
	} {
		for _, r := range []ir.Routing{ir.ShortestPath, ir.UpDown, ir.AnyPath} {
			for _, converging := range []bool{false, true} {
				f := routed(c(r))
				turns, err := f.Routes.Turns(f.CosGroups[0], ir.State{Down: f.Links, Converging: converging})
				require.NoError(t, err, name)
				assert.Empty(t, turnsOf(f, turns), name)
				turns, err = f.Routes.Turns(f.CosGroups[0], ir.State{Converging: converging})
				require.NoError(t, err, name)
				assert.Empty(t, turnsOf(f, turns), name)
				assert.Empty(t, turns.Witness(nil))
			}
		}
	}
}

func TestWhatCannotBeFollowed(t *testing.T) {
	c := irtest.Ring("", 4)
	_, err := routed(c).Routes.Turns(c.Group, ir.State{})
	assert.Equal(t, &ir.RoutingError{Code: ir.NoRouting}, err)

	c = irtest.Ring(ir.UpDown, 4)
	_, err = routed(c).Routes.Turns(c.Group, ir.State{})
	assert.EqualError(t, err, `routing "up-down" cannot be followed: level-link R0 R1 R0:p0 - R1:p0`)

	c = irtest.Ring(ir.ShortestPath, 4)
	lossy := &ir.CosGroup{Name: "default"}
	f := routed(c)
	f.CosGroups = append(f.CosGroups, lossy)
	_, err = New(f).Turns(lossy, ir.State{})
	assert.Equal(t, &ir.RoutingError{Code: ir.LossyGroup, Routing: ir.ShortestPath, Group: lossy}, err)
}

// TestRoutesAgreeWithBruteForce compares every engine with an enumeration of all paths between all pairs of talkers on small random
// fabrics, and requires a flow for every turn.
func TestRoutesAgreeWithBruteForce(t *testing.T) {
	for _, tt := range []struct {
		routing            ir.Routing
		bounce, converging bool
	}{
		{routing: ir.ShortestPath},
		{routing: ir.UpDown},
		{routing: ir.AnyPath},
		{routing: ir.ShortestPath, bounce: true},
		{routing: ir.UpDown, bounce: true},
		{routing: ir.AnyPath, bounce: true},
		{routing: ir.ShortestPath, converging: true},
		{routing: ir.ShortestPath, bounce: true, converging: true},
	} {
		t.Run(fmt.Sprintf("%s, bounce %t, converging %t", tt.routing, tt.bounce, tt.converging), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				c := randomCabling(rt, tt.routing)
				if tt.bounce {
					c.Bounce()
					detour := c.Group.Bounce
					switch rapid.IntRange(0, 5).Draw(rt, "bounces on") {
					case 0:
						detour.Bounce = c.Group
					case 1:
						detour.Lossless = false
					case 2:
						detour.Lossless, detour.Bounce = false, c.Group
					case 3: // behind a lossy cable
						behind := *detour
						behind.Name, behind.Cos = "behind", 5
						c.F.CosGroups = append(c.F.CosGroups, &behind)
						for _, p := range c.F.Ports {
							p.SetBuffers(append(p.Buffers(), &ir.Buffer{Group: &behind}))
						}
						detour.Lossless, detour.Bounce = false, &behind
					}
				}
				for _, d := range c.F.Devices {
					if rapid.IntRange(0, 9).Draw(rt, "by hand") > 0 {
						continue
					}
					d.ByHand = &ir.ByHand{FlowControl: rapid.SampledFrom([]ir.FlowControl{"", ir.PFC, ir.NoFlowControl, ir.Pause}).Draw(rt,
						"flow control")}
					if rapid.Bool().Draw(rt, "priorities") {
						d.ByHand.PFC = []ir.Claim{{Value: rapid.IntRange(3, 5).Draw(rt, "priority")}}
					}
				}
				f := c.Fabric()
				randomIntents(rt, f)
				o := &oracle{f: f, routing: tt.routing, converging: tt.converging}
				for _, l := range f.Links {
					if rapid.IntRange(0, 9).Draw(rt, "down") == 0 {
						o.down = append(o.down, l)
					}
				}
				router, want := New(f), o.find()
				for _, g := range f.CosGroups {
					if g.Lossless {
						o.compare(rt, router, g, want)
					}
				}
			})
		})
	}
}

// compare fails unless the router finds what the oracle has found, with a flow for each turn.
func (o *oracle) compare(t *rapid.T, r *Router, g *ir.CosGroup, want *found) {
	turns, err := r.Turns(g, ir.State{Down: o.down, Converging: o.converging})
	if err != nil {
		t.Fatal(err)
	}
	got := map[grouped]bool{}
	for turn := range turnsOf(o.f, turns) {
		got[grouped{turn, g, g}] = true
	}
	if turns.Bounced != nil {
		for turn := range turnsOf(o.f, &ir.Turns{Rows: turns.Bounced}) {
			got[grouped{turn, g, g.Bounce}] = true
		}
	}
	for turn := range got {
		if !want.turns[turn] {
			t.Fatalf("turn %s -> %s found, but no path makes it", turn.In, turn.Out)
		}
		flow := turns.Witness([]ir.Turn{turn.Turn})[0]
		if wrong := o.legal(want, flow, turn.Turn, g); wrong != "" {
			t.Fatalf("turn %s -> %s: the flow %v %s", turn.In, turn.Out, flow, wrong)
		}
	}
	for turn := range want.turns {
		if turn.from == g && !got[turn] {
			t.Fatalf("turn %s -> %s not found", turn.In, turn.Out)
		}
	}
}

// TestRoutesAtOnce calls one router from several goroutines, each with other failures.
func TestRoutesAtOnce(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 6, 3)
	f := routed(c)
	var all sync.WaitGroup
	got := make([]map[ir.Turn]bool, 8)
	for i := range got {
		all.Go(func() {
			turns, err := f.Routes.Turns(c.Group, ir.State{Down: f.Links[i : i+2]})
			if assert.NoError(t, err) {
				got[i] = turnsOf(f, turns)
				for turn := range got[i] {
					assert.NotEmpty(t, turns.Witness([]ir.Turn{turn})[0])
				}
			}
		})
	}
	all.Wait()
	for i := range got {
		turns, err := New(f).Turns(c.Group, ir.State{Down: f.Links[i : i+2]})
		require.NoError(t, err)
		assert.Empty(t, differ(f, turnsOf(f, turns), got[i]))
	}
}

// TestEverybody: Everybody returns the turns of an intent with all hosts, with and without lossless groups.
func TestEverybody(t *testing.T) {
	for _, r := range []ir.Routing{ir.ShortestPath, ir.UpDown, ir.EBGP, ir.AnyPath, ir.SpanningTree} {
		c := irtest.LeafSpine(r, 4, 2).UniqueASNs()
		f := c.Fabric()
		for _, l := range f.Links {
			l.Routed = l.Routed && r != ir.SpanningTree
		}
		want, err := New(f).Turns(c.Group, ir.State{})
		require.NoError(t, err)
		require.NotEqual(t, make([][]uint64, len(f.Ports)), want.Rows)
		f.Intents, f.CosGroups = nil, nil
		for _, p := range f.Ports {
			p.SetBuffers(nil)
		}
		got, err := New(f).Everybody()
		require.NoError(t, err)
		assert.Equal(t, want.Rows, got.Rows, r)
	}
	_, err := New(irtest.Ring("", 4).Fabric()).Everybody()
	assert.ErrorAs(t, err, new(*ir.RoutingError))
}
