package graph

import (
	"github.com/rocec/rocec/compiler/ir"
)

// Graph is the fabric as traffic sees it: the devices that forward, joined by cables. Hosts that do not forward
// are only places on it.
type Graph struct {
	Fabric   *ir.Fabric
	Vertices []*ir.Device // devices that forward, by Device.ID
	VertexOf []int32      // Device.ID to its index in nodes; -1: a host that does not forward
	entry    []int32      // Port.ID to the node its traffic enters and leaves the network by; -1: none
	Arcs     [][]Arc      // by node, in order of its ports: the cables to other nodes
	RowWords []int32      // by node: the length of a bit row of its ports
	Edges    int          // between nodes
	Forest   bool         // the cables between nodes, a bond counting as one, form a tree, or several
}

// Arc is one direction of a cable between two nodes.
type Arc struct {
	Out, In *ir.Port // the port it leaves by; the port it comes in by
	To      int32
	Link    int32
	Port    int32 // out.ID
	Index   int32 // out.Index
	Mbps    int32 // speed; of a link of which none is known 1
	Bond    int32 // the number of the bond it is in; 0: of none
	Routed  bool
	Peer    bool
	Rise    int8 // +1 to a higher tier, -1 to a lower, 0 to the same
}

func NewGraph(f *ir.Fabric) *Graph {
	n := &Graph{Fabric: f, VertexOf: make([]int32, len(f.Devices)), entry: make([]int32, len(f.Ports))}
	for _, d := range f.Devices {
		n.VertexOf[d.ID] = -1
		if d.Forwards() {
			n.VertexOf[d.ID] = int32(len(n.Vertices))
			n.Vertices = append(n.Vertices, d)
			n.RowWords = append(n.RowWords, int32(len(d.Ports)+63)/64)
		}
	}
	for i := range n.entry {
		n.entry[i] = -1
	}
	n.Arcs = make([][]Arc, len(n.Vertices))
	InParallel(len(n.Vertices), 64, func(from, to int) {
		for v := from; v < to; v++ {
			n.Arcs[v] = n.arcsOf(int32(v))
		}
	})
	for _, s := range n.Arcs {
		n.Edges += len(s)
	}
	n.Edges /= 2
	n.Forest = n.isForest()
	return n
}

// arcsOf returns the steps from v, and notes what hangs on v.
func (n *Graph) arcsOf(v int32) []Arc {
	d := n.Vertices[v]
	out := make([]Arc, 0, len(d.Ports))
	for _, p := range d.Ports {
		n.entry[p.ID] = v
		l, q := p.Link(), p.Peer()
		to := n.VertexOf[q.Device().ID]
		if to < 0 {
			n.entry[q.ID] = v
		}
		if to < 0 || to == v { // a cable from a switch to itself takes traffic nowhere
			continue
		}
		s := Arc{
			Out: p, In: q, To: to, Link: int32(l.ID), Port: int32(p.ID), Index: int32(p.Index),
			Mbps: int32(max(l.Speed.N, 1)), Bond: int32(l.Bond), Routed: l.Routed, Peer: l.Peer,
		}
		switch a, b := d.Height(), q.Device().Height(); {
		case a < b:
			s.Rise = +1
		case a > b:
			s.Rise = -1
		}
		out = append(out, s)
	}
	return out
}

// SameBond tells whether two cables are of one bond.
func (s *Arc) SameBond(o *Arc) bool { return s.Bond != 0 && s.Bond == o.Bond }

// isForest tells whether the cables form a tree or several: as many cables as nodes, less one for every island. A bond is one cable.
func (n *Graph) isForest() bool {
	cables := n.Edges
	bonds := map[int32]bool{}
	for v := range n.Arcs {
		for j := range n.Arcs[v] {
			s := &n.Arcs[v][j]
			switch {
			case s.Bond == 0 || s.To < int32(v): // once for both directions
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
