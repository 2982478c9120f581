package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// ECNWithoutV2 warns of marking that RoCEv1 cannot carry.
var ECNWithoutV2 = &Check{
	Code:    "ecn-without-v2",
	Summary: "ECN for RoCEv1, which cannot be marked",
	Answers: []string{"N11"},
	Run: func(p *Pass) {
		first, v2 := map[*ir.CosGroup]*ir.Intent{}, map[*ir.CosGroup]bool{}
		for _, in := range p.Fabric.Intents {
			if first[in.Group] == nil {
				first[in.Group] = in
			}
			v2[in.Group] = v2[in.Group] || in.Version != 1
		}
		for _, g := range p.Fabric.CosGroups {
			if in := first[g]; g.ECN != nil && in != nil && !v2[g] {
				p.Warnf(diag.FirstPlace(g.ECN.At, g.At), "Cos group %q asks for ECN, but only RoCEv1 travels in it: roce %q is version 1, "+
					"whose frames have no IP header to mark. PFC alone protects it. Leave ecn out, or make the intent version "+
					"2.", g.Name, in.Name).
					Note(in.VersionAt, "version 1")
			}
		}
	},
}
