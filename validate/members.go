package validate

import "github.com/rocec/rocec/lang/diag"

// RoCEMembers warns of intents that protect nothing.
var RoCEMembers = &Check{
	Code:    "roce-members",
	Summary: "an intent has members that cannot talk",
	Doc: `A roce block says who talks to whom; PFC, ECN and the proof follow from it. With fewer than two
members, or with members whose interface has no cable in the fabric, there is nobody to talk to,
and what was meant to be lossless is not. Usually a link is missing, or the list of members is.

Example:

    roce "training" {
      version   = 2
      cos_group = cos_group.rdma
      members   = []
    }

How to mend it: name the members (members = [host.gpu]), and give each a link.`,
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			if len(in.Members) < 2 {
				p.Warnf(in.At, "Roce %q has %s, so nobody talks and nothing is protected. Name the hosts that talk to each other.",
					in.Name, diag.Count(len(in.Members), "member"))
			}
			var loose []string
			first := in.At
			for _, m := range in.Members {
				if m.NIC.Port == nil {
					if len(loose) == 0 {
						first = orAt(m.At, in.At)
					}
					loose = append(loose, nicName(m.NIC))
				}
			}
			if len(loose) > 0 {
				p.Warnf(first, "%s: a member of roce %q, but no link cables it, so its traffic is outside of what is proved and configured. "+
					"Add a link, or leave it out of the members.", someOf(loose), in.Name)
			}
		}
	},
}
