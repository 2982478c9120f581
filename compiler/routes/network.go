package routes

import (
	"sync"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// network is the graph with methods for the routings.
type network struct{ *graph.Graph }

func newNetwork(f *ir.Fabric) *network { return &network{graph.New(f)} }

// view is the network for one lossless group.
type view struct {
	*network
	*graph.Traffic
	router    *Router
	notTiered *ir.RoutingError // the reason why tiers do not determine the path of traffic; nil: they do, or the routing does not need them

	anyArcs [2]func() [][]arc // by vertex, with all cables up: for routed and for bridged conversations
	twice   func() []bool     // by vertex: several cables lead to the same neighbour
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

// tiersFail returns the reason why "rises, then falls" does not determine the path of lossless traffic, or nil.
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

// arc is a possible step, with the values that shortest paths need.
type arc struct {
	to       int32
	port     int32 // Port.ID of the sending port
	index    int32 // Port.Index of the sending port
	lossless bool
	fills    bool // traffic that comes in by that port fills a lossless buffer, see ir.Port.Fills
	fillsTo  bool // traffic that leaves by it fills a lossless buffer at the other end
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

// parallelCables reports, by vertex, whether several cables lead to the same neighbour.
func (v *view) parallelCables() []bool {
	out := make([]bool, len(v.Vertices))
	graph.InParallel(len(out), 512, func(from, to int) {
		last := make([]int32, len(v.Vertices)) // by neighbour: the last vertex that it was seen at, counted from 1
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
