// Package ice spells a fabric for hosts with NICs whose driver is ice: Intel E810 and E830. Their RDMA driver is irdma.
//
// A NIC that carries an intent gets a value file, and the host gets the script rocec-host-ice with its unit and rules (package nic). The
// family is known from documents alone: no user has reported on a real NIC.
//
// # The value file
//
//	bond          netdev          compared, never set
//	create_vlan   on              the interface of the VLAN is created
//	dcbx          host            the host decides, not the firmware
//	dcqcn         on              marked packets are answered, and CNPs slow senders down (only with Intel's own irdma)
//	dscp_prio0-7  LIST 0-63       DSCP values that get the priority
//	ets_bw        LIST 0-100      percent by traffic class; the classes that are ets sum to 100, the others are 0
//	ets_tc        LIST 0-7        traffic class by priority: with DSCP the number of the priority, else without a gap
//	ets_tsa       LIST            ets or strict, by traffic class
//	lldp_agent    off             the firmware's agent for LLDP and DCBX
//	mtu           68-65535        bytes (compared, never set)
//	pause         on, off         802.3x link pause, both directions
//	pfc           LIST 0, 1       priorities with PFC
//	roce          on, off         RoCEv2 on this PCI function
//	roce_mode     text            "RoCE v2": default of RDMA-CM
//	tos           0-255           default type of service of RDMA-CM
//	trust         dscp, pcp       what decides a received packet's priority
//	vlan          1-4094          the VLAN that carries traffic identified by PCP
//	vlan_ip       PREFIX          its address
//	vlan_map      0:P,2:P,4:P,6:P 802.1p priority of the socket priorities on it
//
// # What the script uses on a host
//
// dcb, ethtool, ip and the configfs of rdma_cm, as for mlx5, and also:
//
//	ethtool --set-priv-flags IF fw-lldp-agent off     the firmware keeps it over a reboot; leave restores it
//	devlink dev param set pci/BDF name enable_roce    at once (Linux 5.17 or later), and enable_iwarp, which excludes it
//	/sys/class/infiniband/DEV/node_type         r     "1: CA" or, with iWARP, "4: RNIC"
//	/sys/kernel/config/irdma/DEV/roce_dcqcn_enable    only with Intel's own irdma; its factory setting is off
//
// The script never writes the parameters of the module irdma (roce_ena, dcqcn_*): they need a reload of the module. It sets the DSCP map
// first, because the first DSCP makes the port use DSCP with the driver's own traffic classes, and then the classes and PFC. The driver
// closes and opens the interface for each entry of the map, and for each change of the classes and of PFC.
//
// Facts are from Linux, drivers/net/ethernet/intel/ice (ice_dcb_nl.c, ice_dcb_lib.c, ice_ethtool.c, devlink/devlink.c) and
// drivers/infiniband/hw/irdma (verbs.c); from Intel's README of irdma; and from Intel's guide 635330, "Linux Flow Control Configuration
// Guide for RDMA Use Cases", of November 2025.
package ice

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/ice/steps"
	"github.com/rocec/rocec/targets/nic/senders"
)

// Target writes the settings of ice NICs.
var Target = family.Target("RoCE settings of hosts with ice NICs (Intel E810, E830): a value file, a script and a systemd unit.", Topics)

var family = &nic.Family{
	Kit:        steps.Kit,
	Driver:     driver,
	Module:     "ice",
	Rows:       rows,
	Markings:   markings,
	Sent:       senders.Answers,
	Judge:      judge,
	Probes:     probes,
	PauseNames: pauseNames,
	Claims:     claims,
	Documented: true,
	Renumbers:  "with DSCP a priority has the class with its number, and with PCP classes have numbers without a gap",
	Reopens: []string{
		"dscp_prio0", "dscp_prio1", "dscp_prio2", "dscp_prio3", "dscp_prio4", "dscp_prio5", "dscp_prio6", "dscp_prio7",
		"ets_bw", "ets_tc", "ets_tsa", "lldp_agent", "pfc", "trust",
	},

	Modules:  []string{"ice", "irdma", "rdma_cm", "rdma_ucm", "ib_core"},
	BondRDMA: "irdma_bond_",
	Sim:      simulate,
}

// Rows are the keys of the value file, sorted.
func Rows() []nic.Row { return family.Rows() }

var driver = ir.NewDriver(ir.Driver{
	Name: "ice", Title: "Intel E810, E830",
	Can: ir.NICCan{
		Lossless: 1, LosslessSource: "Intel's RDMA guide for the E810 (635330): one traffic class with PFC on each port",
		OneVersion: "the driver irdma supports RoCEv2 and iWARP", // Intel's irdma notes
	},
	Bonds:  []string{"active-backup"}, // Intel's irdma notes, "Link Aggregation"
	Models: models,
})

// models is a separate variable, so that the compiler stores the models as data. "vendor" is the maker's product page or release notes.
var models = []*ir.NICModel{
	{
		Name: "e810", Title: "Intel E810", Speed: 100_000, Ports: 2, V2: true,
		Parts:   []string{"E810-CQDA[12]*", "E810CQDA[12]*", "E810-2CQDA2*", "E8102CQDA2*"},
		Aliases: []string{"intel-e810", "e810-c"}, Source: "vendor: two ports of 100G; RoCEv2 and iWARP",
	},
	{
		Name: "e810-xxv", Title: "Intel E810-XXV", Speed: 25_000, Ports: 4, V2: true,
		Parts:   []string{"E810-XXVDA[24]*", "E810XXVDA[24]*"},
		Aliases: []string{"intel-e810-xxv"}, Source: "vendor: up to four ports of 25G; RoCEv2 and iWARP",
	},
	{
		Name: "e830", Title: "Intel E830", Speed: 200_000, Ports: 2, V2: true,
		Parts:   []string{"E830-CQDA2*", "E830CQDA2*"},
		Aliases: []string{"intel-e830", "e830-c"}, Source: "vendor: one port of 200G or two of 100G; RoCEv2 and iWARP",
	},
	{
		Name: "e830-xxv", Title: "Intel E830-XXV", Speed: 25_000, Ports: 4, V2: true,
		Parts:   []string{"E830-XXVDA[24]*", "E830XXVDA[24]*"},
		Aliases: []string{"intel-e830-xxv"}, Source: "vendor: up to four ports of 25G; RoCEv2 and iWARP",
	},
}
