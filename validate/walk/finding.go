package walk

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Finding is one judgement about a hop or a lane, without text: package validate has the text, in the file of the check with the code.
// Code and At are equal to those of validate's diagnostic about the same fact, which identifies them.
type Finding struct {
	Code   string
	At     diag.Range // the place of validate's diagnostic
	Breaks bool       // packets of this walk lose their losslessness, or do not arrive; false: only a risk

	Intent   *ir.Intent
	From, To *ir.NIC    // the ends of the walk, the sender first
	Device   *ir.Device // the hop
	Port     *ir.Port   // the judged port; nil: the device as a whole
	NIC      *ir.NIC    // the judged interface, which may belong to another hop; nil: none
	Buffer   *ir.Buffer // the buffer of Port; only for findings about its size

	Apart [2]*ir.Device // for a missing path: the devices at its ends, if no links join them in this state
	Round []*ir.Device  // for packets in a routing loop: its devices, in order
}

// Codes of findings without a check: other stages report them, at the same places.
const (
	RoutingLoop   = "routing-loop"    // compiler: the next hops form a circle
	NoRoute       = "no-route"        // compiler: a device of the table has no next hop
	HostMixed     = "host-mixed"      // targets: a NIC trusts one field, and its intents need two
	HostNotMember = "host-not-member" // targets: a NIC without an intent at a lossless port
)

// finding returns a new finding at a hop.
func (f *follower) finding(code string, at diag.Range, d *ir.Device) *Finding {
	return &Finding{Code: code, At: at, Intent: f.Intent, From: f.From[0].NIC, To: f.To[0].NIC, Device: d}
}

// Findings returns all findings in the direction of travel.
func (w *Walk) Findings() []*Finding {
	var out []*Finding
	for _, h := range w.Hops {
		out = append(out, h.All()...)
	}
	return out
}

// All returns the findings of the hop and its lanes, in the order in which they affect a packet.
func (h *Hop) All() []*Finding {
	out := slices.Clone(h.Findings)
	for _, l := range slices.Concat(h.In, h.Out) {
		out = append(out, l.Findings...)
	}
	return out
}
