package routes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// tabled gives the fabric a table in which every host is a target. In routes, "R0:R2=R1,R3" means that R0 sends traffic for the host on R2
// to R1 and R3.
func tabled(c *irtest.Cabling, routes string) *ir.Fabric {
	f := routed(c)
	t := &ir.Table{Hops: make([][]ir.Entry, len(f.Devices)), Ports: make([][][]*ir.Port, len(f.Devices))}
	target := map[string]int{}
	for _, d := range f.Devices {
		if d.Host != nil {
			target[d.Ports[0].Peer().Device().Name] = len(t.Targets)
			t.Targets = append(t.Targets, &ir.Target{NICs: d.Host.NICs})
		}
	}
	for _, d := range f.Devices {
		if d.Switch != nil {
			t.Hops[d.ID] = make([]ir.Entry, len(t.Targets))
		}
	}
	for route := range strings.FieldsSeq(routes) {
		name, rest, _ := strings.Cut(route, ":")
		to, hops, _ := strings.Cut(rest, "=")
		d := c.Device(name)
		var ports []*ir.Port
		for hop := range strings.SplitSeq(hops, ",") {
			l := c.Between(name, hop)
			if l.A().Device() == d {
				ports = append(ports, l.A())
			} else {
				ports = append(ports, l.B())
			}
		}
		t.Hops[d.ID][target[to]] = ir.NewEntry(len(t.Ports[d.ID]), to == name)
		t.Ports[d.ID] = append(t.Ports[d.ID], ports)
	}
	f.Table = t
	return f
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name         string
		cabling      *irtest.Cabling
		routes       string
		circular     bool
		nodes, edges int
	}{
		{
			"T05 a ring, in both directions", irtest.Ring(ir.TablePath, 4),
			"R0:R1=R1 R0:R3=R3 R0:R2=R1,R3 R1:R2=R2 R1:R0=R0 R1:R3=R0,R2 R2:R3=R3 R2:R1=R1 R2:R0=R1,R3 R3:R0=R0 R3:R2=R2 R3:R1=R0,R2", true, 8, 8,
		},
		{
			"a ring, opposite corners over R1 and R0 only", irtest.Ring(ir.TablePath, 4),
			"R0:R1=R1 R0:R3=R3 R0:R2=R1 R1:R2=R2 R1:R0=R0 R1:R3=R0 R2:R3=R3 R2:R1=R1 R2:R0=R1 R3:R0=R0 R3:R2=R2 R3:R1=R0", false, 6, 4,
		},
		{"T45 a routing loop", irtest.New(ir.TablePath).Links("A-B B-C").Hosts("A", "B", "C"), "A:C=B B:C=A", true, 2, 2},
		{"T41 delivered at its switch", irtest.Ring(ir.TablePath, 4), "R0:R1=R1 R1:R2=R2", false, 0, 0},
		{
			"T42 sent away by its own switch", irtest.New(ir.TablePath).Links("U-T L-T").Hosts("U", "L"), "U:U=T T:U=L L:U=T U:L=T T:L=U L:L=T",
			true, 4, 4,
		},
		{"no routes", irtest.Ring(ir.TablePath, 4), "", false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := tabled(c.cabling, c.routes)
			turns := turnsIn(t, f, ir.State{})
			nodes, edges := size(f, turns)
			assert.Equal(t, [2]int{c.nodes, c.edges}, [2]int{nodes, edges}, "%v", turnsOf(f, turns))
			assert.Equal(t, c.circular, circular(f, turns))
			assert.Empty(t, turns.Mixed)
		})
	}
	f := routed(irtest.Ring(ir.TablePath, 4))
	_, err := f.Routes.Turns(f.CosGroups[0], ir.State{})
	require.Equal(t, &ir.RoutingError{Code: ir.NoTable, Routing: ir.TablePath}, err)
}

// With links down, only the next hops over them disappear.
func TestTablesAndFailures(t *testing.T) {
	c := irtest.Ring(ir.TablePath, 4)
	f := tabled(c, "R0:R2=R1,R3 R1:R2=R2 R3:R2=R2")
	in := func(a, b string) *ir.Port {
		l := c.Between(a, b)
		if l.A().Device().Name == b {
			return l.A()
		}
		return l.B()
	}
	whole := turnsIn(t, f, ir.State{})
	assert.True(t, whole.Has(in("R0", "R1"), in("R2", "R1")))
	assert.True(t, whole.Has(in("R0", "R3"), in("R2", "R3")))
	for _, converging := range []bool{false, true} {
		less := turnsIn(t, f, ir.State{Down: c.Cables("R0-R1"), Converging: converging})
		assert.False(t, less.Has(in("R0", "R1"), in("R2", "R1")))
		assert.True(t, less.Has(in("R0", "R3"), in("R2", "R3")))
	}
	host := c.Cables(c.HostOf("R2") + "-R2")
	assert.Equal(t, turnsOf(f, whole), turnsOf(f, turnsIn(t, f, ir.State{Down: host})), "traffic for a disconnected host still arrives")
	cuts, err := f.Routes.Cuts(f.CosGroups, nil, 2, nil, nil)
	require.NoError(t, err)
	assert.Empty(t, cuts, "no failure adds a turn")
}

// Traffic that comes down and goes up again changes into the bounce group.
func TestTableAndBounce(t *testing.T) {
	c := irtest.LeafSpine(ir.TablePath, 3, 2).Bounce() // L0 to L2 over L1
	f := tabled(c, "L0:L2=S0 S0:L2=L1 L1:L2=S1 S1:L2=L2")
	turns := turnsIn(t, f, ir.State{})
	assert.Len(t, turnsOf(f, turns), 2, "at S0, and at S1 for traffic that L1 sends")
	require.NotNil(t, turns.Bounced)
	in, out := c.Between("L1", "S0").A(), c.Between("L1", "S1").A()
	assert.True(t, (&ir.Turns{Rows: turns.Bounced}).Has(in, out))
}

// The turns equal those found by following every pair through a random table.
func TestTablesAgreeWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomSwitches(t, ir.TablePath)
		f := tabled(c, "")
		for _, d := range f.Devices {
			if d.Switch == nil {
				continue
			}
			for i, n := range f.Table.Targets {
				if rapid.IntRange(0, 4).Draw(t, "entry") == 0 {
					continue
				}
				var ports []*ir.Port
				for _, p := range d.Ports {
					if (p.Peer().Device().Switch != nil || p.Peer().NIC == n.NICs[0]) && rapid.Bool().Draw(t, fmt.Sprint("port ", p)) {
						ports = append(ports, p)
					}
				}
				f.Table.Hops[d.ID][i] = ir.NewEntry(len(f.Table.Ports[d.ID]), rapid.Bool().Draw(t, "exact"))
				f.Table.Ports[d.ID] = append(f.Table.Ports[d.ID], ports)
			}
		}
		s := ir.State{Down: failurestest.Down(t, f, 3)}
		turns := turnsIn(t, f, s)
		want := map[ir.Turn]bool{}
		for i, n := range f.Table.Targets {
			seen := map[*ir.Port]bool{}
			home := n.NICs[0].Port.Peer().Device()
			var arrive func(in *ir.Port)
			arrive = func(in *ir.Port) {
				if seen[in] || in.Device().Host != nil {
					return
				}
				seen[in] = true
				hop := f.Table.Hops[in.Device().ID][i]
				if hop == 0 || in.Device() == home && hop&1 == 0 {
					return
				}
				for _, p := range f.Table.Ports[in.Device().ID][hop>>1-1] {
					if !up(s.Down, p) {
						continue
					}
					if turn := (ir.Turn{In: in, Out: p}); turnBetween(turn, c.Group) {
						want[turn] = true
					}
					arrive(p.Peer())
				}
			}
			for _, m := range f.Intents[0].Members {
				if p := m.NIC.Port; m.NIC != n.NICs[0] && up(s.Down, p) {
					arrive(p.Peer())
				}
			}
		}
		require.Equal(t, want, turnsOf(f, turns))
		requireFlows(t, f, c.Group, turns, s.Down)
	})
}
