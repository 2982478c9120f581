package walk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/walk"
)

// Traffic that goes up again gets the mark of its next group. If that group has no mark, the next device puts the traffic back into its
// first group.
func TestBounce(t *testing.T) {
	bouncing := func() (*irtest.Cabling, *ir.CosGroup) {
		c := irtest.LeafSpine(ir.ShortestPath, 2, 2).Hosts("S0", "S1").Bounce()
		return c, c.Group.Bounce
	}
	between2 := func(c *irtest.Cabling) *walk.Trace {
		f := laid(c)
		return between(t, f, c.Device(c.HostOf("S0")), c.Device(c.HostOf("S1")), ir.State{}, false)
	}

	c, detour := bouncing()
	detour.DSCP = []ir.Claim{{Value: 27}}
	tr := between2(c)
	assert.Empty(t, tr.Data.Findings())
	assert.Len(t, tr.Data.Hops, 5)
	leaf, spine := tr.Data.Hops[2], tr.Data.Hops[3]
	assert.Equal(t, c.Group, leaf.Group)
	assert.Equal(t, detour, leaf.Out[0].Group)
	assert.Equal(t, detour, spine.Sort.Group)
	assert.Equal(t, 27, spine.Packet.DSCP)

	// Bounced traffic is not judged: here the next group has no mark, or is lossy.
	c, detour = bouncing()
	tr = between2(c)
	assert.Equal(t, detour, tr.Data.Hops[3].Group)
	assert.Equal(t, c.Group, tr.Data.Hops[3].Sort.Group)
	assert.Empty(t, tr.Data.Findings())
	c, detour = bouncing()
	detour.DSCP, detour.Lossless = []ir.Claim{{Value: 27}}, false
	assert.Empty(t, between2(c).Data.Findings())
}

// Listed routes are followed as they are, also if they are not shortest.
func TestListedRoutes(t *testing.T) {
	c := irtest.Ring(ir.TablePath, 4)
	f := laid(c)
	from, to := c.HostOf("R0"), c.HostOf("R1")
	f.Routes = &irtest.Explicit{Fabric: f, Mixed: ir.MixedTies, Flows: func(ir.State) []*ir.Flow {
		return []*ir.Flow{c.Flow(from + " R0 R3 R2 R1 " + to), c.Flow(from + " R0 R1 " + to), c.Flow(to + " R1 R0 " + from)}
	}}
	tr := between(t, f, c.Device(from), c.Device(to), ir.State{}, false)
	assert.EqualValues(t, 2, tr.Data.Ways)
	assert.Equal(t, [2]int{3, 5}, [2]int{tr.Data.Cables, tr.Data.Most})
	assert.Equal(t, ir.MixedTies, tr.Data.Mixed)
	assert.Empty(t, tr.Data.Findings())
	tr = between(t, f, c.Device(from), c.Device(to), ir.State{Down: []*ir.Link{c.Between("R0", "R1"), c.Between("R2", "R3")}}, false)
	assert.Equal(t, -1, tr.Data.Cables)
	assert.True(t, breaks(tr))
}

// given returns handmade stops.
type given struct {
	ir.Routes
	stops []ir.Stop
}

func (g given) Ways(ir.Trip, ir.State) (*ir.Ways, error) { return &ir.Ways{Stops: g.stops}, nil }

func TestCircles(t *testing.T) {
	c := irtest.New(ir.TablePath).Links("A-B B-C").Hosts("A", "C")
	f := laid(c)
	from, to := c.Device(c.HostOf("A")), c.Device(c.HostOf("C"))
	ab, bc := c.Between("A", "B"), c.Between("B", "C")
	leg := func(out *ir.Port, stop int) ir.Leg { return ir.Leg{Out: out, Group: c.Group, Stop: stop} }
	stop := func(in *ir.Port, far, left int, next ...ir.Leg) ir.Stop {
		return ir.Stop{Device: in.Device(), In: in, Group: c.Group, Far: far, Left: left, Next: next}
	}
	sender := ir.Stop{Device: from, Group: c.Group, Left: -1, Next: []ir.Leg{leg(from.Ports[0], 1)}}
	stops := []ir.Stop{
		sender,
		stop(from.Ports[0].Peer(), 1, -1, leg(ab.A(), 2)),
		stop(ab.B(), 2, -1, leg(ab.B(), 3)),
		stop(ab.A(), 3, -1, leg(ab.A(), 2)),
	}
	f.Routes = given{stops: stops}
	tr := between(t, f, from, to, ir.State{}, false)
	assert.Zero(t, tr.Data.Ways)
	assert.Equal(t, -1, tr.Data.Cables)
	x := firstBreak(tr.Data)
	assert.Equal(t, walk.RoutingLoop, x.Code)
	assert.Equal(t, []*ir.Device{c.Device("B"), c.Device("A")}, x.Round)

	// The same loop with an exit: some packets circulate, others arrive.
	stops = []ir.Stop{
		sender,
		stop(from.Ports[0].Peer(), 1, 3, leg(ab.A(), 2)),
		stop(ab.B(), 2, 2, leg(ab.B(), 3), leg(bc.A(), 4)),
		stop(ab.A(), 3, 3, leg(ab.A(), 2)),
		stop(bc.B(), 3, 1, leg(to.Ports[0].Peer(), 5)),
		stop(to.Ports[0], 4, 0),
	}
	stops[0].Left = 4
	f.Routes = given{stops: stops}
	tr = between(t, f, from, to, ir.State{}, false)
	assert.Zero(t, tr.Data.Ways)
	assert.Equal(t, 4, tr.Data.Cables)
	assert.Equal(t, walk.RoutingLoop, firstBreak(tr.Data).Code)
}

// BenchmarkRun traces a pair of hosts at the far ends of Clos fabrics of up to 10,240 switches.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name                      string
		pods, leaves, aggs, cores int
	}{{"640-switches", 8, 48, 16, 8}, {"10240-switches", 128, 48, 16, 128}} {
		b.Run(c.name, func(b *testing.B) {
			f := laid(irtest.Clos(ir.UpDown, c.pods, c.leaves, c.aggs, c.cores, 1))
			all := hosts(f)
			for b.Loop() {
				tr := between(b, f, all[0], all[len(all)-1], ir.State{}, false)
				b.ReportMetric(float64(len(tr.Data.Hops)), "hops")
			}
		})
	}
}
