package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// PFCLoopTransient warns of circles that can exist only while routing converges.
var PFCLoopTransient = &Check{
	Code:    "pfc-loop-transient",
	Summary: "a circle of paused links can form while routing converges",
	Loops:   true,
	Answers: []string{"K23"},
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			t := l.Transient
			if t == nil || l.Verdict == Prone {
				continue
			}
			link := t.Down[0]
			kind := "buffers that wait for each other in a circle"
			if len(t.Circle) == 2 && t.Circle[0].In == t.Circle[0].Out {
				kind = fmt.Sprintf("buffers that wait for each other, a micro-loop between %s and %s", t.Circle[0].In.Device().Name,
					t.Circle[1].In.Device().Name)
			}
			d := p.Warnf(p.routingAt(), "While routing converges after %s - %s fails, some switches forward as before and some already as after. "+
				"Lossless traffic of %s can then fill %d %s, and locked buffers stay locked when the routes are right again. The verdict before "+
				"and after that is: %s.", link.A(), link.B(), groupsText(l.Groups), len(t.Circle), kind, l.Verdict)
			var b strings.Builder
			b.WriteString("the circle (each buffer can only drain into the next):\n\n")
			writeCircle(&b, t.Circle)
			if uTurn := slices.ContainsFunc(t.Circle, func(h Wait) bool { return h.In == h.Out }); !uTurn {
				b.WriteString("\nno frame turns back on its cable here: this is not a micro-loop of two neighbours\n")
			}
			d.Text = b.String()
			d.Loop = hops(t.Circle)
			a := newAdviser(p, l)
			a.routers()
			a.asPlan()
			drops, _ := p.stuck()
			a.add("let a watchdog drop locked packets%s (price: it is a mitigation, not a proof)",
				cmp.Or(drops, ", such as PFC watchdogs on the switches"))
			d.Fix = a.fix()
		}
	},
}
