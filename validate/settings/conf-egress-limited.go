package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// EgressLimited finds queues that drop lossless traffic when they are full, although no port was paused.
var EgressLimited = Rule{
	Topic: diag.Topic{Code: "conf-egress-limited", Summary: "queues of lossless traffic are limited"},
	ports: func(p *pass) {
		p.pfc(func(cos, queue, _ int) {
			if queue < 0 {
				return
			}
			q := &p.kind.d.Queues[queue]
			limit, ok := known(q.Limit)
			if !ok {
				return
			}
			const drops = "further packets are dropped on the way out, although no port was paused. Take the limit off."
			switch limit.Kind {
			case ir.LimitZero:
				p.errorf(p.at(ir.FieldQueueLimit, queue), "queue %d gets nothing from its pool, and cos %d, which is lossless, leaves by it: "+drops,
					queue, cos)
			case ir.LimitAlpha:
				if limit.N < 0 {
					p.errorf(p.at(ir.FieldQueueLimit, queue), "queue %d can use at most 1/%d of the free memory of its pool, and cos %d, which is "+
						"lossless, "+
						"leaves by it: "+drops, queue, 1<<min(-limit.N, 30), cos)
				}
			case ir.LimitBytes:
				least := max(p.kind.d.MTU.Value, q.MarkMax.Value)
				if limit.N < least {
					p.errorf(p.at(ir.FieldQueueLimit, queue), "queue %d holds at most %s, and cos %d, which is lossless, leaves by it: "+drops, queue,
						diag.Bytes(limit.N), cos)
				}
			}
		})
	},
}
