package mlx5

import (
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// probes appends the probes that check the effect of a NIC's settings. The settings are readable, the interface has the fabric's MTU and a
// suitable GID, and no lossless priority has lost packets.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	out = append(out, nic.PriorityProbe(s))
	if s.NIC.MTU > 0 {
		out = append(out, nic.MTUProbe(s))
	}
	return append(out, nic.FactProbe(s), firmwareProbe(s), nic.GIDProbe(s), nic.CounterProbe(s, counters(s), rdmaCounters))
}
