package routes

import (
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Flows for given turns are rebuilt on demand, so no flows are stored. The flow goes to the first class whose traffic takes the turn, and
// is as short as possible.

// seeker is a turn for which a flow is wanted.
type seeker struct {
	ir.Turn
	class *graph.Class // the first class that takes the turn; nil: not found yet
}

// shortestWitness returns the Witness of turns on shortest paths to some classes: one sweep finds the class for every
// turn.
func (v *view) shortestWitness(turns *ir.Turns, down []*ir.Link, classes []*graph.Class) func([]ir.Turn) []*ir.Flow {
	return func(wanted []ir.Turn) []*ir.Flow {
		w := newSearch(v, down) // with separate scratch space: several goroutines may call it
		sought := make([]seeker, len(wanted))
		at := map[int32][]*seeker{} // by vertex
		for i, t := range wanted {
			sought[i].Turn = t
			if turns.Has(t.In, t.Out) {
				node := v.VertexOf[t.In.Device().ID]
				at[node] = append(at[node], &sought[i])
			}
		}
		w.first(classes, at)
		out := make([]*ir.Flow, len(wanted))
		var last *graph.Class
		for i := range sought {
			if s := &sought[i]; s.class != nil {
				if s.class != last {
					w.distances(s.class)
					last = s.class
				}
				out[i] = v.flow(w.shortestFlow(s))
			}
		}
		return out
	}
}

// flow returns a flow that stays in the group of the view.
func (v *view) flow(ports []*ir.Port) *ir.Flow {
	return &ir.Flow{Ports: ports, Groups: slices.Repeat([]*ir.CosGroup{v.Group}, len(ports)/2)}
}

// first finds, for every sought turn (by vertex), the first class that takes it.
func (w *walk) first(classes []*graph.Class, sought map[int32][]*seeker) {
	if len(sought) == 0 {
		return
	}
	s := newSweep(w)
	s.seek = func(v int32, level int, _ uint64) {
		for _, t := range sought[v] {
			s.takes(t, level)
		}
	}
	for _, b := range w.batches(classes) {
		s.spread(b)
		s.gather()
	}
}

// takes records the first class of the batch that takes the turn t at the current vertex, which is level hops away from it.
func (s *sweep) takes(t *seeker, level int) {
	lane := func(of []portMask, p *ir.Port) (uint64, int32) {
		for i := range of {
			if of[i].index == int32(p.Index) {
				return of[i].mask, of[i].to
			}
		}
		return 0, -1
	}
	out, to := lane(s.outs, t.Out)
	in, _ := lane(s.ins, t.In)
	if from, twin := lane(s.backs, t.In); twin != to {
		in |= from // from a twin of the destination
	}
	for both := in & out; both != 0; both &= both - 1 {
		d := s.batch[bits.TrailingZeros64(both)]
		c := d.Class
		if level == 1 && !c.Is(to) {
			c = d.alike[slices.IndexFunc(d.alike, func(o *graph.Class) bool { return o.Is(to) })]
		}
		if t.class == nil || c.ID < t.class.ID {
			t.class = c
		}
	}
}

// shortestFlow returns the ports of a shortest path to the class that takes the turn. Distances to the class must be set.
func (w *walk) shortestFlow(t *seeker) []*ir.Port {
	c := t.class
	hops := w.hops(c.Conversation)
	// Go back from the turn, away from the class, to the nearest sender.
	type visit struct {
		node   int32
		out    *ir.Port // the step to the previous visit
		before int
	}
	begin := w.VertexOf[t.In.Peer().Device().ID]
	visits := []visit{{begin, t.In.Peer(), -1}}
	clear(w.here)
	w.here[begin] = true
	var way []*ir.Port
	for i := 0; i < len(visits); i++ {
		at := visits[i]
		if c.Sends(at.node) {
			for j := i; j >= 0; j = visits[j].before {
				way = append(way, visits[j].out, visits[j].out.Peer())
			}
			break
		}
		for _, h := range hops[at.node] {
			if w.dist[h.to] == w.dist[at.node]+1 && !w.here[h.to] {
				w.here[h.to] = true
				visits = append(visits, visit{h.to, w.Vertices[at.node].Ports[h.index].Peer(), i})
			}
		}
	}
	// Then continue to the class.
	way = append(way, t.Out, t.Out.Peer())
	for v := w.VertexOf[t.Out.Peer().Device().ID]; w.dist[v] > 0; {
		i := slices.IndexFunc(hops[v], func(h arc) bool { return w.dist[h.to] == w.dist[v]-1 })
		out := w.Vertices[v].Ports[hops[v][i].index]
		way = append(way, out, out.Peer())
		v = hops[v][i].to
	}
	return w.ends(c, way)
}

// ends adds the ports of the sender and the receiver to those between forwarding devices.
func (w *walk) ends(c *graph.Class, way []*ir.Port) []*ir.Port {
	first, last := w.VertexOf[way[0].Device().ID], w.VertexOf[way[len(way)-1].Device().ID]
	var out []*ir.Port
	sender := w.sender(c, first)
	if w.VertexOf[sender[0].Device().ID] < 0 {
		i := slices.IndexFunc(sender, func(p *ir.Port) bool { return w.Vertex(p, w.down) == first })
		out = append(out, sender[i], sender[i].Peer())
	}
	out = append(out, way...)
	for _, down := range [][]bool{w.down, nil} { // perhaps over a failed cable, of which other devices do not know yet
		for _, m := range c.Members {
			for _, p := range m {
				if m.Owner() == sender.Owner() || w.Vertex(p, down) != last {
					continue
				}
				if w.VertexOf[p.Device().ID] < 0 {
					out = append(out, p.Peer(), p)
				}
				return out
			}
		}
	}
	return out // no member receives the flow
}

// sender returns the first member at v that talks to a member of the class with another owner.
func (w *walk) sender(c *graph.Class, v int32) graph.Member {
	for _, m := range c.Conversation.Members {
		if !slices.ContainsFunc(c.Members, func(o graph.Member) bool { return o.Owner() != m.Owner() }) {
			continue // a member does not talk to itself
		}
		if slices.ContainsFunc(m, func(p *ir.Port) bool { return w.Vertex(p, w.down) == v }) {
			return m
		}
	}
	panic("routes: traffic without a sender")
}

// witness returns the Witness of turns that the plan finds, class by class.
func (v *view) witness(turns *ir.Turns, down []*ir.Link, p plan) func([]ir.Turn) []*ir.Flow {
	bounced := &ir.Turns{Rows: turns.Bounced}
	return func(wanted []ir.Turn) []*ir.Flow {
		out := make([]*ir.Flow, len(wanted))
		missing := 0
		for _, t := range wanted {
			if turns.Has(t.In, t.Out) || turns.Bounced != nil && bounced.Has(t.In, t.Out) {
				missing++
			}
		}
		if missing == 0 {
			return out
		}
		for _, source := range v.sources() {
			tr := newTrace(source, v, down, p) // with separate scratch space: several goroutines may call it
			for _, c := range tr.classes {
				tr.begin(c, p.rule(tr.walk, c))
				tr.spread()
				for i, t := range wanted {
					if out[i] == nil {
						out[i] = tr.flow(t)
						if out[i] != nil {
							missing--
							tr.spread()
						}
					}
				}
				if missing == 0 {
					return out
				}
			}
		}
		return out
	}
}

// flow returns a flow to the current class that makes the turn, or nil. It forgets the visits if it finds one.
func (t *trace) flow(turn ir.Turn) *ir.Flow {
	for i := range t.visits {
		at := t.visits[i]
		if at.step.In != int32(turn.In.ID) || at.group != t.wanted || !t.fills(at.step, at.group) {
			continue
		}
		for d, group := range t.onward(at.step.To, &at) {
			if d.step.Out != int32(turn.Out.ID) || !t.waits(d.step, group) {
				continue
			}
			way := t.way(i)
			end := t.finish(visit{departure: d, from: at.step.To, group: group})
			return t.spell(append(way, t.way(end)...))
		}
	}
	return nil
}

// way returns the visits that lead to a visit, including itself.
func (t *trace) way(to int) []visit {
	var out []visit
	for i := to; i >= 0; i = t.visits[i].before {
		out = append(out, t.visits[i])
	}
	slices.Reverse(out)
	return out
}

// spell converts visits to a flow.
func (t *trace) spell(way []visit) *ir.Flow {
	var ports []*ir.Port
	var groups []*ir.CosGroup
	for _, at := range way {
		ports = append(ports, t.OutPort(at.step), t.InPort(at.step))
		groups = append(groups, t.groups[at.group])
	}
	all := t.ends(t.class, ports)
	if all[0] != ports[0] {
		groups = slices.Insert(groups, 0, t.groups[0])
	}
	for len(groups) < len(all)/2 {
		groups = append(groups, groups[len(groups)-1])
	}
	return &ir.Flow{Ports: all, Groups: groups}
}
