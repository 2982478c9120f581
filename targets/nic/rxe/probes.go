package rxe

import (
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target"
)

// probes appends the probes that show whether Soft-RoCE works: the interface has the fabric's MTU, its device has a suitable GID, and its
// counters do not rise.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	if s.NIC.MTU > 0 {
		out = append(out, nic.MTUProbe(s))
	}
	return append(out, nic.FactProbe(s), senders.Probe(s, markings()), nic.GIDProbe(s), nic.CounterProbe(s, known(s), counters))
}

// counters are the counters of the driver that show loss, and receivers that were not ready. Source: rxe_hw_counters.c.
var counters = []nic.Counter{
	{Name: "sent_pkts", Unit: target.UnitPackets},
	{Name: "rcvd_pkts", Unit: target.UnitPackets},
	{Name: "duplicate_request", Unit: target.UnitPackets},
	{Name: "out_of_seq_request", Unit: target.UnitPackets, Format: nic.Unordered, Noun: "request"},
	{Name: "rcvd_seq_err", Unit: target.UnitEvents, Format: nic.Resent, Noun: "time"},
	{Name: "rcvd_rnr_err", Unit: target.UnitEvents},
	{Name: "send_rnr_err", Unit: target.UnitEvents},
	{Name: "completer_retry_err", Unit: target.UnitEvents},
	{
		Name: "retry_exceeded_err", Unit: target.UnitEvents, Format: "%s gave up %s because the peer did not answer packets (%s).",
		Noun: "time",
	},
	{Name: "send_err", Unit: target.UnitEvents},
	{Name: "link_downed", Unit: target.UnitEvents},
}

func known(s *nic.Settings) map[string]target.Sample {
	m := map[string]target.Sample{}
	for _, c := range counters {
		m[c.Name] = c.Sample(s)
	}
	return m
}
