package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// ECNMinSmall reports marking that begins with the second packet.
var ECNMinSmall = &Check{
	Code:    "ecn-min-small",
	Summary: "ECN marks from less than two frames on",
	Answers: []string{"C14"},
	Run: func(p *Pass) {
		type key struct {
			group *ir.CosGroup
			at    diag.Range
		}
		var found folds[key, marking]
		markings(p.Fabric, func(m marking) {
			if _, at, ok := m.writtenAs(m.mark.Min); ok && m.min() < 2*m.port.MTU() {
				found.add(key{m.mark.Group, at}, m)
			}
		})
		found.each(func(k key, all []marking) {
			m := worst(all, func(m marking) int { return -m.port.MTU() })
			frame := m.port.MTU()
			name, _, _ := m.writtenAs(m.mark.Min)
			from := ""
			if name == "max" {
				from = ", derived from max"
			}
			fix := m.fix(m.mark.Min, fmt.Sprintf("Leave %s out, and it is derived", name))
			p.Warnf(k.at, "Cos group %q begins to mark at min = %s%s; two frames of %s are %s. One sender alone is slowed down and the "+
				"link is not filled. %s; or let min be %s or more.",
				k.group.Name, m.minText(), from, diag.Bytes(frame), diag.Bytes(2*frame), fix, diag.Bytes(2*frame))
		})
	},
}
