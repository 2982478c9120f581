package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/failures"
	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Cuts returns the failure sets that matter; see [ir.Routes]. With [ir.ErrBudget] it returns the sets of all sizes that were finished. For
// eBGP with AS numbers that several devices share, every set of links may matter.
func (r *Router) Cuts(groups []*ir.CosGroup, down []*ir.Link, most int, unlaid []*ir.Link, b *ir.Budget) ([]ir.Cut, error) {
	var asked []*ir.CosGroup
	for _, g := range groups {
		if !g.Lossless && !r.coupled {
			continue
		}
		for _, v := range r.views[g]().sources() {
			if !slices.Contains(asked, v.Group) {
				asked = append(asked, v.Group)
			}
		}
	}
	if len(asked) == 0 || most < 1 && len(unlaid) == 0 {
		return nil, nil
	}
	how := r.afterFailures(r.views[asked[0]]())
	if how == harmless {
		return nil, nil
	}
	if !b.Spend(8 * len(r.fabric.Links)) {
		return nil, ir.ErrBudget
	}
	if how == anythingMatters {
		w := r.state(asked, down)
		return w.EverySet(failures.NewOrbits(w, true), most, unlaid, b)
	}
	if len(unlaid) > 0 {
		w := r.state(asked, down)
		return w.CutsUnlaid(failures.NewOrbits(w, false), most, unlaid, b)
	}
	if len(asked) == 1 && len(down) == 0 {
		whole := r.whole(asked[0])
		return whole.Cuts(whole.orbits, most, b)
	}
	w := r.state(asked, down)
	return w.Cuts(failures.NewOrbits(w, false), most, b)
}

// state returns the state of the fabric for some groups with some links down.
func (r *Router) state(groups []*ir.CosGroup, down []*ir.Link) *failures.State {
	traffics := make([]*graph.Traffic, len(groups))
	for i, g := range groups {
		traffics[i] = r.views[g]().Traffic
	}
	return failures.NewState(traffics, down)
}
