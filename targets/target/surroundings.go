package target

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
)

// SortedPorts returns the ports of a switch, sorted by name.
func SortedPorts(d *ir.Device) []*ir.Port {
	return slices.SortedFunc(slices.Values(d.Ports), func(a, b *ir.Port) int { return nodeset.Compare(a.Name, b.Name) })
}

// AgentOf returns the lldpd of a switch with the fabric's cables: it sees other switches.
func AgentOf(d *ir.Device) *LLDPAgent {
	a := &LLDPAgent{}
	for _, p := range SortedPorts(d) {
		if peer := p.Peer(); peer.Device().Switch != nil || peer.Device().ByHand != nil {
			a.Ports = append(a.Ports, LLDPPort{Port: p.Name, Peer: peer.Device().Name, PeerPort: peer.Name})
		}
	}
	return a
}

// RouterOf returns the FRR of a switch with the BGP sessions of the fabric.
func RouterOf(d *ir.Device, families bool) *Router {
	r := &Router{AS: d.Switch.ASN, Families: families}
	for _, p := range SortedPorts(d) {
		if peer := p.Peer().Device().Switch; peer != nil && p.Link().Routed && d.Switch.ASN > 0 && peer.ASN > 0 {
			r.Peers = append(r.Peers, RouterPeer{Port: p.Name, AS: peer.ASN})
		}
	}
	return r
}

// ForwarderOf returns the kernel of a device: a switch forwards and runs FRR, a host forwards as the fabric states. reachable is
// base_reachable_time in ms.
func ForwarderOf(d *ir.Device, reachable int) Forwarder {
	k := Forwarder{Forwards: d.Forwards(), Reachable: reachable}
	if d.Switch != nil {
		k.Programs = []string{"zebra", "bgpd"}
	}
	return k
}

// BridgeOf returns the bridge of a switch with the VLANs of intents at the ports that carry them. bond returns the bond of a port; empty:
// none.
func BridgeOf(d *ir.Device, keyed bool, bond func(*ir.Port) string) *Bridge {
	b := &Bridge{VLANs: map[string][]int{}, Keyed: keyed}
	for _, p := range SortedPorts(d) {
		name := p.Name
		if in := bond(p); in != "" {
			if name = in; !slices.Contains(b.Bonds, name) {
				b.Bonds = append(b.Bonds, name)
			}
		}
		if p.Link().Routed {
			continue
		}
		intents := d.Switch.Intents
		if nic := p.Peer().NIC; nic != nil {
			intents = nic.Carries()
		}
		for _, in := range intents {
			if in.VLAN > 0 && !slices.Contains(b.VLANs[name], in.VLAN) {
				b.VLANs[name] = append(b.VLANs[name], in.VLAN)
			}
		}
	}
	return b
}
