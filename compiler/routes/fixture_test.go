package routes

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// routed completes a fabric and sets its router.
func routed(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	f.Routes = New(f)
	return f
}

// size counts the vertices with at least one edge, and the edges, of the buffer dependency graph.
func size(f *ir.Fabric, t *ir.Turns) (nodes, edges int) {
	node := make([]bool, len(f.Ports))
	for turn := range turnsOf(f, t) {
		node[turn.In.ID], node[turn.Out.Peer().ID] = true, true
		edges++
	}
	for _, n := range node {
		if n {
			nodes++
		}
	}
	return nodes, edges
}

// differ names the first turn that is in one set only; empty if the sets are equal. (testify would print the whole fabric for two different
// sets of turns.)
func differ(f *ir.Fabric, want, got map[ir.Turn]bool) string {
	for _, in := range f.Ports {
		for _, out := range in.Device().Ports {
			if turn := (ir.Turn{In: in, Out: out}); want[turn] != got[turn] {
				return fmt.Sprintf("%s -> %s wanted: %t", in, out, want[turn])
			}
		}
	}
	return ""
}

func turnsOf(f *ir.Fabric, t *ir.Turns) map[ir.Turn]bool {
	out := map[ir.Turn]bool{}
	for _, in := range f.Ports {
		for _, q := range in.Device().Ports {
			if t.Has(in, q) {
				out[ir.Turn{In: in, Out: q}] = true
			}
		}
	}
	return out
}

// shortest records the turns of every shortest path to c, one class at a time. Vertices are visited farthest first, so a vertex's traffic
// has arrived before it is sent on.
func (w *walk) shortest(c *graph.Class) {
	hops := w.hops(c.Conversation)
	copy(w.here, c.IsSender)
	for _, v := range slices.Backward(w.order) {
		here := w.dist[v]
		if !w.here[v] || here == 0 {
			continue
		}
		w.clear(v)
		ins := []int32{}
		for _, h := range hops[v] {
			switch w.dist[h.to] {
			case here - 1:
				w.here[h.to] = true
				if h.lossless {
					w.mask[h.index/64] |= 1 << (h.index % 64)
				}
			case here + 1:
				if h.lossless && w.here[h.to] {
					ins = append(ins, h.port)
				}
			}
		}
		for i, m := range w.mask {
			for _, in := range ins {
				w.join(in, i, m, len(w.mask))
			}
		}
	}
}
