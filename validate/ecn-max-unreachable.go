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
	Doc: `
From min to max the probability of a mark rises, and at max it is probability. A port may hold at
most alpha times what is free of the pool that lossless traffic shares before it pauses or drops,
which is half of the pool for alpha = 1; so a queue that one port feeds never grows longer. With max
above that the ramp is never climbed: marking stays weak however long the queue gets, and PFC does
the work.

Example: an SN2700 has 13.9 MB of memory.

    cos_group "rdma" {
      ecn {
        min = "150KiB"
        max = "12MiB"
      }
    }

How to mend it: leave max out, so that it is ten times min; or write less than that part of the
pool.

    cos_group "rdma" {
      ecn {
        min = "150KiB" # no max
      }
    }
`,
	Run: func(p *Pass) {
		type key struct {
			group *ir.CosGroup
			at    diag.Range
		}
		var found folds[key, marking]
		markings(p.Fabric, func(m marking) {
			name, at, ok := m.writtenAs(m.mark.Max)
			if m.mem.Model.Absolute && m.mark.Max.N < m.mem.IncastBound(m.port.Device.Senders(m.mark.Group), m.xoff()) {
				return // reached where enough ports fill the queue
			}
			if ok && m.mark.Max.N >= m.mem.QueueLimit() && !(name == "min" && m.late()) {
				found.add(key{m.mark.Group, at}, m)
			}
		})
		found.each(func(k key, all []marking) {
			m := worst(all, func(m marking) int { return m.mem.QueueLimit() })
			name, _, _ := m.writtenAs(m.mark.Max)
			mend := m.mend(m.mark.Max, "Leave max out, and it is derived")
			if name == "min" && !m.pinned(m.mark.Max) {
				mend = "It comes from min: leave min out, and both are derived"
			}
			p.Warnf(k.at, "Cos group %q marks with its full probability from max = %s on, but on %s a queue that one port feeds never "+
				"holds more than %s of the pool of %s (alpha %s): it is marked less than meant, and pauses do the work. %s; or "+
				"write less than %s.",
				k.group.Name, diag.Bytes(m.mark.Max.N), m.port.Device.Name, diag.Bytes(m.mem.QueueLimit()), diag.Bytes(m.mem.MarkPool()),
				m.mem.Model.Alpha, mend,
				diag.Bytes(m.mem.QueueLimit())).
				Note(m.port.Device.At, "%s", m.port.Device.Name)
		})
	},
}
