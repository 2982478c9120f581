package ir

import (
	"net/netip"
	"time"
)

// Forwarding is the routing, the bridging and the forwarding of a device as it reports them, at one moment. The claims of a fabric about
// routing, bridging and hosts are compared with it. Each part is nil, or has a reason in Unread, if it was not read.
type Forwarding struct {
	Device *Device
	When   time.Time                 // by the answer or its file; zero: not known
	Unread map[ForwardingPart]string // the reasons, as parts of sentences

	BGP     *ForwardingBGP
	Tables  []ForwardingTable // by address family, IPv4 first
	Trees   []ForwardingTree  // spanning trees, by VLAN
	Ages    *ForwardingAges
	Host    *ForwardingHost
	Tunnels []ForwardingTunnel
}

// ForwardingPart is a part of [Forwarding].
type ForwardingPart string

// The parts.
const (
	PartBGP     ForwardingPart = "bgp"
	PartTables  ForwardingPart = "tables"
	PartTrees   ForwardingPart = "trees"
	PartAges    ForwardingPart = "ages"
	PartHost    ForwardingPart = "host"
	PartTunnels ForwardingPart = "tunnels"
)

// Read reports whether a part was read.
func (r *Forwarding) Read(p ForwardingPart) bool {
	if r == nil {
		return false
	}
	if r.Unread[p] != "" {
		return false
	}
	switch p {
	case PartBGP:
		return r.BGP != nil
	case PartTables:
		return r.Tables != nil
	case PartTrees:
		return r.Trees != nil
	case PartAges:
		return r.Ages != nil
	case PartHost:
		return r.Host != nil
	}
	return r.Tunnels != nil
}

// ForwardingBGP is BGP of the default VRF.
type ForwardingBGP struct {
	AS         uint32
	Peers      []ForwardingPeer // by port or address
	Paths      int              // the most equal paths of eBGP that it uses; 0: not known
	Relaxed    bool             // it uses equal paths of different AS numbers together (bestpath as-path multipath-relax)
	Static     []netip.Prefix   // static routes and routes of other protocols that it announces
	Aggregates []ForwardingAggregate
}

// ForwardingPeer is a neighbour of BGP.
type ForwardingPeer struct {
	Port     string // the port to it; empty: only Address is known
	Address  netip.Addr
	AS       uint32
	Up       bool
	AllowsAS int    // how often a route may contain the device's own AS number (allowas-in); 0: never
	Prepends bool   // a policy of the device makes the AS path longer
	Policy   string // the name of a policy whose effect is not known; empty: none
}

// ForwardingAggregate is an aggregate that a device announces.
type ForwardingAggregate struct {
	Prefix  netip.Prefix
	Discard bool // a route of the device drops packets that no longer prefix contains
}

// ForwardingTable is the forwarding table of one address family.
type ForwardingTable struct {
	Six    bool
	Routes []ForwardingRoute
}

// ForwardingRoute is a row of a forwarding table.
type ForwardingRoute struct {
	To        netip.Prefix
	Connected bool
	Out       []string // the ports of the next hops; empty: the route drops
	Odd       string   // why Out does not show the path of traffic, as part of a sentence; empty: it does
}

// ForwardingTree is a spanning tree as one bridge sees it.
type ForwardingTree struct {
	VLAN   int               // 0: one tree for all VLANs
	Root   string            // the bridge identifier of the root
	Bridge string            // the bridge's own identifier
	States map[string]string // by port: "forwarding", "blocking", "listening", "learning", "disabled"
}

// ForwardingAges are the times after which a switch forgets.
type ForwardingAges struct {
	MAC time.Duration // an address in the table of MAC addresses; 0: never, or not known
	ARP time.Duration // an entry of the neighbour table that is used; 0: not known
}

// ForwardingHost is the part of a host.
type ForwardingHost struct {
	Forwards bool     // it forwards packets between its interfaces (ip_forward)
	Daemons  []string // routing daemons that run
}

// ForwardingTunnel is an interface that puts packets into other packets.
type ForwardingTunnel struct {
	Name, Kind    string // such as "vxlan", "ipip"
	Local, Remote netip.Addr
}
