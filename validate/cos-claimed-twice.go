package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// CosClaimedTwice reports a cos that two cos groups claim.
var CosClaimedTwice = &Check{
	Code:    "cos-claimed-twice",
	Summary: "two cos groups claim one cos",
	Answers: []string{"1", "K6"},
	Run: func(p *Pass) {
		cosOf := func(g *ir.CosGroup) []ir.Claim { return []ir.Claim{{Value: g.Cos, At: diag.FirstPlace(g.CosAt, g.At)}} }
		for _, c := range claimedTwice(p.Fabric, cosOf) {
			p.bothClaim(c, fmt.Sprintf("cos %d", c.value),
				"For every device they are one class: give each its own cos (0-7), or merge the groups.")
		}
	},
}
