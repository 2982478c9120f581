package ir_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
)

// An exception applies to the addresses it names. The addresses of a NIC without a stated address are unknown.
func TestException(t *testing.T) {
	nic := func(ip string, rules ...ir.TrafficClass) *ir.NIC {
		n := &ir.NIC{TOS: -1, TrafficClasses: rules}
		if ip != "" {
			n.IP = netip.MustParsePrefix(ip)
		}
		return n
	}
	net := netip.MustParsePrefix
	toOne, fromOne := ir.TrafficClass{TOS: 40, Dst: net("192.0.2.2/32")},
		ir.TrafficClass{TOS: 72, Src: net("192.0.2.1/32"), Dst: net("192.0.2.0/24")}
	in := &ir.Intent{Version: 2, Group: &ir.CosGroup{DSCP: []ir.Claim{{Value: 26}}}}
	for _, c := range []struct {
		from, to *ir.NIC
		want     int
	}{
		{nic("192.0.2.1/24", toOne, fromOne), nic("192.0.2.2/24"), 10},
		{nic("192.0.2.1/24", toOne, fromOne), nic("192.0.2.3/24"), 18},
		{nic("192.0.2.4/24", toOne, fromOne), nic("192.0.2.3/24"), 26},
		{nic("", toOne, fromOne), nic("192.0.2.2/24"), 10},
		{nic("", fromOne), nic("192.0.2.2/24"), 26},
		{nic("192.0.2.1/24", toOne, fromOne), nic(""), 26},
	} {
		assert.Equal(t, c.want, c.from.PacketTo(c.to, in).DSCP, "%v to %v", c.from.IP, c.to.IP)
	}
	v1 := &ir.Intent{Version: 1, Group: in.Group}
	assert.Zero(t, nic("192.0.2.1/24", toOne).PacketTo(nic("192.0.2.2/24"), v1).DSCP, "RoCEv1 has none")
}
