package change

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// Graph computes the state of a fabric while devices are away. It is safe for use by one goroutine at a time.
type Graph struct {
	fabric  *ir.Fabric
	router  *routes.Router
	demands []*demand
	hosts   [][]*ir.Device // by Device.ID of a forwarding device: the hosts attached to it, by ID
	shared  []bool         // by Device.ID of a forwarding device: one of its hosts is attached to another device, too
	laid    []bool         // by Link.ID: the cable is laid, not just planned
}

// demand is a set of members that all send to one another, and the devices where they are attached.
type demand struct {
	members   []member
	places    routes.Places
	place     []int32 // by Device.ID: its index in places; -1: none
	described *routes.Widths
	scratch   *routes.Widths
}

// member is one address that sends and receives: a NIC, or a bond with all its ports.
type member struct {
	host    *ir.Device
	ports   []*ir.Port
	reserve bool // it uses one of the ports, and which one is unknown
}

// activeBackup is the mode of a bond that uses one of its ports.
const activeBackup = "active-backup"

// NewGraph returns the graph of a fabric. It has no planned cables, except those in up, which were found to be connected.
func NewGraph(f *ir.Fabric, up ...*ir.Link) *Graph {
	g := &Graph{fabric: f, router: routes.New(f), hosts: make([][]*ir.Device, len(f.Devices))}
	g.laid = make([]bool, len(f.Links))
	for _, l := range f.Links {
		g.laid[l.ID] = !l.Planned
	}
	for _, l := range up {
		g.laid[l.ID] = true
	}
	g.shared = make([]bool, len(f.Devices))
	for _, h := range f.Devices {
		var first *ir.Device
		for _, p := range h.Ports {
			d := p.Peer().Device()
			if !g.laid[p.Link().ID] || h.Forwards() || !d.Forwards() || slices.Contains(g.hosts[d.ID], h) {
				continue
			}
			if g.hosts[d.ID] = append(g.hosts[d.ID], h); first == nil {
				first = d
			} else {
				g.shared[first.ID], g.shared[d.ID] = true, true
			}
		}
	}
	known := map[*ir.NIC]bool{} // NICs in a demand
	for _, in := range f.Intents {
		var nics []*ir.NIC
		for _, m := range in.Members {
			nics = append(nics, m.NIC)
		}
		if t := g.demandOf(nics, in.Version == 1); t != nil {
			g.demands = append(g.demands, t)
			for _, n := range nics {
				known[n] = true
			}
		}
	}
	var all []*ir.NIC
	others := false
	for _, d := range f.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			all = append(all, n)
			others = others || !known[n] && n.Port != nil && g.laid[n.Port.Link().ID]
		}
	}
	if others { // their peers are not described: any host may be one
		if t := g.demandOf(all, false); t != nil {
			g.demands = append(g.demands, t)
		}
	}
	return g
}

// demandOf returns the demand of NICs, in the order of their hosts; nil: fewer than two members. Bridged: no device routes between them.
func (g *Graph) demandOf(nics []*ir.NIC, bridged bool) *demand {
	t := &demand{place: make([]int32, len(g.fabric.Devices))}
	for i := range t.place {
		t.place[i] = -1
	}
	bonds := map[*ir.Bond]bool{}
	for _, n := range nics {
		switch {
		case n.Bond == nil || n.Bond.Mode == activeBackup && n.Bond.NICs == nil:
			t.join(g.laid, false, n.Port)
		case !bonds[n.Bond]: // in an active-backup bond, the other port takes over
			bonds[n.Bond] = true
			var ports []*ir.Port
			for _, leg := range n.Bond.NICs {
				ports = append(ports, leg.Port)
			}
			t.join(g.laid, n.Bond.Mode == activeBackup, ports...)
		}
	}
	if len(t.members) < 2 {
		return nil
	}
	for _, m := range t.members {
		for _, p := range m.ports {
			t.place[placeOf(p).ID] = 0
		}
	}
	t.places.Bridged = bridged
	for _, d := range g.fabric.Devices {
		if t.place[d.ID] == 0 {
			t.place[d.ID] = int32(len(t.places.Devices))
			t.places.Devices = append(t.places.Devices, d)
		}
	}
	return t
}

// join adds a member with those of the ports that are cabled.
func (t *demand) join(laid []bool, reserve bool, ports ...*ir.Port) {
	ports = slices.DeleteFunc(ports, func(p *ir.Port) bool { return p == nil || !laid[p.Link().ID] })
	if len(ports) > 0 {
		t.members = append(t.members, member{ports[0].Device(), ports, reserve})
	}
}

// placeOf is the device where a port's traffic enters the network: its peer, or the host itself if it forwards.
func placeOf(p *ir.Port) *ir.Device {
	if p.Device().Forwards() {
		return p.Device()
	}
	return p.Peer().Device()
}

// Living is a fabric in its current state.
type Living struct {
	*Graph
	down    []bool // by Link.ID
	lone    map[*ir.Device]bool
	demands []*living
	dark    []int // by Device.ID: an upper bound of the hosts with a NIC that is attached only to the device
}

// living is a demand in its current state.
type living struct {
	*demand
	classes []*class
	at      [][]int32 // by place: the classes attached to it
	widths  *routes.Widths
}

// class is a set of members that are attached to the same places, both as described and now.
type class struct {
	hosts     []*ir.Device // each once, by ID
	described []int32      // places
	living    []int32
	reserve   bool // each uses one of the places, and which one is unknown
}

// Living returns the fabric in the state a.
func (g *Graph) Living(a Alive) (*Living, error) {
	l := &Living{Graph: g, down: g.missing(), lone: map[*ir.Device]bool{}, dark: make([]int, len(g.fabric.Devices))}
	for _, link := range a.Down {
		l.down[link.ID] = true
	}
	for _, d := range a.Lone {
		l.lone[d] = true
	}
	for _, t := range g.demands {
		if t.described == nil {
			w, err := g.router.Widths(t.places, g.missing(), nil)
			if err != nil {
				return nil, err
			}
			t.described = w
		}
		w, err := g.router.Widths(t.places, l.down, nil)
		if err != nil {
			return nil, err
		}
		lt := &living{demand: t, widths: w}
		lt.classify(l.down)
		l.demands = append(l.demands, lt)
	}
	l.countDark()
	return l, nil
}

// missing reports, by Link.ID, the cables that are only planned.
func (g *Graph) missing() []bool {
	down := make([]bool, len(g.laid))
	for i, laid := range g.laid {
		down[i] = !laid
	}
	return down
}

// classify sorts the members by where they are attached.
func (t *living) classify(down []bool) {
	index := map[string]*class{}
	var key []byte
	for _, m := range t.members {
		var described, now []int32
		for _, p := range m.ports {
			at := t.place[placeOf(p).ID]
			described = append(described, at)
			if p.Device().Forwards() || !down[p.Link().ID] {
				now = append(now, at)
			}
		}
		key = key[:0]
		if m.reserve {
			key = append(key, '!')
		}
		for _, list := range []*[]int32{&described, &now} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
			for _, v := range *list {
				key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
			}
			key = append(key, '/')
		}
		c := index[string(key)]
		if c == nil {
			c = &class{described: described, living: now, reserve: m.reserve}
			index[string(key)] = c
			t.classes = append(t.classes, c)
		}
		if n := len(c.hosts); n == 0 || c.hosts[n-1] != m.host { // members are in order of hosts
			c.hosts = append(c.hosts, m.host)
		}
	}
	t.at = make([][]int32, len(t.places.Devices))
	for i, c := range t.classes {
		for _, v := range c.living {
			t.at[v] = append(t.at[v], int32(i))
		}
	}
}

// countDark counts, by device, the hosts that lose a NIC if the device fails.
func (l *Living) countDark() {
	last := make([]*ir.Device, len(l.dark)) // by device: the host counted last; members are in the order of hosts
	for _, t := range l.demands {
		for _, c := range t.classes {
			if len(c.described) > 1 || len(c.living) == 0 {
				continue
			}
			d := t.places.Devices[c.living[0]]
			for _, h := range c.hosts {
				if last[d.ID] != h {
					last[d.ID] = h
					l.dark[d.ID]++
				}
			}
		}
	}
}
