package oracle_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
	"github.com/rocec/rocec/validate/proof"
)

// If members of a subnet are bridged under shortest paths, a free verdict is true for any bridged links that their frames use. A prone
// verdict shows a circle of turns that some of these paths make. The verdict is unknown only if bridged links form a circle.
func TestSubnetsOverBridgedLinks(t *testing.T) {
	t.Parallel()
	verdicts := map[validate.Verdict]int{}
	trees, rings := 0, 0
	fabrics := uint64(1000) // one in twenty is of the rarest kind
	if *whole {
		fabrics = 3000
	}
	for seed := range fabrics {
		r := rand.New(rand.NewPCG(seed, 97))
		c := drawn(r, ir.ShortestPath)
		bridged := 1 + r.IntN(4)
		for _, l := range c.F.Links {
			if l.A().Device().Switch != nil && l.B().Device().Switch != nil && r.IntN(4) < bridged {
				l.Routed = false
			}
		}
		subnets := []string{"192.0.2.0/24", "198.51.100.0/24"}
		stated := r.IntN(3) > 0
		for _, d := range c.F.Devices {
			if d.Host == nil {
				continue
			}
			if i := r.IntN(3); i < len(subnets) {
				for _, n := range d.Host.NICs {
					n.IP = netip.MustParsePrefix(subnets[i])
				}
			}
		}
		f := routed(c)
		if m := f.Intents[0].Members; !stated && len(m) > 0 {
			m[0].NIC.IP = netip.Prefix{}
		}

		p := judged(t, f)
		ring := oracle.BridgedRing(f)
		prone := oracle.Judge(f, 0).Prone
		verdicts[p.Verdict]++
		switch p.Verdict {
		case validate.Free:
			require.False(t, prone, "seed %d: %s", seed, p.Why())
			if !ring {
				trees++
			}
		case validate.Prone:
			require.True(t, prone, "seed %d", seed)
		case validate.Unknown:
			why, ok := p.Reason.(proof.NotFollowed)
			require.True(t, ok, "seed %d", seed)
			var routing *ir.RoutingError
			require.ErrorAs(t, why.Err, &routing)
			require.Equal(t, ir.BridgedSubnet, routing.Code)
			require.True(t, ring, "seed %d", seed)
			rings++
		}
	}
	for _, v := range []validate.Verdict{validate.Free, validate.Prone, validate.Unknown} {
		assert.Greater(t, verdicts[v], 50, v)
	}
	assert.Greater(t, trees, 50)
	assert.Greater(t, rings, 50)
}

// A ring of bridged links joins four switches that routed links also join. Whether it is free depends on which members share a subnet.
func TestBridgedRingBesideRoutedLinks(t *testing.T) {
	tests := []struct {
		name string
		ip   []string // of the hosts; empty: not stated
		open string   // the bridged link that is left out
		want validate.Verdict
	}{
		{"one subnet", []string{"192.0.2.1/24", "192.0.2.2/24", "192.0.2.3/24", "192.0.2.4/24"}, "", validate.Unknown},
		{"two share one", []string{"192.0.2.1/24", "198.51.100.1/24", "192.0.2.3/24", "203.0.113.1/24"}, "", validate.Unknown},
		{"not stated", []string{"", "", "", ""}, "", validate.Unknown},
		{"one subnet is not stated", []string{"192.0.2.1/32", "192.0.2.2/32", "", "192.0.2.4/32"}, "", validate.Unknown},
		{"a subnet for each", []string{"192.0.2.1/26", "192.0.2.65/26", "192.0.2.129/26", "192.0.2.193/26"}, "", validate.Free},
		{"one subnet, no ring", []string{"192.0.2.1/24", "192.0.2.2/24", "192.0.2.3/24", "192.0.2.4/24"}, "R2-R3", validate.Free},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := irtest.New(ir.ShortestPath).Links("R0-R2 R1-R3")
			for _, l := range []string{"R0-R1", "R1-R2", "R2-R3", "R3-R0"} {
				if l != tt.open {
					c.Link(l[:2], l[3:]).Routed = false
				}
			}
			c.Hosts("R0", "R1", "R2", "R3")
			i := 0
			for _, d := range c.F.Devices {
				if d.Host != nil {
					if tt.ip[i] != "" {
						d.Host.NICs[0].IP = netip.MustParsePrefix(tt.ip[i])
					}
					i++
				}
			}
			f := routed(c)
			for i, m := range f.Intents[0].Members {
				if tt.ip[i] == "" {
					m.NIC.IP = netip.Prefix{}
				}
			}
			p := judged(t, f)
			assert.Equal(t, tt.want, p.Verdict, p.Why())
		})
	}
}

// A ring counts for its whole broadcast domain, also if a lossy cable joins it to switches that were found before it.
func TestBridgedRingBehindALossyCable(t *testing.T) {
	c := irtest.New(ir.ShortestPath).Links("R0-R1")
	for _, l := range []string{"R0-R5", "R1-R2", "R1-R3", "R2-R3", "R3-R5"} {
		c.Link(l[:2], l[3:]).Routed = false
	}
	lossy := c.Between("R3", "R5")
	lossy.A().SetBuffers(nil)
	lossy.B().SetBuffers(nil)
	c.Hosts("R0", "R1", "R2", "R3")
	for _, d := range c.F.Devices {
		if d.Host != nil {
			d.Host.NICs[0].IP = netip.MustParsePrefix("192.0.2.0/24")
		}
	}
	p := judged(t, routed(c))
	assert.Equal(t, validate.Unknown, p.Verdict, p.Why())
}
