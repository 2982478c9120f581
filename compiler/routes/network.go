package routes

import (
	"sync"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// network is the graph, with the questions of the routings as methods.
type network struct{ *graph.Graph }

func newNetwork(f *ir.Fabric) *network { return &network{graph.New(f)} }

// view is the network as one lossless group sees it.
type view struct {
	*network
	*graph.Traffic
	router    *Router
	notTiered *ir.RoutingError // why tiers do not say where traffic goes; nil if they do, or routing does not ask

	anyArcs [2]func() [][]arc // by vertex, with every cable up: for routed and for bridged talks
	twice   func() []bool     // by vertex: some neighbour is joined to it by several cables
}

func newView(r *Router, n *network, g *ir.CosGroup) *view {
	v := newBareView(r, n, g)
	v.Conversations = v.FromIntents()
	return v
}

// newBareView returns the view of a group without conversations yet.
func newBareView(r *Router, n *network, g *ir.CosGroup) *view {
	v := &view{network: n, Traffic: graph.NewTraffic(n.Graph, g), router: r}
	for kind := range v.anyArcs {
		v.anyArcs[kind] = sync.OnceValue(func() [][]arc { return v.openArcs(kind == 1) })
	}
	v.twice = sync.OnceValue(v.parallelCables)
	if n.Fabric.Routing == ir.UpDown {
		v.notTiered = v.tiersFail()
	}
	return v
}

// tiersFail says why "rises, then falls" leaves the way of lossless traffic open, or returns nil.
func (v *view) tiersFail() *ir.RoutingError {
	for i, d := range v.Vertices {
		var first *ir.Device
		for j := range v.Arcs[i] {
			s := &v.Arcs[i][j]
			if !v.Lossless[s.Link] && !v.Disagree(s) {
				continue
			}
			other := v.Vertices[s.To]
			switch {
			case d.Host != nil && first != nil && other != first:
				return &ir.RoutingError{Code: ir.HostBetween, Routing: ir.UpDown, Devices: []*ir.Device{d, first, other}}
			case s.Rise == 0 && !s.Peer && d.Height() != 0:
				return &ir.RoutingError{Code: ir.LevelLink, Routing: ir.UpDown, Devices: []*ir.Device{d, other}, Out: v.OutPort(s), In: v.InPort(s)}
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
	fills    bool // what comes in by that port fills a buffer of lossless groups, see ir.Port.Fills
	fillsTo  bool // and what leaves by it one at the other end
}

func (v *view) arc(s *graph.Arc) arc {
	return arc{s.To, s.Out, s.Index, v.Lossless[s.Link], v.Fills(s.Out, s.Link), v.Fills(s.In, s.Link)}
}

// openArcs returns, by vertex, the steps that routed or bridged traffic can take while every cable is up.
func (v *view) openArcs(bridged bool) [][]arc {
	out := make([][]arc, len(v.Arcs))
	graph.InParallel(len(out), 64, func(from, to int) {
		for i := from; i < to; i++ {
			row := make([]arc, 0, len(v.Arcs[i]))
			for j := range v.Arcs[i] {
				if s := &v.Arcs[i][j]; !(bridged && s.Routed) {
					row = append(row, v.arc(s))
				}
			}
			out[i] = row
		}
	})
	return out
}

// parallelCables reports, by vertex, whether some neighbour is joined to it by several cables.
func (v *view) parallelCables() []bool {
	out := make([]bool, len(v.Vertices))
	graph.InParallel(len(out), 512, func(from, to int) {
		last := make([]int32, len(v.Vertices)) // by neighbour: the vertex that met it last, counted from 1
		for i := from; i < to; i++ {
			for j := range v.Arcs[i] {
				other := v.Arcs[i][j].To
				out[i] = out[i] || last[other] == int32(i)+1
				last[other] = int32(i) + 1
			}
		}
	})
	return out
}
