package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
)

// PCPClaimedTwice reports an 802.1p value that two cos groups claim.
var PCPClaimedTwice = &Check{
	Code:    "pcp-claimed-twice",
	Summary: "two cos groups claim one 802.1p priority",
	Answers: []string{"1"},
	OnHop:   true,
	Run: func(p *Pass) {
		taken := map[int]int{} // groups by cos: cos-claimed-twice reports a cos of two groups
		for _, g := range p.Fabric.CosGroups {
			taken[g.Cos]++
		}
		claims := func(g *ir.CosGroup) []ir.Claim {
			if len(g.PCP) == 1 && g.PCP[0].Value == g.Cos && g.PCP[0].At == g.CosAt && taken[g.Cos] > 1 {
				return nil
			}
			return g.PCP
		}
		for _, c := range claimedTwice(p.Fabric, claims) {
			p.bothClaim(c, fmt.Sprintf("802.1p priority %d", c.value),
				"A frame has one priority and goes into one group: leave the value to one of them. A group that writes no pcp claims its cos.")
		}
	},
}
