package validate

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// PFCLoopUnknown reports fabrics for which the proof has no verdict.
var PFCLoopUnknown = &Check{
	Code:    "pfc-loop-unknown",
	Summary: "not known to be free of PFC loops",
	Loops:   true,
	Answers: []string{"K23"},
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			if l.Verdict != Unknown {
				continue
			}
			report := p.Errorf
			var allowed []*ir.CosGroup
			for _, g := range l.Groups {
				if g.AllowUnproven != "" {
					allowed = append(allowed, g)
				}
			}
			if len(allowed) == len(l.Groups) {
				report = p.Warnf
			}
			d := report(p.routingAt(), "Whether lossless traffic of %s can stop itself in a circle is not known: %s.", groupsText(l.Groups),
				whyText(l))
			for _, g := range allowed {
				d.Detail += fmt.Sprintf(" allow_unproven of %q says: %s.", g.Name, strings.TrimSuffix(g.AllowUnproven, "."))
			}
			a := newAdviser(p, l)
			if flag, value := BudgetFlag(l); flag != "" {
				a.add("%s %s (price: time; that it is enough is a guess)", flag, value)
			}
			if p.Fabric.Routing == ir.EBGP || p.Fabric.Routing == ir.ShortestPath {
				a.asPlan()
				a.routers()
			}
			if len(allowed) < len(l.Groups) {
				a.add("allow_unproven = \"reason\" on %s (price: the risk stays, and plan and apply repeat it every time)", groupsText(l.Groups))
			}
			if a.ways != nil {
				d.Fix = a.fix()
			}
		}
	},
}
