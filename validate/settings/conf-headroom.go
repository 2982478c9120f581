package settings

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Headroom holds the room after a pause against what still arrives.
var Headroom = Rule{
	Topic: diag.Topic{Code: "conf-headroom", Summary: "PFC headroom too small"},
	ports: func(p *pass) {
		p.pfc(func(cos, _, group int) {
			if group < 0 || !is(p.kind.d.Groups[group].Lossless, true) {
				return
			}
			if room, ok := known(p.kind.d.Groups[group].Headroom); ok && room > 0 {
				p.headroom(cos, group, room)
			}
		})
	},
}

// The least that arrives after a pause: the bytes on the cable both ways, and a packet that the neighbour has begun. No cable is faster
// than 4 ns a metre: copper takes 4 to 5, fibre 5. The packet is the one of the templates of the dynamic buffer model
// (LOSSLESS_TRAFFIC_PATTERN, mtu).
const (
	picosPerMetre = 4000
	leastPacket   = 1024
)

// ArrivesAtLeast returns the least bytes that arrive after a pause, for a speed in Mb/s.
func ArrivesAtLeast(speed, metres int) int {
	return 2*metres*picosPerMetre*(speed/8)/1_000_000 + leastPacket
}

// Farthest is the longest cable whose published rows have the whole headroom, in metres: rows for longer ones count on headroom that
// ports share.
const Farthest = 1000

func (p *pass) headroom(cos, group, room int) {
	d := &p.kind.d
	rate, isRate := known(d.Speed)
	metres, isCable := d.Cable.Value, d.Cable.Is == ir.Stated
	speed := int(rate / 1_000_000)
	at := p.at(ir.FieldHeadroom, group)
	switch {
	case !isRate && !isCable:
		p.reach(cos, group, room, fastestPort(p.model()))
		return
	case !isRate || speed <= 0 || speed > Fastest:
		return
	case !isCable || metres <= 0:
		p.reach(cos, group, room, speed)
		return
	case metres > Farthest:
		return
	}
	what := fmt.Sprintf("priority group %d of cos %d keeps %s of headroom, and at %s with a cable of %d m", group, cos, diag.Bytes(room),
		platform.SpeedText(speed), metres)
	if need := ArrivesAtLeast(speed, metres); room < need {
		p.errorf(at, "%s at least %s still arrive after a pause: what is on the cable both ways, and a packet that has begun. The rest is "+
			"dropped.", what, diag.Bytes(need))
		return
	}
	most, likely := arrives(p, cos, group)
	need, source := published(p.model(), speed, metres)
	switch {
	case most > 0 && room >= most: // the fabric counts with this length, and a table with the next one that it has
	case room < likely:
		p.errorf(at, "%s up to %s arrive after a pause, as the fabric counts them. Frames are dropped.", what, diag.Bytes(most))
	case room < need:
		p.errorf(at, "%s the published size is %s (%s). Frames may be lost.", what, diag.Bytes(need), source)
	case room < most:
		p.warnf(at, "%s up to %s arrive after a pause, as the fabric counts them. Frames may be lost.", what, diag.Bytes(most))
	}
}

// arrives returns the bytes that arrive after a pause for the cos that a priority group buffers, at the port of the kind at which they are
// most; 0: no fabric has them.
func arrives(p *pass, cos, group int) (most, likely int) {
	if p.Arrives == nil {
		return 0, 0
	}
	for _, port := range p.kind.ports {
		var all, some int
		for other := range 8 {
			if p.kind.lossless>>other&1 == 1 && int(p.kind.d.Group[other]) == group {
				n, floor := p.Arrives(port, other)
				all, some = all+n, some+floor
			}
		}
		if n, _ := p.Arrives(port, cos); n == 0 {
			return 0, 0 // the fabric does not keep the class lossless
		}
		most, likely = max(most, all), max(likely, some)
	}
	return most, likely
}

// Fastest is in Mb/s; a greater number is no speed.
const Fastest = 1_600_000

// published returns the least headroom that a table has for the model of the device and a cable as long or longer; 0: no table has the
// speed. [platform.Published.Headroom] goes between two lengths, which is an estimate: a switch has the size of the longer one.
func published(m *platform.Switch, speed, metres int) (least int, source string) {
	if m == nil {
		return 0, ""
	}
	tables, _ := m.Published()
	for _, t := range tables {
		for _, row := range t.Rows {
			if row.Speed != speed {
				continue
			}
			for _, f := range row.At {
				if f.Metres >= metres && (least == 0 || f.Bytes < least) {
					least, source = f.Bytes, t.Source()
				}
			}
		}
	}
	return least, source
}

// fastestPort returns the speed of the fastest port of a model, in Mb/s; 0: the model is not known.
func fastestPort(m *platform.Switch) (speed int) {
	if m != nil {
		for _, r := range m.Ports {
			speed = max(speed, r.Speed)
		}
	}
	return speed
}

// reach tells up to which length of cable headroom is enough, where the length is not known.
func (p *pass) reach(cos, group, room, speed int) {
	if speed <= 0 || p.kind.d.Groups[group].Headroom.Is != ir.Stated {
		return
	}
	quanta := platform.PauseQuanta(speed) * platform.QuantumBytes
	mtu := p.kind.d.MTU.Value
	if mtu == 0 {
		mtu = usualMTU
	}
	metres := (room - quanta - 2*mtu) * 792 / speed // 198,000 km/s, both ways: 1/792 byte a metre and Mb/s
	at := p.at(ir.FieldHeadroom, group)
	if metres < 1 {
		p.warnf(at, "priority group %d of cos %d keeps %s of headroom. At %s, frames of %d bytes and the peer's answer alone take more "+
			"than that: "+
			"what comes after a pause is dropped.", group, cos, diag.Bytes(room), platform.SpeedText(speed), mtu)
		return
	}
	p.noticef(at, "no length of cable is stated. The %s of headroom of priority group %d, cos %d, carry %s over at most %s m.",
		diag.Bytes(room), group, cos, platform.SpeedText(speed), diag.Number(metres))
}

// usualMTU is the largest frame of RoCE samples.
const usualMTU = 9216
