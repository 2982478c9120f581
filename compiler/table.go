package compiler

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// This file resolves tables of next hops, from the strings of the file to ports.
//
// The key of an entry is its destination: an interface or a bond, a host, an IP prefix, a MAC, or a switch with everything attached to it.
// A destination is one address of one interface (or the interface itself, if none of its addresses is known). The keys that match a
// destination, most specific first, describe it completely. So destinations with the same keys on the same devices are one target, and the
// number of targets depends on prefixes, not on hosts. A device's next hops to a target are those of the first of the target's keys for
// which it has an entry.

// maxHops limits the product of devices and targets.
const maxHops = 32 << 20

// maxMistakes limits the reported mistakes of a table; one wrong name often causes thousands.
const maxMistakes = 50

type keyKind int8

// The kinds of keys, most specific first. Prefixes, longest first, come between MACs and switches; a default route is last.
const (
	toInterface keyKind = iota
	toHost
	toPrefix
	toMAC
	toSwitch
)

// key is the destination of an entry.
type key struct {
	kind   keyKind
	id     int32 // index of the interface, Device.ID
	prefix netip.Prefix
	mac    uint64
}

// whole reports whether the key names exactly one destination.
func (k key) whole() bool {
	return k.kind == toInterface || k.kind == toHost || k.kind == toMAC || k.kind == toPrefix && k.prefix.IsSingleIP()
}

// station is a NIC, or the NICs of a bond, with its addresses.
type station struct {
	name    string
	nics    []*ir.NIC
	at      []int32 // IDs of the devices it is attached to, ascending
	ips     []netip.Addr
	macs    []uint64
	targets []int // the targets that it belongs to
}

// tableMaker resolves one table.
type tableMaker struct {
	c        *compiler
	t        *ir.Table
	mistakes int

	stations []*station
	station  map[*ir.NIC]int32
	owner    map[any]int32 // from netip.Addr or uint64 to the station

	keys    map[key]int32
	list    []key            // by number
	numbers map[string]int32 // from the name in the file to the number of the key; -1: an unknown name
	lengths []int            // of the prefixes, longest first

	entries [][]int32 // by Device.ID and target: index of the entry + 1
	rows    map[*ir.Device]int
	suits   [][]int32 // by target: numbers of the keys, most specific first
	fitting []bool    // by key: it matches some destination
}

// table resolves the file of next hops.
func (c *compiler) table() {
	if c.f.Routing != ir.TablePath || c.src.NextHops == nil || c.report.list.HasErrors() {
		return // errors about names would only be consequences of other mistakes
	}
	m := &tableMaker{
		c: c, t: &ir.Table{At: c.src.Fabric.Table.At, File: c.src.NextHops.Name},
		station: map[*ir.NIC]int32{}, owner: map[any]int32{}, keys: map[key]int32{}, numbers: map[string]int32{}, rows: map[*ir.Device]int{},
	}
	rows, file := m.rows, c.src.NextHops
	m.t.Row = func(d *ir.Device) diag.Range {
		i, named := rows[d]
		if !named {
			return diag.Range{}
		}
		return file.At(file.Switches[i].Name)
	}
	m.findStations()
	m.addresses()
	m.readKeys()
	m.targets()
	if m.tooLarge() {
		return
	}
	m.nextHops()
	m.missing()
	if c.report.list.HasErrors() {
		return
	}
	m.follow()
	c.f.Table = m.t
}

// tooLarge reports a table with too many destinations on too many switches.
func (m *tableMaker) tooLarge() bool {
	rows, targets := len(m.c.src.NextHops.Switches), len(m.t.Targets)
	if rows*targets <= maxHops {
		return false
	}
	m.errorf(topicTableTooLarge, m.t.At, "The table has %d switches, and their entries distinguish %d destinations: too many to follow. "+
		"Leave out entries for single addresses that a prefix covers with the same ports.", rows, targets)
	return true
}

// errorf reports a mistake at a place of the file.
func (m *tableMaker) errorf(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	if m.mistakes++; m.mistakes > maxMistakes {
		return &diag.Diagnostic{}
	}
	d := m.c.report.errorf(t, at, "", format, args...)
	if m.mistakes == maxMistakes {
		d.Note(diag.Range{}, "the table is not checked further: correct these mistakes first")
	}
	return d
}

// full reports whether the limit of reported mistakes is reached, so that further places are not needed.
func (m *tableMaker) full() bool { return m.mistakes > maxMistakes }

// findStations makes a station of every cabled NIC or bond.
func (m *tableMaker) findStations() {
	for _, d := range m.c.f.Devices {
		if d.Host == nil {
			continue
		}
		bonds := map[*ir.Bond]int32{}
		for _, n := range d.Host.NICs {
			if n.Port == nil {
				continue
			}
			i := int32(len(m.stations))
			if b := n.Bond; b != nil {
				if first, ok := bonds[b]; ok {
					i = first
				}
				bonds[b] = i
			}
			if int(i) == len(m.stations) {
				s := &station{name: d.Name + ":" + n.Name}
				if n.Bond != nil {
					s.name = d.Name + ":" + n.Bond.Name
				}
				m.stations = append(m.stations, s)
			}
			s := m.stations[i]
			s.nics = append(s.nics, n)
			at := int32(n.Port.Peer().Device().ID)
			if d.Forwards() {
				at = int32(d.ID)
			}
			if !slices.Contains(s.at, at) {
				s.at = append(s.at, at)
				slices.Sort(s.at)
			}
			m.station[n] = i
			if a := n.IP.Addr(); a.IsValid() {
				s.ips = append(s.ips, a)
				if _, taken := m.owner[a]; !taken {
					m.owner[a] = i
				}
			}
		}
	}
}

// addresses adds the addresses of interfaces that the file states.
func (m *tableMaker) addresses() {
	for _, row := range m.c.src.NextHops.Interfaces {
		if m.full() {
			return
		}
		at := func() diag.Range { return m.c.src.NextHops.At(row.Name) }
		i, why := m.interfaceNamed(row.Name.V)
		if why != "" {
			m.errorf(topicTableName, at(), "%s", why)
			continue
		}
		if i < 0 {
			continue // not cabled: no traffic reaches it
		}
		s := m.stations[i]
		for _, a := range row.Addresses {
			ip, mac, ok := parseAddress(a.V)
			var id any = ip
			switch {
			case !ok:
				m.errorf(topicTableName, m.c.src.NextHops.At(a), "%q is not an address. Write an IP address such as \"192.0.2.1\", without a prefix "+
					"length, or a MAC such as \"02:00:00:00:00:01\".", diag.Cut(a.V))
				continue
			case !ip.IsValid():
				id = mac
			}
			if j, taken := m.owner[id]; taken {
				if j != i {
					m.errorf(topicTableTwice, m.c.src.NextHops.At(a), "%s is already an address of %s. Each address has one owner.",
						a.V, m.stations[j].name)
				}
				continue
			}
			m.owner[id] = i
			if ip.IsValid() {
				s.ips = append(s.ips, ip)
			} else {
				s.macs = append(s.macs, mac)
			}
		}
	}
}

// interfaceNamed returns the station of "host:interface", -1 for one that is not cabled, or the reason why it does not exist.
func (m *tableMaker) interfaceNamed(name string) (int32, string) {
	host, nic, ok := strings.Cut(name, ":")
	d := m.c.named[host]
	switch {
	case !ok:
		return 0, fmt.Sprintf("%q names no interface. Write host:interface, such as \"gpu1:ens1f0\".", diag.Cut(name))
	case d == nil:
		return 0, fmt.Sprintf("No host is called %q.%s", diag.Cut(host), m.c.nameNear.hint(host))
	case d.Host == nil:
		return 0, fmt.Sprintf("%q is a switch; addresses and destinations belong to hosts.", host)
	}
	if b := bondOf(d, nic); b != nil {
		for _, n := range b.NICs {
			if i, ok := m.station[n]; ok {
				return i, ""
			}
		}
		return -1, ""
	}
	n := nicOf(d, nic)
	if n == nil {
		return 0, fmt.Sprintf("%s has no nic block %q.%s %s", host, diag.Cut(nic), hint(nic, nicNames(d)), hasNICs(d))
	}
	if i, ok := m.station[n]; ok {
		return i, ""
	}
	return -1, ""
}

// parseAddress reads an IP address, or a MAC with colons or hyphens between its bytes.
func parseAddress(s string) (netip.Addr, uint64, bool) {
	if mac, ok := parseMAC(s); ok {
		return netip.Addr{}, mac, true
	}
	a, err := netip.ParseAddr(s)
	return a.Unmap(), 0, err == nil && a.Zone() == ""
}

func parseMAC(s string) (uint64, bool) {
	if len(s) != 17 {
		return 0, false
	}
	mac := uint64(0)
	for i := range len(s) {
		c := s[i] | 0x20
		switch {
		case i%3 == 2:
			if s[i] != ':' && s[i] != '-' || s[i] != s[2] {
				return 0, false
			}
		case '0' <= s[i] && s[i] <= '9':
			mac = mac<<4 | uint64(s[i]-'0')
		case 'a' <= c && c <= 'f':
			mac = mac<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return mac, true
}

// readKeys numbers the destinations of the entries.
func (m *tableMaker) readKeys() {
	for _, w := range m.c.src.NextHops.Switches {
		for _, e := range w.Entries {
			if _, known := m.numbers[e.To.V]; known {
				continue
			}
			k, why := m.keyOf(e.To.V)
			if why != "" {
				m.numbers[e.To.V] = -1
				if !m.full() {
					m.errorf(topicTableName, m.c.src.NextHops.At(e.To), "%s", why)
				}
				continue
			}
			number, known := m.keys[k]
			if !known {
				number = int32(len(m.list))
				m.keys[k] = number
				m.list = append(m.list, k)
				if k.kind == toPrefix && !slices.Contains(m.lengths, k.prefix.Bits()) {
					m.lengths = append(m.lengths, k.prefix.Bits())
				}
			}
			m.numbers[e.To.V] = number
		}
	}
	slices.SortFunc(m.lengths, func(a, b int) int { return cmp.Compare(b, a) })
}

// keyOf parses a written destination, or returns the reason why it is unknown.
func (m *tableMaker) keyOf(to string) (key, string) {
	if d := m.c.named[to]; d != nil {
		if d.Switch != nil {
			return key{kind: toSwitch, id: int32(d.ID)}, ""
		}
		return key{kind: toHost, id: int32(d.ID)}, ""
	}
	if mac, ok := parseMAC(to); ok {
		return key{kind: toMAC, mac: mac}, ""
	}
	if p, err := netip.ParsePrefix(to); err == nil {
		a := p.Addr()
		if bits := p.Bits(); a.Is4In6() && bits >= 96 {
			p = netip.PrefixFrom(a.Unmap(), bits-96)
		}
		return key{kind: toPrefix, prefix: p.Masked()}, ""
	}
	if a, err := netip.ParseAddr(to); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return key{kind: toPrefix, prefix: netip.PrefixFrom(a, a.BitLen())}, ""
	}
	if strings.Count(to, ":") == 1 {
		i, why := m.interfaceNamed(to)
		return key{kind: toInterface, id: i}, why
	}
	return key{}, fmt.Sprintf("%q is not an address, a prefix or a known name.%s A destination is a prefix or an address, a MAC, a host, "+
		"host:interface, or a switch, which means all that is connected to it.", diag.Cut(to), m.c.nameNear.hint(to))
}

// targets sorts destinations into targets.
func (m *tableMaker) targets() {
	known := map[string]int{}
	m.fitting = make([]bool, len(m.list))
	var sign []byte
	add := func(i int, s *station, keys []int32) {
		sign = sign[:0]
		for _, d := range s.at {
			sign = binary.LittleEndian.AppendUint32(sign, uint32(d))
		}
		sign = binary.LittleEndian.AppendUint32(sign, 1<<31)
		for _, k := range keys {
			sign = binary.LittleEndian.AppendUint32(sign, uint32(k))
		}
		id, ok := known[string(sign)]
		if !ok {
			id = len(m.t.Targets)
			known[string(sign)] = id
			m.t.Targets = append(m.t.Targets, &ir.Target{})
			m.suits = append(m.suits, slices.Clone(keys))
			for _, k := range keys {
				m.fitting[k] = true
			}
		}
		if !slices.Contains(s.targets, id) {
			s.targets = append(s.targets, id)
			m.t.Targets[id].NICs = append(m.t.Targets[id].NICs, s.nics...)
		}
	}
	var keys []int32
	for i, s := range m.stations {
		for j := range max(1, len(s.ips)+len(s.macs)) {
			var ip netip.Addr
			mac, hasMAC := uint64(0), false
			switch {
			case j < len(s.ips):
				ip = s.ips[j]
				if len(s.macs) > 0 {
					mac, hasMAC = s.macs[0], true
				}
			case len(s.macs) > 0:
				mac, hasMAC = s.macs[j-len(s.ips)], true
			}
			keys = m.fits(keys[:0], int32(i), s, ip, mac, hasMAC)
			add(i, s, keys)
		}
	}
}

// fits appends the numbers of the keys that match a destination, most specific first.
func (m *tableMaker) fits(keys []int32, i int32, s *station, ip netip.Addr, mac uint64, hasMAC bool) []int32 {
	try := func(k key) {
		if n, ok := m.keys[k]; ok {
			keys = append(keys, n)
		}
	}
	try(key{kind: toInterface, id: i})
	try(key{kind: toHost, id: int32(s.nics[0].Device.ID)})
	if ip.IsValid() {
		try(key{kind: toPrefix, prefix: netip.PrefixFrom(ip, ip.BitLen())})
	}
	if hasMAC {
		try(key{kind: toMAC, mac: mac})
	}
	if ip.IsValid() {
		for _, bits := range m.lengths {
			if bits > 0 && bits < ip.BitLen() {
				try(key{kind: toPrefix, prefix: netip.PrefixFrom(ip, bits).Masked()})
			}
		}
	}
	for _, d := range s.at {
		try(key{kind: toSwitch, id: d})
	}
	if ip.IsValid() {
		try(key{kind: toPrefix, prefix: netip.PrefixFrom(ip, 0).Masked()})
	}
	return keys
}

// nextHops fills the table: for every device of the file, the ports of its entries and the entry for each target.
func (m *tableMaker) nextHops() {
	n := len(m.c.f.Devices)
	m.t.Hops, m.t.Ports, m.entries = make([][]ir.Entry, n), make([][][]*ir.Port, n), make([][]int32, n)
	entry := make([]int32, len(m.list)) // by key: index of the entry + 1
	set := make([]int, len(m.list))     // by key: its ports
	for wi, w := range m.c.src.NextHops.Switches {
		if m.full() {
			return
		}
		d := m.c.named[w.Name.V]
		if d == nil || !d.Forwards() {
			what := "switch"
			if d != nil {
				what = "switch, and no host that forwards,"
			}
			m.errorf(topicTableName, m.c.src.NextHops.At(w.Name), "No %s is called %q.%s", what, diag.Cut(w.Name.V), m.c.nameNear.hint(w.Name.V))
			continue
		}
		m.rows[d] = wi
		clear(entry)
		p := portFinder{m: m, d: d, sets: map[string]int{}}
		for ei, e := range w.Entries {
			k := m.numbers[e.To.V]
			if k < 0 {
				continue
			}
			if first := entry[k]; first > 0 {
				if !m.full() {
					m.errorf(topicTableTwice, m.c.src.NextHops.At(e.To), "%s has two entries for %s. Put all ports into one.", d.Name, diag.Cut(e.To.V)).
						Note(m.c.src.NextHops.At(w.Entries[first-1].To), "the first one")
				}
				continue
			}
			entry[k] = int32(ei + 1)
			ids := p.ids[:0]
			for _, text := range e.Ports {
				port := p.find(text.V)
				if port == nil || m.fitting[k] && !p.mayLead(port, m.list[k]) {
					if !m.full() {
						m.errorf(topicTablePort, m.c.src.NextHops.At(text), "%s", p.why(text.V, port, e.To.V))
					}
					continue
				}
				if !slices.Contains(ids, uint16(port.Index)) {
					ids = append(ids, uint16(port.Index))
				}
			}
			set[k] = p.set(ids)
		}
		hops, at := make([]ir.Entry, len(m.t.Targets)), make([]int32, len(m.t.Targets))
		for target, keys := range m.suits {
			for i, k := range keys {
				if entry[k] > 0 {
					ports := set[k]
					if m.list[k].kind == toSwitch {
						ports = m.bySwitch(&p, keys[i:], entry, set)
					}
					hops[target], at[target] = ir.NewEntry(ports, m.list[k].whole()), entry[k]
					break
				}
			}
		}
		m.t.Ports[d.ID] = p.list
		m.t.Hops[d.ID], m.entries[d.ID] = hops, at
	}
}

// bySwitch returns the ports of all entries for switches that a target is attached to, because it is reached over any of them. The first of
// keys must have an entry.
func (m *tableMaker) bySwitch(p *portFinder, keys, entry []int32, set []int) int {
	ids, several := p.ids[:0], false
	for i, k := range keys {
		if m.list[k].kind != toSwitch || entry[k] == 0 {
			continue
		}
		several = several || i > 0
		for _, port := range p.list[set[k]] {
			if !slices.Contains(ids, uint16(port.Index)) {
				ids = append(ids, uint16(port.Index))
			}
		}
	}
	if !several {
		return set[keys[0]]
	}
	return p.set(ids)
}

// missing reports switches that the file must name but does not.
func (m *tableMaker) missing() {
	for _, d := range m.c.f.Devices {
		if _, ok := m.rows[d]; ok || !d.Forwards() {
			continue
		}
		for _, p := range d.Ports {
			if g := m.lossless(p.Link()); g != nil && p.Peer().Device().Forwards() {
				file := m.c.src.NextHops
				m.c.report.errorf(topicTableMissing, file.At(file.Key), d.Name, "%s is not in %s, and its link %s to %s carries the lossless "+
					"cos group %q: its routes must be known. Add it here; a switch without routes is written %q: [].",
					d.Name, m.t.File, p.Name, p.Peer(), g.Name, d.Name).Note(d.At, "the switch")
				break
			}
		}
	}
}

// lossless returns a lossless group that the link carries, or nil.
func (m *tableMaker) lossless(l *ir.Link) *ir.CosGroup {
	for _, g := range m.c.f.CosGroups {
		if g.Lossless && m.c.carried[g].has(l) {
			return g
		}
	}
	return nil
}
