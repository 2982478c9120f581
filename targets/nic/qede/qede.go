// Package qede knows the NICs of the driver qede: Marvell FastLinQ. No target writes for them: rocec judges the settings that a by_hand
// block states or that tools of the host print. The sheet of a host has the steps (targets/nic/sheets/linux.go).
//
// PFC, shares and the mode of DCBX cannot be written reliably. In Linux (qed_dcbx.c) every operation of IEEE calls
// qed_dcbx_config_params without hw_commit, which stores the value in the driver and returns 0. Only qed_dcbnl_setall passes the stored
// values to the firmware, for DCB_CMD_SET_ALL of CEE, which dcb and IEEE's netlink never send. dcb show prints the values of the
// firmware, but only if DCBX works in the mode IEEE; in the modes CEE and static it fails. The firmware takes the values from the
// switch, and the priority of RoCE from the application entries for ethertype 0x8915 and UDP port 4791 (qed_dcbx_process_tlv).
//
// The driver has no map from DSCP: qede_dcbnl_ieee_setapp (qede_dcbnl.c) first puts the entry into the kernel's table and then fails, so
// the table is not to be believed. It has no operation that deletes an entry, and none for buffers.
//
// Parameters of DCQCN exist only in Marvell's own qed (dcqcn_enable and others; Dell, QLogic Family of Adapters User's Guide AH0054602),
// and are read when the module is loaded. Link pause, RDMA-CM and VLANs could be written. A family is written whole or not at all: check
// would be green on a host whose PFC is wrong.
//
// To write the family, these would have to be known: a way to make the firmware use values of the host without a switch that advertises
// them (the setup of the card has a page for DCBX; its values are not public), and whether it survives a restart of the card.
package qede

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target contains only facts.
var Target = &target.Target{
	Name:     "qede",
	Doc:      "Facts of Marvell FastLinQ NICs (driver qede); rocec writes none of their settings.",
	Driver:   driver,
	Markings: markings,
}

// Sources of models: "rdma-core" is the driver's own source, "vendor" the maker's product page or release notes.
var driver = ir.NewDriver(ir.Driver{
	Name: "qede", Title: "Marvell FastLinQ",
	Bonds:  nic.BondModes,
	Models: models,
})

// models is a separate variable, so that the compiler stores the models as data.
var models = []*ir.NICModel{
	{
		Name: "fastlinq-41000", Title: "Marvell FastLinQ 41000", Speed: 25_000, Ports: 4, V1: true, V2: true,
		Aliases: []string{"ql41000", "marvell-fastlinq-41000", "qlogic-fastlinq-41000"},
		Parts:   []string{"QL41[1-9][0-9][0-9][A-Z]*"},
		Source:  "vendor: 10G and 25G ports; rdma-core: qedr supports both versions",
	},
	{
		Name: "fastlinq-45000", Title: "Marvell FastLinQ 45000", Speed: 100_000, Ports: 4, V1: true, V2: true,
		Aliases: []string{"ql45000", "marvell-fastlinq-45000", "qlogic-fastlinq-45000"},
		Parts:   []string{"QL45[2-9][0-9][0-9][A-Z]*"},
		Source:  "vendor: up to 100G; rdma-core: qedr supports both versions",
	},
}
