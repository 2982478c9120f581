package validate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEMembers warns of intents whose members cannot talk.
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
				d := p.Warnf(in.At, "Roce %q has %s, so it has no traffic and protects nothing. Name the hosts that talk to each other.",
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
				d := p.Warnf(first, "%s: a member of roce %q, and no link cables it. Its traffic is not configured and not part of the proof. Add "+
					"a link, or leave it out of the members.", nodeset.Text(loose, nodeset.Endpoints, namesRoom), in.Name)
				d.Aside = true
			}
			p.cutOff(in, joined)
		}
	},
}

// cutOff reports the first two members of an intent without a link, or under eBGP without a route, between them. A bond is joined if any
// of its NICs is. Other checks report members without a path under up-down and in tables.
func (p *Pass) cutOff(in *ir.Intent, joined []int) {
	type place struct {
		member  *ir.Member
		islands []int // the islands of its NIC or bond, ascending
	}
	var kinds []place // all pairs of members share an island
	var nics []*ir.NIC
	var islands []int
	for _, m := range in.Members {
		islands = islands[:0]
		for _, n := range together(m.NIC) {
			if d := walk.AttachedTo(n); d != nil {
				islands = append(islands, joined[d.ID])
			}
		}
		if len(islands) == 0 {
			continue
		}
		nics = append(nics, m.NIC)
		slices.Sort(islands)
		islands = slices.Compact(islands)
		if slices.ContainsFunc(kinds, func(k place) bool { return slices.Equal(k.islands, islands) }) {
			continue
		}
		for _, k := range kinds {
			if !slices.ContainsFunc(k.islands, func(island int) bool { return slices.Contains(islands, island) }) {
				p.unjoined(in, m, k.member, attachedTo(m.NIC), attachedTo(k.member.NIC))
				return
			}
		}
		kinds = append(kinds, place{m, slices.Clone(islands)})
	}
	if in.Version == 1 { // RoCEv1 frames stay within a broadcast domain
		return
	}
	one, other, err := p.Fabric.Routes.Unrouted(in.Group, nics, ir.NewBudget(p.steps/searchShare))
	switch {
	case err != nil:
		p.notJudged(in, err)
	case one != nil:
		p.unrouted(in, memberOf(in, one), memberOf(in, other))
	}
}

// together returns the NICs that share one address: those of a bond, or the NIC alone.
func together(n *ir.NIC) []*ir.NIC {
	if n.Bond != nil {
		return n.Bond.NICs
	}
	return []*ir.NIC{n}
}

// attachedTo returns the first device to which the NIC or its bond is attached; nil without one.
func attachedTo(n *ir.NIC) *ir.Device {
	for _, n := range together(n) {
		if d := walk.AttachedTo(n); d != nil {
			return d
		}
	}
	return nil
}

// searchShare divides the budget of the proof: a check may use that part for its own search.
const searchShare = 4

// memberOf returns the member of an intent for a NIC.
func memberOf(in *ir.Intent, n *ir.NIC) *ir.Member {
	return in.Members[slices.IndexFunc(in.Members, func(m *ir.Member) bool { return m.NIC == n })]
}

// notJudged reports that routes between the members are not judged, unless the proof reports the same cause.
func (p *Pass) notJudged(in *ir.Intent, err error) {
	why := RoutingText(err)
	if errors.Is(err, ir.ErrBudget) {
		why = fmt.Sprintf("the search for routes ended after %s steps; --budget %s gives it more", diag.Number(int(p.steps/searchShare)),
			budgetValue(10*p.steps))
	} else if slices.ContainsFunc(p.loops(), func(l *Proof) bool { return l.Verdict == Unknown && slices.Contains(l.Groups, in.Group) }) {
		return
	}
	d := p.Warnf(in.At, "Whether routes join all members of roce %q is not judged: %s.", in.Name, why)
	d.Aside = true
}

// unjoined reports two members whose devices no links join.
func (p *Pass) unjoined(in *ir.Intent, m, other *ir.Member, at, otherAt *ir.Device) {
	p.Warnf(diag.FirstPlace(m.At, in.At),
		"%s and %s are members of roce %q, and no links join %s and %s. Link them, or split the roce block into two.",
		nicName(m.NIC), nicName(other.NIC), in.Name, at.Name, otherAt.Name).
		About(in.Name)
}

// unrouted reports two members without an eBGP route between them.
func (p *Pass) unrouted(in *ir.Intent, a, b *ir.Member) {
	p.Errorf(diag.FirstPlace(b.At, in.At),
		"%s and %s are members of roce %q, and no route leads from %s to %s: the AS numbers on every path make some switch refuse it. Give "+
			"the switches other numbers, each leaf its own (RFC 7938), or leave one of the two members out.",
		nicName(a.NIC), nicName(b.NIC), in.Name, attachedTo(a.NIC).Name, attachedTo(b.NIC).Name).
		About(in.Name)
}

// cutHere reports two members without a path between them in the state of a walk.
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
		p.Warnf(x.At, "%s and %s are members of roce %q, and routing %q has no next hop at %s, though links join them. Check the cables, the "+
			"failed links and the routing.", nicName(x.From), nicName(x.To), x.Intent.Name, p.Fabric.Routing, x.Device.Name).
			About(x.Intent.Name)
	}
}
