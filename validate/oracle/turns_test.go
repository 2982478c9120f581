package oracle_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
)

// names returns the two ends of each link.
func names(links []*ir.Link) string {
	var out []string
	for _, l := range links {
		out = append(out, fmt.Sprint(l.A(), " - ", l.B()))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// waits lists the edges of a graph, sorted.
func waits(g oracle.Graph) []string {
	var out []string
	for from, next := range g {
		for to := range next {
			var s strings.Builder
			s.WriteString(fmt.Sprint(from.In.Peer(), " > ", from.In, " waits for ", to.In.Peer(), " > ", to.In))
			for _, b := range []oracle.Buffer{from, to} {
				if b.Group != nil {
					s.WriteString(", " + b.Group.Name)
				}
			}
			out = append(out, s.String())
		}
	}
	slices.Sort(out)
	return out
}

// turnsOf returns the graph of the router's turns of all lossless groups.
func turnsOf(t require.TestingT, f *ir.Fabric, s ir.State, turns func(*ir.CosGroup, ir.State) (*ir.Turns, error)) oracle.Graph {
	var all []*ir.Turns
	for _, g := range f.CosGroups {
		if !g.Lossless {
			continue
		}
		some, err := turns(g, s)
		require.NoError(t, err)
		all = append(all, some)
	}
	return oracle.GraphOfTurns(f, all...)
}

// missing returns the strings of all that are not in some.
func missing(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { _, found := slices.BinarySearch(some, s); return found })
}

// The router returns exactly the turns of the enumerated paths, in any state.
func TestTurnsAreThoseOfAllPaths(t *testing.T) {
	edges := map[ir.Routing]int{}
	met := func() bool { return !slices.Contains(slices.Collect(maps.Values(edges)), 0) }
	check(t, met, func(t *rapid.T) {
		routing := rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.UpDown, ir.AnyPath, ir.EBGP, ir.Flooding}).Draw(t, "routing")
		var f *ir.Fabric
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 29))
		if rapid.Bool().Draw(t, "larger") {
			f = larger(t, routing)
		} else {
			f = drawnFabric(r, routing, 2)
		}
		s := ir.State{Down: failed(r, f, 2)}
		got := waits(turnsOf(t, f, s, f.Routes.Turns))
		want := waits(state(f, s.Down, r).Whole())
		edges[routing] += len(want)
		if routing == ir.Flooding && tree(f) { // turns to a switch without members may be missing: they close no circle
			require.Empty(t, missing(got, want))
			return
		}
		if routing == ir.EBGP && !uniqueASNs(f) { // the enumeration has one choice between equal routes
			require.Empty(t, missing(want, got), "with %s down", names(s.Down))
			return
		}
		require.Equal(t, want, got, "with %s down", names(s.Down))

		healthy := waits(turnsOf(t, f, ir.State{}, f.Routes.Turns))
		changed := waits(turnsOf(t, f, s, f.Routes.Changed))
		require.Empty(t, missing(missing(got, healthy), changed), "changed turns left out with %s down", names(s.Down))
		require.Empty(t, missing(changed, got), "changed turns that do not exist with %s down", names(s.Down))
	})
	t.Log("edges by routing:", edges)
	for r, n := range edges {
		assert.NotZero(t, n, r)
	}
}

// While routing converges, a fabric makes the turns of next hops from before and after, in any mixture.
func TestTurnsWhileConverging(t *testing.T) {
	mixed := 0
	check(t, func() bool { return mixed > 0 }, func(t *rapid.T) {
		f := larger(t, ir.ShortestPath)
		s := ir.State{Down: failed(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 31)), f, 2)}
		want := waits((&oracle.Brute{Fabric: f, Down: s.Down}).Converging(f.CosGroups[0]))
		after := waits(turnsOf(t, f, s, f.Routes.Turns))
		s.Converging = true
		require.Equal(t, want, waits(turnsOf(t, f, s, f.Routes.Turns)), "with %s down", names(s.Down))
		mixed += len(missing(want, after))
	})
	assert.NotZero(t, mixed)
}

// tabled gives a drawn fabric a table. For most switches and targets it has the next hops of shortest paths, for others random ports, also
// back, or none.
func tabled(r *rand.Rand) *ir.Fabric {
	f := drawnFabric(r, ir.TablePath, 0)
	shortest := *f
	shortest.Routing = ir.ShortestPath
	f.Table = &ir.Table{Hops: make([][]ir.Entry, len(f.Devices)), Ports: make([][][]*ir.Port, len(f.Devices))}
	odd := 1 + r.IntN(40)
	for _, d := range f.Devices {
		if d.Host == nil {
			continue
		}
		target := len(f.Table.Targets)
		f.Table.Targets = append(f.Table.Targets, &ir.Target{NICs: d.Host.NICs})
		good := (&oracle.Brute{Fabric: &shortest}).NextHops(d.Ports[0])
		for _, s := range f.Devices {
			if s.Switch == nil {
				continue
			}
			var out []*ir.Port
			for _, p := range s.Ports {
				if p.Peer().Device().Switch != nil && (good[p] && r.IntN(odd) > 0 || r.IntN(4*odd) == 0) {
					out = append(out, p)
				}
			}
			for len(f.Table.Hops[s.ID]) <= target {
				f.Table.Hops[s.ID] = append(f.Table.Hops[s.ID], 0)
			}
			if r.IntN(20) == 0 || d.Ports[0].Peer().Device() == s {
				continue
			}
			f.Table.Hops[s.ID][target] = ir.NewEntry(len(f.Table.Ports[s.ID]), r.IntN(2) == 0)
			f.Table.Ports[s.ID] = append(f.Table.Ports[s.ID], out)
		}
	}
	f.Routes = routes.New(f)
	return f
}

// With a table, traffic follows the table, also back and in circles.
func TestTurnsOfTables(t *testing.T) {
	verdicts := map[validate.Verdict]int{}
	check(t, func() bool { return verdicts[validate.Prone] > 0 }, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 43))
		f := tabled(r)
		s := ir.State{Down: failed(r, f, 1)}
		b := &oracle.Brute{Fabric: f, Down: s.Down}
		require.Equal(t, waits(b.Table(f.CosGroups[0])), waits(turnsOf(t, f, s, f.Routes.Turns)), "with %s down", names(s.Down))
		b.Down = nil
		p := judged(t, f)
		verdicts[p.Verdict]++
		if !b.Table(f.CosGroups[0]).Cyclic() {
			require.Equal(t, validate.Free, p.Verdict, p.Why())
			return
		}
		require.Equal(t, validate.Prone, p.Verdict, p.Why())
		for i, h := range p.Loops[0].Circle {
			require.Same(t, h.Out.Peer(), p.Loops[0].Circle[(i+1)%len(p.Loops[0].Circle)].In)
			require.True(t, slices.ContainsFunc(p.Loops[0].Flows, func(f *ir.Flow) bool { return f.Takes(h.Group, h.In, h.Out) }))
		}
		require.Equal(t, gravest(t, validate.Run(f, nil)).Loops[0].Circle, p.Loops[0].Circle)
	})
	t.Log(verdicts)
	assert.NotZero(t, verdicts[validate.Prone])
}

// A flow that the router returns for a turn takes the turn, and the routing makes that flow.
func TestFlowsOfTurnsAreLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routing := rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.UpDown, ir.AnyPath, ir.EBGP, ir.Flooding}).Draw(t, "routing")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 37))
		f := drawnFabric(r, routing, 2)
		g := f.CosGroups[0]
		s := ir.State{Down: failed(r, f, 2)}
		turns, err := f.Routes.Turns(g, s)
		require.NoError(t, err)
		var all []ir.Turn
		for _, in := range f.Ports {
			for _, out := range in.Device().Ports {
				if turns.Has(in, out) {
					all = append(all, ir.Turn{In: in, Out: out})
				}
			}
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:min(len(all), 6)]
		for i, flow := range turns.Witness(all) {
			require.NotNil(t, flow, "%v", all[i])
			require.True(t, flow.Takes(g, all[i].In, all[i].Out), "%v by %v", all[i], flow.Ports)
			assertLegal(t, f, flow, s.Down)
		}
	})
}
