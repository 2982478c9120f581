package claims

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

// enough is the budget of tests that do not test budgets.
func enough() *ir.Budget { return ir.NewBudget(6_000_000_000) }

// network is a fabric whose devices report that they do what the fabric says. Tests change single answers.
type network struct {
	f      *ir.Fabric
	proofs []*proof.Proof
	seen   *Seen
}

// at is the time of all answers.
var at = time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)

// made completes a fabric and makes the answers of its devices.
func made(c *irtest.Cabling) *network {
	f := c.Fabric()
	f.Routes = routes.New(f)
	n := &network{f: f, proofs: proof.All(f, enough()), seen: &Seen{By: "snapshot"}}
	for _, d := range f.Devices {
		r := &ir.Forwarding{Device: d, When: at}
		if d.Host != nil {
			r.Host = &ir.ForwardingHost{}
		}
		if d.Switch != nil {
			r.BGP = &ir.ForwardingBGP{AS: uint32(d.Switch.ASN), Paths: 64, Relaxed: true} //nolint:gosec // of a test
			for _, p := range d.Ports {
				if q := p.Peer().Device(); q.Switch != nil {
					peer := ir.ForwardingPeer{Port: p.Name, AS: uint32(q.Switch.ASN), Up: true} //nolint:gosec // of a test
					r.BGP.Peers = append(r.BGP.Peers, peer)
				}
			}
			r.Ages, r.Tunnels = &ir.ForwardingAges{MAC: 30 * time.Minute, ARP: 20 * time.Minute}, []ir.ForwardingTunnel{}
		}
		n.seen.Devices = append(n.seen.Devices, r)
	}
	n.route(nil)
	return n
}

// of returns the answers of a device.
func (n *network) of(name string) *ir.Forwarding {
	i := slices.IndexFunc(n.seen.Devices, func(r *ir.Forwarding) bool { return r.Device.Name == name })
	return n.seen.Devices[i]
}

// route gives every forwarding device the routes of all shortest paths to every host, without the links that are down.
func (n *network) route(down []*ir.Link) {
	tables := make([][]ir.ForwardingRoute, len(n.f.Devices))
	sets := map[string][]string{} // routes with equal next hops share them
	for _, h := range n.f.Devices {
		if h.Host == nil || h.Host.Forwards {
			continue
		}
		to := netip.PrefixFrom(h.Host.NICs[0].IP.Addr(), 32)
		distance := make([]int, len(n.f.Devices))
		queue := []*ir.Device{}
		for _, p := range h.Ports {
			if !slices.Contains(down, p.Link()) {
				distance[p.Peer().Device().ID] = 1
				queue = append(queue, p.Peer().Device())
			}
		}
		for i := 0; i < len(queue); i++ {
			for _, p := range queue[i].Ports {
				if q := p.Peer().Device(); q.Forwards() && distance[q.ID] == 0 && !slices.Contains(down, p.Link()) {
					distance[q.ID] = distance[queue[i].ID] + 1
					queue = append(queue, q)
				}
			}
		}
		for _, d := range queue {
			r := ir.ForwardingRoute{To: to}
			for _, p := range d.Ports {
				q := p.Peer().Device()
				if q == h || q.Forwards() && distance[q.ID] == distance[d.ID]-1 && distance[q.ID] > 0 && !slices.Contains(down, p.Link()) {
					r.Out = append(r.Out, p.Name)
				}
			}
			key := strings.Join(r.Out, " ")
			if sets[key] == nil {
				sets[key] = slices.Clip(r.Out)
			}
			r.Out = sets[key]
			tables[d.ID] = append(tables[d.ID], r)
		}
	}
	for _, r := range n.seen.Devices {
		if r.Device.Forwards() {
			r.Tables = []ir.ForwardingTable{{Routes: slices.Clip(tables[r.Device.ID])}}
		}
	}
}

// judge judges the answers.
func (n *network) judge() *Result { return Judge(n.f, n.proofs, n.seen, enough()) }

// codes returns the codes of findings with their severities.
func codes(l diag.List) (out []string) {
	for _, d := range l {
		out = append(out, d.Severity.String()+" "+d.Code)
	}
	return out
}

// clos is a Clos of two leaves and two spines with two hosts at each leaf, in three tiers with hosts.
func clos(r ir.Routing) *irtest.Cabling {
	return irtest.New(r).Links("L0-S0 L0-S1 L1-S0 L1-S1 L2-S0 L2-S1 L3-S0 L3-S1").Tier("S", 2).Hosts("L0", "L1", "L2", "L3")
}

// planned numbers a Clos as RFC 7938 does.
func planned() *irtest.Cabling { return clos(ir.EBGP).UniqueASNs().ASN("S", 65000) }
