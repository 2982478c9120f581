package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate/walk"
)

// expects returns for each port whether pauses of the group are expected there.
func expects(f *ir.Fabric, g *ir.CosGroup) map[string]bool {
	f.Routes = routes.New(f)
	p, out := NewPauses(f, nil), map[string]bool{}
	for _, port := range f.Ports {
		out[port.Device().Name+"-"+port.Peer().Device().Name] = p.Expected(port, g)
	}
	return out
}

// Ports to hosts expect no pauses. Ports between switches expect them where traffic leaves that the other switch forwards to a host or to
// another switch. A host that sends nothing expects none.
func TestPauses(t *testing.T) {
	type want = map[string]bool
	for name, tc := range map[string]struct {
		cables  *irtest.Cabling
		prepare func(c *irtest.Cabling, f *ir.Fabric)
		want    want
	}{
		"two leaves and a spine": {
			cables: irtest.LeafSpine(ir.UpDown, 2, 1),
			want: want{
				"L0-S0": true, "S0-L0": true, "L1-S0": true, "S0-L1": true,
				"L0-hL0x2": false, "hL0x2-L0": true, "L1-hL1x3": false, "hL1x3-L1": true,
			},
		},
		"a leaf without hosts": {
			cables: irtest.New(ir.UpDown).Links("L0-S0 L1-S0 L2-S0").Hosts("L0", "L1").Tier("S", 2),
			want: want{
				"L0-S0": true, "S0-L0": true, "L1-S0": true, "S0-L1": true, "L2-S0": false, "S0-L2": false,
				"L0-hL0x3": false, "hL0x3-L0": true, "L1-hL1x4": false, "hL1x4-L1": true,
			},
		},
		"two switches alone": {
			cables: irtest.New(ir.ShortestPath).Links("A0-A1").Hosts("A0", "A1"),
			want:   want{"A0-A1": true, "A1-A0": true, "A0-hA0x1": false, "hA0x1-A0": true, "A1-hA1x2": false, "hA1x2-A1": true},
		},
		"a spanning tree leaves one cable of a ring out": {
			cables: irtest.Ring(ir.SpanningTree, 3),
			prepare: func(c *irtest.Cabling, f *ir.Fabric) {
				for _, l := range f.Links {
					l.Routed = false
				}
				f.Root = c.Device("R0")
			},
			want: want{
				"R0-R1": true, "R1-R0": true, "R2-R0": true, "R0-R2": true, "R1-R2": true, "R2-R1": true, // members are at both ends
				"R0-hR0x3": false, "hR0x3-R0": true, "R1-hR1x4": false, "hR1x4-R1": true, "R2-hR2x5": false, "hR2x5-R2": true,
			},
		},
		"a host that is no member": {
			cables: irtest.New(ir.ShortestPath).Links("A0-A1").Hosts("A0", "A1"),
			prepare: func(c *irtest.Cabling, f *ir.Fabric) {
				f.Intents[0].Members = f.Intents[0].Members[:1]
				c.Device("hA1x2").Host.NICs[0].Intents = nil
			},
			want: want{"A0-A1": false, "A1-A0": false, "A0-hA0x1": false, "hA0x1-A0": true, "A1-hA1x2": false, "hA1x2-A1": false},
		},
		"a routing that cannot be followed rules out only hosts": {
			cables: irtest.New("").Links("L0-L2 L0-L1 L1-L2").Hosts("L0", "L1"),
			want: want{
				"L0-L2": true, "L2-L0": true, "L0-L1": true, "L1-L0": true, "L1-L2": true, "L2-L1": true,
				"L0-hL0x3": false, "hL0x3-L0": true, "L1-hL1x4": false, "hL1x4-L1": true,
			},
		},
		"a planned cable is not ruled out": {
			cables:  irtest.New(ir.UpDown).Links("L0-S0 L1-S0 L2-S0").Hosts("L0", "L1").Tier("S", 2),
			prepare: func(c *irtest.Cabling, _ *ir.Fabric) { c.Between("L2", "S0").Planned = true },
			want: want{
				"L0-S0": true, "S0-L0": true, "L1-S0": true, "S0-L1": true, "L2-S0": true, "S0-L2": true,
				"L0-hL0x3": false, "hL0x3-L0": true, "L1-hL1x4": false, "hL1x4-L1": true,
			},
		},
	} {
		f := tc.cables.Fabric()
		if tc.prepare != nil {
			tc.prepare(tc.cables, f)
		}
		require.Equal(t, tc.want, expects(f, tc.cables.Group), name)
	}
}

// Without a budget no port between switches is ruled out, and a group that is not lossless has no pauses.
func TestPausesUnknown(t *testing.T) {
	c := irtest.New(ir.UpDown).Links("L0-S0 L1-S0 L2-S0").Hosts("L0", "L1").Tier("S", 2)
	f := c.Fabric()
	f.Routes = routes.New(f)
	idle := c.Between("L2", "S0").A()
	require.False(t, NewPauses(f, ir.NewBudget(1<<30)).Expected(idle, c.Group))
	require.True(t, NewPauses(f, ir.NewBudget(0)).Expected(idle, c.Group))
	require.False(t, NewPauses(f, nil).Expected(idle, &ir.CosGroup{Name: "other"}))
	f.Routes = nil
	require.True(t, NewPauses(f, nil).Expected(idle, c.Group))
}

// Traffic that comes down and goes up again bounces into another group at L1. The bounced group is paused after L1, and the first group
// before L1.
func TestPausesOfBouncedTraffic(t *testing.T) {
	c := irtest.New(ir.ShortestPath).Links("L0-S0 L1-S0 L1-S1 L2-S1").Hosts("L0", "L2").Tier("S", 2).Bounce()
	f := c.Fabric()
	first, bounced := expects(f, f.CosGroups[0]), expects(f, f.CosGroups[1])
	require.Equal(t, map[string]bool{
		"L0-S0": true, "S0-L1": true, "L1-S1": false, "S1-L2": false, "L2-S1": true, "S1-L1": true, "L1-S0": false, "S0-L0": false,
		"L0-hL0x4": false, "hL0x4-L0": true, "L2-hL2x5": false, "hL2x5-L2": true,
	}, first)
	require.Equal(t, map[string]bool{
		"L0-S0": false, "S0-L1": false, "L1-S1": true, "S1-L2": true, "L2-S1": false, "S1-L1": false, "L1-S0": true, "S0-L0": true,
		"L0-hL0x4": false, "hL0x4-L0": false, "L2-hL2x5": false, "hL2x5-L2": false,
	}, bounced)

	c = irtest.New(ir.ShortestPath).Links("L0-S0 L1-S0 L1-S1").Hosts("L0", "S1").Tier("S", 2).Bounce()
	f = c.Fabric()
	require.True(t, expects(f, f.CosGroups[1])["L1-S1"], "a host is on S1")
	require.True(t, expects(f, f.CosGroups[0])["S1-L1"], "which sends towards L0")
}

// The law: each port between two switches by which a packet of a member can leave in the healthy fabric expects pauses. The paths are those
// of each pair of NICs, which another part of package routes follows.
func TestPausesLaw(t *testing.T) {
	for _, r := range []ir.Routing{ir.ShortestPath, ir.SpanningTree, ir.UpDown} {
		t.Run(string(r), func(t *testing.T) {
			tried := 0
			rapid.Check(t, func(rt *rapid.T) {
				f, groups := failurestest.Fabric(rt, r)
				f.Routes = routes.New(f)
				p := NewPauses(f, nil)
				for _, g := range groups {
					used := map[*ir.Port]bool{}
					for _, in := range f.Intents {
						if in.Group == g {
							uses(f, in, used)
						}
					}
					for out := range used {
						if out.Carries(g) != nil && out.Peer().Carries(g) != nil {
							tried++
							require.True(rt, p.Expected(out, g), "%s of group %s", out, g.Name)
						}
					}
				}
			})
			require.Positive(t, tried)
		})
	}
}

// uses adds the ports between forwarding devices by which packets of an intent leave.
func uses(f *ir.Fabric, in *ir.Intent, used map[*ir.Port]bool) {
	var ends [][]*ir.Port // of each NIC, or of the NICs of a bond that sends by all of them
	seen := map[*ir.Device]bool{}
	for _, m := range in.Members {
		if d := m.NIC.Device; !seen[d] {
			seen[d] = true
			ends = append(ends, walk.Ends(in, d, "")...)
		}
	}
	for _, from := range ends {
		for _, to := range ends {
			if from[0].Device() == to[0].Device() {
				continue
			}
			w, err := f.Routes.Ways(ir.Trip{Group: in.Group, Bridged: in.Version == 1, From: from, To: to}, ir.State{})
			if err != nil { // the routing cannot be followed: TestPauses
				continue
			}
			for _, s := range w.Stops {
				for _, leg := range s.Next {
					if leg.Out.Device().Forwards() && leg.Out.Peer().Device().Forwards() {
						used[leg.Out] = true
					}
				}
			}
		}
	}
}
