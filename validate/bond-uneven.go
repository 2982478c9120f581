package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// BondUneven warns of bonds whose two ports are not alike.
var BondUneven = &Check{
	Code:    "bond-uneven",
	Summary: "the ports of a bond differ",
	Answers: []string{"5", "K14", "C21", "N17"},
	Run: func(p *Pass) {
		type key struct {
			bond, at, other diag.Range
			what, a, b      string
		}
		var found folds[key, *ir.Bond]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, bond := range d.Host.Bonds {
				if len(bond.NICs) != 2 || len(bond.NICs[0].Intents) == 0 {
					continue
				}
				a, b := bond.NICs[0], bond.NICs[1]
				differ := func(what, x, y string, atX, atY diag.Range) {
					if x != y {
						found.add(key{bond.At, diag.FirstPlace(atY, b.At), diag.FirstPlace(atX, a.At), what, x, y}, bond)
					}
				}
				differ("the MTU", orKept(a.MTU, 0), orKept(b.MTU, 0), a.MTUAt, b.MTUAt)
				differ("the type of service", orKept(a.TOS, -1), orKept(b.TOS, -1), a.TOSAt, b.TOSAt)
				differ("the TTL", orKept(a.TTL, -1), orKept(b.TTL, -1), a.At, b.At)
				if a.Port != nil && b.Port != nil {
					differ("the speed", platform.SpeedText(a.Port.Speed()), platform.SpeedText(b.Port.Speed()), speedAt(a.Port.Link()),
						speedAt(b.Port.Link()))
					if losslessCable(a.Port.Link()) || losslessCable(b.Port.Link()) {
						differ("the flow control", pauseText(a.Port.Link()), pauseText(b.Port.Link()), flowControlAt(a.Port.Link()),
							flowControlAt(b.Port.Link()))
					}
				}
			}
		}
		found.each(func(k key, bonds []*ir.Bond) {
			bond := bonds[0]
			a, b := bond.NICs[0], bond.NICs[1]
			d := p.Warnf(k.at, "The ports of %s differ in %s: %s has %s, %s has %s. They are one RDMA device, so half of its "+
				"traffic does not match the fabric. Make both ports alike.", bondsText(bonds), k.what, a.Name, k.a, b.Name, k.b)
			d.Note(bond.At, "the bond")
			if k.other != k.at {
				d.Note(k.other, "%s: %s", a.Name, k.a)
			}
		})
	},
}

// orKept returns a setting as text, or states that none is written.
func orKept(v, unset int) string {
	if v == unset {
		return "none written"
	}
	return fmt.Sprint(v)
}
