package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PauseUnused warns of configured link pause on cables without lossless traffic, where rocec writes none.
var PauseUnused = &Check{
	Code:    "pause-unused",
	Summary: "link pause where nothing is lossless",
	Answers: []string{"0"},
	Run: func(p *Pass) {
		of := folds[diag.Range, *ir.Link]{}
		lossless := false
		for _, l := range p.Fabric.Links {
			lossless = lossless || losslessCable(l)
			if l.FlowControlAt.Filename != "" && l.ByPause() {
				of.add(l.FlowControlAt, l)
			}
		}
		if at := p.Fabric.FlowControlAt; at.Filename != "" && p.Fabric.FlowControl == ir.Pause && !lossless {
			p.Warnf(at, "The fabric has flow_control = \"pause\", and no lossless cos group passes any cable: no link pause is written, and "+
				"packets are dropped when a buffer is full. Write lossless = true in a cos group that a roce block uses, or take flow_control out.")
		}
		of.each(func(at diag.Range, links []*ir.Link) {
			if slices.ContainsFunc(links, losslessCable) {
				return
			}
			l := links[0]
			p.Warnf(at, "%s - %s%s %s to be lossless by link pause, and no lossless cos group passes there: no link pause is written, and "+
				"packets are dropped when a buffer is full. Write lossless = true in the cos group of that traffic, or take flow_control out.",
				l.A(), l.B(), andMore(len(links), "cable"), diag.Plural(len(links), "is", "are"))
		})
	},
}
