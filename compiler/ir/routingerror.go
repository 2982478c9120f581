package ir

import (
	"fmt"
	"strings"
)

// RoutingError is the error of [Routes] where the fabric does not say which way traffic goes. It holds what a sentence
// about it needs; package validate has the sentence.
type RoutingError struct {
	Code    RoutingCode
	Routing Routing   // that cannot be followed
	Devices []*Device // see the codes
	Out, In *Port     // the two ends of a link; see the codes
	Group   *CosGroup // of LossyGroup
	Intent  *Intent   // of BridgedSubnet; nil: any two hosts may talk
	Most    int       // of ManyASPaths: how many are followed
}

// RoutingCode is a stable word in kebab-case for the cause of a [RoutingError].
type RoutingCode string

// The causes.
const (
	NoRouting     RoutingCode = "no-routing"     // fabric.routing is not written
	NoTable       RoutingCode = "no-table"       // routing by a table, and there is no table
	LossyGroup    RoutingCode = "lossy-group"    // Group is lossy: its traffic waits for no buffer
	LevelLink     RoutingCode = "level-link"     // the link Out - In joins two Devices of one tier and is not a peer link
	HostBetween   RoutingCode = "host-between"   // Devices: a host that forwards, and two devices that it is below
	NoASN         RoutingCode = "no-asn"         // Devices: a switch without an AS number
	ManyASPaths   RoutingCode = "many-as-paths"  // Devices: a switch that may get more than Most AS paths to one destination
	BridgedRing   RoutingCode = "bridged-ring"   // members of a RoCEv1 intent reach each other over a ring of bridged links
	BridgedSubnet RoutingCode = "bridged-subnet" // Devices: two switches, with members of one subnet that bridged links join by several ways
	FloodedBounce RoutingCode = "flooded-bounce" // flooded frames would change their group
	RoutedLink    RoutingCode = "routed-link"    // the lossless link Out - In is routed; the routing governs bridged links
	BridgedLink   RoutingCode = "bridged-link"   // the lossless link Out - In is bridged; the routing governs routed links
)

// RoutingCodes are all causes, in the order of their declaration.
var RoutingCodes = []RoutingCode{
	NoRouting, NoTable, LossyGroup, LevelLink, HostBetween, NoASN, ManyASPaths, BridgedRing, BridgedSubnet, FloodedBounce,
	RoutedLink, BridgedLink,
}

// Error returns the cause and the names that belong to it, for logs and tests.
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
