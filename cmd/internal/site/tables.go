package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/forwarding"
)

// tableFile is the name of the table of next hops in the folder of the fabric.
const tableFile = "next-hops.json"

// hopTable is the table of next hops of a fabric, from the answers of its switches.
type hopTable struct {
	text     []byte // in the form of docs/tables.md
	families []int  // families of addresses with routes
	derived  int    // ports of hosts whose address no file shows, which get one of their network
}

// hopMaker makes the table of next hops. It stops at the first reason against the table.
type hopMaker struct {
	*hopTable
	by       map[string]*targets.Surveyed // by name in the fabric
	switches []*hopSwitch                 // in the order of the fabric
	at       map[*ir.Device]*hopSwitch
	stations []*hopStation
	owner    map[netip.Addr]*hopStation       // nil: the address belongs to a switch
	networks map[netip.Prefix]map[string]bool // networks of interfaces above a bridge, with their switches
	inside   map[netip.Prefix]netip.Addr      // networks with a derived address, and the next address to try
	why      string
}

// hopStation is a port of a host with its addresses.
type hopStation struct {
	nic       *ir.NIC
	on        *hopSwitch
	addresses []netip.Addr
}

// tables makes the table of next hops of a fabric from the routes that its switches print. It returns nil if no file has routes, or with
// a part of a sentence that states why no table is possible. It needs all routes of each switch, and an address of each port of a host.
func tables(f *ir.Fabric, s *targets.Survey) (t *hopTable, why string) {
	m := &hopMaker{
		hopTable: &hopTable{}, by: map[string]*targets.Surveyed{}, at: map[*ir.Device]*hopSwitch{}, owner: map[netip.Addr]*hopStation{},
		networks: map[netip.Prefix]map[string]bool{}, inside: map[netip.Prefix]netip.Addr{},
	}
	for i := range s.Devices {
		m.by[topology.FoldDevice(s.Devices[i].Name)] = &s.Devices[i]
	}
	if !m.read(f) {
		return nil, m.why
	}
	for _, step := range []func(f *ir.Fabric){m.index, m.addresses, m.derive, m.single, m.follow, m.write} {
		if step(f); m.why != "" {
			return nil, m.why
		}
	}
	return m.hopTable, ""
}

// fail records the first reason against the table.
func (m *hopMaker) fail(format string, args ...any) {
	if m.why == "" {
		m.why = fmt.Sprintf(format, args...)
	}
}

// read finds the switches and their routes. A family of addresses counts if every switch has its routes. If only some switches have them,
// the routing is unknown.
func (m *hopMaker) read(f *ir.Fabric) bool {
	var have [2]int
	unread := ""
	for _, d := range f.Devices {
		if d.Switch == nil {
			continue
		}
		w := &hopSwitch{device: d, read: m.by[d.Name], ports: map[string]*ir.Port{}, way: map[netip.Prefix]*way{}}
		if w.read == nil {
			w.read = &targets.Surveyed{}
		}
		for family, routes := range w.read.Routes {
			if routes != nil {
				have[family]++
			}
		}
		if w.read.Unrouted != "" && unread == "" {
			unread = "; " + d.Name + "/" + w.read.Unrouted
		}
		m.switches, m.at[d] = append(m.switches, w), w
	}
	all := len(m.switches)
	for family, n := range have {
		if n > 0 && n < all {
			m.fail("no file has the %s routes of %s; files of %d of %s have them%s", familyNames[family], withoutRoutes(m.switches, family), n,
				diag.Count(all, "switch"), diag.Escape(unread))
		}
		if n == all {
			m.families = append(m.families, family)
		}
	}
	if len(m.families) == 0 && unread != "" {
		m.fail("no table of a switch was read%s", diag.Escape(unread))
	}
	return m.why == "" && len(m.families) > 0
}

// withoutRoutes names the switches without routes of a family.
func withoutRoutes(switches []*hopSwitch, family int) string {
	var names []string
	for _, w := range switches {
		if w.read.Routes[family] == nil {
			names = append(names, w.device.Name)
		}
	}
	return diag.Some(names, 3)
}

var familyNames = [2]string{"IPv4", "IPv6"}

// index finds the routes of switches by their prefixes, the ports with cables, and the networks behind bridges.
func (m *hopMaker) index(*ir.Fabric) {
	for _, w := range m.switches {
		for _, p := range w.device.Ports {
			if p.Link() != nil && !p.Link().Planned {
				w.ports[p.Name] = p
			}
		}
		w.routes = map[netip.Prefix]*forwarding.Route{}
		for _, family := range m.families {
			routes := w.read.Routes[family]
			for i := range routes.List {
				r := &routes.List[i]
				w.routes[r.To] = r
				if bits := r.To.Bits(); !slices.Contains(w.lengths[family], bits) {
					w.lengths[family] = append(w.lengths[family], bits)
				}
			}
			slices.SortFunc(w.lengths[family], func(a, b int) int { return b - a })
			for _, a := range routes.Own {
				m.owner[a] = nil
			}
		}
		for _, is := range w.read.Interfaces {
			for _, a := range is.Addresses {
				m.owner[a] = nil
			}
		}
		for _, family := range m.families {
			for i := range w.read.Routes[family].List {
				if r := &w.read.Routes[family].List[i]; r.Connected && !r.To.IsSingleIP() && w.wayOf(r).bridge {
					w.bridged = append(w.bridged, r.To)
					if m.networks[r.To] == nil {
						m.networks[r.To] = map[string]bool{}
					}
					m.networks[r.To][w.device.Name] = true
				}
			}
		}
	}
}

// addresses sets the addresses of ports of hosts, from the files of the hosts: of the interface, of its bond, and of VLANs on either. An
// address of several ports belongs to the first.
func (m *hopMaker) addresses(f *ir.Fabric) {
	for _, d := range f.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			if n.Port == nil || n.Port.Link() == nil || n.Port.Link().Planned {
				continue
			}
			w := m.at[n.Port.Peer().Device()]
			if w == nil {
				continue
			}
			st := &hopStation{nic: n, on: w}
			if read := m.by[d.Name]; read != nil {
				for _, a := range addressesOf(read.Interfaces, n.Name) {
					if _, taken := m.owner[a]; !taken && slices.Contains(m.families, forwarding.FamilyOf(a)) {
						m.owner[a] = st
						st.addresses = append(st.addresses, a)
					}
				}
			}
			m.stations = append(m.stations, st)
		}
	}
}

// addressesOf returns the addresses of an interface.
func addressesOf(all forwarding.Interfaces, name string) (out []netip.Addr) {
	is := all[name]
	if is == nil {
		return nil
	}
	holders := []string{name}
	if is.Bond != "" {
		holders = append(holders, is.Bond)
	}
	for _, holder := range holders {
		if on := all[holder]; on != nil {
			out = append(out, on.Addresses...)
		}
	}
	var vlans []string
	for vlan, on := range all {
		if on.Under != "" && slices.Contains(holders, on.Under) {
			vlans = append(vlans, vlan)
		}
	}
	slices.Sort(vlans)
	for _, vlan := range vlans {
		out = append(out, all[vlan].Addresses...)
	}
	return out
}

// derive sets an address for ports of hosts without one: any address in the network of the switch at that port. Without such a network it
// sets one address of each network behind the bridges of the switch. The choice makes no difference, see single.
func (m *hopMaker) derive(*ir.Fabric) {
	var without []string
	for _, st := range m.stations {
		if len(st.addresses) > 0 {
			continue
		}
		m.derived++
		for _, network := range m.networksAt(st) {
			if a := m.free(network); a.IsValid() {
				m.owner[a] = st
				st.addresses = append(st.addresses, a)
			}
		}
		if len(st.addresses) == 0 {
			without = append(without, st.nic.Device.Name+":"+st.nic.Name)
		}
	}
	if len(without) > 0 {
		m.fail("no file shows an address of %s, or the network of the switch there", diag.Some(without, 3))
	}
}

// networksAt returns the networks that a switch has at the port of a host.
func (m *hopMaker) networksAt(st *hopStation) (out []netip.Prefix) {
	far := st.nic.Port.Peer()
	for _, family := range m.families {
		for i := range st.on.read.Routes[family].List {
			r := &st.on.read.Routes[family].List[i]
			if r.Connected && !r.To.IsSingleIP() && slices.Contains(st.on.wayOf(r).ports, far) {
				out = append(out, r.To)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	return st.on.bridged
}

// free returns an unused address of a network; the zero Addr: all are used.
func (m *hopMaker) free(network netip.Prefix) netip.Addr {
	a, begun := m.inside[network]
	if !begun {
		if a = network.Addr(); a.BitLen()-network.Bits() > 1 {
			a = a.Next() // the first address names the network
		}
	}
	for ; network.Contains(a); a = a.Next() {
		if _, taken := m.owner[a]; !taken {
			m.inside[network] = a.Next()
			return a
		}
	}
	m.inside[network] = a
	return netip.Addr{}
}

// single refuses routes to a part of a network in which the address of a host is derived.
func (m *hopMaker) single(*ir.Fabric) {
	var lengths [2][]int
	for network := range m.inside {
		family := forwarding.FamilyOf(network.Addr())
		if !slices.Contains(lengths[family], network.Bits()) {
			lengths[family] = append(lengths[family], network.Bits())
		}
	}
	for _, w := range m.switches {
		for _, family := range m.families {
			for i := range w.read.Routes[family].List {
				to := w.read.Routes[family].List[i].To
				if st, is := m.owner[to.Addr()]; to.IsSingleIP() && is && st == nil {
					continue // of a switch itself
				}
				for _, bits := range lengths[family] {
					if bits >= to.Bits() {
						continue
					}
					if _, is := m.inside[netip.PrefixFrom(to.Addr(), bits).Masked()]; is {
						m.fail("%s has a route to a part of a network of hosts, and no file shows which of them have these addresses", w.device.Name)
						return
					}
				}
			}
		}
	}
}

// mostLookups is the maximum number of pairs of a switch and an address that are looked up.
const mostLookups = 32 << 20

// follow finds, for each address on each switch, the route and its ports. Only these routes become entries.
func (m *hopMaker) follow(*ir.Fabric) {
	addresses := 0
	for _, st := range m.stations {
		addresses += len(st.addresses)
	}
	if addresses*len(m.switches) > mostLookups {
		m.fail("%s on %s exceed the limit for lookups in tables", diag.Count(addresses, "address"), diag.Count(len(m.switches), "switch"))
		return
	}
	for _, w := range m.switches {
		needed := map[netip.Prefix]bool{}
		for _, st := range m.stations {
			for _, a := range st.addresses {
				r := w.best(a)
				if st.on == w {
					m.own(st, r)
					if r != nil && r.To.IsSingleIP() && !slices.Contains(w.wayOf(r).ports, st.nic.Port.Peer()) {
						m.reach(w, r, st)
						needed[r.To] = true
					}
				} else if r != nil {
					m.reach(w, r, st)
					needed[r.To] = true
				}
				if m.why != "" {
					return
				}
			}
		}
		for _, family := range m.families {
			for i := range w.read.Routes[family].List {
				if to := w.read.Routes[family].List[i].To; needed[to] {
					w.entries = append(w.entries, to)
				}
			}
		}
	}
}

// own refuses an address of a host that the host's switch does not route to it: the host may be in another VRF, or have another switch as
// its gateway.
func (m *hopMaker) own(st *hopStation, r *forwarding.Route) {
	is := &way{}
	if r != nil {
		is = st.on.wayOf(r)
	}
	far := st.nic.Port.Peer()
	switch {
	case r != nil && r.Connected && is.bridge && len(m.networks[r.To]) > 1:
		m.fail("%s has a network behind a VLAN interface that another switch has, too, and no file shows how its frames go between them",
			st.on.device.Name)
	case r != nil && (r.Connected && is.bridge || slices.Contains(is.ports, far)):
	default:
		m.fail("%s has no route to %s:%s at its own port", st.on.device.Name, st.nic.Device.Name, st.nic.Name)
	}
}

// reach refuses a route to a host of another switch if the ports of the route are unknown, or it leads to another host.
func (m *hopMaker) reach(w *hopSwitch, r *forwarding.Route, st *hopStation) {
	is := w.wayOf(r)
	to := st.nic.Device.Name + ":" + st.nic.Name
	switch {
	case is.why != "":
		m.fail("%s sends traffic for %s to %s", w.device.Name, to, diag.Escape(is.why))
	case is.bridge:
		m.fail("%s sends traffic for %s to a VLAN interface, and no file shows the ports behind it", w.device.Name, to)
	}
	for _, p := range is.ports {
		if peer := p.Peer().Device(); peer.Host != nil && peer != st.nic.Device {
			m.fail("%s sends traffic for %s to another host, %s", w.device.Name, to, peer.Name)
		}
	}
}

// write writes the table.
func (m *hopMaker) write(*ir.Fabric) {
	var b bytes.Buffer
	quote := func(s string) {
		text, _ := json.Marshal(s) //nolint:errcheck // of a string
		b.Write(text)
	}
	row := func(i int) { b.WriteString(map[bool]string{true: "\n", false: ",\n"}[i == 0]) }
	fmt.Fprintf(&b, "{\n  \"format_version\": %q,\n  \"addresses\": {", nexthops.Version)
	for i, st := range m.stations {
		row(i)
		b.WriteString("    ")
		quote(st.nic.Device.Name + ":" + st.nic.Name)
		b.WriteString(": [")
		for k, a := range st.addresses {
			b.WriteString(map[bool]string{true: "", false: ", "}[k == 0])
			quote(a.String())
		}
		b.WriteByte(']')
	}
	b.WriteString("\n  },\n  \"switches\": {")
	for i, w := range m.switches {
		row(i)
		b.WriteString("    ")
		quote(w.device.Name)
		b.WriteString(": [")
		for k, to := range w.entries {
			row(k)
			var names []string
			for _, p := range w.way[to].ports {
				names = append(names, fmt.Sprintf("%q", p.Name))
			}
			fmt.Fprintf(&b, "      { \"to\": %q, \"ports\": [%s] }", to.String(), strings.Join(names, ", "))
		}
		b.WriteString(map[bool]string{true: "]", false: "\n    ]"}[len(w.entries) == 0])
		if b.Len() > nexthops.MaxFile {
			m.fail("the table of next hops would be larger than %d MiB", nexthops.MaxFile>>20)
			return
		}
	}
	b.WriteString("\n  }\n}\n")
	m.text = b.Bytes()
}
