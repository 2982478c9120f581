package claims

import (
	"net/netip"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/targets/target/targettest"
	"github.com/rocec/rocec/validate/proof"
)

// via replaces the next hops of a device for the hosts of a switch.
func (n *network) via(device, hostsOf, next string) {
	r := n.of(device)
	var to []netip.Prefix
	for _, h := range n.f.Devices {
		if h.Host != nil && h.Ports[0].Peer().Device().Name == hostsOf {
			to = append(to, netip.PrefixFrom(h.Host.NICs[0].IP.Addr(), 32))
		}
	}
	for _, p := range r.Device.Ports {
		if p.Peer().Device().Name != next {
			continue
		}
		for _, prefix := range to {
			found := false
			for i := range r.Tables[0].Routes {
				if r.Tables[0].Routes[i].To == prefix {
					r.Tables[0].Routes[i].Out, found = []string{p.Name}, true
				}
			}
			if !found {
				r.Tables[0].Routes = append(r.Tables[0].Routes, ir.ForwardingRoute{To: prefix, Out: []string{p.Name}})
			}
		}
		return
	}
	panic("no cable from " + device + " to " + next)
}

// The first turn that the fabric rules out and a device takes is named, with its prefix, its ports and the reason.
func TestFirstTurn(t *testing.T) {
	for name, x := range map[string]struct {
		c    *irtest.Cabling
		edit func(n *network)
		code proof.AssumptionCode
		says string
		want []string
	}{
		"up-down": {
			clos(ir.UpDown), func(n *network) { n.via("S0", "L1", "L2"); n.via("L2", "L1", "S1") }, proof.NeverUpAgain,
			"L2 sends traffic for hL1x9:p0 by its route to 10.0.0.2/32, which came in at p0 from S0, out at p1 to S1: it came down and goes " +
				"up again.",
			[]string{"error claim-turn"},
		},
		"as-plan": {
			planned(), func(n *network) { n.via("S0", "L1", "L2"); n.via("L2", "L1", "S1") }, proof.ASNumbers,
			"it came down and goes up again.",
			[]string{"error claim-turn"},
		},
		"shortest-path": {
			clos(ir.ShortestPath), func(n *network) { n.via("S0", "L1", "L2"); n.via("L2", "L1", "S1") }, proof.EqualCosts,
			"no shortest path of the fabric takes that turn while all links are up.",
			[]string{"warning claim-turn"},
		},
		"forest": {
			irtest.New(ir.ShortestPath).Links("L0-S0 L1-S0").Tier("S", 2).Hosts("L0", "L1"), func(n *network) { n.via("L1", "L1", "S0") },
			proof.NoTurningBack, "it goes back to the device that it came from.",
			[]string{"error claim-loop", "error claim-turn"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := made(x.c)
			x.edit(n)
			r := n.judge()
			assert.Equal(t, x.want, codes(r.Findings))
			last := r.Findings[len(r.Findings)-1]
			assert.Contains(t, last.Detail, x.says)
			assert.NotEqual(t, Checked, r.Of(x.code).State)
			if last.Severity.String() == "error" {
				assert.NotEmpty(t, r.Of(x.code).False)
			} else {
				assert.NotEmpty(t, r.Of(x.code).Not)
			}
		})
	}
}

// Valleys in both directions close a circle, which the proof of the running tables shows beside the verdict of the fabric as written.
func TestRunningLoop(t *testing.T) {
	n := made(planned())
	require.Equal(t, proof.Free, n.proofs[0].Verdict)
	n.via("S0", "L1", "L2")
	n.via("L2", "L1", "S1")
	n.via("S1", "L0", "L3")
	n.via("L3", "L0", "S0")
	n.via("L3", "L1", "S1") // so that traffic for L1 also passes S1 to L3 and back
	n.via("S1", "L1", "L3")
	r := n.judge()
	require.NotEmpty(t, r.Findings)
	assert.Contains(t, codes(r.Findings), "error claim-loop")
	assert.Contains(t, codes(r.Findings), "error claim-turn")
	assert.Equal(t, proof.Prone, r.Running.Of(n.f.CosGroups[0]).Verdict)
}

// A failed link changes the running tables of a fabric of shortest paths, which is no contradiction.
func TestRunningAfterFailure(t *testing.T) {
	n := made(clos(ir.ShortestPath))
	n.route([]*ir.Link{n.f.Links[0], n.f.Links[3]}) // L0-S0 and L1-S1
	r := n.judge()
	assert.Equal(t, []string{"error claim-loop", "warning claim-turn"}, codes(r.Findings), "two failures make it prone")
	assert.Empty(t, r.Of(proof.EqualCosts).False)

	n = made(planned())
	n.route([]*ir.Link{n.f.Links[0]})
	r = n.judge()
	assert.Empty(t, codes(r.Findings))
	assert.Equal(t, Checked, r.Of(proof.ASNumbers).State)
}

// Without the routes of every switch, or without the addresses of hosts, nothing is proved, and the reason is named.
func TestRunningNotKnown(t *testing.T) {
	for name, x := range map[string]struct {
		edit func(n *network)
		why  string
	}{
		"a switch without routes": {
			func(n *network) { n.of("S1").Tables = nil },
			"the routes of 1 of 6 switches are not known (S1)",
		},
		"no address": {
			func(n *network) { n.f.Devices[len(n.f.Devices)-1].Host.NICs[0].IP = netip.Prefix{} },
			"the address of hL3x11:p0 is not known: neither the fabric nor the network of a switch at the port states it",
		},
		"a switch without a route to a host": {
			func(n *network) { n.of("S1").Tables[0].Routes = nil },
			"S1 has no route to any host of the fabric, so its routes do not show where the traffic goes",
		},
		"an odd route": {
			func(n *network) { n.of("S0").Tables[0].Routes[0].Odd = "a next hop with labels" },
			"S0 sends traffic for hL0x8 by a way that its routes do not show: a next hop with labels",
		},
		"a port without a cable": {
			func(n *network) { n.of("S0").Tables[0].Routes[0].Out = []string{"eth0"} },
			"S0 sends traffic for hL0x8 to eth0, where the fabric has no cable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := made(clos(ir.UpDown))
			x.edit(n)
			r := n.judge()
			assert.Empty(t, codes(r.Findings))
			assert.Equal(t, x.why, r.Running.Why)
			assert.Nil(t, r.Running.Of(n.f.CosGroups[0]))
			assert.Empty(t, r.Of(proof.NeverUpAgain).Agree)
		})
	}
}

// The network of a switch at a port stands for a host whose address the fabric does not have.
func TestNetworkOfAPort(t *testing.T) {
	n := made(clos(ir.UpDown))
	for i, leaf := range []string{"L0", "L1", "L2", "L3"} {
		network := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 9, byte(i), 0}), 24)
		for _, h := range n.f.Devices {
			if h.Host != nil && h.Ports[0].Peer().Device().Name == leaf {
				for _, r := range n.seen.Devices {
					for _, table := range r.Tables {
						for k := range table.Routes {
							if route := &table.Routes[k]; route.To.Addr() == h.Host.NICs[0].IP.Addr() {
								route.To, route.Connected = network, r.Device.Name == leaf
							}
						}
					}
				}
				h.Host.NICs[0].IP = netip.Prefix{}
			}
		}
	}
	r := n.judge()
	assert.Empty(t, codes(r.Findings))
	require.Empty(t, r.Running.Why)
	assert.Equal(t, 4, r.Running.Targets)
	assert.Equal(t, proof.Free, r.Running.Of(n.f.CosGroups[0]).Verdict)
}

// Networks behind bridges stand for hosts, too, unless routes divide them, or two switches have one.
func TestNetworksBehindBridges(t *testing.T) {
	bridged := func() *network {
		n := made(clos(ir.UpDown))
		for i, leaf := range []string{"L0", "L1", "L2", "L3"} {
			to := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 9, byte(i), 0}), 24)
			for _, r := range n.seen.Devices {
				for _, table := range r.Tables {
					route := &table.Routes[i] // of the host of the leaf
					if route.To = to; r.Device.Name == leaf {
						route.Connected, route.Out, route.Odd = true, []string{"vlan10"}, "a next hop through the bridge"
					}
				}
			}
		}
		for _, h := range n.f.Devices {
			if h.Host != nil {
				h.Host.NICs[0].IP = netip.Prefix{}
			}
		}
		return n
	}
	n := bridged()
	r := n.judge()
	require.Empty(t, r.Running.Why)
	assert.Equal(t, proof.Free, r.Running.Of(n.f.CosGroups[0]).Verdict)

	n = bridged()
	part := ir.ForwardingRoute{To: netip.MustParsePrefix("10.9.1.128/25"), Out: []string{"p0"}}
	n.of("L2").Tables[0].Routes = append(n.of("L2").Tables[0].Routes, part)
	assert.Equal(t, "there is a route to 10.9.1.128/25, a part of the network 10.9.1.0/24 of hosts whose addresses are not known",
		n.judge().Running.Why)

	n = bridged()
	n.of("L3").Tables[0].Routes[0].Connected = true
	assert.Equal(t, "L3 has the network 10.9.0.0/24 of hL0x8, too, and no route shows how its frames go between switches",
		n.judge().Running.Why)
}

// Destinations with equal next hops on all switches are one target.
func TestTargetsAreGrouped(t *testing.T) {
	n := made(clos(ir.UpDown).Hosts("L0", "L0", "L0", "L1"))
	r := n.judge()
	assert.Equal(t, 8, r.Running.Destinations)
	assert.Equal(t, 4, r.Running.Targets)
	n.via("S1", "L0", "L1") // for all hosts of L0
	assert.Equal(t, 4, n.judge().Running.Targets)
	n.of("S1").Tables[0].Routes[0].Out = n.of("S1").Tables[0].Routes[6].Out // for the first of them
	assert.Equal(t, 5, n.judge().Running.Targets)
}

// large is a Clos of 992 switches, each with a route to 5,376 hosts.
func large() *network { return made(irtest.Clos(ir.UpDown, 24, 32, 8, 4, 7)) }

// BenchmarkRunning judges the readings of some 1,000 switches with some 5,000 prefixes each, and proves their running tables. On two busy
// cores in 2026 it took 1.4 to 1.8 s of processor time and allocated 224 MiB. The readings have 540 MiB, and the process had at most
// 944 MiB (708 MiB with GOGC=30).
func BenchmarkRunning(b *testing.B) {
	n := large()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	used := targettest.ProcessorTime(b, func() {
		for b.Loop() {
			r := n.judge()
			if r.Running.Why != "" || r.Running.Of(n.f.CosGroups[0]).Verdict != proof.Free || len(r.Findings) > 0 {
				b.Fatal(r.Running.Why, r.Findings)
			}
		}
	})
	runtime.ReadMemStats(&after)
	b.ReportMetric(used.Seconds()/float64(b.N), "CPU-s/op")
	b.ReportMetric(float64(before.HeapAlloc)/(1<<20), "MiB-answers")
	b.ReportMetric(float64(after.Sys)/(1<<20), "MiB-all")
}
