package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// CNPLost reports congestion notifications (CNPs) that a device puts into another group.
var CNPLost = &Check{
	Code:    "cnp-lost",
	Summary: "CNPs leave their cos group",
	Answers: []string{"K7", "N10"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, b := range byHands(p.Fabric) {
			p.cnpAstray(b)
		}
		for _, in := range p.Fabric.Intents {
			if walk.SendsCNP(in) && in.CNP != nil {
				p.cnpOfOther(in)
				for _, marks := range walk.CNPMarks(in) {
					p.cnpByPCP(in, marks)
				}
			}
		}
	},
}

// cnpAstray reports maps of a by_hand block that put CNPs into another cos.
func (p *Pass) cnpAstray(b *byHand) {
	if len(b.DSCP) == 0 && len(b.PCP) == 0 {
		return
	}
	said := map[ir.Claim]bool{}
	for _, at := range b.passings() {
		in := at.intent
		if len(in.Members) == 0 {
			continue
		}
		from := in.Members[0].NIC
		to, value, bad := walk.CNPsRemapped(at.port, from, in)
		if !bad || said[to] {
			continue
		}
		report, why := p.Warnf, "They wait there behind other traffic, and senders slow down late."
		if walk.LosslessCos(p.Fabric, to.Value) {
			report, why = p.Errorf, "They wait there behind the congestion they report, and PFC stops them."
		}
		said[to] = true
		d := report(to.At, "%s %s %d to cos %d, %s. That is how the CNPs of roce %q are marked. %s Map it to the cos of a lossy, strict group "+
			"of "+
			"their own.",
			verb(deviceNames(at.devices), len(at.devices), "maps", "map"), toldBy(in), value, to.Value, groupAt(p.Fabric, to.Value), in.Name, why).
			About(in.Name)
		if group := from.CNPGroup(); group != nil {
			d.Note(group.At, "the group of the CNPs, cos %d", group.Cos)
		}
	}
}

// cnpOfOther warns of NICs whose CNPs carry the marks of another intent's cnp group.
func (p *Pass) cnpOfOther(in *ir.Intent) {
	by := map[*ir.CosGroup][]*ir.Device{}
	var order []*ir.CosGroup
	for _, m := range in.Members {
		g := walk.OtherCNPs(m.NIC, in)
		if g == nil {
			continue
		}
		if by[g] == nil {
			order = append(order, g)
		}
		by[g] = append(by[g], m.NIC.Device)
	}
	for _, g := range order {
		devices := slices.Compact(by[g])
		p.Warnf(diag.FirstPlace(in.CNPAt, in.At),
			"NICs of %s are in roce %q and in another intent, whose CNPs travel in cos group %q. A NIC marks all its CNPs alike, so the CNPs of "+
				"roce %q travel there, too, not in %q. Give the intents one cnp group.",
			deviceNames(devices), in.Name, g.Name, in.Name, in.CNP.Name).
			About(in.Name).
			Note(g.At, "the group of the other intent's CNPs")
	}
}

// cnpByPCP reports a cnp group that does not claim the PCP of its own CNPs.
func (p *Pass) cnpByPCP(in *ir.Intent, marks *ir.CosGroup) {
	taker, bad := walk.CNPsByPCP(p.Fabric, in, marks)
	if !bad {
		return
	}
	report, who := p.Warnf, "which no cos group claims"
	if taker != nil {
		who = "which " + groupAt(p.Fabric, taker.Cos) + " claims"
		if taker.Lossless && p.Fabric.FlowControl != ir.Pause {
			report = p.Errorf
		}
	}
	report(diag.FirstPlace(in.CNPAt, in.At),
		"Roce %q is identified by PCP, and its NICs give CNPs the PCP %d, the number of cos group %q, %s. Let %q claim its own "+
			"number (pcp = [%d]), or leave its pcp out.", in.Name, marks.Cos, marks.Name, who, marks.Name, marks.Cos).
		About(in.Name).
		Note(marks.At, "the cnp group")
}
