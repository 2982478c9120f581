package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// SwitchNotCabled warns of switches without a cable.
var SwitchNotCabled = &Check{
	Code:    "switch-not-cabled",
	Summary: "a switch without a cable",
	Answers: []string{"X6"},
	Run: func(p *Pass) {
		var bare folds[diag.Range, *ir.Device]
		for _, d := range p.Fabric.Devices {
			if d.Switch != nil && len(d.Ports) == 0 {
				bare.add(d.Decl, d)
			}
		}
		bare.each(func(at diag.Range, all []*ir.Device) {
			p.Warnf(diag.FirstPlace(all[0].At, at), "%s no cable: no link, mesh or topology block names a port of %s, so the fabric is derived "+
				"and proved without the cables. Add them (planned = true where they are not laid yet), or take %s out.",
				verb(deviceNames(all), len(all), "has", "have"), themOf(all), themOf(all))
		})
	},
}
