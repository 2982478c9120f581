package validate

import (
	"cmp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// BondSplit reports bonds whose two switches do not act as one.
var BondSplit = &Check{
	Code:    "bond-split",
	Summary: "a bond to two switches that are not a pair",
	Answers: []string{"K14", "N16"},
	Run: func(p *Pass) {
		type key struct{ bond, a, b diag.Range }
		var found folds[key, *ir.Bond]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, bond := range d.Host.Bonds {
				if bond.Mode == "active-backup" || len(bond.NICs) != 2 || len(bond.NICs[0].Intents) == 0 ||
					bond.NICs[0].Port == nil || bond.NICs[1].Port == nil {
					continue
				}
				a, b := bond.NICs[0].Port.Peer().Device(), bond.NICs[1].Port.Peer().Device()
				if a == b || a.Switch == nil || b.Switch == nil || a.Switch.MLAG != "" && a.Switch.MLAG == b.Switch.MLAG {
					continue
				}
				found.add(key{bond.At, mlagAt(a), mlagAt(b)}, bond)
			}
		}
		found.each(func(k key, bonds []*ir.Bond) {
			a, b := bonds[0].NICs[0], bonds[0].NICs[1]
			left, right := a.Port.Peer().Device(), b.Port.Peer().Device()
			d := p.Errorf(diag.FirstPlace(bonds[0].ModeAt, k.bond), "%s in mode %s, which needs one switch or a pair at its other end, "+
				"but %s goes to %s and %s to %s, which %s. Give both switches the same mlag, if they are a pair; otherwise "+
				"cable both ports to one switch, or use mode = \"active-backup\".",
				verb(bondsText(bonds), len(bonds), "is", "are"), bonds[0].Mode, a.Name, left.Name, b.Name, right.Name,
				noPair(left, right))
			d.Note(k.a, "%s: %s", left.Name, cmp.Or(left.Switch.MLAG, "no mlag"))
			if k.b != k.a {
				d.Note(k.b, "%s: %s", right.Name, cmp.Or(right.Switch.MLAG, "no mlag"))
			}
		})
	},
}

func noPair(a, b *ir.Device) string {
	if a.Switch.MLAG == "" && b.Switch.MLAG == "" {
		return "have no mlag"
	}
	return "are not of one mlag"
}
