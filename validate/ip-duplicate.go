package validate

import (
	"fmt"
	"net/netip"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// IPDuplicate reports members of one intent that have the same address.
var IPDuplicate = &Check{
	Code:    "ip-duplicate",
	Summary: "two members have one IP address",
	Answers: []string{"N15"},
	Run: func(p *Pass) {
		type pair struct{ first, again diag.Range }
		type clash struct {
			first, again *ir.NIC
			addr         netip.Addr
		}
		var found folds[pair, clash]
		seen := map[*ir.NIC]bool{} // reported with an earlier intent
		bonds := map[*ir.Bond]bool{}
		for _, in := range p.Fabric.Intents {
			owner := make(map[netip.Addr]*ir.NIC, len(in.Members))
			for _, m := range in.Members {
				n := m.NIC
				ip, _ := addressOf(n, in)
				if !ip.IsValid() {
					continue
				}
				addr := ip.Addr().Unmap()
				switch of := owner[addr]; {
				case of == nil:
					owner[addr] = n
				case !seen[n] && (n.Bond == nil || n.Bond != of.Bond && !bonds[n.Bond]):
					seen[n] = true
					if n.Bond != nil {
						bonds[n.Bond] = true
					}
					_, first := addressOf(of, in)
					_, again := addressOf(n, in)
					if diag.ComparePlace(first, again) > 0 {
						of, n, first, again = n, of, again, first
					}
					found.add(pair{first, again}, clash{of, n, addr})
				}
			}
		}
		found.each(func(at pair, all []clash) {
			c := all[0]
			more := ""
			if len(all) > 1 {
				more = fmt.Sprintf(" (and %s more like it)", diag.Count(len(all)-1, "NIC"))
			}
			d := p.Errorf(at.again, "%s has the address of %s, %s%s. Connections to it reach the NIC that answered last. Give every NIC its own "+
				"address.",
				nicName(c.again), nicName(c.first), c.addr, more)
			if at.first != at.again {
				d.Note(at.first, "%s has it", nicName(c.first))
			}
		})
	},
}

// addressOf returns the address of a NIC in an intent, and its place. It is the address of the VLAN interface if rocec makes one, or that
// of the interface.
func addressOf(n *ir.NIC, in *ir.Intent) (netip.Prefix, diag.Range) {
	if n.CreateVLAN && n.VLANIP.IsValid() && in.VLAN > 0 && !in.ByDSCP() {
		return n.VLANIP, diag.FirstPlace(n.VLANAt, n.At)
	}
	return n.IP, diag.FirstPlace(n.IPAt, n.At)
}
