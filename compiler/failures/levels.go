package failures

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// By Menger's theorem (1927) a set of links that hits every shortest path of a pair has at least as many links as the pair has disjoint
// shortest paths. If few pairs remain after removing twins, their numbers of disjoint paths are computed first, with distances to 64
// destinations at a time. In a fat tree, or another regular Clos, these numbers rule out all requested cuts.

// levels contains the distances to up to 64 destinations in one subgraph, found by one breadth-first search on bits of machine words.
type levels struct {
	w  *State
	to []Target
	by [][]uint64 // by distance, then vertex: the destinations within this distance
}

// mostLevels limits the number of words of levels.
const mostLevels = 1 << 22

// newLevels returns nil if levels would need too many words, such as on long rings.
func (w *State) newLevels(to []Target) *levels {
	l := &levels{w: w, to: to}
	first := make([]uint64, w.size())
	var now []int32 // the vertices reached on the last level, and the new destinations of each
	fresh := make([]uint64, w.size())
	for i, d := range to {
		if first[d.vertex] == 0 {
			now = append(now, d.vertex)
		}
		first[d.vertex] |= 1 << i
	}
	copy(fresh, first)
	l.by = append(l.by, first)
	csr := &w.subs[to[0].sub]
	for seen := first; len(now) > 0; {
		if (len(l.by)+1)*len(seen) > mostLevels {
			return nil
		}
		next := slices.Clone(seen)
		var met []int32
		for _, v := range now {
			f := csr
			if v >= int32(w.devices) {
				f = &w.attached
			}
			neighbours, _ := f.At(v)
			for _, u := range neighbours {
				if more := fresh[v] &^ next[u]; more != 0 {
					if next[u] == seen[u] {
						met = append(met, u)
					}
					next[u] |= more
				}
			}
		}
		for _, v := range now {
			fresh[v] = 0
		}
		for _, u := range met {
			fresh[u] = next[u] &^ seen[u]
		}
		l.by = append(l.by, next)
		seen, now = next, met
	}
	return l
}

// distance returns the distance of a vertex from a destination; -1: there is no path.
func (l *levels) distance(v int32, at int) int {
	return slices.IndexFunc(l.by, func(near []uint64) bool { return near[v]&(1<<at) != 0 })
}

// hops appends the links from v to its next hops.
func (l *levels) hops(out []crossing, v int32, at int) []crossing {
	dist := l.distance(v, at)
	csr := &l.w.subs[l.to[at].sub]
	if dist == 1 && l.to[at].vertex >= int32(l.w.devices) {
		csr = &l.w.attached
	}
	near := l.by[dist-1]
	to, link := csr.At(v)
	for i, u := range to {
		if near[u]&(1<<at) != 0 {
			out = append(out, crossing{u, link[i]})
		}
	}
	return out
}

// fewestPaths returns, by destination, the smallest number of disjoint shortest paths of any device that talks to it, at most limit. It
// returns nil if there are too many pairs.
func (c *cutter) fewestPaths(to []Target, limit int) ([]int, error) {
	from := make([]bool, c.devices)
	pairs := 0
	for _, d := range to {
		c.eachSender(from, d, func(int32) { pairs++ })
	}
	if 8*pairs > len(c.subs[wholeGraph].To) {
		return nil, nil
	}
	out := make([]int, len(to))
	f := c.newFlow()
	for begin := 0; begin < len(to); {
		end := begin + 1
		for end < len(to) && end < begin+64 && to[end].sub == to[begin].sub {
			end++
		}
		if !c.budget.Spend(3 * c.subs[to[begin].sub].Cost()) {
			return nil, ir.ErrBudget
		}
		l := c.newLevels(to[begin:end])
		if l == nil {
			return nil, nil
		}
		for i, d := range l.to {
			f.turnToLevel(l, i)
			least := limit
			c.eachSender(from, d, func(v int32) {
				if l.distance(v, i) >= 0 {
					n, _ := f.disjoint(v, nil, least)
					least = n
				}
			})
			if !c.budget.Spend(f.work()) {
				return nil, ir.ErrBudget
			}
			out[begin+i] = least
		}
		begin = end
	}
	return out, nil
}

// eachSender calls each for one sender to d of each class of twins. from is scratch space.
func (c *cutter) eachSender(from []bool, d Target, each func(v int32)) {
	c.senders(from, d.vertex, d.sub)
	for v, sends := range from {
		if sends && c.stands(int32(v), d.vertex) {
			each(int32(v))
		}
	}
}
