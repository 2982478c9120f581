package validate

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PFCWatchdog says what can end a deadlock where one is accepted.
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
			p.Noticef(diag.FirstPlace(g.AllowAt, g.At), "Cos group %q accepts a PFC loop. What locks stays locked until something drops "+
				"it%s.%s", g.Name, switches, hosts)
		}
	},
}

// stuck says what ends a deadlock on the switches of the fabric, and what keeps its hosts from holding it, as far as that is
// known of their systems and drivers.
func (p *Pass) stuck() (switches, hosts string) {
	var onSwitches, onHosts []string
	add := func(all *[]string, fact string) {
		if fact != "" && !slices.Contains(*all, fact) {
			*all = append(*all, fact)
		}
	}
	for _, d := range p.Fabric.Devices {
		if d.Switch != nil {
			add(&onSwitches, d.Switch.Can.Stuck)
			continue
		}
		for _, n := range d.Host.NICs {
			add(&onHosts, n.Can().Storm)
		}
	}
	if len(onSwitches) > 0 {
		switches = ": " + strings.Join(onSwitches, "; ")
	}
	for _, fact := range onHosts {
		hosts += " On the hosts " + fact + "."
	}
	return switches, hosts
}
