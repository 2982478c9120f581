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
	Doc: `
At the port of a host, link pause is a sound way to be lossless: what it stops is that host's.
Between two switches it stops the traffic of everybody, of every cos group: CNPs and best effort
wait behind a congested lossless group, and lossless traffic behind a congested lossy one. PFC keeps
them apart on all other cables, and one of link pause joins them again: a pause that begins in one
group goes on in another. The PFC-loop proof judges all groups together then, and what is lossy
with them.

A fabric whose own block says flow_control = "pause" has no PFC that keeps groups apart: that is a
choice for all of it, and this check is silent. Everything waits there all the same, CNPs too:
rocec trace names the ports where they do.

Example:

    mesh "uplinks" {
      flow_control = "pause"
    }

Fix: leave link pause to the links of hosts.

    link "stores" {
      flow_control = "pause"
    }
    mesh "uplinks" {
      flow_control = "pfc"
    }
`,
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
			p.Warnf(at, "%s - %s%s %s lossless by link pause, in a fabric of PFC: when %s is full, everything waits, CNPs and best effort, too, "+
				"and a pause goes on from one cos group into another. Use PFC between switches, and link pause at hosts only.",
				l.A(), l.B(), andMore(len(links), "cable"), diag.Plural(len(links), "is", "are"), groupNames(groups))
		})
	},
}
