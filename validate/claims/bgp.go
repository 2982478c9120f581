package claims

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
)

// bgp judges what switches report of BGP: their AS numbers and sessions, what they accept and announce.
//
// The number of equal paths that a switch uses is no assumption: package routes judges every choice between equal paths, and a switch that
// uses fewer of them takes fewer turns.
func (j *judging) bgp() {
	for _, d := range j.f.Devices {
		r := j.of[d.ID]
		if r == nil || r.BGP == nil { // an answer that is read in part can contradict, too
			continue
		}
		if d.Switch != nil {
			j.number(d, r.BGP)
			j.announced(d, r.BGP)
		}
		j.policies(d, r.BGP)
		for i := range r.BGP.Peers {
			if p := &r.BGP.Peers[i]; p.Up {
				j.session(d, r.BGP, p, peerName(p))
			}
		}
	}
}

// number compares the AS number of a switch with the fabric.
func (j *judging) number(d *ir.Device, b *ir.ForwardingBGP) {
	want := uint32(d.Switch.ASN) //nolint:gosec // the language bounds it to 32 bits
	if want == 0 || b.AS == want {
		return
	}
	runs := fmt.Sprintf("BGP with AS number %d", b.AS)
	if b.AS == 0 {
		runs = "no BGP in the default VRF"
	}
	j.add(d, &topicNumber, j.severity(proof.ASNumbers), fmt.Sprintf("%s runs %s, and the fabric says %d.", here, runs, want), proof.ASNumbers)
}

// announced judges the routes that a switch announces and that no neighbour brought.
func (j *judging) announced(d *ir.Device, b *ir.ForwardingBGP) {
	for _, p := range b.Static {
		switch covers, known := j.covers(p); {
		case covers:
			j.add(d, &topicStatic, j.severity(proof.ASNumbers), fmt.Sprintf("%s announces %s, which contains hosts of the fabric, from a static "+
				"route or another protocol: the check of AS paths does not see where that route came from.", here, p), proof.ASNumbers)
		case !known:
			j.doubt(d, "it announces routes of other protocols, and the addresses of hosts are not known", proof.ASNumbers)
		}
	}
	for _, a := range b.Aggregates {
		if !a.Discard {
			j.add(d, &topicAggregate, j.severity(proof.Aggregates), fmt.Sprintf("%s announces the aggregate %s and has no route that drops "+
				"packets without a longer prefix. Packets for a part that is gone follow a shorter route, such as a default route, back up.",
				here, a.Prefix), proof.Aggregates)
		}
	}
}

// covers reports whether a prefix contains the address of a host of the fabric, and whether the addresses of all hosts are known.
func (j *judging) covers(p netip.Prefix) (covers, known bool) {
	known = true
	for _, d := range hosts(j.f) {
		for _, n := range d.Host.NICs {
			switch {
			case n.Port == nil || n.Bond != nil && !n.IP.IsValid():
			case !n.IP.IsValid():
				known = false
			case p.Contains(n.IP.Addr()):
				return true, true
			}
		}
	}
	return false, known
}

// peerName returns the name of a neighbour: its port, or its address.
func peerName(p *ir.ForwardingPeer) string {
	if p.Port == "" {
		return p.Address.String()
	}
	return diag.Cut(p.Port)
}

// policies judges what a device accepts from its neighbours and what its policies change. A spine often treats all its leaves alike, so
// neighbours with the same treatment are one finding.
func (j *judging) policies(d *ir.Device, b *ir.ForwardingBGP) {
	allows, prepends := map[int][]string{}, []string(nil)
	for i := range b.Peers {
		p := &b.Peers[i]
		if p.AllowsAS > 0 {
			allows[p.AllowsAS] = append(allows[p.AllowsAS], peerName(p))
		}
		if p.Prepends {
			prepends = append(prepends, peerName(p))
		}
		if p.Policy != "" {
			j.doubt(d, "the effect of its policy "+diag.Cut(p.Policy)+" is not known", proof.ASNumbers, proof.NoPrepending)
		}
	}
	found := func(topic *diag.Topic, code proof.AssumptionCode, format string, args ...any) {
		j.add(d, topic, j.severity(code), here+fmt.Sprintf(format, args...), code)
	}
	for _, often := range slices.Sorted(maps.Keys(allows)) {
		found(&topicAllowAS, proof.ASNumbers, " accepts routes that contain its own AS number (allowas-in %d), from its %s. So routes may "+
			"lead up again after they led down.", often, neighbours(allows[often]))
	}
	if len(prepends) > 0 {
		found(&topicPrepending, proof.NoPrepending, " makes AS paths longer in its routes with the %s. So a longer path of cables may count "+
			"as shorter.", neighbours(prepends))
	}
}

// neighbours returns the neighbours of a device for a finding: "neighbours at swp[1-3]".
func neighbours(names []string) string {
	return diag.Plural(len(names), "neighbour", "neighbours") + " at " + nodeset.Text(names, nodeset.Interfaces, mostNamed)
}

// session compares an established session with the cables.
func (j *judging) session(d *ir.Device, b *ir.ForwardingBGP, p *ir.ForwardingPeer, name string) {
	if p.AS != 0 && p.AS == b.AS && d.Switch != nil {
		j.add(d, &topicSession, j.severity(proof.NoIBGP), fmt.Sprintf("%s has a session inside of its AS %d (iBGP), to the neighbour "+
			"at %s.", here, p.AS, name), proof.NoIBGP)
		return
	}
	if p.Port == "" {
		if p.AS != 0 && !slices.ContainsFunc(d.Ports, func(q *ir.Port) bool { return numberAt(q) == p.AS }) && d.Switch != nil &&
			numbered(j.f) && !slices.ContainsFunc(d.Ports, toHost) {
			j.add(d, &topicSession, diag.Warning, fmt.Sprintf("%s has a session with %s of AS %d, and no device of that AS is cabled to it.", here,
				name, p.AS))
		}
		return
	}
	q := portNamed(d, p.Port)
	if q == nil || q.Link() == nil {
		return // a port that is not in the fabric leads elsewhere
	}
	far := q.Peer().Device()
	switch {
	case far.Switch != nil && far.Switch.ASN != 0 && p.AS != 0 && p.AS != uint32(far.Switch.ASN): //nolint:gosec // as above
		j.add(far, &topicNumber, j.severity(proof.ASNumbers), fmt.Sprintf("%s runs BGP with AS number %d by its neighbour %s, and the fabric "+
			"says %d.", here, p.AS, d.Name, far.Switch.ASN), proof.ASNumbers)
	case far.Host != nil && !far.Host.Forwards && attachments(far) > 1:
		j.add(far, &topicHost, diag.Warning, fmt.Sprintf("%s has a BGP session with a switch, and cables to several. If it announces routes of "+
			"one switch to another, traffic passes through it. A host that forwards has forwards = true.", here), proof.HostsDrain)
	}
}

// numberAt returns the AS number of the switch at the other end of a cable; 0: none.
func numberAt(p *ir.Port) uint32 {
	if p.Link() == nil || p.Peer().Device().Switch == nil {
		return 0
	}
	return uint32(p.Peer().Device().Switch.ASN) //nolint:gosec // as above
}

// toHost reports whether a port has a cable to a host, whose AS number the fabric does not have.
func toHost(p *ir.Port) bool { return p.Link() != nil && p.Peer().Device().Host != nil }

// attachments counts the ports by which a host could forward from one to another: the ports of one bond are one.
func attachments(d *ir.Device) int {
	n, bonds := 0, map[*ir.Bond]bool{}
	for _, p := range d.Ports {
		switch {
		case p.Link() == nil:
		case p.NIC == nil || p.NIC.Bond == nil:
			n++
		case !bonds[p.NIC.Bond]:
			bonds[p.NIC.Bond] = true
			n++
		}
	}
	return n
}
