package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// RedLossless finds lossless traffic that WRED drops.
var RedLossless = Rule{
	Topic: diag.Topic{Code: "conf-red-lossless", Summary: "early drops in a lossless class"},
	ports: func(p *pass) {
		p.pfc(func(cos, queue, _ int) {
			if queue < 0 {
				return
			}
			q := &p.kind.d.Queues[queue]
			marks := is(q.ECN, true)
			switch {
			case is(q.Drop, true) && !marks && q.ECN.Known():
				p.errorf(p.at(ir.FieldDrop, queue), "WRED drops packets of queue %d%s and marks none, and cos %d, which is lossless, leaves by it. "+
					"Let WRED mark with ECN, or take it off the queue.", queue, from(q.DropMin), cos)
			case is(q.Drop, true) && q.Drop.Is == ir.Stated && marks:
				tookOver(p, diag.Error, p.at(ir.FieldDrop, queue), "WRED drops packets of queue %d that cannot be marked (RoCEv1, some CNPs)%s, and "+
					"cos %d, which is "+
					"lossless, leaves by it. Let WRED mark, and drop nothing.", queue, from(q.DropMin), cos)
			case is(q.Unmarkable, ir.Dropped) && p.kind.s.TrustKnown && p.kind.s.Trust == (ir.Trust{PCP: true}):
				p.warnf(p.at(ir.FieldUnmarkable, queue), "queue %d marks packets that have ECN bits and drops the others%s. The port sorts packets by "+
					"PCP, as RoCEv1 needs it, and RoCEv1 has no ECN bits. Where RoCEv1 uses cos %d, take WRED off its queues, on every port.", queue,
					from(q.DropMin), cos)
			}
		})
	},
}
