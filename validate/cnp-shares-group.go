package validate

import (
	"github.com/rocec/rocec/lang/diag"
)

// CNPSharesGroup warns of CNPs in the lossy group another intent's data travels in.
var CNPSharesGroup = &Check{
	Code:    "cnp-shares-group",
	Summary: "CNPs share a cos group with RoCE data",
	Answers: []string{"K7"},
	Doc: `
A congestion notification packet (CNP) is small, rare and urgent. In a group that also carries
the data of an intent it queues behind that data, on every port where it matters. The sender it is
meant for goes on at full speed for as long as the queue is deep, and PFC has to stop it instead.
(For a lossless group this is cnp-in-lossless-group, an error.)

Example:

    cos_group "bulk" {
      cos  = 1
      dscp = ["cs1"]
      ecn {}
    }
    roce "backup" {
      version   = 2
      cos_group = cos_group.bulk # lossy RoCEv2
      cnp       = cos_group.cnp
      members   = [host.store]
    }
    roce "training" {
      cos_group = cos_group.rdma
      cnp       = cos_group.bulk
      members   = [host.gpu]
    }

Fix: a cos group of its own (cos = 6, dscp = ["cs6"], strict = true) for cnp. All
intents may use the same one.

    roce "training" {
      cnp = cos_group.cnp
    }
`,
	Run: func(p *Pass) {
		data := dataGroups(p.Fabric)
		for _, in := range p.Fabric.Intents {
			owner := data[in.CNP]
			if in.CNP == nil || owner == nil || in.CNP.Lossless || in.CNP == in.Group {
				continue
			}
			p.Warnf(diag.FirstPlace(in.CNPAt, in.At), "Roce %q sends its CNPs in cos group %q, which carries the data of roce %q: they "+
				"wait in its queues, and senders slow down late. Give CNPs a lossy, strict group of their own, for example cos "+
				"= 6, dscp = [\"cs6\"], strict = true.",
				in.Name, in.CNP.Name, owner.Name).
				Note(owner.GroupAt, "carries the data of roce %q", owner.Name)
		}
	},
}
