package validate

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEv2NoDSCP reports RoCEv2 that switches cannot distinguish from other traffic.
var RoCEv2NoDSCP = &Check{
	Code:    "roce-v2-no-dscp",
	Summary: "RoCEv2 without a DSCP",
	Answers: []string{"K3", "N9"},
	OnHop:   true,
	Run: func(p *Pass) {
		domains := walk.DomainsOf(p.Fabric)
		for _, in := range p.Fabric.Intents {
			if walk.Untold(p.Fabric, in, domains) != p.check.Code {
				continue
			}
			why := "It claims no 802.1p priority either (pcp = [])"
			if len(in.Group.PCP) > 0 {
				why = "The intent has no vlan, so there is no 802.1p priority either, and it would end at the routed links between its members"
			}
			p.untoldGrade(in)(diag.FirstPlace(in.GroupAt, in.At),
				"Roce %q is version 2, but cos group %q claims no DSCP. %s: NICs and switches would treat it as best "+
					"effort. Write a dscp in the cos group, for example dscp = [\"af31\"].", in.Name, in.Group.Name, why).
				About(in.Name).
				Note(in.Group.At, "the cos group")
		}
	},
}
