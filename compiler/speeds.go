package compiler

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
)

// speedometer sets the speeds of links. Links of a block with equal inputs share their facts.
type speedometer struct {
	c     *compiler
	jacks []jack
	texts map[int]string // texts of written speeds

	block *lang.LinkBlock // the block of the previous link, the inputs of its speed, and its facts
	key   speedKey
	facts *ir.LinkFacts
	told  map[speedKey]*ir.LinkFacts // the facts of block so far; nil: only one so far
}

// speedKey contains the inputs of the speed of a link in a block, with the models that the reasons name.
type speedKey struct {
	a, b  jack
	x, y  any // *platform.Switch or *ir.NICModel
	group string
}

func (s *speedometer) link(l *ir.Link, b *lang.LinkBlock) {
	x, y := l.A(), l.B()
	ja, jb := s.jacks[x.ID], s.jacks[y.ID]
	slow, other := x, y
	if ja.speed == 0 || jb.speed != 0 && jb.speed < ja.speed {
		slow, other = y, x
	}
	key := speedKey{ja, jb, hardware(x), hardware(y), slow.Device().Group}
	switch facts, ok := s.told[key]; {
	case s.block != b:
		s.facts, s.told = l.LinkFacts, nil
		s.facts.Speed = s.derive(slow, other, b)
	case s.key == key:
	case ok:
		s.facts = facts
	default:
		if s.told == nil {
			s.told = map[speedKey]*ir.LinkFacts{s.key: s.facts}
		}
		own := *l.LinkFacts
		own.Speed = s.derive(slow, other, b)
		s.facts, s.told[key] = &own, &own
	}
	s.block, s.key = b, key
	l.LinkFacts = s.facts
	x.SetSpeed(s.facts.Speed.N)
	y.SetSpeed(s.facts.Speed.N)
}

// derive returns the speed of a link whose slower end is slow.
func (s *speedometer) derive(slow, other *ir.Port, b *lang.LinkBlock) ir.Num {
	js, jo := s.jacks[slow.ID], s.jacks[other.ID]
	name := fmt.Sprintf("%s to %s", slow, other)
	if b.Speed.Set() {
		speed := b.Speed.V
		for _, p := range []*ir.Port{slow, other} {
			if j := s.jacks[p.ID]; j.speed > 0 && !runs(j, speed) {
				s.c.report.errorf(topicSpeed, b.Speed.At, name, "%s cannot run at %s: %s. Correct the speed, or leave it "+
					"out.", p, platform.SpeedText(speed), s.can(p, speed)).
					Note(p.At, "the port is cabled here")
			}
		}
		why := once(s.texts, speed, func() string { return "speed = " + platform.SpeedText(speed) })
		return ir.Num{N: speed, From: []ir.Origin{{At: b.Speed.At, Why: why}}}
	}
	if js.speed == 0 {
		if hardware(slow) != nil && hardware(other) != nil {
			s.c.report.errorf(topicSpeed, b.Decl, name, "Neither end of the cable from %s gives its speed. Give the link a speed.", name)
		}
		return ir.Num{}
	}
	if js.speed == platform.Unsized || jo.speed > 0 && !runs(jo, js.speed) {
		s.c.report.errorf(topicSpeed, b.Decl, name, "The ends of the cable from %s do not agree on a speed by themselves: %s is a port "+
			"of %s, and %s cannot run at that: %s. Give the link a speed both can run at.", name, slow, platform.SpeedText(js.speed),
			other, s.can(other, js.speed)).Note(slow.At, "the slower end")
	}
	at := slow.Device().Decl
	if slow.NIC != nil {
		at = slow.NIC.ModelAt
	} else if slow.Device().Switch != nil {
		at = slow.Device().Switch.ModelAt
	}
	why := fmt.Sprintf("slower end: %s, %s", title(slow), platform.SpeedText(js.speed))
	return ir.Num{N: js.speed, From: []ir.Origin{{At: at, Why: why}}}
}

// can returns the reason why a port cannot run at a speed.
func (s *speedometer) can(p *ir.Port, speed int) string {
	j := s.jacks[p.ID]
	switch {
	case speed == platform.Unsized:
		return "for 1.6T no pause response is published, so no buffer can be sized for it; 800G is the fastest"
	case !slices.Contains(platform.Speeds, speed):
		return "that is not an Ethernet speed; the speeds are " + speeds()
	case speed > j.speed && p.Front.Split():
		return fmt.Sprintf("as part of a split port of %s it has %s at most", title(p), platform.SpeedText(j.speed))
	case speed > j.speed:
		return fmt.Sprintf("this port of %s has %s at most", title(p), platform.SpeedText(j.speed))
	case speed == 40_000:
		return fmt.Sprintf("40G takes four lanes, and it has %d", j.lanes)
	}
	return fmt.Sprintf("the lanes of this port of %s run at 10G", title(p))
}

// runs reports whether a port can run at a speed. The lanes of a NIC are unknown, so it runs at any lower speed.
func runs(j jack, speed int) bool {
	if j.lanes == 0 {
		return speed <= j.speed && slices.Contains(platform.Speeds, speed)
	}
	return platform.Runs(j.speed, j.lanes, speed)
}

// hardware returns the model of a port's device or NIC, or nil when it is not known.
func hardware(p *ir.Port) any {
	if p.NIC != nil {
		if p.NIC.Model != nil {
			return p.NIC.Model
		}
	} else if m := p.Device().Switch.Model; m != nil && m.Ports != nil {
		return m
	}
	return nil
}

func title(p *ir.Port) string {
	if p.NIC != nil {
		return p.NIC.Model.Title
	}
	return p.Device().Switch.Model.Title
}
