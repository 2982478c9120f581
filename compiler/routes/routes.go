// Package routes tells which turns lossless traffic takes: the graph the PFC-loop proof is made on.
package routes

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// Routes: from cabling and intents to the turns lossless traffic takes.
//
// Traffic is what the intents say, and members that never talk make no turns. Destinations that hang on the same
// switches are one class, so hosts cost nothing beyond their switches. For each class the routing says where its
// traffic may go (routes_walk.go); traffic spreads from the switches of the senders, and every turn it makes between two
// links that are both lossless is one bit.
//
//   - shortest-path: every equal-cost shortest path, all links costing the same. Routing protocols know nothing of PFC,
//     so paths are found over every link that is up, lossless or not; only turns between lossless links count.
//   - up-down: every path that rises through the tiers, takes at most one peer step and falls. Not only the shortest
//     of them: the person vouches for "never up again after down", not for more.
//   - any: every walk that does not turn back to the switch it came from.
//   - where the links form a tree, every routing: there is one way.
//
// Hosts neither wait for nor pass on a pause, so turns from and to the ports of hosts that do not forward are left out.
// The graph follows Dally & Seitz (1987) as applied to PFC by Hu et al. (HotNets 2016).

// Router answers [ir.Routes] for one fabric. Nothing is computed before the first question.
type Router struct {
	fabric *ir.Fabric
	views  map[*ir.CosGroup]func() *view
}

var _ ir.Routes = (*Router)(nil)

// New returns the router of f.
func New(f *ir.Fabric) *Router {
	net := sync.OnceValue(func() *network { return newNetwork(f) })
	r := &Router{fabric: f, views: make(map[*ir.CosGroup]func() *view, len(f.CosGroups))}
	for _, g := range f.CosGroups {
		r.views[g] = sync.OnceValue(func() *view { return newView(net(), g) })
	}
	return r
}

// Turns returns the turns traffic of g takes in state s.
func (r *Router) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	f := r.fabric
	if !g.Lossless {
		return nil, fmt.Errorf("cos group %q is lossy, so its traffic waits for nobody", g.Name)
	}
	if other := bounces(f, g); other != nil {
		return nil, fmt.Errorf("traffic that bounces moves between cos groups %q and %q on its way, and turns that "+
			"change the group are not followed", g.Name, other.Name)
	}
	v := r.views[g]()
	follow := f.Routing
	switch {
	case follow == ir.ShortestPath || follow == ir.AnyPath:
	case follow == ir.UpDown && v.notTiered == "":
	case v.tree && follow == ir.Flooding:
		follow = ir.AnyPath
	case v.tree: // there is one path to everywhere
		follow = ir.ShortestPath
	case follow == ir.UpDown:
		return nil, errors.New(v.notTiered)
	case follow == "":
		return nil, errors.New("the fabric does not say how lossless traffic is forwarded (fabric.routing)")
	default:
		return nil, fmt.Errorf("the paths of routing %q are followed only where the links between switches form a tree, "+
			"and here they do not", follow)
	}
	w := newWalk(v, s.Down)
	turns := w.run(follow, slices.Clone(s.Down))
	turns.Group = g
	return turns, nil
}

// bounces returns a group that traffic of g changes into, or comes from, on its way; nil if there is none.
func bounces(f *ir.Fabric, g *ir.CosGroup) *ir.CosGroup {
	if g.Bounce != nil {
		return g.Bounce
	}
	for _, o := range f.CosGroups {
		if o.Bounce == g {
			return o
		}
	}
	return nil
}

// network is the fabric as traffic sees it: the devices that forward, joined by cables. Hosts that do not forward
// are only places on it.
type network struct {
	fabric *ir.Fabric
	nodes  []*ir.Device // devices that forward, by Device.ID
	node   []int32      // Device.ID to its index in nodes; -1: a host that does not forward
	steps  [][]step     // by node, in order of its ports: the cables to other nodes
	tree   bool         // the cables between nodes form a tree, or several
}

// step is one direction of a cable between two nodes.
type step struct {
	out, in *ir.Port // the port it leaves by; the port it comes in by
	to      int32
	link    int32
	routed  bool
	peer    bool
	rise    int8 // +1 to a higher tier, -1 to a lower, 0 to the same
}

func forwards(d *ir.Device) bool { return d.Switch != nil || d.Host.Forwards }

// tier is the height of a device that forwards: hosts stand below every switch.
func tier(d *ir.Device) int {
	if d.Switch != nil {
		return d.Switch.Tier
	}
	return 0
}

func newNetwork(f *ir.Fabric) *network {
	n := &network{fabric: f, node: make([]int32, len(f.Devices))}
	for _, d := range f.Devices {
		n.node[d.ID] = -1
		if forwards(d) {
			n.node[d.ID] = int32(len(n.nodes))
			n.nodes = append(n.nodes, d)
		}
	}
	n.steps = make([][]step, len(n.nodes))
	for v, d := range n.nodes {
		for _, p := range d.Ports {
			q := p.Peer()
			to := n.node[q.Device.ID]
			if to < 0 || to == int32(v) { // a cable from a switch to itself takes traffic nowhere
				continue
			}
			s := step{out: p, in: q, to: to, link: int32(p.Link.ID), routed: p.Link.Routed, peer: p.Link.Peer}
			switch a, b := tier(d), tier(q.Device); {
			case a < b:
				s.rise = +1
			case a > b:
				s.rise = -1
			}
			n.steps[v] = append(n.steps[v], s)
		}
	}
	n.tree = n.isTree()
	return n
}

// isTree tells whether the cables form a tree or several: as many cables as nodes, less one for every island.
func (n *network) isTree() bool {
	cables, islands := 0, 0
	seen := make([]bool, len(n.nodes))
	for first := range n.nodes {
		cables += len(n.steps[first])
		if seen[first] {
			continue
		}
		seen[first] = true
		islands++
		for todo := []int32{int32(first)}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, s := range n.steps[v] {
				if !seen[s.to] {
					seen[s.to] = true
					todo = append(todo, s.to)
				}
			}
		}
	}
	return cables/2 == len(n.nodes)-islands
}

// view is the network as one lossless group sees it.
type view struct {
	*network
	group     *ir.CosGroup
	lossless  []bool // by Link.ID: both ends count the group as lossless
	talks     []*talk
	notTiered string // why tiers do not say where traffic goes; empty if they do
}

func newView(n *network, g *ir.CosGroup) *view {
	v := &view{network: n, group: g, lossless: make([]bool, len(n.fabric.Links))}
	for _, l := range n.fabric.Links {
		v.lossless[l.ID] = carries(n.fabric, l.A, g) && carries(n.fabric, l.B, g)
	}
	v.talks = v.conversations()
	v.notTiered = v.tiersFail()
	return v
}

// carries tells whether g is lossless at p. Link pause stops the whole cable: what is lossless for one group is
// lossless for all.
func carries(f *ir.Fabric, p *ir.Port, g *ir.CosGroup) bool {
	if f.FlowControl == ir.Pause {
		return len(p.Buffers) > 0
	}
	return p.Carries(g) != nil
}

// tiersFail says why "rises, then falls" leaves the way of lossless traffic open, or returns "".
func (v *view) tiersFail() string {
	for i, d := range v.nodes {
		var first *ir.Device
		for _, s := range v.steps[i] {
			if !v.lossless[s.link] {
				continue
			}
			other := s.in.Device
			switch {
			case d.Host != nil && first != nil && other != first:
				return fmt.Sprintf("host %s forwards between %s and %s and stands below both, so whether traffic may come "+
					"down to it and go up again is not said by tiers", d.Name, first.Name, other.Name)
			case s.rise == 0 && !s.peer && tier(d) != 0:
				return fmt.Sprintf("%s and %s are both of tier %d and the link %s - %s is no peer link, so it is neither up "+
					"nor down: give them different tiers, or say peer = true if at most one such step lies on a path",
					d.Name, other.Name, tier(d), s.out, s.in)
			}
			first = other
		}
	}
	return ""
}
