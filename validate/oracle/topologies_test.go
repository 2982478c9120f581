package oracle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
	"github.com/rocec/rocec/validate/proof"
)

// topology is a fabric of the literature with its known properties.
type topology struct {
	id      string
	build   func() *ir.Fabric
	verdict validate.Verdict
	circle  int    // buffers of the shortest circle
	fail    int    // links that must be down for that circle
	fewest  int    // for a free fabric: the number of failed links that its notes give for a circle
	state   string // the links down for size
	size    string // nodes/edges of the buffer dependency graph in that state; empty: not stated
}

const (
	sp = ir.ShortestPath
	ud = ir.UpDown
)

// route returns a function that builds a new fabric for each test.
func route(c func() *irtest.Cabling) func() *ir.Fabric {
	return func() *ir.Fabric { return routed(c()) }
}

func leafSpine(r ir.Routing, leaves, spines, failures int) func() *ir.Fabric {
	return route(func() *irtest.Cabling { return irtest.LeafSpine(r, leaves, spines).UniqueASNs().Failures(failures) })
}

func ring(n int) func() *ir.Fabric {
	return route(func() *irtest.Cabling { return irtest.Ring(sp, n) })
}

func mesh(n, failures int) func() *ir.Fabric {
	return route(func() *irtest.Cabling { return irtest.FullMesh(sp, n).Failures(failures) })
}

func clos(r ir.Routing, planes, failures int) func() *ir.Fabric {
	return route(func() *irtest.Cabling { return irtest.Clos(r, 2, 2, planes, 2, 1).Failures(failures) })
}

func torus(n int, classes bool) func() *ir.Fabric {
	return func() *ir.Fabric {
		c := irtest.Torus(ir.TablePath, n)
		if classes {
			mutual(c)
		}
		return explicit(c, lists(c, grid(n), dimensionOrder(n, true, classes))...)
	}
}

func dragonflies(a int, classes bool) func() *ir.Fabric {
	return func() *ir.Fabric {
		c, routers := dragonfly(ir.TablePath, a)
		if classes {
			c.Bounce()
		}
		return explicit(c, lists(c, routers, minimal(c, classes))...)
	}
}

// twoToRs returns two ToRs under two leaves. A ToR that floods sends packets from one leaf to the other.
func twoToRs(flooding ...string) func() *ir.Fabric {
	return func() *ir.Fabric {
		c := irtest.New(ir.TablePath).Links("T0-La T0-Lb T1-La T1-Lb h0-T0 h1-T1")
		all := []string{"h0 T0 La T1 h1", "h0 T0 Lb T1 h1", "h1 T1 La T0 h0", "h1 T1 Lb T0 h0"}
		for _, t := range flooding {
			other := string('0' + '1' - t[1])
			all = append(all, fmt.Sprintf("h%s T%s La %s Lb", other, other, t), fmt.Sprintf("h%s T%s Lb %s La", other, other, t))
		}
		return explicit(c, all...)
	}
}

// dualToR returns a leaf over two ToRs. Each server receives by one ToR only: the other ToR sends its traffic back to the leaf.
func dualToR(bounced ...string) func() *ir.Fabric {
	return func() *ir.Fabric {
		c := irtest.New(ir.TablePath).Links("T1-UT T1-LT hT-T1 hU-UT hL-LT")
		c.Bounce()
		return explicit(c, append([]string{"hT T1 UT hU", "hT T1 LT hL", "hU UT T1 hT", "hL LT T1 hT", "hU UT T1 LT hL", "hL LT T1 UT hU"},
			bounced...)...)
	}
}

// pairs returns two MLAG pairs under two spines, with a host on both switches of each pair.
func pairs() *irtest.Cabling {
	c := irtest.New(ir.TablePath)
	for _, p := range []string{"P0a", "P0b", "P1a", "P1b"} {
		c.Links(fmt.Sprintf("%[1]s-S0 %[1]s-S1", p))
	}
	c.Links("P0a-P0b P1a-P1b h0-P0a h0-P0b h1-P1a h1-P1b").Tier("S", 2)
	return peers(c, "P0a-P0b P1a-P1b")
}

// pairLists returns the flows between the pairs without failures.
func pairLists() []string {
	var out []string
	for _, x := range "ab" {
		for _, y := range "ab" {
			for s := range 2 {
				out = append(out, fmt.Sprintf("h0 P0%c S%d P1%c h1", x, s, y), fmt.Sprintf("h1 P1%c S%d P0%c h0", x, s, y))
			}
		}
	}
	return out
}

// topologies has the fabrics of the literature, by their numbers in the table.
var topologies = []topology{
	{
		id: "T01 two switches", build: route(func() *irtest.Cabling { return irtest.New(ir.AnyPath).Links("A-B").Hosts("A", "B").Failures(1) }),
		verdict: validate.Free, size: "0/0",
	},
	{id: "T02 daisy chain of 6", build: route(func() *irtest.Cabling {
		return irtest.New(ir.AnyPath).Links("A-B B-C C-D D-E E-F").Hosts("A", "B", "C", "D", "E", "F").Failures(1)
	}), verdict: validate.Free, size: "10/8"},
	{id: "T03 tree of depth 3 in a lossy mesh", build: route(func() *irtest.Cabling {
		return lossy(irtest.New(ir.AnyPath).Links("A-B A-C B-D B-E C-F C-G D-E E-F F-G B-C").Hosts("D", "E", "F", "G"), "D-E E-F F-G B-C")
	}), verdict: validate.Free},
	{id: "T03 mesh with a spanning tree", build: route(func() *irtest.Cabling {
		return bridged(irtest.New(ir.SpanningTree).Links("A-B A-C B-D B-E C-F C-G D-E E-F F-G B-C").Hosts("D", "E", "F", "G").Failures(2))
	}), verdict: validate.Free},
	{id: "T04 triangle", build: route(func() *irtest.Cabling { return irtest.Ring(sp, 3).Failures(3) }), verdict: validate.Free, size: "0/0"},
	{id: "T05 ring of 4", build: ring(4), verdict: validate.Prone, circle: 4, size: "8/8"},
	{id: "T06 ring of 5", build: ring(5), verdict: validate.Prone, circle: 5, size: "10/10"},
	{id: "T06 ring of 6", build: ring(6), verdict: validate.Prone, circle: 6},
	{id: "T06 ring of 7", build: ring(7), verdict: validate.Prone, circle: 7},
	{id: "T07 ring of 5, one link out", build: route(func() *irtest.Cabling {
		return irtest.New(sp).Links("R1-R2 R2-R3 R3-R4 R4-R0").Hosts("R0", "R1", "R2", "R3", "R4")
	}), verdict: validate.Free, size: "8/6"},
	{id: "T07 ring of 5, one link down", build: ring(5), verdict: validate.Prone, circle: 5, state: "R0-R1", size: "8/6"},
	{
		id: "T08 ring of 5, one link lossy", build: route(func() *irtest.Cabling { return lossy(irtest.Ring(sp, 5), "R0-R1") }),
		verdict: validate.Free, size: "8/6",
	},
	{id: "T09 2x2 mesh, XY order", build: func() *ir.Fabric {
		c := irtest.New(ir.TablePath).Links("H0.0-H1.0 H0.1-H1.1 H0.0-H0.1 H1.0-H1.1").Hosts(grid(2)...)
		return explicit(c, lists(c, grid(2), dimensionOrder(2, false, false))...)
	}, verdict: validate.Free},
	{id: "T10 LS4x2", build: leafSpine(sp, 4, 2, 0), verdict: validate.Free, fewest: 2, size: "16/24"},
	{id: "T11 LS4x2, any turn", build: leafSpine(ir.AnyPath, 4, 2, 0), verdict: validate.Prone, circle: 4, size: "16/32"},
	{
		id: "T12 LS4x2, two down", build: leafSpine(sp, 4, 2, 2), verdict: validate.Prone, circle: 4, fail: 2, state: "L0-S1 L1-S0",
		size: "12/16",
	},
	{id: "T13 LS4x2, up-down, two down", build: leafSpine(ud, 4, 2, 2), verdict: validate.Free, state: "L0-S1 L1-S0", size: "12/12"},
	{id: "T15 LS4x2, 1 down", build: leafSpine(sp, 4, 2, 1), verdict: validate.Free, fewest: 2},
	{id: "T15 LS5x2, 1 down", build: leafSpine(sp, 5, 2, 1), verdict: validate.Free, fewest: 2},
	{id: "T15 LS5x2, 2 down", build: leafSpine(sp, 5, 2, 2), verdict: validate.Prone, circle: 4, fail: 2},
	{id: "T15 LS6x2, 1 down", build: leafSpine(sp, 6, 2, 1), verdict: validate.Free, fewest: 2},
	{id: "T15 LS6x2, 2 down", build: leafSpine(sp, 6, 2, 2), verdict: validate.Prone, circle: 4, fail: 2},
	{id: "T15 LS4x3, 2 down", build: leafSpine(sp, 4, 3, 2), verdict: validate.Free, fewest: 3},
	{id: "T15 LS4x3, 3 down", build: leafSpine(sp, 4, 3, 3), verdict: validate.Prone, circle: 4, fail: 3},
	{id: "T15 LS4x4, 3 down", build: leafSpine(sp, 4, 4, 3), verdict: validate.Free, fewest: 4},
	{id: "T15 LS4x4, 4 down", build: leafSpine(sp, 4, 4, 4), verdict: validate.Prone, circle: 4, fail: 4},
	{id: "T15 LS4x2, ebgp, unique ASNs, 1 down", build: leafSpine(ir.EBGP, 4, 2, 1), verdict: validate.Free, fewest: 2, size: "16/24"},
	{id: "T15 LS4x2, ebgp, unique ASNs, 2 down", build: leafSpine(ir.EBGP, 4, 2, 2), verdict: validate.Prone, circle: 4, fail: 2},
	{id: "T17 LS4x2, ebgp, one ASN for the spines", build: route(func() *irtest.Cabling {
		return irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().ASN("S", 65_000).Failures(4)
	}), verdict: validate.Free, size: "16/24"},
	{id: "T18 5 stages, 1 down", build: clos(sp, 2, 1), verdict: validate.Free, fewest: 2},
	{id: "T18 5 stages, 2 down", build: clos(sp, 2, 2), verdict: validate.Prone, circle: 4, fail: 2},
	{id: "T19 5 stages, ebgp, ASNs of RFC 7938", build: clos(ir.EBGP, 2, 2), verdict: validate.Free},
	{id: "T21 5 stages of 3 planes, 2 down", build: clos(sp, 3, 2), verdict: validate.Free, fewest: 3},
	{id: "T21 5 stages of 3 planes, 3 down", build: clos(sp, 3, 3), verdict: validate.Prone, circle: 4, fail: 3},
	{
		id: "T23 LS2x2, hosts on the spines", build: route(func() *irtest.Cabling { return irtest.LeafSpine(sp, 2, 2).Hosts("S0", "S1") }),
		verdict: validate.Prone, circle: 4, size: "8/8",
	},
	{
		id: "T24 LS3x2, hosts on one spine", build: route(func() *irtest.Cabling { return irtest.LeafSpine(sp, 3, 2).Hosts("S0") }),
		verdict: validate.Free, size: "12/12",
	},
	{id: "T27 LS4x2 and a ring of leaves", build: route(func() *irtest.Cabling {
		return irtest.LeafSpine(sp, 4, 2).Links("L0-L1 L1-L2 L2-L3 L3-L0")
	}), verdict: validate.Prone, circle: 4, size: "24/16"},
	{id: "T30 full mesh of 4, 1 down", build: mesh(4, 1), verdict: validate.Free, fewest: 2, size: "0/0"},
	{id: "T30 full mesh of 4, 2 down", build: mesh(4, 2), verdict: validate.Prone, circle: 4, fail: 2},
	{id: "T30 full mesh of 5, 1 down", build: mesh(5, 1), verdict: validate.Free, fewest: 2, size: "0/0"},
	{id: "T30 full mesh of 5, 2 down", build: mesh(5, 2), verdict: validate.Prone, circle: 4, fail: 2},
	{
		id: "T31 HyperX 3x3", build: route(func() *irtest.Cabling { return irtest.HyperX(sp, 3) }), verdict: validate.Prone, circle: 4,
		size: "36/72",
	},
	{id: "T32 HyperX 3x3, dimension order", build: func() *ir.Fabric {
		c := irtest.HyperX(ir.TablePath, 3)
		return explicit(c, lists(c, grid(3), dimensionOrder(3, false, false))...)
	}, verdict: validate.Free},
	{id: "T33 torus 4x4, dimension order", build: torus(4, false), verdict: validate.Prone, circle: 4},
	{id: "T33 torus 5x5, dimension order", build: torus(5, false), verdict: validate.Prone, circle: 5},
	{id: "T34 torus 4x4, dimension order, dateline", build: torus(4, true), verdict: validate.Free},
	{id: "T34 torus 5x5, dimension order, dateline", build: torus(5, true), verdict: validate.Free},
	{
		id: "T36 torus 3x3", build: route(func() *irtest.Cabling { return irtest.Torus(sp, 3) }), verdict: validate.Prone, circle: 4,
		size: "36/72",
	},
	{
		id: "T36 torus 4x4", build: route(func() *irtest.Cabling { return irtest.Torus(sp, 4) }), verdict: validate.Prone, circle: 4,
		size: "64/192",
	},
	{
		id: "T37 dragonfly a=2 g=3, shortest path", build: route(func() *irtest.Cabling { c, _ := dragonfly(sp, 2); return c }),
		verdict: validate.Prone, circle: 6, size: "12/12",
	},
	{id: "T37 dragonfly a=2 g=3", build: dragonflies(2, false), verdict: validate.Prone, circle: 6},
	{id: "T37 dragonfly a=3 g=4", build: dragonflies(3, false), verdict: validate.Prone, circle: 6},
	{id: "T37 dragonfly a=4 g=5", build: dragonflies(4, false), verdict: validate.Prone, circle: 6},
	{id: "T38 dragonfly a=2 g=3, two classes", build: dragonflies(2, true), verdict: validate.Free},
	{id: "T38 dragonfly a=3 g=4, two classes", build: dragonflies(3, true), verdict: validate.Free},
	{id: "T38 dragonfly a=4 g=5, two classes", build: dragonflies(4, true), verdict: validate.Free},
	{id: "T40 both ToRs flood", build: twoToRs("T0", "T1"), verdict: validate.Prone, circle: 4},
	{id: "T41 one ToR floods", build: twoToRs("T1"), verdict: validate.Free},
	{id: "T42 dual ToR, bounces both ways", build: dualToR("hT T1 LT T1 UT hU", "hT T1 UT T1 LT hL"), verdict: validate.Prone, circle: 4},
	{id: "T43 dual ToR, bounces change the group", build: dualToR("hT T1 LT ! T1 UT hU", "hT T1 UT ! T1 LT hL"), verdict: validate.Free},
	{id: "T44 dual ToR, bounces one way", build: dualToR("hT T1 LT T1 UT hU"), verdict: validate.Free},
	{id: "T45 routing loop of two", build: func() *ir.Fabric {
		return explicit(irtest.New(ir.TablePath).Links("A-B hA-A hB-B"), "hA A B A B A B A B")
	}, verdict: validate.Prone, circle: 2},
	{id: "T46 two flows round a ring of 4", build: func() *ir.Fabric {
		return explicit(irtest.New(ir.TablePath).Links("A-B B-C C-D D-A hA-A hB-B hC-C hD-D"), "hA A B C D hD", "hC C D A B hB")
	}, verdict: validate.Prone, circle: 4},
	{
		id:    "T47 LS4x2, two down, bounces change the group",
		build: route(func() *irtest.Cabling { return irtest.LeafSpine(sp, 4, 2).Bounce().Failures(2) }), verdict: validate.Free,
	},
	{id: "T48 as T47, one priority group", build: route(func() *irtest.Cabling {
		return shared(irtest.LeafSpine(sp, 4,
			2).Bounce().Failures(2))
	}), verdict: validate.Prone, circle: 4, fail: 2},
	{
		id: "T48 as T47, link pause", build: route(func() *irtest.Cabling { return paused(irtest.LeafSpine(sp, 4, 2).Bounce().Failures(2)) }),
		verdict: validate.Prone, circle: 4, fail: 2,
	},
	{id: "T23 LS2x2, hosts on the spines, bounces are lossy", build: route(func() *irtest.Cabling {
		return lossyBounces(irtest.LeafSpine(sp, 2, 2).Hosts("S0", "S1"))
	}), verdict: validate.Free},
	{id: "T23 LS2x2, hosts on the spines, bounces are lossy, link pause", build: route(func() *irtest.Cabling {
		return paused(lossyBounces(irtest.LeafSpine(sp, 2, 2).Hosts("S0", "S1")))
	}), verdict: validate.Prone, circle: 4},
	{id: "T51 two MLAG pairs", build: func() *ir.Fabric { return explicit(pairs(), pairLists()...) }, verdict: validate.Free},
	{id: "T52 two MLAG pairs, a host's cable down", build: func() *ir.Fabric {
		return explicit(pairs(), append(pairLists(), "h1 P1a S0 P0a P0b h0", "h1 P1b S1 P0a P0b h0", "h1 P1b S0 P0a P0b h0",
			"h1 P1a S1 P0a P0b h0")...)
	}, verdict: validate.Free},
	{id: "T53 two MLAG pairs, states that exclude each other", build: func() *ir.Fabric {
		f := explicit(pairs(), append(pairLists(), "h0 P0a S0 P1a P1b h1", "h1 P1a P1b S0 P0b h0", "h1 P1b S0 P0b P0a h0",
			"h0 P0b P0a S0 P1a h1")...)
		f.Routes.(*irtest.Explicit).Mixed = ir.MixedTies // cables of hosts are down, or all uplinks of their switches
		return f
	}, verdict: validate.Unknown},
	{id: "T55 a host with two cables passes traffic on", build: route(func() *irtest.Cabling {
		c := irtest.LeafSpine(sp, 2, 2).Links("hx-L0 hx-L1")
		c.Device("hx").Host.Forwards = true
		return c
	}), verdict: validate.Free, state: "L0-S0 L0-S1", size: "4/2"},
	{id: "T56 Clos with a pair of borders", build: route(func() *irtest.Cabling {
		c := irtest.LeafSpine(ud, 4, 2).Links("S0-B0 S0-B1 S1-B0 S1-B1 B0-B1").Tier("B", 3).Hosts("B0", "B1").Failures(3)
		return peers(c, "B0-B1")
	}), verdict: validate.Free},
	{id: "T58 BCube(2,1), servers forward", build: route(bcube), verdict: validate.Prone, circle: 8},
	{id: "T58 BCube(2,1), one digit after the other", build: func() *ir.Fabric {
		c := bcube()
		return explicit(c, "h00 X0 h01", "h01 X0 h00", "h10 X1 h11", "h11 X1 h10", "h00 Y0 h10", "h10 Y0 h00", "h01 Y1 h11", "h11 Y1 h01",
			"h00 Y0 h10 X1 h11", "h11 Y1 h01 X0 h00", "h01 Y1 h11 X1 h10", "h10 Y0 h00 X0 h01")
	}, verdict: validate.Free},
}

// bcube returns BCube(2,1): each server hxy forwards traffic and is cabled to a switch Xx and a switch Yy.
func bcube() *irtest.Cabling {
	c := irtest.New(sp).Links("h00-X0 h01-X0 h10-X1 h11-X1 h00-Y0 h10-Y0 h01-Y1 h11-Y1")
	for _, d := range c.F.Devices {
		if d.Host != nil {
			d.Host.Forwards = true
		}
	}
	return c
}

func TestTopologies(t *testing.T) {
	for _, tt := range topologies {
		t.Run(tt.id, func(t *testing.T) {
			f := tt.build()
			p := gravest(t, validate.Run(f, nil))
			assert.Equal(t, tt.verdict, p.Verdict, p.Why())
			if tt.fewest > 0 {
				require.NotEmpty(t, p.Notes)
				assert.Equal(t, proof.FewestFailures, p.Notes[0].Code)
				assert.Len(t, p.Notes[0].Links, tt.fewest)
			}
			if tt.verdict == validate.Prone && p.Verdict == validate.Prone {
				require.NotEmpty(t, p.Loops)
				assert.Len(t, p.Loops[0].Circle, tt.circle, p.Why())
				assert.Len(t, p.Loops[0].Down, tt.fail)
				assertWitness(t, f, p)
			}
			if tt.size != "" {
				var down []*ir.Link
				for pair := range strings.FieldsSeq(tt.state) {
					down = append(down, cable(t, f, pair))
				}
				turns, err := f.Routes.Turns(f.CosGroups[0], ir.State{Down: down})
				require.NoError(t, err)
				nodes, edges := oracle.GraphOfTurns(f, turns).Size()
				assert.Equal(t, tt.size, fmt.Sprintf("%d/%d", nodes, edges))
			}
		})
	}
}

// cable returns the first cable of "a-b".
func cable(t *testing.T, f *ir.Fabric, pair string) *ir.Link {
	a, b, _ := strings.Cut(pair, "-")
	for _, l := range f.Links {
		if x, y := l.A().Device().Name, l.B().Device().Name; x == a && y == b || x == b && y == a {
			return l
		}
	}
	require.Fail(t, "no cable "+pair)
	return nil
}

// The table agrees with the brute force, for every routing that the language has.
func TestTopologiesByBruteForce(t *testing.T) {
	for _, tt := range topologies {
		t.Run(tt.id, func(t *testing.T) {
			f := tt.build()
			sets := 0
			for range oracle.Sets(f, f.Failures) {
				sets++
			}
			if _, listed := f.Routes.(*irtest.Explicit); listed {
				var all []*ir.Turns
				for _, g := range f.CosGroups {
					turns, err := f.Routes.Turns(g, ir.State{})
					require.NoError(t, err)
					all = append(all, turns)
				}
				g := oracle.GraphOfTurns(f, all...)
				assert.Equal(t, tt.verdict != validate.Free, g.Cyclic())
				if tt.circle > 0 {
					assert.Equal(t, tt.circle, g.Shortest())
				}
				return
			}
			if sets > 1000 { // four failures of LS4x4, three of the Clos of three planes: minutes by brute force
				return
			}
			j := oracle.Judge(f, f.Failures)
			assert.Equal(t, tt.verdict == validate.Prone, j.Prone)
			assert.Equal(t, tt.circle, j.Circle)
			assert.Len(t, j.Down, tt.fail)
		})
	}
}

// While routing converges, every switch may use its next hops from before or after the failure. After a single failure frames can turn
// back. After two failures they can go round even if no frame turns back, with any number of spines.
func TestTransients(t *testing.T) {
	for _, tt := range []struct {
		id, down   string
		circle     int // of all turns
		withoutUs  int // without turns that lead back
		afterwards bool
	}{
		{"T49", "S0-L1", 2, 0, false},
		{"T50", "S0-L1 S1-L0", 2, 4, false},
	} {
		t.Run(tt.id, func(t *testing.T) {
			f := leafSpine(sp, 4, 4, 1)()
			s := ir.State{Converging: true}
			for pair := range strings.FieldsSeq(tt.down) {
				s.Down = append(s.Down, cable(t, f, pair))
			}
			turns, err := f.Routes.Turns(f.CosGroups[0], s)
			require.NoError(t, err)
			g := oracle.GraphOfTurns(f, turns)
			assert.Equal(t, tt.circle, g.Shortest())
			assert.Equal(t, tt.withoutUs, g.WithoutTurningBack().Shortest())
			i := slices.IndexFunc(validate.Run(f, nil).Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == "pfc-loop-transient" })
			assert.GreaterOrEqual(t, i, 0, "people are warned")
			s.Converging = false
			turns, err = f.Routes.Turns(f.CosGroups[0], s)
			require.NoError(t, err)
			assert.Equal(t, tt.afterwards, oracle.GraphOfTurns(f, turns).Cyclic())
		})
	}
}
