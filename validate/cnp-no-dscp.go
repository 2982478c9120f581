package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/validate/walk"
)

// CNPNoDSCP warns of a cnp group that claims no DSCP.
var CNPNoDSCP = &Check{
	Code:    "cnp-no-dscp",
	Summary: "the cnp group claims no DSCP",
	Answers: []string{"K7", "N10"},
	OnHop:   true,
	Run: func(p *Pass) {
		said := map[*ir.CosGroup]bool{}
		for _, in := range p.Fabric.Intents {
			if !walk.SendsCNP(in) || !in.ByDSCP() {
				continue
			}
			for _, marks := range walk.CNPMarks(in) {
				if len(marks.DSCP) == 0 && !said[marks] {
					said[marks] = true
					p.cnpUnmarked(in, marks)
				}
			}
		}
	},
}

// cnpUnmarked reports in which group the CNPs of an intent travel if their own group claims no DSCP.
func (p *Pass) cnpUnmarked(in *ir.Intent, marks *ir.CosGroup) {
	report, where := p.Warnf, "which no cos group claims: they travel with best-effort traffic and arrive late when they matter"
	taker := walk.Claimant(p.Fabric, ir.DefaultCNP, walk.DSCPOf)
	claimed := taker != nil
	if claimed {
		where = fmt.Sprintf("which cos group %q claims: they travel there", taker.Name)
		if taker.Lossless && p.Fabric.FlowControl != ir.Pause {
			report = p.Errorf
			where += ", where PFC stops them when they are needed most"
		}
	}
	fix := "Write dscp = [\"cs6\"] in the group, or another value that no group claims."
	if claimed {
		fix = "Write another value in the group that no group claims, or name the right group in cnp."
	}
	d := report(marks.At, "Cos group %q carries the CNPs of roce %q and claims no DSCP. NICs mark them %s by default, %s. %s",
		marks.Name, in.Name, dscp.Text(ir.DefaultCNP), where, fix).
		About(in.Name)
	if marks == in.CNP {
		d.Note(diag.FirstPlace(in.CNPAt, in.At), "its CNPs")
	} else {
		d.Note(in.At, "its NICs mark all CNPs as those of another intent")
	}
}
