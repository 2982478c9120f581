package validate

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
)

// PFCLoopCabling warns of circles that exist while only some planned cables are laid.
var PFCLoopCabling = &Check{
	Code:    "pfc-loop-cabling",
	Summary: "planned cables are not proven to be safe in every order",
	Loops:   true,
	Answers: []string{"K23"},
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			if l.Cabling != nil {
				p.reportCabling(l)
			}
		}
	},
}

func (p *Pass) reportCabling(l *proof.Proof) {
	c := l.Cabling
	at := p.routingAt()
	for _, link := range c.Planned {
		if place := diag.FirstPlace(link.PlannedAt, link.At); place.Filename != "" {
			at = place
			break
		}
	}
	const between = "The fabric is free of PFC loops without the planned cables and with all of them. "
	var d *diag.Diagnostic
	switch c.Outcome {
	case proof.OneOrder:
		d = p.Warnf(at, between+"While %s, lossless traffic of %s can fill %d buffers that wait for each other in a circle. Cable as below: "+
			"every step is free%s.", areDown(c.Half.Down), groupsText(l.Groups), len(c.Half.Circle), orderCovers(p.Fabric, c))
	case proof.NoOrder:
		d = p.Warnf(at, between+"While %s, lossless traffic of %s can fill %d buffers that wait for each other in a circle, and every order "+
			"of laying the cables passes such a state. Lay them while no RoCE runs between these members, or have routing forbid the circle.",
			areDown(c.Half.Down), groupsText(l.Groups), len(c.Half.Circle))
	case proof.NotJudged:
		free := between
		if p.Fabric.Routing == ir.TablePath {
			free = "With the current tables the fabric is free of PFC loops. "
		}
		d = p.Warnf(at, free+"Not all states in between are known to be free: %s. Until they are, lay the cables while no RoCE runs between "+
			"these "+
			"members.", notJudged(l))
	case proof.AnyOrder: // the note states that, too
		return
	}
	d.Text = cablingText(c)
	if c.Half != nil {
		d.Loop = hops(c.Half.Circle)
	}
	a := newAdviser(p, l)
	if c.Outcome == proof.OneOrder {
		a.add("lay the cables in the order above (price: the ports it names stay shut until their turn)")
	}
	if flag, value := BudgetFlag(l); flag != "" {
		a.add("%s %s (price: time; that it is enough is a guess)", flag, value)
	}
	a.routers()
	a.asPlan()
	if a.ways != nil {
		d.Fix = a.fix()
	}
}

// orderCovers returns text about the failed links that an order tolerates.
func orderCovers(f *ir.Fabric, c *proof.Cabling) string {
	switch {
	case c.Down == f.Failures && c.Down > 0:
		return fmt.Sprintf(", also with up to %s down", diag.Count(c.Down, "link"))
	case c.Down < f.Failures && c.Down > 0:
		return fmt.Sprintf(", with up to %s down; no order is with %d", diag.Count(c.Down, "link"), f.Failures)
	case c.Down < f.Failures:
		return fmt.Sprintf(" as long as no link is down; no order is with up to %s down", diag.Count(f.Failures, "link"))
	}
	return ""
}

// notJudged returns text about the states that were not judged, with the flag that raises the bound.
func notJudged(l *proof.Proof) string {
	c := l.Cabling
	n := cables(c)
	switch {
	case l.Fabric.Routing == ir.TablePath:
		return fmt.Sprintf("not judged: the tables while some of %s are laid. Read the tables again after each cable", n)
	case c.Half != nil:
		return fmt.Sprintf("while %s, %d buffers wait for each other in a circle; not judged: whether some order of laying %s avoids "+
			"that, as the budget ran out; %s", areDown(c.Half.Down), len(c.Half.Circle), n, moreText(l))
	}
	down := ""
	if l.Fabric.Failures > 0 {
		down = fmt.Sprintf(" with %s down", diag.Count(c.Down, "link"))
	}
	return fmt.Sprintf("not judged: all sets of %s that may be missing%s, as the budget ran out after %s; %s", n, down,
		diag.Count(c.Followed, "state"), moreText(l))
}

// cables returns text such as "the 4 planned cables".
func cables(c *proof.Cabling) string {
	return fmt.Sprintf("the %s", diag.Count(len(c.Planned), "planned cable"))
}

// cablingText shows the circle of a partly cabled state, and the order that avoids it.
func cablingText(c *proof.Cabling) string {
	var b strings.Builder
	if c.Half != nil {
		b.WriteString("the circle (each buffer can only drain into the next):\n\n")
		writeCircle(&b, c.Half.Circle)
		writeDown(&b, c.Half.Down)
		writeFlows(&b, c.Half.Flows)
	}
	writeOrder(&b, c)
	return b.String()
}

// writeOrder lists the steps of an order, each with the ports that are shut until its turn.
func writeOrder(b *strings.Builder, c *proof.Cabling) {
	if c.Outcome != proof.OneOrder {
		return
	}
	b.WriteString("\na safe order of cabling:\n\n")
	step := 0
	add := func(format string, args ...any) {
		step++
		fmt.Fprintf(b, "    %d. %s\n", step, fmt.Sprintf(format, args...))
	}
	if c.Shut != nil {
		add("shut the ports to hosts: %s", nodeset.Text(switchPorts(c.Shut), nodeset.Endpoints, namesRoom))
	}
	for i, l := range c.Order {
		shut := ""
		if i > 0 {
			shut = fmt.Sprintf("\n       both ports are shut until %d has a link at both ends", step)
		}
		add("%s - %s%s", l.A(), l.B(), shut)
	}
	if c.Order == nil {
		add("the planned cables between switches, in any order")
	}
	if c.Shut != nil {
		add("once all of them have a link at both ends: open the ports to hosts, in any order")
	}
	if c.Last != nil {
		add("the planned cables to hosts, in any order\n       their ports are shut until %d has a link at both ends", step)
	}
}

// switchPorts names the switch ends of cables to hosts.
func switchPorts(links []*ir.Link) []string {
	var out []string
	for _, l := range links {
		p := l.A()
		if !p.Device().Forwards() {
			p = l.B()
		}
		out = append(out, p.String())
	}
	return out
}
