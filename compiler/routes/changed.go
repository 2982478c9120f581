package routes

import (
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/failures"
	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Changed finds the turns that failures add, without following all traffic again.
//
// A new shortest path belongs to a sender and a destination that are farther apart than before. If the distance to a destination changes,
// it changes at a device whose links towards that destination all failed: the nearest device with a change. Distances are the same in both
// directions. So one search starts at the devices of the failed links, both in the fabric before and after the failure. A destination is a
// candidate if the search reaches it sooner before the failure than after it. A second search, from the candidates, reports whether a
// sender is among those farther away.

// Changed returns the turns of the destinations that links in s.Down put farther away from some sender, or, while routing converges, from
// any device. If there are no such turns, the rows of the result are shared: the caller must not add to them.
func (r *Router) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	if !g.Lossless && !r.coupled {
		return r.Turns(g, s)
	}
	v := r.views[g]()
	if r.afterFailures(v) != distancesMatter || v.changesGroup() {
		return r.Turns(g, s)
	}
	return v.changedByDistance(s)
}

// changedByDistance is Changed for traffic that takes shortest paths and stays in its group.
func (v *view) changedByDistance(s ir.State) (*ir.Turns, error) {
	r, g := v.router, v.Group
	before := r.whole(g)
	var links []int32
	for _, l := range s.Down {
		if before.Ends[l.ID][0] >= 0 && !slices.Contains(links, int32(l.ID)) {
			links = append(links, int32(l.ID))
		}
	}
	p := before.Probe(links)
	defer before.Probes.Put(p)
	var far []failures.Target
	var err error
	if s.Converging {
		far, err = p.Moving(s.Budget)
	} else {
		far, err = p.Farther(before.orbits, s.Budget)
	}
	if err != nil {
		return nil, err
	}
	if len(far) == 0 && !s.Converging { // while it does, frames are still sent to members that are cut off
		return before.nothing, nil
	}
	if !s.Budget.Spend(len(r.fabric.Ports)) {
		return nil, ir.ErrBudget
	}
	if s.Converging {
		return v.follow(s, plan{rule: eitherRule, back: true, classes: func(w *walk) []*graph.Class {
			return append(before.ClassesAt(w.unmoved(), far), w.moved()...)
		}})
	}
	w := newWalk(v, s.Down)
	if err := w.everyShortest(before.ClassesAt(w.classes, far), s.Budget); err != nil {
		return nil, err
	}
	s.Down, s.Budget = slices.Clone(s.Down), nil
	all := sync.OnceValues(func() (*ir.Turns, error) { return r.Turns(g, s) })
	w.turns.Witness = func(turns []ir.Turn) []*ir.Flow {
		t, err := all()
		if err != nil {
			return make([]*ir.Flow, len(turns))
		}
		return t.Witness(turns)
	}
	return w.turns, nil
}

// afterFailures is the effect of failures on the routes.
type afterFailures int

const (
	// harmless: failures only remove turns, or the routing states nothing about failures.
	harmless afterFailures = iota
	// distancesMatter: the paths to a destination change only if its distance changes.
	distancesMatter
	// anythingMatters: every failure may change paths.
	anythingMatters
)

func (r *Router) afterFailures(v *view) afterFailures {
	switch r.fabric.Routing {
	case ir.ShortestPath:
		return distancesMatter
	case ir.EBGP:
		if v.bgpIsShortest() {
			return distancesMatter
		}
		return anythingMatters
	case ir.SpanningTree, "":
		if v.Forest {
			return distancesMatter
		}
	}
	return harmless
}

// whole is the state of one group with no link down.
type whole struct {
	*failures.State
	orbits  *failures.Orbits
	nothing *ir.Turns
}

// whole returns the whole of a group, which the first call computes.
func (r *Router) whole(g *ir.CosGroup) *whole {
	find, _ := r.wholes.LoadOrStore(g, sync.OnceValue(func() *whole {
		w := failures.NewState([]*graph.Traffic{r.views[g]().Traffic}, nil)
		return &whole{w, failures.NewOrbits(w, false), &ir.Turns{
			Group:   g,
			Rows:    make([][]uint64, len(r.fabric.Ports)),
			Witness: func(turns []ir.Turn) []*ir.Flow { return make([]*ir.Flow, len(turns)) },
		}}
	}))
	return find.(func() *whole)()
}
