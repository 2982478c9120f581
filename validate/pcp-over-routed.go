package validate

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// PCPOverRouted reports RoCEv2 identified by PCP across an IP hop, where the tag ends.
var PCPOverRouted = &Check{
	Code:    "pcp-over-routed",
	Summary: "RoCEv2 identified by PCP across a routed link",
	Answers: []string{"K3", "N3"},
	OnHop:   true,
	Run: func(p *Pass) {
		domains := walk.DomainsOf(p.Fabric)
		for _, in := range p.Fabric.Intents {
			if walk.Untold(p.Fabric, in, domains) != p.check.Code {
				continue
			}
			first, other := walk.TwoDomains(in, domains())
			routed := routedBetween(walk.AttachedTo(first.NIC), walk.AttachedTo(other.NIC))
			if routed == nil {
				continue // there is no path between them, so no routed link is on it
			}
			d := p.untoldGrade(in)(diag.FirstPlace(in.GroupAt, in.At),
				"Roce %q is version 2, and PCP identifies it, since cos group %q claims no DSCP. The 802.1p priority of its "+
					"vlan does not survive the routed links between its members, such as from %s to %s: after them its packets are best effort. "+
					"Write a dscp in the cos group, for example dscp = [\"af31\"].", in.Name, in.Group.Name, nicName(first.NIC), nicName(other.NIC)).
				About(in.Name)
			d.Note(in.Group.At, "the cos group")
			noteRouted(d, routed)
		}
	},
}
