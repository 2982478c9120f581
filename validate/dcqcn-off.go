package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// DCQCNOff warns of hosts that do not answer marks.
var DCQCNOff = &Check{
	Code:    "dcqcn-off",
	Summary: "hosts that do not slow down on marks",
	Answers: []string{"K17", "N11"},
	OnHop:   true,
	Run: func(p *Pass) {
		var f folds[diag.Range, *ir.NIC]
		marked := map[diag.Range]*ir.Intent{}
		for _, in := range p.Fabric.Intents {
			if in.Version != 2 || in.Group.ECN == nil {
				continue
			}
			for _, m := range in.Members {
				at, bad := walk.Unslowed(m.NIC, in)
				if !bad {
					continue // rocec switches it on, or refuses the NIC
				}
				if marked[at] == nil {
					marked[at] = in
				}
				if marked[at] == in {
					f.add(at, m.NIC)
				}
			}
		}
		for _, at := range f.order {
			nics, in := f.of[at], marked[at]
			why, fix := "dcqcn = false", fmt.Sprintf("Switch DCQCN on for priority %d.", in.Group.Cos)
			if nics[0].Can().NoDCQCN {
				why = nics[0].Model.Title + " cannot"
				fix = "Use NICs that can, or give these NICs a separate intent in a group without ecn."
			}
			effect := "PFC does all the work, and pauses spread"
			if !in.Group.Lossless {
				effect = "packets are lost"
			}
			p.Warnf(at, "%s no marks with CNPs, nor slow down on CNPs (%s). Switches mark roce %q, and these NICs ignore the marks: %s. "+
				"%s", verb(nicNames(nics), len(nics), "answers", "answer"), why, in.Name, effect, fix).
				About(in.Name).
				Note(in.Group.ECN.At, "the group is marked")
		}
	},
}
