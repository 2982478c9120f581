package validate

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// ECNDropsUnmarkable reports lossless packets that switches drop because they cannot mark them.
var ECNDropsUnmarkable = &Check{
	Code:    "ecn-drops-unmarkable",
	Summary: "a marked lossless queue drops packets that cannot be marked",
	Answers: []string{"K17", "N11"},
	OnHop:   true,
	Run: func(p *Pass) {
		type cause struct { // the key of a finding: the line that makes packets unmarkable, and their group
			at    diag.Range
			group *ir.CosGroup
		}
		var found folds[cause, *unmarkable]
		for _, in := range p.Fabric.Intents {
			drops := dropsOf(in)
			for _, m := range in.Members {
				at, bad := walk.Unmarkable(m.NIC, in)
				if bad && (m.NIC.Port != nil || m.NIC.Bond != nil) && slices.ContainsFunc(drops, func(d *drop) bool { return d.port(m.NIC) != nil }) {
					found.add(cause{at, in.Group}, &unmarkable{in, m.NIC, drops})
				}
			}
		}
		found.each(func(c cause, all []*unmarkable) { p.unmarkable(c.at, all) })
	},
}

// unmarkable is a sender of packets that cannot be marked, and the switches that drop them.
type unmarkable struct {
	intent *ir.Intent
	nic    *ir.NIC
	drops  []*drop
}

// drop is a switch that drops packets of an intent that it cannot mark. ports has egress ports that drop them, to two devices at most: two
// are enough, because a packet never leaves to its own sender.
type drop struct {
	device *ir.Device
	ports  []*ir.Port
	marks  []*ir.Mark
}

// port returns an egress port that drops packets of a NIC; nil: no port drops them.
func (d *drop) port(n *ir.NIC) *ir.Port {
	for _, p := range d.ports {
		if peer := p.Peer().NIC; peer == nil || peer.Device != n.Device {
			return p
		}
	}
	return nil
}

// dropsOf returns the switches that drop unmarkable packets of an intent; nil if no member sends such packets.
func dropsOf(in *ir.Intent) []*drop {
	sends := func(m *ir.Member) bool { return !m.NIC.Markable(in) }
	if !in.Group.Lossless || len(in.Members) == 0 || !slices.ContainsFunc(in.Members, sends) {
		return nil
	}
	fabric := in.Members[0].NIC.Device.Fabric
	groups := fabric.Bounces(in.Group)
	var out []*drop
	for _, d := range fabric.Devices {
		if d.Switch == nil || d.Switch.Can.Drops == "" || !slices.Contains(d.Switch.Intents, in) {
			continue
		}
		at := &drop{device: d}
		for _, p := range d.Ports {
			if n := len(at.ports); n == 2 {
				break
			} else if n == 1 && p.Peer().Device() == at.ports[0].Peer().Device() {
				continue
			}
			for _, g := range groups {
				if m := walk.Drops(p, g); m != nil && leaves(p, in) {
					at.ports, at.marks = append(at.ports, p), append(at.marks, m)
					break
				}
			}
		}
		if len(at.ports) > 0 {
			out = append(out, at)
		}
	}
	return out
}

// leaves reports whether packets of an intent can leave a switch by this port.
func leaves(p *ir.Port, in *ir.Intent) bool {
	return (in.Version != 1 || !p.Link().Routed) && slices.Contains(p.Entering(), in)
}

// unmarkable reports the senders whose packets are unmarkable because of one line.
func (p *Pass) unmarkable(at diag.Range, all []*unmarkable) {
	first := all[0]
	in := first.intent
	var nics []*ir.NIC
	var devices []*ir.Device
	var mark *ir.Mark
	for _, x := range all {
		if !slices.Contains(nics, x.nic) {
			nics = append(nics, x.nic)
		}
		for _, d := range x.drops {
			if d.port(x.nic) != nil && !slices.Contains(devices, d.device) {
				devices = append(devices, d.device)
			}
			if mark == nil && d.port(x.nic) != nil {
				mark = d.marks[slices.Index(d.ports, d.port(x.nic))]
			}
		}
	}
	slices.SortFunc(devices, func(a, b *ir.Device) int { return a.ID - b.ID })
	own := "a separate lossless cos group without ecn"
	who, fix := "", ""
	switch {
	case in.Version != 2:
		who = fmt.Sprintf("Packets of roce %q cannot be marked (version %d has no IP header)", in.Name, in.Version)
		fix = fmt.Sprintf("Give roce %q %s.", in.Name, own)
	case first.nic.Can().NoDCQCN:
		who = fmt.Sprintf("%s packets of roce %q that cannot be marked (%s sets no ECN bits)", verb(nicNames(nics), len(nics), "sends", "send"),
			in.Name, first.nic.Model.Title)
		fix = fmt.Sprintf("Use NICs that do, or give them an intent with %s.", own)
	default:
		who = fmt.Sprintf("%s packets of roce %q that cannot be marked (dcqcn = false: the NIC sets no ECN bits)",
			verb(nicNames(nics), len(nics), "sends", "send"), in.Name)
		fix = fmt.Sprintf("Switch DCQCN on for priority %d, or leave ecn out of the cos group.", in.Group.Cos)
	}
	d := p.Errorf(at, "%s, and cos group %q is lossless and marked. %s such packets from queues of %s on, so they are lost: %s. %s", who,
		mark.Group.Name, verb(deviceNames(devices), len(devices), "drops", "drop"),
		diag.Bytes(devices[0].Switch.Model.ASIC.Threshold(mark.Min.N)), devices[0].Switch.Can.Drops, fix).
		About(in.Name)
	if e := mark.Group.ECN; e != nil {
		d.Note(e.At, "the group is marked")
	}
}
