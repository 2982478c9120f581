package proof

import (
	"cmp"
	"slices"
	"sort"

	"github.com/rocec/rocec/compiler/ir"
)

// Bounds on the search for the circles that are shown. The work is the number of visited edges, and a larger budget raises its bound. If
// the search ends early, it shows the shortest circle so far.
const (
	maxLoops     = 64
	maxLoopWork  = 20_000_000
	loopShare    = 300 // the work is the budget divided by this, if that is more
	maxFlowTurns = 256 // turns of circles for which flows are searched
)

// show returns the shortest circle of each part, the shortest of all first.
func (g *bufferGraph) show(parts [][]int32, down []*ir.Link) []Loop {
	for _, p := range parts {
		slices.SortFunc(p, g.compare)
	}
	slices.SortFunc(parts, func(a, b []int32) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), g.compare(a[0], b[0]))
	})
	work := 0
	var loops []Loop
	s := newSearch(g)
	for _, p := range parts[:min(len(parts), maxLoops)] {
		if len(loops) > 0 && work > g.loopWork {
			break
		}
		circle := s.shortest(p, &work)
		loops = append(loops, Loop{Circle: circle, Buffers: len(p), Down: slices.Clone(down), Ended: s.ended})
	}
	sort.SliceStable(loops, func(i, k int) bool { return len(loops[i].Circle) < len(loops[k].Circle) })
	return loops
}

// search finds shortest circles.
type search struct {
	g      *bufferGraph
	epoch  int32
	seen   []int32 // by node: the epoch it was last seen in
	inside []int32 // by node: the number of its part
	part   int32
	before []int32
	by     []edge
	depth  []int32
	queue  []int32
	ended  bool // the last search ended before it had started at every buffer
}

func newSearch(g *bufferGraph) *search {
	n := g.nodes()
	return &search{
		g: g, seen: make([]int32, n), inside: make([]int32, n), before: make([]int32, n),
		by: make([]edge, n), depth: make([]int32, n),
	}
}

// shortest returns the shortest circle within a strongly connected part, by BFS from each of its buffers in order. The circle is rotated
// to begin at its smallest buffer.
func (s *search) shortest(part []int32, work *int) []Wait {
	s.part++
	s.ended = false
	for _, v := range part {
		s.inside[v] = s.part
	}
	best, start := s.microLoop(part) // best[i] is the edge to node i+1 of the circle
	for _, root := range part {
		if len(best) == 2 {
			break
		}
		if s.ended = best != nil && *work > s.g.loopWork; s.ended {
			break
		}
		if found := s.from(root, best, work); found != nil {
			best, start = found, root
		}
	}
	circle := make([]Wait, len(best))
	v, first := start, 0
	low := start
	for i, e := range best {
		circle[i] = Wait{In: s.g.port(v), Out: e.out, Group: s.g.groups[e.group]}
		if s.g.compare(v, low) < 0 {
			low, first = v, i
		}
		v = e.to
	}
	return append(circle[first:], circle[:first]...)
}

// microLoop returns the first circle of the two buffers of one cable, and its start. Both ends of such a cable send traffic back to each
// other. In a large part, the general search for it could take long.
func (s *search) microLoop(part []int32) (circle []edge, start int32) {
	for _, v := range part {
		p := s.g.port(v)
		if there, ok := s.g.edge(v, p); ok {
			if back, ok := s.g.edge(there.to, p.Peer()); ok && back.to == v {
				return []edge{there, back}, v
			}
		}
	}
	return nil, 0
}

// from returns the shortest circle through root if it is shorter than best, or nil.
func (s *search) from(root int32, best []edge, work *int) []edge {
	s.epoch++
	s.queue = append(s.queue[:0], root)
	s.seen[root], s.depth[root] = s.epoch, 0
	var found []edge
	for i := 0; i < len(s.queue) && found == nil; i++ {
		v := s.queue[i]
		if best != nil && int(s.depth[v])+1 >= len(best) {
			return nil
		}
		s.g.edges(v, func(e edge) bool {
			*work++
			if e.to == root {
				found = []edge{e}
				for u := v; u != root; u = s.before[u] {
					found = append(found, s.by[u])
				}
				slices.Reverse(found)
				return false
			}
			if s.seen[e.to] != s.epoch && s.inside[e.to] == s.part {
				s.seen[e.to], s.before[e.to], s.by[e.to], s.depth[e.to] = s.epoch, v, e, s.depth[v]+1
				s.queue = append(s.queue, e.to)
			}
			return true
		})
	}
	return found
}

// fill finds flows for the circles of the first loops, with one query per group.
func (g *bufferGraph) fill(loops []Loop) {
	turns, wanted := 0, 0
	for wanted < len(loops) && (wanted == 0 || turns+len(loops[wanted].Circle) <= maxFlowTurns) {
		turns += len(loops[wanted].Circle)
		wanted++
	}
	loops = loops[:wanted]
	makes := make([][]*ir.Flow, len(loops)) // by loop, by hop: a flow that makes the turn
	for i, l := range loops {
		makes[i] = make([]*ir.Flow, len(l.Circle))
	}
	for i, group := range g.groups {
		t := g.turns[i]
		if t == nil || t.Witness == nil {
			continue
		}
		var at []**ir.Flow
		var turns []ir.Turn
		for j, l := range loops {
			for k, h := range l.Circle {
				if h.Group == group {
					at, turns = append(at, &makes[j][k]), append(turns, ir.Turn{In: h.In, Out: h.Out})
				}
			}
		}
		if turns == nil {
			continue
		}
		for j, f := range t.Witness(turns) {
			*at[j] = f
		}
	}
	for i := range loops {
		loops[i].Flows = cover(loops[i].Circle, makes[i])
	}
}

// cover returns a small subset of the flows that together make every turn of the circle. It is greedy: it always adds the flow that makes
// most of the missing turns, and the earlier one of equal flows.
func cover(circle []Wait, flows []*ir.Flow) []*ir.Flow {
	missing := make([]bool, len(circle))
	for i := range missing {
		missing[i] = true
	}
	var out []*ir.Flow
	for {
		best, most := -1, 0
		for i, f := range flows {
			n := 0
			for j, h := range circle {
				if f != nil && missing[j] && f.Takes(h.Group, h.In, h.Out) {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return out
		}
		for j, h := range circle {
			missing[j] = missing[j] && !flows[best].Takes(h.Group, h.In, h.Out)
		}
		out = append(out, flows[best])
	}
}

// has reports whether traffic of some group that came in by in may leave by out.
func (g *bufferGraph) has(in, out *ir.Port) bool {
	for _, l := range g.layers {
		if row := l.row(int32(in.ID)); out.Index/64 < len(row) && row[out.Index/64]&(1<<(out.Index%64)) != 0 {
			return true
		}
	}
	return false
}

// reversed reports whether the circle also exists in the other direction.
func (g *bufferGraph) reversed(circle []Wait) bool {
	return !slices.ContainsFunc(circle, func(h Wait) bool { return !g.has(h.Out, h.In) })
}

// MostMore bounds the count of a loop's other circles.
const MostMore = 999_999

// more counts the other circles of the same length that take the same turns from down to up, in the same order, up to [MostMore]. It
// returns 0 if the circle has no such turn, and -1 if the work ended the count. Every closed walk of that length is a circle, since a
// shorter circle would have been shown.
func (g *bufferGraph) more(circle []Wait) int {
	const most = MostMore + 1
	var valleys []int
	for i, h := range circle {
		if h.Valley() {
			valleys = append(valleys, i)
		}
	}
	if valleys == nil {
		return 0
	}
	all, work := 1, 0
	node := func(i int) int32 {
		h := circle[i%len(circle)]
		for group, c := range g.groups {
			if c == h.Group {
				return g.node(int32(h.In.ID), int32(group))
			}
		}
		panic("proof: circle of a group that is not judged")
	}
	for i, v := range valleys {
		last := valleys[(i+1)%len(valleys)]
		if last <= v {
			last += len(circle)
		}
		ways := map[int32]int{node(v + 1): 1} // by buffer: the number of walks that lead to it
		for range last - v - 1 {
			next := map[int32]int{}
			for n, ways := range ways {
				g.edges(n, func(e edge) bool {
					work++
					next[e.to] = min(next[e.to]+ways, most)
					return work < g.loopWork
				})
			}
			if ways = next; work >= g.loopWork {
				return -1
			}
		}
		all = min(all*ways[node(last)], most)
	}
	return max(all-1, 0)
}
