package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Shaper finds rates of a port and its queues that contradict each other.
var Shaper = Rule{
	Topic: diag.Topic{Code: "conf-shaper", Summary: "rate limits that contradict each other"},
	ports: func(p *pass) {
		whole, shaped := known(p.kind.d.Shaper)
		shaped = shaped && whole > 0
		for queue := range p.kind.d.Queues {
			q := &p.kind.d.Queues[queue]
			low, isLow := known(q.MinRate)
			high, isHigh := known(q.MaxRate)
			switch isLow, isHigh = isLow && low > 0, isHigh && high > 0; {
			case isLow && isHigh && low > high:
				p.errorf(p.at(ir.FieldMaxRate, queue), "queue %d is limited to %s, and guaranteed %s: the limit is below the guarantee. Make the "+
					"maximum the larger one.", queue, rateText(high), rateText(low))
			case isLow && shaped && low > whole:
				p.errorf(p.at(ir.FieldMinRate, queue), "queue %d is guaranteed %s, and the whole port is limited to %s. Lower the guarantee or "+
					"raise the limit.",
					queue, rateText(low), rateText(whole))
			case isHigh && shaped && high > whole:
				p.warnf(p.at(ir.FieldMaxRate, queue), "queue %d is limited to %s, and the whole port to %s: the limit of the queue has no effect. "+
					"Lower it.",
					queue, rateText(high), rateText(whole))
			}
		}
	},
}
