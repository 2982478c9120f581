package compiler

import (
	"cmp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// writtenBy notes who writes a device, and returns where that is said: in its own block, or for all. A by_hand block says more than what
// stands for all, and contradicts the device's own.
func (c *compiler) writtenBy(d *ir.Device, own, all lang.Value[string]) diag.Range {
	if d.ByHand != nil {
		if own.Set() {
			block := "switch"
			if d.Host != nil {
				block = "host"
			}
			c.report.errorf(topicWrittenByHand, own.At, d.Name, "The %s block says written_by = %q, and its by_hand block that the %[1]s is "+
				"set by hand, so that rocec renders nothing for it. Take out one of the two.", block, own.V).
				Note(d.ByHand.At, "the by_hand block")
		}
		return diag.Range{}
	}
	d.ByOthers = cmp.Or(own.V, all.V) == "others"
	return diag.FirstPlace(own.At, all.At)
}

var topicWrittenByHand = &diag.Topic{Code: "written-by-hand", Summary: "written_by on a device that is set by hand", Doc: `
Of a switch or host with a by_hand block rocec renders nothing: the block states how others have set
it, and the checks judge that. written_by says who writes the settings that rocec renders. So a
device has one of the two. (A written_by of the fabric block is for hosts, and does not reach those
that are set by hand.)

Example:

    host "gpu" {
      written_by = "others"
      by_hand {}
    }

Fix: keep written_by where the settings of rocec are on the device, brought there by an
image or another tool; keep by_hand where it is set in a way of its own.

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

Fix: take the by_hand block out where rocec is to write the switch; else take memory out.

    switch "spine" {
      memory = "written"
    }
`}
