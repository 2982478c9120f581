package routes

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// This file finds the paths of one pair. It follows traffic from one member to another cable by cable, like [trace], and keeps every cable
// that the traffic may take. If the routing allows every path, or also longer paths (up-down), only the shortest are kept.

// Ways returns the paths of a trip's traffic after routing has converged in state s. If the sender or the receiver is cut off, the result
// has only the first stop.
func (r *Router) Ways(t ir.Trip, s ir.State) (*ir.Ways, error) {
	g := t.Group
	if g == nil {
		g = &ir.CosGroup{}
	}
	v := newBareView(r, r.net(), g)
	from, to := graph.Member(t.From), graph.Member(t.To)
	pair := &graph.Conversation{Bridged: t.Bridged || r.fabric.Routing == ir.Flooding, Members: []graph.Member{from, to}}
	v.Conversations = []*graph.Conversation{pair}
	if !s.Budget.Spend(4*v.Edges + 2*len(v.Vertices)) {
		return nil, ir.ErrBudget
	}
	w := wayfinder{
		to: to, known: map[spot]int{}, arrived: map[int]bool{},
		ways: &ir.Ways{Stops: []ir.Stop{{Device: from[0].Device(), Group: t.Group}}},
	}
	s.Converging = false
	p, nearest, err := v.wayPlan(s, w.ways)
	if err != nil {
		return nil, err
	}
	w.trace = newTrace(v, v, s.Down, p)
	if t.Group == nil {
		w.groups = []*ir.CosGroup{nil}
	}
	for _, c := range w.trace.classes {
		if len(c.At) > 0 && slices.ContainsFunc(c.Members, func(m graph.Member) bool { return &m[0] == &to[0] }) {
			w.begin(c, p.rule(w.walk, c))
			w.spread(from)
			if w.bgp != nil {
				if !s.Budget.Spend(bgpCost * (2*v.Edges + len(v.Vertices))) {
					return nil, ir.ErrBudget
				}
				w.ways.Sure = w.reached(from)
				w.ways.Remote = len(s.Down) == 0 && !w.bgp.steady(c.At)
			}
		}
	}
	w.measure(nearest)
	if w.bgp == nil {
		w.ways.Sure = w.ways.Stops[0].Left >= 0
	}
	return w.ways, nil
}

// reached reports whether a port of the sender certainly has a route in the last run of eBGP.
func (w *wayfinder) reached(from graph.Member) bool {
	return slices.ContainsFunc(from, func(p *ir.Port) bool {
		v := w.Vertex(p, w.down)
		return v >= 0 && w.bgp.sure[v] < open
	})
}

// wayPlan returns the plan for following the pair's traffic in state s, and whether only the shortest paths count. It sets Mixed and Every
// in ways.
func (v *view) wayPlan(s ir.State, ways *ir.Ways) (p plan, nearest bool, err error) {
	shortest := plan{rule: shortestRule}
	routing := v.Fabric.Routing
	if v.Forest && routing != ir.TablePath && (routing != ir.UpDown || v.notTiered != nil) && (routing != ir.EBGP || v.bgpIsShortest()) {
		return shortest, false, nil // there is one path to every destination
	}
	switch routing {
	case ir.ShortestPath:
		return shortest, false, nil
	case ir.UpDown:
		if v.notTiered != nil {
			return p, false, v.notTiered
		}
		return plan{rule: upDownRule}, true, nil
	case ir.EBGP:
		if err := v.onlyRouted(); err != nil {
			return p, false, err
		}
		if v.bgpIsShortest() {
			return shortest, false, nil
		}
		mixed, err := v.tiesMatter(s.Down, s)
		if mixed {
			ways.Mixed = ir.MixedTies
		}
		return plan{rule: func(w *walk, c *graph.Class) rule { return w.bgpRule(c, s) }}, false, err
	case ir.SpanningTree:
		if err := v.onlyBridged(); err != nil {
			return p, false, err
		}
		return plan{rule: func(w *walk, c *graph.Class) rule {
			tree := w.spanningTree(w.down)
			return w.hopsRule(w.treeHops(c.At, func(s *graph.Arc) bool { return tree[s.Link] }))
		}}, false, nil
	case ir.TablePath:
		if v.Fabric.Table == nil {
			return p, false, &ir.RoutingError{Code: ir.NoTable, Routing: routing}
		}
		return v.tablePlan(), false, nil
	}
	ways.Every = true // flooding, any, or no stated routing
	return shortest, false, nil
}

// spot contains the values that are equal for all visits of one stop.
type spot struct {
	in    *ir.Port
	group int
	falls bool
}

// wayfinder collects the stops of one pair.
type wayfinder struct {
	*trace
	ways    *ir.Ways
	to      graph.Member
	known   map[spot]int // index of the stop
	arrived map[int]bool // stops at the receiver
}

// stop returns the index of a stop, and creates the stop if it is new.
func (w *wayfinder) stop(at spot) int {
	i, ok := w.known[at]
	if !ok {
		i = len(w.ways.Stops)
		w.known[at] = i
		w.ways.Stops = append(w.ways.Stops, ir.Stop{Device: at.in.Device(), In: at.in, Group: w.groups[at.group]})
	}
	return i
}

// leg adds the cable from one stop to another.
func (w *wayfinder) leg(from int, out *ir.Port, group, to int) {
	l := ir.Leg{Out: out, Group: w.groups[group], Stop: to}
	if next := &w.ways.Stops[from].Next; !slices.Contains(*next, l) {
		*next = append(*next, l)
	}
}

// spread follows the traffic of the current class from the sender.
func (w *wayfinder) spread(from graph.Member) {
	type reached struct {
		stop int
		v    int32
		came *visit
	}
	var queue []reached
	met := map[int]bool{}
	reach := func(stop int, v int32, came *visit) {
		if !met[stop] {
			met[stop] = true
			queue = append(queue, reached{stop, v, came})
		}
	}
	for _, p := range from {
		switch v := w.Vertex(p, w.down); {
		case v < 0:
		case w.VertexOf[p.Device().ID] >= 0: // a host that forwards sends by any of its ports
			reach(0, v, nil)
		default:
			stop := w.stop(spot{in: p.Peer()})
			w.leg(0, p, 0, stop)
			reach(stop, v, nil)
		}
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		group, ends := 0, true
		if at.came != nil {
			group = at.came.group
		}
		for d, group := range w.onward(at.v, at.came) {
			ends = false
			next := w.stop(spot{w.InPort(d.step), group, d.falls})
			w.leg(at.stop, w.OutPort(d.step), group, next)
			reach(next, d.step.To, &visit{departure: d, from: at.v, group: group})
		}
		if ends && w.class.Is(at.v) {
			w.deliver(at.stop, at.v, group)
		}
	}
}

// deliver adds the legs from a stop to the ports of the receiver that are attached there.
func (w *wayfinder) deliver(from int, v int32, group int) {
	for _, p := range w.to {
		switch {
		case w.Vertex(p, w.down) != v:
		case w.VertexOf[p.Device().ID] >= 0: // the receiver forwards, so this stop is the receiver
			w.arrived[from] = true
		default:
			end := w.stop(spot{in: p, group: group})
			w.leg(from, p.Peer(), group, end)
			w.arrived[end] = true
		}
	}
}

// measure sets Far and Left, and sorts the stops. If only shortest paths count, it drops all other stops.
func (w *wayfinder) measure(nearest bool) {
	stops := w.ways.Stops
	before := make([][]int, len(stops))
	var queue []int
	for i := range stops {
		stops[i].Left, stops[i].Far = -1, -1
		for _, l := range stops[i].Next {
			before[l.Stop] = append(before[l.Stop], i)
		}
		if w.arrived[i] {
			stops[i].Left = 0
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, i := range before[queue[0]] {
			if stops[i].Left < 0 {
				stops[i].Left = stops[queue[0]].Left + 1
				queue = append(queue, i)
			}
		}
	}
	if nearest {
		for i := range stops {
			if i == 0 && !stops[0].Device.Forwards() {
				continue // a bond sends by all its ports, at any distance
			}
			stops[i].Next = slices.DeleteFunc(stops[i].Next, func(l ir.Leg) bool { return stops[l.Stop].Left != stops[i].Left-1 })
		}
	}
	stops[0].Far = 0
	order := []int{0}
	for i := 0; i < len(order); i++ {
		for _, l := range stops[order[i]].Next {
			if stops[l.Stop].Far < 0 {
				stops[l.Stop].Far = stops[order[i]].Far + 1
				order = append(order, l.Stop)
			}
		}
	}
	slices.SortStableFunc(order[1:], func(i, j int) int {
		a, b := &stops[i], &stops[j]
		return cmp.Or(cmp.Compare(a.Far, b.Far), cmp.Compare(a.Device.ID, b.Device.ID), cmp.Compare(a.In.Index, b.In.Index))
	})
	place := make([]int, len(stops))
	sorted := make([]ir.Stop, len(order))
	for to, i := range order {
		place[i], sorted[to] = to, stops[i]
	}
	for i := range sorted {
		for j := range sorted[i].Next {
			sorted[i].Next[j].Stop = place[sorted[i].Next[j].Stop]
		}
		slices.SortStableFunc(sorted[i].Next, func(a, b ir.Leg) int { return cmp.Compare(a.Out.Index, b.Out.Index) })
	}
	w.ways.Stops = sorted
}
