package proof

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// randomFabric returns a small fabric of switches with random cables.
func randomFabric(t *rapid.T, prefix string) *irtest.Cabling {
	c := irtest.New(ir.ShortestPath)
	n := rapid.IntRange(3, 7).Draw(t, "switches")
	for i := 1; i < n; i++ { // first a tree, then further cables
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
	return c
}

// between reports whether the cable of a port joins devices that forward.
func between(p *ir.Port) bool { return p.Device().Forwards() && p.Peer().Device().Forwards() }

// TestShortestCircles: parts and circles agree with an exhaustive search, on random graphs of two groups. Some turns change the group, and
// some devices and cables keep one buffer for both groups.
func TestShortestCircles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomFabric(rt, "R").Bounce()
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.Can.Shared = rapid.Bool().Draw(rt, "shared")
			}
		}
		for _, l := range c.F.Links {
			if rapid.IntRange(0, 4).Draw(rt, "link pause") == 0 {
				l.FlowControl = ir.Pause
			}
		}
		f := c.Fabric()
		var turns []*ir.Turns
		for range 2 {
			one := &ir.Turns{Rows: make([][]uint64, len(f.Ports))}
			two := &ir.Turns{Rows: make([][]uint64, len(f.Ports))}
			for _, in := range f.Ports {
				for _, out := range in.Device().Ports {
					if !between(in) || !between(out) {
						continue // no turn is to or from a host, see ir.Turns
					}
					switch rapid.IntRange(0, 8).Draw(rt, "turn") {
					case 0, 1, 2:
						one.Add(in, out)
					case 3:
						two.Add(in, out)
					}
				}
			}
			one.Bounced = two.Rows
			turns = append(turns, one)
		}
		g := newBufferGraph(newLine(f), f.CosGroups, turns)
		parts, _ := g.parts(&walker{}, false)
		reach := reachByHand(g)
		shortest := 0
		for n := range int32(g.nodes()) {
			if d := reach[n][n]; d > 0 && (shortest == 0 || d < shortest) {
				shortest = d
			}
			inPart := slices.ContainsFunc(parts, func(p []int32) bool { return slices.Contains(p, n) })
			require.Equal(rt, reach[n][n] > 0, inPart)
			for _, p := range parts {
				for _, m := range p {
					require.Equal(rt, slices.Contains(p, n), reach[n][m] > 0 && reach[m][n] > 0)
				}
			}
		}
		require.Equal(rt, len(parts) > 0, shortest > 0)
		buffers, count := g.extent()
		seen, edges := map[int32]bool{}, 0
		for n := range int32(g.nodes()) {
			if g.node(g.portID(n), n%2) != n {
				continue // the port keeps one buffer for both groups
			}
			g.edges(n, func(e edge) bool {
				seen[n], seen[e.to] = true, true
				edges++
				return true
			})
		}
		require.Equal(rt, len(seen), buffers)
		require.Equal(rt, edges, count)
		if len(parts) > 0 {
			loops := g.show(parts, nil)
			require.Len(rt, loops[0].Circle, shortest)
		}
	})
}

// reachByHand returns the smallest number of steps, at least one, from every node to every node.
func reachByHand(g *bufferGraph) [][]int {
	out := make([][]int, g.nodes())
	for root := range int32(g.nodes()) {
		dist := make([]int, g.nodes())
		queue := []int32{root}
		for i := 0; i < len(queue); i++ {
			v := queue[i]
			p := g.port(v)
			for _, l := range g.layers {
				if !g.shared[p.ID] && int(l.from) != int(v)%len(g.groups) {
					continue
				}
				for _, out := range p.Device().Ports {
					if row := l.rows[p.ID]; row == nil || row[out.Index/64]&(1<<(out.Index%64)) == 0 {
						continue
					}
					to := g.node(int32(out.Peer().ID), l.to)
					if dist[to] == 0 {
						if dist[to] = dist[v] + 1; v == root {
							dist[to] = 1
						}
						queue = append(queue, to)
					}
				}
			}
		}
		out[root] = dist
	}
	return out
}

// TestMoreCircles: more counts the other circles with the same turns from down to up. An enumeration of these circles has the same count.
func TestMoreCircles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomFabric(rt, "R")
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.Tier = rapid.IntRange(1, 2).Draw(rt, "tier")
			}
		}
		f := c.Fabric()
		turns := &ir.Turns{Rows: make([][]uint64, len(f.Ports))}
		for _, in := range f.Ports {
			for _, out := range in.Device().Ports {
				if !between(in) || !between(out) {
					continue // no turn is to or from a host, see ir.Turns
				}
				if rapid.IntRange(0, 3).Draw(rt, "turn") > 0 {
					turns.Add(in, out)
				}
			}
		}
		g := newBufferGraph(newLine(f), f.CosGroups, []*ir.Turns{turns})
		parts, _ := g.parts(&walker{}, false)
		for _, l := range g.show(parts, nil) {
			circle := l.Circle
			first := slices.IndexFunc(circle, Wait.Valley)
			if first < 0 {
				require.Zero(rt, g.more(circle))
				continue
			}
			circle = append(circle[first:len(circle):len(circle)], circle[:first]...)
			count := 0
			var walk func(at *ir.Port, i int)
			walk = func(at *ir.Port, i int) {
				if i == len(circle) {
					if at == circle[0].In {
						count++
					}
					return
				}
				for _, out := range at.Device().Ports {
					if turns.Has(at, out) && (!circle[i].Valley() || at == circle[i].In && out == circle[i].Out) {
						walk(out.Peer(), i+1)
					}
				}
			}
			walk(circle[0].In, 0)
			require.Equal(rt, count-1, g.more(l.Circle))
		}
	})
}

// TestCirclesThatEndEarly: a search that stops at its bound of work reports that, and so does the count of other circles. A larger budget
// raises the bound.
func TestCirclesThatEndEarly(t *testing.T) {
	f := fabric(irtest.HyperX(ir.AnyPath, 4).Tier("H0", 2))
	turns, err := f.Routes.Turns(f.CosGroups[0], ir.State{})
	require.NoError(t, err)
	of := func(work int) (Loop, int) {
		g := newBufferGraph(newLine(f), f.CosGroups, []*ir.Turns{turns})
		g.loopWork = work
		parts, _ := g.parts(&walker{}, false)
		require.NotEmpty(t, parts)
		l := g.show(parts, nil)[0]
		first := slices.IndexFunc(l.Circle, Wait.Valley)
		if first < 0 {
			return l, 0
		}
		return l, g.more(l.Circle)
	}
	all, _ := of(maxLoopWork)
	assert.False(t, all.Ended)
	short, _ := of(1)
	assert.True(t, short.Ended)
	assert.GreaterOrEqual(t, len(short.Circle), len(all.Circle))

	clos := fabric(irtest.LeafSpine(ir.AnyPath, 4, 2))
	p := prove(t, clos)
	require.Equal(t, Prone, p.Verdict)
	turns, err = clos.Routes.Turns(clos.CosGroups[0], ir.State{})
	require.NoError(t, err)
	g := newBufferGraph(newLine(clos), clos.CosGroups, []*ir.Turns{turns})
	assert.GreaterOrEqual(t, g.more(p.Loops[0].Circle), 0)
	g.loopWork = 1
	assert.Equal(t, -1, g.more(p.Loops[0].Circle))

	assert.Equal(t, maxLoopWork, newJudge(newLine(f), f.CosGroups, ir.NewBudget(1)).loops)
	assert.Equal(t, 10*maxLoopWork, newJudge(newLine(f), f.CosGroups, ir.NewBudget(10*loopShare*maxLoopWork)).loops)
}
