package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessDefault warns of a lossless group that receives unmarked packets.
var LosslessDefault = &Check{
	Code:    "lossless-default",
	Summary: "unmarked traffic becomes lossless",
	Answers: []string{"K6", "K10"},
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if !g.Lossless {
				continue
			}
			if g.Cos == 0 {
				p.Warnf(diag.FirstPlace(g.CosAt, g.At),
					"Cos group %q is lossless and has cos 0, where every unmarked frame goes, flooded ones included. Give it another number and leave "+
						"0 to a lossy group.", g.Name).
					Note(diag.FirstPlace(g.LosslessAt, g.At), "makes it lossless")
			}
			for _, c := range g.DSCP {
				if c.Value == 0 {
					p.Warnf(c.At, "Cos group %q is lossless and claims DSCP 0, which every packet without a mark has. Leave 0 to a lossy group.",
						g.Name).
						Note(diag.FirstPlace(g.LosslessAt, g.At), "makes it lossless")
				}
			}
		}
		for _, b := range byHands(p.Fabric) {
			p.unmarkedIntoLossless(b)
		}
	},
}

// unmarkedIntoLossless warns of maps that put packets without a mark into a lossless cos of the device.
func (p *Pass) unmarkedIntoLossless(b *byHand) {
	groups, at := b.carrying()
	for _, field := range []struct {
		name string
		maps map[int]ir.Claim
	}{{"DSCP", b.DSCP}, {"PCP", b.PCP}} {
		to, mapped := field.maps[0]
		i := slices.IndexFunc(groups, func(g *ir.CosGroup) bool { return mapped && g.Cos == to.Value })
		if i < 0 {
			continue
		}
		if t := at[groups[i]].Trust(); field.name == "DSCP" && !t.DSCP || field.name == "PCP" && !t.PCP {
			continue
		}
		p.Warnf(to.At, "%s %s 0 to cos %d, that of the lossless cos group %q: every packet without a mark is lossless there, fills its "+
			"buffers and is "+
			"paused with it. Map 0 to a lossy cos.", verb(deviceNames(b.devices), len(b.devices), "maps", "map"), field.name, to.Value,
			groups[i].Name).
			Note(diag.FirstPlace(groups[i].LosslessAt, groups[i].At), "makes it lossless")
	}
}
