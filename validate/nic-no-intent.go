package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// NICNoIntent warns of NICs whose RoCE no block describes.
var NICNoIntent = &Check{
	Code:    "nic-no-intent",
	Summary: "a RoCE NIC that no intent names",
	Answers: []string{"X6"},
	Run: func(p *Pass) {
		if len(p.Fabric.Intents) == 0 {
			return // the fabric describes no RoCE
		}
		var idle folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil || d.Host.Forwards { // it forwards traffic of others
				continue
			}
			for _, n := range d.Host.NICs {
				if n.Port != nil && n.RoCE && !n.Can().AlwaysRoCE && len(n.Carries()) == 0 {
					idle.add(diag.FirstPlace(n.ModelAt, n.At), n)
				}
			}
		}
		idle.each(func(_ diag.Range, all []*ir.NIC) {
			p.Warnf(all[0].At, "%s in no roce block, so its RoCE travels as best effort: without PFC and marks, and outside of the proof. Name %s "+
				"in the members of a roce block, or write roce = false.",
				verb(nicNames(all), len(all), "is", "are"), diag.Plural(len(all), "it", "them"))
		})
	},
}
