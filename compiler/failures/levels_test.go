package failures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
)

// TestLevels: levels gives the same distances and disjoint shortest paths as a search for each destination.
func TestLevels(t *testing.T) {
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := failurestest.Fabric(rt, ir.ShortestPath)
		w := stateOf(f, groups, failurestest.Down(rt, f, 1))
		c := &cutter{State: w, orbits: NewOrbits(w, false)}
		many, one := c.newFlow(), c.newFlow()
		for sub := range w.subs {
			var to []Target
			for d := range int32(w.size()) {
				if w.isDestination(d, sub) && len(to) < 64 {
					to = append(to, Target{d, sub})
				}
			}
			if len(to) == 0 {
				continue
			}
			l := w.newLevels(to)
			require.NotNil(rt, l)
			for i, d := range to {
				many.turnToLevel(l, i)
				one.turnTo(d)
				for s := range int32(w.devices) {
					if s == d.vertex || !w.sendsTo(s, d.vertex, sub) {
						continue
					}
					compared++
					want := hopsBetween(w, sub, s, d.vertex, nil)
					if want == math.MaxInt {
						want = -1
					}
					require.Equal(rt, want, l.distance(s, i), "distance from %d to %d", s, d.vertex)
					if want < 0 {
						continue
					}
					n, _ := many.disjoint(s, nil, 4)
					m, _ := one.disjoint(s, nil, 4)
					require.Equal(rt, m, n, "disjoint paths from %d to %d", s, d.vertex)
				}
			}
		}
	})
	require.Positive(t, compared)
}
