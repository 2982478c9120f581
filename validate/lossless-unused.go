package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessUnused warns of lossless groups nobody is known to send in.
var LosslessUnused = &Check{
	Code:    "lossless-unused",
	Summary: "a lossless cos group no intent uses",
	Answers: []string{"0", "N12"},
	Doc: `
PFC for a priority costs buffer at every port, and whatever is sent in it can pause links. rocec
turns it on where the members of a roce block need it. Who sends in a lossless group that no roce
block names is not written anywhere, so every link of the fabric is made lossless for it, and every
NIC's end of such a link is left to whoever sets up that host.

Example:

    cos_group "storage" { # and no roce block says cos_group = cos_group.storage
      cos      = 5
      lossless = true
    }

Fix: leave out lossless = true (or the group), or write the roce block whose members
use it. A group that others bounce into is in use.

    roce "nvme" {
      version   = 2
      cos_group = cos_group.storage
      cnp       = cos_group.cnp
      members   = [host.store]
    }
    cos_group "storage" {
      dscp = ["af21"]
      ecn {}
    }
`,
	Run: func(p *Pass) {
		used := map[*ir.CosGroup]bool{}
		for _, in := range p.Fabric.Intents {
			used[in.Group], used[in.CNP] = true, true // CNPs there: cnp-in-lossless-group
		}
		for _, g := range p.Fabric.CosGroups {
			used[g.Bounce] = used[g.Bounce] || g.Bounce != g
		}
		for _, g := range p.Fabric.CosGroups {
			if g.Lossless && !used[g] {
				p.Warnf(diag.FirstPlace(g.LosslessAt, g.At), "Cos group %q is lossless, but no roce block uses it: PFC is on for priority "+
					"%d on every link, for traffic nobody has described. Leave out lossless = true, or write the roce block "+
					"whose members send in it.", g.Name, g.Cos)
			}
		}
	},
}
