package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// upDownPaths returns the turns of every path in state s that rises through the tiers, takes at most one peer step and falls. The turns are
// the same while routing converges, because the person guarantees them at all times. Traffic never rises after it fell, so it never changes
// its group.
func (v *view) upDownPaths(s ir.State) (*ir.Turns, error) {
	if v.notTiered != nil {
		return nil, v.notTiered
	}
	w := newWalk(v, s.Down)
	byTier := w.byTier()
	for classes := range byTalk(w.classes) {
		destinations := w.collapse(classes, w.atBottom)
		if !s.Budget.Spend(len(destinations) * (8*v.Edges + 4*len(v.Vertices))) {
			return nil, ir.ErrBudget
		}
		for _, d := range destinations {
			w.reach(d.Class, byTier)
			w.upDown(d, byTier)
		}
	}
	w.turns.Witness = v.witness(w.turns, w.failed, plan{rule: upDownRule})
	return w.turns, nil
}

func upDownRule(w *walk, c *graph.Class) rule {
	w.reach(c, w.byTier())
	return func(v int32, s *graph.Arc, falling bool) (falls, ok bool) {
		return falling || s.Rise <= 0, !c.Is(v) && w.useful(v, s, falling)
	}
}

// byTier returns the vertices sorted by tier.
func (w *walk) byTier() []int32 {
	out := make([]int32, len(w.Vertices))
	for i := range out {
		out[i] = int32(i)
	}
	slices.SortStableFunc(out, func(a, b int32) int { return w.Vertices[a].Height() - w.Vertices[b].Height() })
	w.canFall, w.falling = make([]bool, len(out)), make([]bool, len(out))
	w.rising, w.ways = make(flooded, len(out)), make(flooded, len(out))
	return out
}

// reach sets canFall and ways, by the paths to the class that do not go up after down.
func (w *walk) reach(c *graph.Class, byTier []int32) {
	clear(w.canFall)
	w.ways.dry()
	for _, v := range c.At {
		w.canFall[v] = true
		w.ways[v] = several
	}
	for _, v := range byTier {
		for j := range w.Arcs[v] {
			if s := &w.Arcs[v][j]; s.Rise < 0 && w.canFall[s.To] && w.open(c.Conversation, s) {
				w.canFall[v] = true
				break
			}
		}
	}
	for _, v := range slices.Backward(byTier) {
		for j := range w.Arcs[v] {
			if s := &w.Arcs[v][j]; w.open(c.Conversation, s) && w.useful(v, s, false) {
				w.ways.add(v, s.To)
			}
		}
	}
}

// useful reports whether the step from v leads to the class. Falling traffic may only fall. Rising traffic may also rise further, or take
// one peer step and then fall.
func (w *walk) useful(v int32, s *graph.Arc, falling bool) bool {
	switch {
	case s.Rise < 0:
		return w.canFall[s.To]
	case falling:
		return false
	case s.Rise == 0:
		return s.Peer && w.canFall[s.To]
	}
	return w.ways.leaves(s.To, v)
}

// atBottom reports whether traffic of the class's conversation only rises from its vertex, so that no traffic of others passes through it.
func (w *walk) atBottom(c *graph.Class) bool {
	return !slices.ContainsFunc(w.Arcs[c.At[0]], func(s graph.Arc) bool { return s.Rise <= 0 && w.open(c.Conversation, &s) })
}

// upDown records the turns of every path that rises, takes at most one peer step, and falls to d, or to a twin of d.
func (w *walk) upDown(d destination, byTier []int32) {
	c := d.Class
	w.rising.dry()
	for v := range w.rising {
		if c.Sends(int32(v)) && !c.Is(int32(v)) {
			w.rising[v] = several
		}
	}
	clear(w.falling)
	for _, v := range byTier { // rising traffic spreads upwards
		for j := range w.Arcs[v] {
			s := &w.Arcs[v][j]
			switch {
			case c.Is(s.To) || !w.rising.leaves(v, s.To) || !w.open(c.Conversation, s) || !w.useful(v, s, false):
			case s.Rise > 0:
				w.rising.add(s.To, v)
			default: // a peer step or a step down: then the traffic falls
				w.falling[s.To] = true
			}
		}
	}
	for _, v := range slices.Backward(byTier) { // falling traffic spreads downwards
		for j := range w.Arcs[v] {
			if s := &w.Arcs[v][j]; w.falling[v] && !c.Is(s.To) && w.open(c.Conversation, s) && w.useful(v, s, true) {
				w.falling[s.To] = true
			}
		}
	}
	for _, t := range d.alike {
		w.here[t.At[0]] = true
	}
	for _, v := range byTier {
		if !c.Is(v) {
			w.turnUpDown(v, d, false)
			w.turnUpDown(v, d, true)
		}
	}
	for _, t := range d.alike {
		w.here[t.At[0]] = false
	}
}

// turnUpDown records the turns at v of rising or falling traffic to d and its twins. If traffic goes on to the vertex of d, traffic to
// twins goes on to their vertices; and d sends to a twin in the same way as the twin sends to d.
func (w *walk) turnUpDown(v int32, d destination, falling bool) {
	w.clear(v)
	steps, delivers := w.Arcs[v], false
	for j := range steps {
		if s := &steps[j]; w.open(d.Conversation, s) && w.useful(v, s, falling) {
			w.leave(s)
			delivers = delivers || d.Is(s.To)
		}
	}
	var twin *graph.Arc
	if delivers && len(d.alike) > 0 {
		for j := range steps {
			if s := &steps[j]; w.here[s.To] && w.open(d.Conversation, s) {
				w.leave(s)
				twin = s
			}
		}
	}
	for j := range steps {
		s := &steps[j]
		if w.open(d.Conversation, s) && (w.comes(v, s, falling) || twin != nil && d.Is(s.To) && w.comes(v, twin, falling)) {
			w.record(v, s)
		}
	}
}

// comes reports whether rising or falling traffic arrives at v in the reverse direction of the step s.
func (w *walk) comes(v int32, s *graph.Arc, falling bool) bool {
	u := s.To
	switch {
	case s.Rise < 0:
		return !falling && w.rising[u] != dry && w.ways.leaves(v, u)
	case s.Rise == 0:
		return falling && s.Peer && w.rising[u] != dry && w.canFall[v]
	}
	return falling && w.canFall[v] && (w.falling[u] || w.rising.leaves(u, v))
}
