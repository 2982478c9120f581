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
	Doc: `
rocec could neither prove that no circle of lossless buffers can wait for itself (rocec explain
pfc-loop) nor show one that can come about. The message says what is missing:

  - routing = "up-down", but two switches of the same tier are joined by a link that is no peer
    link, so the tiers do not say which way is up;
  - the budget ran out. There are so many sets of links that may fail, each giving other shortest
    paths, that not all were judged; the message says which were. The healthy verdict proves
    nothing for the others;
  - turns of states that exclude each other close a circle together: of two ways to break a tie, or
    of two failures that do not happen at once. Such a circle need not be a real one, and the budget
    ran out before every state was tried.

The budget counts work, not time, so that the verdict is the same on every machine: a second of
--budget is 100 million steps. Where it ran out, the message names one that is roughly enough.

A fabric that is not proven may freeze under load, so this is an error, and validate, build, plan
and apply end with exit status 1. Where you know more than rocec, say so in the cos_group with
allow_unproven = "reason": the error becomes a warning that plan and apply repeat.

Example: two leaves are joined by a link that is no peer link.

    fabric "pod1" {
      routing = "up-down"
    }
    link "sideways" {
      a = "leaf1:swp30"
      b = "leaf2:swp30"
    }

Fix: if your routing never sends traffic up again after it came down, say routing =
"up-down" and give every switch its tier: that is proven at any size and for any failures. With
eBGP, give the switches AS numbers that forbid it (RFC 7938). Give the proof more work
(--budget 10m). Or ask for less (failures = 1), knowing that the verdict then holds for no more.
Last, accept it in the cos_group with allow_unproven, with the reason.

    link "sideways" {
      peer = true
    }
`,
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
