// Package qede knows the NICs of the driver qede: Marvell FastLinQ. No target writes for them: rocec judges the settings that a by_hand
// block states.
package qede

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target contains only facts.
var Target = &target.Target{
	Name:   "qede",
	Doc:    "Facts of Marvell FastLinQ NICs (driver qede); rocec writes none of their settings.",
	Driver: driver,
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
