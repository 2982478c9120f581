package change

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// extent is where a class is lossless.
type extent struct {
	links []bool // by Link.ID
	users []bool // by Port.ID, of NICs
}

func (e extent) empty() bool { return !slices.Contains(e.links, true) }

func (e extent) equal(o extent) bool {
	return slices.Equal(e.links, o.links) && slices.Equal(e.users, o.users)
}

// usedBy reports whether a NIC of the fabric, or of a copy, uses the class.
func (e extent) usedBy(n *ir.NIC) bool { return n.Port != nil && e.users[n.Port.ID] }

// Beside returns a fabric in which the groups that are lossless before a change stay lossless in addition to the new ones. A proof that no
// PFC loop can form during the change needs this fabric, because it contains the settings of devices at any moment of the change. If a cos
// has no group in the new fabric and can fill the buffers of other groups, Beside makes a group for it; ended lists these cos. joined is
// nil if the change only adds lossless links and hosts, or only removes them: then every mixture is part of the new fabric or of the old
// settings.
//
// The settings of devices do not show which hosts communicated. Hosts that keep a class are assumed to communicate as the fabric's intents
// say. Hosts that leave it are assumed to communicate with all members of every intent of which a member used the class.
//
// Buffers that exist only before the change have no sizes. Data that the copy shares with the fabric is not changed.
func (m *Mixtures) Beside(held []Held) (joined *ir.Fabric, ended []int) {
	s := newSides(m, held, false)
	var had [8]extent
	for cos := range had {
		had[cos] = s.had(cos)
	}
	groups := s.ended(had)
	ends, begins := len(groups) > 0, false
	for _, g := range s.fabric.CosGroups {
		if !g.Lossless {
			continue
		}
		for _, l := range s.fabric.Links {
			a, b := l.A().Carries(g) != nil, l.B().Carries(g) != nil
			ends = ends || had[g.Cos].links[l.ID] && !(a && b)
			begins = begins || !had[g.Cos].links[l.ID] && (a || b)
			for _, p := range []*ir.Port{l.A(), l.B()} {
				if p.NIC != nil {
					is, was := uses(p.NIC, g), had[g.Cos].usedBy(p.NIC)
					ends, begins = ends || was && !is, begins || is && !was
				}
			}
		}
	}
	if !ends || !begins {
		return nil, nil
	}
	for _, g := range groups {
		ended = append(ended, g.Cos)
	}
	return s.joined(had, groups), ended
}

// had returns the extent of a cos that is lossless before the change. If one NIC of a bond uses the cos, all its NICs do.
func (s *sides) had(cos int) extent {
	e := extent{make([]bool, len(s.fabric.Links)), make([]bool, len(s.fabric.Ports))}
	unread := around(s, cos)
	for _, l := range s.fabric.Links {
		if !s.pauses(l.A(), l.B(), cos) && !s.pauses(l.B(), l.A(), cos) && !unread[l.ID] {
			continue
		}
		e.links[l.ID] = true
		for _, p := range []*ir.Port{l.A(), l.B()} {
			if p.NIC == nil {
				continue
			}
			e.users[p.ID] = true
			if p.NIC.Bond == nil {
				continue
			}
			for _, other := range p.NIC.Bond.NICs {
				if other.Port != nil {
					e.users[other.Port.ID] = true
				}
			}
		}
	}
	return e
}

// around returns the links of devices with unknown old settings that may be lossless in a cos. An unread device is assumed to have the
// settings of its neighbours: a link to it is lossless if the other end is lossless. Unread devices that are cabled to each other share the
// settings of all their neighbours.
func around(s *sides, cos int) []bool {
	out := make([]bool, len(s.fabric.Links))
	unread := func(d *ir.Device) bool { return s.held[d.ID].Old == nil }
	var holds []*ir.Device // unread devices that may have the cos
	seen := make([]bool, len(s.fabric.Devices))
	add := func(d *ir.Device) {
		if !seen[d.ID] {
			seen[d.ID] = true
			holds = append(holds, d)
		}
	}
	for _, l := range s.fabric.Links {
		for _, p := range []*ir.Port{l.A(), l.B()} {
			at := s.at[Old][p.Peer().ID]
			if !unread(p.Device()) || at == nil || (at.Sends|at.Obeys)>>cos&1 == 0 || at.LinkPause {
				continue
			}
			out[l.ID] = true
			add(p.Device())
		}
	}
	for len(holds) > 0 {
		d := holds[0]
		holds = holds[1:]
		for _, p := range d.Ports {
			if q := p.Peer().Device(); unread(q) {
				out[p.Link().ID] = true
				add(q)
			}
		}
	}
	return out
}

// ended returns a group for each cos that is lossless before the change and has no group in the fabric. Cos with the same extent share one
// group. Such a class alone makes no new loop, so it counts only if it can fill the buffers of other classes.
func (s *sides) ended(had [8]extent) (out []*ir.CosGroup) {
	if !s.fabric.SharesBuffers() {
		return nil
	}
	for cos, e := range had {
		if !e.empty() && !slices.ContainsFunc(s.fabric.CosGroups, func(g *ir.CosGroup) bool { return g.Lossless && g.Cos == cos }) &&
			!slices.ContainsFunc(out, func(g *ir.CosGroup) bool { return had[g.Cos].equal(e) }) {
			out = append(out, &ir.CosGroup{Name: fmt.Sprint("cos ", cos), Cos: cos, Lossless: true})
		}
	}
	return out
}

// pauses reports whether a port's pauses of a cos stop its peer before the change.
func (s *sides) pauses(p, q *ir.Port, cos int) bool {
	a, b := s.at[Old][p.ID], s.at[Old][q.ID]
	return a != nil && b != nil && (a.Sends&b.Obeys)>>cos&1 == 1
}

// uses reports whether a NIC carries an intent of the group.
func uses(n *ir.NIC, g *ir.CosGroup) bool {
	return slices.ContainsFunc(n.Carries(), func(in *ir.Intent) bool { return in.Group == g })
}

// mostJoined limits the members that join adds to existing intents. In a group of thousands of intents, hosts that leave become members of
// one additional intent instead.
const mostJoined = 1 << 20

// joined returns the fabric with the old lossless buffers and the ended groups added.
func (s *sides) joined(had [8]extent, ended []*ir.CosGroup) *ir.Fabric {
	f, out := s.fabric, s.fabric.Copy()
	out.CosGroups = append(slices.Clone(f.CosGroups), ended...)
	for i, p := range f.Ports {
		buffers := slices.Clip(p.Buffers())
		for _, g := range out.CosGroups {
			if g.Lossless && had[g.Cos].links[p.Link().ID] && p.Carries(g) == nil {
				buffers = append(buffers, &ir.Buffer{Group: g})
			}
		}
		if len(buffers) > len(p.Buffers()) {
			out.Ports[i].SetBuffers(buffers)
		}
	}
	for _, g := range out.CosGroups {
		if !g.Lossless {
			continue
		}
		var users, leave []*ir.NIC // of the copy, in the order of its devices
		for _, d := range f.Devices {
			if d.Host == nil {
				continue
			}
			for i, n := range d.Host.NICs {
				if !had[g.Cos].usedBy(n) {
					continue
				}
				own := out.Devices[d.ID].Host.NICs[i]
				if users = append(users, own); !uses(n, g) {
					leave = append(leave, own)
				}
			}
		}
		if len(leave) > 0 {
			join(out, g, had[g.Cos], users, leave)
		}
	}
	out.Routes = routes.New(out)
	return out
}

// join makes NICs that leave a group communicate with the members of its intents that have used it.
func join(f *ir.Fabric, g *ir.CosGroup, had extent, users, leave []*ir.NIC) {
	var into []*ir.Intent
	for _, in := range f.Intents {
		if in.Group == g && slices.ContainsFunc(in.Members, func(m *ir.Member) bool { return had.usedBy(m.NIC) }) {
			into = append(into, in)
		}
	}
	if many := len(into)*len(leave) > mostJoined; many || len(into) == 0 {
		if many {
			leave = users
		}
		into = []*ir.Intent{{Name: g.Name + " before the change", Group: g}}
		f.Intents = append(f.Intents, into[0])
	}
	for _, in := range into {
		for _, n := range leave {
			in.Members = append(in.Members, &ir.Member{NIC: n, At: n.At})
			n.Intents = append(n.Intents, in)
		}
	}
}
