package change

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// randomFabric draws up to 4 leaves, 3 aggregation and 3 core switches with random cables. Hosts have one NIC, two, or a bond of two, and
// there is an MLAG pair.
func randomFabric(t *rapid.T) *ir.Fabric {
	draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
	c := irtest.New(rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.UpDown, ir.AnyPath}).Draw(t, "routing"))
	leaves, aggs, cores := draw("leaves", 1, 4), draw("aggs", 1, 3), draw("cores", 0, 3)
	join := func(lower string, n int, upper string, m, often int) {
		for i := range n {
			for j := range m {
				for range draw("cables", 0, often) {
					c.Link(fmt.Sprint(lower, i), fmt.Sprint(upper, j)).Speed.N = 100 * draw("speed", 1, 2)
				}
			}
		}
	}
	join("l", leaves, "m", aggs, 2)
	join("m", aggs, "n", cores, 1)
	for i := range draw("hosts", 2, 6) {
		h := fmt.Sprint("h", i)
		at := func() string { return fmt.Sprint("l", draw("at", 0, leaves-1)) }
		c.Link(h, at())
		switch draw("NICs", 0, 2) {
		case 1:
			c.Link(h, at())
		case 2:
			c.Link(h, at())
			bonded(c, h)
		}
	}
	for i := range leaves {
		c.Device(fmt.Sprint("l", i))
	}
	c.Tier("m", 2).Tier("n", 3)
	if leaves > 1 && rapid.Bool().Draw(t, "MLAG") {
		c.Device("l0").Switch.MLAG, c.Device("l1").Switch.MLAG = "x", "x"
	}
	return c.Fabric()
}

// naive is the oracle: a plain search over cables.
type naive struct {
	f    *ir.Fabric
	down map[*ir.Link]bool
	away map[*ir.Device]bool
}

// reaches reports whether traffic from one NIC's port gets to another's: up-down never rises after it fell.
func (n naive) reaches(from, to *ir.Port) bool {
	type stop struct {
		d     *ir.Device
		falls bool
	}
	open := func(p *ir.Port) bool { return !n.down[p.Link()] && !n.away[p.Peer().Device()] && !n.away[p.Device()] }
	if !open(from) || !open(to) {
		return false
	}
	seen := map[stop]bool{{from.Peer().Device(), false}: true}
	queue := []stop{{from.Peer().Device(), false}}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at.d == to.Peer().Device() {
			return true
		}
		for _, p := range at.d.Ports {
			next := stop{p.Peer().Device(), at.falls}
			if !open(p) || next.d.Host != nil {
				continue
			}
			if n.f.Routing == ir.UpDown {
				rise := next.d.Height() - at.d.Height()
				if rise == 0 || rise > 0 && at.falls {
					continue
				}
				next.falls = rise < 0
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// linked reports whether a host has a link that is up.
func (n naive) linked(h *ir.Device) bool {
	return slices.ContainsFunc(h.Ports, func(p *ir.Port) bool { return !n.down[p.Link()] && !n.away[p.Peer().Device()] })
}

// addresses returns, for each address of the fabric, the ports by which it can be reached: of a NIC, or of a bond.
func addresses(f *ir.Fabric) [][]*ir.Port {
	var out [][]*ir.Port
	for _, d := range f.Devices {
		if d.Host == nil {
			continue
		}
		var bond []*ir.Port
		for _, n := range d.Host.NICs {
			if n.Bond != nil {
				bond = append(bond, n.Port)
			} else {
				out = append(out, []*ir.Port{n.Port})
			}
		}
		if bond != nil {
			out = append(out, bond)
		}
	}
	return out
}

func (n naive) talk(a, b []*ir.Port) bool {
	return slices.ContainsFunc(a, func(from *ir.Port) bool {
		return slices.ContainsFunc(b, func(to *ir.Port) bool { return n.reaches(from, to) })
	})
}

// announced reports whether a wave announces that two hosts cannot communicate during it.
func announced(w *Wave, a, b *ir.Device) bool {
	dark := slices.Concat(w.Dark, w.Reduced)
	return slices.Contains(dark, a) || slices.Contains(dark, b) || slices.ContainsFunc(w.Cut, func(c Cut) bool {
		return slices.Contains(c.Hosts, a) && slices.Contains(c.From, b) || slices.Contains(c.Hosts, b) && slices.Contains(c.From, a)
	})
}

// The test draws 300 random fabrics with random failures before the run and before every wave, and undoes each run from a random wave. A
// plain search finds that allowed waves cut off only pairs of hosts that the plan announced, in both directions.
func TestNobodyIsCutOffUnannounced(t *testing.T) {
	const least, most = 300, 3000 // fabrics
	fabrics, waves, stopped, undone, bound := 0, 0, 0, 0, 0
	for fabrics < least || fabrics < most && (waves <= fabrics || undone <= fabrics/2 || stopped <= 10) {
		rapid.Check(t, func(t *rapid.T) {
			fabrics++
			f := randomFabric(t)
			g := NewGraph(f)
			n := naive{f: f, down: map[*ir.Link]bool{}}
			var a Alive
			fail := func(of int) {
				for _, l := range f.Links {
					if !n.down[l] && rapid.IntRange(1, of).Draw(t, "fails") == 1 {
						n.down[l] = true
						a.Down = append(a.Down, l)
					}
				}
			}
			fail(12)
			rules := Rules{
				MinCapacity: rapid.SampledFrom([]int{0, 1, 50, 80}).Draw(t, "capacity"), MaxDark: rapid.IntRange(0, 4).Draw(t, "dark"),
				Parallel: rapid.IntRange(1, 4).Draw(t, "parallel"), Canary: rapid.Bool().Draw(t, "canary"),
			}
			l, err := g.Living(a)
			require.NoError(t, err)
			tasks := tasksOf(f)
			plan, refused := l.Order(tasks, rules)
			done := map[*Task]bool{}
			for _, w := range plan {
				for _, task := range w.Tasks {
					require.False(t, done[task])
					done[task] = true
				}
			}
			for _, r := range refused {
				require.False(t, done[r.Task])
				done[r.Task] = true
			}
			require.Len(t, done, len(tasks), "every task is in one wave, or refused")

			all := addresses(f)
			check := func(w *Wave) {
				before := naive{f: f, down: n.down}
				during := naive{f: f, down: n.down, away: map[*ir.Device]bool{}}
				for _, task := range w.Tasks {
					during.away[task.Device] = task.Device.Switch != nil
				}
				for i, from := range all {
					for _, to := range all[i+1:] {
						x, y := from[0].Device(), to[0].Device()
						if before.talk(from, to) && !during.talk(from, to) && !announced(w, x, y) {
							t.Fatalf("%s and %s cannot talk during %s", x.Name, y.Name, draw([]*Wave{w}, nil))
						}
					}
				}
				dark, changed := 0, 0 // hosts whose last link goes down, and hosts that are changed
				for _, h := range f.Devices {
					switch {
					case h.Forwards():
					case slices.ContainsFunc(w.Tasks, func(t *Task) bool { return t.Device == h }):
						changed++
					case before.linked(h) && !during.linked(h):
						dark++
					}
				}
				if w.Stream {
					changed = min(changed, rules.Parallel)
				}
				bounded := rules.MaxDark > 0 && dark+changed > 0
				require.False(t, bounded && dark+changed > rules.MaxDark, "too many hosts are dark during %s", draw([]*Wave{w}, nil))
				if bounded {
					bound++
				}
				pairs := map[string]bool{}
				for _, task := range w.Tasks {
					if s := task.Device.Switch; s != nil && s.MLAG != "" {
						require.False(t, pairs[s.MLAG], "both switches of a pair")
						pairs[s.MLAG] = true
					}
				}
			}
			until := rapid.IntRange(0, len(plan)).Draw(t, "undone from")
			at := 0
			for ; at < until; at++ {
				fail(60)
				if l, err = g.Living(a); err != nil {
					t.Fatal(err)
				}
				if l.Check(plan[at], rules) != nil {
					stopped++
					break
				}
				check(plan[at])
				waves++
			}
			for _, w := range slices.Backward(plan[:at]) { // undo, in the reverse order
				fail(60)
				if l, err = g.Living(a); err != nil {
					t.Fatal(err)
				}
				if l.Check(w, rules) == nil {
					check(w)
					undone++
				}
			}
		})
	}
	require.Greater(t, waves, fabrics, "enough waves were checked")
	require.Greater(t, undone, fabrics/2)
	require.Greater(t, bound, fabrics/3, "enough waves had dark hosts within the limit")
	require.Greater(t, stopped, 10, "enough runs were stopped by failures")
}

// The same fabric gets the same waves.
func TestOrderIsTheSameEveryTime(t *testing.T) {
	f := irtest.Clos(ir.UpDown, 3, 4, 2, 2, 2).Fabric()
	text := func() string {
		l, err := NewGraph(f).Living(Alive{Down: f.Links[:3]})
		require.NoError(t, err)
		return draw(l.Order(tasksOf(f), Rules{MinCapacity: 50, Parallel: 3, MaxDark: 5}))
	}
	first := text()
	for range 3 {
		require.Equal(t, first, text())
	}
}
