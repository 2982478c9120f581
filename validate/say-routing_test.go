package validate

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// This test has the complete text of every cause for which routing cannot be followed.
func TestRoutingText(t *testing.T) {
	c := irtest.Ring(ir.UpDown, 3)
	f := c.Fabric()
	devices := []*ir.Device{c.Device("R0"), c.Device("R1"), c.Device("R2")}
	out, in := f.Links[0].A(), f.Links[0].B()
	said := map[ir.RoutingCode]bool{}
	for _, tt := range []struct {
		err  ir.RoutingError
		want string
	}{
		{ir.RoutingError{Code: ir.NoRouting}, "the fabric does not state how lossless traffic is forwarded (fabric.routing)"},
		{ir.RoutingError{Code: ir.NoTable}, "the fabric is routed by a table of next hops, and no table is given"},
		{ir.RoutingError{Code: ir.LossyGroup, Group: c.Group}, `cos group "rdma" is lossy, and its traffic waits for no buffer`},
		{
			ir.RoutingError{Code: ir.LevelLink, Devices: devices[:2], Out: out, In: in},
			"R0 and R1 are both of tier 1 and the link R0:p0 - R1:p0 is not a peer link, so it is neither up nor down: give them different " +
				"tiers, or write peer = true if a path has at most one such step",
		},
		{
			ir.RoutingError{Code: ir.HostBetween, Devices: devices},
			"host R0 forwards between R1 and R2 and is below both: the tiers leave open whether traffic may come down to it and go up again",
		},
		{ir.RoutingError{Code: ir.NoASN, Devices: devices[:1]}, "R0 has no AS number (asn), so it is not known which routes it accepts"},
		{
			ir.RoutingError{Code: ir.ManyASPaths, Devices: devices[:1], Most: 64},
			"R0 may get more than 64 different AS paths to one destination, too many to follow: give switches of one layer the " +
				"same AS number, as RFC 7938 does",
		},
		{
			ir.RoutingError{Code: ir.BridgedRing, Routing: ir.EBGP},
			`members of a RoCEv1 intent reach each other over a ring of bridged links, and routing "ebgp" does not say how bridged traffic goes`,
		},
		{
			ir.RoutingError{Code: ir.BridgedSubnet, Routing: ir.ShortestPath, Devices: devices[:2], Intent: &ir.Intent{Name: "all"}},
			`members of roce "all" on R0 and R1 are of one subnet, or of subnets that the fabric does not state, so their frames cross no IP hop; ` +
				`the bridged links between these switches make a circle, and routing "shortest-path" does not state which of them a frame takes: ` +
				"write routed = true on the links, give the hosts of each switch a separate subnet (ip), or bridge without a circle",
		},
		{
			ir.RoutingError{Code: ir.FloodedBounce},
			"flooded frames come down and go up again everywhere, so rocec does not follow the copies that bounce into another cos group",
		},
		{
			ir.RoutingError{Code: ir.RoutedLink, Routing: ir.Flooding, Out: out, In: in},
			`routing "flooding" describes bridged traffic only, and the lossless link R0:p0 - R1:p0 is routed: the fabric does not state ` +
				"how traffic is routed over it",
		},
		{
			ir.RoutingError{Code: ir.BridgedLink, Routing: ir.EBGP, Out: out, In: in},
			`routing "ebgp" describes routed traffic only, and the lossless link R0:p0 - R1:p0 is bridged: the fabric does not state ` +
				"whether frames cross it; if a BGP session runs over it, write routed = true",
		},
	} {
		assert.Equal(t, tt.want, RoutingText(&tt.err))
		said[tt.err.Code] = true
	}
	for _, code := range ir.RoutingCodes {
		assert.True(t, said[code], code)
	}
	assert.Equal(t, ir.ErrBudget.Error(), RoutingText(ir.ErrBudget))
}
