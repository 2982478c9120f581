package mlx5

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// claims returns the questions that documents of the driver leave open, for one NIC.
func claims(n *ir.NIC) []target.Claim {
	home := "/sys/class/net/" + nic.Quote(n.Name)
	device := home + "/device"
	var prio []string
	for i := range 8 {
		prio = append(prio, fmt.Sprintf("rx_prio%d_pause", i), fmt.Sprintf("tx_prio%d_pause", i))
	}
	return []target.Claim{
		{
			ID: "mlx5-roce-enable", Says: "If the driver has a file roce_enable, the file shows the value of enable_roce in devlink.",
			Source: "MLNX_OFED 24.07: writing the file sets the value of devlink; for older releases this is unknown",
			Query: target.Query{Cmd: "echo \"file $(cat " + device + "/roce_enable)\"\nbdf=$(readlink -f " + device + ")\n" +
				`devlink -j dev param show "pci/${bdf##*/}" name enable_roce | grep -oE '"(cmode|value)": *("[a-z]+"|true|false)'`},
			Judge: func(answer []byte) target.Verdict {
				text := strings.ReplaceAll(string(answer), " ", "")
				one, zero := strings.HasPrefix(text, "file1\n"), strings.HasPrefix(text, "file0\n")
				on, off := strings.Contains(text, `"value":true`), strings.Contains(text, `"value":false`)
				return target.Decide(one != zero && on != off, one == on)
			},
		},
		{
			ID: "mlx5-dcqcn-place", Says: "The parameters of DCQCN are in the interface's folder ecn (MLNX_OFED), or in cc_params of debugfs.",
			Source: "sources of the driver, of MLNX_OFED 24.07 and of Linux",
			Query: target.Query{Cmd: "[ ! -d " + home + "/ecn/roce_np ] || echo ecn\nbdf=$(readlink -f " + device + ")\n" +
				`ls "/sys/kernel/debug/mlx5/${bdf##*/}/cc_params"`},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				there := strings.HasPrefix(text, "ecn\n") || strings.Contains(text, "rp_") || strings.Contains(text, "np_")
				return target.Decide(there, true) // debugfs may not be mounted
			},
		},
		{
			ID: "mlx5-cnp-mode", Says: "The firmware starts in np_cnp_prio_mode 1, in which np_cnp_prio has no effect.",
			Source: "cong.c of mlx5_ib writes mode 0 with the priority; no document states the first mode of the firmware", Own: true,
			Query: target.Query{Cmd: "[ ! -e /etc/rocec/host/" + nic.Quote(n.Name) + ".conf ] || echo written\nbdf=$(readlink -f " + device +
				")\n" + `cat "/sys/kernel/debug/mlx5/${bdf##*/}/cc_params/np_cnp_prio_mode"`},
			Judge: func(answer []byte) target.Verdict { // a write by rocec sets mode 0
				mode := strings.TrimSpace(string(answer))
				return target.Decide(mode == "0" || mode == "1", mode == "1")
			},
		},
		nic.NamesClaim("mlx5-rdma-counters", "The RDMA device counts marked packets and notifications under the names that verify reads.",
			"the vendor's Understanding mlx5 Linux Counters, and counters.c of mlx5_ib",
			target.Query{Cmd: "ls " + device + "/infiniband/*/ports/1/hw_counters"}, "out_of_",
			"np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rp_cnp_ignored", "out_of_sequence", "packet_seq_err"),
		nic.NamesClaim("mlx5-port-counters", "A port counts pauses by priority under the names that verify reads.",
			"the vendor's Understanding mlx5 Linux Counters",
			target.Query{Cmd: "ethtool -S " + nic.Quote(n.Name) + " | grep -oE '(rx|tx)_prio[0-7]_[a-z_]+' | sort -u"}, "rx_prio", prio...),
	}
}
