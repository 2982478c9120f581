package deploy

import (
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// Gate is the program on a device that takes only signed runs (cmd/rocec-txn).
type Gate struct {
	Release  string   // of rocec
	Machines []string // SHA-256 fingerprints of the host keys of the device, as it reports them
}

// Machine returns the host key by which an order names the device: the one that the device proved. Where an old ssh does not report it, it
// is the first key of the gate.
func (g *Gate) Machine(proved string) string {
	if proved == "" && len(g.Machines) > 0 {
		return g.Machines[0]
	}
	return proved
}

// mostKeys bounds the host keys that a gate names, and its release before them.
const mostKeys = 16

// ParseGate reads the release and the host keys of a gate; nil: the text has neither.
func ParseGate(text string) *Gate {
	f := strings.Fields(text)
	if len(f) < 2 || len(f) > mostKeys || target.Escape(text) != text {
		return nil
	}
	return &Gate{Release: f[0], Machines: f[1:]}
}
