package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// ECNMaxUnreachable reports a ramp whose end no queue reaches.
var ECNMaxUnreachable = &Check{
	Code:    "ecn-max-unreachable",
	Summary: "no queue grows to ECN max",
	Answers: []string{"C14"},
	Run: func(p *Pass) {
		type key struct {
			group *ir.CosGroup
			at    diag.Range
		}
		var found folds[key, marking]
		lowest := map[*ir.CosGroup]int{} // the largest max that queues of the group reach on every switch
		markings(p.Fabric, func(m marking) {
			limit := m.mem.QueueLimit()
			if m.mem.Model.Absolute { // reached where enough ports fill the queue
				limit = max(limit, m.mem.IncastBound(m.port.Device().Senders(m.mark.Group), m.xoff()))
			}
			if least, ok := lowest[m.mark.Group]; !ok || m.below(limit) < least {
				lowest[m.mark.Group] = m.below(limit)
			}
			name, at, ok := m.writtenAs(m.mark.Max)
			if ok && m.max() >= limit && !(name == "min" && m.late()) {
				found.add(key{m.mark.Group, at}, m)
			}
		})
		found.each(func(k key, all []marking) {
			m := worst(all, func(m marking) int { return m.mem.QueueLimit() })
			name, _, _ := m.writtenAs(m.mark.Max)
			fix := m.fix(m.mark.Max, "Leave max out, and it is derived")
			if name == "min" && !m.pinned(m.mark.Max) {
				fix = "It is derived from min: leave min out, and both are derived"
			}
			on := m.port.Device().Name
			if lowest[k.group] < m.below(m.mem.QueueLimit()) {
				on = "every switch"
			}
			p.Warnf(k.at, "Cos group %q marks with its full probability from max = %s on. On %s a queue that one port feeds never "+
				"holds more than %s of the pool of %s (alpha %s): it is marked less than intended, and pauses do the work. %s; or "+
				"write a max of at most %s, which a queue on %s can reach.",
				k.group.Name, m.maxText(), m.port.Device().Name, diag.Bytes(m.mem.QueueLimit()), diag.Bytes(m.mem.MarkPool()),
				m.mem.Model.Alpha, fix,
				diag.Bytes(lowest[k.group]), on).
				Note(m.port.Device().At, "%s", m.port.Device().Name)
		})
	},
}
