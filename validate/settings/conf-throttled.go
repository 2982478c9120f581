package settings

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Throttled finds lossless traffic that is held below the speed of its port.
var Throttled = Rule{
	Topic: diag.Topic{Code: "conf-throttled", Summary: "lossless traffic is held below the speed of its port"},
	ports: func(p *pass) {
		if rate, ok := throttles(&p.kind.d, p.kind.d.Shaper); ok && p.kind.lossless != 0 {
			p.warnf(p.at(ir.FieldShaper, 0), "a shaper holds the port to %s, and it has PFC: what it cannot send fills buffers, and pauses "+
				"spread to all senders. Take the shaper off ports of lossless traffic.", rate)
		}
		p.pfc(func(cos, queue, _ int) {
			if queue < 0 {
				return
			}
			if rate, ok := throttles(&p.kind.d, p.kind.d.Queues[queue].MaxRate); ok {
				p.warnf(p.at(ir.FieldMaxRate, queue), "queue %d sends at most %s, and cos %d, which is lossless, leaves by it: what it cannot send "+
					"fills buffers, and pauses spread to all senders. Take the limit off.", queue, rate, cos)
			}
		})
	},
}

// throttles reports whether a rate in bit/s is below the speed of the port, as far as that is known.
func throttles(d *ir.PortDetail, rate ir.Setting[int64]) (text string, ok bool) {
	n, isKnown := known(rate)
	if speed, ok := known(d.Speed); !isKnown || n <= 0 || ok && n >= speed {
		return "", false
	}
	return rateText(n), true
}

// rateText spells a rate in bit/s.
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
