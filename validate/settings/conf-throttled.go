package settings

import (
	"cmp"
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Throttled finds lossless traffic that is limited below the speed of its port.
var Throttled = Rule{
	Topic: diag.Topic{Code: "conf-throttled", Summary: "lossless traffic is held below the speed of its port"},
	ports: func(p *pass) {
		if rate, ok := throttles(&p.kind.d, p.kind.d.Shaper); ok && p.kind.lossless != 0 {
			p.warnf(p.at(ir.FieldShaper, 0), "a shaper limits the port to %s, and it has PFC: packets that it cannot send fill buffers, and "+
				"pauses "+
				"spread to all senders. Take the shaper off ports of lossless traffic.", rate)
		}
		promised(p)
		p.pfc(func(cos, queue, _ int) {
			if queue < 0 {
				return
			}
			if rate, ok := throttles(&p.kind.d, p.kind.d.Queues[queue].MaxRate); ok {
				p.warnf(p.at(ir.FieldMaxRate, queue), "queue %d sends at most %s, and cos %d, which is lossless, leaves by it: packets that it cannot "+
					"send fill buffers, and pauses spread to all senders. Take the limit off.", queue, rate, cos)
			}
		})
	},
}

// promised judges the guaranteed rates of lossy queues: lossless traffic gets only the rest of the port.
func promised(p *pass) {
	speed, ok := known(p.kind.d.Speed)
	if !ok || speed < 1 {
		return
	}
	var sum int64
	first := -1
	for queue := range p.kind.d.Queues {
		lossless := false
		p.pfc(func(_, of, _ int) { lossless = lossless || of == queue })
		if rate, ok := known(p.kind.d.Queues[queue].MinRate); ok && rate > 0 && rate <= speed && !lossless {
			sum += rate
			first = cmp.Or(first+1, queue+1) - 1
		}
	}
	if p.kind.lossless == 0 || p.kind.s.LinkPause || sum <= speed/2 {
		return
	}
	p.warnf(p.at(ir.FieldMinRate, first), "lossy queues are guaranteed %s of %s: lossless traffic gets only the rest, and pauses spread "+
		"to all senders. Guarantee them less than half of the port.", rateText(sum), rateText(speed))
}

// throttles reports whether a rate in bit/s is below the speed of the port, or the speed is not known.
func throttles(d *ir.PortDetail, rate ir.Setting[int64]) (text string, ok bool) {
	n, isKnown := known(rate)
	if speed, ok := known(d.Speed); !isKnown || n <= 0 || ok && n >= speed {
		return "", false
	}
	return rateText(n), true
}

// rateText returns a rate in bit/s as text.
func rateText(n int64) string {
	for _, unit := range []struct {
		name string
		of   int64
	}{{"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}} {
		if n >= unit.of {
			return fmt.Sprintf("%.4g %s", float64(n)/float64(unit.of), unit.name)
		}
	}
	return fmt.Sprintf("%d bit/s", n)
}
