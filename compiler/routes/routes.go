// Package routes has the [Router], which finds the turns that lossless traffic takes: the graph of the PFC-loop proof.
//
// Intents define the traffic, and members that never talk make no turns. Destinations that are attached to the same switches are one class
// (package graph), so the cost depends on switches, not on hosts. For each class the routing decides which paths its traffic may take. The
// traffic spreads from the switches of the senders, and every turn it makes between two links that are both lossless is one bit.
//
//   - shortest-path (shortest.go, collapse.go): every equal-cost shortest path; all links have the same cost. Routing protocols do not
//     consider PFC, so paths may use every link that is up, lossless or not. Only turns between lossless links count, and turns from a link
//     whose ends disagree into a buffer of several groups (ir.Port.Fills).
//   - ebgp (ebgp.go): path vectors with the AS-loop check. If all numbers differ, this is shortest-path.
//   - up-down (updown.go): every path that rises through the tiers, takes at most one peer step and falls. These are not only the shortest:
//     the person only guarantees "never up again after down".
//   - spanning-tree, flooding, any, table (files of these names): one tree; every open bridged port; every walk that does not
//     turn back; the next hops of a file.
//   - every routing if the links form a tree: there is one path, which AS numbers may still block.
//
// Traffic that changes its group on the way, and routings known only as next hops of each device, are followed class by class (follow.go,
// bounce.go). So is traffic while routing converges (converge.go). Flows for a turn are found on demand (witness.go). Package failures
// decides which failures matter, and works on the same graph (cuts.go). The turns that a failure adds are found from the destinations whose
// distances change (changed.go). The traffic of one pair is followed separately (ways.go).
//
// Hosts neither wait for nor pass on a pause, so turns from and to the ports of hosts that do not forward are left out.
// The graph follows Dally & Seitz (1987) as applied to PFC by Hu et al. (HotNets 2016).
package routes

import (
	"sync"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Router implements [ir.Routes] for one fabric. It computes nothing before the first call.
type Router struct {
	fabric *ir.Fabric
	net    func() *network
	views  map[*ir.CosGroup]func() *view
	wholes sync.Map // by group: func() *whole

	coupled bool // see ir.Fabric.Coupled: lossy groups are also followed
}

var _ ir.Routes = (*Router)(nil)

// New returns the router of f.
func New(f *ir.Fabric) *Router {
	r := &Router{fabric: f, views: make(map[*ir.CosGroup]func() *view, len(f.CosGroups))}
	r.net = sync.OnceValue(func() *network { return newNetwork(f) })
	for _, g := range f.CosGroups {
		r.views[g] = sync.OnceValue(func() *view { return newView(r, r.net(), g) })
	}
	if r.coupled = f.Coupled(); r.coupled {
		r.views[ir.Lossy] = sync.OnceValue(func() *view { return newView(r, r.net(), ir.Lossy) })
	}
	return r
}

// Graph returns the graph of the fabric.
func (r *Router) Graph() *graph.Graph { return r.net().Graph }

// Of returns the router of another fabric.
func (r *Router) Of(f *ir.Fabric) ir.Routes { return New(f) }

// Turns returns the turns traffic of g takes in state s. A lossy group has turns only if the fabric is coupled.
func (r *Router) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	if !g.Lossless && !r.coupled {
		return nil, &ir.RoutingError{Code: ir.LossyGroup, Routing: r.fabric.Routing, Group: g}
	}
	v := r.views[g]()
	t, err := v.turns(s)
	if err != nil || v.open() == nil {
		return t, err
	}
	own := *t
	own.Open = v.open()
	return &own, nil
}

// open returns the error for traffic in the group of v whose path the routing does not determine; nil: not found.
func (v *view) open() *ir.RoutingError {
	for _, source := range v.sources() {
		if source.Open != nil {
			return source.Open
		}
	}
	return nil
}

// Everybody returns the turns that traffic takes, lossless or not, if every host sends to every other one. The error is a
// [*ir.RoutingError].
func (r *Router) Everybody() (*ir.Turns, error) {
	all := &ir.CosGroup{Lossless: true} // a group that every link carries
	own := &Router{fabric: r.fabric, net: r.net}
	v := newBareView(own, r.net(), all)
	own.views = map[*ir.CosGroup]func() *view{all: func() *view { return v }}
	for i := range v.Lossless {
		v.Lossless[i] = true
	}
	if r.fabric.Routing == ir.UpDown {
		v.notTiered = v.tiersFail()
	}
	v.Conversations = v.Everyone()
	return v.turns(ir.State{})
}

func (v *view) turns(s ir.State) (*ir.Turns, error) {
	f := v.Fabric
	if v.Forest && f.Routing != ir.TablePath { // there is one path to every destination
		switch {
		case f.Routing == ir.UpDown && v.notTiered == nil:
		case f.Routing == ir.EBGP && !v.bgpIsShortest():
			return v.pathVector(s)
		case f.Routing == ir.Flooding:
			return v.anyPaths(s)
		case f.Routing != ir.AnyPath:
			return v.shortestPaths(s)
		}
	}
	switch f.Routing {
	case ir.ShortestPath:
		return v.shortestPaths(s)
	case ir.UpDown:
		return v.upDownPaths(s)
	case ir.AnyPath:
		return v.anyPaths(s)
	case ir.EBGP:
		return v.ebgpPaths(s)
	case ir.SpanningTree:
		return v.spanningTreePaths(s)
	case ir.Flooding:
		return v.floodedPaths(s)
	case ir.TablePath:
		return v.tablePaths(s)
	}
	return nil, &ir.RoutingError{Code: ir.NoRouting}
}

// bounces returns a group that traffic of g bounces into, or comes from; nil: not found.
func bounces(f *ir.Fabric, g *ir.CosGroup) *ir.CosGroup {
	if f.FlowControl == ir.Pause {
		return nil // a pause stops the whole cable, in all groups
	}
	if g.Bounce != g && g.Bounce != nil { // a bounce into the same group changes nothing
		return g.Bounce
	}
	for _, o := range f.CosGroups {
		if o.Bounce == g && o != g {
			return o
		}
	}
	return nil
}
