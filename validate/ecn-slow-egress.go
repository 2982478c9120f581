package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// slowQueue is the longest queue before its first mark, in microseconds: ten times the delay of 150 KiB at 100G, and just above the delay
// of 150 KiB at 10G.
const slowQueue = 125

// ECNSlowEgress reports a min that lets queues on slow ports grow long.
var ECNSlowEgress = &Check{
	Code:    "ecn-slow-egress",
	Summary: "ECN marks late on slow ports",
	Answers: []string{"K18"},
	Run: func(p *Pass) {
		var found folds[*ir.CosGroup, marking]
		markings(p.Fabric, func(m marking) {
			if m.mark.Group.ECN.Min.Set() && !m.late() && m.delay() > slowQueue {
				found.add(m.mark.Group, m)
			}
		})
		found.each(func(g *ir.CosGroup, all []marking) {
			m := worst(all, func(m marking) int { return m.port.Speed() })
			where := m.port.String()
			if len(all) > 1 {
				where = fmt.Sprintf("%s and %s more", where, diag.Count(len(all)-1, "port"))
			}
			less := ""
			if most := m.asic().WholeSteps(slowQueue * m.port.Speed() / 8); most > 0 {
				less = "; or write at most " + diag.Bytes(most)
			}
			p.Noticef(g.ECN.Min.At(), "Cos group %q begins to mark at min = %s. At %s (%s) that is a queue of %d microseconds, more "+
				"than %d, before the first sender gets a mark. Leave min out, and every port has one that suits its speed%s.",
				g.Name, m.minText(), where, platform.SpeedText(m.port.Speed()), m.delay(), slowQueue, less).
				Note(m.port.Link().At, "the link")
		})
	},
}

// delay returns how long the port needs to send a queue of min, in whole microseconds.
func (m marking) delay() int { return m.min() * 8 / max(m.port.Speed(), 1) }
