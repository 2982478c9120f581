package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// TOSECNBits notes a tos that also says something about ECN.
var TOSECNBits = &Check{
	Code:    "tos-ecn-bits",
	Summary: "tos sets the ECN bits, too",
	Answers: []string{"N22"},
	Run: func(p *Pass) {
		var f folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if n.TOS >= 0 && n.TOS&3 != 0 && hasV2(n.Carries()) {
					f.add(diag.FirstPlace(n.TOSAt, n.At), n)
				}
			}
		}
		for _, at := range f.order {
			nics := f.of[at]
			n := nics[0]
			effect := n.Model.Title + " may send them as they are."
			switch {
			case n.Can().OwnECN:
				effect = n.Model.Title + " ignores them and sets its own."
			case n.TOS&3 == 3:
				effect = n.Model.Title + " may send them as they are, and every packet would look marked already."
			}
			p.Noticef(at, "%s tos = %d. The lower two bits are not DSCP but ECN. %s DSCP %d alone is tos = %d.",
				verb(nicNames(nics), len(nics), "has", "have"), n.TOS, effect, n.TOS>>2, n.TOS&^3)
		}
	},
}

func hasV2(intents []*ir.Intent) bool {
	for _, in := range intents {
		if in.Version == 2 {
			return true
		}
	}
	return false
}
