package mlx5

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// probes appends what shows whether the settings of a NIC work: they can be read at all, the interface has the MTU the fabric counts
// on and a GID of the right kind, and no lossless priority has lost packets.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	out = append(out, toolProbe(s))
	if s.NIC.MTU > 0 {
		out = append(out, nic.MTUProbe(s))
	}
	return append(out, nic.GIDProbe(s), counterProbe(s))
}

// toolProbe asks whether anything can read the priorities: what cannot be read is no drift, and must not pass for good.
func toolProbe(s *nic.Settings) target.Probe {
	name := nic.Quote(s.NIC.Name)
	return target.Probe{
		Name: "priorities of " + s.NIC.Name,
		Query: target.Query{Cmd: "dcb -N app show dev " + name + " >/dev/null 2>&1 || mlnx_qos -i " + name +
			" >/dev/null 2>&1 || echo unreadable"},
		Judge: func(answer []byte) []string {
			if strings.TrimSpace(string(answer)) == "" {
				return nil
			}
			return []string{fmt.Sprintf("Neither dcb nor mlnx_qos can read the priorities of %s on %s, so nobody knows whether PFC is on. "+
				"Install iproute2 6.1 or later.", s.NIC.Name, s.NIC.Device.Name)}
		},
	}
}

// counterProbe asks for the counters of a NIC: of its port, and of its RDMA device where that hangs off it.
func counterProbe(s *nic.Settings) target.Probe {
	known := counters(s)
	cmd := "i=" + nic.Quote(s.NIC.Name) + `
ethtool -S "$i" 2>/dev/null
for d in "/sys/class/net/$i"/device/infiniband/*/ports/1/hw_counters; do
for c in ` + strings.Join(rdmaCounters, " ") + `; do
n=$(cat "$d/$c" 2>/dev/null) && printf '%s: %s\n' "$c" "$n"
done
done
true`
	return target.Probe{
		Name: "counters of " + s.NIC.Name, Query: target.Query{Cmd: cmd},
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

// rdmaCounters are those of an RDMA device that tell of congestion (CNPs sent by receivers and obeyed by senders) and of loss.
var rdmaCounters = []string{
	"np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled", "rp_cnp_ignored", "out_of_sequence", "packet_seq_err",
	"local_ack_timeout_err", "rnr_nak_retry_err", "roce_adp_retrans", "roce_slow_restart", "rx_icrc_encapsulated",
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
	add("rx_discards_phy", target.UnitPackets, "", "")
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
	for _, name := range rdmaCounters {
		add(name, target.UnitPackets, "", "")
	}
	add("out_of_sequence", target.UnitPackets, "%s received %s out of sequence: packets were lost or overtaken on the way (%s).", "packet")
	add("packet_seq_err", target.UnitEvents, "%s was asked %s to send packets again that did not arrive in order (%s).", "time")
	if slices.Contains(s.ECN[:], true) {
		add("rp_cnp_ignored", target.UnitPackets, "%s ignored %s, so its senders do not slow down for congestion (%s).", "CNP")
	}
	for _, name := range []string{"local_ack_timeout_err", "rnr_nak_retry_err", "roce_adp_retrans", "roce_slow_restart"} {
		add(name, target.UnitEvents, "", "")
	}
	return m
}
