package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PFCLoop proves that no circle of lossless buffers can wait for itself, or shows the circle.
var PFCLoop = &Check{
	Code:    "pfc-loop",
	Summary: "lossless links can pause each other in a circle",
	Doc: `PFC makes a link lossless by stopping it: a buffer that fills up pauses the link that fills it.
If the paused buffers form a circle, each waiting for room in the next, nothing on the circle
moves again, and everything behind it stops too:

    sw1 ===> sw2        the buffer of sw2 is full of frames for sw3,
     ^        |         that of sw3 of frames for sw4,
     |        v         that of sw4 of frames for sw1,
    sw4 <=== sw3        that of sw1 of frames for sw2: nobody can begin

rocec builds the graph "this buffer can only drain into that one" from your cabling, your roce
blocks (who talks with whom) and fabric.routing (which way), and looks for circles. Whether a
circle ever fills depends on load and luck; a fabric without one cannot stop this way whatever
the load. So a circle is an error.

The proof assumes that hosts drain what they receive, that headroom suffices, that nothing is
flooded losslessly, and that traffic really goes the way fabric.routing says.

Example: four switches in a ring, a host on each, routing = "shortest-path". Traffic between
opposite corners passes a third switch, in both directions round the ring.

How to mend it, cheapest first:
  - routing = "up-down", if your switches have tiers and their routing never sends traffic up
    again after it came down (eBGP with the AS numbers of RFC 7938 does that). This is proven
    for any failures.
  - let fewer members talk: two roce blocks instead of one.
  - take a cable out of the circle.
  - allow_deadlock = "reason" on the cos_group: the error becomes a warning that plan and apply
    repeat.`,
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			for _, g := range l.groups {
				proof := Proof{
					Group: g, Verdict: l.verdict, Certificate: l.certificate, Routing: p.Fabric.Routing,
					Failures: l.failures, Any: l.any, Why: l.why,
				}
				if l.any {
					proof.Failures = p.Fabric.Failures
				}
				if l.verdict == Free {
					proof.Assumptions = l.assumptions()
				}
				if l.loops != nil {
					proof.Loops = []Loop{{Circle: l.loops.circle, Flows: l.graph.flows(l.loops.circle), Down: l.down}}
				}
				p.proofs = append(p.proofs, proof)
			}
			if l.verdict == Prone {
				p.reportLoop(l)
			}
		}
	},
}

func (p *Pass) reportLoop(l *loopProof) {
	f, circle := p.Fabric, l.loops.circle
	at := f.RoutingAt
	if at.Filename == "" {
		at = f.At
	}
	report := p.Errorf
	var allowed []*ir.CosGroup
	for _, g := range l.groups {
		if g.AllowDeadlock != "" {
			allowed = append(allowed, g)
		}
	}
	if len(allowed) == len(l.groups) {
		report = p.Warnf
	}
	when := ""
	if len(l.down) > 0 {
		when = fmt.Sprintf(" once %s down", isAre(len(l.down), "link"))
	}
	d := report(at, "With routing = %q, lossless traffic of %s can fill %d buffers that wait for each other in a circle%s: each "+
		"can only drain into the next. If all of them are full at once, all of these links stay paused, and so does whatever is "+
		"behind them. Nothing in the fabric keeps that from happening; break the circle, or say why it may stay.",
		f.Routing, groupsText(l.groups), len(circle), when)
	for _, g := range allowed {
		d.Detail += fmt.Sprintf(" allow_deadlock of %q says: %s.", g.Name, strings.TrimSuffix(g.AllowDeadlock, "."))
	}

	p.causes(d, l)
	d.Text = loopText(l)
	for _, h := range circle {
		d.Loop = append(d.Loop, diag.Hop{Device: h.In.Device.Name, In: h.In.Name, Out: h.Out.Name, CosGroup: h.Group.Name})
	}
	d.Fix = l.waysOut()
}

// causes notes the lines of the person that together make the circle.
func (p *Pass) causes(d *diag.Diagnostic, l *loopProof) {
	for _, g := range l.groups {
		at := g.LosslessAt
		if at.Filename == "" {
			at = g.At
		}
		d.Note(at, "keeps priority %d lossless on every link of the circle", g.Cos)
	}
	for _, in := range p.Fabric.Intents {
		if slices.Contains(l.groups, in.Group) {
			d.Note(in.At, "lets %s talk with one another", plural(len(in.Members), "interface"))
		}
	}
	if len(l.groups) > 1 {
		if p.Fabric.FlowControl == ir.Pause {
			d.Note(diag.Range{}, "link pause stops a cable for every cos group at once, so they are judged together")
		} else {
			d.Note(diag.Range{}, "the switch chips keep one buffer for all lossless groups of a port, so they are judged together")
		}
	}
	var blocks []diag.Range
	cables := map[diag.Range]int{}
	for _, h := range l.loops.circle {
		at := h.In.Link.At
		if cables[at]++; cables[at] == 1 {
			blocks = append(blocks, at)
		}
	}
	slices.SortFunc(blocks, diag.ComparePlace)
	for _, at := range blocks {
		if at.Filename != "" {
			d.Note(at, "lays %s of the circle", plural(cables[at], "cable"))
		}
	}
	if len(l.down) > 0 {
		if p.Fabric.FailuresAt.Filename != "" {
			d.Note(p.Fabric.FailuresAt, "asks that the proof hold with up to %s down", plural(p.Fabric.Failures, "link"))
		} else {
			d.Note(diag.Range{}, "fabric.failures is not written: the proof must hold with up to %s down", plural(p.Fabric.Failures, "link"))
		}
	}
}

// loopText lays the circle out: a line for every buffer, then the flows that fill it, what must fail first, and what else
// there is.
func loopText(l *loopProof) string {
	var b strings.Builder
	circle := l.loops.circle
	b.WriteString("the circle (each buffer can only drain into the next):\n\n")
	left, right := 0, 0
	for _, h := range circle {
		left, right = max(left, len(h.In.Peer().String())), max(right, len(h.In.String()))
	}
	const most = 24 // lines of a circle; of longer ones the first and the last
	for i, h := range circle {
		if len(circle) > most && i >= most-4 && i < len(circle)-4 {
			if i == most-4 {
				fmt.Fprintf(&b, "    ...  %s more\n", plural(len(circle)-most, "buffer"))
			}
			continue
		}
		turn := ""
		if up(h.In.Peer(), h.In) < 0 && up(h.Out, h.Out.Peer()) > 0 {
			turn = "   down, then up again"
		}
		fmt.Fprintf(&b, "  %3d. %-*s ===> %-*s   out by %s, into %d%s\n", i+1, left, h.In.Peer(), right, h.In, h.Out.Name, (i+1)%len(circle)+1, turn)
	}
	if len(l.down) > 0 {
		fmt.Fprintf(&b, "\nonly when %s down:\n\n", isAre(len(l.down), "link"))
		for _, link := range l.down {
			fmt.Fprintf(&b, "    %s - %s\n", link.A, link.B)
		}
		if len(l.down) > 1 {
			fmt.Fprintf(&b, "\nno set of fewer than %d failed links makes a circle\n", len(l.down))
		}
	}
	if flows := l.graph.flows(circle); len(flows) > 0 {
		b.WriteString("\nflows that fill it:\n\n")
		for i, f := range flows {
			if i == 8 {
				fmt.Fprintf(&b, "    ...  %s more\n", plural(len(flows)-8, "flow"))
				break
			}
			fmt.Fprintf(&b, "    %s\n", flowText(f))
		}
	}
	switch {
	case l.loops.parts > 1 && l.graph.reversed(circle):
		fmt.Fprintf(&b, "\nthe same %d links make a circle in the other direction too", len(circle))
		if l.loops.parts > 2 {
			fmt.Fprintf(&b, "; %s of buffers hold more", plural(l.loops.parts-2, "other set"))
		}
		b.WriteByte('\n')
	case l.loops.parts > 1:
		fmt.Fprintf(&b, "\n%s of buffers hold circles of their own; the smallest is shown (%d buffers in all)\n",
			plural(l.loops.parts-1, "other set"), l.loops.buffers)
	case l.loops.buffers > len(circle):
		fmt.Fprintf(&b, "\n%d buffers in all lie on circles that share these turns; the shortest is shown\n", l.loops.buffers)
	}
	return b.String()
}

// up tells whether the cable from a to b leads to a higher tier (+1), a lower (-1) or the same (0).
func up(a, b *ir.Port) int { return height(b.Device) - height(a.Device) }

// flowText is "node1:eth2 -> node3:eth2, by sw1, sw2, sw3".
func flowText(f *ir.Flow) string {
	from, to := f.Ports[0], f.Ports[len(f.Ports)-1]
	by := make([]string, 0, len(f.Ports)/2)
	for i := 1; i+1 < len(f.Ports); i += 2 {
		by = append(by, f.Ports[i].Device.Name)
	}
	if len(by) > 6 {
		by = append(by[:5], "...", by[len(by)-1])
	}
	return fmt.Sprintf("%s -> %s, by %s", from, to, strings.Join(by, ", "))
}

func groupsText(groups []*ir.CosGroup) string {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = fmt.Sprintf("cos group %q (priority %d)", g.Name, g.Cos)
	}
	return strings.Join(names, " and ")
}

func isAre(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprintf("%d %ss are", n, what)
}
