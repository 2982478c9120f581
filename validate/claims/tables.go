package claims

import (
	"fmt"
	"hash/maphash"
	"net/netip"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// This file makes a table of next hops ([ir.Table]) from the forwarding tables of all devices.
//
// Only routes to hosts matter. The prefixes of all devices together form a tree, and an address is known by its longest prefix in it: all
// addresses with the same longest prefix have the same route on every device. So the work is that of devices times prefixes, and not of
// devices times hosts. Destinations with equal next hops on all devices then become one target.

// mostPairs is the largest product of devices and destinations that is followed.
const mostPairs = 64 << 20

// station is a NIC of a host, or the NICs of a bond, with its addresses.
type station struct {
	nics      []*ir.NIC
	at        []int // IDs of the forwarding devices it is attached to, ascending
	addresses []netip.Addr
}

// destination is a set of stations with the same attachments and the same longest prefix.
type destination struct {
	nics    []*ir.NIC
	at      []int
	address netip.Addr // of the first
	node    int32      // of its longest prefix; -1: no device has a prefix for it
	derived bool       // the address is any of a network
}

// tableMaker makes the table. It stops at the first reason against it.
type tableMaker struct {
	f     *ir.Fabric
	of    []*ir.Forwarding
	hops  []*ir.Device // devices with a table
	why   string
	seed  maphash.Seed
	nodes map[netip.Prefix]int32
	list  []netip.Prefix // by node
	above []int32        // by node: the node of the next shorter prefix; -1: none

	destinations []*destination
	table        *ir.Table
	route        []int32 // scratch, by node: the route of the current device; -1: none
}

// running makes the table of next hops of a fabric from what its devices report, or returns the reason why it cannot.
func running(f *ir.Fabric, of []*ir.Forwarding) (*tableMaker, string) {
	m := &tableMaker{f: f, of: of, seed: maphash.MakeSeed(), nodes: map[netip.Prefix]int32{}}
	for _, step := range []func(){m.read, m.prefixes, m.stations, m.fill, m.group} {
		if step(); m.why != "" {
			return nil, m.why
		}
	}
	return m, ""
}

// fail records the first reason against the table.
func (m *tableMaker) fail(format string, args ...any) {
	if m.why == "" {
		m.why = fmt.Sprintf(format, args...)
	}
}

// read finds the devices whose routes the proof needs, and refuses a fabric of which some were not read.
func (m *tableMaker) read() {
	var without []*ir.Device
	for _, d := range joints(m.f) {
		if !m.of[d.ID].Read(ir.PartTables) {
			without = append(without, d)
		}
		m.hops = append(m.hops, d)
	}
	if len(without) > 0 {
		m.fail("the routes of %s of %s are not known (%s)", diag.Number(len(without)), countOf(m.hops), namesOf(without))
	}
}

// prefixes numbers the prefixes of all devices, and links each to the next shorter one.
func (m *tableMaker) prefixes() {
	var lengths [2][129]bool
	for _, d := range m.hops {
		for _, t := range m.of[d.ID].Tables {
			for i := range t.Routes {
				to := t.Routes[i].To
				if _, is := m.nodes[to]; !is && to.IsValid() {
					m.nodes[to] = int32(len(m.list)) //nolint:gosec // fewer than the bytes of the answers
					m.list = append(m.list, to)
					lengths[family(to.Addr())][to.Bits()] = true
				}
			}
		}
	}
	m.above = make([]int32, len(m.list))
	for i, p := range m.list {
		m.above[i] = m.longest(p.Addr(), p.Bits()-1, &lengths[family(p.Addr())])
	}
	m.route = make([]int32, len(m.list))
}

func family(a netip.Addr) int {
	if a.Is4() {
		return 0
	}
	return 1
}

// longest returns the node of the longest prefix of an address with at most so many bits; -1: none.
func (m *tableMaker) longest(a netip.Addr, bits int, lengths *[129]bool) int32 {
	for ; bits >= 0; bits-- {
		if !lengths[bits] {
			continue
		}
		if n, is := m.nodes[netip.PrefixFrom(a, bits).Masked()]; is {
			return n
		}
	}
	return -1
}

// stations finds the hosts, their addresses and their destinations.
func (m *tableMaker) stations() {
	var lengths [2][129]bool
	for _, p := range m.list {
		lengths[family(p.Addr())][p.Bits()] = true
	}
	var unknown []string
	type key struct {
		at   string
		node int32
	}
	known, derived := map[key]*destination{}, map[int32]bool{}
	for _, s := range stationsOf(m.f) {
		any := len(s.addresses) == 0
		if any {
			s.addresses = m.networks(s)
		}
		if len(s.addresses) == 0 {
			unknown = append(unknown, s.nics[0].Device.Name+":"+s.nics[0].Name)
		}
		for _, a := range s.addresses {
			k := key{fmt.Sprint(s.at), m.longest(a, a.BitLen(), &lengths[family(a)])}
			if known[k] == nil {
				known[k] = &destination{at: s.at, address: a, node: k.node}
				m.destinations = append(m.destinations, known[k])
			}
			known[k].nics = append(known[k].nics, s.nics...)
			known[k].derived = known[k].derived || any
			derived[k.node] = derived[k.node] || any
		}
	}
	m.whole(derived)
	if len(unknown) > 0 {
		m.fail("the address of %s is not known: neither the fabric nor the network of a switch at the port states it", diag.Some(unknown, 3))
	}
	if len(m.destinations)*len(m.hops) > mostPairs {
		m.fail("%s on %s exceed the limit of %s pairs", diag.Count(len(m.destinations), "destination"), countOf(m.hops), diag.Number(mostPairs))
	}
}

// stationsOf returns the cabled NICs that are members of an intent. The NICs of a bond are one station.
func stationsOf(f *ir.Fabric) (out []*station) {
	for _, d := range f.Devices {
		if d.Host == nil {
			continue
		}
		bonds := map[*ir.Bond]*station{}
		for _, n := range d.Host.NICs {
			if n.Port == nil || n.Port.Link() == nil || n.Port.Link().Planned || len(n.Carries()) == 0 {
				continue
			}
			s := bonds[n.Bond]
			if n.Bond == nil || s == nil {
				s = &station{}
				out = append(out, s)
				if n.Bond != nil {
					bonds[n.Bond] = s
				}
			}
			s.nics = append(s.nics, n)
			at := n.Port.Peer().Device().ID
			if d.Forwards() {
				at = d.ID
			}
			if !slices.Contains(s.at, at) {
				s.at = append(s.at, at)
				slices.Sort(s.at)
			}
			for _, ip := range []netip.Prefix{n.VLANIP, n.IP} {
				if ip.IsValid() && !slices.Contains(s.addresses, ip.Addr()) {
					s.addresses = append(s.addresses, ip.Addr())
				}
			}
		}
	}
	return out
}

// networks returns an address of each network that a switch has at a port of the station, else behind its bridges. The address represents
// all addresses of the network.
func (m *tableMaker) networks(s *station) (at []netip.Addr) {
	var behind []netip.Addr
	for _, n := range s.nics {
		far := n.Port.Peer()
		r := m.of[far.Device().ID]
		if !r.Read(ir.PartTables) {
			continue
		}
		for _, t := range r.Tables {
			for i := range t.Routes {
				to := &t.Routes[i]
				switch {
				case !to.Connected || to.To.IsSingleIP():
				case slices.Contains(to.Out, far.Name):
					at = append(at, to.To.Addr().Next())
				case to.Odd != "":
					behind = append(behind, to.To.Addr().Next())
				}
			}
		}
	}
	if len(at) == 0 {
		at = behind
	}
	slices.SortFunc(at, netip.Addr.Compare)
	return slices.Compact(at)
}

// whole refuses routes to parts of networks in which any address represents a host: which part has the host is not known.
func (m *tableMaker) whole(derived map[int32]bool) {
	for i := range m.list {
		for n := m.above[i]; n >= 0; n = m.above[n] {
			if derived[n] {
				m.fail("there is a route to %s, a part of the network %s of hosts whose addresses are not known", m.list[i], m.list[n])
				return
			}
		}
	}
}

// fill looks up every destination on every device.
func (m *tableMaker) fill() {
	n := len(m.f.Devices)
	m.table = &ir.Table{
		At: m.f.At, Row: func(d *ir.Device) diag.Range { return d.At }, Hops: make([][]ir.Entry, n), Ports: make([][][]*ir.Port, n),
	}
	for _, d := range m.hops {
		if m.device(d); m.why != "" {
			return
		}
	}
}

// routeAt returns the route of a device, whose routes are in m.route, to a node; nil: no route.
func (m *tableMaker) routeAt(node int32, routes []*ir.ForwardingRoute) *ir.ForwardingRoute {
	for ; node >= 0; node = m.above[node] {
		if i := m.route[node]; i >= 0 {
			return routes[i]
		}
	}
	return nil
}

// device looks up every destination on one device.
func (m *tableMaker) device(d *ir.Device) {
	for i := range m.route {
		m.route[i] = -1
	}
	var routes []*ir.ForwardingRoute
	for _, t := range m.of[d.ID].Tables {
		for i := range t.Routes {
			if node, is := m.nodes[t.Routes[i].To]; is {
				m.route[node] = int32(len(routes)) //nolint:gosec // as above
				routes = append(routes, &t.Routes[i])
			}
		}
	}
	sets := &portSets{d: d, seed: m.seed, known: map[uint64][]int{}}
	hops := make([]ir.Entry, len(m.destinations))
	none := true
	for i, to := range m.destinations {
		r := m.routeAt(to.node, routes)
		if r == nil {
			continue
		}
		none = false
		attached := slices.Contains(to.at, d.ID)
		switch {
		case attached && r.Connected:
			continue // it delivers, whatever the port of the host is
		case r.Connected && to.derived:
			m.fail("%s has the network %s of %s, too, and no route shows how its frames go between switches", d.Name, r.To,
				to.nics[0].Device.Name)
			return
		}
		if r.Odd != "" {
			m.fail("%s sends traffic for %s by a way that its routes do not show: %s", d.Name, to.nics[0].Device.Name, diag.Cut(r.Odd))
			return
		}
		set, unknown := sets.of(r.Out)
		if unknown != "" {
			m.fail("%s sends traffic for %s to %s, where the fabric has no cable", d.Name, to.nics[0].Device.Name, diag.Cut(unknown))
			return
		}
		if attached && !slices.ContainsFunc(sets.list[set], onward) {
			continue // as above
		}
		hops[i] = ir.NewEntry(set, !r.Connected || r.To.IsSingleIP())
	}
	if none && len(m.destinations) > 0 {
		m.fail("%s has no route to any host of the fabric, so its routes do not show where the traffic goes", d.Name)
		return
	}
	m.table.Hops[d.ID], m.table.Ports[d.ID] = hops, sets.list
}

// onward reports whether a port leads to a device that forwards.
func onward(p *ir.Port) bool { return p.Peer().Device().Forwards() }

// portSets are the sets of next-hop ports of one device.
type portSets struct {
	d     *ir.Device
	seed  maphash.Seed
	ports map[string]*ir.Port
	known map[uint64][]int // by the hash of the names: indexes of list
	names [][]string
	list  [][]*ir.Port
}

// of returns the index of the set of ports with these names, or a name that is no cabled port.
func (s *portSets) of(names []string) (index int, unknown string) {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, name := range names {
		h.WriteString(name) //nolint:errcheck // a hash takes everything
		h.WriteByte(0)      //nolint:errcheck // as above
	}
	key := h.Sum64()
	for _, i := range s.known[key] {
		if slices.Equal(s.names[i], names) {
			return i, ""
		}
	}
	if s.ports == nil {
		s.ports = map[string]*ir.Port{}
		for _, p := range s.d.Ports {
			if p.Link() != nil {
				s.ports[p.Name] = p
			}
		}
	}
	set := make([]*ir.Port, 0, len(names))
	for _, name := range names {
		p := s.ports[name]
		if p == nil {
			return 0, name
		}
		if !slices.Contains(set, p) {
			set = append(set, p)
		}
	}
	s.known[key] = append(s.known[key], len(s.list))
	s.names, s.list = append(s.names, names), append(s.list, set)
	return len(s.list) - 1, ""
}

// group makes one target of the destinations that have the same entries on every device and the same attachments.
func (m *tableMaker) group() {
	type step struct {
		class int32
		entry ir.Entry
	}
	class := make([]int32, len(m.destinations))
	first := map[string]int32{}
	for i, to := range m.destinations {
		key := fmt.Sprint(to.at)
		if _, is := first[key]; !is {
			first[key] = int32(len(first)) //nolint:gosec // fewer than destinations
		}
		class[i] = first[key]
	}
	count := len(first)
	for _, d := range m.hops {
		if count == len(m.destinations) {
			break // no two are alike
		}
		next := make(map[step]int32, count)
		for i, entry := range m.table.Hops[d.ID] {
			s := step{class[i], entry}
			c, is := next[s]
			if !is {
				c = int32(len(next)) //nolint:gosec // as above
				next[s] = c
			}
			class[i] = c
		}
		count = len(next)
	}
	m.table.Targets = make([]*ir.Target, count)
	shown := make([]int, count) // by class: a destination
	for i, to := range m.destinations {
		if m.table.Targets[class[i]] == nil {
			m.table.Targets[class[i]] = &ir.Target{}
			shown[class[i]] = i
		}
		t := m.table.Targets[class[i]]
		t.NICs = append(t.NICs, to.nics...)
	}
	for _, d := range m.hops {
		row := make([]ir.Entry, count)
		for c, i := range shown {
			row[c] = m.table.Hops[d.ID][i]
		}
		m.table.Hops[d.ID] = row
	}
}

// routeTo returns the route of a device to a NIC, for a finding; nil: not found.
func (m *tableMaker) routeTo(d *ir.Device, n *ir.NIC) *ir.ForwardingRoute {
	var best *ir.ForwardingRoute
	for _, to := range m.destinations {
		if !slices.Contains(to.nics, n) {
			continue
		}
		for _, t := range m.of[d.ID].Tables {
			for i := range t.Routes {
				if r := &t.Routes[i]; r.To.IsValid() && r.To.Contains(to.address) && (best == nil || r.To.Bits() > best.To.Bits()) {
					best = r
				}
			}
		}
	}
	return best
}
