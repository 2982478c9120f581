// Package mlx4 knows the NICs of the driver mlx4: ConnectX-3.
// No target writes for them: they are judged as a by_hand block says they are set.
package mlx4

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target is a row of facts.
var Target = &target.Target{
	Name:   "mlx4",
	Doc:    "Facts of ConnectX-3 NICs (driver mlx4); rocec writes none of their settings.",
	Driver: driver,
}

// ConnectX-3 speaks RoCEv1 only; its Pro variant speaks both. 56G is a speed of its maker and left out.
//
// Sources of models: "RHEL" is Red Hat's RoCE documentation.
var driver = ir.NewDriver(ir.Driver{
	Name: "mlx4", Title: "ConnectX-3",
	Bonds: nic.BondModes,
	Models: []*ir.NICModel{
		{
			Name: "connectx-3", Title: "Mellanox ConnectX-3", Speed: 40_000, Ports: 2, V1: true,
			Aliases: []string{"cx3"}, Source: "RHEL: rdma_cm defaults to v1",
		},
		{
			Name: "connectx-3-pro", Title: "Mellanox ConnectX-3 Pro", Speed: 40_000, Ports: 2, V1: true, V2: true,
			Aliases: []string{"cx3pro"}, Source: "RHEL: rdma_cm defaults to v2 since 7.5",
		},
	},
})
