// Package ice knows the NICs of the driver ice: Intel E810. No target writes for them: rocec judges the settings that a by_hand block
// states.
package ice

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target contains only facts.
var Target = &target.Target{
	Name:   "ice",
	Doc:    "Facts of Intel E810 NICs (driver ice); rocec writes none of their settings.",
	Driver: driver,
}

// Sources of models: "vendor" is the maker's product page or release notes.
var driver = ir.NewDriver(ir.Driver{
	Name: "ice", Title: "Intel E810",
	Can: ir.NICCan{
		Lossless: 1, LosslessSource: "Intel's RDMA guide for the E810 (635330): one traffic class with PFC on each port",
		OneVersion: "the driver irdma supports RoCEv2 and iWARP", // Intel's irdma notes
	},
	Bonds: nic.BondModes,
	Models: []*ir.NICModel{
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
	},
})
