package failures

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// This file finds cuts that contain planned cables: links that are down because they are not laid yet, together with links that have
// failed.
//
// A cable that is not laid is no failure, so a cut may contain any number of planned cables; only the number of other links is limited. A
// pair with more disjoint shortest paths over laid links than this limit has no such cut (Menger). The sets of the other pairs are built as
// in cuts.go: while a shortest path is not hit, one of its links must be in the cut.

// CutsUnlaid returns the cuts of a state that contain at most most links in addition to links of unlaid, smallest first. With
// [ir.ErrBudget] it returns no cuts.
func (w *State) CutsUnlaid(t *Orbits, most int, unlaid []*ir.Link, b *ir.Budget) ([]ir.Cut, error) {
	c := &cutter{State: w, orbits: t, most: most, budget: b}
	c.dontCount(unlaid)
	if err := c.withUnlaid(); err != nil {
		return nil, err
	}
	return c.out, nil
}

// dontCount excludes links that are not laid from the size of a set.
func (c *cutter) dontCount(unlaid []*ir.Link) {
	c.unlaid = make([]bool, len(c.Ends))
	for _, l := range unlaid {
		if c.Ends[l.ID][0] >= 0 {
			c.unlaid[l.ID] = true
			c.planned = append(c.planned, int32(l.ID))
		}
	}
}

// count returns the number of counted links of a set.
func (c *cutter) count(set []int32) int {
	if c.unlaid == nil {
		return len(set)
	}
	n := 0
	for _, id := range set {
		if !c.unlaid[id] {
			n++
		}
	}
	return n
}

// withUnlaid finds the cuts pair by pair, with one pair for all pairs of twins.
func (c *cutter) withUnlaid() error {
	c.flow = c.newFlow()
	from := make([]bool, c.devices)
	known := map[string]bool{}
	bySize := map[int][][]int32{}
	largest := 0
	for _, d := range c.destinations() {
		if !c.budget.Spend(2 * c.subs[d.sub].Cost()) {
			return ir.ErrBudget
		}
		c.flow.turnTo(d)
		c.senders(from, d.vertex, d.sub)
		for v := range int32(c.devices) {
			if !from[v] || c.flow.dist[v] < 0 || !c.stands(v, d.vertex) {
				continue
			}
			full, err := c.growUnlaid(v)
			if err != nil {
				return err
			}
			for _, set := range full {
				form := c.orbits.Form(set)
				if !c.budget.Spend(400 * len(set)) {
					return ir.ErrBudget
				}
				if known[form] || !c.leavesWay(set, v, d) {
					continue
				}
				known[form] = true
				minimal, err := c.holdsNoCut(set)
				if err != nil {
					return err
				}
				if minimal {
					bySize[len(set)] = append(bySize[len(set)], set)
					largest = max(largest, len(set))
				}
			}
		}
	}
	for size := range largest + 1 {
		c.list(bySize[size])
	}
	return nil
}

// growUnlaid builds the sets that hit all shortest paths from a device to the current destination of the flow, one of each orbit.
func (c *cutter) growUnlaid(from int32) ([][]int32, error) {
	f := c.flow
	open := func(links []int32) (need int, ok bool) { // the number of counted links that are still needed
		n, _ := f.disjoint(from, append(slices.Clone(links), c.planned...), c.most-c.count(links)+1)
		return n, c.budget.Spend(f.work())
	}
	need, ok := open(nil)
	if !ok {
		return nil, ir.ErrBudget
	}
	if need > c.most {
		return nil, nil
	}
	_, path := f.disjoint(from, nil, 1)
	var full [][]int32
	for level := []partial{{nil, path}}; len(level) > 0; {
		known := map[string]bool{}
		var next []partial
		for _, part := range level {
			for _, id := range part.path {
				links := with(part.links, id)
				if c.count(links) > c.most {
					continue
				}
				form := c.orbits.Form(links)
				if !c.budget.Spend(400 * len(links)) {
					return nil, ir.ErrBudget
				}
				if known[form] {
					continue
				}
				known[form] = true
				left, path := f.disjoint(from, links, 1)
				if left == 0 {
					full = append(full, links)
					continue
				}
				need, ok := open(links)
				if !ok {
					return nil, ir.ErrBudget
				}
				if need <= c.most-c.count(links) {
					next = append(next, partial{links, path})
				}
			}
		}
		level = next
	}
	return full, nil
}

// leavesWay reports whether a pair still has a path with the links down.
func (c *cutter) leavesWay(set []int32, from int32, to Target) bool {
	p := c.Probe(set)
	defer c.Probes.Put(p)
	return p.reaches(from, to)
}

// holdsNoCut reports whether the set stops being a cut if any one of its links is removed.
func (c *cutter) holdsNoCut(set []int32) (bool, error) {
	for i := range set {
		p := c.Probe(slices.Delete(slices.Clone(set), i, i+1))
		far, err := p.Farther(c.orbits, c.budget)
		c.Probes.Put(p)
		if err != nil || len(far) > 0 {
			return false, err
		}
	}
	return true, nil
}
