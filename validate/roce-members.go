package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEMembers warns of intents that protect nothing.
var RoCEMembers = &Check{
	Code:    "roce-members",
	Summary: "an intent has members that cannot talk",
	Parts:   true,
	Answers: []string{"X1"},
	OnHop:   true,
	Single:  func(p *Pass, x *walk.Finding) { p.cutHere(x) },
	Run: func(p *Pass) {
		joined := walk.Islands(p.Fabric, func(*ir.Link) bool { return true })
		for _, in := range p.Fabric.Intents {
			if len(in.Members) < 2 {
				d := p.Warnf(in.At, "Roce %q has %s, so nobody talks and nothing is protected. Name the hosts that talk to each other.",
					in.Name, diag.Count(len(in.Members), "member"))
				d.Aside = true
			}
			var loose []string
			first := in.At
			for _, m := range in.Members {
				if m.NIC.Port == nil {
					if len(loose) == 0 {
						first = diag.FirstPlace(m.At, in.At)
					}
					loose = append(loose, nicName(m.NIC))
				}
			}
			if len(loose) > 0 {
				d := p.Warnf(first, "%s: a member of roce %q, but no link cables it, so its traffic is outside of what is proved and configured. "+
					"Add a link, or leave it out of the members.", nodeset.Text(loose, nodeset.Endpoints, namesRoom), in.Name)
				d.Aside = true
			}
			p.cutOff(in, joined)
		}
	},
}

// Bounds of cutOff: on following eBGP, beyond which nothing is said, and on pairs of switches times links, beyond which
// the first switch stands for all.
const (
	maxRouteSteps = 30_000_000
	maxPairs      = 20_000_000
)

// cutOff reports the first two members of an intent that no link, or under eBGP no route, joins. Bonds are left out: they
// have several ways in. What up-down and tables keep apart has checks of its own.
func (p *Pass) cutOff(in *ir.Intent, joined []int) {
	var at []*ir.Member // one for each switch
	seen := map[*ir.Device]bool{}
	for _, m := range in.Members {
		if d := walk.AttachedTo(m.NIC); m.NIC.Bond == nil && d != nil && !seen[d] {
			seen[d] = true
			at = append(at, m)
		}
	}
	if len(at) < 2 {
		return
	}
	for _, m := range at[1:] {
		if joined[walk.AttachedTo(m.NIC).ID] != joined[walk.AttachedTo(at[0].NIC).ID] {
			p.unjoined(in, m, at[0], walk.AttachedTo(m.NIC), walk.AttachedTo(at[0].NIC))
			return
		}
	}
	if p.Fabric.Routing != ir.EBGP || in.Version == 1 || !in.Group.Lossless || p.Fabric.FlowControl == ir.Pause {
		return
	}
	turns, err := p.Fabric.Routes.Turns(in.Group, ir.State{Budget: ir.NewBudget(maxRouteSteps)})
	if err != nil {
		return // too large, or the proof says why it cannot be followed
	}
	may := func(in, out *ir.Port) bool {
		return turns.Has(in, out) || turns.Bounced != nil && (&ir.Turns{Rows: turns.Bounced}).Has(in, out)
	}
	from := at
	if len(at)*len(at)*len(p.Fabric.Links) > maxPairs {
		from = at[:1]
	}
	for i, a := range from {
		for _, b := range at[i+1:] {
			if ir.Path(in.Group, a.NIC.Port, b.NIC.Port, may) == nil {
				p.unrouted(in, a, b)
				return
			}
		}
	}
}

// unjoined reports a member that is attached to a device which no links join to that of another one.
func (p *Pass) unjoined(in *ir.Intent, m, other *ir.Member, at, otherAt *ir.Device) {
	p.Warnf(diag.FirstPlace(m.At, in.At),
		"%s and %s are members of roce %q, and no links join %s and %s. Link them, or make two roce blocks of the one.",
		nicName(m.NIC), nicName(other.NIC), in.Name, at.Name, otherAt.Name)
}

// unrouted reports two members that eBGP has no route between.
func (p *Pass) unrouted(in *ir.Intent, a, b *ir.Member) {
	p.Errorf(diag.FirstPlace(b.At, in.At),
		"%s and %s are members of roce %q, and no route leads from %s to %s: the AS numbers on every way make some "+
			"switch refuse it. Give them numbers that let it pass, each leaf its own (RFC 7938), or leave one of the two out.",
		nicName(a.NIC), nicName(b.NIC), in.Name, walk.AttachedTo(a.NIC).Name, walk.AttachedTo(b.NIC).Name)
}

// cutHere reports two members that have no way to each other in the state of a walk.
func (p *Pass) cutHere(x *walk.Finding) {
	first, later := walk.InOrder(x.Intent, x.From, x.To)
	switch {
	case x.Apart[0] != nil && later.NIC == x.From:
		p.unjoined(x.Intent, later, first, x.Apart[0], x.Apart[1])
	case x.Apart[0] != nil:
		p.unjoined(x.Intent, later, first, x.Apart[1], x.Apart[0])
	case p.Fabric.Routing == ir.EBGP:
		p.unrouted(x.Intent, first, later)
	default:
		p.Warnf(x.At, "%s and %s are members of roce %q, and routing %q has no way on from %s, though links join them. Look at the "+
			"cables, at what is down and at the routing.", nicName(x.From), nicName(x.To), x.Intent.Name, p.Fabric.Routing, x.Device.Name)
	}
}
