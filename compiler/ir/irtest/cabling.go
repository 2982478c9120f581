// Package irtest builds fabrics for tests and benchmarks: the topologies of the literature, and any cabling by hand.
//
// Devices are created when they are first named; a name that begins with a lower-case h makes a host. Every cable carries the one lossless
// group, and every host is a member of the one intent.
package irtest

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Cabling is an unfinished fabric.
type Cabling struct {
	F     *ir.Fabric
	Group *ir.CosGroup

	named   map[string]*ir.Device
	buffers []*ir.Buffer // the buffers of every port; equal ports share them
}

// Place is a range in fabric.hcl.
func Place(line int) diag.Range {
	r := diag.Range{Filename: "fabric.hcl"}
	r.Start.Line, r.Start.Column, r.Start.Byte = line, 1, 100*line
	r.End = r.Start
	r.End.Byte += 10
	return r
}

// New begins a fabric with one lossless group.
func New(r ir.Routing) *Cabling {
	g := &ir.CosGroup{
		Name: "rdma", Cos: 3, At: Place(10), DSCP: []ir.Claim{{Value: 26, At: Place(12)}},
		PCP: []ir.Claim{{Value: 3, At: Place(13)}}, Lossless: true, LosslessAt: Place(11),
	}
	return &Cabling{
		F: &ir.Fabric{
			Name: "test", At: Place(1), Routing: r, RoutingAt: Place(2), FailuresAt: Place(3), FlowControl: ir.PFC,
			CosGroups: []*ir.CosGroup{g},
		},
		Group:   g,
		named:   map[string]*ir.Device{},
		buffers: []*ir.Buffer{{Group: g}},
	}
}

// Device returns the device with a name, and creates it if it is new.
func (c *Cabling) Device(name string) *ir.Device {
	d := c.named[name]
	if d == nil {
		d = &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: name, Fabric: c.F}
		if name[0] == 'h' {
			d.Host = &ir.Host{}
		} else {
			d.Switch = &ir.Switch{Model: &platform.Switch{ASIC: &platform.ASIC{}}, Tier: 1}
		}
		c.named[name] = d
		c.F.Devices = append(c.F.Devices, d)
	}
	return d
}

// Link lays a lossless cable; between switches it is routed.
func (c *Cabling) Link(a, b string) *ir.Link {
	l := ir.NewLink(c.port(a), c.port(b), ir.Link{ID: len(c.F.Links), LinkFacts: &ir.LinkFacts{At: Place(20)}, Routed: a[0] != 'h' &&
		b[0] != 'h'})
	c.F.Links = append(c.F.Links, l)
	return l
}

func (c *Cabling) port(name string) *ir.Port {
	d := c.Device(name)
	p := ir.NewPort(d, ir.PortSpec{ID: len(c.F.Ports), Index: len(d.Ports), Name: fmt.Sprint("p", len(d.Ports)), Buffers: c.buffers})
	if d.Host != nil {
		p.NIC = &ir.NIC{NICPlaces: &ir.NICPlaces{}, Name: p.Name, Device: d, Port: p, Model: &ir.NICModel{Title: "NIC", V1: true, V2: true}}
		d.Host.NICs = append(d.Host.NICs, p.NIC)
	}
	d.Ports = append(d.Ports, p)
	c.F.Ports = append(c.F.Ports, p)
	return p
}

// Links lays cables named "a-b c-d".
func (c *Cabling) Links(s string) *Cabling {
	for l := range strings.FieldsSeq(s) {
		a, b, _ := strings.Cut(l, "-")
		c.Link(a, b)
	}
	return c
}

// Hosts attaches one host to each switch.
func (c *Cabling) Hosts(switches ...string) *Cabling {
	for _, s := range switches {
		c.Link("h"+s+"x"+fmt.Sprint(len(c.F.Links)), s)
	}
	return c
}

// Tier sets the tier of the switches whose name begins with the prefix.
func (c *Cabling) Tier(prefix string, tier int) *Cabling {
	for _, d := range c.F.Devices {
		if d.Switch != nil && strings.HasPrefix(d.Name, prefix) {
			d.Switch.Tier = tier
		}
	}
	return c
}

// ASN sets the AS number of the switches whose name begins with the prefix.
func (c *Cabling) ASN(prefix string, asn int) *Cabling {
	for _, d := range c.F.Devices {
		if d.Switch != nil && strings.HasPrefix(d.Name, prefix) {
			d.Switch.ASN = asn
		}
	}
	return c
}

// UniqueASNs gives every switch a different AS number.
func (c *Cabling) UniqueASNs() *Cabling {
	for i, d := range c.F.Devices {
		if d.Switch != nil {
			d.Switch.ASN = 4_200_000_001 + i
		}
	}
	return c
}

// Failures sets the number of links that may be down.
func (c *Cabling) Failures(n int) *Cabling {
	c.F.Failures = n
	return c
}

// Rename gives every device the name rename(old).
func (c *Cabling) Rename(rename func(string) string) *Cabling {
	c.named = map[string]*ir.Device{}
	for _, d := range c.F.Devices {
		d.Name = rename(d.Name)
		c.named[d.Name] = d
	}
	return c
}

// Between returns the first cable between two devices.
func (c *Cabling) Between(a, b string) *ir.Link {
	for _, p := range c.Device(a).Ports {
		if p.Peer().Device().Name == b {
			return p.Link()
		}
	}
	panic("irtest: no link " + a + "-" + b)
}

// Cables returns the first cables of "a-b c-d".
func (c *Cabling) Cables(s string) []*ir.Link {
	var out []*ir.Link
	for l := range strings.FieldsSeq(s) {
		a, b, _ := strings.Cut(l, "-")
		out = append(out, c.Between(a, b))
	}
	return out
}

// HostOf returns the name of the first host that is attached to the switch.
func (c *Cabling) HostOf(name string) string {
	for _, p := range c.Device(name).Ports {
		if d := p.Peer().Device(); d.Host != nil {
			return d.Name
		}
	}
	panic("irtest: no host on " + name)
}

// Bounce adds a second lossless group on every cable, into which traffic of the first bounces.
func (c *Cabling) Bounce() *Cabling {
	g := &ir.CosGroup{Name: "detour", Cos: 4, At: Place(30), Lossless: true, LosslessAt: Place(31)}
	c.F.CosGroups = append(c.F.CosGroups, g)
	for _, p := range c.F.Ports {
		p.SetBuffers(append(p.Buffers(), &ir.Buffer{Group: g}))
	}
	c.Group.Bounce = g
	return c
}

// Fabric numbers everything, by the length and then the name of the devices, and makes every host a member of one RoCEv2 intent. Every NIC
// gets an address in a separate subnet, unless the caller has set one. The caller sets the fabric's routes. Call Fabric once, at the end.
func (c *Cabling) Fabric() *ir.Fabric {
	slices.SortFunc(c.F.Devices, func(a, b *ir.Device) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	in := &ir.Intent{Name: "all", At: Place(15), Version: 2, Group: c.Group}
	for i, d := range c.F.Devices {
		d.ID = i
		if d.Host != nil {
			for _, n := range d.Host.NICs {
				in.Members = append(in.Members, &ir.Member{NIC: n})
				n.Intents = []*ir.Intent{in}
				if at := len(in.Members); !n.IP.IsValid() {
					n.IP = netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(at >> 8), byte(at)}), 32)
				}
			}
		}
	}
	for i, p := range c.F.Ports {
		p.ID = i
	}
	for i, l := range c.F.Links {
		l.ID = i
	}
	c.F.Intents = []*ir.Intent{in}
	return c.F
}
