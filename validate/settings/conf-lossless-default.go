package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessDefault finds packets without a mark that become lossless.
var LosslessDefault = Rule{
	Topic:  diag.Topic{Code: "conf-lossless-default", Summary: "unmarked traffic becomes lossless"},
	theirs: true,
	ports: func(p *pass) {
		s := p.kind.s
		if s.LinkPause || !s.TrustKnown {
			return
		}
		const all = "All unmarked traffic shares the buffers and the pauses of RoCE. Put it in a cos without PFC."
		if cos := int(s.DSCP[0]); s.Trust.DSCP && cos >= 0 && p.kind.lossless>>cos&1 == 1 {
			p.warnf(p.at(ir.FieldDSCP, 0), "DSCP 0, which unmarked packets have, is put in cos %d, which is lossless. "+all, cos)
		}
		if cos := int(s.PCP[0]); s.Trust == (ir.Trust{PCP: true}) && cos >= 0 && p.kind.lossless>>cos&1 == 1 {
			p.warnf(p.at(ir.FieldPCP, 0), "PCP 0, which unmarked packets have, is put in cos %d, which is lossless. "+all, cos)
		}
		if cos, ok := known(p.kind.d.DefaultCos); ok && p.kind.lossless>>cos&1 == 1 {
			p.warnf(p.at(ir.FieldDefaultCos, 0), "packets without a trusted field are put in cos %d, which is lossless. "+all, cos)
		}
	},
}
