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
	Doc: `
A packet carries one DSCP, and every switch and NIC maps it to exactly one cos. If two cos
groups claim the same value, one of them does not get its packets: a lossless class that
silently became lossy, or the other way round. Names and numbers are the same values: af31 is
26, cs6 is 48.

Example:

    cos_group "rdma" {
      cos  = 4
      dscp = [26, 27]
    }
    cos_group "video" {
      cos  = 5
      dscp = ["af31"] # 26 once more
    }

Fix: give the value to one of them.

    cos_group "video" {
      cos  = 5
      dscp = ["af41"]
    }
`,
	Run: func(p *Pass) {
		for _, c := range claimedTwice(p.Fabric, walk.DSCPOf) {
			p.bothClaim(c, "DSCP "+dscp.Text(c.value), "A packet has one DSCP and goes into one group: leave the value to one of them.")
		}
	},
}
