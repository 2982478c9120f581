package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

// PFCLoop proves that lossless buffers cannot wait for each other in a circle, or shows the circle.
var PFCLoop = &Check{
	Code:    "pfc-loop",
	Summary: "lossless links can pause each other in a circle",
	Loops:   true,
	Answers: []string{"K10", "K23"},
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			if l.Verdict == Prone {
				p.reportLoop(l)
			}
		}
	},
}

func (p *Pass) reportLoop(l *proof.Proof) {
	f, first := p.Fabric, l.Loops[0]
	report := p.Errorf
	var allowed []*ir.CosGroup
	for _, g := range l.Groups {
		if g.AllowDeadlock != "" {
			allowed = append(allowed, g)
		}
	}
	if len(allowed) == len(l.Groups) {
		report = p.Warnf
	}
	failed, when := proof.Failed(first.Down), ""
	switch {
	case len(failed) > 0:
		when = " once " + areDown(first.Down)
	case len(first.Down) > 0:
		when = " as long as " + areDown(first.Down)
	}
	d := report(p.routingAt(), "With routing = %q, lossless traffic of %s can fill %d buffers that wait for each other in a circle%s: each "+
		"can only drain into the next. If all of them are full at once, all of these links stay paused, and so do the links "+
		"behind them. Nothing in the fabric prevents that; break the circle, or state why it may stay.",
		f.Routing, groupsText(l.Groups), len(first.Circle), when)
	for _, g := range allowed {
		d.Detail += fmt.Sprintf(" allow_deadlock of %q says: %s.", g.Name, strings.TrimSuffix(g.AllowDeadlock, "."))
	}
	p.causes(d, l)
	d.Text = loopText(l)
	d.Loop = hops(first.Circle)
	d.Fix = p.waysOut(l)
}

// causes adds notes on the lines of the fabric that together make the circle.
func (p *Pass) causes(d *diag.Diagnostic, l *proof.Proof) {
	first := l.Loops[0]
	for _, g := range l.Groups {
		d.Note(diag.FirstPlace(g.LosslessAt, g.At), "keeps priority %d lossless on every link of the circle", g.Cos)
	}
	for _, in := range p.Fabric.Intents {
		if slices.Contains(l.Groups, in.Group) {
			d.Note(in.At, "lets %s talk with one another", diag.Count(len(in.Members), "interface"))
		}
	}
	if len(l.Groups) > 1 {
		shared := slices.IndexFunc(p.Fabric.Devices, (*ir.Device).SharesBuffer)
		bounces := slices.ContainsFunc(l.Groups, func(g *ir.CosGroup) bool { return slices.Contains(l.Groups, g.Bounce) })
		if bounces {
			d.Note(diag.Range{}, "traffic that bounces moves from one of the groups into another, so they are judged together")
		}
		switch {
		case p.Fabric.FlowControl == ir.Pause:
			d.Note(diag.Range{}, "link pause stops a cable for every cos group at once, so they are judged together")
		case p.Fabric.Coupled():
			cable := p.Fabric.Links[slices.IndexFunc(p.Fabric.Links, (*ir.Link).Couples)]
			d.Note(diag.FirstPlace(cable.FlowControlAt, cable.At), "link pause between devices that forward stops every cos group at once, "+
				"so they are judged together")
		case shared >= 0:
			chip := p.Fabric.Devices[shared].Switch
			d.Note(chip.ModelAt, "%s keeps one buffer for all lossless groups of a port", chip.Model.ASIC.Title)
		}
	}
	var blocks []diag.Range
	cables := map[diag.Range]int{}
	for _, h := range first.Circle {
		at := h.In.Link().At
		if cables[at]++; cables[at] == 1 {
			blocks = append(blocks, at)
		}
	}
	slices.SortFunc(blocks, diag.ComparePlace)
	for _, at := range blocks {
		if at.Filename != "" {
			d.Note(at, "lays %s of the circle", diag.Count(cables[at], "cable"))
		}
	}
	if i := slices.IndexFunc(first.Down, func(l *ir.Link) bool { return l.Planned }); i >= 0 {
		d.Note(diag.FirstPlace(first.Down[i].PlannedAt, first.Down[i].At),
			"says that cables are not laid yet, and the fabric runs without them until then")
	}
	if l.Failures > 0 {
		if p.Fabric.FailuresAt.Filename != "" {
			d.Note(p.Fabric.FailuresAt, "asks that the proof hold with up to %s down", diag.Count(p.Fabric.Failures, "link"))
		} else {
			d.Note(diag.Range{}, "fabric.failures is not written: the proof must hold with up to %s down", diag.Count(p.Fabric.Failures, "link"))
		}
	}
}

// loopText prints the first circle, the flows that fill it, the links that must fail, and the other circles.
func loopText(l *proof.Proof) string {
	var b strings.Builder
	first := l.Loops[0]
	b.WriteString("the circle (each buffer can only drain into the next):\n\n")
	writeCircle(&b, first.Circle)
	writeChoices(&b, first.Choices)
	if first.Ties != ir.AnyTie {
		which := map[ir.Ties]string{ir.FirstTie: "first", ir.LastTie: "last"}[first.Ties]
		fmt.Fprintf(&b, "\nonly when routers advertise the %s of several equal routes\n", which)
	}
	if len(first.Down) > 0 {
		writeDown(&b, first.Down)
		b.WriteByte('\n')
		if first.Alike > 1 {
			fmt.Fprintf(&b, "at least %s of links do the same; they differ by names only\n", diag.Count(first.Alike-1, "other set"))
		}
		switch {
		case !l.Fewest:
			fmt.Fprintf(&b, "whether fewer failed links make a circle is not known: the budget ran out before all sets were judged; %s\n",
				moreText(l))
		case l.Failures > 1:
			fmt.Fprintf(&b, "no set of fewer than %d failed links makes a circle\n", l.Failures)
		}
	}
	writeFlows(&b, first.Flows)
	var more []string
	if first.Reversed {
		more = append(more, fmt.Sprintf("the same %d links make a circle in the other direction too", len(first.Circle)))
	}
	if first.Ended {
		more = append(more, "whether a shorter circle exists is not judged: the search ended early; a larger --budget goes on")
	}
	switch {
	case first.More < 0:
		more = append(more, fmt.Sprintf("how many more circles of %d buffers take the same turns from down to up is not judged: the count ended "+
			"early; a larger --budget goes on", len(first.Circle)))
	case first.More == proof.MostMore:
		more = append(more, fmt.Sprintf("at least %s of %d buffers take the same turns from down to up and are not listed",
			diag.Count(first.More, "more circle"), len(first.Circle)))
	case first.More > 0:
		more = append(more, fmt.Sprintf("%s of %d buffers take the same turns from down to up and are not listed",
			diag.Count(first.More, "more circle"), len(first.Circle)))
	}
	if first.Buffers > len(first.Circle) {
		which := "the shortest is shown"
		if first.Ended {
			which = "the shortest of those found is shown"
		}
		more = append(more, fmt.Sprintf("circles that are joined to this one have %s in all; %s", diag.Count(first.Buffers, "buffer"), which))
	}
	others := l.Parts - 1
	if first.Reversed && first.Buffers == len(first.Circle) {
		others-- // the other direction is a separate part
	}
	if others > 0 {
		more = append(more, fmt.Sprintf("%s of buffers hold circles that share no buffer with it", diag.Count(others, "other set")))
	}
	if more != nil {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(more, "\n"))
	}
	return b.String()
}

// writeChoices lists the routes that routers must advertise, among equal ones, for the circle.
func writeChoices(b *strings.Builder, choices []ir.Choice) {
	const title = "only when routers with several equal routes advertise these"
	writeFirst(b, title, "choice", choices, func(c ir.Choice) string {
		return fmt.Sprintf("%s the one to %s that it has from %s", c.Device.Name, c.To, c.Via.Name)
	})
}
