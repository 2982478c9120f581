package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/validate/walk"
)

// TOSNotInGroup reports NICs whose tos gives RoCE packets a DSCP that none of their groups claims.
var TOSNotInGroup = &Check{
	Code:    "tos-not-in-group",
	Summary: "a NIC marks RoCE with a DSCP its cos group does not claim",
	Answers: []string{"K4", "N8"},
	OnHop:   true,
	Run: func(p *Pass) {
		var f folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if n.TOS >= 0 && p.outside(n) != nil {
					f.add(diag.FirstPlace(n.TOSAt, n.At), n)
				}
			}
		}
		for _, at := range f.order {
			nics := f.of[at]
			in := p.outside(nics[0])
			value := nics[0].TOS >> 2
			where := "which no cos group claims"
			if g := walk.Claimant(p.Fabric, value, walk.DSCPOf); g != nil {
				where = fmt.Sprintf("which cos group %q (cos %d) claims", g.Name, g.Cos)
			}
			p.grade(in)(at, "%s packets that applications leave unmarked with tos = %d. That is DSCP %s, %s, and roce %q travels in cos group %q: "+
				"its packets are %s. Write tos = %d, which is DSCP %d times 4, or leave tos out.",
				verb(nicNames(nics), len(nics), "marks", "mark"), nics[0].TOS, dscp.Text(value), where, in.Name, in.Group.Name,
				unprotected(p.Fabric, in), in.Group.DSCP[0].Value<<2, in.Group.DSCP[0].Value).
				About(in.Name).
				Note(in.Group.At, "the cos group, DSCP %s", claimsText(in.Group.DSCP))
		}
	},
}

// outside returns the first intent whose packets leave their group because of the NIC's tos; nil if not found to report.
func (p *Pass) outside(n *ir.NIC) *ir.Intent {
	for _, in := range n.Carries() {
		if walk.OutsideGroup(p.Fabric, n, in) {
			return in
		}
	}
	return nil
}
