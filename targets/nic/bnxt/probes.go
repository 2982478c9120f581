package bnxt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target"
)

// probes appends the probes that check the effect of a NIC's settings.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	return nic.CardProbes(out, s, counters(s), rdmaCounters, senders.Probe(s, markings()), congestionProbe(s))
}

// congestionProbe asks for the parameters of congestion control that the kernel's own driver shows in debugfs. No document has a way to
// set them there, so a switch that is off is a finding here and not a setting. With Broadcom's driver they are settings of the value file.
func congestionProbe(s *nic.Settings) target.Probe {
	n := s.NIC
	at := n.Name + " on " + n.Device.Name
	enabled := func(answer []byte) (on, known bool) {
		v, ok := nic.ReadFacts(answer).Number("enable_cc")
		return v != 0, ok
	}
	return target.Probe{
		Name: "congestion control of " + n.Name, Slow: true,
		Query: target.Query{Cmd: "n=" + nic.Quote(n.Name) + `
bdf=$(readlink "/sys/class/net/$n/device") || bdf=none
for k in enable_cc ` + strings.Join(shown, " ") + `; do
{ read -r v <"/sys/kernel/debug/bnxt_re/${bdf##*/}/cc_config/$k"; } 2>/dev/null && printf '%s %s\n' "$k" "$v"
done
true`},
		Judge: func(answer []byte) []string {
			if on, known := enabled(answer); known && !on && marks(s) {
				return []string{fmt.Sprintf("Congestion control of %s is off (enable_cc), and the fabric marks its packets by ECN: it does not answer "+
					"marks, and does not slow down. The kernel's own driver has no documented switch. Install Broadcom's driver.", at)}
			}
			return nil
		},
		Samples: func(answer []byte) []target.Sample {
			out := nic.ReadFacts(answer).Samples(n.Name, append([]string{"enable_cc"}, shown...))
			if on, _ := enabled(answer); on && !marks(s) {
				out[0].Hint = fmt.Sprintf("Congestion control of %s is on, and no cos group of its intents has an ecn block: switches of the fabric "+
					"never mark its packets. Write ecn {} in the cos group.", at)
			}
			return out
		},
	}
}

// shown are the parameters in debugfs beside the switch. Source: bnxt_re_cc_gen0_name of debugfs.c of Linux.
var shown = []string{"run_avg_weight_g", "inactivity_cp", "init_cr", "init_tr"}

// rdmaCounters are the counters of the RDMA device that show congestion and loss. The kernel's own driver and that of Broadcom have
// different names for most of them. Source: hw_counters.c of both.
var rdmaCounters = []nic.Counter{
	// congestion
	{Name: "rx_ecn_marked_pkts", Unit: target.UnitPackets},
	{Name: "np_ecn_marked_roce_packets", Unit: target.UnitPackets},
	{Name: "tx_cnp_pkts", Unit: target.UnitPackets},
	{Name: "np_cnp_sent", Unit: target.UnitPackets},
	{Name: "rx_cnp_pkts", Unit: target.UnitPackets},
	{Name: "rp_cnp_handled", Unit: target.UnitPackets},
	// loss
	{Name: "oos_drop_count", Unit: target.UnitPackets, Format: nic.Unordered, Noun: "packet"},
	{Name: "out_of_sequence", Unit: target.UnitPackets, Format: nic.Unordered, Noun: "packet"},
	{Name: "seq_err_naks_rcvd", Unit: target.UnitEvents, Format: nic.Resent, Noun: "time"},
	{Name: "packet_seq_err", Unit: target.UnitEvents, Format: nic.Resent, Noun: "time"},
	{Name: "missing_resp", Unit: target.UnitEvents, Format: nic.Unanswered, Noun: "time"},
	{Name: "implied_nak_seq_err", Unit: target.UnitEvents, Format: nic.Unanswered, Noun: "time"},
	{Name: "rx_roce_discards", Unit: target.UnitPackets, Format: "%s discarded %s of RoCE on arrival (%s).", Noun: "packet"},
	{Name: "rx_roce_errors", Unit: target.UnitPackets},
	// retransmissions, and receivers without a receive buffer
	{Name: "to_retransmits", Unit: target.UnitEvents},
	{Name: "local_ack_timeout_err", Unit: target.UnitEvents},
	{Name: "dup_req", Unit: target.UnitPackets},
	{Name: "duplicate_request", Unit: target.UnitPackets},
	{Name: "rnr_naks_rcvd", Unit: target.UnitEvents},
	{Name: "rnr_nak_retry_err", Unit: target.UnitEvents},
	{Name: "rx_out_of_buffer", Unit: target.UnitEvents},
	{Name: "out_of_buffer", Unit: target.UnitEvents},
}

// counters returns the counters of a NIC by name, without a value. Source of those of the port: bnxt_port_stats_arr of bnxt_ethtool.c.
func counters(s *nic.Settings) map[string]target.Sample {
	m := map[string]target.Sample{}
	for _, c := range rdmaCounters {
		m[c.Name] = c.Sample(s)
	}
	for _, name := range []string{"rx_pause_frames", "tx_pause_frames"} { // such pauses exist while PFC is off
		m[name] = nic.Counter{Name: name, Unit: target.UnitFrames}.Sample(s)
	}
	for _, name := range []string{"rx_stat_discard", "tx_stat_discard", "link_down_events"} {
		m[name] = nic.Counter{Name: name, Unit: target.UnitPackets}.Sample(s)
	}
	for priority, lossless := range s.PFC {
		received, sent := fmt.Sprintf("rx_pfc_ena_frames_pri%d", priority), fmt.Sprintf("tx_pfc_ena_frames_pri%d", priority)
		switch {
		case lossless:
			m[received] = nic.Counter{Name: received, Unit: target.UnitFrames}.Sample(s)
			m[sent] = nic.Counter{Name: sent, Unit: target.UnitFrames}.Sample(s)
		case !s.NIC.ByPause():
			m[received] = nic.StrayPause(s, received, priority)
		}
	}
	return m
}

// pauseNames returns the counters of pauses. The times are microseconds. Source: bnxt_ethtool.c of Linux, where the last two kinds come
// from the extended statistics of the port, which some firmware does not have.
func pauseNames() map[string]target.CounterName {
	return target.CounterNames(map[string]func(*ir.PauseCounters) *ir.Counter{
		"rx_pfc_ena_frames_priN": target.ReceivedFrames, "tx_pfc_ena_frames_priN": target.SentFrames,
		"pfc_priN_rx_duration_us": target.ReceivedTime, "pfc_priN_tx_duration_us": target.SentTime,
		"tx_packets_priN": target.SentPackets,
	})
}

// portCounters returns the names of the counters of a port.
func portCounters() []string {
	out := []string{"rx_pause_frames", "tx_pause_frames", "rx_stat_discard", "tx_stat_discard", "link_down_events"}
	for name := range pauseNames() {
		out = append(out, name)
	}
	for n := range 8 {
		out = append(out, fmt.Sprintf("rx_packets_pri%d", n))
	}
	slices.Sort(out)
	return out
}
