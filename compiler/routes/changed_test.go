package routes

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// TestChangedIsBetweenNewAndAll: Changed contains all new turns, and only turns of the state.
func TestChangedIsBetweenNewAndAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := randomFabric(rt, rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.ShortestPath, ir.AnyPath}).Draw(rt, "routing"))
		s := ir.State{Down: failurestest.Down(rt, f, 4), Converging: rapid.Bool().Draw(rt, "converging")}
		for _, g := range groups {
			before, err := f.Routes.Turns(g, ir.State{})
			if err != nil {
				rt.Fatal(err)
			}
			after, err := f.Routes.Turns(g, s)
			if err != nil {
				rt.Fatal(err)
			}
			changed, err := f.Routes.Changed(g, s)
			if err != nil {
				rt.Fatal(err)
			}
			if changed.Group != g {
				rt.Fatal("of another group")
			}
			got := turnsOf(f, changed)
			for turn := range got {
				if !after.Has(turn.In, turn.Out) {
					rt.Fatalf("turn %v -> %v is not taken", turn.In, turn.Out)
				}
			}
			for turn := range turnsOf(f, after) {
				if !before.Has(turn.In, turn.Out) && !got[turn] {
					rt.Fatalf("turn %v -> %v is new", turn.In, turn.Out)
				}
			}
			for turn := range got {
				flow := changed.Witness([]ir.Turn{turn})[0]
				if flow == nil || !flow.Takes(g, turn.In, turn.Out) {
					rt.Fatalf("no flow takes %v -> %v", turn.In, turn.Out)
				}
			}
		}
	})
}

func TestChanged(t *testing.T) {
	tests := []struct {
		name string
		c    *irtest.Cabling
		down string
		want int // turns
	}{
		{"nothing fails", irtest.LeafSpine(ir.ShortestPath, 4, 2), "", 0},
		{"no cut", irtest.LeafSpine(ir.ShortestPath, 4, 2), "L0-S0", 0},
		{"two links and no cut", irtest.LeafSpine(ir.ShortestPath, 4, 2), "L0-S0 L1-S0", 0},
		{"two valleys", irtest.LeafSpine(ir.ShortestPath, 4, 2), "L0-S0 L1-S1", 12},
		{"cut off", irtest.LeafSpine(ir.ShortestPath, 4, 2), "L0-S0 L0-S1", 0},
		{"full mesh of 4", irtest.FullMesh(ir.ShortestPath, 4), "M0-M1", 4},
		{"chain", irtest.New(ir.ShortestPath).Links("A-B B-C C-D").Hosts("A", "B", "C", "D"), "B-C", 0},
		{"eBGP", irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs(), "L0-S0 L1-S1", 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := routed(tt.c)
			turns, err := f.Routes.Changed(tt.c.Group, ir.State{Down: tt.c.Cables(tt.down)})
			require.NoError(t, err)
			_, edges := size(f, turns)
			assert.Equal(t, tt.want, edges)
		})
	}
}

func TestChangedForABond(t *testing.T) {
	tests := []struct {
		cables, legs string
		down         string
		want         int // from A over B; the reverse was a shortest path before
	}{
		{"A-B B-C", "A C", "", 0},
		{"A-B B-C", "A C", "hb-A", 1},
		{"A-B B-C", "A C", "hb-C", 0},
		{"A-B B-C A-D", "C D", "A-D", 1},
		{"A-B B-C A-D", "C D", "hb-D", 1},
	}
	for _, tt := range tests {
		c := irtest.New(ir.ShortestPath).Links(tt.cables).Hosts("A")
		for leg := range strings.FieldsSeq(tt.legs) {
			c.Link("hb", leg)
		}
		f := routed(c)
		h := c.Device("hb").Host
		h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
		for _, n := range h.NICs {
			n.Bond = h.Bonds[0]
		}
		turns, err := New(f).Changed(c.Group, ir.State{Down: c.Cables(tt.down)})
		require.NoError(t, err)
		_, edges := size(f, turns)
		assert.Equal(t, tt.want, edges, tt)
	}
}

// For traffic that changes its group on the way, Changed returns all turns.
func TestChangedFollowsEverythingWhereItMust(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 4, 2).Bounce()
	f := routed(c)
	s := ir.State{Down: c.Cables("L0-S0")}
	all, err := f.Routes.Turns(c.Group, s)
	require.NoError(t, err)
	got, err := f.Routes.Changed(c.Group, s)
	require.NoError(t, err)
	assert.Empty(t, differ(f, turnsOf(f, all), turnsOf(f, got)))
}

// While routing converges, only traffic to L0 changes: it loses one path.
func TestChangedWhileConverging(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 4, 4)
	f := routed(c)
	got, err := f.Routes.Changed(c.Group, ir.State{Down: c.Cables("L0-S0"), Converging: true})
	require.NoError(t, err)
	up := c.Between("S0", "L1")
	assert.True(t, got.Has(up.A(), up.A()) && got.Has(up.B(), up.B()), "L1 and S0 send it back and forth")
	_, edges := size(f, got)
	assert.Equal(t, 9+12+9, edges, "at S0 between the other leaves, at those leaves from S0 to all spines, at the other spines to L0")
}

func TestChangedWithinABudget(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 4, 2)
	f := routed(c)
	s := ir.State{Down: c.Cables("L0-S0 L1-S1"), Budget: ir.NewBudget(3)}
	_, err := f.Routes.Changed(c.Group, s)
	assert.ErrorIs(t, err, ir.ErrBudget)

	f.CosGroups[0].Lossless = false
	_, err = f.Routes.Changed(c.Group, s)
	assert.ErrorContains(t, err, "lossy")
}

// TestFailuresAtOnce calls one router from several goroutines.
func TestFailuresAtOnce(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 5, 3).Links("L0-L1 L1-L2")
	f := routed(c)
	var all sync.WaitGroup
	turns := make([]map[ir.Turn]bool, 8)
	cuts := make([][]ir.Cut, len(turns))
	for i := range turns {
		all.Go(func() {
			got, err := f.Routes.Changed(c.Group, ir.State{Down: f.Links[i : 2*i+1]})
			if assert.NoError(t, err) {
				turns[i] = turnsOf(f, got)
			}
			cuts[i], err = f.Routes.Cuts(f.CosGroups, f.Links[:i/2], 2, nil, nil)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	for i := range turns {
		got, err := New(f).Changed(c.Group, ir.State{Down: f.Links[i : 2*i+1]})
		require.NoError(t, err)
		assert.Equal(t, turnsOf(f, got), turns[i])
		want, err := New(f).Cuts(f.CosGroups, f.Links[:i/2], 2, nil, nil)
		require.NoError(t, err)
		assert.Equal(t, want, cuts[i])
	}
}
