package mlx4

import (
	"fmt"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target"
)

// probes appends the probes that check the effect of a NIC's settings.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	return nic.CardProbes(out, s, counters(s), rdmaCounters, senders.Probe(s, markings()))
}

// portCounters returns the names of a port's counters of pauses, by priority. Source: main_strings of en_ethtool.c.
var portCounters = sync.OnceValue(func() (names []string) {
	for prio := range 8 {
		names = append(names, fmt.Sprintf("rx_pause_prio_%d", prio), fmt.Sprintf("tx_pause_prio_%d", prio))
	}
	return append(names, "rx_pause", "tx_pause")
})

// rdmaCounters are the counters of the RDMA device that show loss. Source: diag_basic and diag_ext of mlx4_ib's main.c.
var rdmaCounters = []nic.Counter{
	{Name: "rq_num_oos", Unit: target.UnitPackets, Format: nic.Unordered, Noun: "request"},
	{Name: "sq_num_oos", Unit: target.UnitEvents, Format: nic.Resent, Noun: "time"},
	{Name: "rq_num_dup", Unit: target.UnitPackets},
	{Name: "sq_num_to", Unit: target.UnitEvents},
	{Name: "rq_num_rnr", Unit: target.UnitEvents},
	{Name: "sq_num_rnr", Unit: target.UnitEvents},
	{Name: "port_xmit_discards", Unit: target.UnitPackets},
	{Name: "port_rcv_errors", Unit: target.UnitPackets},
	{Name: "link_downed", Unit: target.UnitEvents},
}

// counters returns the counters of a NIC by name, without a value.
func counters(s *nic.Settings) map[string]target.Sample {
	m := map[string]target.Sample{}
	for _, c := range rdmaCounters {
		m[c.Name] = c.Sample(s)
	}
	for _, name := range portCounters() {
		m[name] = nic.Counter{Name: name, Unit: target.UnitFrames}.Sample(s)
	}
	for prio, lossless := range s.PFC {
		if !lossless && !s.NIC.ByPause() {
			name := fmt.Sprintf("rx_pause_prio_%d", prio)
			m[name] = nic.StrayPause(s, name, prio)
		}
	}
	return m
}

// pauseNames returns the counters of pauses. The times are microseconds. Source: main_strings of en_ethtool.c, and mlx4_en_flow_stats of
// mlx4_stats.h. A NIC in a machine with virtual functions may lack them.
func pauseNames() map[string]target.CounterName {
	return target.CounterNames(map[string]func(*ir.PauseCounters) *ir.Counter{
		"rx_pause_prio_N": target.ReceivedFrames, "tx_pause_prio_N": target.SentFrames,
		"rx_pause_duration_prio_N": target.ReceivedTime, "tx_pause_duration_prio_N": target.SentTime,
		"tx_prio_N_packets": target.SentPackets,
	})
}
