package validate

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// PCPUntagged reports RoCEv2 identified by PCP in packets without a PCP.
var PCPUntagged = &Check{
	Code:    "pcp-untagged",
	Summary: "RoCEv2 identified by PCP without a VLAN tag",
	Answers: []string{"K3", "N2"},
	OnHop:   true,
	Run: func(p *Pass) {
		domains := walk.DomainsOf(p.Fabric)
		for _, in := range p.Fabric.Intents {
			if walk.Untold(p.Fabric, in, domains) != p.check.Code {
				continue
			}
			p.untoldGrade(in)(diag.FirstPlace(in.GroupAt, in.At),
				"Roce %q is version 2, and cos group %q claims no DSCP, so PCP identifies it. But the intent has no vlan: without "+
					"a tag there is no PCP, and its packets are in cos 0 everywhere, %s. Write a dscp in the cos group, or vlan = N in the roce block.",
				in.Name, in.Group.Name, groupAt(p.Fabric, 0)).
				About(in.Name).
				Note(in.Group.PCP[0].At, "the PCP it claims")
		}
	},
}
