package validate

import (
	"errors"
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
)

// RoutingText returns why routing cannot be followed, by an error of [ir.Routes]. It is not a full sentence: it begins with a name or a
// small letter and has no full stop.
func RoutingText(err error) string {
	e, ok := errors.AsType[*ir.RoutingError](err)
	if !ok { // the budget ran out
		return err.Error()
	}
	names := make([]any, len(e.Devices))
	for i, d := range e.Devices {
		names[i] = d.Name
	}
	switch e.Code {
	case ir.NoRouting:
		return "the fabric does not state how lossless traffic is forwarded (fabric.routing)"
	case ir.NoTable:
		return "the fabric is routed by a table of next hops, and no table is given"
	case ir.LossyGroup:
		return fmt.Sprintf("cos group %q is lossy, and its traffic waits for no buffer", e.Group.Name)
	case ir.LevelLink:
		return fmt.Sprintf("%s and %s are both of tier %d and the link %s - %s is not a peer link, so it is neither up nor down: give them "+
			"different tiers, or write peer = true if a path has at most one such step",
			append(names, e.Devices[0].Height(), e.Out, e.In)...)
	case ir.HostBetween:
		return fmt.Sprintf("host %s forwards between %s and %s and is below both: the tiers leave open whether traffic may come down to "+
			"it and go up again", names...)
	case ir.NoASN:
		return fmt.Sprintf("%s has no AS number (asn), so it is not known which routes it accepts", names...)
	case ir.ManyASPaths:
		return fmt.Sprintf("%s may get more than %d different AS paths to one destination, too many to follow: give switches of "+
			"one layer the same AS number, as RFC 7938 does", e.Devices[0].Name, e.Most)
	case ir.BridgedRing:
		return fmt.Sprintf("members of a RoCEv1 intent reach each other over a ring of bridged links, and routing %q does not say how "+
			"bridged traffic goes", e.Routing)
	case ir.BridgedSubnet:
		who := "hosts"
		if e.Intent != nil {
			who = fmt.Sprintf("members of roce %q", e.Intent.Name)
		}
		return fmt.Sprintf("%s on %s and %s are of one subnet, or of subnets that the fabric does not state, so their frames cross no IP hop; "+
			"the bridged links between these switches make a circle, and routing %q does not state which of them a frame takes: write "+
			"routed = true on the links, give the hosts of each switch a separate subnet (ip), or bridge without a circle", who, names[0],
			names[1], e.Routing)
	case ir.FloodedBounce:
		return "flooded frames come down and go up again everywhere, so rocec does not follow the copies that bounce into another cos group"
	case ir.RoutedLink:
		return fmt.Sprintf("routing %q describes bridged traffic only, and the lossless link %s - %s is routed: the fabric does not state how "+
			"traffic is routed over it", e.Routing, e.Out, e.In)
	case ir.BridgedLink:
		return fmt.Sprintf("routing %q describes routed traffic only, and the lossless link %s - %s is bridged: the fabric does not state "+
			"whether frames cross it; if a BGP session runs over it, write routed = true", e.Routing, e.Out, e.In)
	}
	panic(fmt.Sprintf("validate: no words for the cause %q", e.Code))
}

// MixtureText returns the difference between the states whose turns or paths were combined: "which of several ...".
func MixtureText(m ir.Mixture) string {
	if m == ir.MixedTies {
		return "which of several equally long AS paths a switch advertises"
	}
	panic(fmt.Sprintf("validate: no words for the mixture %q", m))
}
