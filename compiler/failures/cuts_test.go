package failures

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// stateOf returns the state of the fabric for some groups with some links down.
func stateOf(f *ir.Fabric, groups []*ir.CosGroup, down []*ir.Link) *State {
	g := graph.New(f)
	var traffics []*graph.Traffic
	for _, group := range groups {
		t := graph.NewTraffic(g, group)
		t.Conversations = t.FromIntents()
		traffics = append(traffics, t)
	}
	return NewState(traffics, down)
}

// TestCutsAreMinimal: every cut lengthens the shortest path of some pair that stays connected, and no part of a cut does.
func TestCutsAreMinimal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := failurestest.Fabric(rt, ir.ShortestPath)
		down := failurestest.Down(rt, f, 1)
		w := stateOf(f, groups, down)
		cuts, err := w.Cuts(NewOrbits(w, false), 3, nil)
		if err != nil {
			rt.Fatal(err)
		}
		matters := func(set []*ir.Link) bool { return farther(w, failurestest.IDs(set)) }
		for _, c := range cuts {
			if !matters(c.Links) {
				rt.Fatalf("%v puts no pair farther apart", failurestest.Names(c.Links))
			}
			failurestest.Subsets(c.Links, len(c.Links)-1, func(part []*ir.Link) {
				if matters(part) {
					rt.Fatalf("%v contains the cut %v", failurestest.Names(c.Links), failurestest.Names(part))
				}
			})
		}
	})
}

// farther reports, by plain searches, whether failure of the links lengthens the shortest path of a connected pair.
func farther(w *State, set []int32) bool {
	for sub := range w.subs {
		for d := range int32(w.size()) {
			for s := range int32(w.devices) {
				if !w.sendsTo(s, d, sub) {
					continue
				}
				if b, a := hopsBetween(w, sub, s, d, nil), hopsBetween(w, sub, s, d, set); b < a && a < math.MaxInt {
					return true
				}
			}
		}
	}
	return false
}

func hopsBetween(w *State, sub int, s, d int32, gone []int32) int {
	dist := map[int32]int{s: 0}
	for queue := []int32{s}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if v == d {
			return dist[v]
		}
		if v >= int32(w.devices) {
			continue // a host does not forward
		}
		w.each(v, func(to, link int32) {
			if slices.Contains(gone, link) {
				return
			}
			if sub == bridgedPart && w.Fabric.Links[link].Routed {
				return
			}
			if _, seen := dist[to]; !seen {
				dist[to] = dist[v] + 1
				queue = append(queue, to)
			}
		})
	}
	return math.MaxInt
}

// TestDisjointPaths compares the number of disjoint shortest paths with the smallest number of links that hit all shortest paths (Menger).
func TestDisjointPaths(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := failurestest.Fabric(rt, ir.ShortestPath)
		w := stateOf(f, groups, nil)
		c := &cutter{State: w, orbits: NewOrbits(w, false)}
		flow := c.newFlow()
		for sub := range w.subs {
			for d := range int32(w.size()) {
				if !w.isDestination(d, sub) {
					continue
				}
				flow.turnTo(Target{d, sub})
				for _, s := range flow.order {
					compareDisjoint(rt, w, flow, s, d, sub)
				}
			}
		}
	})
	// In this case the search has to move the first path that it found.
	f := irtest.New(ir.ShortestPath).Links("A-B A-C B-D B-E C-D D-F E-F").Hosts("A", "F").Fabric()
	w := stateOf(f, f.CosGroups, nil)
	flow := (&cutter{State: w}).newFlow()
	flow.turnTo(Target{w.VertexOf[f.Devices[5].ID], wholeGraph})
	require.Equal(t, "F", f.Devices[5].Name)
	n, path := flow.disjoint(w.VertexOf[f.Devices[0].ID], nil, 5)
	assert.Equal(t, 2, n)
	assert.Len(t, path, 3)
}

func compareDisjoint(rt *rapid.T, w *State, flow *flow, s, d int32, sub int) {
	n, path := flow.disjoint(s, nil, 4)
	if len(path) != int(flow.dist[s]) {
		rt.Fatalf("a path of %d links does not have %d hops", len(path), flow.dist[s])
	}
	least := 4
	var links []*ir.Link
	for _, l := range w.Fabric.Links {
		if w.Ends[l.ID][0] >= 0 {
			links = append(links, l)
		}
	}
	failurestest.Subsets(links, 3, func(set []*ir.Link) {
		if len(set) < least && hopsBetween(w, sub, s, d, failurestest.IDs(set)) > int(flow.dist[s]) {
			least = len(set)
		}
	})
	if n != least {
		rt.Fatalf("%d disjoint paths from %d to %d, but %d links hit them all", n, s, d, least)
	}
}
