package proof

import (
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// judge decides for one set of groups whether a state of the fabric has a circle.
type judge struct {
	*graph.Line
	groups []*ir.CosGroup
	budget *ir.Budget
	walker *walker
	base   *base // the healthy fabric, once it was judged free
	loops  int   // bound on the work of a search for circles
}

// base is the graph of the healthy fabric, to which the turns of other states are added.
type base struct {
	graph *bufferGraph
	over  *overlay
	apart bool // it has circles, but only of turns that exclude each other
}

// overlay returns the base without added turns.
func (b *base) overlay() *overlay {
	if b.over == nil {
		b.over = newOverlay(b.graph)
	}
	b.over.clear()
	return b.over
}

func newJudge(t *graph.Line, groups []*ir.CosGroup, budget *ir.Budget) *judge {
	if t.Fabric.FlowControl == ir.Pause {
		groups = groups[:1] // link pause stops the whole cable: all groups have the same turns
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

// result is the judgement of one state of the fabric.
type result struct {
	down           []*ir.Link
	alike          int                      // failure sets that differ from down by names only; 0: not known
	choices        func([]Wait) []ir.Choice // the choices of routers that a circle needs; nil: none
	ties           ir.Ties                  // how routers choose between all equal routes, if single choices are not known
	spent          bool                     // the budget ran out before mixed was decided
	ended          bool                     // a search for another state with a shorter circle ended early
	apart          bool                     // the state is free although the turns of all choices together close a circle
	graph          *bufferGraph
	parts          [][]int32  // the parts with circles; nil: the state is free
	mixed          ir.Mixture // the turns of parts exclude each other, and whether some combination has a circle is not known
	buffers, turns int        // for the healthy state only
	err            error
}

// prone reports whether the state is known to have a circle.
func (r result) prone() bool { return r.err == nil && r.parts != nil && r.mixed == "" }

// turns returns the turns of every group: all of them with full, or else those that a failure adds.
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

// state judges the state with some links down, by all of its turns. If turns that exclude each other close a circle, [judge.apart]
// searches one among turns that do not.
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

// parts calls graph.parts and subtracts its work from the budget.
func (j *judge) parts(g *bufferGraph, first bool) ([][]int32, error) {
	parts, steps := g.parts(j.walker, first)
	if !j.budget.Spend(steps) {
		return nil, ir.ErrBudget
	}
	return parts, nil
}
