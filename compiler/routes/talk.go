package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// talk is one set of members that all talk with one another, as those of an intent do.
type talk struct {
	bridged bool // RoCEv1: frames do not cross routed links
	members []member

	ports   []*ir.Port        // the store of members
	bonds   map[*ir.Bond]bool // those that are members
	reserve bool              // some of them keep ports in reserve, so that several members are one address
}

// member is one address that sends and receives: the ports of a NIC, or of a bond that uses several at once.
type member []*ir.Port

// owner stands for the address that sends and receives by the member: the NIC, or the first NIC of the bond it is in. The ports of an
// active-backup bond are members of one owner, and do not talk with each other.
func (m member) owner() *ir.NIC {
	if n := m[0].NIC; n.Bond == nil {
		return n
	}
	return m[0].NIC.Bond.NICs[0]
}

// class is the members of a talk that hang on the same nodes: one destination for the rest of the fabric.
type class struct {
	id      int32 // index in the classes of its walk
	talk    *talk
	at      []int32  // nodes, ascending
	members []member // in the order of the talk
	*crowd
	not []int32 // nodes of senders who talk to nobody of the class, for all of them and all its members have one owner
	one who     // who the class is to others, see anypath.go

	// Routing by a table only: the target the members belong to, and the nodes it hangs on.
	target   int
	attached []int32
}

// crowd is where the members of a talk hang.
type crowd struct {
	senders []bool    // by node: a member hangs there
	from    []int32   // the nodes of senders, each once
	alone   []*ir.NIC // by node: the owner of all members there; nil: there are several. Nil where no bond keeps ports in reserve
}

// conversations returns who talks with whom in the group, from the intents; a lossless group that no intent names is
// spoken by every host port that carries it, unless it is there for traffic that bounces. Link pause stops whatever
// frame is next, so under it, and in [ir.Lossy], every NIC talks, also one whose own cable is not paused. Whoever talks without an intent
// may do so within a broadcast domain as well as beyond.
func (v *Traffic) conversations() []*talk {
	var out []*talk
	if v.graph.fabric.FlowControl != ir.Pause {
		for _, in := range v.graph.fabric.Intents {
			if in.Group != v.group && in.CNP != v.group {
				continue
			}
			t := newTalk(in.Version == 1, len(in.Members))
			for _, m := range in.Members {
				t.add(m.NIC)
			}
			out = append(out, t)
		}
	}
	if out != nil || v.graph.fabric.OnlyBounced(v.group) {
		return out
	}
	return v.everyone()
}

// everyone is the talks of all who may send in the group, beyond a broadcast domain and within it.
func (v *Traffic) everyone() []*talk {
	out := []*talk{v.everybody(false)}
	if v.graph.mixesLinks() { // frames that cross no IP hop go other ways
		out = append(out, v.everybody(true))
	}
	return out
}

// everybody is a talk of all who may send in the group.
func (v *Traffic) everybody(bridged bool) *talk {
	t := newTalk(bridged, len(v.graph.fabric.Devices)-len(v.graph.nodes))
	for _, d := range v.graph.fabric.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			if n.Port != nil && (v.graph.fabric.FlowControl == ir.Pause || !v.group.Lossless || v.carries(n.Port.Link())) {
				t.add(n)
			}
		}
	}
	return t
}

// carries tells whether the group is lossless on the link by the fabric, whatever those who set devices by hand have left out.
func (v *Traffic) carries(l *ir.Link) bool {
	return v.lossless[l.ID] || l.A().Carries(v.group) != nil && l.B().Carries(v.group) != nil
}

// mixesLinks tells whether some links between devices that forward are routed and others bridged.
func (n *Graph) mixesLinks() bool {
	var routed, bridged bool
	for _, steps := range n.steps {
		for i := range steps {
			routed, bridged = routed || steps[i].routed, bridged || !steps[i].routed
		}
	}
	return routed && bridged
}

// newTalk returns a talk with room for so many members.
func newTalk(bridged bool, room int) *talk {
	return &talk{bridged: bridged, members: make([]member, 0, room), ports: make([]*ir.Port, 0, room)}
}

// add makes the NIC a member, or, once, the bond it is in. A bond that balances uses all its ports; of an
// active-backup bond any port may be the active one, so each stands for itself.
func (t *talk) add(n *ir.NIC) {
	switch {
	case n.Bond == nil:
		t.join(true, n)
	case !t.bonds[n.Bond]:
		if t.bonds == nil {
			t.bonds = map[*ir.Bond]bool{}
		}
		t.bonds[n.Bond] = true
		reserve := n.Bond.Mode == "active-backup"
		t.reserve = t.reserve || reserve && len(n.Bond.NICs) > 1
		t.join(reserve, n.Bond.NICs...)
	}
}

// join adds the ports of the NICs as one member, or each as one.
func (t *talk) join(each bool, nics ...*ir.NIC) {
	begin := len(t.ports)
	for _, n := range nics {
		if n.Port == nil {
			continue
		}
		t.ports = append(t.ports, n.Port)
		if end := len(t.ports); each {
			t.members = append(t.members, member(t.ports[end-1:end:end]))
		}
	}
	if end := len(t.ports); !each && end > begin {
		t.members = append(t.members, member(t.ports[begin:end:end]))
	}
}

// place is the node the port's traffic enters and leaves the network by, or -1: a host that forwards is a node
// itself, any other hangs on the device at the end of its cable. A nil down: no link is.
func (n *Graph) place(p *ir.Port, down []bool) int32 {
	v := n.hangs[p.ID]
	if v >= 0 && down != nil && down[p.Link().ID] && n.node[p.Device().ID] < 0 {
		return -1
	}
	return v
}

// places returns the nodes of every port of m, ascending, each once.
func (n *Graph) places(m member, down []bool) []int32 {
	at := make([]int32, 0, len(m))
	for _, p := range m {
		if v := n.place(p, down); v >= 0 {
			at = append(at, v)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// allClasses returns the destinations of every talk.
func (v *Traffic) allClasses(down []bool) []*class {
	var all []*class
	for _, t := range v.talks {
		classes := v.graph.classes(t, down)
		crowd := v.graph.gather(t, classes)
		voices := map[*ir.NIC]who{} // of bonds that keep ports in reserve
		for _, c := range classes {
			c.crowd, c.id = crowd, int32(len(all))
			all = append(all, c)
			if c.one = who(c.id) + 1; len(c.members) > 1 {
				c.one = many
			}
			if !t.reserve {
				continue
			}
			only := c.only()
			if only == nil {
				continue
			}
			if voices[only] == nobody {
				voices[only] = who(c.id) + 1
			}
			c.one = voices[only]
			c.not = v.graph.silent(c, down)
		}
	}
	return all
}

// gather returns the crowd of a talk from its classes.
func (n *Graph) gather(t *talk, classes []*class) *crowd {
	out := &crowd{senders: make([]bool, len(n.nodes))}
	if t.reserve {
		out.alone = make([]*ir.NIC, len(n.nodes))
	}
	for _, c := range classes {
		var only *ir.NIC
		if t.reserve {
			only = c.only()
		}
		for _, at := range c.at {
			switch {
			case !out.senders[at]:
				out.senders[at] = true
				out.from = append(out.from, at)
				if t.reserve {
					out.alone[at] = only
				}
			case t.reserve && out.alone[at] != only:
				out.alone[at] = nil
			}
		}
	}
	return out
}

// only returns the owner of all members of the class, nil if they have several.
func (c *class) only() *ir.NIC {
	one := c.members[0].owner()
	for _, m := range c.members[1:] {
		if m.owner() != one {
			return nil
		}
	}
	return one
}

// silent returns the nodes of senders who talk to nobody of a class that has one owner: whoever hangs there is of the same owner.
func (n *Graph) silent(c *class, down []bool) []int32 {
	if c.alone == nil {
		return nil
	}
	var out []int32
	one := c.only()
	if one == nil || one.Bond == nil {
		return nil
	}
	for _, nic := range one.Bond.NICs {
		if nic.Port == nil {
			continue
		}
		if v := n.place(nic.Port, down); v >= 0 && c.alone[v] == one && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// sends tells whether somebody hangs on v who talks to the class.
func (c *class) sends(v int32) bool { return c.senders[v] && !slices.Contains(c.not, v) }

// classes sorts the members of t into destinations, in the order of their first members.
func (n *Graph) classes(t *talk, down []bool) []*class {
	single := make([]int32, len(n.nodes)) // nearly all hang on one node; index in out, counted from 1
	several := map[string]*int32{}
	belongs := make([]int32, len(t.members)) // likewise; 0: the member is cut off
	var out []*class
	var sizes []int
	for i, m := range t.members {
		var at []int32
		var c *int32
		if len(m) == 1 {
			v := n.place(m[0], down)
			if v < 0 {
				continue
			}
			c = &single[v]
			if *c == 0 {
				at = []int32{v}
			}
		} else {
			switch at = n.places(m, down); len(at) {
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
			out = append(out, &class{talk: t, at: at})
			sizes = append(sizes, 0)
			*c = int32(len(out))
		}
		belongs[i] = *c
		sizes[*c-1]++
	}
	store := make([]member, 0, len(t.members))
	for i, c := range out {
		end := len(store) + sizes[i]
		c.members, store = store[len(store):len(store):end], store[:end]
	}
	for i, m := range t.members {
		if b := belongs[i]; b > 0 {
			out[b-1].members = append(out[b-1].members, m)
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

// is tells whether the class hangs on v.
func (c *class) is(v int32) bool { return slices.Contains(c.at, v) }

// who is nobody, many, or one owner of members: the id of the first class of that owner, counted from 1.
type who int32

const (
	nobody who = 0
	many   who = -1
)

func (a who) and(b who) who {
	switch {
	case a == nobody || a == b:
		return b
	case b == nobody:
		return a
	}
	return many
}

// attached returns the nodes that the NIC, or the bond it is in, hangs on.
func (n *Graph) attached(nic *ir.NIC) []int32 {
	nics := []*ir.NIC{nic}
	if nic.Bond != nil {
		nics = nic.Bond.NICs
	}
	var m member
	for _, n := range nics {
		if n.Port != nil {
			m = append(m, n.Port)
		}
	}
	return n.places(m, nil)
}
