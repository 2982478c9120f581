package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Flooding: a frame for a destination that the bridges do not know leaves every device by every open bridged port except the port where it
// came in. A bond is one port. The frame follows all cables, including a second cable back to the previous device. Guo et al. (SIGCOMM
// 2016) describe this for lossless frames to dead servers.
//
// Every device with a member that talks to another member starts floods. Blocked ports of a spanning tree are not considered. When links
// fail, floods immediately use the remaining ports: flooding does not converge.

// floodedPaths returns the turns of floods in state s.
func (v *view) floodedPaths(s ir.State) (*ir.Turns, error) {
	if err := v.onlyBridged(); err != nil {
		return nil, err
	}
	if v.changesGroup() {
		return nil, &ir.RoutingError{Code: ir.FloodedBounce, Routing: ir.Flooding}
	}
	if !s.Budget.Spend(2*v.Edges + len(v.Vertices)) {
		return nil, ir.ErrBudget
	}
	f := v.newFlood(s.Down)
	f.spread()
	turns := &ir.Turns{Group: v.Group, Rows: make([][]uint64, len(v.Fabric.Ports))}
	for u := range v.Arcs {
		for i := range v.Arcs[u] {
			in := &v.Arcs[u][i]
			if !f.comes(in.Out) || !v.Fills(in.Out, in.Link) {
				continue
			}
			for j := range v.Arcs[u] {
				if o := &v.Arcs[u][j]; j != i && !o.SameBond(in) && f.passes(o) && v.Lossless[o.Link] {
					turns.Add(v.OutPort(in), v.OutPort(o))
				}
			}
		}
	}
	turns.Witness = func(wanted []ir.Turn) []*ir.Flow {
		out := make([]*ir.Flow, len(wanted))
		for i, t := range wanted {
			if turns.Has(t.In, t.Out) {
				out[i] = v.flow(f.flow(t))
			}
		}
		return out
	}
	return turns, nil
}

// flood is the result of the floods of a view. It is not changed after spread.
type flood struct {
	*view
	down  []bool
	sends []*ir.Port   // by vertex: the port of a member that starts floods there; nil: none
	came  []*graph.Arc // by Port.ID: the last cable of the shortest path by which a flood comes in; nil: no flood comes in
	from  []*graph.Arc // by Port.ID: the cable before that one; nil: the flood starts at the cable in came
}

func (v *view) newFlood(down []*ir.Link) *flood {
	f := &flood{
		view: v, down: make([]bool, len(v.Fabric.Links)), sends: make([]*ir.Port, len(v.Vertices)),
		came: make([]*graph.Arc, len(v.Fabric.Ports)), from: make([]*graph.Arc, len(v.Fabric.Ports)),
	}
	for _, l := range down {
		f.down[l.ID] = true
	}
	for _, t := range v.Conversations {
		if len(t.Members) == 0 || (&graph.Class{Members: t.Members}).OnlyOwner() != nil {
			continue // no member to talk to
		}
		for _, m := range t.Members {
			for _, p := range m {
				if at := v.Vertex(p, f.down); at >= 0 && f.sends[at] == nil {
					f.sends[at] = p
				}
			}
		}
	}
	return f
}

// passes reports whether a flood at the device of the step takes it.
func (f *flood) passes(s *graph.Arc) bool { return bridged(s) && !f.down[s.Link] }

// comes reports whether a flood comes in by the port.
func (f *flood) comes(in int32) bool { return f.came[in] != nil }

// spread follows the floods from where they start, nearest first.
func (f *flood) spread() {
	var queue []*graph.Arc
	leave := func(u int32, by *graph.Arc) { // by: the step that led to u; nil: the flood starts at u
		for j := range f.Arcs[u] {
			s := &f.Arcs[u][j]
			if f.passes(s) && !f.comes(s.In) && (by == nil || s.Out != by.In && !s.SameBond(by)) {
				f.came[s.In], f.from[s.In] = s, by
				queue = append(queue, s)
			}
		}
	}
	for u := range f.Arcs {
		if f.sends[u] != nil {
			leave(int32(u), nil)
		}
	}
	left := make([][]*graph.Arc, len(f.Vertices)) // by vertex: the steps by which floods came in and were sent on
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		again := slices.ContainsFunc(left[s.To], func(o *graph.Arc) bool { return o.SameBond(s) })
		if len(left[s.To]) < 2 && !again { // after floods from two ports, they have left by all ports
			left[s.To] = append(left[s.To], s)
			leave(s.To, s)
		}
	}
}

// flow returns the ports of a flood that takes the turn: from a sender on the shortest path to the turn, and then to the nearest host.
func (f *flood) flow(t ir.Turn) []*ir.Port {
	var way []*ir.Port
	for s := f.came[t.In.ID]; s != nil; s = f.from[s.In] {
		way = append(way, f.InPort(s), f.OutPort(s))
	}
	slices.Reverse(way)
	sender := f.sends[f.VertexOf[way[0].Device().ID]]
	if f.VertexOf[sender.Device().ID] < 0 {
		way = append([]*ir.Port{sender, sender.Peer()}, way...)
	}
	type visit struct {
		in     *ir.Port
		before int
	}
	visits := []visit{{t.Out.Peer(), -1}}
	seen := map[*ir.Port]bool{t.Out.Peer(): true}
	end, receiver := 0, (*ir.Port)(nil)
	for i := 0; i < len(visits) && receiver == nil; i++ {
		in := visits[i].in
		for _, p := range in.Device().Ports {
			q := p.Peer()
			switch {
			case p == in || p.Link().Bonded(in.Link()) || f.down[p.Link().ID] || p.Link().Routed:
			case f.VertexOf[q.Device().ID] < 0:
				if q.Device() != sender.Device() {
					end, receiver = i, q
				}
			case !seen[q]:
				seen[q] = true
				visits = append(visits, visit{q, i})
			}
		}
	}
	var on []*ir.Port
	if receiver != nil {
		on = append(on, receiver, receiver.Peer())
	}
	for i := end; i >= 0; i = visits[i].before {
		on = append(on, visits[i].in, visits[i].in.Peer())
	}
	slices.Reverse(on)
	return append(way, on...)
}
