package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// RoCEv2NoPFC warns of RoCEv2 in a group that is lossy by default, not by a decision.
var RoCEv2NoPFC = &Check{
	Code:    "roce-v2-no-pfc",
	Summary: "RoCEv2 without PFC",
	Answers: []string{"0"},
	Run: func(p *Pass) {
		told := map[*ir.CosGroup]bool{}
		for _, in := range p.Fabric.Intents {
			g := in.Group
			decided := g.LosslessAt != g.At
			able := slices.ContainsFunc(in.Members, func(m *ir.Member) bool { return !m.NIC.Can().NoPFC })
			if in.Version != 2 || g.Lossless || g.ECN == nil || decided || told[g] || !able { // without ECN there is roce-v2-no-ecn
				continue
			}
			told[g] = true
			p.Warnf(g.At, "Roce %q is RoCEv2 without PFC: cos group %q does not say lossless, so its packets are dropped when a burst comes faster "+
				"than ECN slows down the senders. Write lossless = true in the cos group, or lossless = false if that is meant.",
				in.Name, g.Name).Note(diag.FirstPlace(in.GroupAt, in.At), "its intent")
		}
	},
}
