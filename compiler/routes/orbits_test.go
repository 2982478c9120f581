package routes

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures"
	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
)

// TestOrbitsHaveAsManyTurns: failures of one orbit differ only by names, so they leave the same number of turns in every group.
func TestOrbitsHaveAsManyTurns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := randomFabric(rt, ir.ShortestPath)
		down := failurestest.Down(rt, f, 1)
		w := f.Routes.(*Router).state(groups, down)
		twins := failures.NewOrbits(w, false)
		turns := map[string][]int{}
		failurestest.Subsets(failurestest.Others(f, down), 2, func(set []*ir.Link) {
			for _, l := range set {
				if w.Ends[l.ID][0] < 0 {
					return
				}
			}
			var n []int
			for _, g := range groups {
				n = append(n, len(plainTurns(f, g, append(slices.Clone(set), down...))))
			}
			form := twins.Form(failurestest.IDs(set))
			if known, ok := turns[form]; ok && !slices.Equal(known, n) {
				rt.Fatalf("%v leaves %v turns, but a failure of the same orbit leaves %v", failurestest.Names(set), n, known)
			}
			turns[form] = n
		})
	})
}

// TestEverySetIsListedOnce: if any set may matter, all orbits are listed.
func TestEverySetIsListedOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := randomFabric(rt, ir.EBGP)
		for _, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.ASN = rapid.IntRange(65001, 65002).Draw(rt, "asn")
			}
		}
		down := failurestest.Down(rt, f, 1)
		r := f.Routes.(*Router)
		cuts, err := r.Cuts(groups, down, 3, nil, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if r.afterFailures(r.views[groups[0]]()) != anythingMatters {
			return // a tree, or no shared AS number
		}
		w := r.state(groups, down)
		twins := failures.NewOrbits(w, true)
		want := map[string]int{}
		failurestest.Subsets(failurestest.Others(f, down), 3, func(set []*ir.Link) {
			for _, l := range set {
				if w.Ends[l.ID][0] < 0 {
					return
				}
			}
			want[twins.Form(failurestest.IDs(set))]++
		})
		got := map[string]int{}
		for _, c := range cuts {
			got[twins.Form(failurestest.IDs(c.Links))] += c.Alike
		}
		if !maps.Equal(want, got) {
			rt.Fatalf("%d orbits of sets, not %d", len(got), len(want))
		}
	})
}
