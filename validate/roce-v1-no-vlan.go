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
	Doc: `
A RoCEv1 frame has no IP header, so no DSCP: the only mark a switch can go by is the 802.1p
priority (PCP) in a VLAN tag. An untagged frame has none and falls into priority 0, which is
lossy. A version 1 intent therefore needs vlan, and its cos group a pcp (default: its cos).

Example:

    roce "nvme" {
      version   = 1
      cos_group = cos_group.storage
      members   = [host.store] # no vlan
    }

Fix: a vlan, tagged at every member's switch port.

    roce "nvme" { vlan = 100 }
`,
	Run: func(p *Pass) {
		domains := walk.DomainsOf(p.Fabric)
		for _, in := range p.Fabric.Intents {
			if walk.Untold(p.Fabric, in, domains) != p.check.Code {
				continue
			}
			if in.VLAN == 0 {
				p.Errorf(in.At, "Roce %q is version 1 without a vlan. RoCEv1 frames have no DSCP; only the priority in a VLAN tag tells a "+
					"switch that they belong to cos group %q, and untagged they are lossy (priority 0). Write vlan = N, "+
					"and let the members' switch ports carry it tagged.", in.Name, in.Group.Name)
			}
			if len(in.Group.PCP) == 0 {
				p.Errorf(in.At, "Roce %q is version 1, but cos group %q claims no 802.1p priority (pcp = []), and RoCEv1 frames carry no "+
					"other mark. Take pcp out of the group, so that it is the group's cos, %d.", in.Name, in.Group.Name, in.Group.Cos).
					Note(in.Group.At, "the cos group")
			}
		}
	},
}
