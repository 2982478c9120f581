package change

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// Beside is what a proof that no PFC loop stands on the way has to be made of.
type Beside struct {
	// Joined is the fabric in which all that is lossless before the change is lossless beside what is to be. What devices hold at any
	// moment of the change is a part of it.
	Joined *ir.Fabric
	Before func() *ir.Fabric // what is lossless before the change: a loop of it is not the change's
	Ended  []int             // cos that are lossless before, and in no group of the fabric; only where they can fill the buffers of others
}

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

// Beside gives what is lossless before a change beside what is to be. Nil: every link and every host that is lossless in a cos before
// is so afterwards, or the other way round, so that all that stands on the way is part of the fabric, or of what was there.
//
// Buffers that stand only before the change have no sizes. What the copies have in common with the fabric is not changed.
func (m *Mixtures) Beside(held []Held) *Beside {
	s := newSides(m, held, false)
	var had [8]extent
	for cos := range had {
		had[cos] = s.had(cos)
	}
	ended := s.ended(had)
	ends, begins := len(ended) > 0, false
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
		return nil
	}
	out := &Beside{Joined: s.copied(had, ended, true), Before: func() *ir.Fabric { return s.copied(had, ended, false) }}
	for _, g := range ended {
		out.Ended = append(out.Ended, g.Cos)
	}
	return out
}

// had gives where a cos is lossless before the change. NICs of a bond use what one of them does.
func (s *sides) had(cos int) extent {
	e := extent{make([]bool, len(s.fabric.Links)), make([]bool, len(s.fabric.Ports))}
	for _, l := range s.fabric.Links {
		if !s.pauses(l.A(), l.B(), cos) && !s.pauses(l.B(), l.A(), cos) {
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

// ended gives groups for the cos that are lossless before the change and in no group of the fabric, those of the same extent once. By
// itself such a class makes no loop that was not there, so it counts only where it can fill the buffers of others.
func (s *sides) ended(had [8]extent) (out []*ir.CosGroup) {
	if !s.fabric.SharesBuffers() {
		return nil
	}
	for cos, e := range had {
		if !e.empty() && !slices.ContainsFunc(s.fabric.CosGroups, func(g *ir.CosGroup) bool { return g.Lossless && g.Cos == cos }) &&
			!slices.ContainsFunc(out, func(g *ir.CosGroup) bool { return had[g.Cos].equal(e) }) {
			out = append(out, &ir.CosGroup{Name: fmt.Sprintf("cos %d before the change", cos), Cos: cos, Lossless: true})
		}
	}
	return out
}

// pauses reports whether a port stops the one at the other end in a cos before the change.
func (s *sides) pauses(p, q *ir.Port, cos int) bool {
	a, b := s.at[Old][p.ID], s.at[Old][q.ID]
	return a != nil && b != nil && (a.Sends&b.Obeys)>>cos&1 == 1
}

// uses reports whether a NIC carries an intent of the group.
func uses(n *ir.NIC, g *ir.CosGroup) bool {
	return slices.ContainsFunc(n.Carries(), func(in *ir.Intent) bool { return in.Group == g })
}

// copied is the fabric with buffers and members of before the change, and with its own if joined.
func (s *sides) copied(had [8]extent, ended []*ir.CosGroup, joined bool) *ir.Fabric {
	f, out := s.fabric, s.fabric.Copy()
	out.CosGroups = append(slices.Clone(f.CosGroups), ended...)
	for i, p := range f.Ports {
		var buffers []*ir.Buffer
		for _, b := range p.Buffers() {
			if joined || had[b.Group.Cos].links[p.Link().ID] {
				buffers = append(buffers, b)
			}
		}
		for _, g := range out.CosGroups {
			if g.Lossless && had[g.Cos].links[p.Link().ID] && p.Carries(g) == nil {
				buffers = append(buffers, &ir.Buffer{Group: g})
			}
		}
		if !slices.Equal(buffers, p.Buffers()) {
			out.Ports[i].SetBuffers(buffers)
		}
	}
	for _, g := range ended {
		out.Intents = append(out.Intents, &ir.Intent{Name: g.Name, Group: g})
	}
	stays := func(in *ir.Intent, n *ir.NIC) bool {
		return joined || !in.Group.Lossless || had[in.Group.Cos].usedBy(n)
	}
	for _, in := range out.Intents {
		in.Members = slices.DeleteFunc(in.Members, func(m *ir.Member) bool { return !stays(in, m.NIC) })
	}
	for _, d := range f.Devices { // in their order
		if d.Host == nil {
			continue
		}
		for i, n := range d.Host.NICs {
			own := out.Devices[d.ID].Host.NICs[i]
			own.Intents = slices.DeleteFunc(own.Intents, func(in *ir.Intent) bool { return !stays(in, n) })
			for _, in := range out.Intents {
				if in.Group.Lossless && had[in.Group.Cos].usedBy(n) && !uses(n, in.Group) {
					in.Members = append(in.Members, &ir.Member{NIC: own, At: n.At})
					own.Intents = append(own.Intents, in)
				}
			}
		}
	}
	out.Routes = routes.New(out)
	return out
}
