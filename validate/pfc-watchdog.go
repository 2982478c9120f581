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
	Doc: `
With allow_deadlock a PFC loop stays in the fabric, and once its buffers are full they do not drain
by themselves. A watchdog ends that: it sees a queue that has been paused for too long (hundreds of
milliseconds, against microseconds of an ordinary pause) and drops what is in it.

  - Switches: late releases of Cumulus Linux 5 have a PFC watchdog, for each port; up to 4.3, the
    releases rocec writes, there is none. SONiC has one.
  - Hosts: mlx5 NICs stop a pause storm of their own: ethtool --set-tunable IF pfc-prevention-tout
    auto. It helps against a stuck host, not against a circle of switches.

A watchdog drops lossless traffic to free the rest. It is no proof, and rocec does not count on it.

Example:

    fabric "pod1" { routing = "any" }
    cos_group "rdma" {
      lossless       = true
      allow_deadlock = "lab, rebooted every night"
    }

Fix: rocec explain pfc-loop names the ways out of the circle. Where none is taken, plan
for a watchdog, and watch the counters of paused time.

    fabric "pod1" { routing = "up-down" }
`,
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
