package routes

import (
	"github.com/rocec/rocec/compiler/ir"
)

// Graph is the fabric as traffic sees it: the devices that forward, joined by cables. Hosts that do not forward
// are only places on it.
type Graph struct {
	fabric *ir.Fabric
	nodes  []*ir.Device // devices that forward, by Device.ID
	node   []int32      // Device.ID to its index in nodes; -1: a host that does not forward
	hangs  []int32      // Port.ID to the node its traffic enters and leaves the network by; -1: none
	steps  [][]step     // by node, in order of its ports: the cables to other nodes
	words  []int32      // by node: the length of a bit row of its ports
	cables int          // between nodes
	tree   bool         // the cables between nodes, a bond counting as one, form a tree, or several
}

// step is one direction of a cable between two nodes.
type step struct {
	out, in *ir.Port // the port it leaves by; the port it comes in by
	to      int32
	link    int32
	port    int32 // out.ID
	index   int32 // out.Index
	mbps    int32 // speed; of a link of which none is known 1
	bond    int32 // the number of the bond it is in; 0: of none
	routed  bool
	peer    bool
	rise    int8 // +1 to a higher tier, -1 to a lower, 0 to the same
}

func NewGraph(f *ir.Fabric) *Graph {
	n := &Graph{fabric: f, node: make([]int32, len(f.Devices)), hangs: make([]int32, len(f.Ports))}
	for _, d := range f.Devices {
		n.node[d.ID] = -1
		if d.Forwards() {
			n.node[d.ID] = int32(len(n.nodes))
			n.nodes = append(n.nodes, d)
			n.words = append(n.words, int32(len(d.Ports)+63)/64)
		}
	}
	for i := range n.hangs {
		n.hangs[i] = -1
	}
	n.steps = make([][]step, len(n.nodes))
	inParallel(len(n.nodes), 64, func(from, to int) {
		for v := from; v < to; v++ {
			n.steps[v] = n.stepsOf(int32(v))
		}
	})
	for _, s := range n.steps {
		n.cables += len(s)
	}
	n.cables /= 2
	n.tree = n.isTree()
	return n
}

// stepsOf returns the steps from v, and notes what hangs on v.
func (n *Graph) stepsOf(v int32) []step {
	d := n.nodes[v]
	out := make([]step, 0, len(d.Ports))
	for _, p := range d.Ports {
		n.hangs[p.ID] = v
		l, q := p.Link(), p.Peer()
		to := n.node[q.Device().ID]
		if to < 0 {
			n.hangs[q.ID] = v
		}
		if to < 0 || to == v { // a cable from a switch to itself takes traffic nowhere
			continue
		}
		s := step{
			out: p, in: q, to: to, link: int32(l.ID), port: int32(p.ID), index: int32(p.Index),
			mbps: int32(max(l.Speed.N, 1)), bond: int32(l.Bond), routed: l.Routed, peer: l.Peer,
		}
		switch a, b := d.Height(), q.Device().Height(); {
		case a < b:
			s.rise = +1
		case a > b:
			s.rise = -1
		}
		out = append(out, s)
	}
	return out
}

// sameBond tells whether two cables are of one bond.
func (s *step) sameBond(o *step) bool { return s.bond != 0 && s.bond == o.bond }

// isTree tells whether the cables form a tree or several: as many cables as nodes, less one for every island. A bond is one cable.
func (n *Graph) isTree() bool {
	cables := n.cables
	bonds := map[int32]bool{}
	for v := range n.steps {
		for j := range n.steps[v] {
			s := &n.steps[v][j]
			switch {
			case s.bond == 0 || s.to < int32(v): // once for both directions
			case bonds[s.bond]:
				cables--
			default:
				bonds[s.bond] = true
			}
		}
	}
	if cables >= len(n.nodes) {
		return cables == 0
	}
	islands := 0
	seen := make([]bool, len(n.nodes))
	for first := range n.nodes {
		if seen[first] {
			continue
		}
		seen[first] = true
		islands++
		for todo := []int32{int32(first)}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, s := range n.steps[v] {
				if !seen[s.to] {
					seen[s.to] = true
					todo = append(todo, s.to)
				}
			}
		}
	}
	return cables == len(n.nodes)-islands
}
