package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// SwitchNotCabled warns of switches that no link block names.
var SwitchNotCabled = &Check{
	Code:    "switch-not-cabled",
	Summary: "a switch without a cable",
	Answers: []string{"X6"},
	Doc: `
A switch is declared, and no link, mesh or topology block has a cable that ends there. It takes
part in no path, so nothing is derived for it and nothing is proved of it: it gets no lossless
port, and the fabric is judged as if it did not exist. Usually a nodeset of a link is one short,
or the cabling file calls the switch by another name.

A rack that is prepared in advance has its cables too: links with planned = true count.

Example:

    switch "spine" {
      names = "spine[1-3]" # the mesh joins spine1 and spine2
    }

Fix: add its cables, or take the switch out.

    switch "spine" {
      names = "spine[1-2]"
    }
`,
	Run: func(p *Pass) {
		var bare folds[diag.Range, *ir.Device]
		for _, d := range p.Fabric.Devices {
			if d.Switch != nil && len(d.Ports) == 0 {
				bare.add(d.Decl, d)
			}
		}
		bare.each(func(at diag.Range, all []*ir.Device) {
			p.Warnf(diag.FirstPlace(all[0].At, at), "%s no cable: no link, mesh or topology block names a port of %s, so the fabric is derived "+
				"and proved without. Add the cables (planned = true where they are not laid yet), or take %s out.",
				verb(deviceNames(all), len(all), "has", "have"), themOf(all), themOf(all))
		})
	},
}
