package compiler

import (
	"cmp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// writtenBy records who writes a device, and returns the place that states it: in the device's block, or for all devices. A by_hand block
// overrides the value for all devices, and contradicts one in the device's own block.
func (c *compiler) writtenBy(d *ir.Device, own, all lang.Value[string]) diag.Range {
	if d.ByHand != nil {
		if own.Set() {
			block := "switch"
			if d.Host != nil {
				block = "host"
			}
			c.report.errorf(topicWrittenByHand, own.At, d.Name, "The %s block says written_by = %q, and its by_hand block says that the %[1]s is "+
				"set by hand, so that rocec renders nothing for it. Delete one of the two.", block, own.V).
				Note(d.ByHand.At, "the by_hand block")
		}
		return diag.Range{}
	}
	d.ByOthers = cmp.Or(own.V, all.V) == "others"
	return diag.FirstPlace(own.At, all.At)
}

var topicWrittenByHand = &diag.Topic{Code: "written-by-hand", Summary: "written_by on a device that is set by hand"}

var topicMemoryByHand = &diag.Topic{Code: "memory-by-hand", Summary: "memory on a switch that is set by hand"}
