package graph

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Conversation is a set of members that all talk with one another, such as the members of an intent.
type Conversation struct {
	Bridged bool // RoCEv1, or within a subnet: frames do not cross routed links
	Members []Member

	ports   []*ir.Port        // the backing array of Members
	bonds   map[*ir.Bond]bool // the bonds that are already members
	standby bool              // some bonds are active-backup, so several members are one address
}

// Member is one address that sends and receives: the ports of a NIC, or of a bond that uses several at once.
type Member []*ir.Port

// Owner identifies the address that sends and receives by the member: the NIC, or the first NIC of the bond it is in. The ports of an
// active-backup bond are members of one owner, and do not talk with each other.
func (m Member) Owner() *ir.NIC {
	if n := m[0].NIC; n.Bond == nil {
		return n
	}
	return m[0].NIC.Bond.NICs[0]
}

// Class is the members of a conversation that are attached to the same vertices: for the rest of the fabric they are one destination.
type Class struct {
	ID           int32 // index in the classes of its walk
	Conversation *Conversation
	At           []int32  // vertices, ascending
	Members      []Member // in the order of the conversation
	*Senders
	Except []int32 // vertices whose senders do not talk to the class, because the members there and in the class all have the same owner
	Who    Who     // the owner of the class, see anypath.go

	// Only under routing by a table: the target of the members, and the vertices it is attached to.
	Target   int
	Attached []int32
}

// Senders contains the vertices where members of a conversation are attached.
type Senders struct {
	IsSender []bool    // by vertex: a member is attached there
	From     []int32   // the vertices of senders, each once
	alone    []*ir.NIC // by vertex: the owner of all members there; nil: several owners. The slice is nil if no bond is active-backup
}

// FromIntents returns the conversations in the group, from the intents. If a lossless group has no intent, every host port that carries it
// talks in it, unless the group exists for traffic that bounces. Link pause stops every frame, so under link pause, and in [ir.Lossy],
// every NIC talks, even if its own cable is not paused. A NIC that talks without an intent may talk within its broadcast domain and beyond
// it. Under shortest paths, members of one subnet talk within their domain; if their path there is unknown, FromIntents sets Open.
func (v *Traffic) FromIntents() []*Conversation {
	var out []*Conversation
	var b *bridges
	if v.Of.Fabric.Routing == ir.ShortestPath {
		b = v.findBridges()
	}
	if v.Of.Fabric.FlowControl != ir.Pause {
		for _, in := range v.Of.Fabric.Intents {
			if in.Group != v.Group && in.CNP != v.Group {
				continue
			}
			if b != nil && in.Version == 2 {
				within, open := v.subnets(in.Members, b)
				if open != nil && v.Open == nil {
					v.Open = &ir.RoutingError{Code: ir.BridgedSubnet, Routing: ir.ShortestPath, Devices: open, Intent: in}
				}
				if v.Of.mixesLinks() {
					out = append(out, within...)
				}
			}
			t := newConversation(in.Version == 1, len(in.Members))
			for _, m := range in.Members {
				t.add(m.NIC)
			}
			out = append(out, t)
		}
	}
	if out != nil || v.Of.Fabric.OnlyBounced(v.Group) {
		return out
	}
	if b != nil {
		var everybody []*ir.Member
		for _, m := range v.everybody(true).Members {
			everybody = append(everybody, &ir.Member{NIC: m[0].NIC})
		}
		if _, open := v.subnets(everybody, b); open != nil {
			v.Open = &ir.RoutingError{Code: ir.BridgedSubnet, Routing: ir.ShortestPath, Devices: open}
		}
	}
	return v.Everyone()
}

// Everyone returns the conversations of all NICs that may send in the group, beyond a broadcast domain and within it.
func (v *Traffic) Everyone() []*Conversation {
	out := []*Conversation{v.everybody(false)}
	if v.Of.mixesLinks() { // frames that cross no IP hop use other paths
		out = append(out, v.everybody(true))
	}
	return out
}

// everybody returns a conversation of all NICs that may send in the group.
func (v *Traffic) everybody(bridged bool) *Conversation {
	t := newConversation(bridged, len(v.Of.Fabric.Devices)-len(v.Of.Vertices))
	for _, d := range v.Of.Fabric.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			if n.Port != nil && (v.Of.Fabric.FlowControl == ir.Pause || !v.Group.Lossless || v.carries(n.Port.Link())) {
				t.add(n)
			}
		}
	}
	return t
}

// carries reports whether the fabric makes the group lossless on the link, even if by_hand blocks leave it out.
func (v *Traffic) carries(l *ir.Link) bool {
	return v.Lossless[l.ID] || l.A().Carries(v.Group) != nil && l.B().Carries(v.Group) != nil
}

// mixesLinks reports whether some links between devices that forward are routed and others bridged.
func (n *Graph) mixesLinks() bool {
	var routed, bridged bool
	for _, arcs := range n.Arcs {
		for i := range arcs {
			routed, bridged = routed || arcs[i].Routed, bridged || !arcs[i].Routed
		}
	}
	return routed && bridged
}

// newConversation returns a conversation with capacity for the given number of members.
func newConversation(bridged bool, room int) *Conversation {
	return &Conversation{Bridged: bridged, Members: make([]Member, 0, room), ports: make([]*ir.Port, 0, room)}
}

// add makes the NIC a member, or the bond it is in, but each bond only once. A bond that balances uses all its ports. Any port of an
// active-backup bond may be active, so each port is a separate member.
func (t *Conversation) add(n *ir.NIC) {
	switch {
	case n.Bond == nil:
		t.join(true, n)
	case !t.bonds[n.Bond]:
		if t.bonds == nil {
			t.bonds = map[*ir.Bond]bool{}
		}
		t.bonds[n.Bond] = true
		reserve := n.Bond.Mode == "active-backup"
		t.standby = t.standby || reserve && len(n.Bond.NICs) > 1
		t.join(reserve, n.Bond.NICs...)
	}
}

// join adds the ports of the NICs as one member, or as one member each.
func (t *Conversation) join(each bool, nics ...*ir.NIC) {
	begin := len(t.ports)
	for _, n := range nics {
		if n.Port == nil {
			continue
		}
		t.ports = append(t.ports, n.Port)
		if end := len(t.ports); each {
			t.Members = append(t.Members, Member(t.ports[end-1:end:end]))
		}
	}
	if end := len(t.ports); !each && end > begin {
		t.Members = append(t.Members, Member(t.ports[begin:end:end]))
	}
}

// Vertex returns the vertex where the port's traffic enters and leaves the network, or -1. A host that forwards is itself a vertex; any
// other host is attached to the device at the end of its cable. If down is nil, no link is down.
func (n *Graph) Vertex(p *ir.Port, down []bool) int32 {
	v := n.EntryOf[p.ID]
	if v >= 0 && down != nil && down[p.Link().ID] && n.VertexOf[p.Device().ID] < 0 {
		return -1
	}
	return v
}

// VerticesOf returns the vertices of all ports of m, ascending and without duplicates.
func (n *Graph) VerticesOf(m Member, down []bool) []int32 {
	at := make([]int32, 0, len(m))
	for _, p := range m {
		if v := n.Vertex(p, down); v >= 0 {
			at = append(at, v)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// Classes returns the destinations of every conversation.
func (v *Traffic) Classes(down []bool) []*Class {
	var all []*Class
	for _, t := range v.Conversations {
		classes := v.Of.classesOf(t, down)
		senders := v.Of.sendersOf(t, classes)
		voices := map[*ir.NIC]Who{} // of active-backup bonds
		for _, c := range classes {
			c.Senders, c.ID = senders, int32(len(all))
			all = append(all, c)
			if c.Who = Who(c.ID) + 1; len(c.Members) > 1 {
				c.Who = Many
			}
			if !t.standby {
				continue
			}
			only := c.OnlyOwner()
			if only == nil {
				continue
			}
			if voices[only] == Nobody {
				voices[only] = Who(c.ID) + 1
			}
			c.Who = voices[only]
			c.Except = v.Of.Silent(c, down)
		}
	}
	return all
}

// sendersOf returns the senders of a conversation from its classes.
func (n *Graph) sendersOf(t *Conversation, classes []*Class) *Senders {
	out := &Senders{IsSender: make([]bool, len(n.Vertices))}
	if t.standby {
		out.alone = make([]*ir.NIC, len(n.Vertices))
	}
	for _, c := range classes {
		var only *ir.NIC
		if t.standby {
			only = c.OnlyOwner()
		}
		for _, at := range c.At {
			switch {
			case !out.IsSender[at]:
				out.IsSender[at] = true
				out.From = append(out.From, at)
				if t.standby {
					out.alone[at] = only
				}
			case t.standby && out.alone[at] != only:
				out.alone[at] = nil
			}
		}
	}
	return out
}

// OnlyOwner returns the owner of all members of the class, nil if they have several.
func (c *Class) OnlyOwner() *ir.NIC {
	one := c.Members[0].Owner()
	for _, m := range c.Members[1:] {
		if m.Owner() != one {
			return nil
		}
	}
	return one
}

// Silent returns the vertices whose senders do not talk to a class, because the members there and in the class all have the same owner.
func (n *Graph) Silent(c *Class, down []bool) []int32 {
	if c.alone == nil {
		return nil
	}
	var out []int32
	one := c.OnlyOwner()
	if one == nil || one.Bond == nil {
		return nil
	}
	for _, nic := range one.Bond.NICs {
		if nic.Port == nil {
			continue
		}
		if v := n.Vertex(nic.Port, down); v >= 0 && c.alone[v] == one && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// Sends reports whether a sender at v talks to the class.
func (c *Class) Sends(v int32) bool { return c.IsSender[v] && !slices.Contains(c.Except, v) }

// classesOf sorts the members of t into destinations, in the order of their first members.
func (n *Graph) classesOf(t *Conversation, down []bool) []*Class {
	single := make([]int32, len(n.Vertices)) // most members are attached to one vertex; index in out, counted from 1
	several := map[string]*int32{}
	belongs := make([]int32, len(t.Members)) // by member, the same index; 0: the member is cut off
	var out []*Class
	var sizes []int
	for i, m := range t.Members {
		var at []int32
		var c *int32
		if len(m) == 1 {
			v := n.Vertex(m[0], down)
			if v < 0 {
				continue
			}
			c = &single[v]
			if *c == 0 {
				at = []int32{v}
			}
		} else {
			switch at = n.VerticesOf(m, down); len(at) {
			case 0:
				continue
			case 1:
				c = &single[at[0]]
			default:
				key := placeKey(at)
				if several[key] == nil {
					several[key] = new(int32)
				}
				c = several[key]
			}
		}
		if *c == 0 {
			out = append(out, &Class{Conversation: t, At: at})
			sizes = append(sizes, 0)
			*c = int32(len(out))
		}
		belongs[i] = *c
		sizes[*c-1]++
	}
	store := make([]Member, 0, len(t.Members))
	for i, c := range out {
		end := len(store) + sizes[i]
		c.Members, store = store[len(store):len(store):end], store[:end]
	}
	for i, m := range t.Members {
		if b := belongs[i]; b > 0 {
			out[b-1].Members = append(out[b-1].Members, m)
		}
	}
	return out
}

func placeKey(at []int32) string {
	b := make([]byte, 0, 4*len(at))
	for _, v := range at {
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return string(b)
}

// Is reports whether the class is attached to v.
func (c *Class) Is(v int32) bool { return slices.Contains(c.At, v) }

// Who identifies the owner of members: Nobody, Many, or the id of the owner's first class, counted from 1.
type Who int32

const (
	Nobody Who = 0
	Many   Who = -1
)

func (a Who) And(b Who) Who {
	switch {
	case a == Nobody || a == b:
		return b
	case b == Nobody:
		return a
	}
	return Many
}

// Attached returns the vertices that the NIC, or the bond it is in, is attached to.
func (n *Graph) Attached(nic *ir.NIC) []int32 {
	nics := []*ir.NIC{nic}
	if nic.Bond != nil {
		nics = nic.Bond.NICs
	}
	var m Member
	for _, n := range nics {
		if n.Port != nil {
			m = append(m, n.Port)
		}
	}
	return n.VerticesOf(m, nil)
}
