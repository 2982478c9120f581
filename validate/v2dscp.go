package validate

// RoCEv2NoDSCP reports RoCEv2 that switches cannot tell from other traffic.
var RoCEv2NoDSCP = &Check{
	Code:    "roce-v2-no-dscp",
	Summary: "RoCEv2 without a DSCP",
	Doc: `RoCEv2 is routed, and a VLAN tag with its priority does not survive an IP hop: the DSCP is the
mark that reaches every switch. The DSCP of the cos group is also what the NICs are told to
send. Without one the packets go out as best effort.

Only an intent with a vlan whose members are all in one broadcast domain can do with the 802.1p
priority alone.

Example:

    cos_group "rdma" {
      cos      = 4
      lossless = true
      ecn {}               # no dscp
    }

How to mend it: dscp = ["af31"], or another value no other group claims.`,
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			if in.Version != 2 || len(in.Group.DSCP) > 0 {
				continue
			}
			domain, domains := broadcastDomains(p.Fabric), map[int]bool{}
			for _, m := range in.Members {
				if at := attachedTo(m.NIC); at != nil {
					domains[domain[at.ID]] = true
				}
			}
			why := "The intent has no vlan, so there is no 802.1p priority either"
			switch {
			case in.VLAN != 0 && len(in.Group.PCP) > 0 && len(domains) <= 1:
				continue
			case in.VLAN != 0 && len(in.Group.PCP) == 0:
				why = "It claims no 802.1p priority either (pcp = [])"
			case in.VLAN != 0:
				why = "The 802.1p priority of its vlan does not survive the routed links between its members"
			}
			p.Errorf(orAt(in.GroupAt, in.At), "Roce %q is version 2, but cos group %q claims no DSCP. %s: NICs and switches would treat it as best "+
				"effort. Write a dscp in the cos group, for example dscp = [\"af31\"].", in.Name, in.Group.Name, why).
				Note(in.Group.At, "the cos group")
		}
	},
}
