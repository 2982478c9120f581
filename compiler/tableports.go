package compiler

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// portFinder finds the ports of one device, and numbers the sets of ports that its entries name.
type portFinder struct {
	m     *tableMaker
	d     *ir.Device
	named map[string]*ir.Port
	ids   []uint16
	sign  []byte
	sets  map[string]int
	list  [][]*ir.Port
}

func (p *portFinder) find(name string) *ir.Port {
	if p.named == nil {
		p.named = make(map[string]*ir.Port, len(p.d.Ports))
		for _, q := range p.d.Ports {
			p.named[q.Name] = q
		}
	}
	return p.named[name]
}

// mayLead reports whether traffic with the key may leave by the port: towards a forwarding device, or to the destination itself.
func (p *portFinder) mayLead(port *ir.Port, k key) bool {
	peer := port.Peer()
	if peer.Device().Forwards() {
		return true
	}
	i := p.m.station[peer.NIC]
	s := p.m.stations[i]
	switch k.kind {
	case toInterface:
		return k.id == i
	case toHost:
		return k.id == int32(peer.Device().ID)
	case toSwitch:
		return k.id == int32(p.d.ID)
	case toMAC:
		return slices.Contains(s.macs, k.mac)
	}
	return len(s.ips) == 0 || slices.ContainsFunc(s.ips, k.prefix.Contains) // it may have an unknown address
}

// why explains the mistake in a next-hop port.
func (p *portFinder) why(name string, port *ir.Port, to string) string {
	if port != nil {
		return fmt.Sprintf("%s leads to the host %s, which is not %s and does not forward: the traffic would end there. Name the port towards "+
			"the destination, or, if this host is the destination, list the address under its interface in "+
			"\"addresses\".", port, port.Peer(), diag.Cut(to))
	}
	var names []string
	for _, q := range p.d.Ports {
		names = append(names, q.Name)
	}
	near := hint(name, names).String()
	if near == "" {
		near = " Its cabled ports are " + nodeset.Text(names, nodeset.Interfaces, namesRoom) + "."
	}
	return fmt.Sprintf("%s has no cabled port %q.%s Instead of a bond or a VLAN interface, write the ports that it uses.",
		p.d.Name, diag.Cut(name), near)
}

// set returns the number of a set of ports.
func (p *portFinder) set(ids []uint16) int {
	slices.Sort(ids)
	p.sign = p.sign[:0]
	for _, id := range ids {
		p.sign = binary.LittleEndian.AppendUint16(p.sign, id)
	}
	p.ids = ids
	n, ok := p.sets[string(p.sign)]
	if !ok {
		n = len(p.list)
		ports := make([]*ir.Port, len(ids))
		for i, id := range ids {
			ports[i] = p.d.Ports[id]
		}
		p.sets[string(p.sign)] = n
		p.list = append(p.list, ports)
	}
	return n
}
