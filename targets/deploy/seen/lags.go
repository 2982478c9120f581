package seen

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// lags checks the bonds between switches, separately at each of the two switches. Bridges, spanning tree and the proof of PFC loops treat
// a bond of the fabric as one link. If a switch does not bond the cables, they are several links.
func (j *judge) lags() {
	of := map[int][]*ir.Link{}
	most := 0
	for _, l := range j.f.Links {
		if l.Bond != 0 && !l.Planned {
			of[l.Bond] = append(of[l.Bond], l)
			most = max(most, l.Bond)
		}
	}
	for n := 1; n <= most; n++ {
		links := of[n]
		if len(links) == 0 {
			continue
		}
		a, b := links[0].A().Device(), links[0].B().Device()
		mine, theirs := j.lag(a, links), j.lag(b, links)
		if mine == nil || theirs == nil || (mine.Mode == lacp) == (theirs.Mode == lacp) {
			continue
		}
		p := links[0].A()
		if mine.Mode == lacp { // the switch without LACP is named first
			a, p, mine, theirs = b, links[0].B(), theirs, mine
		}
		j.say(&topicBond, diag.Warning, diag.FirstPlace(links[0].BondAt, links[0].At), p, "%s is in a bond of mode %s; %s on the other side of "+
			"the cable has one of mode %s. One side speaks LACP, and the other does not.", mine.Mode, p.Peer().Device().Name, theirs.Mode)
	}
}

// lag checks one side of a bond, and returns the switch's bond; nil: not read, or not one bond.
func (j *judge) lag(d *ir.Device, links []*ir.Link) *target.SeenBond {
	s := j.of(d)
	if d.Switch == nil || !s.Read(target.PartPorts) || !s.Read(target.PartBonds) {
		return nil
	}
	var ports []*ir.Port
	count := map[string]int{}
	for _, l := range links {
		p := l.A()
		if p.Device() != d {
			p = l.B()
		}
		if sp := j.port(p); sp != nil {
			ports = append(ports, p)
			if s.Bonds[sp.Bond] != nil {
				count[sp.Bond]++
			}
		}
	}
	name := "" // name of the bond that has most of the ports
	for n, k := range count {
		if k > count[name] || k == count[name] && nodeset.Compare(n, name) < 0 {
			name = n
		}
	}
	whole := true
	for _, p := range ports {
		if now := j.port(p).Bond; len(ports) > 1 && (now != name || name == "") {
			whole = false
			j.apart(p, s, name)
		}
	}
	b := s.Bonds[name]
	if b == nil {
		return nil
	}
	j.others(ports, s, name)
	if whole && b.Mode == lacp && !b.Partner {
		for _, p := range ports {
			if j.port(p).Up {
				j.say(&topicBond, diag.Warning, diag.FirstPlace(p.Link().BondAt, p.Link().At), p, "%s is in bond %s, which sees no LACP partner "+
					"on the other side: at most one of its ports passes traffic.", name)
			}
		}
	}
	if !whole {
		return nil
	}
	return b
}

// relied reports whether the proof of PFC loops treats the cables of a bond as one link. It does so for bridged cables with lossless
// traffic. Routes may use either cable in any case.
func relied(p *ir.Port) bool { return !p.Link().Routed && len(p.Buffers()) > 0 }

// apart reports a cable that is not in the bond of the other cables. name is the name of that bond, if any.
func (j *judge) apart(p *ir.Port, s *target.Seen, name string) {
	at := diag.FirstPlace(p.Link().BondAt, p.Link().At)
	where := "no bond"
	if now := j.port(p).Bond; s.Bonds[now] != nil {
		where = "bond " + now + ", and the other cables in " + name
	}
	if relied(p) {
		j.say(&topicBond, diag.Error, at, p, "%s is in %s; by bond = true the cables to the same switch are one link. The verdict on PFC loops "+
			"relies on that: separate bridged cables form a circle. Make them ports of one bond, or remove bond = true.",
			where).refuses = true
		return
	}
	j.say(&topicBond, diag.Warning, at, p, "%s is in %s; by bond = true the cables to the same switch are one link. Make them ports of one "+
		"bond, or remove bond = true.", where)
}

// others reports ports in a bond that the fabric does not have in this bond. If the other side is an MLAG pair, one bond leads to both of
// its switches.
func (j *judge) others(ports []*ir.Port, s *target.Seen, name string) {
	first := ports[0]
	to := first.Peer().Device()
	var more []string
	cabled := false
	for _, other := range s.Bonds[name].Ports {
		i := slices.IndexFunc(first.Device().Ports, func(p *ir.Port) bool { return p.Name == other })
		if i < 0 {
			more = append(more, other)
			continue
		}
		p := first.Device().Ports[i]
		at := p.Peer().Device()
		pair := at.Switch != nil && to.Switch != nil && at.Switch.MLAG != "" && at.Switch.MLAG == to.Switch.MLAG
		if p.Link().Bonded(first.Link()) || pair && p.Link().Bond != 0 {
			continue
		}
		more, cabled = append(more, other), true
	}
	if len(more) == 0 {
		return
	}
	slices.SortFunc(more, nodeset.Compare)
	at := diag.FirstPlace(first.Link().BondAt, first.Link().At)
	const room = 80 // bytes
	with := nodeset.Text(more, nodeset.Interfaces, room)
	if cabled && relied(first) {
		j.say(&topicBond, diag.Error, at, first, "%s is in bond %s with %s, which the fabric has elsewhere. The verdict on PFC loops follows "+
			"the bonds of the fabric. Take the ports out of the bond, or correct the fabric.", name, with).refuses = true
		return
	}
	j.say(&topicBond, diag.Warning, at, first, "%s is in bond %s with %s, which the fabric does not have in this bond. Take the ports out "+
		"of that bond, or correct the fabric.", name, with)
}
