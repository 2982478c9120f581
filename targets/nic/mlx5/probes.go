package mlx5

import (
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target"
)

// probes appends the probes that check the effect of a NIC's settings, and one about its card and its firmware.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	return nic.CardProbes(out, s, counters(s), rdmaCounters, senders.Probe(s, markings()), firmwareProbe(s))
}
