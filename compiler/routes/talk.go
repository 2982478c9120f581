package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// talk is one set of members that all talk with one another, as those of an intent do.
type talk struct {
	bridged bool // RoCEv1: frames do not cross routed links
	members []member
}

// member is one address that sends and receives: the ports of a NIC, or of a bond that uses several at once.
type member []*ir.Port

// class is the members of a talk that hang on the same nodes: one destination for the rest of the fabric.
type class struct {
	talk    *talk
	at      []int32  // nodes, ascending
	members []member // in the order of the talk
	senders []bool   // by node: a member of the talk, perhaps of this class, hangs there
}

// conversations returns who talks with whom in the group, from the intents; a lossless group that no intent names is
// spoken by every host port that carries it. Link pause stops whatever frame is next, so under it every NIC talks, also
// one whose own cable is not paused.
func (v *view) conversations() []*talk {
	var out []*talk
	if v.fabric.FlowControl != ir.Pause {
		for _, in := range v.fabric.Intents {
			if in.Group != v.group && in.CNP != v.group {
				continue
			}
			t := &talk{bridged: in.Version == 1}
			bonds := map[*ir.Bond]bool{}
			for _, m := range in.Members {
				t.add(m.NIC, bonds)
			}
			out = append(out, t)
		}
	}
	if out != nil {
		return out
	}
	t := &talk{}
	bonds := map[*ir.Bond]bool{}
	for _, d := range v.fabric.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			if n.Port != nil && (v.fabric.FlowControl == ir.Pause || v.lossless[n.Port.Link.ID]) {
				t.add(n, bonds)
			}
		}
	}
	return []*talk{t}
}

// add makes the NIC a member, or, once, the bond it is in. A bond that balances uses all its ports; of an
// active-backup bond any port may be the active one, so each stands for itself.
func (t *talk) add(n *ir.NIC, bonds map[*ir.Bond]bool) {
	if n.Bond == nil {
		if n.Port != nil {
			t.members = append(t.members, member{n.Port})
		}
		return
	}
	if bonds[n.Bond] {
		return
	}
	bonds[n.Bond] = true
	var m member
	for _, b := range n.Bond.NICs {
		if b.Port != nil {
			m = append(m, b.Port)
		}
	}
	switch {
	case len(m) == 0:
	case n.Bond.Mode == "active-backup":
		for i := range m {
			t.members = append(t.members, m[i:i+1])
		}
	default:
		t.members = append(t.members, m)
	}
}

// place is the node the port's traffic enters and leaves the network by, or -1: a host that forwards is a node
// itself, any other hangs on the device at the end of its cable.
func (n *network) place(p *ir.Port, down []bool) int32 {
	if v := n.node[p.Device.ID]; v >= 0 {
		return v
	}
	if down[p.Link.ID] {
		return -1
	}
	return n.node[p.Peer().Device.ID]
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

// classes sorts the members of t into destinations, in the order of their first members.
func (n *network) classes(t *talk, down []bool) []*class {
	single := make([]*class, len(n.nodes)) // nearly all: one node
	several := map[string]*class{}
	var out []*class
	for _, m := range t.members {
		at := n.places(m, down)
		var c *class
		switch len(at) {
		case 0:
			continue
		case 1:
			c = single[at[0]]
		default:
			c = several[placeKey(at)]
		}
		if c == nil {
			c = &class{talk: t, at: at}
			out = append(out, c)
			if len(at) == 1 {
				single[at[0]] = c
			} else {
				several[placeKey(at)] = c
			}
		}
		c.members = append(c.members, m)
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
