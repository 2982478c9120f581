package claims

import (
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/proof"
)

// Devices that do what the fabric says contradict nothing, and each assumption that answers show entirely is checked.
func TestDevicesThatAgree(t *testing.T) {
	checked := []proof.AssumptionCode{
		proof.ASNumbers, proof.NoIBGP, proof.NoPrepending, proof.NoTunnels, proof.Aggregates, proof.NoTurningBack, proof.ByTable,
	}
	for name, c := range map[string]*irtest.Cabling{
		"as-plan": planned(), "unique numbers": clos(ir.EBGP).UniqueASNs(), "up-down": clos(ir.UpDown), "shortest": clos(ir.ShortestPath),
		"forest": irtest.New(ir.ShortestPath).Links("L0-S0 L1-S0").Tier("S", 2).Hosts("L0", "L1"),
	} {
		t.Run(name, func(t *testing.T) {
			n := made(c)
			r := n.judge()
			assert.Empty(t, codes(r.Findings))
			require.NotNil(t, r.Running)
			require.Empty(t, r.Running.Why)
			assert.Equal(t, proof.Free, r.Running.Of(n.f.CosGroups[0]).Verdict)
			for _, a := range n.proofs[0].Assumptions {
				s := r.Of(a.Code)
				if slices.Contains(checked, a.Code) {
					assert.Equal(t, Checked, s.State, a.Code)
					assert.Equal(t, at, s.When)
					assert.Equal(t, "snapshot", s.By)
				} else {
					assert.NotEqual(t, Checked, s.State, a.Code)
				}
			}
		})
	}
}

// Each answer that contradicts an assumption is named with its device, and the assumption is not checked.
func TestContradictions(t *testing.T) {
	prefix := netip.MustParsePrefix
	for name, x := range map[string]struct {
		c     *irtest.Cabling
		edit  func(n *network)
		code  proof.AssumptionCode
		found []string
		says  string
	}{
		"AS number": {
			planned(), func(n *network) { n.of("L0").BGP.AS = 7 }, proof.ASNumbers,
			[]string{"error claim-as-number"},
			"L0 runs BGP with AS number 7",
		},
		"AS number of a neighbour": {planned(), func(n *network) {
			n.seen.Devices = slices.DeleteFunc(n.seen.Devices, func(r *ir.Forwarding) bool { return r.Device.Name == "S0" })
			n.of("L0").BGP.Peers[0].AS = 65009
		}, proof.ASNumbers, []string{"error claim-as-number"}, "S0 runs BGP with AS number 65009 by its neighbour L0"},
		"allowas-in": {
			planned(), func(n *network) { n.of("S1").BGP.Peers[0].AllowsAS = 1 }, proof.ASNumbers,
			[]string{"error claim-allowas-in"},
			"S1 accepts routes that contain its own AS number (allowas-in 1)",
		},
		"allowas-in from each neighbour": {
			planned(), func(n *network) {
				for i := range n.of("S1").BGP.Peers {
					n.of("S1").BGP.Peers[i].AllowsAS = 1
				}
			}, proof.ASNumbers,
			[]string{"error claim-allowas-in"},
			"from its neighbours at p[0-3]. So",
		},
		"allowas-in without a verdict that needs it": {
			clos(ir.UpDown), func(n *network) { n.of("S1").BGP.Peers[0].AllowsAS = 1 }, proof.ASNumbers,
			[]string{"warning claim-allowas-in"},
			"S1",
		},
		"prepending": {
			planned(), func(n *network) { n.of("L2").BGP.Peers[1].Prepends = true }, proof.NoPrepending,
			[]string{"error claim-prepending"},
			"L2 makes AS paths longer in its routes with the neighbour at p1",
		},
		"iBGP": {clos(ir.EBGP).UniqueASNs(), func(n *network) {
			b := n.of("L2").BGP
			b.Peers = append(b.Peers, ir.ForwardingPeer{Address: netip.MustParseAddr("10.9.9.9"), AS: b.AS, Up: true})
		}, proof.NoIBGP, []string{"error claim-session"}, "L2 has a session inside of its AS"},
		"static routes": {
			planned(), func(n *network) { n.of("L1").BGP.Static = []netip.Prefix{prefix("10.0.0.0/16")} }, proof.ASNumbers,
			[]string{"error claim-static-route"},
			"L1 announces 10.0.0.0/16",
		},
		"aggregate": {planned(), func(n *network) {
			n.of("S0").BGP.Aggregates = []ir.ForwardingAggregate{{Prefix: prefix("10.1.0.0/16")}, {Prefix: prefix("10.2.0.0/16"), Discard: true}}
		}, proof.Aggregates, []string{"error claim-aggregate"}, "S0 announces the aggregate 10.1.0.0/16"},
		"tunnel": {clos(ir.UpDown), func(n *network) {
			n.of("L0").Tunnels = []ir.ForwardingTunnel{{Name: "mux0", Kind: "ipip", Remote: netip.MustParseAddr("10.0.0.9")}}
		}, proof.NoTunnels, []string{"error claim-tunnel"}, "L0 sends packets into the tunnel mux0 (ipip)"},
		"overlay": {clos(ir.UpDown), func(n *network) {
			for _, name := range []string{"L0", "L1"} {
				n.of(name).Tunnels = []ir.ForwardingTunnel{{Name: "vni10", Kind: "vxlan"}}
			}
		}, proof.NoTunnels, []string{"warning claim-tunnel"}, "L[0-1] puts frames"},
		"one switch floods": {clos(ir.UpDown), func(n *network) {
			n.of("L0").Ages.MAC = 5 * time.Minute
		}, proof.NoFlooding, []string{"warning claim-flooding"}, "L0 forgets MAC addresses after 5m0s"},
		"two switches flood": {clos(ir.UpDown), func(n *network) {
			for _, name := range []string{"L0", "L1"} {
				n.of(name).Ages = &ir.ForwardingAges{MAC: 5 * time.Minute, ARP: 4 * time.Hour}
			}
		}, proof.NoFlooding, []string{"error claim-flooding"}, "keeps ARP entries for 4h0m0s"},
		"host routes": {clos(ir.ShortestPath).Links("hk-L0 hk-L1"), func(n *network) {
			n.of("hk").Host = &ir.ForwardingHost{Forwards: true, Daemons: []string{"bgpd", "zebra"}}
		}, proof.HostsDrain, []string{"error claim-host-forwards"}, "(ip_forward is on) and runs routing (bgpd and zebra)"},
		"host forwards": {clos(ir.ShortestPath).Links("hk-L0 hk-L1"), func(n *network) {
			n.of("hk").Host.Forwards = true
		}, proof.HostsDrain, []string{"warning claim-host-forwards"}, "hk forwards"},
		"host has a session": {planned().Links("hk-L0 hk-L1"), func(n *network) {
			n.of("L0").BGP.Peers = append(n.of("L0").BGP.Peers, ir.ForwardingPeer{Port: "p3", AS: 4_200_009_999, Up: true})
		}, proof.HostsDrain, []string{"warning claim-host-forwards"}, "hk has a BGP session"},
	} {
		t.Run(name, func(t *testing.T) {
			n := made(x.c)
			x.edit(n)
			r := n.judge()
			assert.Equal(t, x.found, codes(r.Findings))
			require.NotEmpty(t, r.Findings)
			assert.Contains(t, r.Findings[0].Detail, x.says)
			assert.Contains(t, r.Findings[0].Detail, "(snapshot")
			s := r.Of(x.code)
			assert.Equal(t, Unchecked, s.State)
			assert.NotEmpty(t, s.False)
			assert.Contains(t, s.Text(), "contradicted by ")
		})
	}
}

// Answers that show no harm are no findings.
func TestHarmless(t *testing.T) {
	n := made(planned().Links("hb-L0"))
	n.of("hb").Host = &ir.ForwardingHost{Forwards: true, Daemons: []string{"bgpd"}} // one cable
	n.of("L0").BGP.Static = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}   // outside
	n.of("L0").BGP.Paths = 1
	n.of("L1").Tunnels = []ir.ForwardingTunnel{{Name: "decap", Kind: "ipip"}} // only takes out
	n.of("L2").BGP.Peers = append(n.of("L2").BGP.Peers, ir.ForwardingPeer{Port: "swp99", AS: 64999, Up: true})
	n.of("L3").Ages = &ir.ForwardingAges{ARP: time.Hour}
	r := n.judge()
	assert.Empty(t, codes(r.Findings))
	assert.Equal(t, Checked, r.Of(proof.ASNumbers).State)
	assert.Equal(t, Checked, r.Of(proof.NoTunnels).State)
}

// An assumption is checked only if every device that it concerns was read and is understood.
func TestNotAllRead(t *testing.T) {
	n := made(planned())
	n.of("L0").BGP = nil
	n.of("L0").Unread = map[ir.ForwardingPart]string{ir.PartBGP: "the answer is cut off"}
	n.of("L1").BGP.Peers[0].Policy = "RM-OUT"
	n.of("L2").When = at.Add(-time.Hour)
	r := n.judge()
	s := r.Of(proof.ASNumbers)
	assert.Equal(t, Stated, s.State)
	assert.Equal(t, "not checked; read on 4 of 6 switches; L0: the answer is cut off", s.Text())
	require.Len(t, s.Not, 2)
	assert.Equal(t, "the answer is cut off", s.Not[0].Why)
	assert.Equal(t, "the effect of its policy RM-OUT is not known", s.Not[1].Why)
	assert.Equal(t, at.Add(-time.Hour), s.When)
	assert.Equal(t, Unchecked, r.Of(proof.NoPrepending).State)
	assert.Equal(t, "not checked; read on 5 of 6 switches; L0: the answer is cut off", r.Of(proof.Aggregates).Text())
	assert.Equal(t, "checked on 6 of 6 switches, 27 Nov 09:02 UTC", r.Of(proof.NoTunnels).Text())
	assert.Equal(t, "not checked; forwarding is off or harmless, on 4 of 4 hosts, 27 Nov 10:02 UTC", r.Of(proof.HostsDrain).Text())
	assert.Equal(t, "not checked", r.Of(proof.PausesWork).Text())

	n.of("L3").When = time.Time{} // one time is not known, so the oldest is not
	assert.True(t, n.judge().Of(proof.NoTunnels).When.IsZero())
	assert.Equal(t, "checked on 6 of 6 switches", n.judge().Of(proof.NoTunnels).Text())
}

// Without answers an assumption is stated or unchecked, and nothing is proved or found.
func TestNothingRead(t *testing.T) {
	n := made(clos(ir.UpDown))
	for _, seen := range []*Seen{nil, {}} {
		r := Judge(n.f, n.proofs, seen, nil)
		assert.False(t, r.Read)
		assert.Empty(t, r.Findings)
		assert.Nil(t, r.Running)
		assert.Equal(t, "stated in the fabric", r.Of(proof.NeverUpAgain).Text())
		for _, code := range proof.AssumptionCodes {
			assert.NotEqual(t, Checked, r.Of(code).State)
		}
	}
	var none *Result
	assert.Equal(t, Unchecked, none.Of(proof.HostsDrain).State)
}

// bridgedRing is a ring of bridges.
func bridgedRing() *network {
	c := irtest.New(ir.SpanningTree).Links("s0-s1 s1-s2 s2-s3 s3-s0").Hosts("s0", "s2")
	for _, l := range c.F.Links {
		l.Routed = false
	}
	n := made(c)
	for _, r := range n.seen.Devices {
		if r.Device.Switch != nil {
			r.Trees = []ir.ForwardingTree{{Root: "8000.s0", Bridge: r.Device.Name, States: states(r.Device, "")}}
		}
	}
	n.of("s2").Trees[0].States = states(n.of("s2").Device, "s3")
	return n
}

// states returns the states of the ports of a bridge: it blocks to one neighbour.
func states(d *ir.Device, blocked string) map[string]string {
	out := map[string]string{}
	for _, p := range d.Ports {
		if out[p.Name] = "forwarding"; p.Peer().Device().Name == blocked {
			out[p.Name] = "blocking"
		}
	}
	return out
}

// One tree for all VLANs is checked. Other roots, other trees per VLAN, and a ring that forwards are errors.
func TestSpanningTrees(t *testing.T) {
	r := bridgedRing().judge()
	assert.Empty(t, codes(r.Findings))
	assert.Equal(t, "checked on 4 of 4 switches, 27 Nov 10:02 UTC", r.Of(proof.SpanningTreeRuns).Text())

	for name, x := range map[string]struct {
		edit func(n *network)
		says []string
	}{
		"another root": {
			func(n *network) { n.of("s3").Trees[0].Root = "8000.s3" },
			[]string{"s3 has the root 8000.s3, and s0 has the root 8000.s0"},
		},
		"the ring forwards": {
			func(n *network) { n.of("s2").Trees[0].States = states(n.of("s2").Device, "") },
			[]string{"The cable from s3:p1 to s0:p1 forwards and closes a circle"},
		},
		"no tree": {func(n *network) { n.of("s1").Trees = []ir.ForwardingTree{} }, []string{"s1 runs no spanning tree"}},
		"a tree per VLAN": {func(n *network) {
			for i, d := range []string{"s0", "s1", "s2", "s3"} {
				next := []string{"s1", "s2", "s3", "s0"}[i]
				n.of(d).Trees = []ir.ForwardingTree{
					{VLAN: 10, Root: "s0", States: states(n.of(d).Device, map[bool]string{true: next}[i == 1])},
					{VLAN: 20, Root: "s2", States: states(n.of(d).Device, map[bool]string{true: next}[i == 3])},
				}
			}
		}, []string{"s[0-3] has a tree for each VLAN, and their roots differ: s0 for VLAN 10, s2 for VLAN 20", "closes a circle"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := bridgedRing()
			x.edit(n)
			r := n.judge()
			var text []string
			for _, d := range r.Findings {
				assert.Equal(t, "claim-spanning-tree", d.Code)
				assert.Equal(t, "error", d.Severity.String())
				text = append(text, d.Detail)
			}
			for _, says := range x.says {
				assert.Contains(t, strings.Join(text, "\n"), says)
			}
			assert.Len(t, text, len(x.says))
			assert.NotEmpty(t, r.Of(proof.SpanningTreeRuns).False)
		})
	}
}

// Bridged cables need no spanning tree under another routing.
func TestNoTreeUnderOtherRouting(t *testing.T) {
	c := clos(ir.UpDown)
	for _, l := range c.F.Links {
		l.Routed = false
	}
	n := made(c)
	for _, r := range n.seen.Devices {
		r.Trees = []ir.ForwardingTree{}
	}
	assert.Empty(t, codes(n.judge().Findings))
}

// A port that no tree shows, such as that of a bond, is neither a circle nor checked.
func TestPortInNoTree(t *testing.T) {
	n := bridgedRing()
	for name := range n.of("s2").Trees[0].States {
		delete(n.of("s2").Trees[0].States, name)
	}
	r := n.judge()
	assert.Empty(t, codes(r.Findings))
	s := r.Of(proof.SpanningTreeRuns)
	assert.Equal(t, Unchecked, s.State)
	require.Len(t, s.Not, 1)
	assert.Equal(t, "its trees do not show the state of p0", s.Not[0].Why)
}

// A state that rocec does not know may forward, so the tree is not checked.
func TestUnknownState(t *testing.T) {
	n := bridgedRing()
	n.of("s1").Trees[0].States["p0"] = "FORWARDING"
	r := n.judge()
	assert.Empty(t, codes(r.Findings))
	require.Len(t, r.Of(proof.SpanningTreeRuns).Not, 1)
	assert.Equal(t, "the state FORWARDING of p0 is not known", r.Of(proof.SpanningTreeRuns).Not[0].Why)
}

// A switch without BGP has no AS number.
func TestNoBGP(t *testing.T) {
	n := made(planned())
	n.of("L1").BGP = &ir.ForwardingBGP{}
	r := n.judge()
	require.NotEmpty(t, r.Findings)
	assert.Contains(t, r.Findings[0].Detail, "L1 runs no BGP in the default VRF, and the fabric says ")
}

// An answer that is read in part can contradict an assumption, and does not confirm it.
func TestReadInPart(t *testing.T) {
	n := made(planned())
	for _, name := range []string{"L0", "L1"} {
		n.of(name).Unread = map[ir.ForwardingPart]string{ir.PartBGP: "only its configuration shows it"}
	}
	n.of("L1").BGP.AS = 7
	r := n.judge()
	assert.Equal(t, []string{"error claim-as-number"}, codes(r.Findings))
	require.Len(t, r.Of(proof.ASNumbers).Not, 1)
	assert.Equal(t, "L0", r.Of(proof.ASNumbers).Not[0].Device.Name)
}

// docs/pfc-loops.md has a row for each assumption: what is read for it, and whether that is all of it. The rows are those of the table of
// rules.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/pfc-loops.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "### Which of them devices show")
	require.True(t, found)
	rows := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| ([^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(section, -1) {
		rows[m[1]] = m[2:]
	}
	for _, code := range proof.AssumptionCodes {
		row := rows[string(code)]
		require.NotNil(t, row, "docs/pfc-loops.md has no row for %s", code)
		r := ruleOf(code)
		switch {
		case r == nil || r.scope == nil:
			assert.Equal(t, "-", row[0], "%s: no answer shows it", code)
		case r.part != "":
			assert.Contains(t, row[1], "in part", code)
			fallthrough
		default:
			assert.NotEqual(t, "-", row[0], code)
			assert.Equal(t, r.part != "", strings.Contains(row[1], "in part"), code)
		}
	}
	assert.Len(t, rows, len(proof.AssumptionCodes))
}
