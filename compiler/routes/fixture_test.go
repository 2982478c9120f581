package routes

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// routed completes a fabric and gives it its router.
func routed(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	f.Routes = New(f)
	return f
}

// size counts the nodes with at least one edge, and the edges, of the buffer dependency graph.
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

func turnsOf(f *ir.Fabric, t *ir.Turns) map[ir.Turn]bool {
	out := map[ir.Turn]bool{}
	for _, in := range f.Ports {
		for _, q := range in.Device.Ports {
			if t.Has(in, q) {
				out[ir.Turn{In: in, Out: q}] = true
			}
		}
	}
	return out
}
