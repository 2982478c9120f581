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
	Doc: `
Marking is counted in the queue towards the receiver, pausing in the buffer towards the sender. One
port may feed the queues of all others: then its buffer holds the sum of what they hold, and
it pauses while each single queue still looks short. So that marks come first in every case, min
must stay below

    alpha x pool / (n x (1 + alpha x L))

with n ports that carry lossless groups, L lossless buffers at each, and the pool that these share;
a port may hold alpha times what is free of it. The bound is that of the DCQCN paper (SIGCOMM 2015,
section 4). Alpha and the pool are those of the system on the switch; rocec show SWITCH prints both
and where they were taken from. What is assumed of them may be half of what the switch really has,
or twice: plan and verify read it.

Above the bound senders are stopped before they are told to slow down, and ECN does little. rocec
keeps a derived min below it; this is about one written by hand.

On some chips xoff is taken to be all that a port may hold, whatever is free. Then n ports that
fill one queue hold n times xoff when they pause, and marks come first only where enough of them
send at once. A note says from how many senders on, where two are not enough; rocec derives a min
that holds for the incast the fabric has.

Example: 18 ports of an SN2700 in use, in two lossless groups.

    cos_group "rdma" {
      ecn {
        min = "1MiB"
        max = "3MiB"
      }
    }
    host "gpu" {
      names = "gpu[1-64]"
    }
    link "gpus" {
      a = "gpu[1-64]:ens1f0"
      b = "leaf[1-4]:swp[3-18]"
    }

How to mend it: leave min out, or write less than the bound.

    cos_group "rdma" {
      ecn {} # no min, no max
    }
`,
	Run: func(p *Pass) {
		var late, few folds[*ir.CosGroup, marking]
		markings(p.Fabric, func(m marking) {
			switch {
			case m.late():
				late.add(m.mark.Group, m)
			case m.fewFirst():
				few.add(m.mark.Group, m)
			}
		})
		late.each(func(g *ir.CosGroup, all []marking) {
			m := worst(all, func(m marking) int { return m.mem.MarkBound() })
			bound := m.mem.MarkBound()
			mend := m.mend(m.mark.Min, "Leave min out, and it is derived") + fmt.Sprintf("; or write less than %s.", diag.Bytes(bound))
			if bound <= 2*m.port.MTU {
				mend = "No min is both below that and above two frames: shorter cables, fewer lossless groups or a chip with more " +
					"memory are the way out."
			}
			p.Warnf(diag.FirstPlace(g.ECN.Min.At(), m.mark.Pinned), "Cos group %q begins to mark at min = %s, but on %s ports can pause "+
				"from queues of %s on: %s lossless ports with %s share %s, so the bound is %s. "+
				"Senders are stopped before they are told to slow down. %s",
				g.Name, diag.Bytes(m.mark.Min.N), where(all, m), diag.Bytes(bound), diag.Number(m.mem.Ports),
				diag.Count(m.mem.Groups, "lossless group"), diag.Bytes(m.mem.MarkPool()), m.mem.MarkBoundText(), mend).
				Note(m.port.Device.At, "%s: a pool of %d %% (%s), alpha %s (%s)", m.port.Device.Name, m.mem.Model.Percent,
					m.mem.Model.PercentFrom, m.mem.Model.Alpha, m.mem.Model.AlphaFrom)
		})
		few.each(func(g *ir.CosGroup, all []marking) {
			m := worst(all, func(m marking) int { return m.xoff() })
			from := ir.MarksFrom(m.mark.Min.N, m.xoff())
			most := m.port.Device.Senders(g)
			can := fmt.Sprintf("up to %s can send into one queue there", diag.Count(most, "port"))
			if from > most {
				can += ", so that marks never come first"
			}
			p.Noticef(diag.FirstPlace(g.ECN.Min.At(), m.mark.Pinned), "Cos group %q begins to mark at min = %s. On %s a port is taken to pause "+
				"once it holds xoff = %s, whatever is free of the memory (%s): marks come before pauses where %s or more fill a queue at once; "+
				"%s. %s, or write less than %s, so that two are enough.",
				g.Name, diag.Bytes(m.mark.Min.N), where(all, m), diag.Bytes(m.xoff()), m.mem.Model.XoffFrom, diag.Count(from, "port"), can,
				m.mend(m.mark.Min, "Leave min out, and it is derived for the incast the fabric has"), diag.Bytes(2*m.xoff())).
				Note(m.port.Device.At, "%s", m.port.Device.Name)
		})
	},
}

// fewFirst reports whether a written min comes after pauses where few senders fill a queue, with thresholds that are absolute.
func (m marking) fewFirst() bool {
	return m.mark.Group.Lossless && (m.mark.Group.ECN.Min.Set() || m.pinned(m.mark.Min)) && m.mem.Model.Absolute && m.xoff() > 0 &&
		m.mark.Min.N >= m.mem.IncastBound(2, m.xoff()) && m.port.Device.Senders(m.mark.Group) > 1
}

// xoff is the threshold of pausing at the port, of the group that is marked.
func (m marking) xoff() int {
	if b := m.port.Carries(m.mark.Group); b != nil {
		return b.Xoff.N
	}
	return 0
}

// where names the switch of the worst of markings, and how many others there are.
func where(all []marking, worst marking) string {
	name := worst.port.Device.Name
	if n := switches(all); n > 1 {
		return fmt.Sprintf("%s and %s more", name, diag.Count(n-1, "switch"))
	}
	return name
}

// switches counts the switches of markings that come switch by switch.
func switches(all []marking) int {
	n := 0
	for i, m := range all {
		if i == 0 || m.port.Device != all[i-1].port.Device {
			n++
		}
	}
	return n
}
