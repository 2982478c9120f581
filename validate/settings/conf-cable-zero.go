package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// CableZero finds ports with PFC and a cable length of 0: the switch keeps too little headroom for them, or none.
var CableZero = Rule{
	Topic: diag.Topic{Code: "conf-cable-zero", Summary: "a port with PFC has a cable of 0 m"},
	ports: func(p *pass) {
		if is(p.kind.d.Cable, 0) && p.kind.d.Cable.Is == ir.Stated && p.kind.lossless != 0 {
			p.errorf(p.at(ir.FieldCable, 0), "the cable has 0 m, and PFC is on for %s. With 0 m a switch keeps no headroom for packets after a "+
				"pause, or makes no lossless buffer at all: packets are dropped. State the length of the cable.",
				priorities(p.kind.lossless))
		}
	},
}
