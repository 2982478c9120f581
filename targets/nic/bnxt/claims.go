package bnxt

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// claims returns the questions that public sources leave open.
func claims(n *ir.NIC) []target.Claim {
	name := nic.Quote(n.Name)
	device := "/sys/class/net/" + name + "/device"
	return slices.Concat(dcbClaims(name), congestionClaims(device), counterClaims(name, device))
}

// dcbClaims are about the classes of a port, and its watchdog.
func dcbClaims(name string) []target.Claim {
	limit := func(answer []byte) int { // -1: dcb prints none
		words := strings.Fields(string(answer))
		if len(words) != 2 || !strings.HasSuffix(words[0], "-cap") {
			return -1
		}
		n, err := strconv.ParseUint(words[1], 10, 8)
		if err != nil {
			return -1
		}
		return int(n)
	}
	return []target.Claim{
		{
			ID: "bnxt-dcbx-host", Says: "The firmware leaves DCB to the host: `dcb dcbx show` prints host and ieee.",
			Source: "bnxt_dcb_init of Linux; the factory setting of the NVRAM is in no document",
			Query:  target.Query{Cmd: "dcb dcbx show dev " + name},
			Judge: func(answer []byte) target.Verdict {
				words := " " + strings.Join(strings.Fields(string(answer)), " ") + " "
				return target.Decide(strings.Contains(words, " ieee "), strings.Contains(words, " host "))
			},
		},
		{
			ID: "bnxt-pfc-cap", Says: "The NIC has one lossless class or more.",
			Source: "bnxt_dcb.c of Linux reports what the firmware has, most often 1",
			Query:  target.Query{Cmd: "dcb pfc show dev " + name + " pfc-cap"},
			Judge: func(answer []byte) target.Verdict {
				return target.Decide(limit(answer) >= 0, limit(answer) >= 1)
			},
		},
		{
			ID: "bnxt-three-classes", Says: "The NIC has three traffic classes or more, as many as a lossless class, CNPs and other traffic need.",
			Source: "bnxt_setupcc.sh of Broadcom tries eight classes, and then three",
			Query:  target.Query{Cmd: "dcb ets show dev " + name + " ets-cap"},
			Judge: func(answer []byte) target.Verdict {
				return target.Decide(limit(answer) >= 0, limit(answer) >= 3)
			},
		},
		{
			ID: "bnxt-watchdog", Says: "The NIC ends its own pause storm after pfc-prevention-tout.",
			Source: "bnxt_get_tunable of Linux 6.18; it depends on the firmware",
			Query:  target.Query{Cmd: "ethtool --get-tunable " + name + " pfc-prevention-tout"},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(strings.Contains(text, "pfc-prevention-tout"), regexp.MustCompile(`: *[1-9]`).MatchString(text))
			},
		},
	}
}

// congestionClaims are about congestion control in either driver.
func congestionClaims(device string) []target.Claim {
	return []target.Claim{
		{
			ID: "bnxt-cc-place", Says: "Congestion control is in the configfs of bnxt_re (Broadcom's driver), or in cc_config of debugfs.",
			Source: "configfs.c of Broadcom's driver 233.2, debugfs.c of Linux",
			Query: target.Query{Cmd: "[ ! -d /sys/kernel/config/bnxt_re ] || echo configfs\nbdf=$(readlink -f " + device + ")\n" +
				`ls "/sys/kernel/debug/bnxt_re/${bdf##*/}/cc_config"`},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(strings.HasPrefix(text, "configfs\n") || strings.Contains(text, "enable_cc"), true)
			},
		},
		{
			ID: "bnxt-cc-apply", Says: "The file apply prints what is in the NIC, with the name of each parameter in parentheses.",
			Source: "configfs.c of Broadcom's driver 233.2. The folders exist only after a program has made them",
			Query:  target.Query{Cmd: "cat /sys/kernel/config/bnxt_re/*/ports/1/cc/apply"},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(strings.Contains(text, "congestion"), strings.Contains(text, "(ecn_enable)") &&
					strings.Contains(text, "(ecn_marking)") && strings.Contains(text, "(cc_mode)"))
			},
		},
	}
}

// counterClaims are about the names of counters.
func counterClaims(name, device string) []target.Claim {
	var priorities []string
	for priority := range 8 {
		priorities = append(priorities, fmt.Sprintf("rx_pfc_ena_frames_pri%d", priority), fmt.Sprintf("tx_pfc_ena_frames_pri%d", priority))
	}
	return []target.Claim{
		nic.NamesClaim("bnxt-rdma-counters", "The RDMA device counts loss under the names that verify reads.",
			"hw_counters.c of Linux", target.Query{Cmd: "ls " + device + "/infiniband/*/ports/1/hw_counters"}, "rx_",
			"oos_drop_count", "seq_err_naks_rcvd", "rx_roce_discards"),
		nic.NamesClaim("bnxt-port-counters", "A port counts pauses by priority under the names that verify reads.",
			"bnxt_ethtool.c of Linux",
			target.Query{Cmd: "ethtool -S " + name + " | grep -oE '(rx|tx)_pfc_ena_frames_pri[0-7]' | sort -u"}, "rx_pfc", priorities...),
	}
}
