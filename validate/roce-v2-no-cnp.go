package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEv2NoCNP reports RoCEv2 without a cos group for its congestion notifications.
var RoCEv2NoCNP = &Check{
	Code:    "roce-v2-no-cnp",
	Summary: "RoCEv2 without a cos group for its CNPs",
	Answers: []string{"K7"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			if in.Version != 2 || in.Group.ECN == nil || in.CNP != nil {
				continue
			}
			const instead = "Declare a lossy strict cos group with a DSCP (48, cs6, is what NICs send by default) and write cnp = cos_group.NAME."
			if taker, mark := defaultTaker(p.Fabric, in); taker != nil && p.Fabric.FlowControl != ir.Pause {
				p.Errorf(in.At, "Roce %q names no cnp group, so its congestion notifications have %s, as NICs send them by default, which the "+
					"lossless cos group %q claims: PFC stops them when they are needed most. %s", in.Name, mark, taker.Name, instead).
					About(in.Name).
					Note(taker.At, "the lossless group")
				continue
			}
			p.Warnf(in.At, "Roce %q names no cnp group. Its congestion notifications travel with other best-effort traffic and arrive late when "+
				"they matter. %s", in.Name, instead).
				About(in.Name)
		}
	},
}

// defaultTaker returns the lossless group that receives an intent's CNPs with the default marks of NICs, and the mark; nil if not found.
func defaultTaker(f *ir.Fabric, in *ir.Intent) (*ir.CosGroup, string) {
	some := false // member whose CNPs have the default mark
	for _, m := range in.Members {
		if g := m.NIC.CNPGroup(); g != nil { // another intent sets the marks of its CNPs
			some = some || in.ByDSCP() && len(g.DSCP) == 0
			continue
		}
		some = true
		for _, other := range m.NIC.Carries() { // the queue by which they leave the NIC
			if g := other.Group; g.Lossless && g.Cos == ir.DefaultCNPPCP {
				return g, fmt.Sprintf("priority %d", ir.DefaultCNPPCP)
			}
		}
	}
	claims, value, mark := walk.PCPOf, ir.DefaultCNPPCP, fmt.Sprintf("PCP %d", ir.DefaultCNPPCP)
	if in.ByDSCP() {
		claims, value, mark = walk.DSCPOf, ir.DefaultCNP, "DSCP "+dscp.Text(ir.DefaultCNP)
	}
	if g := walk.Claimant(f, value, claims); some && walk.HasMark(in) && g != nil && g.Lossless {
		return g, mark
	}
	return nil, ""
}
