package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// UpDownNoPath reports members that up-down keeps from each other.
var UpDownNoPath = &Check{
	Code:    "up-down-no-path",
	Summary: "members without a path that goes up, then down",
	Answers: []string{"K23", "X1"},
	OnHop:   true,
	Doc: `
Under routing = "up-down" traffic rises through the tiers, takes at most one peer step and falls;
it never goes up again. Two members that are cabled together, but only over a way that comes down
and goes up again, cannot reach each other. Either a tier is wrong, or a cable is missing, or the
switches' routing is not up-down at all, and then the PFC-loop proof rests on nothing.

Example: hosts on two spines. Each reaches the leaves, but from spine to spine every way goes down
to a leaf and up again.

    switch "spine" {
      names = "spine[1-2]"
      tier  = 2
    }
    host "store" {
      names = "store[1-2]"
    }
    link "stores" {
      a = "store[1-2]:ens1f0"
      b = "spine[1-2]:swp9"
    }
    roce "training" { members = [host.store] }

Fix: hang the hosts on leaves, or on switches below the spines; correct the tiers; or
say which routing the fabric has.

    link "stores" {
      b = "leaf[1-2]:swp2"
    }
`,
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
	d := p.Errorf(k.intent.At, "Members %s (at %s, tier %d) and %s (at %s, tier %d) of roce %q are joined by cables, but every way between "+
		"them comes down and goes up again, which up-down forbids%s. Correct the tiers, hang the hosts on the lowest "+
		"switches, or say which routing the fabric has.",
		nicName(k.a.NIC), a.Name, a.Height(), nicName(k.b.NIC), b.Name, b.Height(), k.intent.Name, more)
	d.Note(k.a.NIC.Port.At, "%s hangs on %s", nicName(k.a.NIC), a.Name)
	d.Note(k.b.NIC.Port.At, "%s hangs on %s", nicName(k.b.NIC), b.Name)
	if p.Fabric.RoutingAt.Filename != "" {
		d.Note(p.Fabric.RoutingAt, "the routing")
	}
}
