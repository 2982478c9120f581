package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// NICNoPFC reports members that can neither send nor obey a pause.
var NICNoPFC = &Check{
	Code:    "nic-no-pfc",
	Summary: "a NIC without PFC in a lossless group",
	Answers: []string{"K13"},
	OnHop:   true,
	Run: func(p *Pass) {
		var found folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if walk.NoPFC(n) && firstLossless(n) != nil {
					found.add(diag.FirstPlace(n.ModelAt, n.At), n)
				}
			}
		}
		found.each(func(at diag.Range, nics []*ir.NIC) {
			n := nics[0]
			in := firstLossless(n)
			e := p.Errorf(at, "%s%s in the lossless cos group %q of roce %q, and %s has no PFC: it neither pauses its switch nor "+
				"obeys it, so frames are lost at its cable. Use a NIC with PFC or a lossy group; if the interface below does PFC, write "+
				"flow_control = \"pfc\" in by_hand.",
				nicName(n), andMore(len(nics), "NIC")+" "+diag.Plural(len(nics), "is", "are"), in.Group.Name, in.Name, n.Model.Title).
				About(in.Name).
				Note(diag.FirstPlace(in.Group.LosslessAt, in.Group.At), "the lossless group")
			if h := n.Device.ByHand; h != nil {
				e.Note(h.At, "states no flow control")
			}
		})
	},
}
