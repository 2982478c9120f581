// Package graph is the fabric as traffic sees it: one directed [Graph] of the devices that forward, with the conversations and destination
// classes of each cos group. The packages compiler/routes and compiler/failures use it.
//
//   - graph.go: the vertices and arcs, in compressed sparse rows (CSR);
//   - csr.go: CSRs of part of the arcs, and of other vertices;
//   - traffic.go, class.go: the lossless links of a group, its senders and receivers, and the classes of members that are one destination
//     for all others.
//
// Everything is numbered: vertices by their order of Device.ID, arcs by the IDs of ports and links. No arc holds a pointer.
package graph

import "github.com/rocec/rocec/compiler/ir"

// Graph has the forwarding devices as vertices, and their cables as pairs of arcs. Hosts that do not forward are attached to vertices.
type Graph struct {
	Fabric   *ir.Fabric
	Vertices []*ir.Device // forwarding devices, by Device.ID
	VertexOf []int32      // Device.ID to its index in Vertices; -1: a host that does not forward
	EntryOf  []int32      // from Port.ID to the vertex where its traffic enters and leaves the graph; -1: none
	Arcs     [][]Arc      // by vertex, in order of its ports: the rows of a CSR in one array
	RowWords []int32      // by vertex: the number of words in a bit row of its ports
	Edges    int          // cables between vertices
	Forest   bool         // the edges form one or several trees; a bond counts as one edge
}

// Arc is one direction of a cable between two vertices.
type Arc struct {
	To      int32
	Link    int32 // Link.ID
	Out, In int32 // Port.ID of the sending and of the receiving port
	Index   int32 // Port.Index of Out
	Mbps    int32 // speed; 1 if unknown
	Bond    int32 // the number of its bond; 0: no bond
	Routed  bool
	Peer    bool
	Host    bool // one of its ends is a host that forwards
	Rise    int8 // +1 to a higher tier, -1 to a lower tier, 0 to the same tier
}

// New returns the graph of a fabric.
func New(f *ir.Fabric) *Graph {
	n := &Graph{Fabric: f, VertexOf: make([]int32, len(f.Devices)), EntryOf: make([]int32, len(f.Ports))}
	begin := []int{0} // by vertex: the start of its row, with room for every port
	for _, d := range f.Devices {
		n.VertexOf[d.ID] = -1
		if d.Forwards() {
			n.VertexOf[d.ID] = int32(len(n.Vertices))
			n.Vertices = append(n.Vertices, d)
			n.RowWords = append(n.RowWords, int32(len(d.Ports)+63)/64)
			begin = append(begin, begin[len(begin)-1]+len(d.Ports))
		}
	}
	for i := range n.EntryOf {
		n.EntryOf[i] = -1
	}
	n.Arcs = make([][]Arc, len(n.Vertices))
	all := make([]Arc, begin[len(begin)-1])
	InParallel(len(n.Vertices), 64, func(from, to int) {
		for v := from; v < to; v++ {
			n.Arcs[v] = n.arcsOf(int32(v), all[begin[v]:begin[v]:begin[v+1]])
		}
	})
	for _, row := range n.Arcs {
		n.Edges += len(row)
	}
	n.Edges /= 2
	n.Forest = n.isForest()
	return n
}

// arcsOf appends the arcs from v, and sets EntryOf for the hosts attached to v.
func (n *Graph) arcsOf(v int32, out []Arc) []Arc {
	d := n.Vertices[v]
	for _, p := range d.Ports {
		n.EntryOf[p.ID] = v
		l, q := p.Link(), p.Peer()
		other := q.Device()
		to := n.VertexOf[other.ID]
		if to < 0 {
			n.EntryOf[q.ID] = v
		}
		if to < 0 || to == v { // a cable from a switch to itself carries no traffic
			continue
		}
		a := Arc{
			To: to, Link: int32(l.ID), Out: int32(p.ID), In: int32(q.ID), Index: int32(p.Index),
			Mbps: int32(max(l.Speed.N, 1)), Bond: int32(l.Bond), Routed: l.Routed, Peer: l.Peer, Host: d.Host != nil || other.Host != nil,
		}
		switch from, to := d.Height(), other.Height(); {
		case from < to:
			a.Rise = +1
		case from > to:
			a.Rise = -1
		}
		out = append(out, a)
	}
	return out
}

// OutPort returns the port where an arc leaves its vertex.
func (n *Graph) OutPort(a *Arc) *ir.Port { return n.Fabric.Ports[a.Out] }

// InPort returns the port where an arc enters its vertex.
func (n *Graph) InPort(a *Arc) *ir.Port { return n.Fabric.Ports[a.In] }

// SameBond reports whether two cables are in one bond.
func (s *Arc) SameBond(o *Arc) bool { return s.Bond != 0 && s.Bond == o.Bond }

// isForest reports whether the cables form one or several trees: the number of cables is the number of vertices minus the number of
// connected components. A bond counts as one cable.
func (n *Graph) isForest() bool {
	cables := n.Edges
	bonds := map[int32]bool{}
	for v := range n.Arcs {
		for j := range n.Arcs[v] {
			s := &n.Arcs[v][j]
			switch {
			case s.Bond == 0 || s.To < int32(v): // count each cable once, not in both directions
			case bonds[s.Bond]:
				cables--
			default:
				bonds[s.Bond] = true
			}
		}
	}
	if cables >= len(n.Vertices) {
		return cables == 0
	}
	islands := 0
	seen := make([]bool, len(n.Vertices))
	for first := range n.Vertices {
		if seen[first] {
			continue
		}
		seen[first] = true
		islands++
		for todo := []int32{int32(first)}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, s := range n.Arcs[v] {
				if !seen[s.To] {
					seen[s.To] = true
					todo = append(todo, s.To)
				}
			}
		}
	}
	return cables == len(n.Vertices)-islands
}
