package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// ECNMarksEarly reports early marks on fast ports of a switch that has one set of thresholds for all queues.
var ECNMarksEarly = &Check{
	Code:    "ecn-marks-early",
	Summary: "a switch has one set of ECN thresholds, and fast ports mark early",
	Answers: []string{"C14"},
	Run: func(p *Pass) {
		var found folds[*ir.CosGroup, marking]
		everyMarking(p.Fabric, func(m marking) {
			if m.mark.Own > 0 {
				found.add(m.mark.Group, m)
			}
		})
		found.each(func(g *ir.CosGroup, all []marking) {
			m := worst(all, func(m marking) int { return -m.mark.Own })
			where := m.port.String()
			if len(all) > 1 {
				where = fmt.Sprintf("%s and %s more", where, diag.Count(len(all)-1, "port"))
			}
			p.Noticef(g.ECN.At, "Cos group %q is marked from %s on at %s (%s), which alone could mark from %s on. The switch has one set of "+
				"thresholds, as %s. It gets the smallest thresholds of all its queues, so that marks come before pauses on each. Senders slow down "+
				"early on "+
				"fast ports, and may not fill them. A later release has thresholds for each port or queue.",
				g.Name, m.minText(), where, platform.SpeedText(m.port.Speed()), diag.Bytes(m.mark.Own), m.port.Device().Switch.Can.MarksWhy).
				Note(m.port.Device().At, "%s", m.port.Device().Name)
		})
	},
}
