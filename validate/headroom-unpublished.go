package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// HeadroomUnpublished reports derived headroom that no published figure confirms.
var HeadroomUnpublished = &Check{
	Code:    "headroom-unpublished",
	Summary: "headroom is derived without a published figure",
	Answers: []string{"K11"},
	Run: func(p *Pass) {
		type key struct {
			model *platform.Switch
			speed int
		}
		var found folds[key, *ir.Port]
		for _, port := range p.Fabric.Ports {
			d := port.Device()
			if d.Switch == nil || d.ByHand != nil {
				continue
			}
			for _, b := range port.Buffers() {
				if b.Unpublished && !b.Group.Sizes().Buffer.Set() {
					found.add(key{d.Switch.Model, port.Link().Speed.N}, port)
					break
				}
			}
		}
		found.each(func(k key, ports []*ir.Port) {
			first := ports[0]
			p.Noticef(diag.FirstPlace(first.Device().Switch.ModelAt, first.Link().At), "This rocec has no row of %s (%s) at %s: no published "+
				"figure confirms the headroom of %s at %s. Compare it with the figures of the maker, or keep it.",
				k.model.Name, k.model.ASIC.Title, platform.SpeedText(k.speed), diag.Bytes(mostNeeded(ports)),
				first.String()+andMore(len(ports), "port"))
		})
	},
}

// mostNeeded returns the largest headroom of the ports.
func mostNeeded(ports []*ir.Port) (most int) {
	for _, port := range ports {
		for _, b := range port.Buffers() {
			most = max(most, b.Need)
		}
	}
	return most
}
