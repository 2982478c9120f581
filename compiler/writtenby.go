package compiler

import (
	"cmp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// writtenBy notes who writes the files of a host. A by_hand block says more than the fabric's written_by, and contradicts one of the
// host's own.
func (c *compiler) writtenBy(d *ir.Device, h *lang.Host) {
	own, all := h.WrittenBy, c.src.Fabric.WrittenBy
	if d.ByHand != nil {
		if own.Set() {
			c.report.errorf(topicWrittenByHand, own.At, d.Name, "The host block says written_by = %q, and its by_hand block that the host is "+
				"set by hand, so that rocec renders nothing for it. Take out one of the two.", own.V).
				Note(d.ByHand.At, "the by_hand block")
		}
		return
	}
	d.ByOthers = cmp.Or(own.V, all.V) == "others"
	d.WrittenByAt = diag.FirstPlace(own.At, all.At)
}

var topicWrittenByHand = &diag.Topic{Code: "written-by-hand", Summary: "written_by on a host that is set by hand", Doc: `
Of a host in a by_hand block rocec renders nothing: the block states how others have set it, and the
checks judge that. written_by says who writes the files that rocec renders. So a host has one of
the two. (A written_by of the fabric block does not reach hosts that are set by hand.)

Example:

    host "gpu" {
      written_by = "others"
      by_hand {}
    }

How to mend it: keep written_by where the files of rocec lie on the host, brought there by an image
or another tool; keep by_hand where the host is set in a way of its own.

    host "gpu" {
      written_by = "others"
    }
`}

var topicMemoryByHand = &diag.Topic{Code: "memory-by-hand", Summary: "memory on a switch that is set by hand", Doc: `
memory = "written" has rocec write how the memory of the switch's chip is shared out. Of a switch
with a by_hand block rocec writes nothing and reads nothing. So a switch block has one of the two.

Example:

    switch "spine" {
      memory = "written"
      by_hand {}
    }

How to mend it: take the by_hand block out where rocec is to write the switch; else take memory out.

    switch "spine" {
      memory = "written"
    }
`}
