package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PFCOnLossy warns of PFC for a cos that carries nothing lossless.
var PFCOnLossy = &Check{
	Code:    "pfc-on-lossy",
	Summary: "PFC for a cos that is not lossless",
	Answers: []string{"3", "N12"},
	Run: func(p *Pass) {
		if p.Fabric.FlowControl == ir.Pause {
			return
		}
		for _, b := range byHands(p.Fabric) {
			if port, _ := b.beside(); port == nil && b.FlowControl != ir.NoFlowControl {
				p.onLossy(b)
			}
		}
	},
}

func (p *Pass) onLossy(b *byHand) {
	groups, _ := b.carrying()
	on := func(g *ir.CosGroup) bool {
		return slices.ContainsFunc(b.PFC, func(c ir.Claim) bool { return c.Value == g.Cos })
	}
	for _, g := range groups {
		if !on(g) {
			return // a wrong number, not an additional one: pfc-one-end reports it
		}
	}
	var extra []ir.Claim
	for _, c := range b.PFC {
		if !slices.ContainsFunc(groups, func(g *ir.CosGroup) bool { return g.Cos == c.Value }) {
			extra = append(extra, c)
		}
	}
	if len(extra) == 0 {
		return
	}
	what := "no cos is lossless there"
	if len(groups) > 0 {
		what = "lossless there is only " + groupNames(groups)
	}
	also := ""
	for _, in := range p.Fabric.Intents {
		if in.CNP != nil && !in.CNP.Lossless && on(in.CNP) {
			also = " CNPs travel in " + groupNames([]*ir.CosGroup{in.CNP}) + ", and PFC would stop them when they are needed most."
			break
		}
	}
	p.Warnf(extra[0].At, "%s PFC on for %s %s, and %s. Each such cos takes headroom at every port, and its paused packets hold up the "+
		"packets behind.%s Switch PFC off for it.", verb(deviceNames(b.devices), len(b.devices), "has", "have"),
		diag.Plural(len(extra), "cos", "the cos"), claimsText(extra), what, also)
}
