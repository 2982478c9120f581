package change

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// Joined is the fabric in which all that is lossless before the change is lossless beside what is to be: what a proof that no PFC loop
// stands on the way has to be made of. Nil: the fabric's own proof covers it, as every link and every host that is lossless in a cos
// before is so afterwards. A cos that is no more lossless afterwards makes no loop that was not there.
//
// Buffers that stand only before the change have no sizes. What the copy has in common with the fabric is not changed.
func (m *Mixtures) Joined(held []Held) *ir.Fabric {
	s := newSides(m, held, false)
	more := map[*ir.Link][]*ir.CosGroup{}
	users := map[*ir.NIC][]*ir.CosGroup{}
	for _, g := range s.fabric.CosGroups {
		if !g.Lossless {
			continue
		}
		for _, l := range s.fabric.Links {
			if !s.pauses(l.A(), l.B(), g.Cos) && !s.pauses(l.B(), l.A(), g.Cos) {
				continue
			}
			if l.A().Carries(g) == nil || l.B().Carries(g) == nil {
				more[l] = append(more[l], g)
			}
			for _, p := range []*ir.Port{l.A(), l.B()} {
				if p.NIC != nil && !slices.ContainsFunc(p.NIC.Carries(), func(in *ir.Intent) bool { return in.Group == g }) {
					users[p.NIC] = append(users[p.NIC], g)
				}
			}
		}
	}
	if len(more) == 0 && len(users) == 0 {
		return nil
	}
	return copied(s.fabric, more, users)
}

// pauses reports whether a port stops the one at the other end in a cos before the change.
func (s *sides) pauses(p, q *ir.Port, cos int) bool {
	a, b := s.at[Old][p.ID], s.at[Old][q.ID]
	return a != nil && b != nil && (a.Sends&b.Obeys)>>cos&1 == 1
}

// copied is a fabric with other buffers and members.
func copied(f *ir.Fabric, more map[*ir.Link][]*ir.CosGroup, users map[*ir.NIC][]*ir.CosGroup) *ir.Fabric {
	out := f.Copy()
	for i, p := range f.Ports {
		own := out.Ports[i]
		for _, g := range more[p.Link()] {
			if p.Carries(g) == nil {
				own.SetBuffers(append(slices.Clip(own.Buffers()), &ir.Buffer{Group: g}))
			}
		}
	}
	for _, d := range f.Devices { // in their order
		if d.Host == nil {
			continue
		}
		for i, n := range d.Host.NICs {
			own := out.Devices[d.ID].Host.NICs[i]
			for _, in := range out.Intents {
				if slices.Contains(users[n], in.Group) {
					in.Members = append(in.Members, &ir.Member{NIC: own, At: n.At})
					own.Intents = append(own.Intents, in)
				}
			}
		}
	}
	out.Routes = routes.New(out)
	return out
}
