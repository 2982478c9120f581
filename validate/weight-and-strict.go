package validate

import "github.com/rocec/rocec/lang/diag"

// WeightAndStrict warns of a weight that has no effect.
var WeightAndStrict = &Check{
	Code:    "weight-and-strict",
	Summary: "both a weight and strict priority",
	Answers: []string{"4", "K20"},
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.Strict && g.Weight > 0 {
				p.Warnf(diag.FirstPlace(g.WeightAt, g.At), "Cos group %q is strict, so its weight of %d has no effect: it is sent before all "+
					"groups that share the link. Leave one of the two out.", g.Name, g.Weight).
					Note(diag.FirstPlace(g.StrictAt, g.At), "makes it strict")
			}
		}
	},
}
