package validate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// PFCLoopTransient warns of circles that can come and go while routing converges.
var PFCLoopTransient = &Check{
	Code:    "pfc-loop-transient",
	Summary: "a circle of paused links can form while routing converges",
	Answers: []string{"K23"},
	Doc: `
After a link fails, the switches learn of it one after the other. For some milliseconds to seconds
some forward as before and others already as after. Under shortest paths found anew that is enough
for a circle: a spine that has lost its link to a leaf sends the leaf's traffic down to another
leaf, to come up again; that leaf, which has not heard yet, sends it back.

    leaf2 ===> spine1     for leaf1, as before the failure of spine1 - leaf1
    leaf2 <=== spine1     for leaf1, as after it: the two wait for each other

Such a loop between two neighbours is a micro-loop. It lasts until routing has converged, but the
buffers that fill meanwhile can stay locked: a PFC deadlock does not dissolve by itself when routes
change (see rocec explain pfc-loop). Nearly every fabric with shortest paths is prone to this, so
it is a warning, given once, for the first single link that shows it. Under up-down there is
none, because what came down never goes up. Under spanning-tree none is looked for: ports block
before they forward. With AS numbers that forbid the way down and up again none is looked for
either.

Example: any leaf and spine fabric with shortest paths.

    fabric "pod1" {
      routing = "shortest-path"
    }

Fix: routing that never sends traffic up again after it came down, and to say so; or
eBGP with one AS number for the spines (RFC 7938), since a switch that gets no other route drops the
traffic instead. Where that cannot be had, PFC watchdogs on the switches drop what stays locked: a
mitigation, never a proof.

    fabric "pod1" {
      routing = "up-down"
    }
`,
	Run: func(p *Pass) {
		noneLost := sync.OnceValue(func() bool { return noPathsLost(p.Fabric) })
		for _, l := range p.loops() {
			t := l.Transient
			if t == nil || l.Verdict == Prone {
				continue
			}
			link := t.Down[0]
			kind := "buffers that wait for each other in a circle"
			if len(t.Circle) == 2 && t.Circle[0].In == t.Circle[0].Out {
				kind = fmt.Sprintf("buffers that wait for each other, a micro-loop between %s and %s", t.Circle[0].In.Device().Name, t.Circle[1].In.Device().Name)
			}
			d := p.Warnf(p.routingAt(), "While routing converges after %s - %s fails, some switches forward as before and some already as after. "+
				"Lossless traffic of %s can then fill %d %s, and what is locked stays locked when the routes are right again. The "+
				"verdict for the time before and after is: %s.", link.A(), link.B(), groupsText(l.Groups), len(t.Circle), kind, l.Verdict)
			var b strings.Builder
			b.WriteString("the circle (each buffer can only drain into the next):\n\n")
			writeCircle(&b, t.Circle)
			if uTurn := slices.ContainsFunc(t.Circle, func(h Wait) bool { return h.In == h.Out }); !uTurn {
				b.WriteString("\nno frame turns back on its cable here: this is no micro-loop of two neighbours\n")
			}
			d.Text = b.String()
			d.Loop = hops(t.Circle)
			var ways []string
			if l.Tiered() && noneLost() {
				ways = append(ways, routersText+" (price: "+pathsLost+")")
			}
			if plan := l.ASPlan(); plan != nil && noneLost() {
				ways = append(ways, planWay(p.Fabric, plan)+" (price: "+pathsLost+")")
			}
			ways = append(ways, "PFC watchdogs on the switches, which drop what stays locked (price: it is a mitigation, not a proof)")
			d.Fix = waysText(ways)
		}
	},
}
