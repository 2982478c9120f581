// Package mlx4 spells a fabric for hosts with NICs whose driver is mlx4_core: ConnectX-3.
//
// A NIC that carries an intent gets a value file, and the host gets the script rocec-host-mlx4 with its unit and rules (package nic). The
// card uses the PCP of a frame as its priority and has no DSCP map, so PCP in a VLAN must identify lossless traffic. The card neither
// answers marked packets nor slows down on CNPs.
//
// # The value file
//
//	bond          netdev          compared, never set
//	create_vlan   on              the interface of the VLAN is created
//	dcbx          host            the host decides, not the firmware
//	ets_bw        LIST 0-100      percent by traffic class; the classes that are ets sum to 100, the others are 0
//	ets_tc        LIST 0-7        traffic class by priority
//	ets_tsa       LIST            ets or strict, by traffic class
//	mtu           68-65535        bytes (compared, never set)
//	pause         on, off         802.3x link pause, both directions
//	pfc           LIST 0, 1       priorities with PFC
//	roce_mode     text            "RoCE v2" or "IB/RoCE v1": default of RDMA-CM
//	tos           0-255           default type of service of RDMA-CM
//	vlan          1-4094          the VLAN that carries traffic identified by PCP
//	vlan_ip       PREFIX          its address
//	vlan_map      0:P,2:P,4:P,6:P 802.1p priority of the socket priorities on it
//
// # What the script uses on a host
//
// The commands and files of mlx5 for the same settings (dcb or mlnx_qos, ethtool, ip and the configfs of rdma_cm), and also:
//
//	/sys/class/net/IF/dev_port                        r    the port of the card, from 0: both ports are one PCI function
//	/sys/module/mlx4_core/parameters/roce_mode        r    if the version cannot be set
//
// Facts are from the source of the driver in Linux (en_dcb_nl.c: pfc, ets and dcbx, no app, no buffers; en_ethtool.c; mlx4/main.c of
// mlx4_ib). MLNX_OFED has congestion control for ConnectX-3 Pro in debugfs (r_roce_ecn_rp); rocec does not write it.
package mlx4

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/mlx4/steps"
	"github.com/rocec/rocec/targets/nic/senders"
)

// Target writes the settings of mlx4 NICs.
var Target = family.Target("RoCE settings of hosts with mlx4 NICs (ConnectX-3): a value file, a script and a systemd unit.", Topics)

var family = &nic.Family{
	Kit:        steps.Kit,
	Driver:     driver,
	Module:     "mlx4_core",
	Rows:       func() []nic.Row { return nic.Sorted(nic.HostRows, nic.CardRows, nic.CMRows, nic.VLANRows) },
	Markings:   markings,
	Sent:       senders.Answers,
	Judge:      judge,
	Probes:     probes,
	PauseNames: pauseNames,

	Modules:  []string{"mlx4_core", "mlx4_en", "mlx4_ib", "rdma_cm", "rdma_ucm", "ib_core"},
	BondRDMA: "mlx4_bond_",
	Sim:      simulate,
}

// Rows are the keys of the value file, sorted.
func Rows() []nic.Row { return family.Rows() }

// ConnectX-3 supports only RoCEv1; its Pro variant supports both versions. 56G, a speed of its maker alone, is left out.
//
// Sources of models: "RHEL" is Red Hat's RoCE documentation.
var driver = ir.NewDriver(ir.Driver{
	Name: "mlx4", Title: "ConnectX-3",
	Can:    ir.NICCan{NoDCQCN: true, AlwaysRoCE: true}, // Linux: mlx4_en and mlx4_ib have no switch and no counter of DCQCN
	Bonds:  nic.BondModes,
	Models: models,
})

// models is a separate variable, so that the compiler stores the models as data.
var models = []*ir.NICModel{
	{
		Name: "connectx-3", Title: "Mellanox ConnectX-3", Speed: 40_000, Ports: 2, V1: true,
		Parts:   []string{"MCX311A-XCAT*", "MCX3[15][0-9][AB]-?CBT*", "MCX34[12]A-XC[CG]N*"},
		Aliases: []string{"cx3"}, Source: "RHEL: rdma_cm defaults to v1",
	},
	{
		Name: "connectx-3-pro", Title: "Mellanox ConnectX-3 Pro", Speed: 40_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"MCX3[15][0-9][A-C]-?CCT*", "MCX34[1-6]A-?C[PQ]N*"},
		Aliases: []string{"cx3pro"}, Source: "RHEL: rdma_cm defaults to v2 since 7.5",
	},
}
