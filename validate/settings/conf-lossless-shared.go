package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessShared finds lossy traffic in the buffer or in the queue of lossless traffic.
var LosslessShared = Rule{
	Topic:  diag.Topic{Code: "conf-lossless-shared", Summary: "lossless traffic shares its priority group"},
	theirs: true,
	ports: func(p *pass) {
		p.pfc(func(cos, queue, group int) {
			for other := range 8 {
				if p.kind.lossless>>other&1 == 1 || !p.kind.reached(other) {
					continue
				}
				if group >= 0 && int(p.kind.d.Group[other]) == group && is(p.kind.d.Groups[group].Lossless, true) {
					p.errorf(p.at(ir.FieldGroup, other), "cos %d, which is lossy, fills priority group %d, as the lossless cos %d does: when lossy "+
						"traffic fills it, the port pauses lossless traffic. Put cos %d into a separate group.", other, group, cos, other)
				}
				if queue >= 0 && int(p.kind.d.Queue[other]) == queue {
					p.warnf(p.at(ir.FieldQueue, other), "cos %d, which is lossy, leaves by queue %d, as the lossless cos %d does: a pause stops both, "+
						"and lossless traffic waits behind lossy traffic. Give cos %d a separate queue.", other, queue, cos, other)
				}
			}
		})
	},
}

// reached reports whether a value of a trusted field, or the default, leads to a cos.
func (k *kind) reached(cos int) bool {
	if k.told(cos) || is(k.d.DefaultCos, int8(cos)) {
		return true
	}
	if k.s.TrustKnown && k.s.Trust.PCP {
		for _, to := range k.s.PCP {
			if int(to) == cos {
				return true
			}
		}
	}
	return false
}
