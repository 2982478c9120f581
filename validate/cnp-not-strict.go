package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// CNPNotStrict warns of CNPs that wait for other queues.
var CNPNotStrict = &Check{
	Code:    "cnp-not-strict",
	Summary: "CNPs are not served first",
	Answers: []string{"4", "K7", "K20"},
	Run: func(p *Pass) {
		sum := 0
		for _, g := range p.Fabric.CosGroups {
			if !g.Strict {
				sum += g.Weight
			}
		}
		data := dataGroups(p.Fabric) // strict data groups would starve the others; cnp-shares-group reports CNPs in them
		said := map[*ir.CosGroup]bool{}
		for _, in := range p.Fabric.Intents {
			if in.CNP == nil || !walk.SendsCNP(in) || in.CNP.Strict || said[in.CNP] || data[in.CNP] != nil {
				continue
			}
			const tenth = 10
			said[in.CNP] = true
			if in.CNP.Weight*tenth > sum {
				continue
			}
			share := "no weight"
			if in.CNP.Weight > 0 {
				share = "no more than a tenth of the weights"
			}
			p.Warnf(in.CNP.At, "Cos group %q carries the CNPs of roce %q, and is not strict and has %s: they wait while other queues are served, "+
				"and senders slow down late. Write strict = true; CNPs are few, so it costs the others nothing.", in.CNP.Name, in.Name, share).
				Note(diag.FirstPlace(in.CNPAt, in.At), "its CNPs")
		}
	},
}
