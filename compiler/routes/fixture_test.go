package routes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// cabling builds a fabric by hand, for tests of what routes: one lossless group, one intent with every host.
type cabling struct {
	f     *ir.Fabric
	g     *ir.CosGroup
	named map[string]*ir.Device
}

func newCabling(r ir.Routing) *cabling {
	g := &ir.CosGroup{Name: "rdma", Cos: 3, Lossless: true}
	return &cabling{
		f:     &ir.Fabric{Routing: r, FlowControl: ir.PFC, CosGroups: []*ir.CosGroup{g}},
		g:     g,
		named: map[string]*ir.Device{},
	}
}

// device returns the switch, or for a name that begins with h the host, of that name.
func (c *cabling) device(name string) *ir.Device {
	d := c.named[name]
	if d == nil {
		d = &ir.Device{Name: name, Fabric: c.f}
		if name[0] == 'h' {
			d.Host = &ir.Host{}
		} else {
			d.Switch = &ir.Switch{Model: &platform.Switch{}, Tier: 1}
		}
		c.named[name] = d
		c.f.Devices = append(c.f.Devices, d)
	}
	return d
}

// link lays a lossless cable.
func (c *cabling) link(a, b string) *ir.Link {
	l := &ir.Link{ID: len(c.f.Links), Routed: a[0] != 'h' && b[0] != 'h'}
	l.A, l.B = c.port(a, l), c.port(b, l)
	c.f.Links = append(c.f.Links, l)
	return l
}

func (c *cabling) port(name string, l *ir.Link) *ir.Port {
	d := c.device(name)
	p := &ir.Port{ID: len(c.f.Ports), Index: len(d.Ports), Device: d, Link: l, Name: fmt.Sprint("p", len(d.Ports))}
	p.Buffers = []*ir.Buffer{{Group: c.g}}
	if d.Host != nil {
		p.NIC = &ir.NIC{Name: p.Name, Device: d, Port: p}
		d.Host.NICs = append(d.Host.NICs, p.NIC)
	}
	d.Ports = append(d.Ports, p)
	c.f.Ports = append(c.f.Ports, p)
	return p
}

// links lays cables named "a-b c-d".
func (c *cabling) links(s string) *cabling {
	for l := range strings.FieldsSeq(s) {
		a, b, _ := strings.Cut(l, "-")
		c.link(a, b)
	}
	return c
}

// hosts hangs one host on each switch.
func (c *cabling) hosts(switches ...string) *cabling {
	for _, s := range switches {
		c.link("h"+s+fmt.Sprint(len(c.f.Links)), s)
	}
	return c
}

// tiers sets the tier of the switches whose name begins with the letter.
func (c *cabling) tier(prefix string, tier int) *cabling {
	for _, d := range c.f.Devices {
		if d.Switch != nil && strings.HasPrefix(d.Name, prefix) {
			d.Switch.Tier = tier
		}
	}
	return c
}

// fabric numbers the devices, makes every host a member of one RoCEv2 intent and gives the fabric its router.
func (c *cabling) fabric() *ir.Fabric {
	slices.SortFunc(c.f.Devices, func(a, b *ir.Device) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	in := &ir.Intent{Name: "all", Version: 2, Group: c.g}
	for i, d := range c.f.Devices {
		d.ID = i
		if d.Host != nil {
			for _, n := range d.Host.NICs {
				in.Members = append(in.Members, &ir.Member{NIC: n})
			}
		}
	}
	c.f.Intents = []*ir.Intent{in}
	c.f.Routes = New(c.f)
	return c.f
}

// between returns the first cable between two devices.
func (c *cabling) between(a, b string) *ir.Link {
	for _, l := range c.f.Links {
		x, y := l.A.Device.Name, l.B.Device.Name
		if x == a && y == b || x == b && y == a {
			return l
		}
	}
	panic("no link " + a + "-" + b)
}

// size counts the nodes with at least one edge, and the edges, of the buffer dependency graph.
func size(f *ir.Fabric, t *ir.Turns) (nodes, edges int) {
	node := make([]bool, len(f.Ports))
	for turn := range turnsOf(f, t) {
		node[turn.In.ID], node[turn.Out.Peer().ID] = true, true
		edges++
	}
	for _, n := range node {
		if n {
			nodes++
		}
	}
	return nodes, edges
}

func turnsOf(f *ir.Fabric, t *ir.Turns) map[ir.Turn]bool {
	out := map[ir.Turn]bool{}
	for _, in := range f.Ports {
		for _, q := range in.Device.Ports {
			if t.Has(in, q) {
				out[ir.Turn{In: in, Out: q}] = true
			}
		}
	}
	return out
}

// leafSpine is LSa x b of the literature: every leaf has one cable to every spine, hosts on the leaves.
func leafSpine(r ir.Routing, leaves, spines int) *cabling {
	c := newCabling(r)
	for l := range leaves {
		for s := range spines {
			c.link(fmt.Sprint("L", l), fmt.Sprint("S", s))
		}
	}
	c.tier("S", 2)
	for l := range leaves {
		c.hosts(fmt.Sprint("L", l))
	}
	return c
}

// ring is n switches in a circle, a host on each.
func ring(r ir.Routing, n int) *cabling {
	c := newCabling(r)
	for i := range n {
		c.link(fmt.Sprint("R", i), fmt.Sprint("R", (i+1)%n))
	}
	for i := range n {
		c.hosts(fmt.Sprint("R", i))
	}
	return c
}

// grid is a HyperX of n x n (every pair in a row or column joined), or a torus.
func grid(r ir.Routing, n int, torus bool) *cabling {
	c := newCabling(r)
	at := func(x, y int) string { return fmt.Sprintf("H%d%d", x, y) }
	for x := range n {
		for y := range n {
			for k := 1; k < n; k++ {
				if !torus && x+k < n {
					c.link(at(x, y), at(x+k, y))
				}
				if !torus && y+k < n {
					c.link(at(x, y), at(x, y+k))
				}
			}
			if torus {
				c.link(at(x, y), at((x+1)%n, y))
				c.link(at(x, y), at(x, (y+1)%n))
			}
		}
	}
	for x := range n {
		for y := range n {
			c.hosts(at(x, y))
		}
	}
	return c
}

// fullMesh joins every pair of n switches, a host on each.
func fullMesh(r ir.Routing, n int) *cabling {
	c := newCabling(r)
	for i := range n {
		for j := range i {
			c.link(fmt.Sprint("M", j), fmt.Sprint("M", i))
		}
	}
	for i := range n {
		c.hosts(fmt.Sprint("M", i))
	}
	return c
}
