package mlx5

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// rdmaCounters are the counters that show congestion, loss, and the reaction of the NIC. Counters of traffic are left out, because traffic
// depends on applications. Source: the vendor's "Understanding mlx5 Linux Counters", and the drivers (counters.c of mlx5_ib).
var rdmaCounters = []nic.Counter{
	// congestion: CNPs answer marked packets, and senders slow down on CNPs
	{Name: "np_ecn_marked_roce_packets", Unit: target.UnitPackets},
	{Name: "np_cnp_sent", Unit: target.UnitPackets},
	{Name: "rp_cnp_handled", Unit: target.UnitPackets},
	{Name: "rp_cnp_ignored", Unit: target.UnitPackets},
	// loss, as the receiver and the sender see it
	{Name: "out_of_sequence", Unit: target.UnitPackets, Format: nic.Unordered, Noun: "packet"},
	{Name: "packet_seq_err", Unit: target.UnitEvents, Format: nic.Resent, Noun: "time"},
	{Name: "implied_nak_seq_err", Unit: target.UnitEvents, Format: nic.Unanswered, Noun: "time"},
	{Name: "port_rcv_errors", Unit: target.UnitPackets},
	{Name: "port_xmit_discards", Unit: target.UnitPackets},
	{Name: "rx_icrc_encapsulated", Unit: target.UnitPackets},
	// retransmissions and their causes
	{Name: "local_ack_timeout_err", Unit: target.UnitEvents},
	{Name: "duplicate_request", Unit: target.UnitPackets},
	{Name: "roce_adp_retrans", Unit: target.UnitEvents},
	{Name: "roce_adp_retrans_to", Unit: target.UnitEvents},
	{Name: "roce_slow_restart", Unit: target.UnitEvents},
	{Name: "roce_slow_restart_cnps", Unit: target.UnitEvents},
	{Name: "roce_slow_restart_trans", Unit: target.UnitEvents},
	// receivers without a receive buffer
	{Name: "rnr_nak_retry_err", Unit: target.UnitEvents},
	{Name: "out_of_buffer", Unit: target.UnitEvents},
	// the link below
	{Name: "link_downed", Unit: target.UnitEvents},
	{Name: "symbol_error", Unit: target.UnitEvents},
	{Name: "port_xmit_wait", Unit: target.UnitEvents},
}

// counters returns the counters of a NIC by name, without a value. A rise is no problem for pauses of lossless priorities, CNPs and
// timeouts: PFC and DCQCN cause them, or a peer that was switched off.
func counters(s *nic.Settings) map[string]target.Sample {
	at := s.NIC.Name + " on " + s.NIC.Device.Name
	m := map[string]target.Sample{}
	add := func(name, unit, format, noun string, args ...any) {
		c := target.Sample{Name: name, On: s.NIC.Name, Unit: unit, Counter: true}
		if format != "" {
			c.Says = func(n uint64) string {
				return fmt.Sprintf(format, append([]any{at, target.Count(n, noun)}, append(args, name)...)...)
			}
		}
		m[name] = c
	}
	add("tx_pause_storm_warning_events", target.UnitEvents, "", "")
	add("tx_pause_storm_error_events", target.UnitEvents, "%s stopped pausing %s because the host did not take packets in time (%s).", "time")
	for _, name := range []string{"rx_discards_phy", "tx_discards_phy", "rx_out_of_buffer"} {
		add(name, target.UnitPackets, "", "")
	}
	for _, name := range []string{"rx_global_pause", "tx_global_pause"} { // such pauses exist while PFC is off
		add(name, target.UnitFrames, "", "")
	}
	for p, lossless := range s.PFC {
		prio := fmt.Sprintf("prio%d_", p)
		switch {
		case lossless:
			for _, name := range []string{"discards", "buf_discard", "cong_discard"} {
				add("rx_"+prio+name, target.UnitPackets, "%s lost %s of priority %d, which is lossless (%s).", "packet", p)
			}
			add("rx_"+prio+"pause", target.UnitFrames, "", "")
			add("tx_"+prio+"pause", target.UnitFrames, "", "")
		case !s.NIC.ByPause():
			m["rx_"+prio+"pause"] = nic.StrayPause(s, "rx_"+prio+"pause", p)
		}
	}
	for _, c := range rdmaCounters {
		m[c.Name] = c.Sample(s)
	}
	if slices.Contains(s.ECN[:], true) {
		add("rp_cnp_ignored", target.UnitPackets, "%s ignored %s, so its senders do not slow down for congestion (%s).", "CNP")
	}
	return m
}

// pauseNames returns the counters of pauses. The times are microseconds. Source: Linux, Documentation/networking/device_drivers/ethernet/
// mellanox/mlx5/counters.rst.
func pauseNames() map[string]target.CounterName {
	return target.CounterNames(map[string]func(*ir.PauseCounters) *ir.Counter{
		"rx_prioN_pause": target.ReceivedFrames, "tx_prioN_pause": target.SentFrames,
		"rx_prioN_pause_duration": target.ReceivedTime, "tx_prioN_pause_duration": target.SentTime,
		"tx_prioN_packets": target.SentPackets, "rx_prioN_buf_discard": target.DroppedPackets,
	})
}
