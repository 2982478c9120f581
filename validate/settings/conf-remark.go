package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Remark finds ports that change the field which decides the class of lossless traffic.
var Remark = Rule{
	Topic:  diag.Topic{Code: "conf-remark", Summary: "lossless traffic is remarked"},
	theirs: true,
	ports: func(p *pass) {
		if p.kind.lossless == 0 || p.kind.s.LinkPause || !p.kind.s.TrustKnown {
			return
		}
		if is(p.kind.d.RewriteDSCP, true) && p.kind.s.Trust.DSCP {
			p.noticef(p.at(ir.FieldRewrite, 0), "the DSCP of packets that leave is rewritten, and DSCP decides the class of lossless traffic. "+
				"If a value changes, the next switch puts packets into another class.")
		}
	},
}
