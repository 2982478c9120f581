package settings

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Headroom compares the headroom with the bytes that arrive after a pause.
var Headroom = Rule{
	Topic: diag.Topic{Code: "conf-headroom", Summary: "PFC headroom too small"},
	ports: func(p *pass) {
		if p.kind.s.LinkPause {
			return
		}
		for group := range p.kind.d.Groups {
			g := &p.kind.d.Groups[group]
			if !is(g.Lossless, true) || !p.kind.may(group) || slices.Index(p.kind.alike(g), group) != 0 {
				continue
			}
			unreserved(p, group, g)
			switch room, ok := known(g.Headroom); {
			case ok && (room > 0 || g.Headroom.Is == ir.Stated && !g.Xoff.Known()): // otherwise xoff is too high
				headroom(p, group, room)
			case !ok:
				derived(p, group)
			}
		}
	},
}

// The least bytes that arrive after a pause are those on the cable in both directions, and a packet that the neighbour has begun. No cable
// is faster than 4 ns per metre: copper needs 4 to 5, fibre 5. The packet has the size in the templates of the dynamic buffer model
// (LOSSLESS_TRAFFIC_PATTERN, mtu).
const (
	picosPerMetre = 4000
	leastPacket   = 1024
)

// ArrivesAtLeast returns the least bytes that arrive after a pause, for a speed in Mb/s.
func ArrivesAtLeast(speed, metres int) int {
	return 2*metres*picosPerMetre*(speed/8)/1_000_000 + leastPacket
}

// Farthest is the longest cable, in metres, whose published rows contain the whole headroom. Rows for longer cables need headroom that
// ports share.
const Farthest = 1000

// enough is the advice about the least headroom.
const enough = "Keep at least %s."

func headroom(p *pass, group, room int) {
	d := &p.kind.d
	rate, isRate := known(d.Speed)
	metres, isCable := d.Cable.Value, d.Cable.Is == ir.Stated
	speed := int(rate / 1_000_000)
	at := p.at(ir.FieldHeadroom, group)
	switch {
	case !isRate && !isCable:
		p.reach(group, room, fastestPort(p.model()))
		return
	case !isRate && metres > 0:
		speeds(p, group, room, metres)
		return
	case !isRate || speed <= 0 || speed > Fastest || isCable && metres == 0: // another rule reports such a cable
		return
	case !isCable || metres < 0:
		p.reach(group, room, speed)
		return
	case metres > Farthest:
		return
	}
	what := fmt.Sprintf("%s keeps %s of headroom, and at %s with a cable of %d m", groupText(p, group), diag.Bytes(room),
		platform.SpeedText(speed), metres)
	if need := ArrivesAtLeast(speed, metres); room < need {
		tookOver(p, diag.Error, at, "%s at least %s still arrive after a pause: the bytes on the cable in both directions, and a packet that "+
			"has begun. The rest is dropped.", what, diag.Bytes(need))
		return
	}
	most, likely := arrives(p, group)
	need, source := published(p.model(), speed, metres)
	switch {
	case most > 0 && room >= most: // the fabric uses this length, and a table its next longer one
	case room < likely:
		p.errorf(at, "%s up to %s arrive after a pause, as the fabric calculates them. Frames are dropped. "+enough, what,
			diag.Bytes(most), diag.Bytes(most))
	case room < need:
		p.errorf(at, "%s the published size is %s (%s). Frames may be lost. "+enough, what, diag.Bytes(need), source, diag.Bytes(need))
	case room < most:
		p.warnf(at, "%s up to %s arrive after a pause, as the fabric calculates them. Frames may be lost. "+enough, what,
			diag.Bytes(most), diag.Bytes(most))
	}
}

// arrives returns the bytes that arrive after a pause for all cos that a priority group buffers, at the port of the kind with the most; 0:
// no fabric states them.
func arrives(p *pass, group int) (most, likely int) {
	if p.Arrives == nil {
		return 0, 0
	}
	for _, port := range p.kind.ports {
		var all, some int
		for other := range 8 {
			if p.kind.lossless>>other&1 == 1 && int(p.kind.d.Group[other]) == group {
				n, floor := p.Arrives(port, other)
				if n == 0 {
					return 0, 0 // the fabric does not keep the class lossless
				}
				all, some = all+n, some+floor
			}
		}
		most, likely = max(most, all), max(likely, some)
	}
	return most, likely
}

// may reports whether a cos with PFC may fill a priority group.
func (k *kind) may(group int) bool {
	for cos, of := range k.d.Group {
		if k.lossless>>cos&1 == 1 && (of < 0 || int(of) == group) {
			return true
		}
	}
	return !k.s.PausesKnown
}

// alike returns the priority groups with PFC whose settings are equal to g.
func (k *kind) alike(g *ir.GroupSettings) (groups []int) {
	for n := range k.d.Groups {
		if k.d.Groups[n] == *g && k.may(n) {
			groups = append(groups, n)
		}
	}
	return groups
}

// groupText returns the name of a priority group and its cos with PFC, and the other groups with equal settings.
func groupText(p *pass, group int) string {
	var names []string
	for _, n := range p.kind.alike(&p.kind.d.Groups[group]) {
		name := strconv.Itoa(n)
		for cos, of := range p.kind.d.Group {
			if int(of) == n && p.kind.lossless>>cos&1 == 1 {
				name = fmt.Sprintf("%d of cos %d", n, cos)
				break
			}
		}
		names = append(names, name)
	}
	return "priority group " + diag.And(names)
}

// speeds notes headroom that is too small for usual ports, if the speed is not known. Ports of up to 100 Gbit/s are in every rack.
func speeds(p *pass, group, room, metres int) {
	const usual = 100_000
	least := usual
	if fastest := fastestPort(p.model()); fastest > 0 {
		least = fastest
	}
	if room >= ArrivesAtLeast(least, metres) {
		return
	}
	p.noticef(p.at(ir.FieldHeadroom, group), "no speed is stated: %s keeps %s of headroom for a cable of %s m, and at %s at least %s arrive "+
		"after "+
		"a pause. Make the headroom larger, or make sure that the port is slower.", groupText(p, group), diag.Bytes(room), diag.Number(metres),
		platform.SpeedText(least), diag.Bytes(ArrivesAtLeast(least, metres)))
}

// derived judges headroom that a system derives from the cable length: all ports of the kind can need it at once.
func derived(p *pass, group int) {
	d := &p.kind.d
	metres, speed := d.Cable.Value, int(d.Speed.Value/1_000_000)
	if d.Cable.Is != ir.Stated || metres <= 0 || speed > Fastest {
		return
	}
	if !d.Speed.Known() || speed <= 0 {
		speed = 10_000
	}
	each, ports := ArrivesAtLeast(speed, metres), max(len(p.kind.ports), 1)
	memory, what := p.memoryOf(d.Groups[group].Pool)
	if memory > 0 && each > memory/ports {
		p.errorf(p.at(ir.FieldCable, group), "the cable has %s m: at %s at least %s arrive at each of %s after a pause, and %s has %s. Frames "+
			"are "+
			"lost. State the length of the longest real cable.", diag.Number(metres), platform.SpeedText(speed), diag.Bytes(each),
			diag.Count(ports, "port"), what, diag.Bytes(memory))
	}
}

// unreserved judges headroom that is not reserved for a priority group and not shared with other ports.
func unreserved(p *pass, group int, g *ir.GroupSettings) {
	own, isOwn := known(g.Buffer)
	room, isRoom := known(g.Headroom)
	pool, isPool := known(g.Pool)
	if chip := p.chip(); chip == nil || !chip.SizeHasHeadroom() {
		return
	}
	if !isOwn || !isRoom || !isPool || !is(p.Settings.Pools[pool].Shared, 0) || own >= g.Xon.Value+room || room == 0 {
		return
	}
	const text = "%s keeps %s of headroom, which begins at %s: that needs %s, and the group reserves %s, in the pool %s without headroom " +
		"that ports share. Nothing reserves the rest, and packets are dropped after a pause. Make the size of the group larger, or give " +
		"the pool headroom."
	note := p.warnf
	if own < room {
		note = p.errorf
	}
	note(p.at(ir.FieldBuffer, group), text, groupText(p, group), diag.Bytes(room), diag.Bytes(g.Xon.Value), diag.Bytes(g.Xon.Value+room),
		diag.Bytes(own), pool)
}

// Fastest is the largest speed, in Mb/s; a larger number is no speed.
const Fastest = 1_600_000

// published returns the least published headroom for the model of the device and a cable of this length or longer; 0: no row is published.
// [platform.Published.Headroom] interpolates between two lengths, but a switch uses the size of the longer one.
func published(m *platform.Switch, speed, metres int) (least int, source string) {
	if m == nil {
		return 0, ""
	}
	return m.LeastPublished(speed, float64(metres))
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

// reach notes the cable length for which the headroom is enough, if the length is not known.
func (p *pass) reach(group, room, speed int) {
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
		p.warnf(at, "%s keeps %s of headroom. At %s, frames of %d bytes and the peer's reaction alone need more than that: packets after a "+
			"pause are dropped.", groupText(p, group), diag.Bytes(room), platform.SpeedText(speed), mtu)
		return
	}
	p.noticef(at, "no length of cable is stated. The %s of headroom of %s are enough for %s over at most %s m.",
		diag.Bytes(room), groupText(p, group), platform.SpeedText(speed), diag.Number(metres))
}

// usualMTU is the largest frame of RoCE samples.
const usualMTU = 9216
