package walk

import "github.com/rocec/rocec/compiler/ir"

// This file has the settings on the path of packets. The fabric has their lines, and the bytes that a buffer needs.

// Settings has the settings of devices: those that were read, and the fabric's settings for the other devices. The latter are cached per
// device, so the questions of one fabric should share a Settings.
type Settings struct {
	Read map[*ir.Device]*ir.Settings

	wishes ir.Wishes
	wanted map[*ir.Device]*ir.Settings
}

// Of returns the settings of a port.
func (s *Settings) Of(p *ir.Port) *ir.PortSettings {
	read, known := s.Read[p.Device()]
	if !known {
		return s.meant(p)
	}
	if of := read.Port(p.Name); of != nil {
		return of
	}
	unknown := ir.UnknownPort()
	return &unknown
}

// WasRead reports whether the files of the device of a port were read.
func (s *Settings) WasRead(p *ir.Port) bool { return s.Read[p.Device()] != nil }

// Pauses returns the priorities for which a port sends pauses, and those whose pauses it obeys. known is false if the files of its device
// do not state them.
func (s *Settings) Pauses(p *ir.Port) (sends, obeys uint8, known bool) {
	set := s.Of(p)
	if pfc := set.Detail.Get().PFC; !set.PausesKnown && pfc.Known() {
		return pfc.Value, pfc.Value, true
	}
	return set.Sends, set.Obeys, set.PausesKnown || !s.WasRead(p)
}

// meant returns the fabric's settings of a port.
func (s *Settings) meant(p *ir.Port) *ir.PortSettings {
	d := p.Device()
	if s.wanted[d] == nil {
		if s.wanted == nil {
			s.wanted = map[*ir.Device]*ir.Settings{}
		}
		s.wanted[d] = s.wishes.Of(d)
	}
	return s.wanted[d].Port(p.Name)
}

// sort returns the header fields that a port trusts, and the cos into which it puts a packet. If the fabric has the same result, it
// includes the line. A value that no group claims, and that is in the cos into which rocec puts it, has no group: checks judge it so.
// known is false if the files of the device do not state the cos; it is then the fabric's.
func (s *Settings) sort(p *ir.Port, pkt ir.Packet) (trust ir.Trust, to ir.Sorting, known bool) {
	set, meant := s.Of(p), p.Sort(pkt)
	out := ir.Sorting{Cos: set.Sort(pkt), By: set.Trust.By(pkt)}
	switch {
	case s.WasRead(p) && out.Cos < 0:
		return set.Trust, meant, false
	case out.By == meant.By && (out.Cos == meant.Cos || meant.Cos < 0 && out.Cos == s.meant(p).Sort(pkt)):
		return set.Trust, meant, true
	}
	for _, g := range p.Device().Fabric.CosGroups {
		if g.Cos == out.Cos && (out.Group == nil || g.Lossless) {
			out.Group = g
		}
	}
	return set.Trust, out, true
}

// Room is the buffer of a switch port for a lossless group, in bytes.
type Room struct {
	Size, Xoff, Xon int
	Need, Floor     int  // as in [ir.Buffer]
	Joined          bool // several groups share the buffer, and the bytes are for all of them

	Headroom ir.Setting[int] // if files state the headroom without the sizes
}

// Room returns the buffer of a port for a lossless group. If sized is false, only the need is known. If several groups share a buffer with
// the fabric's sizes, Room returns the part of this group.
func (s *Settings) Room(p *ir.Port, b *ir.Buffer) (r Room, sized bool) {
	r.Need, r.Floor = b.Need, b.Floor
	d := s.Of(p).Detail.Get()
	n := d.Group[b.Group.Cos]
	if n < 0 || p.NIC != nil {
		return r, false
	}
	if !d.Groups[n].Buffer.Known() || !d.Groups[n].Xoff.Known() {
		if s.WasRead(p) {
			r.Headroom = d.Groups[n].Headroom
		}
		return r, false
	}
	g, need, floor, groups := &d.Groups[n], 0, 0, 0
	r.Size, r.Xoff, r.Xon = g.Buffer.Value, g.Xoff.Value, g.Xon.Value
	for _, other := range p.Buffers() {
		if d.Group[other.Group.Cos] == n {
			need, floor, groups = need+other.Need, floor+other.Floor, groups+1
		}
	}
	one := ir.Joined(p)
	switch {
	case groups < 2:
	case one.Size == r.Size && one.Xoff == r.Xoff && max(one.Xoff-one.XonDelta, 0) == r.Xon:
		r.Size, r.Xoff, r.Xon = b.Size.N, b.Xoff.N, b.Xoff.N-b.XonDelta.N
	default:
		r.Need, r.Floor, r.Joined = need, floor, true
	}
	return r, true
}

// Marking returns the thresholds at which a port marks packets of a group. marks is false if it marks none. Unstated thresholds are those
// of the fabric, or zero if files were read.
func (s *Settings) Marking(p *ir.Port, g *ir.CosGroup) (m ir.Marking, marks bool) {
	set := s.Of(p)
	if set.Marks>>g.Cos&1 == 0 {
		return m, false
	}
	d := set.Detail.Get()
	if n := d.Queue[g.Cos]; n >= 0 && d.Queues[n].MarkMin.Known() {
		q := &d.Queues[n]
		return ir.Marking{Min: q.MarkMin.Value, Max: q.MarkMax.Value, Probability: q.Probability.Value}, true
	}
	if s.WasRead(p) {
		return m, true
	}
	return ir.Marked(p)[g.Cos], true
}
