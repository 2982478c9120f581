package proof

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Change is a possible change of a fabric. Its devices, links and groups are those of the unchanged fabric.
type Change struct {
	Routing ir.Routing         // empty: unchanged
	Tiers   map[*ir.Device]int // new values of switches
	ASN     map[*ir.Device]int // new values of switches
	Peers   []*ir.Link         // links that become peer links

	Bounce *ir.CosGroup   // the lossy group that all Groups of the proof bounce into
	Detour bool           // they bounce into a new lossless group first
	Lossy  []*ir.CosGroup // groups that become lossy

	Without *ir.Link // a cable that is taken out
	Laid    bool     // all planned cables are laid
	Fewer   int      // failures to tolerate, as a reduction

	// Apart has switches whose members get intents separate from those of other members.
	Apart []*ir.Device
}

// Try repeats the proof in the fabric with the change, and returns all its proofs. ok is false if the budget is too small.
func (p *Proof) Try(c Change, b *ir.Budget) (changed *ir.Fabric, proofs []*Proof, free, ok bool) {
	f := p.Fabric
	if !b.Spend(8 * (len(f.Devices) + len(f.Ports) + len(f.Links))) {
		return nil, nil, false, false
	}
	changed = p.change(c)
	about := func(g *ir.CosGroup) bool {
		return slices.ContainsFunc(p.Groups, func(o *ir.CosGroup) bool { return o.Name == g.Name })
	}
	for _, q := range verdicts(changed, b) {
		proofs = append(proofs, q.Proof)
		switch {
		case !slices.ContainsFunc(q.Groups, about) || q.Verdict == Free:
		case q.Verdict == Unknown && b.Left() == 0:
			return nil, nil, false, false
		default:
			return nil, nil, false, true
		}
	}
	return changed, proofs, true, true
}

// change returns a copy of the fabric with the change.
func (p *Proof) change(c Change) *ir.Fabric {
	f := p.Fabric.Copy()
	if c.Routing != "" {
		f.Routing = c.Routing
	}
	for d, tier := range c.Tiers {
		f.Devices[d.ID].Switch.Tier = tier
	}
	for d, asn := range c.ASN {
		f.Devices[d.ID].Switch.ASN = asn
	}
	for _, l := range c.Peers {
		f.Links[l.ID].Peer = true
	}
	if c.Bounce != nil || c.Lossy != nil {
		p.regroup(f, c)
	}
	if c.Apart != nil {
		p.split(f, c.Apart)
	}
	if c.Laid {
		for _, l := range f.Links {
			l.Planned = false
		}
	}
	f.Failures -= c.Fewer
	if c.Without != nil {
		f.Unplug(f.Links[c.Without.ID])
	}
	f.Routes = p.Fabric.Routes.Of(f)
	return f
}

// freeCos returns the highest cos without a group, or 7 if every cos has one.
func freeCos(f *ir.Fabric) int {
	for cos := 7; cos >= 0; cos-- {
		if !slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.Cos == cos }) {
			return cos
		}
	}
	return 7
}

// regroup changes the cos groups of f, a copy of the proof's fabric, and all references to them.
func (p *Proof) regroup(f *ir.Fabric, c Change) {
	own := map[*ir.CosGroup]*ir.CosGroup{}
	f.CosGroups = slices.Clone(f.CosGroups)
	for i, g := range f.CosGroups {
		copied := *g
		copied.Lossless = g.Lossless && !slices.Contains(c.Lossy, g)
		own[g], f.CosGroups[i] = &copied, &copied
	}
	var detour *ir.CosGroup
	if c.Detour {
		detour = &ir.CosGroup{Name: p.Groups[0].Name + "-detour", Cos: freeCos(f), Lossless: true, Bounce: own[c.Bounce]}
		f.CosGroups = append(f.CosGroups, detour)
	}
	for g, copied := range own {
		switch {
		case c.Bounce == nil || !slices.Contains(p.Groups, g):
			copied.Bounce = own[g.Bounce]
		case detour != nil:
			copied.Bounce = detour
		default:
			copied.Bounce = own[c.Bounce]
		}
	}
	for _, in := range f.Intents {
		in.Group, in.CNP = own[in.Group], own[in.CNP]
	}
	alike := map[**ir.Buffer][]*ir.Buffer{} // by first element: ports that share a list share the new one, too
	for _, port := range f.Ports {
		if len(port.Buffers()) == 0 {
			continue
		}
		first := &port.Buffers()[0]
		buffers, known := alike[first]
		if !known {
			for _, b := range port.Buffers() {
				if g := own[b.Group]; g != nil && g.Lossless {
					buffer := *b
					buffer.Group = g
					buffers = append(buffers, &buffer)
				}
			}
			if detour != nil && slices.ContainsFunc(port.Buffers(), func(b *ir.Buffer) bool { return slices.Contains(p.Groups, b.Group) }) {
				buffers = append(buffers, &ir.Buffer{Group: detour})
			}
			alike[first] = buffers
		}
		port.SetBuffers(buffers)
	}
}

// split gives the members on some switches separate intents in f, a copy of the proof's fabric.
func (p *Proof) split(f *ir.Fabric, apart []*ir.Device) {
	var out []*ir.Intent
	for i, in := range p.Fabric.Intents {
		own := f.Intents[i]
		out = append(out, own)
		if !slices.Contains(p.Groups, in.Group) {
			continue
		}
		other := *own
		other.Name += " apart"
		own.Members, other.Members = nil, nil
		for _, m := range in.Members {
			nic := f.Devices[m.NIC.Device.ID].Host.NICs[slices.Index(m.NIC.Device.Host.NICs, m.NIC)]
			if OnAny(m.NIC, apart) {
				other.Members = append(other.Members, &ir.Member{NIC: nic, At: m.At})
			} else {
				own.Members = append(own.Members, &ir.Member{NIC: nic, At: m.At})
			}
		}
		if len(own.Members) == 0 || len(other.Members) == 0 {
			own.Members = append(own.Members, other.Members...)
			continue
		}
		out = append(out, &other)
		for _, m := range other.Members {
			m.NIC.Intents = slices.Clone(m.NIC.Intents)
			m.NIC.Intents[slices.Index(m.NIC.Intents, own)] = &other
		}
	}
	f.Intents = out
}

// OnAny reports whether a NIC, or any NIC of its bond, is cabled to one of the switches.
func OnAny(n *ir.NIC, switches []*ir.Device) bool {
	nics := []*ir.NIC{n}
	if n.Bond != nil {
		nics = n.Bond.NICs
	}
	return slices.ContainsFunc(nics, func(n *ir.NIC) bool {
		return n.Port != nil && slices.Contains(switches, n.Port.Peer().Device())
	})
}
