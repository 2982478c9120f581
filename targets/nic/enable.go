package nic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

// enable returns the links that systemctl creates when a step enables the units of a host's NICs.
func (f *Family) enable(d *ir.Device) []target.Link {
	var out []target.Link
	for _, n := range Of(d, f.Driver) {
		out = append(out, target.Link{
			Path: steps.WantsDir(n.Name) + f.Unit(n.Name), To: f.unitPath,
		})
	}
	return out
}
