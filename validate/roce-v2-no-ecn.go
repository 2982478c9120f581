package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// RoCEv2NoECN reports RoCEv2 that switches never mark.
var RoCEv2NoECN = &Check{
	Code:    "roce-v2-no-ecn",
	Summary: "RoCEv2 without ECN",
	Answers: []string{"2", "K17"},
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			switch {
			case in.Version != 2 || in.Group.ECN != nil || !slices.ContainsFunc(in.Members, func(m *ir.Member) bool { return m.NIC.SlowsDown() }):
			case in.Group.Lossless:
				p.Warnf(diag.FirstPlace(in.GroupAt, in.At),
					"Roce %q is version 2, but cos group %q has no ecn block: switches never mark, senders never "+
						"slow down, and PFC does all the work. Write ecn {} in the cos group.", in.Name, in.Group.Name).
					Note(in.Group.At, "the cos group")
			default:
				p.Errorf(diag.FirstPlace(in.GroupAt, in.At),
					"Roce %q is version 2, but cos group %q is not lossless and has no ecn block: nothing protects its packets from loss. Write ecn "+
						"{} in the cos group, and lossless = true unless the NICs are made for lossy "+
						"fabrics.", in.Name, in.Group.Name).
					Note(in.Group.At, "the cos group")
			}
		}
	},
}
