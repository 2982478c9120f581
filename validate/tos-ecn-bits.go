package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// TOSECNBits notes a tos that sets ECN bits.
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
			p.Noticef(at, "%s tos = %d. The lower two bits are not DSCP but ECN%s. %s",
				verb(nicNames(nics), len(nics), "has", "have"), n.TOS, custom(n.TOS), ownBits(n))
		}
	},
}

// custom returns text about the usual tos with ECT(0); empty for other ECN bits. Source: UCT_IB_DEFAULT_ROCEV2_DSCP of UCX is 106, and
// scripts of hosts have 106 for cma_roce_tos and traffic_class.
func custom(tos int) string {
	switch {
	case tos == 106:
		return ": it is DSCP 26 with ECT(0), as public scripts and UCX (auto) have it"
	case tos&3 == 2:
		return fmt.Sprintf(": it is DSCP %d with ECT(0), as public scripts have it (106 for DSCP 26)", tos>>2)
	}
	return ""
}

// ownBits returns what a NIC does with the ECN bits of a tos, and the tos for the DSCP alone.
func ownBits(n *ir.NIC) string {
	title, alone := n.Model.Title, fmt.Sprintf("DSCP %d alone is tos = %d.", n.TOS>>2, n.TOS&^3)
	switch {
	case n.Can().OwnECN:
		return fmt.Sprintf("%s ignores them and sets its own, so tos = %d (DSCP %d alone) works, too: its packets can be marked as well.",
			title, n.TOS&^3, n.TOS>>2)
	case n.TOS&3 == 3:
		return title + "  may send them unchanged, and every packet would look marked already. " + alone
	case n.Can().NoDCQCN:
		return title + "  may send them unchanged, and does not slow down when they are marked. " + alone
	}
	return title + "  may send them unchanged; whether it sets its own bits is not known. " + alone
}

func hasV2(intents []*ir.Intent) bool {
	for _, in := range intents {
		if in.Version == 2 {
			return true
		}
	}
	return false
}
