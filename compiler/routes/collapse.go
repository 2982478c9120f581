package routes

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
)

// Twin destinations are attached to one vertex each, in one tier, with the same neighbours over links of the same kinds. Swapping two of
// them changes only their names, so their traffic takes the same turns everywhere except next to them. So one of them is followed, and the
// last hops of the others are added (see sweep.arrive). Links that are down are ignored, so a vertex that lost a link is no longer a twin
// of the others. The result is exact, not an approximation.

// destination is a class to follow, and its twins with higher ids.
type destination struct {
	*graph.Class
	alike []*graph.Class
}

// batch is up to 64 destinations, one bit of a machine word each, whose traffic crosses the same links.
type batch []destination

// batches sorts classes into batches, with twins collapsed: first the classes that cross routed links, then the others.
func (w *walk) batches(classes []*graph.Class) []batch {
	var all []destination
	for of := range byTalk(classes) {
		all = append(all, w.collapse(of, nil)...)
	}
	return w.batched(all)
}

func (w *walk) batched(all []destination) []batch {
	var out []batch
	for _, bridged := range []bool{false, true} {
		of := slices.DeleteFunc(slices.Clone(all), func(d destination) bool { return d.Conversation.Bridged != bridged })
		out = append(out, w.neighbourhoods(of)...)
	}
	return out
}

// neighbourhoods sorts destinations into batches of near ones: the more similar their distances, the fewer levels a vertex is on.
func (w *walk) neighbourhoods(all []destination) []batch {
	if len(all) <= 64 {
		return slices.Collect(slices.Chunk[batch](all, 64))
	}
	hops := w.hops(all[0].Conversation)
	at := make([][]int, len(w.Vertices)) // destinations that are in no batch yet
	for i, d := range all {
		at[d.At[0]] = append(at[d.At[0]], i)
	}
	var out []batch
	var near []int
	put := func() {
		slices.Sort(near)
		b := make(batch, len(near))
		for i, k := range near {
			b[i] = all[k]
		}
		out, near = append(out, b), near[:0]
	}
	var order []int32
	seen, round := make([]int32, len(w.Vertices)), int32(0) // by vertex: the round in which it was last seen
	for _, d := range all {
		for begin := d.At[0]; len(at[begin]) > 0; {
			round++
			seen[begin] = round
			order = append(order[:0], begin)
			for i := 0; i < len(order) && len(near) < 64; i++ {
				v := order[i]
				n := min(len(at[v]), 64-len(near))
				near, at[v] = append(near, at[v][:n]...), at[v][n:]
				for _, h := range hops[v] {
					if seen[h.to] != round {
						seen[h.to] = round
						order = append(order, h.to)
					}
				}
			}
			if len(near) == 64 {
				put()
			}
		}
	}
	if len(near) > 0 {
		put()
	}
	return out
}

// byTalk yields the classes of one conversation after the other.
func byTalk(classes []*graph.Class) iter.Seq[[]*graph.Class] {
	return func(yield func([]*graph.Class) bool) {
		for begin := 0; begin < len(classes); {
			end := begin + 1
			for end < len(classes) && classes[end].Conversation == classes[begin].Conversation {
				end++
			}
			if !yield(classes[begin:end]) {
				return
			}
			begin = end
		}
	}
}

// collapse finds the twins among the classes of one conversation for which may is true; if may is nil, among all.
func (w *walk) collapse(classes []*graph.Class, may func(*graph.Class) bool) []destination {
	hops := w.hops(classes[0].Conversation)
	out := make([]destination, 0, len(classes))
	alike := map[uint64][]int32{} // by fingerprint: indexes in out of the destinations with it
	for _, c := range classes {
		if len(c.At) > 1 || len(c.Except) > 0 || len(classes) == 1 || may != nil && !may(c) {
			out = append(out, destination{Class: c})
			continue
		}
		mine := hops[c.At[0]]
		print := fingerprint(mine)
		i := slices.IndexFunc(alike[print], func(i int32) bool {
			other := out[i].At[0]
			return sameArcs(hops[other], mine) && w.Vertices[other].Height() == w.Vertices[c.At[0]].Height()
		})
		if i >= 0 {
			first := &out[alike[print][i]]
			first.alike = append(first.alike, c)
			continue
		}
		alike[print] = append(alike[print], int32(len(out)))
		out = append(out, destination{Class: c})
	}
	return out
}

// kind encodes the end of an arc and whether it is lossless as one number.
func (h arc) kind() uint64 {
	k := uint64(h.to) << 3
	for i, is := range []bool{h.lossless, h.fills, h.fillsTo} {
		if is {
			k |= 1 << i
		}
	}
	return k
}

// fingerprint returns the same number for hops of the same kinds in any order.
func fingerprint(hops []arc) uint64 {
	var sum uint64
	for _, h := range hops {
		hi, lo := bits.Mul64(h.kind()+0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
		sum += hi ^ lo
	}
	return sum
}

// sameArcs reports whether two vertices have arcs of the same kinds.
func sameArcs(a, b []arc) bool {
	same := func(a, b arc) bool { return a.kind() == b.kind() }
	if len(a) != len(b) || slices.EqualFunc(a, b, same) {
		return len(a) == len(b)
	}
	byKind := func(a, b arc) int { return cmp.Compare(a.kind(), b.kind()) }
	return slices.EqualFunc(slices.SortedFunc(slices.Values(a), byKind), slices.SortedFunc(slices.Values(b), byKind), same)
}
