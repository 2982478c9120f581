package routes

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Spanning tree: one tree of the bridged network at a time (IEEE 802.1D and 802.1Q; Cumulus Linux runs one for all
// VLANs).
//
// The root is the one the fabric pins; else, and on islands without it, the first switch in order of names. Every other
// device keeps one cable towards the root: the fewest cables away, of equals the one to the first device, of equals
// the lowest port over there. All other bridged cables between devices that forward are blocked. A bond is one cable.
// Speeds are not weighed: with mixed speeds a real tree may be another one, but it is a tree as well. Hosts that forward
// are bridges.

// spanningTree returns, by Link.ID, the cables that forward. A nil down: no link is.
func (n *network) spanningTree(down []bool) []bool {
	forwarding := make([]bool, len(n.fabric.Links))
	far := make([]int32, len(n.nodes)) // cables to the root; -1: not reached yet
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
			for _, u := range now { // in order of devices, so the first to reach a device wins
				for j := range n.steps[u] { // in order of ports
					if s := &n.steps[u][j]; far[s.to] < 0 && bridged(s) && (down == nil || !down[s.link]) {
						far[s.to] = far[u] + 1
						next = append(next, s.to)
						for k := range n.steps[u] { // a bond is one port
							if o := &n.steps[u][k]; o == s || o.sameBond(s) && (down == nil || !down[o.link]) {
								forwarding[o.link] = true
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

// roots returns the nodes in the order in which they become roots: the pinned one, then switches, then hosts.
func (n *network) roots() []int32 {
	rank := func(v int32) int {
		switch d := n.nodes[v]; {
		case d == n.fabric.Root:
			return 0
		case d.Switch != nil:
			return 1
		}
		return 2
	}
	out := make([]int32, len(n.nodes))
	for v := range out {
		out[v] = int32(v)
	}
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

func bridged(s *step) bool { return !s.routed }

// spanningTreePaths returns the turns on the spanning tree in state s. While it converges, devices forward on the tree
// before links failed or on the one after.
func (v *view) spanningTreePaths(s ir.State) (*ir.Turns, error) {
	if err := v.onlyBridged(); err != nil {
		return nil, err
	}
	trees := [][]bool{v.spanningTree(nil), nil}
	if !s.Converging {
		trees = trees[1:]
	}
	down := make([]bool, len(v.fabric.Links))
	for _, l := range s.Down {
		down[l.ID] = true
	}
	trees[len(trees)-1] = v.spanningTree(down)
	p := plan{back: s.Converging, rule: func(w *walk, c *class) rule {
		on := func(tree []bool) func(*step) bool { return func(o *step) bool { return tree[o.link] } }
		is := w.hopsRule(w.treeHops(w.places(c.members[0], w.down), on(trees[len(trees)-1])))
		if !s.Converging || !w.wasAt(c) {
			return is
		}
		return eitherOf(w.hopsRule(w.treeHops(c.at, on(trees[0]))), is)
	}}
	if s.Converging {
		p.classes = func(w *walk) []*class { return append(slices.Clone(w.classes), w.moved()...) }
	}
	return v.follow(s, p)
}

// onlyBridged returns an error if a lossless routed link lies between devices that forward: the routing says only how
// bridged traffic goes.
func (v *view) onlyBridged() error {
	if s := v.losslessStep(func(s *step) bool { return s.routed }); s != nil {
		return &ir.RoutingError{Code: ir.RoutedLink, Routing: v.fabric.Routing, Out: s.out, In: s.in}
	}
	return nil
}

// onlyRouted is the reverse of onlyBridged.
func (v *view) onlyRouted() error {
	if s := v.losslessStep(func(s *step) bool { return !carriesRoutes(s) }); s != nil {
		return &ir.RoutingError{Code: ir.BridgedLink, Routing: v.fabric.Routing, Out: s.out, In: s.in}
	}
	return nil
}

// losslessStep returns the first step over a lossless link that is as asked for, or nil.
func (v *view) losslessStep(is func(*step) bool) *step {
	for u := range v.steps {
		for j := range v.steps[u] {
			if s := &v.steps[u][j]; v.lossless[s.link] && is(s) {
				return s
			}
		}
	}
	return nil
}

// treeHops returns, by node, the steps towards each of the nodes at, on links that form a tree. A frame for several
// nodes may be on its way to any of them.
func (n *network) treeHops(at []int32, forwarding func(*step) bool) [][]int32 {
	hops := make([][]int32, len(n.nodes))
	seen := make([]bool, len(n.nodes))
	for _, goal := range at {
		clear(seen)
		seen[goal] = true
		for todo := []int32{goal}; len(todo) > 0; {
			u := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for j := range n.steps[u] {
				s := &n.steps[u][j]
				if seen[s.to] || !forwarding(s) {
					continue
				}
				seen[s.to] = true
				todo = append(todo, s.to)
				if slices.Contains(at, s.to) {
					continue
				}
				for k := range n.steps[u] { // by every cable of a bond
					if o := &n.steps[u][k]; o == s || o.sameBond(s) && forwarding(o) {
						hops[s.to] = append(hops[s.to], n.stepBy(s.to, o.in))
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

// stepBy returns the index of the step that leaves v by port p.
func (n *network) stepBy(v int32, p *ir.Port) int32 {
	i, _ := slices.BinarySearchFunc(n.steps[v], p.Index, func(s step, index int) int { return cmp.Compare(s.out.Index, index) })
	return int32(i)
}

// bridgedForest tells whether the bridged links between devices that forward form a tree or several, so that bridged
// traffic has one way to go.
func (n *network) bridgedForest() bool {
	tree := n.spanningTree(nil)
	for v := range n.steps {
		for j := range n.steps[v] {
			if s := &n.steps[v][j]; bridged(s) && !tree[s.link] {
				return false
			}
		}
	}
	return true
}
