package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// BounceToItself warns of a bounce that leads back into its own group.
var BounceToItself = &Check{
	Code:    "bounce-to-itself",
	Summary: "a cos group bounces into itself",
	Answers: []string{"X5"},
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.Bounce == g && p.Fabric.FlowControl != ir.Pause {
				p.Warnf(diag.FirstPlace(g.BounceAt, g.At), "Cos group %q bounces into itself, so traffic that comes down and goes up again stays in "+
					"it, and the proof judges it as if it did not bounce. Name another group, or leave bounce out.", g.Name)
			}
		}
	},
}
