package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// ValueUnmapped finds DSCP values of RoCE that the map of a port leaves out.
var ValueUnmapped = Rule{
	Topic:  diag.Topic{Code: "conf-value-unmapped", Summary: "a value of a trusted field has no cos"},
	theirs: true,
	ports: func(p *pass) {
		s := p.kind.s
		if !s.TrustKnown || !s.Trust.DSCP || p.kind.lossless == 0 || s.LinkPause || s.DSCP[notification] >= 0 || p.Unread {
			return
		}
		mapped := 0
		for _, cos := range s.DSCP {
			if cos >= 0 {
				mapped++
			}
		}
		if mapped >= len(s.DSCP)/2 { // a map with few values leaves out the others on purpose
			p.warnf(p.at(ir.FieldDSCP, notification), "DSCP %d has no cos, and NICs send their congestion notifications with it. How the switch "+
				"treats such packets is not known. Give it a separate cos with strict priority.", notification)
		}
	},
}
