package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessStrict finds lossless traffic with strict priority.
var LosslessStrict = Rule{
	Topic:  diag.Topic{Code: "conf-lossless-strict", Summary: "lossless traffic is served before all others"},
	theirs: true,
	ports: func(p *pass) {
		p.pfc(func(cos, queue, _ int) {
			if queue >= 0 && is(p.kind.d.Queues[queue].Strict, true) {
				p.warnf(p.at(ir.FieldStrict, queue), "queue %d has strict priority, and cos %d, which is lossless, leaves by it. Lossless traffic is "+
					"bulk data: it can starve the rest, also the routing protocols. Give the queue a share.", queue, cos)
			}
		})
	},
}
