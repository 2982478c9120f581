// Package routes has the [Router], which finds the turns that lossless traffic takes: the graph of the PFC-loop proof.
//
// Intents define the traffic, and members that never talk make no turns. Destinations that are attached to the same switches are one class
// (package graph), so hosts cost nothing beyond their switches. For each class the routing decides where its traffic may go. The traffic
// spreads from the switches of the senders, and every turn it makes between two links that are both lossless is one bit.
//
//   - shortest-path (shortest.go, collapse.go): every equal-cost shortest path, all links costing the same. Routing
//     protocols know nothing of PFC, so paths are found over every link that is up, lossless or not; only turns between
//     lossless links count, and those from a link whose ends disagree into a buffer of several groups (ir.Port.Fills).
//   - ebgp (ebgp.go): path vectors with the AS-loop check. Numbers that are all different make it shortest-path.
//   - up-down (updown.go): every path that rises through the tiers, takes at most one peer step and falls. Not only the
//     shortest of them: the person vouches for "never up again after down", not for more.
//   - spanning-tree, flooding, any, table (files of these names): one tree; every open bridged port; every walk that does not
//     turn back; the next hops of a file.
//   - where the links form a tree, every routing: there is one way, which AS numbers may still close.
//
// Traffic that changes its group on the way, and routings known only as "from here by these cables", are followed class by class
// (follow.go, bounce.go). So is traffic while routing converges (converge.go). Flows for a turn are found on demand (witness.go). Package
// failures decides which failures matter, and works on the same graph (cuts.go). The turns that a failure brings are found from the
// destinations whose distances change (changed.go). The traffic of one pair is followed on its own (ways.go).
//
// Hosts neither wait for nor pass on a pause, so turns from and to the ports of hosts that do not forward are left out.
// The graph follows Dally & Seitz (1987) as applied to PFC by Hu et al. (HotNets 2016).
package routes

import (
	"sync"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Router answers [ir.Routes] for one fabric. Nothing is computed before the first question.
type Router struct {
	fabric *ir.Fabric
	net    func() *network
	views  map[*ir.CosGroup]func() *view
	wholes sync.Map // by group: func() *whole

	coupled bool // see ir.Fabric.Coupled: lossy groups are followed, too
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

// Turns returns the turns traffic of g takes in state s. A lossy group takes some where the fabric is coupled.
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

// open returns what the routing leaves open of the traffic that may be in the group of v.
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
	all := &ir.CosGroup{Lossless: true} // one that every link carries
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
	if v.Forest && f.Routing != ir.TablePath { // there is one path to everywhere
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

// bounces returns a group that traffic of g changes into, or comes from, on its way; nil if it does not change.
func bounces(f *ir.Fabric, g *ir.CosGroup) *ir.CosGroup {
	if f.FlowControl == ir.Pause {
		return nil // a pause stops the whole cable, whatever the groups
	}
	if g.Bounce != g && g.Bounce != nil { // into itself is nowhere
		return g.Bounce
	}
	for _, o := range f.CosGroups {
		if o.Bounce == g && o != g {
			return o
		}
	}
	return nil
}
