package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Unmarked finds lossless traffic that no queue marks.
var Unmarked = Rule{
	Topic: diag.Topic{Code: "conf-unmarked", Summary: "lossless traffic is not marked with ECN"},
	ports: func(p *pass) {
		p.pfc(func(cos, queue, _ int) {
			if queue < 0 || !p.kind.told(cos) { // RoCEv1, which PCP identifies, has no ECN bits
				return
			}
			q := &p.kind.d.Queues[queue]
			if !is(q.ECN, false) || is(q.Drop, true) {
				return
			}
			if q.MarkMin.Is == ir.Stated || q.MarkMax.Is == ir.Stated {
				p.errorf(p.at(ir.FieldMarking, queue), "queue %d has thresholds of marking and marks nothing: marking is not switched on. Senders "+
					"of cos %d, which is lossless, see congestion by pauses alone.", queue, cos)
				return
			}
			tookOver(p, diag.Warning, p.at(ir.FieldMarking, queue), "queue %d marks nothing, and cos %d, which is lossless, leaves by it: "+
				"RoCEv2 senders see congestion by pauses alone, which spread. Let the queue mark with ECN.", queue, cos)
		})
	},
}
