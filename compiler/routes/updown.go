package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// upDownPaths returns the turns of every path in state s that rises through the tiers, takes at most one peer step and
// falls. While routing converges it is the same: the person vouches for it at all times. Nothing rises after it fell,
// so nothing changes its group.
func (v *view) upDownPaths(s ir.State) (*ir.Turns, error) {
	if v.notTiered != nil {
		return nil, v.notTiered
	}
	w := newWalk(v, s.Down)
	byTier := w.byTier()
	for classes := range byTalk(w.classes) {
		destinations := w.collapse(classes, w.atBottom)
		if !s.Budget.Spend(len(destinations) * (8*v.cables + 4*len(v.nodes))) {
			return nil, ir.ErrBudget
		}
		for _, d := range destinations {
			w.reach(d.class, byTier)
			w.upDown(d, byTier)
		}
	}
	w.turns.Witness = v.witness(w.turns, w.failed, plan{rule: upDownRule})
	return w.turns, nil
}

func upDownRule(w *walk, c *class) rule {
	w.reach(c, w.byTier())
	return func(v int32, s *step, falling bool) (falls, ok bool) {
		return falling || s.rise <= 0, !c.is(v) && w.useful(v, s, falling)
	}
}

// byTier returns the nodes by rising tier.
func (w *walk) byTier() []int32 {
	out := make([]int32, len(w.nodes))
	for i := range out {
		out[i] = int32(i)
	}
	slices.SortStableFunc(out, func(a, b int32) int { return w.nodes[a].Height() - w.nodes[b].Height() })
	w.canFall, w.falling = make([]bool, len(out)), make([]bool, len(out))
	w.rising, w.ways = make(flooded, len(out)), make(flooded, len(out))
	return out
}

// reach sets canFall and ways: what can still get to the class without going up after down.
func (w *walk) reach(c *class, byTier []int32) {
	clear(w.canFall)
	w.ways.dry()
	for _, v := range c.at {
		w.canFall[v] = true
		w.ways[v] = several
	}
	for _, v := range byTier {
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; s.rise < 0 && w.canFall[s.to] && w.open(c.talk, s) {
				w.canFall[v] = true
				break
			}
		}
	}
	for _, v := range slices.Backward(byTier) {
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; w.open(c.talk, s) && w.useful(v, s, false) {
				w.ways.add(v, s.to)
			}
		}
	}
}

// useful tells whether the step from v leads to the class: falling traffic may only fall; traffic that still rises may
// also rise on, or take one peer step and fall.
func (w *walk) useful(v int32, s *step, falling bool) bool {
	switch {
	case s.rise < 0:
		return w.canFall[s.to]
	case falling:
		return false
	case s.rise == 0:
		return s.peer && w.canFall[s.to]
	}
	return w.ways.leaves(s.to, v)
}

// atBottom tells whether traffic of the class's talk only rises from its node, so that nobody else's goes through.
func (w *walk) atBottom(c *class) bool {
	return !slices.ContainsFunc(w.steps[c.at[0]], func(s step) bool { return s.rise <= 0 && w.open(c.talk, &s) })
}

// upDown records the turns of every path that rises, takes at most one peer step, and falls to d, or to a twin of it.
func (w *walk) upDown(d destination, byTier []int32) {
	c := d.class
	w.rising.dry()
	for v := range w.rising {
		if c.sends(int32(v)) && !c.is(int32(v)) {
			w.rising[v] = several
		}
	}
	clear(w.falling)
	for _, v := range byTier { // rising traffic spreads upwards
		for j := range w.steps[v] {
			s := &w.steps[v][j]
			switch {
			case c.is(s.to) || !w.rising.leaves(v, s.to) || !w.open(c.talk, s) || !w.useful(v, s, false):
			case s.rise > 0:
				w.rising.add(s.to, v)
			default: // a peer step or a step down: from here on it falls
				w.falling[s.to] = true
			}
		}
	}
	for _, v := range slices.Backward(byTier) { // falling traffic spreads downwards
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; w.falling[v] && !c.is(s.to) && w.open(c.talk, s) && w.useful(v, s, true) {
				w.falling[s.to] = true
			}
		}
	}
	for _, t := range d.twins {
		w.here[t.at[0]] = true
	}
	for _, v := range byTier {
		if !c.is(v) {
			w.turnUpDown(v, d, false)
			w.turnUpDown(v, d, true)
		}
	}
	for _, t := range d.twins {
		w.here[t.at[0]] = false
	}
}

// turnUpDown records the turns at v of traffic to d that rises, or falls. Where it goes on to the node of d, that of
// twins goes on to theirs; and what a twin sends to d, d sends to the twin.
func (w *walk) turnUpDown(v int32, d destination, falling bool) {
	w.clear(v)
	steps, delivers := w.steps[v], false
	for j := range steps {
		if s := &steps[j]; w.open(d.talk, s) && w.useful(v, s, falling) {
			w.leave(s)
			delivers = delivers || d.is(s.to)
		}
	}
	var twin *step
	if delivers && len(d.twins) > 0 {
		for j := range steps {
			if s := &steps[j]; w.here[s.to] && w.open(d.talk, s) {
				w.leave(s)
				twin = s
			}
		}
	}
	for j := range steps {
		s := &steps[j]
		if w.open(d.talk, s) && (w.comes(v, s, falling) || twin != nil && d.is(s.to) && w.comes(v, twin, falling)) {
			w.record(v, s)
		}
	}
}

// comes tells whether traffic arrives at v against the step s, rising or falling.
func (w *walk) comes(v int32, s *step, falling bool) bool {
	u := s.to
	switch {
	case s.rise < 0:
		return !falling && w.rising[u] != dry && w.ways.leaves(v, u)
	case s.rise == 0:
		return falling && s.peer && w.rising[u] != dry && w.canFall[v]
	}
	return falling && w.canFall[v] && (w.falling[u] || w.rising.leaves(u, v))
}
