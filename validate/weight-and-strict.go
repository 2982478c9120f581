package validate

import "github.com/rocec/rocec/lang/diag"

// WeightAndStrict warns of a weight that has no effect.
var WeightAndStrict = &Check{
	Code:    "weight-and-strict",
	Summary: "both a weight and strict priority",
	Answers: []string{"4", "K20"},
	Doc: `
A group is scheduled in one of two ways: it has a share of the link (weight), or it is sent before
all others (strict). With both written, the weight has no effect, and one of the two lines is not
what was meant.

Example:

    cos_group "cnp" {
      cos    = 6
      weight = 10
      strict = true
    }

Fix: leave one of the two out.

    cos_group "cnp" {
      strict = true # no weight
    }
`,
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.Strict && g.Weight > 0 {
				p.Warnf(diag.FirstPlace(g.WeightAt, g.At), "Cos group %q is strict, so its weight of %d has no effect: it is sent before "+
					"all that share the link. Leave one of the two out.", g.Name, g.Weight).
					Note(diag.FirstPlace(g.StrictAt, g.At), "makes it strict")
			}
		}
	},
}
