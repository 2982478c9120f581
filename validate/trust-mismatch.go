package validate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// TrustMismatch reports devices that do not trust the field that identifies an intent's packets.
var TrustMismatch = &Check{
	Code:    "trust-mismatch",
	Summary: "a device does not trust the field that tells RoCE",
	Answers: []string{"1", "K3", "C22", "C24", "N1"},
	OnHop:   true,
	Run: func(p *Pass) {
		routed := overRouted(p.Fabric)
		for _, b := range byHands(p.Fabric) {
			p.mistrust(b, routed)
		}
		p.mixedTelling(routed)
	},
}

// mistrust judges the trust of by_hand blocks. If a block states none, its NICs still trust only one field.
func (p *Pass) mistrust(b *byHand, routed map[*ir.Intent]bool) {
	type key struct {
		by    bool // DSCP
		error bool
	}
	found := map[key][]*passing{}
	var order []key
	for _, at := range b.passings() {
		in := at.intent
		if _, bad := walk.Mistrust(at.port, in); !bad || routed[in] {
			continue
		}
		if at.port.Sort(packetOf(in)).Cos == in.Group.Cos || p.grade(in) == nil {
			continue // its map leads to the right cos
		}
		k := key{in.ByDSCP(), p.Fabric.FlowControl != ir.Pause}
		if found[k] == nil {
			order = append(order, k)
		}
		found[k] = append(found[k], at)
	}
	for _, k := range order {
		all := found[k]
		var intents []*ir.Intent
		for _, at := range all {
			intents = append(intents, at.intent)
		}
		first := all[0]
		in, trust := first.intent, first.port.Trust()
		to := first.port.Sort(packetOf(in))
		place, _ := walk.Mistrust(first.port, in)
		d := p.grade(in)(place,
			"%s %s, and the packets of %s are identified by %s%s. The device puts them into %s, so they are %s there. Let %s trust %s%s.",
			verb(deviceNames(first.devices), len(first.devices), "trusts", "trust"), trust, intentNames(intents), toldBy(in),
			overruled(in, trust), whereTo(p.Fabric, packetOf(in), trust, to), unprotected(p.Fabric, in), themOf(first.devices), toldBy(in),
			alone(in, trust)).
			About(ir.IntentNames(intents)...)
		d.Note(in.Group.At, "the cos group of roce %q", in.Name)
	}
}

// overruled returns why a device that trusts PCP does not use it for these packets.
func overruled(in *ir.Intent, t ir.Trust) string {
	if !in.ByDSCP() && t.PCP {
		return ", but where both are trusted the DSCP of a packet with an IP header decides"
	}
	return ""
}

func alone(in *ir.Intent, t ir.Trust) string {
	if !in.ByDSCP() && t.PCP {
		return " alone, or give the cos group a DSCP"
	}
	return ""
}

// whereTo returns text about the cos that a device puts packets into, and the deciding field.
func whereTo(f *ir.Fabric, pkt ir.Packet, t ir.Trust, s ir.Sorting) string {
	switch {
	case s.Cos < 0:
		return fmt.Sprintf("an unknown cos, by %s, which no group claims", s.By)
	case !(t.DSCP && pkt.IP) && !(t.PCP && pkt.Tagged):
		return fmt.Sprintf("cos %d, %s, with all unmarked traffic", s.Cos, groupAt(f, s.Cos))
	}
	return fmt.Sprintf("cos %d, %s, by %s", s.Cos, groupAt(f, s.Cos), s.By)
}

// mixedTelling reports RoCEv2 that is identified by PCP, on switches that must trust DSCP for another intent.
func (p *Pass) mixedTelling(routed map[*ir.Intent]bool) {
	for _, in := range p.Fabric.Intents {
		if in.Version != 2 || in.ByDSCP() || !walk.HasMark(in) || routed[in] || p.grade(in) == nil {
			continue
		}
		var switches []*ir.Device
		var because *ir.Intent
		for _, d := range p.Fabric.Devices {
			if d.Switch == nil || !slices.Contains(d.Switch.Intents, in) {
				continue
			}
			for _, port := range d.Ports {
				by := walk.Overruling(port, in)
				astray := port.Sort(packetOf(in)).Cos != in.Group.Cos // not if a stated map leads to the right cos
				if by != nil && astray && slices.Contains(port.Entering(), in) {
					because = cmp.Or(because, by)
					switches = append(switches, d)
					break
				}
			}
		}
		if because == nil {
			continue
		}
		p.overruledAt(in, because, switches)
	}
}

func (p *Pass) overruledAt(in, because *ir.Intent, switches []*ir.Device) {
	p.grade(in)(diag.FirstPlace(in.GroupAt, in.At),
		"Roce %q is version 2 and identified by PCP, since cos group %q claims no DSCP. %s roce %q, too, which is identified by "+
			"DSCP; a switch that trusts both uses the DSCP of a packet with an IP header, and the DSCP of roce %q is 0: it is %s there. Give "+
			"cos group %q a separate dscp, or take the dscp out of %q and give all RoCEv2 a vlan.",
		in.Name, in.Group.Name, verb(deviceNames(switches), len(switches), "carries", "carry"), because.Name, in.Name, unprotected(p.Fabric, in),
		in.Group.Name, because.Group.Name).
		About(in.Name, because.Name).
		Note(in.Group.At, "claims no DSCP").Note(diag.FirstPlace(because.GroupAt, because.At), "identified by DSCP")
}
