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
	Doc: `
A cos group is one number everywhere: 802.1p priority, the switch's internal cos, the PFC
priority. Two groups with the same number are one class to every device, so that one cannot be
lossless and the other lossy.

Example:

    cos_group "rdma" {
      cos = 4
    }
    cos_group "storage" {
      cos = 4
      pcp = [5]
    }

Fix: give each group a cos of its own (0-7), or make them one group.

    cos_group "storage" {
      cos = 5
    }
`,
	Run: func(p *Pass) {
		cosOf := func(g *ir.CosGroup) []ir.Claim { return []ir.Claim{{Value: g.Cos, At: diag.FirstPlace(g.CosAt, g.At)}} }
		for _, c := range claimedTwice(p.Fabric, cosOf) {
			p.bothClaim(c, fmt.Sprintf("cos %d", c.value),
				"To every device they are one class: give each a cos of its own (0-7), or make them one group.")
		}
	},
}
