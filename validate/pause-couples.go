package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PauseCouples warns of link pause between devices that forward, in a fabric that has PFC elsewhere.
var PauseCouples = &Check{
	Code:    "pause-couples",
	Summary: "link pause between switches stops every cos group",
	Answers: []string{"0"},
	Run: func(p *Pass) {
		var found folds[diag.Range, *ir.Link]
		for _, l := range p.Fabric.Links {
			if l.Couples() {
				found.add(diag.FirstPlace(l.FlowControlAt, l.At), l)
			}
		}
		found.each(func(at diag.Range, links []*ir.Link) {
			l := links[0]
			var groups []*ir.CosGroup
			for _, b := range l.A().Buffers() {
				groups = append(groups, b.Group)
			}
			p.Warnf(at, "%s - %s%s %s lossless by link pause, in a fabric of PFC: when %s is full, all traffic waits, also CNPs and best "+
				"effort, and a pause spreads from one cos group to another. Use PFC between switches, and link pause at hosts only.",
				l.A(), l.B(), andMore(len(links), "cable"), diag.Plural(len(links), "is", "are"), groupNames(groups))
		})
	},
}
