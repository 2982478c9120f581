// Package bnxt spells a fabric for hosts with NICs whose driver is bnxt_en: Broadcom NetXtreme-E.
//
// A NIC that carries an intent gets a value file, and the host gets the script rocec-host-bnxt with its unit and rules (package nic). No
// user has reported on such a NIC yet: the settings follow public sources, and a plan that changes them needs --accept-unverified.
//
// # The value file
//
// The keys of mlx5, without cable, ecn_np_prioN, ecn_rp_prioN, roce, traffic_rules, ttl and vf_roce_N, and also:
//
//	cc_mode       0, 1            DCQCN-D, or DCQCN-P (BCM574xx: TCP)
//	dcqcn_NAME    NUMBER          a parameter of congestion control that the fabric states
//	ecn_enable    on, off         congestion control: answer marked packets with CNPs, slow down on CNPs
//	ecn_marking   0-2             ECN bits of sent packets: none, ECT(1), ECT(0)
//	prio_vlan     on, off         packets without a VLAN get a tag with VLAN 0 and the priority
//	roce_dscp     0-63            DSCP of RoCE packets, for congestion control
//	roce_prio     0-7             their priority
//	roce_udp      0-7 or none     priority of UDP port 4791 in the APP table: the NIC's queue of RoCE
//
// # Order and limits
//
// The classes of ETS are numbered without gaps from 0, since the driver makes queues for every number up to the highest one, and some
// firmware has only three classes (bnxt_setup_mq_tc and bnxt_ets_validate of Linux; Broadcom's bnxt_setupcc.sh falls back from eight to
// three). Link pause goes off first. PFC follows ETS, which the driver requires (bnxt_hwrm_queue_pfc_cfg). The driver closes and opens the
// interface if the number of classes changes, or if a lossless class needs another queue.
//
// The table of DSCP keeps several priorities of one DSCP, and the NIC has the last one; to delete an entry takes the DSCP out of the NIC
// (bnxt_hwrm_queue_dscp2pri_cfg). If the firmware has no service profiles, apply of congestion control clears the NIC's map of DSCP and
// sets only the entries of RoCE and CNPs (bnxt_re_program_cnp_dcb_values of Broadcom's driver). So the script then writes the map again.
//
// # What the script uses on a host
//
// The commands and files of mlx5 for the same settings (dcb alone, ethtool, ip and the configfs of rdma_cm), and also:
//
//	dcb app del dev IF dscp-prio DSCP:PRIO …
//	dcb app add|del dev IF dgram-port-prio 4791:PRIO
//	/sys/kernel/config/bnxt_re/DEV                                     mkdir, rmdir
//	/sys/kernel/config/bnxt_re/DEV/ports/P/cc/apply                    rw   what is in the NIC; a write uses the other files
//	/sys/kernel/config/bnxt_re/DEV/ports/P/cc/{disable_prio_vlan_tx,ecn_marking,ecn_enable,cc_mode}   w    in hexadecimal
//	/sys/kernel/config/bnxt_re/DEV/ports/P/cc/{roce_prio,roce_dscp,cnp_prio,cnp_dscp}                 w    in hexadecimal
//	/sys/kernel/config/bnxt_re/DEV/ports/P/cc/{g,inact_th,init_cr,init_tr}                            w    in hexadecimal
//	/sys/kernel/debug/bnxt_re/DEV/info                                 r    fw_service_prof_type_sup
//	/sys/kernel/debug/bnxt_re/BDF/cc_config/*                          r    of the kernel's own driver
//
// The kernel's own driver makes the files in cc_config with the mode 0400 and an operation that writes. No document says that a write is
// meant to work, and the unit has no right to write such a file: the script only reads them.
//
// Facts are from bnxt_dcb.c, bnxt_ethtool.c, hw_counters.c and debugfs.c of Linux (6.17), and from Broadcom's driver 233.2 with its script
// bnxt_setupcc.sh (configfs.c and bnxt_re.h, as in the repository lykeioner/driver on GitHub, commit bcef51d).
package bnxt

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/bnxt/steps"
	"github.com/rocec/rocec/targets/nic/senders"
)

// Target writes the settings of bnxt NICs.
var Target = family.Target("RoCE settings of hosts with bnxt NICs (Broadcom NetXtreme-E): a value file, a script and a systemd unit.", nil)

var family = &nic.Family{
	Kit:        steps.Kit,
	Driver:     driver,
	Module:     "bnxt_en",
	Rows:       rows,
	Markings:   markings,
	Sent:       senders.Answers,
	Judge:      judge,
	ByHand:     judgeParameters,
	Probes:     probes,
	PauseNames: pauseNames,
	Claims:     claims,
	Documented: true,
	Renumbers:  "the classes are numbered without gaps",
	Reopens:    []string{"ets_tc", "pfc"},

	Modules:  []string{"bnxt_en", "bnxt_re", "rdma_cm", "rdma_ucm", "ib_core"},
	BondRDMA: "bnxt_re_bond",
	Sim:      simulate,
}

// Rows are the keys of the value file, sorted.
func Rows() []nic.Row { return family.Rows() }

// Sources of models: "vendor" is the maker's product page or release notes.
var driver = ir.NewDriver(ir.Driver{
	Name: "bnxt", Title: "Broadcom NetXtreme-E",
	Can: ir.NICCan{
		AlwaysRoCE: true, // an option in NVRAM switches it, for the whole card
		Lossless:   1, UsualLossless: true, LosslessSource: "Linux, bnxt_dcb.c: pfc_cap is reported by the firmware, most often as 1",
		OneVersion: "since release 219 the driver has no RoCEv1", // Broadcom's bnxt_re notes
		Storm: "set pfc-prevention-tout (ethtool --set-tunable, Linux 6.18 or later), so that at least a stuck host does not block the " +
			"fabric", // bnxt_set_tunable; 0 switches it off
	},
	Bonds:      nic.BondModes,
	Models:     models,
	Parameters: parameters,
})

// models is a separate variable, so that the compiler stores the models as data.
var models = []*ir.NICModel{
	{
		Name: "bcm57414", Title: "Broadcom BCM57414", Speed: 25_000, Ports: 2, V2: true,
		Parts:   []string{"BCM957414*"},
		Aliases: []string{"broadcom-57414", "p225p"}, Source: "vendor: two ports of 25G; v2 only since driver 219",
	},
	{
		Name: "bcm57416", Title: "Broadcom BCM57416", Speed: 10_000, Ports: 2, V2: true,
		Parts:   []string{"BCM957416*"},
		Aliases: []string{"broadcom-57416"}, Source: "vendor: two ports of 10GBASE-T; v2 only since driver 219",
	},
	{
		Name: "bcm57454", Title: "Broadcom BCM57454", Speed: 100_000, Ports: 4, V2: true,
		Parts:   []string{"BCM957454*"},
		Aliases: []string{"broadcom-57454"}, Source: "vendor: up to 100G; v2 only since driver 219",
	},
	{
		Name: "bcm57504", Title: "Broadcom BCM57504", Speed: 100_000, Ports: 4, V2: true,
		Parts:   []string{"BCM957504*"},
		Aliases: []string{"broadcom-57504"}, Source: "vendor: one port of 100G to four of 25G; v2 only",
	},
	{
		Name: "bcm57508", Title: "Broadcom BCM57508", Speed: 200_000, Ports: 2, V2: true,
		Parts:   []string{"BCM957508*"},
		Aliases: []string{"broadcom-57508"}, Source: "vendor: one port of 200G or two of 100G; v2 only",
	},
	{
		Name: "bcm57608", Title: "Broadcom BCM57608", Speed: 400_000, Ports: 2, V2: true,
		Parts:   []string{"BCM957608*"},
		Aliases: []string{"broadcom-57608"}, Source: "vendor: one port of 400G or two of 200G; v2 only",
	},
}
