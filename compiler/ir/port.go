package ir

import "github.com/rocec/rocec/lang/diag"

// Port is a cabled port of a switch, or a NIC's port. [NewPort] makes one. Ports and links are in slabs of their fabric and refer to each
// other by slot. So the garbage collector has little to mark, and the other end of a cable is found in one step.
type Port struct {
	*PortName
	ID, Index int  // Index is the index in Device.Ports
	NIC       *NIC // host ports only

	device     *Device
	sizes      *PortSizes // nil: none
	link, peer int32      // slots
	speed, mtu int32
}

// PortName is the part of a link block about one port. Ports of a block with the same name share it.
type PortName struct {
	Name  string
	Front Front      // for a switch port
	At    diag.Range // the place where the link names it
	Rank  int32      // place of the name in the natural order of all names of ports
}

// PortSizes are the buffers and marks of a port. Equal ports share them.
type PortSizes struct {
	Buffers []*Buffer // one per lossless group the port carries, by cos
	Marks   []*Mark   // one per ECN group the port sends, by cos; switches only
}

// PortSpec contains the values from which [NewPort] makes a port.
type PortSpec struct {
	ID, Index int
	Name      string
	Front     Front
	At        diag.Range
	Named     *PortName // the name, front and place, shared with ports that have the same
	NIC       *NIC
	Speed     int
	MTU       int
	Buffers   []*Buffer
	Marks     []*Mark
}

// NewPort makes a port of a device. The port is not added to lists of the device or its fabric, and [NewLink] plugs a cable in. A device
// without a fabric gets an empty one.
func NewPort(d *Device, s PortSpec) *Port {
	if d.Fabric == nil {
		d.Fabric = &Fabric{}
	}
	if s.Named == nil {
		s.Named = &PortName{Name: s.Name, Front: s.Front, At: s.At}
	}
	p, slot := d.Fabric.ports.add()
	*p = Port{PortName: s.Named, ID: s.ID, Index: s.Index, NIC: s.NIC, device: d, peer: -slot, speed: int32(s.Speed), mtu: int32(s.MTU)}
	if s.Buffers != nil || s.Marks != nil {
		p.sizes = &PortSizes{s.Buffers, s.Marks}
	}
	return p
}

// slot returns the slot of the port in its fabric.
func (p *Port) slot() int32 {
	if p.link == 0 {
		return -p.peer // as set by [NewPort]
	}
	l := p.Link()
	if l.A() == p {
		return l.a
	}
	return l.b
}

// Device returns the device that has the port.
func (p *Port) Device() *Device { return p.device }

// Link returns the cable in the port; nil without one.
func (p *Port) Link() *Link { return p.device.Fabric.links.at(p.link) }

// Peer returns the port at the other end of the cable.
func (p *Port) Peer() *Port { return p.device.Fabric.ports.at(p.peer) }

// Speed returns the port's speed in Mb/s.
func (p *Port) Speed() int { return int(p.speed) }

// SetSpeed sets the port's speed in Mb/s.
func (p *Port) SetSpeed(mbps int) { p.speed = int32(mbps) }

// MTU returns the largest frame payload of any class on the port, in bytes; 0 for a NIC without a stated MTU.
func (p *Port) MTU() int { return int(p.mtu) }

// Buffers returns one buffer per lossless group the port carries, by cos. Equal ports share them.
func (p *Port) Buffers() []*Buffer {
	if p.sizes == nil {
		return nil
	}
	return p.sizes.Buffers
}

// Marks returns one mark per ECN group that the port sends, by cos; only for switches. Equal ports share them.
func (p *Port) Marks() []*Mark {
	if p.sizes == nil {
		return nil
	}
	return p.sizes.Marks
}

// SetSizes sets buffers and marks that the port may share with others; nil: none.
func (p *Port) SetSizes(s *PortSizes) { p.sizes = s }

// SetBuffers sets the buffers of this port only, even if it shared them.
func (p *Port) SetBuffers(buffers []*Buffer) { p.sizes = &PortSizes{buffers, p.Marks()} }

// SetMarks sets the marks of this port only, even if it shared them.
func (p *Port) SetMarks(marks []*Mark) { p.sizes = &PortSizes{p.Buffers(), marks} }

// Carries returns the buffer of g on the port; nil: g is not lossless there.
func (p *Port) Carries(g *CosGroup) *Buffer {
	for _, b := range p.Buffers() {
		if b.Group == g {
			return b
		}
	}
	return nil
}

// String returns "device:port", the spelling of the language.
func (p *Port) String() string { return p.Device().Name + ":" + p.Name }

// Link is one cable. [NewLink] makes one.
type Link struct {
	*LinkFacts
	ID      int
	Routed  bool // an IP hop between two switches
	Peer    bool
	Planned bool // not laid yet: the proof checks the fabric with and without the cable, and devices find it down
	Bond    int  // number, from 1, of the bond between two switches with the cable; 0: none

	fabric *Fabric
	a, b   int32 // slots
}

// LinkFacts contains the values that a block states for its links, and their speed. Links of a block with the same speed share them.
type LinkFacts struct {
	At     diag.Range // the block's header
	Block  string     // `link "hosts"`, `mesh "uplinks"`
	Speed  Num        // Mb/s
	Length Length
	MTU    Num // of the switch ports at its ends, bytes

	FlowControl   FlowControl // PFC or Pause; empty: the fabric's
	FlowControlAt diag.Range  // zero: the fabric states it, or it is the default

	PeerAt, BondAt, PlannedAt diag.Range
}

// NewLink makes a cable between two ports of one fabric; l contains all other values of the link. The link is not added to lists of the
// fabric. Tests that need only one end pass a nil b.
func NewLink(a, b *Port, l Link) *Link {
	f := a.device.Fabric
	l.fabric, l.a = f, a.slot()
	if b != nil {
		if b.device.Fabric != f {
			panic("ir: a cable between ports of two fabrics")
		}
		l.b = b.slot()
	}
	if l.LinkFacts == nil {
		l.LinkFacts = &LinkFacts{}
	}
	link, slot := f.links.add()
	*link = l
	a.link, a.peer = slot, l.b
	if b != nil {
		b.link, b.peer = slot, l.a
	}
	return link
}

// A returns one end of the cable.
func (l *Link) A() *Port { return l.fabric.ports.at(l.a) }

// B returns the other end of the cable.
func (l *Link) B() *Port { return l.fabric.ports.at(l.b) }

// ByPause reports whether the fabric makes the cable lossless by link pause; see [Port.ByPause].
func (l *Link) ByPause() bool { return l.A().ByPause() }

// Bonded reports whether two cables are in one bond, and so are one link for bridging and routing.
func (l *Link) Bonded(other *Link) bool { return l.Bond != 0 && l.Bond == other.Bond }
