package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Sizes finds a PFC group whose xon is equal to its xoff, so that a pause ends at the fill at which it begins.
var Sizes = Rule{
	Topic: diag.Topic{Code: "conf-sizes", Summary: "PFC sizes contradict each other"},
	ports: func(p *pass) {
		p.pfc(func(cos, _, group int) {
			if group < 0 {
				return
			}
			g := &p.kind.d.Groups[group]
			xoff, isXoff := known(g.Xoff)
			if isXoff && xoff > 0 && g.Xon == ir.Of(xoff) {
				p.noticef(p.at(ir.FieldXon, group), "a pause of cos %d ends at %s, where it begins: there is no hysteresis, so the port may send many "+
					"pauses in a row. Let it end some frames lower.", cos, diag.Bytes(xoff))
			}
		})
	},
}
