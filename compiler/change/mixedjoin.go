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
			if !s.pauses(l.A, l.B, g.Cos) && !s.pauses(l.B, l.A, g.Cos) {
				continue
			}
			if l.A.Carries(g) == nil || l.B.Carries(g) == nil {
				more[l] = append(more[l], g)
			}
			for _, p := range []*ir.Port{l.A, l.B} {
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
	out := *f
	devices, ports := make([]ir.Device, len(f.Devices)), make([]ir.Port, len(f.Ports))
	links, intents := make([]ir.Link, len(f.Links)), map[*ir.Intent]*ir.Intent{}
	nics, bonds := map[*ir.NIC]*ir.NIC{}, map[*ir.Bond]*ir.Bond{}
	port := func(p *ir.Port) *ir.Port {
		if p == nil {
			return nil
		}
		return &ports[p.ID]
	}
	for _, in := range f.Intents {
		own := *in
		intents[in] = &own
	}
	for i, d := range f.Devices {
		devices[i] = *d
		own := &devices[i]
		own.Fabric, own.Ports = &out, each(d.Ports, port)
		if d.Host == nil {
			continue
		}
		host := *d.Host
		own.Host = &host
		for _, n := range d.Host.NICs {
			nic := *n
			nic.Device, nic.Port = own, port(n.Port)
			nic.Intents = each(n.Intents, func(in *ir.Intent) *ir.Intent { return intents[in] })
			nics[n] = &nic
		}
		for _, b := range d.Host.Bonds {
			bond := *b
			bond.NICs = each(b.NICs, func(n *ir.NIC) *ir.NIC { return nics[n] })
			bonds[b] = &bond
		}
		host.NICs = each(d.Host.NICs, func(n *ir.NIC) *ir.NIC { return nics[n] })
		host.Bonds = each(d.Host.Bonds, func(b *ir.Bond) *ir.Bond { return bonds[b] })
		for _, n := range host.NICs {
			n.Bond = bonds[n.Bond]
		}
	}
	for i, l := range f.Links {
		links[i] = *l
		links[i].A, links[i].B = port(l.A), port(l.B)
	}
	for i, p := range f.Ports {
		ports[i] = *p
		ports[i].Device, ports[i].Link, ports[i].NIC = &devices[p.Device.ID], &links[p.Link.ID], nics[p.NIC]
		for _, g := range more[p.Link] {
			if p.Carries(g) == nil {
				ports[i].Buffers = append(slices.Clip(ports[i].Buffers), &ir.Buffer{Group: g})
			}
		}
	}
	out.Devices = each(f.Devices, func(d *ir.Device) *ir.Device { return &devices[d.ID] })
	out.Ports = each(f.Ports, port)
	out.Links = each(f.Links, func(l *ir.Link) *ir.Link { return &links[l.ID] })
	if f.Root != nil {
		out.Root = &devices[f.Root.ID]
	}
	out.Intents = each(f.Intents, func(in *ir.Intent) *ir.Intent { return intents[in] })
	for _, in := range out.Intents {
		in.Members = each(in.Members, func(m *ir.Member) *ir.Member { return &ir.Member{NIC: nics[m.NIC], At: m.At} })
	}
	for _, d := range f.Devices { // in their order
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			for _, in := range out.Intents {
				if slices.Contains(users[n], in.Group) {
					in.Members = append(in.Members, &ir.Member{NIC: nics[n], At: n.At})
					nics[n].Intents = append(nics[n].Intents, in)
				}
			}
		}
	}
	if f.Table != nil {
		table := *f.Table
		table.Targets = each(table.Targets, func(t *ir.Target) *ir.Target {
			return &ir.Target{NICs: each(t.NICs, func(n *ir.NIC) *ir.NIC { return nics[n] })}
		})
		table.Ports = each(table.Ports, func(sets [][]*ir.Port) [][]*ir.Port {
			return each(sets, func(set []*ir.Port) []*ir.Port { return each(set, port) })
		})
		out.Table = &table
	}
	out.Routes = routes.New(&out)
	return &out
}

// each is what becomes of the elements of a list.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}
