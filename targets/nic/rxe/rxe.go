// Package rxe knows Soft-RoCE: the driver rdma_rxe above an ordinary interface.
// No target writes for them: they are judged as a by_hand block says they are set.
package rxe

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target is a row of facts.
var Target = &target.Target{
	Name:   "rxe",
	Doc:    "Facts of Soft-RoCE (driver rdma_rxe); rocec writes none of its settings.",
	Driver: driver,
}

// Sources of models: "rdma-core" is the driver's own source and manual.
var driver = ir.NewDriver(ir.Driver{
	Name: "rxe", Title: "Soft-RoCE",
	Can: ir.NICCan{
		NoPFC: true, NoDCQCN: true, LosslessSource: "rdma-core: rdma_rxe has no DCB of its own",
		OneVersion: "rdma_rxe sends UDP packets", // rdma-core
	},
	Bonds: nic.BondModes,
	Models: []*ir.NICModel{
		{
			Name: "soft-roce", Title: "Soft-RoCE", Ports: 1, V2: true,
			Aliases: []string{"rxe", "rdma-rxe"}, Source: "rdma-core: RoCEv2 only, on any netdev, at its speed",
		},
	},
})
