package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Asymmetric finds ports that obey pauses of every priority.
var Asymmetric = Rule{
	Topic: diag.Topic{Code: "conf-pfc-asymmetric", Summary: "a port obeys pauses of every priority"},
	ports: func(p *pass) {
		if is(p.kind.d.AsymmetricPFC, true) && p.kind.lossless != 0 {
			p.warnf(p.at(ir.FieldAsymmetricPFC, 0), "PFC is asymmetric: the port obeys pauses of every priority, and has buffers for %s "+
				"alone. A pause of "+
				"any other priority stops lossy traffic, too. Switch it off.", priorities(p.kind.lossless))
		}
	},
}
