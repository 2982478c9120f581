package validate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// cabling builds a fabric by hand, with one lossless group and one intent of all hosts, and a router of its own that
// enumerates paths: the proof is tested apart from the compiler.
type cabling struct {
	f     *ir.Fabric
	g     *ir.CosGroup
	named map[string]*ir.Device
}

func place(line int) diag.Range {
	r := diag.Range{Filename: "fabric.hcl"}
	r.Start.Line, r.Start.Column, r.Start.Byte = line, 1, 100*line
	r.End = r.Start
	r.End.Byte += 10
	return r
}

func newCabling(r ir.Routing) *cabling {
	g := &ir.CosGroup{Name: "rdma", Cos: 3, At: place(10), DSCP: []ir.Claim{{Value: 26, At: place(12)}}, PCP: []ir.Claim{{Value: 3, At: place(13)}}, Lossless: true, LosslessAt: place(11)}
	return &cabling{
		f: &ir.Fabric{
			Name: "test", At: place(1), Routing: r, RoutingAt: place(2), FailuresAt: place(3), FlowControl: ir.PFC,
			CosGroups: []*ir.CosGroup{g},
		},
		g:     g,
		named: map[string]*ir.Device{},
	}
}

func (c *cabling) device(name string) *ir.Device {
	d := c.named[name]
	if d == nil {
		d = &ir.Device{Name: name, Fabric: c.f}
		if name[0] == 'h' {
			d.Host = &ir.Host{}
		} else {
			d.Switch = &ir.Switch{Model: &platform.Switch{ASIC: &platform.ASIC{}}, Tier: 1}
		}
		c.named[name] = d
		c.f.Devices = append(c.f.Devices, d)
	}
	return d
}

func (c *cabling) link(a, b string) *ir.Link {
	l := &ir.Link{At: place(20), Routed: a[0] != 'h' && b[0] != 'h'}
	l.A, l.B = c.port(a, l), c.port(b, l)
	c.f.Links = append(c.f.Links, l)
	return l
}

func (c *cabling) port(name string, l *ir.Link) *ir.Port {
	d := c.device(name)
	p := &ir.Port{Index: len(d.Ports), Device: d, Link: l, Name: fmt.Sprint("p", len(d.Ports)), Buffers: []*ir.Buffer{{Group: c.g}}}
	if d.Host != nil {
		p.NIC = &ir.NIC{Name: p.Name, Device: d, Port: p, Model: &platform.NIC{Title: "NIC", V1: true, V2: true}}
		d.Host.NICs = append(d.Host.NICs, p.NIC)
	}
	d.Ports = append(d.Ports, p)
	c.f.Ports = append(c.f.Ports, p)
	return p
}

func (c *cabling) links(s string) *cabling {
	for l := range strings.FieldsSeq(s) {
		a, b, _ := strings.Cut(l, "-")
		c.link(a, b)
	}
	return c
}

func (c *cabling) hosts(switches ...string) *cabling {
	for _, s := range switches {
		c.link("h"+s+"x"+fmt.Sprint(len(c.f.Links)), s)
	}
	return c
}

func (c *cabling) tier(prefix string, tier int) *cabling {
	for _, d := range c.f.Devices {
		if d.Switch != nil && strings.HasPrefix(d.Name, prefix) {
			d.Switch.Tier = tier
		}
	}
	return c
}

func (c *cabling) failures(n int) *cabling {
	c.f.Failures = n
	return c
}

// rename gives every device the name new(old).
func (c *cabling) rename(new func(string) string) *cabling {
	for _, d := range c.f.Devices {
		d.Name = new(d.Name)
	}
	return c
}

// fabric numbers everything and gives the fabric its router.
func (c *cabling) fabric() *ir.Fabric {
	slices.SortFunc(c.f.Devices, func(a, b *ir.Device) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	in := &ir.Intent{Name: "all", At: place(15), Version: 2, Group: c.g}
	for i, d := range c.f.Devices {
		d.ID = i
		if d.Host != nil {
			for _, n := range d.Host.NICs {
				in.Members = append(in.Members, &ir.Member{NIC: n})
				n.Intents = []*ir.Intent{in}
			}
		}
	}
	for i, p := range c.f.Ports {
		p.ID = i
	}
	for i, l := range c.f.Links {
		l.ID = i
	}
	c.f.Intents = []*ir.Intent{in}
	c.f.Routes = enumerator{c}
	return c.f
}

// enumerator is a router that lists every path of every pair of members.
type enumerator struct{ *cabling }

func (c enumerator) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) { return c.Turns(g, s) }

// Cuts takes every set of links for one that matters.
func (c enumerator) Cuts(_ []*ir.CosGroup, down []*ir.Link, most int, _ *ir.Budget) ([]ir.Cut, error) {
	var links []*ir.Link
	for _, l := range c.f.Links {
		if l.A.Device.Switch != nil && l.B.Device.Switch != nil && !slices.Contains(down, l) {
			links = append(links, l)
		}
	}
	var out []ir.Cut
	for k := 1; k <= min(most, len(links)); k++ {
		for set := range combinations(links, k) {
			out = append(out, ir.Cut{Links: slices.Clone(set), Alike: 1})
		}
	}
	return out, nil
}

func (c enumerator) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	down := s.Down
	t := &ir.Turns{Group: g, Rows: make([][]uint64, len(c.f.Ports))}
	made := map[ir.Turn][]*ir.Port{}
	t.Witness = func(turns []ir.Turn) []*ir.Flow {
		flows := make([]*ir.Flow, len(turns))
		for i, turn := range turns {
			if ports := made[turn]; ports != nil {
				flows[i] = &ir.Flow{Ports: ports, Groups: slices.Repeat([]*ir.CosGroup{g}, len(ports)/2)}
			}
		}
		return flows
	}
	if c.f.Routing == ir.AnyPath {
		for _, p := range c.f.Ports {
			for _, q := range p.Device.Ports {
				if p.Peer().Device.Switch != nil && q.Peer().Device.Switch != nil && p.Peer().Device != q.Peer().Device {
					t.Add(p, q)
				}
			}
		}
		return t, nil
	}
	if c.f.Routing != ir.ShortestPath && c.f.Routing != ir.UpDown {
		return nil, errors.New("its paths are not followed")
	}
	for _, a := range c.f.Intents[0].Members {
		for _, b := range c.f.Intents[0].Members {
			src, dst := a.NIC.Port, b.NIC.Port
			if src == dst || slices.Contains(down, src.Link) || slices.Contains(down, dst.Link) {
				continue
			}
			for _, path := range c.paths(src, dst, down) {
				for i := 1; i+2 < len(path); i += 2 {
					in, out := path[i], path[i+1]
					if in.Peer().Device.Host == nil && out.Peer().Device.Host == nil {
						t.Add(in, out)
						if made[ir.Turn{In: in, Out: out}] == nil {
							made[ir.Turn{In: in, Out: out}] = path
						}
					}
				}
			}
		}
	}
	return t, nil
}

func (c *cabling) paths(src, dst *ir.Port, down []*ir.Link) [][]*ir.Port {
	end := dst.Peer().Device
	dist := map[*ir.Device]int{end: 0}
	for queue := []*ir.Device{end}; len(queue) > 0; queue = queue[1:] {
		for _, p := range queue[0].Ports {
			n := p.Peer().Device
			if _, known := dist[n]; !known && n.Switch != nil && !slices.Contains(down, p.Link) {
				dist[n] = dist[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
	var all [][]*ir.Port
	var walk func(path []*ir.Port, falling bool)
	walk = func(path []*ir.Port, falling bool) {
		at := path[len(path)-1].Device
		if at == end {
			all = append(all, append(slices.Clone(path), dst.Peer(), dst))
			return
		}
		for _, p := range at.Ports {
			n := p.Peer().Device
			if n.Switch == nil || slices.Contains(down, p.Link) {
				continue
			}
			falls := falling || n.Switch.Tier <= at.Switch.Tier
			if c.f.Routing == ir.ShortestPath && dist[n] != dist[at]-1 ||
				c.f.Routing == ir.UpDown && (falling && n.Switch.Tier >= at.Switch.Tier || n == path[len(path)-1].Peer().Device) {
				continue
			}
			walk(append(slices.Clone(path), p, p.Peer()), falls)
		}
	}
	walk([]*ir.Port{src, src.Peer()}, false)
	return all
}

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

func mesh(r ir.Routing, n int) *cabling {
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

func torus(r ir.Routing, n int) *cabling {
	c := newCabling(r)
	at := func(x, y int) string { return fmt.Sprintf("T%d%d", x%n, y%n) }
	for x := range n {
		for y := range n {
			c.link(at(x, y), at(x+1, y))
			c.link(at(x, y), at(x, y+1))
		}
	}
	for x := range n {
		for y := range n {
			c.hosts(at(x, y))
		}
	}
	return c
}

// pods is a 5-stage Clos: pods of two top-of-rack switches and one aggregation switch a plane, spines by plane.
func pods(r ir.Routing, pods, planes, spines int) *cabling {
	c := newCabling(r)
	for p := range pods {
		for a := range planes {
			for t := range 2 {
				c.link(fmt.Sprintf("T%d%d", p, t), fmt.Sprintf("A%d%d", p, a))
			}
			for s := range spines {
				c.link(fmt.Sprintf("A%d%d", p, a), fmt.Sprintf("S%d%d", a, s))
			}
		}
	}
	c.tier("A", 2).tier("S", 3)
	for p := range pods {
		c.hosts(fmt.Sprintf("T%d0", p), fmt.Sprintf("T%d1", p))
	}
	return c
}
