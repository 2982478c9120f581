package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// RoCEv2NoECN reports RoCEv2 whose switches never mark.
var RoCEv2NoECN = &Check{
	Code:    "roce-v2-no-ecn",
	Summary: "RoCEv2 without ECN",
	Answers: []string{"2", "K17"},
	Doc: `
RoCEv2 slows down when switches mark its packets (ECN): the receiver answers with CNPs and the
sender lowers its rate. Without marking PFC does all the work, and every congested port spreads
pauses upstream until the whole fabric feels it. PFC is the backstop, ECN the brake.

In a lossless group the missing ECN is a warning; in a lossy one nothing at all is left against
loss, and it is an error.

Example:

    cos_group "rdma" {
      cos      = 4
      lossless = true # no ecn
    }
    roce "training" {
      version   = 2
      cos_group = cos_group.rdma
    }

Fix: an ecn block in the cos group; thresholds are derived from the speed of every port.
An intent none of whose NICs reacts to marks (dcqcn = false, Soft-RoCE) needs none.

    cos_group "rdma" {
      ecn {}
    }
`,
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
					"Roce %q is version 2, but cos group %q is neither lossless nor has it an ecn block: nothing "+
						"keeps its packets from loss. Write ecn {} in the cos group, and lossless = true unless the NICs are made for lossy "+
						"fabrics.", in.Name, in.Group.Name).
					Note(in.Group.At, "the cos group")
			}
		}
	},
}
