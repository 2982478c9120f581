package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// MTUUneven warns of members whose RDMA MTUs differ.
var MTUUneven = &Check{
	Code:    "mtu-uneven",
	Summary: "members with different RDMA MTUs",
	Answers: []string{"K9", "N5"},
	OnHop:   true,
	Single:  func(p *Pass, x *walk.Finding) { p.uneven(x.Intent, x.To, x.From, "") },
	Run: func(p *Pass) {
		type pair struct{ small, large diag.Range }
		told := map[pair]bool{}
		for _, in := range p.Fabric.Intents {
			var small, large *ir.NIC
			smaller, stated := 0, 0
			for _, m := range in.Members {
				n := m.NIC
				if n.MTU == 0 || n.Port == nil {
					continue
				}
				stated++
				switch size := ir.RDMAMTU(n.MTU); {
				case small == nil || size < ir.RDMAMTU(small.MTU):
					small, smaller = n, 1
				case size == ir.RDMAMTU(small.MTU):
					smaller++
				}
				if large == nil || ir.RDMAMTU(n.MTU) > ir.RDMAMTU(large.MTU) {
					large = n
				}
			}
			if small == nil || ir.RDMAMTU(small.MTU) == ir.RDMAMTU(large.MTU) {
				continue
			}
			at := pair{diag.FirstPlace(small.MTUAt, small.At), diag.FirstPlace(large.MTUAt, large.At)}
			if told[at] {
				continue
			}
			told[at] = true
			p.uneven(in, small, large, fmt.Sprintf(" (%d of %d have the smaller one)", smaller, stated))
		}
	},
}

// uneven reports a member whose RDMA packets are smaller than those of another; more is text about the whole intent.
func (p *Pass) uneven(in *ir.Intent, small, large *ir.NIC, more string) {
	p.Warnf(diag.FirstPlace(small.MTUAt, small.At), "%s has an MTU of %d and so RDMA packets of %d bytes, %s has %d and %d. Both are "+
		"members of roce %q%s: connections made by RDMA-CM use the smaller size, others can fail. Give all members one MTU.",
		nicName(small), small.MTU, ir.RDMAMTU(small.MTU), nicName(large), large.MTU, ir.RDMAMTU(large.MTU), in.Name, more).
		About(in.Name).
		Note(diag.FirstPlace(large.MTUAt, large.At), "MTU %d", large.MTU)
}
