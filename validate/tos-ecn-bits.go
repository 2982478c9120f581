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
	Doc: `
The lower two bits of the type of service are no part of the DSCP: they are the ECN field, by which
a packet says that it can be marked, or that it was. mlx5 NICs ignore them in tos and set their own.
Other NICs and Soft-RoCE may send them as they are, and with both bits set every packet looks
marked already.

Example:

    host "gpu" {
      nic "ens1f0" {
        model = "connectx-5"
        tos   = 106 # DSCP 26 is 104; 2 more says "can be marked"
      }
    }

Fix: a multiple of four; two devices compare equal by DSCP, tos / 4.

    host "gpu" {
      nic "ens1f0" { tos = 104 }
    }
`,
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
