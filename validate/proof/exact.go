package proof

import (
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// judge answers for one set of groups whether a state of the fabric holds a circle.
type judge struct {
	*graph.Line
	groups []*ir.CosGroup
	budget *ir.Budget
	walker *walker
	base   *base // the healthy fabric, once it was judged free
	loops  int   // the work that a search for circles may take
}

// base is the graph of the healthy fabric, on which the turns of other states are laid.
type base struct {
	graph *bufferGraph
	over  *overlay
	apart bool // it holds circles, of turns that exclude each other
}

// overlay returns the base with nothing laid on it yet.
func (b *base) overlay() *overlay {
	if b.over == nil {
		b.over = newOverlay(b.graph)
	}
	b.over.clear()
	return b.over
}

func newJudge(t *graph.Line, groups []*ir.CosGroup, budget *ir.Budget) *judge {
	if t.Fabric.FlowControl == ir.Pause {
		groups = groups[:1] // the whole cable stops, whatever group a frame is in: the turns of one are those of all
	}
	if t.Fabric.Coupled() {
		groups = withLossy(t.Fabric, groups)
	}
	loops := int(min(max(maxLoopWork, budget.Left()/loopShare), math.MaxInt32))
	return &judge{Line: t, groups: groups, budget: budget, walker: &walker{}, loops: loops}
}

// withLossy adds the other traffic that waits on cables of link pause to the lossless groups: lossy groups that traffic bounces into or
// out of, and all other traffic as one.
func withLossy(f *ir.Fabric, groups []*ir.CosGroup) []*ir.CosGroup {
	out := slices.Clone(groups)
	for _, g := range f.CosGroups {
		into := slices.ContainsFunc(f.CosGroups, func(o *ir.CosGroup) bool { return o.Bounce == g })
		if !slices.Contains(out, g) && (into || g.Bounce != nil) {
			out = append(out, g)
		}
	}
	return append(out, ir.Lossy)
}

// result is what one state of the fabric holds.
type result struct {
	down           []*ir.Link
	alike          int                      // failure sets that differ from down by names only; 0: not known
	choices        func([]Wait) []ir.Choice // what routers must choose for a circle; nil: nothing
	ties           ir.Ties                  // how all ties are broken, where choices are not known one by one
	spent          bool                     // mixed, and the budget ran out before it was decided
	ended          bool                     // a search for another state with a shorter circle ended early
	apart          bool                     // it is free although the turns of all choices together close a circle
	graph          *bufferGraph
	parts          [][]int32  // that hold circles; nil: the state is free
	mixed          ir.Mixture // of parts: the turns cannot all be taken at the same time, and whether some are was not found out
	buffers, turns int        // of the healthy state only
	err            error
}

// prone reports whether the state is known to hold a circle.
func (r result) prone() bool { return r.err == nil && r.parts != nil && r.mixed == "" }

// turns asks for the turns of every group; full reports whether all of them are wanted, or those a failure brings.
func (j *judge) turns(s ir.State, full bool) ([]*ir.Turns, error) {
	out := make([]*ir.Turns, len(j.groups))
	for i, g := range j.groups {
		ask := j.Fabric.Routes.Turns
		if !full {
			ask = j.Fabric.Routes.Changed
		}
		t, err := ask(g, s)
		if err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

// state judges the state with some links down, by all of its turns. A circle of turns that exclude each other is looked
// for among those that do not ([judge.apart]).
func (j *judge) state(down []*ir.Link) result {
	r := result{down: down}
	turns, err := j.turns(ir.State{Down: down, Budget: j.budget}, true)
	if err != nil {
		r.err = err
		return r
	}
	r.graph = newBufferGraph(j.Line, j.groups, turns)
	r.graph.loopWork = j.loops
	if r.parts, r.err = j.parts(r.graph, false); r.err != nil {
		return r
	}
	for _, t := range turns {
		if r.mixed == "" {
			r.mixed = t.Mixed
		}
	}
	whole := r.graph
	switch {
	case r.parts == nil:
		r.mixed = ""
		for _, t := range turns {
			if t.Open != nil {
				r.err = t.Open
				return r
			}
		}
	case r.mixed != "":
		r = j.apart(r)
	}
	if len(down) == 0 && r.err == nil {
		r.buffers, r.turns = whole.extent()
		if r.parts == nil {
			j.base = &base{graph: whole, apart: r.apart}
		}
	}
	return r
}

// parts is graph.parts, paid from the budget.
func (j *judge) parts(g *bufferGraph, first bool) ([][]int32, error) {
	parts, steps := g.parts(j.walker, first)
	if !j.budget.Spend(steps) {
		return nil, ir.ErrBudget
	}
	return parts, nil
}
