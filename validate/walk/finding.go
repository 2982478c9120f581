package walk

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Finding is one judgement about a hop or a lane, without words: package validate has them, in the file of the check with
// the code. Code and At are those of the diagnostic that validate makes of the same fact, so that both are known to be one.
type Finding struct {
	Code   string
	At     diag.Range // where validate reports it
	Breaks bool       // packets of this walk lose what they are promised, or do not arrive; else a risk

	Intent   *ir.Intent
	From, To *ir.NIC    // the ends of the walk, the sender first
	Device   *ir.Device // the hop
	Port     *ir.Port   // the port that is judged; nil: the device as a whole
	NIC      *ir.NIC    // the interface that is judged, which may be another hop's; nil: none
	Buffer   *ir.Buffer // of Port; only of findings about its size

	Apart [2]*ir.Device // of a way that is cut: devices at its ends that no links join in this state; nil: routing keeps them apart
	Round []*ir.Device  // of packets that run in a circle: the devices, in order
}

// Codes of findings that checks have no rows for: other stages report them, at the same places.
const (
	RoutingLoop   = "routing-loop"    // compiler: the next hops lead round in a circle
	NoRoute       = "no-route"        // compiler: a device of the table has no next hop
	HostMixed     = "host-mixed"      // targets: a NIC sorts by one field, and its intents need two
	HostNotMember = "host-not-member" // targets: a NIC of no intent at a lossless port
)

// finding begins a finding at a hop.
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

// All returns the findings of the hop and its lanes, in the order in which a packet meets them.
func (h *Hop) All() []*Finding {
	out := slices.Clone(h.Findings)
	for _, l := range slices.Concat(h.In, h.Out) {
		out = append(out, l.Findings...)
	}
	return out
}
