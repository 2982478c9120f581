package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PFCWatchdog notes what can end a deadlock if a PFC loop is accepted.
var PFCWatchdog = &Check{
	Code:    "pfc-watchdog",
	Summary: "an accepted PFC loop wants a watchdog",
	Answers: []string{"K15", "N20"},
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			refused := slices.ContainsFunc(l.Groups, func(g *ir.CosGroup) bool { return g.AllowDeadlock == "" })
			if l.Verdict != Prone || refused {
				continue
			}
			g := l.Groups[0]
			switches, hosts := p.stuck()
			p.Noticef(diag.FirstPlace(g.AllowAt, g.At), "Cos group %q accepts a PFC loop. Locked buffers stay locked until their packets are "+
				"dropped%s.%s", g.Name, switches, hosts)
		}
	},
}
