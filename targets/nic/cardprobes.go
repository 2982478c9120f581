package nic

import (
	"fmt"

	"github.com/rocec/rocec/targets/target"
)

// CardProbes appends the probes that check the effect of a card's settings. The settings are readable, the interface has the fabric's MTU
// and a suitable GID, and the counters do not rise. more are probes of the family alone, which come before that of GIDs.
func CardProbes(out []target.Probe, s *Settings, known map[string]target.Sample, rdma []Counter, more ...target.Probe) []target.Probe {
	out = append(out, PriorityProbe(s))
	if s.NIC.MTU > 0 {
		out = append(out, MTUProbe(s))
	}
	return append(append(append(out, FactProbe(s)), more...), GIDProbe(s), CounterProbe(s, known, rdma))
}

// StrayPause returns the sample of a counter of PFC frames that a NIC received for a priority that is not lossless there.
func StrayPause(s *Settings, name string, priority int) target.Sample {
	return Counter{
		Name: name, Unit: target.UnitFrames, Noun: "PFC frame",
		Format: fmt.Sprintf("%%s received %%s for priority %d, which is not lossless here: the switch port pauses another class (%%s).",
			priority),
	}.Sample(s)
}
