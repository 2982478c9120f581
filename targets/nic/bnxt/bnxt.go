// Package bnxt knows the NICs of the driver bnxt: Broadcom NetXtreme-E. No target writes for them: rocec judges the settings that a
// by_hand block states.
package bnxt

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target contains only facts.
var Target = &target.Target{
	Name:   "bnxt",
	Doc:    "Facts of Broadcom NetXtreme-E NICs (driver bnxt); rocec writes none of their settings.",
	Driver: driver,
}

// Sources of models: "vendor" is the maker's product page or release notes.
var driver = ir.NewDriver(ir.Driver{
	Name: "bnxt", Title: "Broadcom NetXtreme-E",
	Can: ir.NICCan{
		Lossless: 1, UsualLossless: true, LosslessSource: "Linux, bnxt_dcb.c: pfc_cap is reported by the firmware, most often as 1",
		OneVersion: "since release 219 the driver has no RoCEv1", // Broadcom's bnxt_re notes
	},
	Bonds: nic.BondModes,
	Models: []*ir.NICModel{
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
	},
})
