package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// RoCETwice warns of intents with equal version, cos group and members.
var RoCETwice = &Check{
	Code:    "roce-twice",
	Summary: "two intents with the same members",
	Answers: []string{"X5"},
	Run: func(p *Pass) {
		type key struct {
			version, vlan, members int
			group                  *ir.CosGroup
		}
		same := func(a, b *ir.Intent) bool {
			return slices.EqualFunc(a.Members, b.Members, func(x, y *ir.Member) bool { return x.NIC == y.NIC })
		}
		var alike folds[key, *ir.Intent]
		for _, in := range p.Fabric.Intents {
			if len(in.Members) > 1 { // roce-members reports fewer
				alike.add(key{in.Version, in.VLAN, len(in.Members), in.Group}, in)
			}
		}
		alike.each(func(_ key, all []*ir.Intent) {
			var kinds []*ir.Intent // the first of equal intents
			for _, in := range all {
				i := slices.IndexFunc(kinds, func(o *ir.Intent) bool { return same(o, in) })
				if i < 0 {
					kinds = append(kinds, in)
					continue
				}
				in, first := in, kinds[i]
				if diag.ComparePlace(in.At, first.At) < 0 {
					in, first = first, in
				}
				p.Warnf(in.At, "Roce %q has the version, the cos group %q and the members of roce %q: no field distinguishes the packets of the two. "+
					"Correct one of the blocks, or delete it.", in.Name, in.Group.Name, first.Name).Note(first.At, "the same")
			}
		})
	},
}
