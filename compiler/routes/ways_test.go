package routes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

func trip(p pair) ir.Trip { return ir.Trip{Group: p.group, Bridged: p.bridged, From: p.src, To: p.dst} }

// cables returns the out-ports of every leg between two devices that forward.
func cables(w *ir.Ways) map[*ir.Port]bool {
	out := map[*ir.Port]bool{}
	for _, s := range w.Stops {
		for _, l := range s.Next {
			if l.Out.Device().Forwards() && l.Out.Peer().Device().Forwards() {
				out[l.Out] = true
			}
		}
	}
	return out
}

// wellFormed checks a graph of stops: legs match their cables, Far and Left are the smallest numbers of cables, and stops are sorted.
func wellFormed(t require.TestingT, trip ir.Trip, w *ir.Ways) {
	require.Equal(t, trip.From[0].Device(), w.Stops[0].Device)
	require.Nil(t, w.Stops[0].In)
	for i, s := range w.Stops {
		require.Equal(t, i == 0, s.In == nil)
		require.True(t, i < 2 || w.Stops[i-1].Far <= s.Far)
		left := -1
		for _, l := range s.Next {
			to := w.Stops[l.Stop]
			require.Equal(t, s.Device, l.Out.Device())
			require.Equal(t, l.Out.Peer(), to.In)
			require.Equal(t, l.Group, to.Group)
			require.LessOrEqual(t, to.Far, s.Far+1)
			if to.Left >= 0 && (left < 0 || to.Left+1 < left) {
				left = to.Left + 1
			}
		}
		if s.Device == trip.To[0].Device() && len(s.Next) == 0 && (i > 0 || s.Device.Forwards()) {
			left = 0
		}
		require.Equal(t, left, s.Left)
	}
}

// TestWaysAgainstPaths compares the cables of every pair's ways with an enumeration of its paths.
func TestWaysAgainstPaths(t *testing.T) {
	for _, r := range []ir.Routing{ir.ShortestPath, ir.UpDown} {
		t.Run(string(r), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := randomCabling(t, r)
				if rapid.Bool().Draw(t, "bounces") {
					c.Bounce()
				}
				f := c.Fabric()
				randomIntents(t, f)
				o := &oracle{f: f, routing: r}
				for range rapid.IntRange(0, 2).Draw(t, "failures") {
					o.down = append(o.down, rapid.SampledFrom(f.Links).Draw(t, "down"))
				}
				router := New(f)
				for _, p := range o.pairs() {
					got, err := router.Ways(trip(p), ir.State{Down: o.down})
					if err != nil {
						require.Equal(t, router.views[p.group]().notTiered, err)
						return
					}
					wellFormed(t, trip(p), got)
					want := map[*ir.Port]bool{}
					for _, src := range o.places(p.src, true) {
						paths := o.paths(p, src)
						if len(paths) == 0 {
							continue
						}
						least := len(slices.MinFunc(paths, func(a, b []*ir.Port) int { return len(a) - len(b) }))
						for _, path := range paths {
							for i := 0; i < len(path) && len(path) == least; i += 2 {
								want[path[i]] = true
							}
						}
					}
					require.Equal(t, ports(want), ports(cables(got)), "%s to %s", p.src, p.dst)
				}
			})
		})
	}
}

func ports(set map[*ir.Port]bool) []string {
	var out []string
	for p := range set {
		out = append(out, p.String())
	}
	slices.Sort(out)
	return out
}

// TestWaysMakeTheTurns: the turns of all pairs' ways are the turns of the group. Under up-down the group may have more turns, because it
// includes longer paths.
func TestWaysMakeTheTurns(t *testing.T) {
	for _, r := range []ir.Routing{ir.ShortestPath, ir.UpDown, ir.EBGP, ir.SpanningTree} {
		t.Run(string(r), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := randomCabling(t, r)
				for _, l := range c.F.Links {
					l.Routed = r == ir.EBGP || r != ir.SpanningTree && l.Routed
				}
				for _, d := range c.F.Devices {
					if d.Switch != nil {
						d.Switch.ASN = rapid.IntRange(1, 4).Draw(t, "asn")
					}
				}
				f := c.Fabric()
				s := ir.State{}
				for range rapid.IntRange(0, 2).Draw(t, "failures") {
					s.Down = append(s.Down, rapid.SampledFrom(f.Links).Draw(t, "down"))
				}
				sameTurns(t, f, c.Group, s, r == ir.UpDown)
			})
		})
	}
}

// sameTurns compares the turns of the ways of all pairs with those of the group; if some is set, the ways may have fewer turns.
func sameTurns(t require.TestingT, f *ir.Fabric, g *ir.CosGroup, s ir.State, some bool) {
	router := New(f)
	turns, err := router.Turns(g, s)
	o := &oracle{f: f}
	union := &ir.Turns{Rows: make([][]uint64, len(f.Ports))}
	for _, p := range o.pairs() {
		w, wayErr := router.Ways(trip(p), s)
		if err != nil {
			require.Error(t, wayErr)
			return
		}
		if wayErr != nil { // eBGP and RoCEv1 over a ring: not possible for all
			require.NoError(t, err)
		}
		require.NoError(t, wayErr)
		wellFormed(t, trip(p), w)
		for _, at := range w.Stops {
			for _, l := range at.Next {
				if in, out := at.In, l.Out; in != nil && in.Peer().Device().Forwards() && out.Peer().Device().Forwards() &&
					router.views[g]().Lossless[in.Link().ID] && router.views[g]().Lossless[out.Link().ID] {
					union.Add(in, out)
					require.True(t, turns.Has(in, out), "%s to %s: %s -> %s is not a turn", p.src, p.dst, in, out)
				}
			}
		}
	}
	if !some {
		require.Empty(t, differ(f, turnsOf(f, turns), turnsOf(f, union)))
	}
}

func TestWaysOfTables(t *testing.T) {
	c := irtest.Ring(ir.TablePath, 4)
	f := tabled(c, "R0:R1=R1 R0:R3=R3 R0:R2=R1 R1:R2=R2 R1:R0=R0 R1:R3=R0 R2:R3=R3 R2:R1=R1 R2:R0=R1 R3:R0=R0 R3:R2=R2 R3:R1=R0")
	sameTurns(t, f, c.Group, ir.State{}, false)

	t.Run("dead end", func(t *testing.T) {
		c := irtest.Ring(ir.TablePath, 4)
		w := waysOf(t, tabled(c, "R0:R2=R1,R3 R1:R2=R2"), c, "R0", "R2", ir.State{})
		for _, s := range w.Stops {
			assert.Equal(t, s.Device.Name == "R3", s.Left < 0 && len(s.Next) == 0, s.Device.Name)
		}
	})
	t.Run("loop", func(t *testing.T) {
		c := irtest.New(ir.TablePath).Links("A-B B-C").Hosts("A", "B", "C")
		w := waysOf(t, tabled(c, "A:C=B B:C=A"), c, "A", "C", ir.State{})
		for _, s := range w.Stops {
			assert.Equal(t, -1, s.Left, s.Device.Name)
		}
		assert.Len(t, w.Stops, 4) // hA; A from hA; B from A; A from B
	})
	t.Run("down", func(t *testing.T) {
		c := irtest.Ring(ir.TablePath, 4)
		f := tabled(c, "R0:R2=R1,R3 R1:R2=R2 R3:R2=R2")
		w := waysOf(t, f, c, "R0", "R2", ir.State{Down: []*ir.Link{c.Between("R0", "R1")}})
		assert.Equal(t, []string{"R0:p1", "R3:p0"}, ports(cables(w)))
	})
}

func waysOf(t *testing.T, f *ir.Fabric, c *irtest.Cabling, from, to string, s ir.State) *ir.Ways {
	t.Helper()
	port := func(name string) []*ir.Port { return c.Device(c.HostOf(name)).Ports[:1] }
	w, err := f.Routes.Ways(ir.Trip{Group: c.Group, From: port(from), To: port(to)}, s)
	require.NoError(t, err)
	return w
}

func TestWays(t *testing.T) {
	t.Run("every path is possible", func(t *testing.T) {
		for _, r := range []ir.Routing{ir.AnyPath, ir.Flooding} {
			c := irtest.Ring(r, 4)
			for _, l := range c.F.Links {
				l.Routed = false
			}
			w := waysOf(t, routed(c), c, "R0", "R2", ir.State{})
			assert.True(t, w.Every)
			assert.Len(t, cables(w), 4) // in both directions, which are equally long
		}
	})
	t.Run("a bounce changes the group", func(t *testing.T) {
		c := irtest.LeafSpine(ir.ShortestPath, 2, 2).Hosts("S0", "S1").Bounce()
		f := routed(c)
		w := waysOf(t, f, c, "S0", "S1", ir.State{})
		changed := 0
		for _, s := range w.Stops {
			for _, l := range s.Next {
				if s.Group == c.Group && l.Group == c.Group.Bounce {
					changed++
					assert.Equal(t, 1, s.Device.Switch.Tier)
				}
			}
		}
		assert.Equal(t, 2, changed)
	})
	t.Run("no group at all", func(t *testing.T) {
		c := irtest.LeafSpine(ir.ShortestPath, 2, 2)
		f := routed(c)
		w, err := f.Routes.Ways(ir.Trip{From: c.Device(c.HostOf("L0")).Ports, To: c.Device(c.HostOf("L1")).Ports}, ir.State{})
		require.NoError(t, err)
		assert.Len(t, cables(w), 4)
		assert.Nil(t, w.Stops[1].Group)
	})
	t.Run("cut off", func(t *testing.T) {
		c := irtest.LeafSpine(ir.ShortestPath, 2, 2)
		f := routed(c)
		for _, h := range []string{"L0", "L1"} {
			w := waysOf(t, f, c, "L0", "L1", ir.State{Down: []*ir.Link{c.Device(c.HostOf(h)).Ports[0].Link()}})
			assert.Equal(t, -1, w.Stops[0].Left)
		}
	})
	t.Run("over budget", func(t *testing.T) {
		c := irtest.LeafSpine(ir.ShortestPath, 2, 2)
		f := routed(c)
		ports := c.Device(c.HostOf("L0")).Ports
		_, err := f.Routes.Ways(ir.Trip{Group: c.Group, From: ports, To: ports}, ir.State{Budget: ir.NewBudget(1)})
		require.ErrorIs(t, err, ir.ErrBudget)
	})
}
