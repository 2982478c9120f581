package ice

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// claims returns the questions that documents of the drivers leave open, for one NIC.
func claims(n *ir.NIC) []target.Claim {
	name := nic.Quote(n.Name)
	device := "/sys/class/net/" + name + "/device"
	var prio []string
	for i := range 8 {
		prio = append(prio, fmt.Sprintf("rx_priority_%d_xoff.nic", i), fmt.Sprintf("tx_priority_%d_xoff.nic", i))
	}
	return []target.Claim{
		{
			ID: "ice-agent-flag", Says: "`ethtool --show-priv-flags` prints fw-lldp-agent with on or off.",
			Source: "ice_gstrings_priv_flags of ice_ethtool.c; no document prints the line",
			Query:  target.Query{Cmd: "ethtool --show-priv-flags " + name},
			Judge: func(answer []byte) target.Verdict {
				for line := range strings.Lines(string(answer)) {
					if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "fw-lldp-agent" {
						value = strings.TrimSpace(value)
						return target.Decide(true, value == "on" || value == "off")
					}
				}
				return target.Decide(strings.Contains(string(answer), "Private flags"), false)
			},
		},
		{
			ID: "ice-classes", Says: "A port of a card with up to four ports has eight traffic classes.",
			Source: "Intel's guide 635330 of November 2025; its version of July 2023 states four",
			Query:  target.Query{Cmd: "dcb ets show dev " + name + " ets-cap"},
			Judge: func(answer []byte) target.Verdict {
				words := strings.Fields(string(answer))
				return target.Decide(len(words) == 2 && words[0] == "ets-cap", len(words) == 2 && words[1] == "8")
			},
		},
		{
			ID: "ice-enable-roce", Says: "devlink has enable_roce and enable_iwarp, which take effect at once.",
			Source: "ice_dvl_rdma_params of devlink.c in Linux; whether Intel's own driver has them is not documented",
			Query: target.Query{Cmd: "bdf=$(readlink -f " + device + ")\nfor k in enable_roce enable_iwarp; do\n" +
				`devlink dev param show "pci/${bdf##*/}" name "$k"` + "\ndone"},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(strings.Contains(text, "name enable_roce"), strings.Count(text, "cmode runtime value ") == 2)
			},
		},
		{
			ID: "ice-dcqcn-place", Says: "Intel's own irdma has the switch of DCQCN in configfs, and the irdma of Linux has no switch.",
			Source: "Intel's README of irdma",
			Query: target.Query{Cmd: "ls -d /sys/kernel/config/irdma\n[ ! -e /sys/module/irdma/parameters/roce_ena ] || echo own\n" +
				"[ ! -d /sys/module/irdma ] || echo loaded"},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(strings.Contains(text, "loaded"),
					strings.Contains(text, "config/irdma\n") == strings.Contains(text, "own\n"))
			},
		},
		nic.NamesClaim("ice-rdma-counters", "The RDMA device counts marked packets and notifications under the names that verify reads.",
			"irdma_hw_stat_names of irdma's verbs.c", target.Query{Cmd: "ls " + device + "/infiniband/*/ports/1/hw_counters " + device +
				"/infiniband/*/hw_counters"}, "cnp", "RxECNMrkd", "cnpSent", "cnpHandled", "cnpIgnored"),
		nic.NamesClaim("ice-port-counters", "A port counts pauses by priority under the names that verify reads.",
			"ice_get_strings of ice_ethtool.c",
			target.Query{Cmd: "ethtool -S " + name + " | grep -oE '[rt]x_priority_[0-7]_[a-z.]+' | sort -u"}, "rx_priority", prio...),
	}
}
