package routes

import "slices"

// This file finds out whether failures or ties can change which paths devices refuse.
//
// A device refuses a path that contains its AS. If an AS has several devices, a failure far from a path can disconnect its ends. A router
// then passes on another path, and a device behind it refuses that one. No failure can do that if each session is of one of two kinds. The
// first kind refuses every path to the destination that any failure or tie can bring. The second kind refuses only paths through the
// refusing device itself, and these are never its shortest ones. Routes are then the shortest paths over the sessions of the second kind.
// An example are spines of one AS above leaves.
//
// Two sets describe the paths that a device may have in any state: the ASes on all these paths, and the devices on at least one of them.
// Data-flow analysis computes both: vertices pass sets on until none changes, over the sessions that are not known to refuse every path.

// refusals finds the sessions that refuse all paths to one destination.
type refusals struct {
	*bgp
	at      []int32
	refuses [][]bool // by vertex and arc: the other end refuses every path of the vertex
}

// steady reports whether devices refuse the same paths to a destination under all failures and all tie-breaks. at contains the vertices of
// the destination.
func (b *bgp) steady(at []int32) bool {
	r := &refusals{bgp: b, at: at, refuses: make([][]bool, len(b.Arcs))}
	for v := range b.Arcs {
		r.refuses[v] = make([]bool, len(b.Arcs[v]))
		for j := range b.Arcs[v] {
			s := &b.Arcs[v][j]
			r.refuses[v][j] = !b.session(int32(v), s) || slices.Contains(at, s.To)
		}
	}
	for r.extend() {
	}
	n := len(b.Vertices)
	some := r.carry(n, func(v int32) int32 { return v }, func(a, b uint64) uint64 { return a | b })
	mates := make([][]int32, len(b.shared)) // by AS: its vertices
	for v, as := range b.as {
		mates[as] = append(mates[as], int32(v))
	}
	for u := range b.Arcs {
		for j := range b.Arcs[u] {
			if some[u] == nil || r.refuses[u][j] {
				continue
			}
			v := b.Arcs[u][j].To
			for _, w := range mates[b.as[v]] {
				if w != v && some[u].has(w) {
					return false
				}
			}
		}
	}
	return true
}

// extend finds more sessions that refuse every path, and reports whether it found any.
func (r *refusals) extend() (more bool) {
	all := r.carry(len(r.shared), func(v int32) int32 { return r.as[v] }, func(a, b uint64) uint64 { return a & b })
	for u := range r.Arcs {
		for j := range r.Arcs[u] {
			if as := r.as[r.Arcs[u][j].To]; all[u] != nil && !r.refuses[u][j] && r.shared[as] && all[u].has(as) {
				r.refuses[u][j], more = true, true
			}
		}
	}
	return more
}

// carry returns, for each vertex with a path, a set of numbers below n: the numbers on its paths, joined over all neighbours that pass a
// path on.
func (r *refusals) carry(n int, own func(v int32) int32, join func(a, b uint64) uint64) []bitset {
	out := make([]bitset, len(r.Vertices))
	for _, v := range r.at {
		out[v] = newBitset(n)
		out[v].add(own(v))
	}
	for todo := slices.Clone(r.at); len(todo) > 0; todo = todo[1:] {
		u := todo[0]
		for j := range r.Arcs[u] {
			if r.refuses[u][j] {
				continue
			}
			v := r.Arcs[u][j].To
			changed := out[v] == nil
			if changed {
				out[v] = slices.Clone(out[u])
			}
			own := own(v)
			out[v].add(own)
			for i, word := range out[v] {
				heard := out[u][i]
				if i == int(own/64) {
					heard |= 1 << (own % 64)
				}
				out[v][i] = join(word, heard)
				changed = changed || out[v][i] != word
			}
			if changed {
				todo = append(todo, v)
			}
		}
	}
	return out
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int32)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int32) bool { return b[i/64]>>(i%64)&1 != 0 }
