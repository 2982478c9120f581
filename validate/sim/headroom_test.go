package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/sim"
)

// rack is a switch with five hosts.
const rack = `
fabric "rack" {
  mtu     = %d
  routing = "up-down"
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.h]
}
switch "leaf" {
  names = "leaf1"
  model = "%s"
  tier  = 1
}
host "h" {
  names = "h[1-5]"
  nic "eth1" {
    model = "connectx-6-dx"
    mtu   = %d
  }
}
link "hosts" {
  a      = "h[1-5]:eth1"
  b      = "leaf1:swp[1-5]"
  speed  = "%s"
  length = "%dm"
}
`

// The derived headroom loses nothing in any incast. With less than the incast needs it loses frames.
func TestDerivedHeadroomLosesNothing(t *testing.T) {
	lossy := 0
	rapid.Check(t, func(rt *rapid.T) {
		model := rapid.SampledFrom([]string{"sn2700", "sn3700", "sn4600c", "sn5600", "as7712-32x", "z9264f-on"}).Draw(rt, "model")
		speed := rapid.SampledFrom([]string{"10G", "25G", "40G", "100G"}).Draw(rt, "speed")
		mtu := rapid.SampledFrom([]int{1500, 4200, 9216}).Draw(rt, "mtu")
		metres := rapid.SampledFrom([]int{1, 3, 30, 100, 300, 2000}).Draw(rt, "metres")
		f := compilertest.Compile(t, fmt.Sprintf(rack, mtu, model, mtu, speed, metres))
		senders := rapid.IntRange(2, 4).Draw(rt, "senders")
		var flows []*ir.Flow
		members := f.Intents[0].Members
		for _, m := range members[1 : senders+1] {
			ways, err := f.Routes.Ways(ir.Trip{
				Group: f.Intents[0].Group, From: []*ir.Port{m.NIC.Port}, To: []*ir.Port{members[0].NIC.Port},
			}, ir.State{})
			require.NoError(rt, err)
			flows = append(flows, sim.Follow(ways, 0))
		}
		// A pause storm of the receiver fills every buffer without the memory of the chip: 1 % of line rate.
		s := sim.Scenario{
			Loads: sim.Full(flows), Receivers: map[*ir.Port]int{members[0].NIC.Port: 1}, Sends: 20 * time.Millisecond,
			Jitter: rapid.Bool().Draw(rt, "jitter"), Seed: rapid.Uint64().Draw(rt, "seed"),
		}
		leaf := flows[0].Ports[1].Device()
		leaf.Switch.Can.Memory = ir.MemoryModel{Absolute: true}
		o := s.Run()
		require.False(rt, o.Ended)
		require.Zero(rt, frames(o))
		require.NotEmpty(rt, o.Pauses)
		require.Empty(rt, o.Assumed)
		first := o.Pauses[0]
		require.Positive(rt, first.Headroom)
		require.LessOrEqual(rt, first.Headroom, first.Room)

		used := 0
		for _, p := range o.Pauses {
			used = max(used, p.Headroom)
		}
		for _, p := range leaf.Ports {
			own := *p.Buffers()[0]
			own.Size.N = own.Xoff.N + used - 1
			p.SetBuffers([]*ir.Buffer{&own})
		}
		require.NotZero(rt, frames(s.Run()), "a byte less than the largest headroom in use")
		lossy++
	})
	require.Positive(t, lossy)
}
