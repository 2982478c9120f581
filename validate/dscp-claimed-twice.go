package validate

import (
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/validate/walk"
)

// DSCPClaimedTwice reports a DSCP that two cos groups claim.
var DSCPClaimedTwice = &Check{
	Code:    "dscp-claimed-twice",
	Summary: "two cos groups claim one DSCP",
	Answers: []string{"1"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, c := range claimedTwice(p.Fabric, walk.DSCPOf) {
			p.bothClaim(c, "DSCP "+dscp.Text(c.value), "A packet has one DSCP and goes into one group: leave the value to one of them.")
		}
	},
}
