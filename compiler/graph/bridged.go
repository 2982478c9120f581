package graph

import (
	"net/netip"

	"github.com/rocec/rocec/compiler/ir"
)

// This file handles bridged links under shortest-path routing of RoCEv2, whose packets are routed. (RoCEv1 is never routed, so its shortest
// paths are paths of frames.) A frame between two members of one subnet passes no IP hop. It uses only bridged links, by spanning tree,
// MLAG or an overlay. If the bridged links of a broadcast domain form no cycle, the frame has one path. If they form a cycle, its path is
// unknown.

// bridges contains the broadcast domains of the switches.
type bridges struct {
	domain []int32 // by vertex: the lowest vertex of its domain
	ringed []bool  // by domain: its links form a cycle; cables between the same two switches count as one
	waits  []bool  // by domain: traffic of the group can wait at a switch between two others
}

// findBridges returns nil where no bridged link joins two switches.
func (v *Traffic) findBridges() *bridges {
	n := v.Of
	var b *bridges
	root := func(u int32) int32 {
		for b.domain[u] != u {
			b.domain[u] = b.domain[b.domain[u]]
			u = b.domain[u]
		}
		return u
	}
	joined := map[[2]int32]bool{}
	for u := range n.Arcs {
		last := int32(-1) // the first neighbour over a link that is lossless for the group
		for j := range n.Arcs[u] {
			a := &n.Arcs[u][j]
			if a.Routed || a.Host {
				continue
			}
			if b == nil {
				b = &bridges{make([]int32, len(n.Vertices)), make([]bool, len(n.Vertices)), make([]bool, len(n.Vertices))}
				for i := range b.domain {
					b.domain[i] = int32(i)
				}
			}
			one, other := root(int32(u)), root(a.To)
			pair := [2]int32{min(int32(u), a.To), max(int32(u), a.To)}
			switch {
			case joined[pair]:
			case one == other:
				b.ringed[one] = true
			default:
				low, high := min(one, other), max(one, other)
				b.domain[high] = low
				b.ringed[low] = b.ringed[low] || b.ringed[high]
				b.waits[low] = b.waits[low] || b.waits[high]
			}
			joined[pair] = true
			if v.Fills(a.In, a.Link) || v.Fills(a.Out, a.Link) {
				if last >= 0 && last != a.To {
					b.waits[root(int32(u))] = true
				}
				last = a.To
			}
		}
	}
	if b != nil {
		for u := range b.domain {
			b.domain[u] = root(int32(u))
		}
	}
	return b
}

// subnets returns the members of a RoCEv2 intent that share a subnet and are attached to several switches of one broadcast domain, a
// conversation for each subnet. open contains two switches of a domain if the path between them is unknown. Members without a stated subnet
// may share any subnet.
func (v *Traffic) subnets(members []*ir.Member, b *bridges) (out []*Conversation, open []*ir.Device) {
	by := map[netip.Prefix]*Conversation{}
	var order []*Conversation
	add := func(p netip.Prefix, n *ir.NIC) {
		if by[p] == nil {
			by[p] = newConversation(true, 0)
			order = append(order, by[p])
		}
		by[p].add(n)
	}
	all := newConversation(true, len(members))
	unknown := false
	for _, m := range members {
		all.add(m.NIC)
		subnets := m.NIC.Subnets()
		for _, p := range subnets {
			add(p, m.NIC)
		}
		unknown = unknown || len(subnets) == 0
	}
	if unknown {
		order = []*Conversation{all}
	}
	for _, t := range order {
		first := map[int32]int32{} // by domain: the first vertex with a member
		crosses := false
		for _, m := range t.Members {
			for _, at := range v.Of.VerticesOf(m, nil) {
				domain := b.domain[at]
				u, met := first[domain]
				switch {
				case !met:
					first[domain] = at
				case u == at:
				case b.ringed[domain] && b.waits[domain]:
					return nil, []*ir.Device{v.Of.Vertices[u], v.Of.Vertices[at]}
				default:
					crosses = true
				}
			}
		}
		if crosses {
			out = append(out, t)
		}
	}
	return out, nil
}
