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

// placesOf returns the devices where traffic begins and ends: those with attached hosts.
func placesOf(f *ir.Fabric) Places {
	var p Places
	for _, d := range f.Devices {
		hangs := func(q *ir.Port) bool { return q.Peer().Device().Host != nil && !q.Peer().Device().Forwards() }
		if d.Forwards() && (d.Host != nil || slices.ContainsFunc(d.Ports, hangs)) {
			p.Devices = append(p.Devices, d)
		}
	}
	return p
}

// naiveWidths sums, for every two places, the speeds of the cables that leave the first one towards the second on a shortest allowed
// path. It lists every path.
func naiveWidths(f *ir.Fabric, p Places, down []bool) map[[2]*ir.Device]int32 {
	out := map[[2]*ir.Device]int32{}
	for _, from := range p.Devices {
		for _, to := range p.Devices {
			if from == to {
				continue
			}
			best := 1 << 30
			firsts := map[*ir.Port]bool{}
			var walk func(at *ir.Device, path []*ir.Port, seen []*ir.Device)
			walk = func(at *ir.Device, path []*ir.Port, seen []*ir.Device) {
				if at == to {
					if len(path) < best {
						best = len(path)
						clear(firsts)
					}
					if len(path) == best {
						firsts[path[0]] = true
					}
					return
				}
				for _, q := range at.Ports {
					next := q.Peer().Device()
					if down[q.Link().ID] || !next.Forwards() || slices.Contains(seen, next) || p.Bridged && q.Link().Routed {
						continue
					}
					way := append(slices.Clone(path), q)
					if f.Routing == ir.UpDown && !risesThenFalls(way) {
						continue
					}
					walk(next, way, append(slices.Clone(seen), next))
				}
			}
			walk(from, nil, []*ir.Device{from})
			for q := range firsts {
				out[[2]*ir.Device{from, to}] += int32(max(q.Link().Speed.N, 1))
			}
		}
	}
	return out
}

// risesThenFalls reports whether a path rises, takes at most one peer step, and falls.
func risesThenFalls(path []*ir.Port) bool {
	falls := false
	for _, q := range path {
		rise := q.Peer().Device().Height() - q.Device().Height()
		switch {
		case falls && rise >= 0, rise == 0 && !q.Link().Peer:
			return false
		case rise <= 0:
			falls = true
		}
	}
	return true
}

// In every state, widths equal those of a walk along every path, and an overwritten result equals a new one.
func TestWidthsAgreeWithEveryPath(t *testing.T) {
	for _, routing := range []ir.Routing{ir.ShortestPath, ir.UpDown, ir.AnyPath} {
		t.Run(string(routing), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := routed(randomCabling(t, routing))
				for _, l := range f.Links {
					l.Speed.N = rapid.IntRange(1, 3).Draw(t, "speed")
				}
				p := placesOf(f)
				p.Bridged = rapid.Bool().Draw(t, "bridged")
				r := f.Routes.(*Router)
				var w *Widths
				for range 2 {
					down := make([]bool, len(f.Links))
					for i := range down {
						down[i] = rapid.IntRange(1, 4).Draw(t, "down") == 1
					}
					var err error
					w, err = r.Widths(p, down, w)
					require.NoError(t, err)
					want := naiveWidths(f, p, down)
					for _, from := range p.Devices {
						for i, speed := range w.From(from) {
							if got := want[[2]*ir.Device{from, p.Devices[i]}]; got != speed {
								t.Fatalf("%s to %s: %d, but the sum over every path is %d", from.Name, p.Devices[i].Name, speed, got)
							}
						}
					}
				}
			})
		})
	}
}

// Only devices on the way of traffic count, with the links that traffic uses.
func TestWidthsOnTheWay(t *testing.T) {
	f := routed(irtest.New(ir.ShortestPath).Links("a-s a-s s-b a-t t-b h1-a h2-b s-x").Tier("s", 2).Tier("t", 2))
	p := placesOf(f)
	down := make([]bool, len(f.Links))
	w, err := f.Routes.(*Router).Widths(p, down, nil)
	require.NoError(t, err)
	of := func(name string) []int32 {
		i := slices.IndexFunc(w.Stops, func(d *ir.Device) bool { return d.Name == name })
		return w.At(i)
	}
	assert.Equal(t, []int32{0, 3}, of("a"), "two cables to s and one to t")
	assert.Equal(t, []int32{2, 1}, of("s"))
	assert.Equal(t, []int32{1, 1}, of("t"))
	assert.Equal(t, []int32{0, 0}, of("x"), "nobody's traffic passes")
	for _, d := range f.Devices {
		assert.Equal(t, d.Name == "s" || d.Name == "t", w.Transit[d.ID], d.Name)
	}
}

// Under eBGP with shared AS numbers, paths that the loop check refuses do not count.
func TestWidthsByEBGP(t *testing.T) {
	c := irtest.LeafSpine(ir.EBGP, 3, 2).UniqueASNs().ASN("S", 65000)
	f := routed(c)
	down := make([]bool, len(f.Links))
	width := func(from, to string) int32 {
		p := placesOf(f)
		w, err := f.Routes.(*Router).Widths(p, down, nil)
		require.NoError(t, err)
		return w.From(c.Device(from))[slices.Index(p.Devices, c.Device(to))]
	}
	assert.EqualValues(t, 2, width("L0", "L1"))
	down[c.Between("L0", "S0").ID] = true
	assert.EqualValues(t, 1, width("L0", "L1"))
	assert.EqualValues(t, 1, width("L1", "L0"))
	down[c.Between("L1", "S1").ID] = true
	assert.Zero(t, width("L0", "L1"), "S1, L2, S0 would pass one AS twice")
}

// Places that differ only by names are followed once, with the same result as following each.
func TestWidthsOfTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomClos(t, ir.EBGP)
		f := routed(c)
		r := f.Routes.(*Router)
		p := placesOf(f)
		down := make([]bool, len(f.Links))
		for i := range down {
			down[i] = rapid.IntRange(1, 12).Draw(t, "down") == 1
		}
		v := r.net()
		one, err := v.singly(false, down)
		require.NoError(t, err)
		require.NotNil(t, one, "an AS number is shared")
		places := make([]int32, len(p.Devices))
		for i, d := range p.Devices {
			places[i] = v.VertexOf[d.ID]
		}
		got, want := v.newWidths(p), v.newWidths(p)
		require.NoError(t, one.widths(got, places))
		one.twin = func(int32) bool { return false }
		require.NoError(t, one.widths(want, places))
		assert.Equal(t, want.mbps, got.mbps)
		assert.Equal(t, want.Transit, got.Transit)
	})
}

func TestWidthsOnASpanningTree(t *testing.T) {
	c := irtest.New(ir.SpanningTree).Links("a-b b-c c-a h1-a h2-b h3-c")
	for _, l := range c.F.Links {
		l.Routed = false
	}
	f := routed(c)
	p := placesOf(f)
	w, err := f.Routes.(*Router).Widths(p, make([]bool, len(f.Links)), nil)
	require.NoError(t, err)
	for _, d := range p.Devices {
		want := []int32{1, 1, 1}
		want[slices.Index(p.Devices, d)] = 0
		assert.Equal(t, want, w.From(d)[:3], d.Name)
	}
}

// BenchmarkWidths measures one state of a Clos fabric of 1,408 switches with the AS numbers of RFC 7938.
func BenchmarkWidths(b *testing.B) {
	for _, routing := range []ir.Routing{ir.ShortestPath, ir.UpDown, ir.EBGP} {
		b.Run(string(routing), func(b *testing.B) {
			f := routed(irtest.Clos(routing, 32, 32, 8, 16, 1))
			p := placesOf(f)
			down := make([]bool, len(f.Links))
			var w *Widths
			for b.Loop() {
				var err error
				if w, err = f.Routes.(*Router).Widths(p, down, w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
