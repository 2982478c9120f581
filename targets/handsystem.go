package targets

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/sheets"
)

var topicSystem = diag.Topic{Code: "unknown-system", Summary: "rocec knows no host system of this name"}

// judgeSystem reports the system of a host set by hand, if no sheet has its commands.
func judgeSystem(h *ir.ByHand, to *diag.List) {
	if h.System == "" || sheets.Knows(h.System) {
		return
	}
	meant := diag.Nearest(h.System, sheets.Names())
	which := diag.Meant(meant)
	if meant == "" {
		which = " Use one of " + diag.Or(sheets.Names()) + "."
	}
	at := h.SystemAt
	found := topicSystem.Errorf(to, at, "rocec has no sheet for hosts with the system %q.%s For another system, leave system out: the sheet "+
		"then lists the settings without commands.", h.System, which)
	if at.End.Byte-at.Start.Byte == len(h.System)+2 { // in quotes
		at.Start.Byte, at.Start.Column, at.End.Byte, at.End.Column = at.Start.Byte+1, at.Start.Column+1, at.End.Byte-1, at.End.Column-1
		found.Instead(at, meant)
	}
}
