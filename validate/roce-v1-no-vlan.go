package validate

import (
	"github.com/rocec/rocec/validate/walk"
)

// RoCEv1NoVLAN reports RoCEv1 that no switch can classify.
var RoCEv1NoVLAN = &Check{
	Code:    "roce-v1-no-vlan",
	Summary: "RoCEv1 without a VLAN tag to carry its priority",
	Answers: []string{"K8", "N2"},
	OnHop:   true,
	Run: func(p *Pass) {
		domains := walk.DomainsOf(p.Fabric)
		for _, in := range p.Fabric.Intents {
			if walk.Untold(p.Fabric, in, domains) != p.check.Code {
				continue
			}
			if in.VLAN == 0 {
				p.Errorf(in.At, "Roce %q is version 1 without a vlan. RoCEv1 frames have no DSCP; only the priority in a VLAN tag tells a "+
					"switch that they belong to cos group %q, and untagged they are lossy (priority 0). Write vlan = N, "+
					"and let the members' switch ports carry it tagged.", in.Name, in.Group.Name).
					About(in.Name)
			}
			if len(in.Group.PCP) == 0 {
				p.Errorf(in.At, "Roce %q is version 1, but cos group %q claims no 802.1p priority (pcp = []), and RoCEv1 frames carry no "+
					"other mark. Take pcp out of the group; it is then the group's cos, %d.", in.Name, in.Group.Name, in.Group.Cos).
					About(in.Name).
					Note(in.Group.At, "the cos group")
			}
		}
	},
}
