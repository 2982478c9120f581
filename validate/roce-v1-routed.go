package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEv1Routed reports RoCEv1 members with an IP hop between them.
var RoCEv1Routed = &Check{
	Code:    "roce-v1-routed",
	Summary: "RoCEv1 across a routed link",
	Answers: []string{"K8", "N3"},
	OnHop:   true,
	Run: func(p *Pass) {
		domains := walk.DomainsOf(p.Fabric)
		for _, in := range p.Fabric.Intents {
			if in.Version == 1 {
				p.parted(in, domains())
			}
		}
	},
}

func (p *Pass) parted(in *ir.Intent, domain []int) {
	var first, other *ir.Member
	seen := map[int]bool{}
	for _, m := range in.Members {
		at := walk.AttachedTo(m.NIC)
		if at == nil {
			continue
		}
		seen[domain[at.ID]] = true
		switch {
		case first == nil:
			first = m
		case other == nil && domain[at.ID] != domain[walk.AttachedTo(first.NIC).ID]:
			other = m
		}
	}
	if other == nil {
		return
	}
	a, b := walk.AttachedTo(first.NIC), walk.AttachedTo(other.NIC)
	routed := routedBetween(a, b)
	if routed == nil {
		return // there is no path between them, so no routed link is on it
	}
	d := p.Errorf(in.At, "Roce %q is version 1, but its members are in %d broadcast domains: routed links separate %s (at %s) and %s (at "+
		"%s). RoCEv1 frames have no IP header (EtherType 0x8915) and cannot be routed. Make it version 2, or make one intent for every "+
		"broadcast domain, or bridge the links between them (routed = false).",
		in.Name, len(seen), nicName(first.NIC), a.Name, nicName(other.NIC), b.Name).
		About(in.Name)
	noteRouted(d, routed)
	onOne, onOther := diag.FirstPlace(first.NIC.Port.At, first.At), diag.FirstPlace(other.NIC.Port.At, other.At)
	if onOne == onOther {
		d.Note(onOne, "%s is connected to %s, %s to %s", nicName(first.NIC), a.Name, nicName(other.NIC), b.Name)
	} else {
		d.Note(onOne, "%s is connected to %s", nicName(first.NIC), a.Name)
		d.Note(onOther, "%s is connected to %s", nicName(other.NIC), b.Name)
	}
	if in.VersionAt.Filename != "" && everyMember(in, func(n *ir.NIC) bool { return n.Model.V2 }) {
		d.Fix = &diag.Fix{
			Message: fmt.Sprintf("every NIC of roce %q also speaks RoCEv2; the cos group then needs a dscp, ecn {} and a cnp group", in.Name),
			Edits:   []diag.Edit{{At: in.VersionAt, New: "2"}},
		}
	}
}

func everyMember(in *ir.Intent, is func(*ir.NIC) bool) bool {
	for _, m := range in.Members {
		if !is(m.NIC) {
			return false
		}
	}
	return true
}
