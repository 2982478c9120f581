package walk

import "github.com/rocec/rocec/compiler/ir"

// The settings that packets meet. The fabric has their lines, and the bytes that a buffer needs.

// Settings is how devices are set: as was read of them, and the others as the fabric means them. The latter is found out once for each
// device, so the questions of one fabric should share one.
type Settings struct {
	Read map[*ir.Device]*ir.Settings

	wishes ir.Wishes
	wanted map[*ir.Device]*ir.Settings
}

// Of returns how a port is set.
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

// Pauses returns the priorities that a port sends pauses for, and those whose pauses it obeys. Not known: the files of its device do not
// state them.
func (s *Settings) Pauses(p *ir.Port) (sends, obeys uint8, known bool) {
	set := s.Of(p)
	if pfc := set.Detail.Get().PFC; !set.PausesKnown && pfc.Known() {
		return pfc.Value, pfc.Value, true
	}
	return set.Sends, set.Obeys, set.PausesKnown || !s.WasRead(p)
}

// meant returns how the fabric means a port.
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

// sort returns the header fields that a port trusts, and the cos that it puts a packet in. Where the fabric means it so, it has the line.
// A value that no group claims, and that is put where rocec puts it, is in no group: checks judge it so. Not known: the files of the device
// do not state it, and the cos is the one that the fabric means.
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

// Room is the buffer that a port of a switch has for a lossless group, in bytes.
type Room struct {
	Size, Xoff, Xon int
	Need, Floor     int  // as in [ir.Buffer]
	Joined          bool // it is the one of several groups, and so are the bytes

	Headroom ir.Setting[int] // where files state it without the sizes
}

// Room returns the buffer that a port has for a lossless group. Not sized: the bytes are not known, and the need
// alone is returned. Where several groups have one buffer, and it is as the fabric means it, Room returns the part of this group.
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

// Marking returns from which lengths of a queue on a port marks packets of a group; not marks: it marks none. Lengths that nothing states
// are those that the fabric means, and zero where files were read.
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
