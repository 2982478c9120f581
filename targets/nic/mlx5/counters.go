package mlx5

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// counterProbe asks for the counters of a NIC: of its port, and of its RDMA device. Those of a RoCE LAG are told once, with the first port
// of the bond.
func counterProbe(s *nic.Settings) target.Probe {
	known := counters(s)
	var names []string
	for i := range rdmaCounters {
		names = append(names, rdmaCounters[i].name)
	}
	return target.Probe{
		Name: "counters of " + s.NIC.Name,
		Query: target.Query{Cmd: "ethtool -S " + nic.Quote(s.NIC.Name) + " 2>/dev/null\n" + nic.RDMAPorts(s.NIC, `
for c in `+strings.Join(names, " ")+`; do
{ read -r n <"$p/hw_counters/$c"; } 2>/dev/null || { read -r n <"$p/counters/$c"; } 2>/dev/null || continue
printf '%s: %s\n' "$c" "$n"
done`)},
		Samples: func(answer []byte) []target.Sample {
			var out []target.Sample
			target.Counters(answer, func(name string, n uint64) {
				if c, ok := known[name]; ok {
					c.Value = n
					out = append(out, c)
				}
			})
			return out
		},
	}
}

// rdmaCounter is a counter of an RDMA device, in hw_counters or counters of its port.
type rdmaCounter struct {
	name, unit   string
	format, noun string // what a rise means, as a sentence with the place, the count with its noun, and the name; empty: nothing by itself
}

// rdmaCounters are those that tell of congestion, loss, and what the NIC does about it. Traffic is not counted here: it begins and ends as
// applications do. Source: the vendor's "Understanding mlx5 Linux Counters", and the drivers (counters.c of mlx5_ib).
var rdmaCounters = []rdmaCounter{
	// congestion: marked packets are answered by CNPs, on which senders slow down
	{name: "np_ecn_marked_roce_packets", unit: target.UnitPackets},
	{name: "np_cnp_sent", unit: target.UnitPackets},
	{name: "rp_cnp_handled", unit: target.UnitPackets},
	{name: "rp_cnp_ignored", unit: target.UnitPackets},
	// loss, as the receiver and the sender see it
	{
		"out_of_sequence", target.UnitPackets,
		"%s received %s out of sequence: packets were lost or overtaken on the way (%s).", "packet",
	},
	{
		"packet_seq_err", target.UnitEvents,
		"%s was asked %s to send packets again that did not arrive in order (%s).", "time",
	},
	{
		"implied_nak_seq_err", target.UnitEvents,
		"%s saw %s that an answer was missing before a later one: packets were lost on the way (%s).", "time",
	},
	{name: "port_rcv_errors", unit: target.UnitPackets},
	{name: "port_xmit_discards", unit: target.UnitPackets},
	{name: "rx_icrc_encapsulated", unit: target.UnitPackets},
	// retransmissions, and what sets them off
	{name: "local_ack_timeout_err", unit: target.UnitEvents},
	{name: "duplicate_request", unit: target.UnitPackets},
	{name: "roce_adp_retrans", unit: target.UnitEvents},
	{name: "roce_adp_retrans_to", unit: target.UnitEvents},
	{name: "roce_slow_restart", unit: target.UnitEvents},
	{name: "roce_slow_restart_cnps", unit: target.UnitEvents},
	{name: "roce_slow_restart_trans", unit: target.UnitEvents},
	// receivers without a buffer to receive into
	{name: "rnr_nak_retry_err", unit: target.UnitEvents},
	{name: "out_of_buffer", unit: target.UnitEvents},
	// the link below
	{name: "link_downed", unit: target.UnitEvents},
	{name: "symbol_error", unit: target.UnitEvents},
	{name: "port_xmit_wait", unit: target.UnitEvents},
}

// counters are those of a NIC by name, without a value. Pauses of lossless priorities, CNPs and timeouts have no words: they are
// what PFC and DCQCN are for, or follow from a peer that was switched off.
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
	for _, name := range []string{"rx_global_pause", "tx_global_pause"} { // there are such while PFC is off
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
		case s.NIC.Device.Fabric.FlowControl != ir.Pause:
			add("rx_"+prio+"pause", target.UnitFrames,
				"%s was sent %s for priority %d, which is not lossless here: the switch port pauses another class (%s).", "PFC frame", p)
		}
	}
	for _, c := range rdmaCounters {
		add(c.name, c.unit, c.format, c.noun)
	}
	if slices.Contains(s.ECN[:], true) {
		add("rp_cnp_ignored", target.UnitPackets, "%s ignored %s, so its senders do not slow down for congestion (%s).", "CNP")
	}
	return m
}
