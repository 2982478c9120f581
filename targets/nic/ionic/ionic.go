// Package ionic knows the NICs of the driver ionic: AMD Pensando. No target writes for them: rocec judges the settings that a by_hand
// block states or that nicctl prints. The sheet of a host has the steps (targets/nic/sheets/linux.go).
//
// The driver has no DCB (Linux, drivers/net/ethernet/pensando/ionic: no dcbnl_ops). PFC, maps, shares and the type of pauses are set by
// nicctl, which has no public manual; docs/hosts.md has its public forms with their sources. ethtool -A makes the type of pauses "link"
// (ionic_ethtool.c: ionic_set_pauseparam), and ethtool -a prints the directions without the type.
//
// To write the family, these would have to be known: the exit status of a failing nicctl; which settings survive a restart of the card
// or of the host; which name connects a port of nicctl with an interface; whether a change stops traffic; the number of no-drop
// priorities; and the objects of --json, to read everything back.
package ionic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target contains only facts.
var Target = &target.Target{
	Name:     "ionic",
	Doc:      "Facts of AMD Pensando NICs (driver ionic, with ionic_rdma from Linux 6.18); rocec writes none of their settings.",
	Driver:   driver,
	Markings: markings,
}

// Sources of models: "DPDK" is the table of adapters of DPDK's guide to the driver, "Linux" its source.
var driver = ir.NewDriver(ir.Driver{
	Name: "ionic", Title: "AMD Pensando",
	Can: ir.NICCan{
		OneVersion: "the driver announces only RoCEv2", // Linux, ionic_ibdev.c: RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP
		OwnECN:     true,                               // Linux, ionic_controlpath.c: ionic_modify_qp_cmd always wants ECN
	},
	Bonds:  nic.BondModes,
	Models: models,
})

// models is a separate variable, so that the compiler stores the models as data.
var models = []*ir.NICModel{
	{
		Name: "pollara-400", Title: "AMD Pensando Pollara 400", Speed: 400_000, Ports: 1, V2: true,
		Aliases: []string{"pollara", "amd-pollara-400", "pensando-pollara-400"}, Source: "DPDK: one port of 400G; Linux: v2 only",
	},
	{
		Name: "dsc3-400", Title: "AMD Pensando DSC3-400", Speed: 400_000, Ports: 2, V2: true,
		Aliases: []string{"pensando-dsc3-400"}, Source: "DPDK: two ports of 400G; Linux: v2 only",
	},
	{
		Name: "dsc2-200", Title: "AMD Pensando DSC2-200", Speed: 200_000, Ports: 2, V2: true,
		Aliases: []string{"pensando-dsc2-200"}, Source: "DPDK: two ports of 200G; Linux: v2 only",
	},
	{
		Name: "dsc-100", Title: "AMD Pensando DSC-100", Speed: 100_000, Ports: 2, V2: true,
		Aliases: []string{"pensando-dsc-100"}, Source: "DPDK: two ports of 100G; Linux: v2 only",
	},
	{
		Name: "dsc-25", Title: "AMD Pensando DSC-25", Speed: 25_000, Ports: 2, V2: true,
		Aliases: []string{"pensando-dsc-25"}, Source: "DPDK: two ports of 25G; Linux: v2 only",
	},
}
