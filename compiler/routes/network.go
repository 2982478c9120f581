package routes

import (
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// network is the graph, with what the routings ask of it.
type network struct{ *Graph }

func newNetwork(f *ir.Fabric) *network { return &network{NewGraph(f)} }

// view is the network as one lossless group sees it.
type view struct {
	*network
	*Traffic
	router    *Router
	notTiered *ir.RoutingError // why tiers do not say where traffic goes; nil if they do, or routing does not ask

	anyArcs [2]func() [][]arc // by node, with every cable up: for routed and for bridged talks
	twice   func() []bool     // by node: some neighbour is joined to it by several cables
}

func newView(r *Router, n *network, g *ir.CosGroup) *view {
	v := newBareView(r, n, g)
	v.talks = v.conversations()
	return v
}

// newBareView returns the view of a group in which nobody talks yet.
func newBareView(r *Router, n *network, g *ir.CosGroup) *view {
	v := &view{network: n, Traffic: NewTraffic(n.Graph, g), router: r}
	for kind := range v.anyArcs {
		v.anyArcs[kind] = sync.OnceValue(func() [][]arc { return v.openArcs(kind == 1) })
	}
	v.twice = sync.OnceValue(v.parallelCables)
	if n.fabric.Routing == ir.UpDown {
		v.notTiered = v.tiersFail()
	}
	return v
}

// tiersFail says why "rises, then falls" leaves the way of lossless traffic open, or returns nil.
func (v *view) tiersFail() *ir.RoutingError {
	for i, d := range v.nodes {
		var first *ir.Device
		for j := range v.steps[i] {
			s := &v.steps[i][j]
			if !v.lossless[s.link] {
				continue
			}
			other := v.nodes[s.to]
			switch {
			case d.Host != nil && first != nil && other != first:
				return &ir.RoutingError{Code: ir.HostBetween, Routing: ir.UpDown, Devices: []*ir.Device{d, first, other}}
			case s.rise == 0 && !s.peer && d.Height() != 0:
				return &ir.RoutingError{Code: ir.LevelLink, Routing: ir.UpDown, Devices: []*ir.Device{d, other}, Out: s.out, In: s.in}
			}
			first = other
		}
	}
	return nil
}

// arc is a step that can be taken, cut down to what shortest paths need.
type arc struct {
	to       int32
	port     int32 // ID of the port it leaves by
	index    int32 // Index of the same
	lossless bool
}

func (v *view) arc(s *step) arc {
	return arc{s.to, s.port, s.index, v.lossless[s.link]}
}

// openArcs returns, by node, the steps that routed or bridged traffic can take while every cable is up.
func (v *view) openArcs(bridged bool) [][]arc {
	out := make([][]arc, len(v.steps))
	inParallel(len(out), 64, func(from, to int) {
		for i := from; i < to; i++ {
			row := make([]arc, 0, len(v.steps[i]))
			for j := range v.steps[i] {
				if s := &v.steps[i][j]; !(bridged && s.routed) {
					row = append(row, v.arc(s))
				}
			}
			out[i] = row
		}
	})
	return out
}

// parallelCables tells, by node, whether some neighbour is joined to it by several cables.
func (v *view) parallelCables() []bool {
	out := make([]bool, len(v.nodes))
	inParallel(len(out), 512, func(from, to int) {
		last := make([]int32, len(v.nodes)) // by neighbour: the node that met it last, counted from 1
		for i := from; i < to; i++ {
			for j := range v.steps[i] {
				other := v.steps[i][j].to
				out[i] = out[i] || last[other] == int32(i)+1
				last[other] = int32(i) + 1
			}
		}
	})
	return out
}
