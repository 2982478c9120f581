package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessUnused warns of lossless groups without a known sender.
var LosslessUnused = &Check{
	Code:    "lossless-unused",
	Summary: "a lossless cos group no intent uses",
	Answers: []string{"0", "N12"},
	Run: func(p *Pass) {
		used := map[*ir.CosGroup]bool{}
		for _, in := range p.Fabric.Intents {
			used[in.Group], used[in.CNP] = true, true // CNPs there: cnp-in-lossless-group
		}
		for _, g := range p.Fabric.CosGroups {
			used[g.Bounce] = used[g.Bounce] || g.Bounce != g
		}
		for _, g := range p.Fabric.CosGroups {
			if g.Lossless && !used[g] {
				p.Warnf(diag.FirstPlace(g.LosslessAt, g.At), "Cos group %q is lossless, but no roce block uses it: PFC is on for priority "+
					"%d on every link, for traffic that no block describes. Leave out lossless = true, or write the roce block "+
					"whose members send in it.", g.Name, g.Cos)
			}
		}
	},
}
