package validate

import (
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/walk"
)

// MapMismatch reports maps that put an intent's packets into another cos.
var MapMismatch = &Check{
	Code:    "map-mismatch",
	Summary: "a device maps RoCE to another cos",
	Answers: []string{"1", "K4", "K5", "C24", "N8"},
	OnHop:   true,
	Run: func(p *Pass) {
		routed := overRouted(p.Fabric)
		for _, b := range byHands(p.Fabric) {
			if len(b.DSCP) == 0 && len(b.PCP) == 0 {
				continue
			}
			said := map[ir.Claim]bool{} // if a group has two intents, the first counts
			for _, at := range b.passings() {
				if p.grade(at.intent) == nil || routed[at.intent] {
					continue
				}
				at.astray().each(func(to ir.Claim, values []int) {
					if !said[to] {
						said[to] = true
						p.astray(at, values, to)
					}
				})
			}
		}
	},
}

// astray returns the values of an intent that the block's maps put into another cos, by that cos.
func (at *passing) astray() *folds[ir.Claim, int] {
	var out folds[ir.Claim, int]
	in := at.intent
	values := in.Group.DSCP
	if !in.ByDSCP() {
		values = []ir.Claim{{Value: packetOf(in).PCP}}
	}
	for _, c := range values {
		if to, ok := walk.Remapped(at.port, in, c.Value); ok && to.Value != in.Group.Cos {
			out.add(to, c.Value)
		}
	}
	return &out
}

func (p *Pass) astray(at *passing, values []int, to ir.Claim) {
	in := at.intent
	what := toldBy(in) + " " + namesOf(values, strconv.Itoa)
	p.grade(in)(to.At, "%s %s to cos %d, %s. Packets of roce %q with it belong to cos group %q, cos %d: they are %s there, and pauses for "+
		"cos %d do not hold them back. Map %s to cos %d.", verb(deviceNames(at.devices), len(at.devices), "maps", "map"), what, to.Value,
		groupAt(p.Fabric, to.Value), in.Name, in.Group.Name, in.Group.Cos, unprotected(p.Fabric, in), in.Group.Cos, what, in.Group.Cos).
		About(in.Name).
		Note(in.Group.At, "the cos group, cos %d", in.Group.Cos)
}
