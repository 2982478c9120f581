package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// RoCEv2NoPFC warns of RoCEv2 in a group that is lossy only by default.
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
			if in.Version != 2 || g.Lossless || g.ECN == nil || decided || told[g] || !able { // roce-v2-no-ecn reports a group without ECN
				continue
			}
			told[g] = true
			p.Warnf(g.At, "Roce %q is RoCEv2 without PFC: cos group %q does not set lossless, so its packets are dropped when a burst arrives "+
				"faster than ECN slows down the senders. Write lossless = true in the cos group, or lossless = false if that is intended.",
				in.Name, g.Name).Note(diag.FirstPlace(in.GroupAt, in.At), "its intent")
		}
	},
}
