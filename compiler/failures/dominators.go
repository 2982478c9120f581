package failures

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
)

// crossing is a link that leaves a device towards a destination.
type crossing struct{ device, link int32 }

// dominators finds the links that all shortest paths share. A vertex dominates another if all shortest paths of the other pass through it.
// The nearest dominators form a tree, which one breadth-first search finds.
type dominators struct {
	w     *State
	orbit []int32   // by Link.ID: the number of its orbit
	dist  []int32   // by vertex; -1: no path
	order []int32   // the devices with a path, nearest first
	by    []int32   // by vertex: its nearest dominator; itself for the destination
	only  []int32   // by vertex: its only link to next hops, or -1
	all   []bool    // by vertex: it dominates some sender
	from  []bool    // by device: it is a sender
	told  [2][]bool // by subgraph and orbit: common has already returned a link of the orbit
}

func (c *cutter) newDominators(orbit []int32, orbits int) *dominators {
	n := c.size()
	return &dominators{
		w: c.State, orbit: orbit, dist: make([]int32, n), by: make([]int32, n), only: make([]int32, n), all: make([]bool, n),
		from: make([]bool, c.devices), told: [2][]bool{make([]bool, orbits), make([]bool, orbits)},
	}
}

// common returns the links shared by all shortest paths from some sender to d. If d is a device, it returns one link of each orbit, and no
// orbit twice.
func (f *dominators) common(d Target) []crossing {
	f.search(d)
	f.w.senders(f.from, d.vertex, d.sub)
	var out []crossing
	for _, v := range slices.Backward(f.order) {
		if !f.all[v] && !f.from[v] {
			continue
		}
		f.all[f.by[v]] = true
		link := f.only[v]
		if link < 0 {
			continue
		}
		if d.vertex < int32(f.w.devices) {
			if f.told[d.sub][f.orbit[link]] {
				continue
			}
			f.told[d.sub][f.orbit[link]] = true
		}
		out = append(out, crossing{v, link})
	}
	return out
}

// search sets order, by and only for a destination.
func (f *dominators) search(d Target) {
	for i := range f.dist {
		f.dist[i] = -1
	}
	f.order = f.order[:0]
	f.dist[d.vertex], f.by[d.vertex], f.only[d.vertex], f.all[d.vertex] = 0, d.vertex, -1, false
	csr := &f.w.subs[d.sub]
	if d.vertex < int32(f.w.devices) {
		f.arrive(csr, d.vertex)
	} else {
		f.arrive(&f.w.attached, d.vertex)
	}
	for i := 0; i < len(f.order); i++ {
		f.arrive(csr, f.order[i])
	}
}

// arrive makes v a next hop of those of its neighbours that are farther away.
func (f *dominators) arrive(csr *graph.CSR, v int32) {
	to, link := csr.At(v)
	next := f.dist[v] + 1
	for i, u := range to {
		switch f.dist[u] {
		case -1:
			f.dist[u], f.by[u], f.only[u], f.all[u] = next, v, link[i], false
			f.order = append(f.order, u)
		case next:
			f.only[u] = -1
			a, b := f.by[u], v
			for a != b {
				if f.dist[a] >= f.dist[b] {
					a = f.by[a]
				} else {
					b = f.by[b]
				}
			}
			f.by[u] = a
		}
	}
}
