package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Traffic changes its cos group (cos_group.bounce) where it comes down and goes up again. In a Clos this is rare, so only the classes with
// such a valley on a shortest path are followed cable by cable.

// bouncing returns the turns of every shortest path in state s, of the view's own traffic and of traffic that bounced into its group.
func (v *view) bouncing(s ir.State) (*ir.Turns, error) {
	w := newWalk(v, s.Down)
	if !s.Budget.Spend(len(v.sources()) * (4*v.Edges + len(v.Vertices)) * (len(w.classes)/64 + 1)) {
		return nil, ir.ErrBudget
	}
	low := map[*graph.Class]bool{}
	for _, c := range w.valleys() {
		low[c] = true
	}
	plain := slices.DeleteFunc(slices.Clone(w.classes), func(c *graph.Class) bool { return low[c] })
	if err := w.everyShortest(plain, s.Budget); err != nil {
		return nil, err
	}
	w.turns.Witness = v.shortestWitness(w.turns, w.failed, plain)
	changing, err := v.follow(s, plan{rule: shortestRule, classes: (*walk).valleys})
	if err != nil {
		return nil, err
	}
	return together(w.turns, changing), nil
}

// valleys returns the classes whose traffic goes up again somewhere after it came down.
func (w *walk) valleys() []*graph.Class {
	var out []*graph.Class
	s := newSweep(w)
	var low uint64
	s.seek = func(v int32, _ int, m uint64) {
		here := w.Vertices[v].Height()
		var down, up uint64
		for _, h := range s.open[v] {
			if n := &s.near[h.to]; m&(n.above|n.below) != 0 && w.Vertices[h.to].Height() > here {
				down |= m & n.above
				up |= m & n.below
			}
		}
		low |= down & up
	}
	for _, b := range w.batches(w.classes) {
		low = 0
		s.spread(b)
		s.gather()
		for i, d := range b {
			if low&(1<<i) != 0 {
				out = append(append(out, d.Class), d.alike...)
			}
		}
	}
	slices.SortFunc(out, func(a, b *graph.Class) int { return int(a.ID - b.ID) })
	return out
}

// together returns the union of the turns of a and b.
func together(a, b *ir.Turns) *ir.Turns {
	both := &ir.Turns{Group: a.Group, Rows: slices.Clone(a.Rows), Bounced: b.Bounced}
	for i, row := range b.Rows {
		if row == nil {
			continue
		}
		sum := slices.Clone(row)
		for j, m := range a.Rows[i] {
			sum[j] |= m
		}
		both.Rows[i] = sum
	}
	both.Witness = func(turns []ir.Turn) []*ir.Flow {
		out := a.Witness(turns)
		for i, flow := range b.Witness(turns) {
			if out[i] == nil {
				out[i] = flow
			}
		}
		return out
	}
	return both
}
