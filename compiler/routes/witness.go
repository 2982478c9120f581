package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// rule says, for one class, which steps its traffic may take from a node, and whether it falls afterwards. It is what
// the walks of routes_walk.go follow by sets, asked one step at a time.
type rule func(v int32, s *step, falling bool) (falls, ok bool)

func shortestRule(w *walk, c *class) rule {
	w.distances(c)
	return func(v int32, s *step, _ bool) (falls, ok bool) {
		return false, w.dist[v] > 0 && w.dist[s.to] == w.dist[v]-1
	}
}

func upDownRule(w *walk, c *class) rule {
	w.reach(c, w.byTier())
	return func(v int32, s *step, falling bool) (falls, ok bool) {
		return falling || s.rise <= 0, !c.is(v) && w.useful(v, s, falling)
	}
}

func anyRule(w *walk, c *class) rule {
	f := w.flood(c.talk, c.is)
	return func(v int32, s *step, _ bool) (falls, ok bool) { return false, f.leaves(s.to, v) }
}

// witness returns the function that rebuilds a flow making a given turn, for ir.Turns. It repeats the walk class by
// class, so that nothing has to be stored for turns nobody asks about.
func (w *walk) witness(down []*ir.Link, prepare func(*walk, *class) rule) func([]ir.Turn) []*ir.Flow {
	v, turns := w.view, w.turns
	return func(wanted []ir.Turn) []*ir.Flow {
		w := newWalk(v, down) // scratch of its own: many may ask at once
		out := make([]*ir.Flow, len(wanted))
		for i, t := range wanted {
			if !turns.Has(t.In, t.Out) {
				continue
			}
			for _, c := range w.classes {
				if ports := w.flow(c, prepare(w, c), t.In, t.Out); ports != nil {
					out[i] = &ir.Flow{Ports: ports, Groups: slices.Repeat([]*ir.CosGroup{v.group}, len(ports)/2)}
					break
				}
			}
		}
		return out
	}
}

// spot is where traffic stands: it came in by a port, rising or falling.
type spot struct {
	in      *ir.Port
	falling bool
}

// flow returns the shortest flow to the class that makes the turn (in, out), port by port, or nil.
func (w *walk) flow(c *class, r rule, in, out *ir.Port) []*ir.Port {
	var starts []start
	for _, m := range c.talk.members {
		if len(c.members) == 1 && &m[0] == &c.members[0][0] {
			continue // nobody talks to himself
		}
		for _, p := range m {
			if v := w.place(p, w.down); v >= 0 {
				starts = append(starts, start{v, p})
			}
		}
	}
	var turn *spot
	before := w.search(c, r, starts, nil, func(s spot) bool {
		if s.in != in {
			return false
		}
		v := w.node[in.Device.ID]
		for j := range w.steps[v] {
			o := &w.steps[v][j]
			if o.out != out || o.to == w.node[in.Peer().Device.ID] || !w.open(c.talk, o) {
				continue
			}
			if falls, ok := r(v, o, s.falling); ok {
				turn = &spot{o.in, falls}
				return true
			}
		}
		return false
	})
	if before == nil {
		return nil
	}
	after := w.search(c, r, nil, turn, func(s spot) bool { return c.is(w.node[s.in.Device.ID]) })
	if after == nil {
		return nil
	}
	return w.ports(c, starts, append(before, after...))
}

type start struct {
	node int32
	port *ir.Port
}

// search walks breadth first from the senders, or from one spot, to the first spot that is the goal, and returns the
// spots passed, the goal included.
func (w *walk) search(c *class, r rule, starts []start, at *spot, goal func(spot) bool) []spot {
	type visit struct {
		spot
		before int // index in seen; -1: none
	}
	var seen []visit
	known := map[spot]bool{}
	spread := func(v int32, from *ir.Port, falling bool, before int) {
		for j := range w.steps[v] {
			s := &w.steps[v][j]
			if !w.open(c.talk, s) || from != nil && s.to == w.node[from.Peer().Device.ID] {
				continue
			}
			if falls, ok := r(v, s, falling); ok && !known[spot{s.in, falls}] {
				known[spot{s.in, falls}] = true
				seen = append(seen, visit{spot{s.in, falls}, before})
			}
		}
	}
	if at != nil {
		seen = append(seen, visit{*at, -1})
		known[*at] = true
	}
	begun := make([]bool, len(w.nodes))
	for _, s := range starts {
		if !begun[s.node] {
			begun[s.node] = true
			spread(s.node, nil, false, -1)
		}
	}
	for i := 0; i < len(seen); i++ {
		if goal(seen[i].spot) {
			var way []spot
			for j := i; j >= 0; j = seen[j].before {
				way = append(way, seen[j].spot)
			}
			slices.Reverse(way)
			return way
		}
		spread(w.node[seen[i].in.Device.ID], seen[i].in, seen[i].falling, i)
	}
	return nil
}

// ports spells a flow out: the sender's port, then out and in of every cable, then the receiver's port.
func (w *walk) ports(c *class, starts []start, way []spot) []*ir.Port {
	first, last := w.node[way[0].in.Peer().Device.ID], w.node[way[len(way)-1].in.Device.ID]
	var out []*ir.Port
	i := slices.IndexFunc(starts, func(s start) bool { return s.node == first })
	sender := starts[i].port
	if w.node[sender.Device.ID] < 0 {
		out = append(out, sender, sender.Peer())
	}
	for _, s := range way {
		out = append(out, s.in.Peer(), s.in)
	}
	for _, m := range c.members {
		for _, p := range m {
			if slices.Contains(m, sender) || w.place(p, w.down) != last {
				continue
			}
			if w.node[p.Device.ID] < 0 {
				out = append(out, p.Peer(), p)
			}
			return out
		}
	}
	return out
}
