package validate

import (
	"github.com/rocec/rocec/lang/diag"
)

// CNPSharesGroup warns of CNPs in a lossy group that carries the data of another intent.
var CNPSharesGroup = &Check{
	Code:    "cnp-shares-group",
	Summary: "CNPs share a cos group with RoCE data",
	Answers: []string{"K7"},
	Run: func(p *Pass) {
		data := dataGroups(p.Fabric)
		for _, in := range p.Fabric.Intents {
			owner := data[in.CNP]
			if in.CNP == nil || owner == nil || in.CNP.Lossless || in.CNP == in.Group {
				continue
			}
			p.Warnf(diag.FirstPlace(in.CNPAt, in.At), "Roce %q sends its CNPs in cos group %q, which carries the data of roce %q: they "+
				"wait in its queues, and senders slow down late. Give CNPs a separate lossy, strict group, for example cos "+
				"= 6, dscp = [\"cs6\"], strict = true.",
				in.Name, in.CNP.Name, owner.Name).
				Note(owner.GroupAt, "carries the data of roce %q", owner.Name)
		}
	},
}
