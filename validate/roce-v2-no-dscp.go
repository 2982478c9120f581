package validate

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEv2NoDSCP reports RoCEv2 that switches cannot tell from other traffic.
var RoCEv2NoDSCP = &Check{
	Code:    "roce-v2-no-dscp",
	Summary: "RoCEv2 without a DSCP",
	Answers: []string{"K3", "N9"},
	OnHop:   true,
	Doc: `
RoCEv2 is routed, and a VLAN tag with its priority does not survive an IP hop: the DSCP is the
mark that reaches every switch. The DSCP of the cos group is also what the NICs are told to
send. Without one the packets go out as best effort.

Only an intent with a vlan whose members are all in one broadcast domain can do with the 802.1p
priority alone; what goes wrong with that are pcp-untagged and pcp-over-routed.

Example:

    cos_group "rdma" {
      cos      = 4
      lossless = true
      ecn {} # no dscp
    }
    roce "training" {
      version   = 2
      cos_group = cos_group.rdma
    }

Fix: a DSCP that no other group claims.

    cos_group "rdma" { dscp = ["af31"] }
`,
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
				Note(in.Group.At, "the cos group")
		}
	},
}
