package validate

import (
	"net/netip"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEv1Subnets reports members of a version 1 intent with addresses of different subnets.
var RoCEv1Subnets = &Check{
	Code:    "roce-v1-subnets",
	Summary: "RoCEv1 between subnets",
	Answers: []string{"K8", "N15"},
	Run: func(p *Pass) {
		domains := walk.DomainsOf(p.Fabric)
		for _, in := range p.Fabric.Intents {
			if in.Version != 1 {
				continue
			}
			domain := domains()
			first := map[int]*ir.NIC{} // by domain
			var odd []*ir.NIC
			for _, m := range in.Members {
				n, at := m.NIC, walk.AttachedTo(m.NIC)
				if at == nil || !n.IP.IsValid() || n.IP.IsSingleIP() {
					continue
				}
				switch of := first[domain[at.ID]]; {
				case of == nil:
					first[domain[at.ID]] = n
				case of.IP.Masked() != n.IP.Masked():
					odd = append(odd, n)
				}
			}
			if len(odd) == 0 {
				continue
			}
			n := odd[0]
			of := first[domain[walk.AttachedTo(n).ID]]
			p.Errorf(diag.FirstPlace(n.IPAt, n.At), "Roce %q is version 1, and %s in another subnet (%s: %s) than %s (%s). Traffic between "+
				"subnets needs a gateway, which cannot forward RoCEv1. Give all members addresses of one subnet, or "+
				"make the intent version 2.",
				in.Name, verb(nicNames(odd), len(odd), "is", "are"), n.Name, network(n.IP), nicName(of), network(of.IP)).
				Note(in.VersionAt, "version 1").
				Note(diag.FirstPlace(of.IPAt, of.At), "%s is in %s", nicName(of), network(of.IP))
		}
	},
}

func network(ip netip.Prefix) string { return ip.Masked().String() }
