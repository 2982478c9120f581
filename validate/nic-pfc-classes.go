package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// NICPFCClasses reports NICs that carry more lossless groups than they have classes with PFC.
var NICPFCClasses = &Check{
	Code:    "nic-pfc-classes",
	Summary: "a NIC carries more lossless groups than it has classes with PFC",
	Answers: []string{"K13"},
	Run: func(p *Pass) {
		var found folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if len(n.Intents) == 0 || !walk.ByPFC(n) {
					continue
				}
				if most := n.Can().Lossless; most > 0 && len(losslessOf(n)) > most {
					found.add(diag.FirstPlace(n.ModelAt, n.At), n)
				}
			}
		}
		found.each(func(at diag.Range, nics []*ir.NIC) {
			n := nics[0]
			can := n.Can()
			carried := losslessOf(n)
			report, has := p.Errorf, "has"
			if can.UsualLossless {
				report, has = p.Warnf, "has, by the usual report of its firmware,"
			}
			d := report(at, "%s%s in %d lossless cos groups, and a port of the %s %s %s with PFC: packets of the others "+
				"that arrive while it is busy are lost. Put its intents into one lossless group, or give each its own NIC.",
				nicName(n), andMore(len(nics), "NIC")+" "+diag.Plural(len(nics), "is", "are"), len(carried), n.Model.Title, has,
				diag.Count(can.Lossless, "class"))
			for _, in := range carried {
				d.Note(diag.FirstPlace(in.GroupAt, in.At), "roce %q travels in %q", in.Name, in.Group.Name)
			}
		})
	},
}

// losslessOf returns one intent for each lossless group of a NIC's traffic.
func losslessOf(n *ir.NIC) []*ir.Intent {
	var out []*ir.Intent
next:
	for _, in := range n.Carries() {
		if !in.Group.Lossless {
			continue
		}
		for _, other := range out {
			if other.Group == in.Group {
				continue next
			}
		}
		out = append(out, in)
	}
	return out
}
