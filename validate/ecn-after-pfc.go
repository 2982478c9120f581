package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// ECNAfterPFC reports thresholds that mark only when ports already pause.
var ECNAfterPFC = &Check{
	Code:    "ecn-after-pfc",
	Summary: "pauses come before marks",
	Answers: []string{"2", "K17", "C14"},
	Run: func(p *Pass) {
		var late, never, few folds[*ir.CosGroup, marking]
		everyMarking(p.Fabric, func(m marking) {
			switch {
			case m.late() && m.mem.Model.Absolute:
				never.add(m.mark.Group, m)
			case m.late():
				late.add(m.mark.Group, m)
			case m.fewFirst():
				few.add(m.mark.Group, m)
			}
		})
		late.each(func(g *ir.CosGroup, all []marking) {
			m := worst(all, func(m marking) int { return m.mem.MarkBound() })
			bound := m.mem.MarkBound()
			fix := m.fix(m.mark.Min, "Leave min out, and it is derived") + fmt.Sprintf("; or write at most %s.", diag.Bytes(m.below(bound)))
			if m.below(bound) < 2*m.port.MTU() {
				fix = "No min is both below that and above two frames: shorter cables, fewer lossless groups or a chip with more " +
					"memory are the way out."
			}
			p.Warnf(diag.FirstPlace(g.ECN.Min.At(), m.mark.Pinned, g.ECN.At), "Cos group %q begins to mark at min = %s, but on %s ports can pause "+
				"from queues of %s on: %s lossless ports with %s share %s, so the bound is %s. "+
				"Pauses stop senders before marks slow them down. %s",
				g.Name, m.minText(), where(all, m), diag.Bytes(bound), diag.Number(m.mem.Ports),
				diag.Count(m.mem.Groups, "lossless group"), diag.Bytes(m.mem.MarkPool()), m.mem.MarkBoundText(), fix).
				Note(m.port.Device().At, "%s: a pool of %d %% (%s), alpha %s (%s)", m.port.Device().Name, m.mem.Model.Percent,
					m.mem.Model.PercentFrom, m.mem.Model.Alpha, m.mem.Model.AlphaFrom)
		})
		never.each(func(g *ir.CosGroup, all []marking) {
			m := mostSenders(all)
			senders := m.port.Device().Senders(g)
			p.Warnf(diag.FirstPlace(g.ECN.Min.At(), m.mark.Pinned), "Cos group %q begins to mark at min = %s. On %s a port is assumed to pause "+
				"when it holds xoff = %s, however much memory is free (%s). The %s that can fill one queue there hold %s "+
				"when all of them pause: pauses stop senders before a mark slows them down. %s.",
				g.Name, m.minText(), where(all, m), diag.Bytes(m.xoff()), m.mem.Model.XoffFrom, diag.Count(senders, "port"),
				diag.Bytes(m.mem.IncastBound(senders, m.xoff())), m.fewMend()).
				Note(m.port.Device().At, "%s", m.port.Device().Name)
		})
		few.each(func(g *ir.CosGroup, all []marking) {
			m := mostSenders(all)
			from, most := m.from(), m.port.Device().Senders(g)
			p.Noticef(diag.FirstPlace(g.ECN.Min.At(), m.mark.Pinned, g.ECN.At), "Cos group %q begins to mark at min = %s. On %s a port is "+
				"assumed to pause when it holds xoff = %s, however much memory is free (%s): marks come before pauses where %s or more fill a "+
				"queue at once. %s can send into one queue there%s. %s.",
				g.Name, m.minText(), where(all, m), diag.Bytes(m.xoff()), m.mem.Model.XoffFrom, diag.Count(from, "port"),
				diag.Count(most, "port"), m.farText(from, most), m.fewMend()).
				Note(m.port.Device().At, "%s", m.port.Device().Name)
		})
	},
}

// fewFirst reports whether, with absolute thresholds, pauses come before min if two ports fill a queue. A derived min is right for the
// incast of the fabric. It is too large if too few ports can fill the queue: all ports together, or those to other switches.
func (m marking) fewFirst() bool {
	if !m.mark.Group.Lossless || !m.mem.Model.Absolute || m.xoff() <= 0 || m.min() < m.mem.IncastBound(2, m.xoff()) {
		return false
	}
	most := m.port.Device().Senders(m.mark.Group)
	if most < 2 {
		return false
	}
	far := m.far()
	return m.written() || m.from() > most || far > 0 && far < m.from()
}

// far returns how many ports to other switches can send into the queue of a port to a host. It returns 0 for a port between switches,
// where the number depends on the paths.
func (m marking) far() int {
	n := 0
	if m.port.Peer().Device().Switch != nil {
		return 0
	}
	for _, p := range m.port.Device().Ports {
		if p != m.port && p.Carries(m.mark.Group) != nil && p.Peer().Device().Switch != nil {
			n++
		}
	}
	return n
}

// from returns how many ports must fill a queue at once for marks to come before pauses, with absolute thresholds.
func (m marking) from() int { return ir.MarksFrom(m.min(), m.xoff()) }

// mostSenders returns the marking with the largest from.
func mostSenders(all []marking) marking { return worst(all, func(m marking) int { return -m.from() }) }

// fewMend returns advice after which marks come first with two ports.
func (m marking) fewMend() string {
	two := diag.Bytes(m.mem.IncastBound(2, m.xoff()))
	if m.written() {
		return m.fix(m.mark.Min, "Leave min out, and it is derived for the incast of the fabric") +
			", or write less than " + two + ", so that two are enough"
	}
	return "That min is derived for all ports that can send; write less than " + two + " if two must be enough"
}

// farText describes the part of other switches: their traffic comes in by few ports, which pause for the traffic of many senders.
func (m marking) farText(from, most int) string {
	if from > most {
		return ", so that marks never come first"
	}
	far := m.far()
	if far == 0 || far >= from {
		return ""
	}
	return fmt.Sprintf("; traffic from other switches comes in by %s, and is paused first", diag.Count(far, "port"))
}

// where returns the name of the worst marking's switch, and the number of other switches.
func where(all []marking, worst marking) string {
	name := worst.port.Device().Name
	if n := switches(all); n > 1 {
		return fmt.Sprintf("%s and %s more", name, diag.Count(n-1, "switch"))
	}
	return name
}

// switches returns the number of switches of markings that are sorted by switch.
func switches(all []marking) int {
	n := 0
	for i, m := range all {
		if i == 0 || m.port.Device() != all[i-1].port.Device() {
			n++
		}
	}
	return n
}
