package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// talk is one set of members that all talk with one another, as those of an intent do.
type talk struct {
	bridged bool // RoCEv1: frames do not cross routed links
	members []member

	ports []*ir.Port        // the store of members
	bonds map[*ir.Bond]bool // those that are members
}

// member is one address that sends and receives: the ports of a NIC, or of a bond that uses several at once.
type member []*ir.Port

// class is the members of a talk that hang on the same nodes: one destination for the rest of the fabric.
type class struct {
	id      int32 // index in the classes of its walk
	talk    *talk
	at      []int32  // nodes, ascending
	members []member // in the order of the talk
	senders []bool   // by node: a member of the talk, perhaps of this class, hangs there
	from    []int32  // the nodes of senders, each once

	// Routing by a table only: the target the members belong to, and the nodes it hangs on.
	target   int
	attached []int32
}

// conversations returns who talks with whom in the group, from the intents; a lossless group that no intent names is
// spoken by every host port that carries it, unless it is there for traffic that bounces. Link pause stops whatever
// frame is next, so under it every NIC talks, also one whose own cable is not paused. Whoever talks without an intent
// may do so within a broadcast domain as well as beyond.
func (v *view) conversations() []*talk {
	var out []*talk
	if v.fabric.FlowControl != ir.Pause {
		for _, in := range v.fabric.Intents {
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
	if out != nil || v.onlyBounces() {
		return out
	}
	return v.everyone()
}

// everyone is the talks of all who may send in the group, beyond a broadcast domain and within it.
func (v *view) everyone() []*talk {
	out := []*talk{v.everybody(false)}
	if v.mixesLinks() { // frames that cross no IP hop go other ways
		out = append(out, v.everybody(true))
	}
	return out
}

// everybody is a talk of all who may send in the group.
func (v *view) everybody(bridged bool) *talk {
	t := newTalk(bridged, len(v.fabric.Devices)-len(v.nodes))
	for _, d := range v.fabric.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			if n.Port != nil && (v.fabric.FlowControl == ir.Pause || v.lossless[n.Port.Link.ID]) {
				t.add(n)
			}
		}
	}
	return t
}

// mixesLinks tells whether some links between devices that forward are routed and others bridged.
func (n *network) mixesLinks() bool {
	var routed, bridged bool
	for _, steps := range n.steps {
		for i := range steps {
			routed, bridged = routed || steps[i].routed, bridged || !steps[i].routed
		}
	}
	return routed && bridged
}

// onlyBounces tells whether the group, which no intent names, gets its traffic from one that bounces into it.
func (v *view) onlyBounces() bool {
	f := v.fabric
	return bounces(f, v.group) != nil && slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool {
		begins := g.Lossless && g != v.group && slices.Contains(chain(f, g), v.group)
		named := slices.ContainsFunc(f.Intents, func(in *ir.Intent) bool { return in.Group == g || in.CNP == g })
		into := slices.ContainsFunc(f.CosGroups, func(o *ir.CosGroup) bool { return o.Bounce == g })
		return begins && (named || !into)
	})
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
		t.join(n.Bond.Mode == "active-backup", n.Bond.NICs...)
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
func (n *network) place(p *ir.Port, down []bool) int32 {
	v := n.hangs[p.ID]
	if v >= 0 && down != nil && down[p.Link.ID] && n.node[p.Device.ID] < 0 {
		return -1
	}
	return v
}

// places returns the nodes of every port of m, ascending, each once.
func (n *network) places(m member, down []bool) []int32 {
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
func (v *view) allClasses(down []bool) []*class {
	var all []*class
	for _, t := range v.talks {
		classes := v.network.classes(t, down)
		senders := make([]bool, len(v.nodes))
		var from []int32
		for _, c := range classes {
			for _, at := range c.at {
				if !senders[at] {
					senders[at] = true
					from = append(from, at)
				}
			}
		}
		for _, c := range classes {
			c.senders, c.from, c.id = senders, from, int32(len(all))
			all = append(all, c)
		}
	}
	return all
}

// classes sorts the members of t into destinations, in the order of their first members.
func (n *network) classes(t *talk, down []bool) []*class {
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
