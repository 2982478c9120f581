package walk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate/walk"
)

// laid completes a cabling. The first letter of a device's name is its group.
func laid(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	for _, d := range f.Devices {
		d.Group = d.Name[:1]
		if d.Host != nil {
			d.Host.NICs[0].TOS = -1
		}
	}
	f.Routes = routes.New(f)
	return f
}

func between(t require.TestingT, f *ir.Fabric, from, to *ir.Device, s ir.State, unfold bool) *walk.Trace {
	tr, err := walk.Run(walk.Question{Fabric: f, Intent: f.Intents[0], From: from.Ports[:1], To: to.Ports[:1], State: s, Unfold: unfold})
	require.NoError(t, err)
	return tr
}

func hosts(f *ir.Fabric) []*ir.Device {
	return slices.DeleteFunc(slices.Clone(f.Devices), func(d *ir.Device) bool { return d.Host == nil })
}

// A fat tree of any size has seven hops.
func TestFold(t *testing.T) {
	for _, k := range []int{4, 8, 16} {
		f := laid(irtest.FatTree(ir.UpDown, k))
		all := hosts(f)
		tr := between(t, f, all[0], all[len(all)-1], ir.State{}, false)
		var sizes []int
		for _, h := range tr.Data.Hops {
			sizes = append(sizes, len(h.Devices))
		}
		assert.Equal(t, []int{1, 1, k / 2, k * k / 4, k / 2, 1, 1}, sizes)
		assert.EqualValues(t, k*k/4, tr.Data.Ways)
		assert.Empty(t, tr.Data.Findings())
		tr = between(t, f, all[0], all[len(all)-1], ir.State{}, true)
		assert.Len(t, tr.Data.Hops, 4+k+k*k/4)
	}
}

// A core that differs is a separate hop with separate findings.
func TestFoldKeepsApart(t *testing.T) {
	f := laid(irtest.FatTree(ir.UpDown, 8))
	var core *ir.Device
	for _, d := range f.Devices {
		if d.Height() == 3 {
			core = d
			d.ByHand = &ir.ByHand{FlowControl: ir.PFCTx, ECN: true}
			break
		}
	}
	all := hosts(f)
	tr := between(t, f, all[0], all[len(all)-1], ir.State{}, false)
	require.Len(t, tr.Data.Hops, 8)
	assert.Equal(t, []*ir.Device{core}, tr.Data.Hops[3].Devices)
	assert.Len(t, tr.Data.Hops[4].Devices, 15)
	require.Len(t, tr.Data.Findings(), 1)
	assert.Equal(t, core, firstBreak(tr.Data).Device)
}

// The count of paths ends at MaxWays.
func TestManyWays(t *testing.T) {
	c := irtest.New(ir.ShortestPath)
	const stages = 40
	for i := range stages { // four ways from stage to stage: 4^40 together
		for j := range 4 {
			c.Link(fmt.Sprint("S", i), fmt.Sprint("M", i, "x", j))
			c.Link(fmt.Sprint("M", i, "x", j), fmt.Sprint("S", i+1))
		}
	}
	f := laid(c.Hosts("S0", fmt.Sprint("S", stages)))
	all := hosts(f)
	tr := between(t, f, all[0], all[1], ir.State{}, false)
	assert.EqualValues(t, uint64(walk.MaxWays), tr.Data.Ways)
	assert.Equal(t, 2*stages+2, tr.Data.Cables)
	assert.Len(t, tr.Data.Hops, 2*stages+3)
}

// The hops have exactly the ports of the enumerated paths. The routing makes every turn, and every path ends at the receiver.
func TestHopsAgainstPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routing := rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.UpDown}).Draw(t, "routing")
		draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
		var c *irtest.Cabling
		if routing == ir.UpDown || rapid.Bool().Draw(t, "clos") {
			c = irtest.Clos(routing, draw("pods", 1, 3), draw("leaves", 1, 3), draw("aggs", 1, 3), draw("cores", 1, 2), 1)
		} else {
			n := draw("switches", 2, 6)
			for c = irtest.New(routing); len(c.F.Links) < draw("cables", 1, 9); {
				if a, b := draw("a", 0, n-1), draw("b", 0, n-1); a != b {
					c.Link(fmt.Sprint("s", a), fmt.Sprint("s", b))
				}
			}
			c.Hosts("s0", fmt.Sprint("s", n-1), fmt.Sprint("s", n-1))
		}
		f := laid(c)
		all := hosts(f)
		from, to := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		if from == to {
			return
		}
		var s ir.State
		for range draw("failures", 0, 2) {
			s.Down = append(s.Down, rapid.SampledFrom(f.Links).Draw(t, "down"))
		}
		tr := between(t, f, from, to, s, true)
		want, ways := paths(from.Ports[0], to.Ports[0], s.Down, routing == ir.UpDown)
		require.EqualValues(t, ways, tr.Data.Ways)
		turns, err := f.Routes.Turns(c.Group, s)
		require.NoError(t, err)
		got := map[string]bool{}
		for i, h := range tr.Data.Hops {
			require.Equal(t, i == 0, h.Devices[0] == from)
			require.Equal(t, ways > 0 && i == len(tr.Data.Hops)-1, h.Devices[0] == to)
			for _, in := range h.In {
				for _, p := range in.Ports {
					got["in "+p.String()] = true
					for _, out := range h.Out {
						for _, q := range out.Ports {
							switches := p.Peer().Device().Switch != nil && q.Peer().Device().Switch != nil
							require.True(t, !switches || turns.Has(p, q), "%s -> %s", p, q)
						}
					}
				}
			}
			for _, out := range h.Out {
				for _, p := range out.Ports {
					got["out "+p.String()] = true
				}
			}
		}
		if ways > 0 {
			require.Equal(t, want, got)
			require.Equal(t, fmt.Sprint(spelled(tr.Data)), fmt.Sprint(spelled(between(t, f, from, to, s, true).Data)))
		} else {
			require.True(t, breaks(tr))
		}
	})
}

// paths enumerates every shortest path, or every shortest one that rises and then falls. It returns the ports and the number of paths.
func paths(from, to *ir.Port, down []*ir.Link, tiers bool) (ports map[string]bool, n int) {
	var found [][]*ir.Port
	var step func(path []*ir.Port, falling bool)
	step = func(path []*ir.Port, falling bool) {
		in := path[len(path)-1]
		if in == to {
			found = append(found, path)
			return
		}
		if in.Device().Switch == nil && len(path) > 1 {
			return
		}
		for _, out := range in.Device().Ports {
			next := out.Peer()
			visited := slices.ContainsFunc(path, func(p *ir.Port) bool { return p.Device() == next.Device() })
			up := next.Device().Height() > in.Device().Height()
			if visited || slices.Contains(down, out.Link()) || tiers && falling && up {
				continue
			}
			step(append(slices.Clone(path), out, next), falling || !up)
		}
	}
	step([]*ir.Port{from}, false)
	ports = map[string]bool{}
	if len(found) == 0 {
		return ports, 0
	}
	least := len(slices.MinFunc(found, func(a, b []*ir.Port) int { return len(a) - len(b) }))
	for _, path := range found {
		if len(path) > least {
			continue
		}
		n++
		for i, p := range path[1:] {
			ports[[]string{"out ", "in "}[i%2]+p.String()] = true
		}
	}
	return ports, n
}
