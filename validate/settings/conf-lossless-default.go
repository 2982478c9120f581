package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessDefault finds packets without a mark that become lossless.
var LosslessDefault = Rule{
	Topic: diag.Topic{Code: "conf-lossless-default", Summary: "unmarked traffic becomes lossless"},
	ports: func(p *pass) {
		s := p.kind.s
		if s.LinkPause || !s.TrustKnown {
			return
		}
		const all = "All unmarked traffic shares the buffers and the pauses of RoCE. Put it in a cos without PFC."
		for _, f := range p.kind.fields() {
			if cos := int(f.to[0]); f.trusted && cos >= 0 && p.kind.lossless>>cos&1 == 1 {
				p.warnf(p.at(f.field, 0), "%s 0, which unmarked packets have, is put in cos %d, which is lossless. "+all, f.name, cos)
				return
			}
		}
		if cos, ok := known(p.kind.d.DefaultCos); ok && p.kind.lossless>>cos&1 == 1 {
			p.warnf(p.at(ir.FieldDefaultCos, 0), "packets without a trusted field are put in cos %d, which is lossless. "+all, cos)
		}
	},
}
