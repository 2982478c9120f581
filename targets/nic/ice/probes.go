package ice

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target"
)

// probes appends the probes that check the effect of a NIC's settings, and that the module irdma starts as the fabric needs it.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	return nic.CardProbes(out, s, counters(s), rdmaCounters, senders.Probe(s, markings()), moduleProbe(s))
}

// Parameters of the module irdma. Those of tunables count only if dcqcn_cc_cfg_valid is on.
var (
	switches = []string{"roce_ena", "roce_port_cfg", "dcqcn_enable", "dcqcn_cc_cfg_valid"}
	tunables = []string{
		"dcqcn_min_dec_factor", "dcqcn_min_rate_MBps", "dcqcn_F", "dcqcn_T", "dcqcn_B", "dcqcn_rai_factor", "dcqcn_hai_factor",
		"dcqcn_rreduce_mperiod",
	}
)

// moduleProbe asks for the parameters of the module irdma. Only Intel's own irdma has them, and a change needs a reload of the module, so
// rocec reads them and never writes them. Source: Intel's README of irdma, and the descriptions in main.c of that driver.
func moduleProbe(s *nic.Settings) target.Probe {
	n := s.NIC
	return target.Probe{
		Name: "parameters of irdma for " + n.Name, Slow: true,
		Query: target.Query{Cmd: "for k in " + strings.Join(slices.Concat(switches, tunables), " ") + "; do\n" +
			`{ read -r v <"/sys/module/irdma/parameters/$k"; } 2>/dev/null && printf '%s %s\n' "$k" "$v"` + "\ndone\ntrue"},
		Samples: func(answer []byte) []target.Sample {
			f := nic.ReadFacts(answer)
			keys := switches
			if !off(f, "dcqcn_cc_cfg_valid") {
				keys = slices.Concat(switches, tunables)
			}
			out := f.Samples(n.Name, keys)
			for i := range out {
				out[i].Hint = moduleHint(n, s, f, out[i].Name)
			}
			return out
		},
	}
}

// off reports whether a switch of irdma is off or not known.
func off(f nic.Facts, key string) bool {
	return strings.TrimLeft(strings.TrimPrefix(f[key], "0x"), "0") == "" || f[key] == "N"
}

// moduleHint returns a hint about a parameter of irdma; empty: none.
func moduleHint(n *ir.NIC, s *nic.Settings, f nic.Facts, name string) string {
	switch {
	case name == "roce_ena" && off(f, "roce_ena") && off(f, "roce_port_cfg"):
		return fmt.Sprintf("The module irdma on %s starts its NICs with iWARP (roce_ena = %s). %s has no RoCE after a restart until "+
			"rocec's unit switches it. Write options irdma roce_ena=1 into a file of /etc/modprobe.d.", n.Device.Name,
			target.Escape(f[name]), n.Name)
	case name == "dcqcn_enable" && !off(f, name) && s.ECN == [8]bool{}:
		return fmt.Sprintf("The module irdma on %s has DCQCN on (dcqcn_enable = %s), and no cos group of %s has an ecn block: switches of the "+
			"fabric never mark its packets. Write ecn {} in the cos group, or delete dcqcn_enable from /etc/modprobe.d.", n.Device.Name,
			target.Escape(f[name]), n.Name)
	case name == "dcqcn_cc_cfg_valid" && !off(f, name) && s.ECN != [8]bool{}:
		var have []string
		for _, key := range tunables {
			if v := f[key]; v != "" {
				have = append(have, strings.TrimPrefix(key, "dcqcn_")+" = "+target.Escape(v))
			}
		}
		text := ""
		if len(have) > 0 {
			text = ": " + strings.Join(have, ", ")
		}
		return fmt.Sprintf("The module irdma on %s has its own parameters of DCQCN (dcqcn_cc_cfg_valid = %s), which rocec does not judge%s.",
			n.Device.Name, target.Escape(f[name]), text)
	}
	return ""
}

// portCounters returns the names of a port's counters of pauses, by priority. Source: ice_get_strings of ice_ethtool.c. Intel's own driver
// has other names with a compile-time option.
var portCounters = sync.OnceValue(func() (names []string) {
	for prio := range 8 {
		for _, side := range []string{"rx", "tx"} {
			names = append(names, fmt.Sprintf("%s_priority_%d_xoff.nic", side, prio), fmt.Sprintf("%s_priority_%d_xon.nic", side, prio))
		}
	}
	return append(names, "link_xoff_rx.nic", "link_xoff_tx.nic", "rx_dropped.nic")
})

// rdmaCounters are the counters of the RDMA device about congestion and loss. Source: irdma_hw_stat_names of verbs.c.
var rdmaCounters = []nic.Counter{
	{Name: "RxECNMrkd", Unit: target.UnitPackets},
	{Name: "cnpSent", Unit: target.UnitPackets},
	{Name: "cnpHandled", Unit: target.UnitPackets},
	{Name: "cnpIgnored", Unit: target.UnitPackets},
	{Name: "ip4InDiscards", Unit: target.UnitPackets},
	{Name: "ip6InDiscards", Unit: target.UnitPackets},
	{Name: "rxVlanErrors", Unit: target.UnitPackets},
}

// counters returns the counters of a NIC by name, without a value.
func counters(s *nic.Settings) map[string]target.Sample {
	m := map[string]target.Sample{}
	for _, c := range rdmaCounters {
		if c.Name == "cnpIgnored" && s.ECN != [8]bool{} {
			c.Format, c.Noun = "%s ignored %s, so its senders do not slow down for congestion (%s).", "CNP"
		}
		m[c.Name] = c.Sample(s)
	}
	for _, name := range portCounters() {
		m[name] = nic.Counter{Name: name, Unit: target.UnitFrames}.Sample(s)
	}
	for prio, lossless := range s.PFC {
		if !lossless && !s.NIC.ByPause() {
			name := fmt.Sprintf("rx_priority_%d_xoff.nic", prio)
			m[name] = nic.StrayPause(s, name, prio)
		}
	}
	return m
}

// pauseNames returns the counters of pauses. Source: ice_get_strings of ice_ethtool.c.
func pauseNames() map[string]target.CounterName {
	return target.CounterNames(map[string]func(*ir.PauseCounters) *ir.Counter{
		"rx_priority_N_xoff.nic": target.ReceivedFrames, "tx_priority_N_xoff.nic": target.SentFrames,
	})
}
