// Package rxe spells a fabric for hosts that do RoCE in software: Soft-RoCE, the driver rdma_rxe above an ordinary interface.
//
// A NIC that carries an intent gets a value file, and the host gets the script rocec-host-rxe with its unit and rules (package nic). The
// script loads the module and creates the RDMA device rxe_IF on the interface, unless the interface has an RDMA device already. Then it
// sets the defaults of RDMA-CM and the map of the VLAN. All of this is lost when the host restarts, and the unit sets it again. A NIC that
// leaves loses the device, unless the device existed before rocec.
//
// # The value file
//
//	bond          netdev          compared, never set
//	create_vlan   on              the interface of the VLAN is created
//	mtu           68-65535        bytes (compared, never set)
//	roce_mode     RoCE v2         default of RDMA-CM
//	rxe           on              the RDMA device on the interface
//	should        KEY,KEY         optional keys
//	tos           0-255           default type of service of RDMA-CM
//	traffic_class 0-255           no such setting; plan reports its effect
//	vlan          1-4094          the VLAN that carries traffic identified by PCP
//	vlan_ip       PREFIX          its address
//	vlan_map      0:P,2:P,4:P,6:P 802.1p priority of the socket priorities on it
//
// # What the script uses on a host
//
// The script uses the same as every family (modprobe rdma_cm, mkdir and rmdir in /sys/kernel/config/rdma_cm, ip, sleep), and also:
//
//	modprobe rdma_rxe
//	rdma link add rxe_IF type rxe netdev IF
//	rdma link delete DEV
//	/sys/class/infiniband/DEV/parent                  r    the interface below the device
//	/sys/module/rdma_rxe/parameters/{add,remove}      w    if rdma cannot do it
//	/proc/net/vlan/IF                                 r    whether it is a VLAN interface
//
// Facts are from the source of rdma_rxe in Linux (rxe.c, rxe_net.c, rxe_hw_counters.c), from rdma-core and from Red Hat's documentation.
package rxe

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/rxe/steps"
	"github.com/rocec/rocec/targets/nic/senders"
)

// Target writes the settings of Soft-RoCE.
var Target = family.Target("Soft-RoCE (driver rdma_rxe) on ordinary interfaces of hosts: a value file, a script and a systemd unit.",
	Topics)

// family names no module of the interface, since any driver works.
var family = &nic.Family{
	Kit:      steps.Kit,
	Driver:   driver,
	Rows:     rows,
	Judge:    judge,
	Probes:   probes,
	Markings: markings, Sent: senders.Answers,
	Modules: []string{"rdma_rxe", "rdma_cm", "rdma_ucm", "ib_core"},
	Sim:     newSim,
}

// Rows are the keys of the value file, sorted.
func Rows() []nic.Row { return family.Rows() }

// Sources of models: "rdma-core" is the driver's own source and manual.
var driver = ir.NewDriver(ir.Driver{
	Name: "rxe", Title: "Soft-RoCE",
	Can: ir.NICCan{
		NoPFC: true, NoDCQCN: true, AlwaysRoCE: true, LosslessSource: "rdma-core: rdma_rxe has no DCB of its own",
		OneVersion: "rdma_rxe sends UDP packets", // rdma-core
	},
	Bonds: nic.BondModes,
	Models: []*ir.NICModel{
		{
			Name: "soft-roce", Title: "Soft-RoCE", Ports: 1, V2: true,
			Aliases: []string{"rxe", "rdma-rxe"}, Source: "rdma-core: RoCEv2 only, on any interface, at its speed",
		},
	},
})

var ownRows = []nic.Row{
	{
		Key: "rxe", Aside: nic.NoPort, Comment: "the Soft-RoCE device on top of the interface",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.Word(b, s, "on") },
		Why:   nic.ByMember,
	},
	nic.ClassRow("rdma_rxe uses the mark that each connection asks for", ""),
}

func rows() []nic.Row { return nic.Sorted(ownRows, nic.HostRows, nic.CMRows, nic.VLANRows) }
