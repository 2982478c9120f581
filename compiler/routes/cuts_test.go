package routes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures"
	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// TestFailuresWithoutACutAddNoTurn checks the purpose of cuts: a failure that contains no cut only removes turns.
func TestFailuresWithoutACutAddNoTurn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := randomFabric(rt, ir.ShortestPath)
		assertCutsCover(rt, f, groups, failurestest.Down(rt, f, 2), 3, nil)
	})
}

// Links that are not laid do not count in a cut: the rule applies to sets with few other links.
func TestUnlaidWithoutACutAddNoTurn(t *testing.T) {
	larger := 0
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := randomFabric(rt, ir.ShortestPath)
		down := failurestest.Down(rt, f, 1)
		var unlaid []*ir.Link
		for _, l := range failurestest.Others(f, down) {
			if rapid.IntRange(0, 2).Draw(rt, "planned") == 0 {
				l.Planned = true
				unlaid = append(unlaid, l)
			}
		}
		f.Routes = New(f)
		larger += assertCutsCover(rt, f, groups, down, rapid.IntRange(0, 1).Draw(rt, "most"), unlaid)
	})
	if larger == 0 {
		t.Error("no cut contains more links than may fail")
	}
}

// assertCutsCover compares the cuts of a state with plain searches of all sets of at most three links, and returns the number of cuts with
// more links than most.
func assertCutsCover(rt *rapid.T, f *ir.Fabric, groups []*ir.CosGroup, down []*ir.Link, most int, unlaid []*ir.Link) (larger int) {
	const size = 3
	r := f.Routes.(*Router)
	cuts, err := r.Cuts(groups, down, most, unlaid, nil)
	if err != nil {
		rt.Fatal(err)
	}
	counts := func(set []*ir.Link) (n int) {
		for _, l := range set {
			if !slices.Contains(unlaid, l) {
				n++
			}
		}
		return n
	}
	w := r.state(groups, down)
	twins := failures.NewOrbits(w, false)
	isCut := map[string]bool{}
	for _, c := range cuts {
		if counts(c.Links) > most {
			rt.Fatalf("%v contains more than %d counted links", failurestest.Names(c.Links), most)
		}
		if len(c.Links) > most {
			larger++
		}
		isCut[twins.Form(failurestest.IDs(c.Links))] = true
	}
	live := func(set []*ir.Link) []int32 { // links that can be in a cut
		var out []int32
		for _, id := range failurestest.IDs(set) {
			if w.Ends[id][0] >= 0 {
				out = append(out, id)
			}
		}
		return out
	}
	before := map[*ir.CosGroup]map[ir.Turn]bool{}
	for _, g := range groups {
		before[g] = plainTurns(f, g, down)
	}
	counted := map[string]int{}
	failurestest.Subsets(failurestest.Others(f, down), size, func(set []*ir.Link) {
		if counts(set) > most {
			return
		}
		if fails := live(set); len(fails) == len(set) && isCut[twins.Form(fails)] {
			counted[twins.Form(fails)]++
			return
		}
		holds := false
		failurestest.Subsets(set, size, func(part []*ir.Link) {
			fails := live(part)
			holds = holds || len(fails) == len(part) && isCut[twins.Form(fails)]
		})
		if holds {
			return
		}
		for _, g := range groups {
			for turn := range plainTurns(f, g, append(set[:len(set):len(set)], down...)) {
				if !before[g][turn] {
					rt.Fatalf("%v fail, with %v down: new turn %v -> %v, but no cut", failurestest.Names(set), failurestest.Names(down), turn.In,
						turn.Out)
				}
			}
		}
	})
	for _, c := range cuts {
		if n := counted[twins.Form(failurestest.IDs(c.Links))]; len(c.Links) <= size && n != c.Alike {
			rt.Fatalf("%v has %d similar sets, not %d", failurestest.Names(c.Links), n, c.Alike)
		}
	}
	return larger
}

func cutSizes(cuts []ir.Cut) (sizes map[int]int, alike map[int]int) {
	sizes, alike = map[int]int{}, map[int]int{}
	for _, c := range cuts {
		sizes[len(c.Links)]++
		alike[len(c.Links)] += c.Alike
	}
	return sizes, alike
}

func TestCutsOfKnownTopologies(t *testing.T) {
	const sp = ir.ShortestPath
	tests := []struct {
		name  string
		c     *irtest.Cabling
		most  int
		sizes map[int]int // number of orbits, by size
		alike map[int]int // number of sets
	}{
		{"a chain: one path or none", irtest.New(sp).Links("A-B B-C C-D").Hosts("A", "B", "C", "D"), 3, map[int]int{}, map[int]int{}},
		{"ring of 3: all links in one orbit", irtest.Ring(sp, 3), 1, map[int]int{1: 1}, map[int]int{1: 3}},
		{"ring of 4: all links in one orbit", irtest.Ring(sp, 4), 1, map[int]int{1: 1}, map[int]int{1: 4}},
		{"ring of 5", irtest.Ring(sp, 5), 3, map[int]int{1: 5}, map[int]int{1: 5}},
		{"ring of 9", irtest.Ring(sp, 9), 2, map[int]int{1: 9}, map[int]int{1: 9}},
		{"full mesh of 6: all links in one orbit", irtest.FullMesh(sp, 6), 3, map[int]int{1: 1}, map[int]int{1: 15}},
		{"LS2x2: no path left", irtest.LeafSpine(sp, 2, 2), 4, map[int]int{}, map[int]int{}},
		{"LS4x2 below", irtest.LeafSpine(sp, 4, 2), 1, map[int]int{}, map[int]int{}},
		{"LS4x2", irtest.LeafSpine(sp, 4, 2), 4, map[int]int{2: 1}, map[int]int{2: 12}},
		{"LS4x5 below", irtest.LeafSpine(sp, 4, 5), 4, map[int]int{}, map[int]int{}},
		{"LS4x5", irtest.LeafSpine(sp, 4, 5), 5, map[int]int{5: 2}, map[int]int{5: 6 * (32 - 2)}},
		{"LS64x16 below", irtest.LeafSpine(sp, 64, 16), 15, map[int]int{}, map[int]int{}},
		{"LS64x16", irtest.LeafSpine(sp, 64, 16), 16, map[int]int{16: 8}, map[int]int{16: 64 * 63 / 2 * (1<<16 - 2)}},
		{"LS3x2, hosts on one spine too", irtest.LeafSpine(sp, 3, 2).Hosts("S0"), 1, map[int]int{1: 1}, map[int]int{1: 3}},
		{"two planes", irtest.Clos(sp, 2, 3, 2, 2, 1), 1, map[int]int{}, map[int]int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := routed(tt.c)
			cuts, err := f.Routes.Cuts(f.CosGroups, nil, tt.most, nil, ir.NewBudget(10_000_000))
			require.NoError(t, err)
			sizes, alike := cutSizes(cuts)
			assert.Equal(t, tt.sizes, sizes)
			assert.Equal(t, tt.alike, alike)
		})
	}
}

func TestCutsOfTwoPlanes(t *testing.T) {
	c := irtest.Clos(ir.ShortestPath, 2, 3, 2, 2, 1)
	f := routed(c)
	cuts, err := f.Routes.Cuts(f.CosGroups, nil, 2, nil, nil)
	require.NoError(t, err)
	var got [][]string
	for _, cut := range cuts {
		got = append(got, failurestest.Names(cut.Links))
		assert.Equal(t, 6, cut.Alike-cut.Alike%6, "an ordered pair of leaves in a pod, or one of each pod: %v", failurestest.Names(cut.Links))
	}
	assert.Len(t, got, 4, "in each pod, and between the pods in both directions: %v", got)
}

func TestCutsWhileLinksAreDown(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 4, 2)
	f := routed(c)
	cuts, err := f.Routes.Cuts(f.CosGroups, c.Cables("L0-S0"), 1, nil, nil)
	require.NoError(t, err)
	require.Len(t, cuts, 1)
	assert.Equal(t, c.Cables("L1-S1"), cuts[0].Links, "then the path from L0 to L1 passes another leaf")
	assert.Equal(t, 3, cuts[0].Alike)
}

func TestBondedHostsCableCuts(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 3, 2)
	c.Link("hb", "L0")
	c.Link("hb", "L1")
	f := routed(c)
	h := c.Device("hb").Host
	h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
	for _, n := range h.NICs {
		n.Bond = h.Bonds[0]
	}
	cuts, err := New(f).Cuts(f.CosGroups, nil, 1, nil, nil)
	require.NoError(t, err)
	require.Len(t, cuts, 1)
	assert.Equal(t, []*ir.Link{h.NICs[0].Port.Link()}, cuts[0].Links, "traffic that came by L0 then goes by L1")
	assert.Equal(t, 2, cuts[0].Alike)

	h.Bonds[0].Mode = "active-backup"
	cuts, err = New(f).Cuts(f.CosGroups, nil, 1, nil, nil)
	require.NoError(t, err)
	assert.Empty(t, cuts, "either port may be the active one")
}

// TestCutsLeaveABondAWay: a link whose failure disconnects the fabric may still leave a path to a bonded host.
func TestCutsLeaveABondAWay(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 5)
	c.Link("hb", "R1")
	c.Link("hb", "R3")
	f := routed(c)
	h := c.Device("hb").Host
	h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
	for _, n := range h.NICs {
		n.Bond = h.Bonds[0]
	}
	cuts, err := New(f).Cuts(f.CosGroups, c.Cables("R2-R3"), 1, nil, nil)
	require.NoError(t, err)
	var got []*ir.Link
	for _, cut := range cuts {
		got = append(got, cut.Links...)
	}
	assert.Contains(t, got, c.Between("R0", "R1"), "R0 reaches the host by R1, or else by R4 and R3")
	assert.NotContains(t, got, c.Between("R1", "R2"), "R2 has no other path to any host")
}

func TestCutsOfOtherRoutings(t *testing.T) {
	for _, r := range []ir.Routing{ir.UpDown, ir.AnyPath, ir.Flooding, ir.SpanningTree, ir.TablePath, ""} {
		f := routed(irtest.Ring(r, 5))
		cuts, err := f.Routes.Cuts(f.CosGroups, nil, 2, nil, nil)
		require.NoError(t, err)
		assert.Empty(t, cuts, r)
	}
	f := routed(irtest.Ring(ir.EBGP, 5).UniqueASNs())
	cuts, err := f.Routes.Cuts(f.CosGroups, nil, 2, nil, nil)
	require.NoError(t, err)
	assert.Len(t, cuts, 5, "eBGP with different AS numbers is shortest-path")

	// If leaves share an AS number, any set of links may matter.
	f = routed(irtest.LeafSpine(ir.EBGP, 3, 2).ASN("L", 65001).ASN("S", 65100))
	cuts, err = f.Routes.Cuts(f.CosGroups, nil, 2, nil, nil)
	require.NoError(t, err)
	sizes, alike := cutSizes(cuts)
	assert.Equal(t, map[int]int{1: 1, 2: 3}, sizes, "one link; two of a leaf, two of a spine, two apart")
	assert.Equal(t, map[int]int{1: 6, 2: 15}, alike)
	f = routed(irtest.LeafSpine(ir.EBGP, 3, 2).UniqueASNs().ASN("S", 65100))
	cuts, err = f.Routes.Cuts(f.CosGroups, nil, 1, nil, nil)
	require.NoError(t, err)
	assert.Len(t, cuts, 3, "leaves with different AS numbers are not twins")
}

func TestCutsOfLossyGroups(t *testing.T) {
	f := routed(irtest.Ring(ir.ShortestPath, 5))
	f.CosGroups[0].Lossless = false
	cuts, err := New(f).Cuts(f.CosGroups, nil, 2, nil, nil)
	require.NoError(t, err)
	assert.Empty(t, cuts)
}

func TestCutsWithinABudget(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 6, 3).Links("L0-L1")
	f := routed(c)
	all, err := f.Routes.Cuts(f.CosGroups, nil, 4, nil, nil)
	require.NoError(t, err)
	require.Greater(t, len(all), 3)
	cut := map[int]bool{}
	for steps := int64(0); ; steps += 97 {
		some, err := New(f).Cuts(f.CosGroups, nil, 4, nil, ir.NewBudget(steps))
		again, _ := New(f).Cuts(f.CosGroups, nil, 4, nil, ir.NewBudget(steps))
		require.Equal(t, some, again)
		if err == nil {
			assert.Equal(t, all, some)
			break
		}
		require.ErrorIs(t, err, ir.ErrBudget)
		require.Equal(t, append([]ir.Cut(nil), all[:len(some)]...), some)
		if len(some) > 0 && len(some) < len(all) {
			require.Greater(t, len(all[len(some)].Links), len(some[len(some)-1].Links), "whole sizes only")
		}
		cut[len(some)] = true
	}
	assert.Greater(t, len(cut), 1, "budgets that end after some sizes")
}
