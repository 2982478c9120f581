package validate

import (
	"fmt"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// PFCLoopUnknown reports fabrics the proof does not reach.
var PFCLoopUnknown = &Check{
	Code:    "pfc-loop-unknown",
	Summary: "not known to be free of PFC loops",
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
			var ways []string
			if flag, value := BudgetFlag(l); flag != "" {
				ways = append(ways, fmt.Sprintf("%s %s (price: time; that it is enough is a guess)", flag, value))
			}
			if p.Fabric.Routing == ir.EBGP || p.Fabric.Routing == ir.ShortestPath {
				const proven = ": that is proven at any size and for any failures (price: " + pathsLost + ")"
				noneLost := sync.OnceValue(func() bool { return noPathsLost(p.Fabric) })
				if plan := l.ASPlan(); plan != nil && noneLost() {
					ways = append(ways, planWay(p.Fabric, plan)+proven)
				}
				if l.Tiered() && noneLost() {
					ways = append(ways, routersText+proven)
				}
			}
			if len(allowed) < len(l.Groups) {
				ways = append(ways, fmt.Sprintf("allow_unproven = \"reason\" on %s (price: the risk stays, and plan and apply repeat it every time)",
					groupsText(l.Groups)))
			}
			if ways != nil {
				d.Fix = waysText(ways)
			}
		}
	},
}
