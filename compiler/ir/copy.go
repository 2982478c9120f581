package ir

import "slices"

// Copy returns a fabric with copies of the devices, ports, links and intents, which may be changed until its routes are computed. It keeps
// the numbers of f (Device.ID, Port.ID, Link.ID), shares its cos groups and sizes, and has no routes.
func (f *Fabric) Copy() *Fabric {
	out := *f
	out.Routes = nil
	out.ports, out.links = f.ports.copy(), f.links.copy()
	devices := make([]Device, len(f.Devices))
	intents := map[*Intent]*Intent{}
	nics, bonds := map[*NIC]*NIC{}, map[*Bond]*Bond{}
	port := func(p *Port) *Port {
		if p == nil {
			return nil
		}
		return out.ports.at(p.slot())
	}
	for _, in := range f.Intents {
		own := *in
		intents[in] = &own
	}
	intent := func(in *Intent) *Intent { return intents[in] }
	for i, d := range f.Devices {
		devices[i] = *d
		own := &devices[i]
		own.Fabric, own.Ports = &out, each(d.Ports, port)
		if d.Switch != nil {
			s := *d.Switch
			own.Switch, s.Intents = &s, each(s.Intents, intent)
		}
		if d.Host == nil {
			continue
		}
		host := *d.Host
		own.Host = &host
		for _, n := range d.Host.NICs {
			nic := *n
			nic.Device, nic.Port, nic.Intents = own, port(n.Port), each(n.Intents, intent)
			nics[n] = &nic
		}
		nic := func(n *NIC) *NIC { return nics[n] }
		for _, b := range d.Host.Bonds {
			bond := *b
			bond.NICs = each(b.NICs, nic)
			bonds[b] = &bond
		}
		host.NICs = each(d.Host.NICs, nic)
		host.Bonds = each(d.Host.Bonds, func(b *Bond) *Bond { return bonds[b] })
		for _, n := range host.NICs {
			n.Bond = bonds[n.Bond]
		}
	}
	out.Accepts = each(f.Accepts, func(a *Accept) *Accept { return a.copy(devices) })
	for slot := range f.links.n {
		out.links.at(slot + 1).fabric = &out
	}
	for _, p := range f.Ports {
		own := port(p)
		own.device, own.NIC = &devices[p.device.ID], nics[p.NIC]
	}
	out.Devices = each(f.Devices, func(d *Device) *Device { return &devices[d.ID] })
	out.Ports = each(f.Ports, port)
	out.Links = each(f.Links, func(l *Link) *Link { return out.links.at(f.ports.at(l.a).link) })
	if f.Root != nil {
		out.Root = &devices[f.Root.ID]
	}
	out.Intents = each(f.Intents, intent)
	for _, in := range out.Intents {
		in.Members = each(in.Members, func(m *Member) *Member { return &Member{NIC: nics[m.NIC], At: m.At} })
	}
	if f.Table != nil {
		table := *f.Table
		table.Targets = each(table.Targets, func(t *Target) *Target {
			return &Target{NICs: each(t.NICs, func(n *NIC) *NIC { return nics[n] })}
		})
		table.Ports = each(table.Ports, func(sets [][]*Port) [][]*Port {
			return each(sets, func(set []*Port) []*Port { return each(set, port) })
		})
		out.Table = &table
	}
	return &out
}

// Unplug removes a cable and its ports from a copy. Links, ports and the ports of their devices get new numbers.
func (f *Fabric) Unplug(l *Link) {
	f.Links = slices.Delete(f.Links, l.ID, l.ID+1)
	for i, l := range f.Links {
		l.ID = i
	}
	for _, p := range []*Port{l.A(), l.B()} {
		if p.NIC != nil {
			p.NIC.Port = nil
		}
		f.Ports = slices.Delete(f.Ports, slices.Index(f.Ports, p), slices.Index(f.Ports, p)+1)
		d := p.device
		d.Ports = slices.Delete(d.Ports, p.Index, p.Index+1)
		for i, other := range d.Ports {
			other.Index = i
		}
		if f.Table == nil {
			continue
		}
		for i, set := range f.Table.Ports[d.ID] {
			f.Table.Ports[d.ID][i] = slices.DeleteFunc(set, func(hop *Port) bool { return hop == p })
		}
	}
	for i, p := range f.Ports {
		p.ID = i
	}
}

// copy returns the block with the devices of another fabric.
func (a *Accept) copy(devices []Device) *Accept {
	own := *a
	own.Devices = each(a.Devices, func(d *Device) *Device { return &devices[d.ID] })
	return &own
}

func each[A, B any](list []A, f func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}
