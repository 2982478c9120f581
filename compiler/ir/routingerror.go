package ir

import (
	"fmt"
	"strings"
)

// RoutingError is the error of [Routes] if the fabric does not determine the path of traffic. It contains the values for a message; package
// validate writes the message.
type RoutingError struct {
	Code    RoutingCode
	Routing Routing   // the routing that cannot be followed
	Devices []*Device // see the codes
	Out, In *Port     // the two ends of a link; see the codes
	Group   *CosGroup // of LossyGroup
	Intent  *Intent   // for BridgedSubnet; nil: any two hosts may communicate
	Most    int       // for ManyASPaths: the number of paths that are followed
}

// RoutingCode is a stable word in kebab-case for the cause of a [RoutingError].
type RoutingCode string

// The causes.
const (
	NoRouting     RoutingCode = "no-routing"     // fabric.routing is not set
	NoTable       RoutingCode = "no-table"       // routing by a table, and there is no table
	LossyGroup    RoutingCode = "lossy-group"    // Group is lossy: its traffic does not wait for buffers
	LevelLink     RoutingCode = "level-link"     // the link Out - In joins two Devices of one tier and is not a peer link
	HostBetween   RoutingCode = "host-between"   // Devices: a host that forwards, and two devices above it
	NoASN         RoutingCode = "no-asn"         // Devices: a switch without an AS number
	ManyASPaths   RoutingCode = "many-as-paths"  // Devices: a switch that may receive more than Most AS paths to one destination
	BridgedRing   RoutingCode = "bridged-ring"   // members of a RoCEv1 intent reach each other over a ring of bridged links
	BridgedSubnet RoutingCode = "bridged-subnet" // Devices: two switches with members of one subnet, connected by several bridged paths
	FloodedBounce RoutingCode = "flooded-bounce" // flooded frames would change their group
	RoutedLink    RoutingCode = "routed-link"    // the lossless link Out - In is routed; the routing governs bridged links
	BridgedLink   RoutingCode = "bridged-link"   // the lossless link Out - In is bridged; the routing governs routed links
)

// RoutingCodes lists all causes, in the order of their declaration.
var RoutingCodes = []RoutingCode{
	NoRouting, NoTable, LossyGroup, LevelLink, HostBetween, NoASN, ManyASPaths, BridgedRing, BridgedSubnet, FloodedBounce,
	RoutedLink, BridgedLink,
}

// Error returns the cause with its names, for logs and tests.
func (e *RoutingError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "routing %q cannot be followed: %s", e.Routing, e.Code)
	for _, d := range e.Devices {
		b.WriteString(" " + d.Name)
	}
	if e.Out != nil {
		fmt.Fprintf(&b, " %s - %s", e.Out, e.In)
	}
	if e.Group != nil {
		b.WriteString(" " + e.Group.Name)
	}
	return b.String()
}
