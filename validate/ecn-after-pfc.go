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

with n ports that carry lossless groups, L such groups, and the pool that their buffers leave of
the chip's memory; a port may hold alpha times what is free of it, and alpha is 1 on Cumulus
Linux. The bound is that of the DCQCN paper (SIGCOMM 2015, section 4).

Above it senders are stopped before they are told to slow down, and ECN does little. rocec keeps
a derived min below the bound; this is about one written by hand.

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
		var found folds[*ir.CosGroup, marking]
		markings(p.Fabric, func(m marking) {
			if m.late() {
				found.add(m.mark.Group, m)
			}
		})
		found.each(func(g *ir.CosGroup, all []marking) {
			m := worst(all, func(m marking) int { return m.mem.MarkBound() })
			where := m.port.Device.Name
			if n := switches(all); n > 1 {
				where = fmt.Sprintf("%s and %s more", where, diag.Count(n-1, "switch"))
			}
			bound := m.mem.MarkBound()
			mend := m.mend(m.mark.Min, "Leave min out, and it is derived") + fmt.Sprintf("; or write less than %s.", diag.Bytes(bound))
			if bound <= 2*m.port.MTU {
				mend = "No min is both below that and above two frames: shorter cables, fewer lossless groups or a chip with more " +
					"memory are the way out."
			}
			p.Warnf(diag.FirstPlace(g.ECN.Min.At(), m.mark.Pinned), "Cos group %q begins to mark at min = %s, but on %s ports can pause "+
				"from queues of %s on: %s lossless ports with %s share %s, so the bound is %s. "+
				"Senders are stopped before they are told to slow down. %s",
				g.Name, diag.Bytes(m.mark.Min.N), where, diag.Bytes(bound), diag.Number(m.mem.Ports), diag.Count(m.mem.Groups, "lossless group"),
				diag.Bytes(m.mem.MarkPool()), m.mem.MarkBoundText(), mend).
				Note(m.port.Device.At, "%s", m.port.Device.Name)
		})
	},
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
