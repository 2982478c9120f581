package routes

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Spanning tree: one tree of the bridged network at a time (IEEE 802.1D and 802.1Q; Cumulus Linux runs one for all
// VLANs).
//
// The root is the stated one; without it, and on islands without it, the root is the first switch by name. Every other device keeps one
// cable towards the root: on a shortest path, then to the first device, then to the lowest port of that device. All other bridged cables
// between forwarding devices are blocked. A bond is one cable. Speeds are ignored: with mixed speeds the real tree may differ, but it is
// also a tree. Hosts that forward are bridges.

// spanningTree returns, by Link.ID, the cables that forward. If down is nil, no link is down.
func (n *network) spanningTree(down []bool) []bool {
	forwarding := make([]bool, len(n.Fabric.Links))
	far := make([]int32, len(n.Vertices)) // number of cables to the root; -1: not reached yet
	for v := range far {
		far[v] = -1
	}
	for _, root := range n.roots() {
		if far[root] >= 0 {
			continue
		}
		far[root] = 0
		for now := []int32{root}; len(now) > 0; {
			var next []int32
			for _, u := range now { // in the order of devices, so that the first neighbour to reach a device is used
				for j := range n.Arcs[u] { // in the order of ports
					if s := &n.Arcs[u][j]; far[s.To] < 0 && bridged(s) && (down == nil || !down[s.Link]) {
						far[s.To] = far[u] + 1
						next = append(next, s.To)
						for k := range n.Arcs[u] { // a bond is one port
							if o := &n.Arcs[u][k]; o == s || o.SameBond(s) && (down == nil || !down[o.Link]) {
								forwarding[o.Link] = true
							}
						}
					}
				}
			}
			slices.Sort(next)
			now = next
		}
	}
	return forwarding
}

// roots returns the vertices in the order in which they become roots: the stated root, then switches, then hosts.
func (n *network) roots() []int32 {
	rank := func(v int32) int {
		switch d := n.Vertices[v]; {
		case d == n.Fabric.Root:
			return 0
		case d.Switch != nil:
			return 1
		}
		return 2
	}
	out := make([]int32, len(n.Vertices))
	for v := range out {
		out[v] = int32(v)
	}
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

func bridged(s *graph.Arc) bool { return !s.Routed }

// spanningTreePaths returns the turns on the spanning tree in state s. During convergence, devices forward on the old tree or on the new
// one.
func (v *view) spanningTreePaths(s ir.State) (*ir.Turns, error) {
	if err := v.onlyBridged(); err != nil {
		return nil, err
	}
	trees := [][]bool{v.spanningTree(nil), nil}
	if !s.Converging {
		trees = trees[1:]
	}
	down := make([]bool, len(v.Fabric.Links))
	for _, l := range s.Down {
		down[l.ID] = true
	}
	trees[len(trees)-1] = v.spanningTree(down)
	p := plan{back: s.Converging, rule: func(w *walk, c *graph.Class) rule {
		on := func(tree []bool) func(*graph.Arc) bool { return func(o *graph.Arc) bool { return tree[o.Link] } }
		is := w.hopsRule(w.treeHops(w.VerticesOf(c.Members[0], w.down), on(trees[len(trees)-1])))
		if !s.Converging || !w.wasAt(c) {
			return is
		}
		return eitherOf(w.hopsRule(w.treeHops(c.At, on(trees[0]))), is)
	}}
	if s.Converging {
		p.classes = func(w *walk) []*graph.Class { return append(slices.Clone(w.classes), w.moved()...) }
	}
	return v.follow(s, p)
}

// onlyBridged returns an error if a lossless routed link lies between devices that forward: the routing only determines paths of bridged
// traffic.
func (v *view) onlyBridged() error {
	if s := v.losslessStep(func(s *graph.Arc) bool { return s.Routed }); s != nil {
		return &ir.RoutingError{Code: ir.RoutedLink, Routing: v.Fabric.Routing, Out: v.OutPort(s), In: v.InPort(s)}
	}
	return nil
}

// onlyRouted is the reverse of onlyBridged.
func (v *view) onlyRouted() error {
	if s := v.losslessStep(func(s *graph.Arc) bool { return !carriesRoutes(s) }); s != nil {
		return bridgedLink(v.network, s)
	}
	return nil
}

func bridgedLink(n *network, s *graph.Arc) error {
	return &ir.RoutingError{Code: ir.BridgedLink, Routing: n.Fabric.Routing, Out: n.OutPort(s), In: n.InPort(s)}
}

// losslessStep returns the first matching step over a lossless link, or nil.
func (v *view) losslessStep(is func(*graph.Arc) bool) *graph.Arc {
	return v.firstArc(func(s *graph.Arc) bool { return (v.Lossless[s.Link] || v.Disagree(s)) && is(s) })
}

// treeHops returns, by vertex, the steps towards each of the vertices at, on links that form a tree. If there are several vertices, a frame
// may go to any of them.
func (n *network) treeHops(at []int32, forwarding func(*graph.Arc) bool) [][]int32 {
	hops := make([][]int32, len(n.Vertices))
	seen := make([]bool, len(n.Vertices))
	for _, goal := range at {
		clear(seen)
		seen[goal] = true
		for todo := []int32{goal}; len(todo) > 0; {
			u := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for j := range n.Arcs[u] {
				s := &n.Arcs[u][j]
				if seen[s.To] || !forwarding(s) {
					continue
				}
				seen[s.To] = true
				todo = append(todo, s.To)
				if slices.Contains(at, s.To) {
					continue
				}
				for k := range n.Arcs[u] { // by all cables of a bond
					if o := &n.Arcs[u][k]; o == s || o.SameBond(s) && forwarding(o) {
						hops[s.To] = append(hops[s.To], n.stepBy(s.To, n.InPort(o)))
					}
				}
			}
		}
	}
	for v := range hops {
		slices.Sort(hops[v])
		hops[v] = slices.Compact(hops[v])
	}
	return hops
}

// stepBy returns the index of the step from v by port p.
func (n *network) stepBy(v int32, p *ir.Port) int32 {
	i, _ := slices.BinarySearchFunc(n.Arcs[v], int32(p.Index), func(s graph.Arc, index int32) int { return cmp.Compare(s.Index, index) })
	return int32(i)
}

// bridgedForest reports whether the bridged links between devices that forward form one or several trees, so that bridged traffic has one
// path.
func (n *network) bridgedForest() bool {
	tree := n.spanningTree(nil)
	for v := range n.Arcs {
		for j := range n.Arcs[v] {
			if s := &n.Arcs[v][j]; bridged(s) && !tree[s.Link] {
				return false
			}
		}
	}
	return true
}
