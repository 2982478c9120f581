package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// walk follows the traffic of one group, class by class, with one set of links down.
type walk struct {
	*view
	down    []bool // by Link.ID
	classes []*graph.Class
	turns   *ir.Turns
	live    [2][][]arc // cached results of hops, for routed and for bridged conversations
	failed  []*ir.Link
	before  *walk // with no link down; nil: not needed yet

	bgp, bgpBefore *bgp // eBGP with the links down, and with none; nil: not needed yet

	// The following fields are scratch space, by vertex.
	dist             []int32
	order            []int32
	here             []bool   // shortest: the vertex is on the path back to a sender; up-down: a twin is attached there
	rising, ways     flooded  // up-down: neighbours from which rising traffic arrives; neighbours over which it reaches the class
	falling, canFall []bool   // up-down: falling traffic is at the vertex; it reaches the class from there
	mask, kept       []uint64 // the ports by which traffic leaves a vertex; those that a turn may use
}

func newWalk(v *view, down []*ir.Link) *walk {
	w := newSearch(v, down)
	w.turns = &ir.Turns{Group: v.Group, Rows: make([][]uint64, len(v.Fabric.Ports))}
	return w
}

// newSearch returns a walk that records no turns.
func newSearch(v *view, down []*ir.Link) *walk {
	w := &walk{
		view:   v,
		down:   make([]bool, len(v.Fabric.Links)),
		failed: slices.Clone(down),
		dist:   make([]int32, len(v.Vertices)),
		here:   make([]bool, len(v.Vertices)),
	}
	moves := false // a member is attached to fewer vertices than without failures
	for _, l := range down {
		w.down[l.ID] = true
		moves = moves || !l.A().Device().Forwards() || !l.B().Device().Forwards()
	}
	if moves {
		w.classes = v.Classes(w.down)
	} else {
		w.classes = v.HealthyClasses()
	}
	return w
}

// open reports whether traffic of the conversation can take the step.
func (w *walk) open(t *graph.Conversation, s *graph.Arc) bool {
	return !w.down[s.Link] && !(t.Bridged && s.Routed)
}

// hops returns, by vertex, the steps open to traffic of the conversation.
func (w *walk) hops(t *graph.Conversation) [][]arc {
	kind := 0
	if t.Bridged {
		kind = 1
	}
	if w.live[kind] != nil {
		return w.live[kind]
	}
	out := w.anyArcs[kind]()
	if len(w.failed) > 0 {
		out = slices.Clone(out)
		for _, l := range w.failed {
			for _, d := range []*ir.Device{l.A().Device(), l.B().Device()} {
				if v := w.VertexOf[d.ID]; v >= 0 {
					out[v] = nil
					for j := range w.Arcs[v] {
						if s := &w.Arcs[v][j]; w.open(t, s) {
							out[v] = append(out[v], w.arc(s))
						}
					}
				}
			}
		}
	}
	w.live[kind] = out
	return out
}

// distances sets dist to the hops from every vertex to the class, -1 without a path, and order to the vertices with a path, nearest first.
func (w *walk) distances(c *graph.Class) {
	hops := w.hops(c.Conversation)
	for i := range w.dist {
		w.dist[i] = -1
	}
	w.order = w.order[:0]
	for _, v := range c.At {
		w.dist[v] = 0
		w.order = append(w.order, v)
	}
	for i := 0; i < len(w.order); i++ {
		v := w.order[i]
		next := w.dist[v] + 1
		for _, h := range hops[v] {
			if w.dist[h.to] < 0 {
				w.dist[h.to] = next
				w.order = append(w.order, h.to)
			}
		}
	}
}

// clear empties the mask for vertex v.
func (w *walk) clear(v int32) {
	n := int(w.RowWords[v])
	w.mask = slices.Grow(w.mask[:0], n)[:n]
	clear(w.mask)
}

// leave adds the step to the mask if its cable is lossless.
func (w *walk) leave(s *graph.Arc) {
	if w.Lossless[s.Link] {
		w.mask[s.Index/64] |= 1 << (s.Index % 64)
	}
}

// record adds the turns from the port of v at which s starts to every port of the mask. It adds no turns back to the previous device, which
// may have several cables to v.
func (w *walk) record(v int32, s *graph.Arc) {
	if !w.Fills(s.Out, s.Link) {
		return
	}
	w.kept = append(w.kept[:0], w.mask...)
	w.kept[s.Index/64] &^= 1 << (s.Index % 64)
	if w.twice()[v] {
		for j := range w.Arcs[v] {
			if o := &w.Arcs[v][j]; o.To == s.To {
				w.kept[o.Index/64] &^= 1 << (o.Index % 64)
			}
		}
	}
	for i, m := range w.kept {
		if m != 0 {
			w.join(s.Out, i, m, len(w.kept))
		}
	}
}

// join adds the turns from an in-port to the ports of one word of a mask; the mask has the given number of words.
func (w *walk) join(in int32, word int, m uint64, words int) {
	row := w.turns.Rows[in]
	if row == nil {
		row = make([]uint64, words)
		w.turns.Rows[in] = row
	}
	row[word] |= m
}
