package change

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// partnersOf returns the names of the partners of a wave of one device.
func partnersOf(t *testing.T, f *ir.Fabric, name string, o ir.Outage) string {
	t.Helper()
	l, err := NewGraph(f).Living(Alive{})
	require.NoError(t, err)
	i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == name })
	waves, _ := l.Order([]*Task{{Device: f.Devices[i], Outage: o}}, Rules{})
	require.Len(t, waves, 1)
	var names []string
	for _, d := range waves[0].Partners {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

func TestPartners(t *testing.T) {
	t.Parallel()
	two := func() *irtest.Cabling { // two leaves with a host each, and one with a leg at both, below two spines
		c := irtest.New(ir.UpDown)
		for _, cable := range [][2]string{
			{"h1", "l1"}, {"h2", "l2"}, {"l1", "s1"}, {"l1", "s2"}, {"l2", "s1"}, {"l2", "s2"}, {"l3", "s1"}, {"l3", "s2"}, {"h3", "l3"},
		} {
			c.Link(cable[0], cable[1])
		}
		return c.Tier("l", 1).Tier("s", 2)
	}
	both := func() *irtest.Cabling {
		c := two()
		c.Link("h4", "l1")
		c.Link("h4", "l2")
		bonded(c, "h4")
		return c
	}
	planes := irtest.New(ir.ShortestPath) // each leaf is in its own plane, and two hosts have a leg in both
	for _, cable := range [][2]string{
		{"h1", "l0"}, {"h1", "l1"}, {"h2", "l2"}, {"h2", "l3"}, {"l0", "m1"}, {"l2", "m1"}, {"l1", "m0"}, {"l3", "m0"},
	} {
		planes.Link(cable[0], cable[1])
	}
	bonded(planes.Tier("l", 1).Tier("m", 2), "h1")
	bonded(planes, "h2")
	for _, c := range []struct {
		what, device string
		of           *irtest.Cabling
		outage       ir.Outage
		want         string
	}{
		{"a spine of two", "s1", two(), reset, "s2"},
		{"a leaf of single-homed hosts", "l1", two(), reset, ""},
		{"a leaf of a bonded host", "l1", both(), reset, "l2 s1 s2"},
		{"a leaf beside it", "l3", both(), reset, ""},
		{"a leaf of a plane, with the other plane at the other end", "l0", planes, reset, "l1 l2 l3 m0 m1"},
		{"no traffic stops", "s1", two(), ir.Outage{}, ""},
		{"a host", "h1", two(), reset, ""},
	} {
		assert.Equal(t, c.want, partnersOf(t, c.of.Fabric(), c.device, c.outage), c.what)
	}
	pair := two()
	pair.Device("l1").Switch.MLAG, pair.Device("l2").Switch.MLAG = "x", "x"
	assert.Equal(t, "l2", partnersOf(t, pair.Fabric(), "l1", reset), "the other switch of a pair")
}

// Two runs each take away a wave, and neither wave contains a partner of the other. Together the waves cut off only pairs of hosts that one
// of them announced. Without the rule for partners, this does not hold.
func TestPartnersSuffice(t *testing.T) {
	const least, most = 300, 3000 // fabrics
	fabrics, apart, needed := 0, 0, 0
	for fabrics < least || fabrics < most && (apart <= fabrics || needed <= 50) {
		rapid.Check(t, func(t *rapid.T) {
			fabrics++
			f := randomFabric(t)
			n := naive{f: f, down: map[*ir.Link]bool{}}
			var a Alive
			for _, l := range f.Links {
				if rapid.IntRange(1, 15).Draw(t, "fails") == 1 {
					n.down[l] = true
					a.Down = append(a.Down, l)
				}
			}
			l, err := NewGraph(f).Living(a)
			require.NoError(t, err)
			order := func() []*Wave {
				waves, _ := l.Order(tasksOf(f), Rules{
					MinCapacity: rapid.SampledFrom([]int{0, 1, 50}).Draw(t, "capacity"), Parallel: rapid.IntRange(1, 4).Draw(t, "parallel"),
				})
				return slices.DeleteFunc(waves, func(w *Wave) bool { return w.Stream })
			}
			all := addresses(f)
			ones, others := order(), order()
			for _, one := range ones {
				for _, other := range others {
					both, meets := naive{f: f, down: n.down, away: map[*ir.Device]bool{}}, false
					for _, w := range [][2]*Wave{{one, other}, {other, one}} {
						for _, task := range w[0].Tasks {
							both.away[task.Device] = true
							meets = meets || slices.Contains(w[1].Partners, task.Device) ||
								slices.ContainsFunc(w[1].Tasks, func(o *Task) bool { return o.Device == task.Device })
						}
					}
					before, cut := naive{f: f, down: n.down}, false
					for i, from := range all {
						for _, to := range all[i+1:] {
							x, y := from[0].Device(), to[0].Device()
							if before.talk(from, to) && !both.talk(from, to) && !announced(one, x, y) && !announced(other, x, y) {
								cut = true
								require.True(t, meets, "%s and %s cannot talk during %s and %s", x.Name, y.Name, draw([]*Wave{one}, nil),
									draw([]*Wave{other}, nil))
							}
						}
					}
					if !meets {
						apart++
					}
					if cut {
						needed++
					}
				}
			}
		})
	}
	require.Greater(t, apart, fabrics, "pairs of waves that are no partners")
	require.Greater(t, needed, 50, "pairs of waves that together cut hosts off")
}
