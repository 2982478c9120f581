package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// UpDownNoPath reports members without a path under up-down.
var UpDownNoPath = &Check{
	Code:    "up-down-no-path",
	Summary: "members without a path that goes up, then down",
	Parts:   true,
	Answers: []string{"K23", "X1"},
	OnHop:   true,
	Single: func(p *Pass, x *walk.Finding) {
		first, later := walk.InOrder(x.Intent, x.From, x.To)
		p.noPath(apart{x.Intent, first, later, 1})
	},
	Run: func(p *Pass) {
		if p.Fabric.Routing != ir.UpDown {
			return
		}
		for _, k := range keptApart(p.Fabric) {
			p.noPath(k)
		}
	},
}

func (p *Pass) noPath(k apart) {
	a, b := walk.AttachedTo(k.a.NIC), walk.AttachedTo(k.b.NIC)
	more := ""
	if k.pairs > 1 {
		more = " (and so for " + diag.Count(k.pairs-1, "more pair") + " of switches)"
	}
	d := p.Errorf(k.intent.At, "Members %s (at %s, tier %d) and %s (at %s, tier %d) of roce %q are joined by cables. Every path between "+
		"them comes down and goes up again, which up-down forbids%s. Correct the tiers, attach the hosts to the lowest "+
		"switches, or state the routing that the fabric has.",
		nicName(k.a.NIC), a.Name, a.Height(), nicName(k.b.NIC), b.Name, b.Height(), k.intent.Name, more).
		About(k.intent.Name)
	d.Note(k.a.NIC.Port.At, "%s is attached to %s", nicName(k.a.NIC), a.Name)
	d.Note(k.b.NIC.Port.At, "%s is attached to %s", nicName(k.b.NIC), b.Name)
	if p.Fabric.RoutingAt.Filename != "" {
		d.Note(p.Fabric.RoutingAt, "the routing")
	}
}
