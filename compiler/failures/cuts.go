// Package failures finds the sets of links whose failure matters, because it makes some new shortest paths: one set for each of the
// [Orbits] of the graph.
//
//   - state.go: a state of the graph, with some links down and one vertex more for each destination that is attached to several devices;
//   - cuts.go: minimal sets that hit every shortest path of a pair, by dominators of the shortest-path graph (dominators.go) and by
//     disjoint paths, which are maximum flows (disjoint.go); levels.go rules cuts out by Menger's theorem, 64 destinations at a time;
//   - orbits.go: one set for each orbit under the automorphisms of the graph;
//   - probe.go: whose distances change when given links fail.
package failures

import (
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Cuts are the failures that matter.
//
// If a failure leaves all distances between communicating devices unchanged, no turn is new: the remaining shortest paths existed before.
// So a failure matters only if it contains a cut: links that hit every shortest path of some communicating pair, and yet leave the pair a
// path. Every larger failure that matters contains a cut, and the rest of it is a smaller failure of the state after that cut. So cuts, one
// state after another, cover all failures.
//
// Cuts of one link are found destination by destination. The links that all shortest paths of a sender have in common are those of its
// dominators in the shortest-path graph. Larger cuts are found pair by pair, with one pair for all pairs of twins (orbits.go). A pair has
// no cut if it has more disjoint shortest paths than the number of links that may fail. For the other pairs, sets grow link by link: while
// a shortest path is not hit, one of its links must be in the cut. Of partial sets in one orbit, one is continued; a set that contains a
// smaller cut is dropped.

// Cuts returns the cuts of a state, smallest first. With [ir.ErrBudget] it returns the cuts of all sizes that were finished.
func (w *State) Cuts(t *Orbits, most int, b *ir.Budget) ([]ir.Cut, error) {
	c := &cutter{State: w, orbits: t, most: most, budget: b}
	err := c.bySize()
	return c.out, err
}

// EverySet returns one set of each orbit, for callers to whom any set may matter. Links of unlaid do not count towards the size of a set.
func (w *State) EverySet(t *Orbits, most int, unlaid []*ir.Link, b *ir.Budget) ([]ir.Cut, error) {
	c := &cutter{State: w, orbits: t, most: most, budget: b}
	c.dontCount(unlaid)
	c.whole = true
	err := c.everySet()
	return c.out, err
}

// cutter finds the cuts of one state.
type cutter struct {
	*State
	orbits *Orbits
	most   int
	budget *ir.Budget
	out    []ir.Cut

	alone []bool         // by Link.ID: the link, or another one of its orbit, is a cut by itself
	two   map[string]int // by form of two links: not negative if they are a cut
	flow  *flow

	unlaid  []bool  // by Link.ID: the link does not count towards the size of a set; nil: every link counts
	planned []int32 // the uncounted links
	whole   bool    // every set is listed
}

// bySize finds the cuts size by size.
func (c *cutter) bySize() error {
	to := c.destinations()
	least, err := c.fewestPaths(to, c.most+1)
	if err != nil {
		return err
	}
	weak := func(most int) []Target { // destinations that this many links may cut off from all shortest paths of a sender
		if least == nil {
			return to
		}
		var out []Target
		for i, d := range to {
			if least[i] <= most {
				out = append(out, d)
			}
		}
		return out
	}
	if err := c.single(weak(1)); err != nil || c.most == 1 {
		return err
	}
	pairs, err := c.pairs(weak(c.most))
	for size := 2; size <= c.most && err == nil; size++ {
		err = c.ofSize(size, pairs)
	}
	return err
}

// everySet lists every set of links, one of each orbit.
func (c *cutter) everySet() error {
	level := [][]int32{nil}
	for range c.most + len(c.planned) {
		known := map[string]bool{}
		var next [][]int32
		for _, set := range level {
			if !c.budget.Spend(len(c.Ends)/2 + 1) {
				return ir.ErrBudget
			}
			for _, id := range c.beside(set) {
				if !c.budget.Spend(400 * (len(set) + 1)) {
					return ir.ErrBudget
				}
				more := with(set, id)
				if c.count(more) > c.most {
					continue
				}
				if form := c.orbits.Form(more); !known[form] {
					known[form] = true
					next = append(next, more)
				}
			}
		}
		c.list(next)
		level = next
	}
	return nil
}

// with returns the sorted set with one link added.
func with(set []int32, id int32) []int32 {
	i, _ := slices.BinarySearch(set, id)
	return slices.Insert(slices.Clone(set), i, id)
}

// beside returns links that represent all possible additions to the set: the links between devices of the set and up to two further devices
// of each class of twins.
func (c *cutter) beside(set []int32) []int32 {
	chosen := make([]bool, c.size())
	for _, id := range set {
		chosen[c.Ends[id][0]], chosen[c.Ends[id][1]] = true, true
	}
	for low := range int32(len(chosen)) {
		if c.orbits.lowest[low] != low {
			continue
		}
		spare := 2
		for v := low; v >= 0 && spare > 0; v = c.orbits.next[v] {
			if !chosen[v] {
				chosen[v] = true
				spare--
			}
		}
	}
	var out []int32
	for id, e := range c.Ends {
		if e[0] >= 0 && chosen[e[0]] && chosen[e[1]] && !slices.Contains(set, int32(id)) {
			out = append(out, int32(id))
		}
	}
	return out
}

// list adds sets of one size.
func (c *cutter) list(sets [][]int32) {
	slices.SortFunc(sets, slices.Compare)
	for _, set := range sets {
		c.out = append(c.out, ir.Cut{Links: linksOf(c.Fabric, set), Alike: c.orbits.Size(set), Whole: c.whole})
	}
}

// destinations returns one destination of each class of twins.
func (c *cutter) destinations() []Target {
	var out []Target
	for sub, used := range c.used {
		for v := range int32(c.size()) {
			if used && c.orbits.lowest[v] == v && c.isDestination(v, sub) {
				out = append(out, Target{v, sub})
			}
		}
	}
	return out
}

// single finds the cuts of one link on paths to the given destinations.
func (c *cutter) single(to []Target) error {
	for _, d := range to {
		if !c.budget.Spend(2 * c.subs[d.sub].Cost()) {
			return ir.ErrBudget
		}
	}
	orbit, first := c.linkOrbits()
	common := make([][]crossing, len(to))
	finders := sync.Pool{New: func() any { return c.newDominators(orbit, len(first)) }}
	graph.InParallel(len(to), 1, func(from, end int) {
		f := finders.Get().(*dominators)
		defer finders.Put(f)
		for i := from; i < end; i++ {
			common[i] = f.common(to[i])
		}
	})
	type question struct { // whether a path remains without the link
		orbit        int32
		sub          int
		link, member int32 // -1 if the answer is the same for the whole orbit and all destinations
	}
	asked := map[question]bool{}
	cut := make([]bool, len(first))
	for i, d := range to {
		for _, x := range common[i] {
			q := question{orbit[x.link], d.sub, -1, -1}
			if d.vertex >= int32(c.devices) { // which has several links to it
				q.link, q.member = x.link, d.vertex
			}
			if cut[q.orbit] || asked[q] {
				continue
			}
			asked[q] = true
			if !c.budget.Spend(c.subs[d.sub].Cost()) {
				return ir.ErrBudget
			}
			p := c.Probe([]int32{x.link})
			cut[q.orbit] = p.reaches(x.device, d)
			c.Probes.Put(p)
		}
	}
	c.alone = make([]bool, len(c.Ends))
	for id, o := range orbit {
		c.alone[id] = o >= 0 && cut[o]
	}
	var sets [][]int32
	for o, id := range first {
		if cut[o] {
			sets = append(sets, []int32{id})
		}
	}
	c.list(sets)
	return nil
}

// linkOrbits numbers the orbits of single links, by Link.ID, and returns the first link of each.
func (c *cutter) linkOrbits() (orbit, first []int32) {
	orbit = make([]int32, len(c.Ends))
	known := map[[3]int32]int32{}
	for id, e := range c.Ends {
		orbit[id] = -1
		if e[0] < 0 {
			continue
		}
		name := c.orbits.OfLink(int32(id))
		o, ok := known[name]
		if !ok {
			o = int32(len(first))
			known[name] = o
			first = append(first, int32(id))
		}
		orbit[id] = o
	}
	return orbit, first
}

// weakPair is a sender and a destination with few disjoint shortest paths between them.
type weakPair struct {
	to    Target
	from  int32
	least int // how many
}

// pairs returns, for the given destinations, the pairs that may have a cut of several links, one for all pairs of twins. Such a pair has at
// most as many disjoint shortest paths as links may fail. It has no path on which every link alone is a cut.
func (c *cutter) pairs(to []Target) ([]weakPair, error) {
	f := c.newFlow()
	c.flow = f
	from := make([]bool, c.devices)
	settled := make([]bool, c.size())
	var out []weakPair
	for _, d := range to {
		if !c.budget.Spend(2 * c.subs[d.sub].Cost()) {
			return nil, ir.ErrBudget
		}
		f.turnTo(d)
		c.senders(from, d.vertex, d.sub)
		settled[d.vertex] = true
		open := false
		for _, v := range f.order {
			settled[v] = false
			to, link, dist := f.next(v)
			for i, u := range to {
				settled[v] = settled[v] || c.alone[link[i]] && settled[u] && f.dist[u] == dist
			}
			open = open || from[v] && !settled[v]
		}
		if !open {
			continue
		}
		for v := range int32(c.devices) {
			if !from[v] || f.dist[v] < 0 || settled[v] || !c.stands(v, d.vertex) {
				continue
			}
			least, _ := f.disjoint(v, nil, c.most+1)
			if !c.budget.Spend(f.work()) {
				return nil, ir.ErrBudget
			}
			if least <= c.most {
				out = append(out, weakPair{d, v, least})
			}
		}
	}
	return out, nil
}

// stands reports whether v is the lowest of its twins other than the destination.
func (c *cutter) stands(v, d int32) bool {
	low := c.orbits.lowest[v]
	if low == d {
		low = c.orbits.next[low]
	}
	return v == low
}

// partial is an unfinished cut, and the links of a shortest path that it does not hit.
type partial struct{ links, path []int32 }

// ofSize finds the cuts with the given number of links.
func (c *cutter) ofSize(size int, pairs []weakPair) error {
	var sets [][]int32
	place := map[string]int{} // by form: the index in sets; -1: the set contains a smaller cut
	for _, p := range pairs {
		if p.least > size {
			continue
		}
		if c.flow.target != p.to {
			if !c.budget.Spend(c.subs[p.to.sub].Cost()) {
				return ir.ErrBudget
			}
			c.flow.turnTo(p.to)
		}
		full, err := c.grow(p, size)
		if err != nil {
			return err
		}
		for _, set := range full {
			form := c.orbits.Form(set)
			i, known := place[form]
			if !known {
				i = -1
				minimal, err := c.minimal(set)
				if err != nil {
					return err
				}
				if minimal {
					i = len(sets)
					sets = append(sets, set)
				}
				place[form] = i
			}
			if i >= 0 && slices.Compare(set, sets[i]) < 0 {
				sets[i] = set
			}
		}
	}
	if size == 2 && len(sets) > 0 {
		c.two = place
	}
	c.list(sets)
	return nil
}

// grow builds the sets of a size that hit all shortest paths of a pair and leave it a path, one of each orbit. No twin of either end is on
// their shortest paths. So a swap of twins turns a set into another set for the same pair, perhaps in the other direction.
func (c *cutter) grow(p weakPair, size int) ([][]int32, error) {
	_, path := c.flow.disjoint(p.from, nil, 1)
	level := []partial{{nil, path}}
	for n := 1; n <= size; n++ {
		known := map[string]bool{}
		var next []partial
		for _, part := range level {
			for _, id := range part.path {
				if c.alone[id] {
					continue
				}
				links := with(part.links, id)
				form := c.orbits.Form(links)
				if !c.budget.Spend(400 * n) {
					return nil, ir.ErrBudget
				}
				if known[form] {
					continue
				}
				known[form] = true
				if n < size && c.holdsTwo(links, id) {
					continue
				}
				left, path := c.flow.disjoint(p.from, links, size-n+1)
				if !c.budget.Spend(c.flow.work()) {
					return nil, ir.ErrBudget
				}
				if left <= size-n && (left > 0 || n == size) {
					next = append(next, partial{links, path})
				}
			}
		}
		level = next
	}
	var out [][]int32
	for _, part := range level {
		if !c.budget.Spend(c.subs[p.to.sub].Cost()) {
			return nil, ir.ErrBudget
		}
		probe := c.Probe(part.links)
		if probe.reaches(p.from, p.to) {
			out = append(out, part.links)
		}
		c.Probes.Put(probe)
	}
	return out, nil
}

// holdsTwo reports whether the link and one other link of the set form a cut.
func (c *cutter) holdsTwo(set []int32, id int32) bool {
	if len(c.two) == 0 {
		return false
	}
	return slices.ContainsFunc(set, func(other int32) bool {
		if other == id {
			return false
		}
		i, known := c.two[c.orbits.Form([]int32{min(id, other), max(id, other)})]
		return known && i >= 0
	})
}

// minimal reports whether the set stops being a cut if any one of its links is removed.
func (c *cutter) minimal(set []int32) (bool, error) {
	if len(set) == 2 { // sets that contain a cut of one link were never built
		return true, nil
	}
	return c.holdsNoCut(set)
}
