package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// CNPBulk finds congestion notifications that wait behind unmarked traffic.
var CNPBulk = Rule{
	Topic:  diag.Topic{Code: "conf-cnp-bulk", Summary: "congestion notifications wait behind unmarked traffic"},
	theirs: true,
	ports: func(p *pass) {
		s := p.kind.s
		cos, bulk := s.DSCP[notification], s.DSCP[0]
		if !s.TrustKnown || !s.Trust.DSCP || cos < 0 || cos != bulk || p.kind.lossless == 0 || p.kind.lossless>>cos&1 == 1 {
			return
		}
		for queue := range p.kind.d.Queues {
			if is(p.kind.d.Queues[queue].ECN, true) && int(p.kind.d.Queue[cos]) != queue { // another queue marks
				p.warnf(p.at(ir.FieldDSCP, notification), "DSCP %d, which NICs give congestion notifications, is put in cos %d with unmarked traffic. "+
					"Senders of RoCEv2 slow down late, and not at all if notifications are dropped there. Give them a separate cos with strict "+
					"priority.", notification, cos)
				return
			}
		}
	},
}
