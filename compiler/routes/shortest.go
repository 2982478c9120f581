package routes

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// This file finds shortest paths for 64 destinations at a time. One breadth-first search spreads a batch of destinations as the bits of a
// machine word, level by level. Then traffic goes back from its senders to the destinations, farthest level first. At a vertex, traffic for
// a destination turns from every port where it comes in to every port by which it leaves.

// shortestPaths returns the turns of every shortest path in state s.
func (v *view) shortestPaths(s ir.State) (*ir.Turns, error) {
	if s.Converging {
		return v.converging(s)
	}
	if v.changesGroup() {
		return v.bouncing(s)
	}
	if !s.Budget.Spend(2*v.Edges + len(v.Vertices)) {
		return nil, ir.ErrBudget
	}
	w := newWalk(v, s.Down)
	if err := w.everyShortest(w.classes, s.Budget); err != nil {
		return nil, err
	}
	w.turns.Witness = v.shortestWitness(w.turns, w.failed, w.classes)
	return w.turns, nil
}

func shortestRule(w *walk, c *graph.Class) rule {
	w.distances(c)
	return func(v int32, s *graph.Arc, _ bool) (falls, ok bool) {
		return false, w.dist[v] > 0 && w.dist[s.To] == w.dist[v]-1
	}
}

// everyShortest records the turns of every shortest path to the classes.
func (w *walk) everyShortest(classes []*graph.Class, b *ir.Budget) error {
	batches := w.batches(classes)
	if len(batches) == 0 {
		return nil
	}
	sweeps := []*sweep{newSweep(w)}
	sweeps[0].spread(batches[0])
	if !b.Spend(sweeps[0].cost() * len(batches)) { // the other groups cost about as much
		return ir.ErrBudget
	}
	sweeps[0].gather()
	rest := batches[1:]
	for range min(runtime.GOMAXPROCS(0), len(rest)) - 1 {
		sweeps = append(sweeps, newSweep(w))
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for _, s := range sweeps {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(rest); i = int(next.Add(1)) - 1 {
				s.spread(rest[i])
				s.gather()
			}
		})
	}
	all.Wait()
	w.deliver(sweeps)
	return nil
}

// deliver combines the rows of the sweeps.
func (w *walk) deliver(sweeps []*sweep) {
	rows := sweeps[0].rows
	for _, s := range sweeps[1:] {
		for v, more := range s.rows {
			if rows[v] == nil {
				rows[v] = more
				continue
			}
			for i, m := range more {
				rows[v][i] |= m
			}
		}
	}
	hops := w.anyArcs[0]() // the rows of all conversations
	for v, row := range rows {
		if row == nil {
			continue
		}
		words := int(w.RowWords[v])
		for _, h := range hops[v] {
			begin, end := int(h.index)*words, (int(h.index)+1)*words
			if part := row[begin:end:end]; slices.ContainsFunc(part, func(m uint64) bool { return m != 0 }) {
				w.turns.Rows[h.port] = part
			}
		}
	}
}

// sweep follows batches of destinations, one at a time. Masks have a bit for every destination of the batch.
type sweep struct {
	*walk
	batch batch
	open  [][]arc
	many  uint64 // the destinations that have twins

	// The vertices that the search found, level by level. Level l begins at index from[l] of order: these vertices are l hops from the
	// destinations of their mask.
	order []int32
	masks []uint64
	from  []int

	seen, next []uint64 // by vertex, in the search
	near       []nearby // by vertex
	ins, outs  []portMask
	backs      []portMask // traffic that twins of the destination send to it, in the form of ins; only at one hop
	inMasks    distinct
	outMasks   distinct
	sums       []uint64   // bit rows: by distinct mask of outs, then by distinct mask of ins
	rows       [][]uint64 // by vertex: the bit rows of its ports in one array; nil: none

	// seek, if set, is called at every vertex instead of recording turns. m are the destinations whose traffic is there, and level is the
	// number of hops to them.
	seek func(v int32, level int, m uint64)
}

// nearby contains the destinations that matter to the neighbours of a vertex.
type nearby struct {
	active uint64 // destinations whose traffic is at the vertex
	below  uint64 // destinations to which the vertex is nearer by one than the current level
	above  uint64 // active destinations from which the vertex is farther by one
}

// portMask is a port by which traffic of some destinations comes in or leaves, with the neighbour at its other end.
type portMask struct {
	mask      uint64
	index, to int32
}

func newSweep(w *walk) *sweep {
	n := len(w.Vertices)
	return &sweep{
		walk: w, seen: make([]uint64, n), next: make([]uint64, n), near: make([]nearby, n), rows: make([][]uint64, n),
	}
}

// spread finds the distance of every vertex from the destinations of the batch.
func (s *sweep) spread(b batch) {
	s.batch, s.open = b, s.hops(b[0].Conversation)
	s.order, s.masks, s.from = s.order[:0], s.masks[:0], append(s.from[:0], 0)
	clear(s.seen)
	s.many = 0
	for i, d := range b {
		bit := uint64(1) << i
		if len(d.alike) > 0 {
			s.many |= bit
		}
		for _, v := range d.At {
			if s.next[v] == 0 {
				s.order = append(s.order, v)
			}
			s.next[v] |= bit
		}
	}
	for begin := 0; begin < len(s.order); {
		end := len(s.order)
		for _, v := range s.order[begin:end] {
			s.seen[v] |= s.next[v]
			s.masks = append(s.masks, s.next[v])
			s.next[v] = 0
		}
		s.from = append(s.from, end)
		for i := begin; i < end; i++ {
			m := s.masks[i]
			for _, h := range s.open[s.order[i]] {
				if fresh := m &^ s.seen[h.to]; fresh != 0 {
					if s.next[h.to] == 0 {
						s.order = append(s.order, h.to)
					}
					s.next[h.to] |= fresh
				}
			}
		}
		begin = end
	}
}

// cost returns the number of steps of spread and of gather.
func (s *sweep) cost() int {
	steps := 0
	for _, v := range s.order {
		steps += 2 * len(s.open[v])
	}
	return steps
}

// level calls each for the vertices of a level and their masks.
func (s *sweep) level(l int, each func(v int32, m uint64)) {
	if l+1 >= len(s.from) {
		return
	}
	for i := s.from[l]; i < s.from[l+1]; i++ {
		each(s.order[i], s.masks[i])
	}
}

// gather records the turns of the batch: it moves traffic from the senders to the destinations level by level.
func (s *sweep) gather() {
	clear(s.near)
	var talk *graph.Conversation
	var all uint64
	send := func() {
		if talk != nil {
			for _, v := range s.batch[bits.TrailingZeros64(all)].From {
				s.near[v].active |= all
			}
		}
	}
	for i, d := range s.batch {
		if d.Conversation != talk {
			send()
			talk, all = d.Conversation, 0
		}
		all |= 1 << i
	}
	send()
	for i, d := range s.batch {
		for _, v := range d.Except {
			s.near[v].active &^= 1 << i
		}
	}
	for l := len(s.from) - 2; l > 0; l-- {
		s.level(l-1, func(v int32, m uint64) { s.near[v].below = m })
		s.level(l+1, func(v int32, m uint64) { s.near[v].above = m & s.near[v].active })
		if l == 1 {
			for i, d := range s.batch { // its neighbours deliver to a twin in the same way as to the destination
				for _, t := range d.alike {
					s.near[t.At[0]].below |= 1 << i
				}
			}
		}
		for i := s.from[l]; i < s.from[l+1]; i++ {
			if v := s.order[i]; s.masks[i]&s.near[v].active != 0 {
				s.arrive(v, l, s.masks[i]&s.near[v].active)
			}
		}
		s.level(l-1, func(v int32, _ uint64) { s.near[v].below = 0 })
		s.level(l+1, func(v int32, _ uint64) { s.near[v].above = 0 })
	}
}

// arrive moves the traffic of destinations m, all at the given distance from v, by one hop.
func (s *sweep) arrive(v int32, level int, m uint64) {
	s.ins, s.outs, s.backs = s.ins[:0], s.outs[:0], s.backs[:0]
	many := uint64(0)
	if level == 1 {
		many = m & s.many
	}
	for _, h := range s.open[v] {
		n := &s.near[h.to]
		if out := m & n.below; out != 0 {
			n.active |= out
			if h.lossless {
				s.outs = append(s.outs, portMask{out, h.index, h.to})
			}
			if out&many != 0 && h.fills {
				s.backs = append(s.backs, portMask{out & many, h.index, h.to})
			}
		}
		if in := m & n.above; in != 0 && h.fills {
			s.ins = append(s.ins, portMask{in, h.index, h.to})
		}
	}
	if s.seek != nil {
		s.seek(v, level, m)
		return
	}
	if len(s.outs) == 0 {
		return
	}
	if len(s.ins) > 0 {
		s.turn(v)
	}
	for ; many != 0; many &= many - 1 {
		s.amongAlike(v, many&-many)
	}
}

// row returns the bit rows of v.
func (s *sweep) rowsOf(v int32) []uint64 {
	if s.rows[v] == nil {
		s.rows[v] = make([]uint64, len(s.Vertices[v].Ports)*int(s.RowWords[v]))
	}
	return s.rows[v]
}

// turn records the turns from every in to every out with a common destination.
func (s *sweep) turn(v int32) {
	rows, words := s.rowsOf(v), int(s.RowWords[v])
	if len(s.ins)*len(s.outs) <= 16 {
		for _, in := range s.ins {
			row := rows[int(in.index)*words:]
			for _, out := range s.outs {
				both := in.mask & out.mask
				some := (both | -both) >> 63 // 1 if both is not 0: a branch would be mispredicted half the time
				row[out.index/64] |= some << (out.index % 64)
			}
		}
		return
	}
	// Ports with the same mask are joined in one step.
	s.sums = s.sums[:0]
	s.outMasks.begin(len(s.outs))
	for _, out := range s.outs {
		k := s.outMasks.find(out.mask)
		if k*words == len(s.sums) {
			s.sums = appendZeros(s.sums, words)
		}
		s.sums[k*words+int(out.index)/64] |= 1 << (out.index % 64)
	}
	ins := len(s.sums)
	s.inMasks.begin(len(s.ins))
	for _, in := range s.ins {
		k := s.inMasks.find(in.mask)
		if ins+k*words == len(s.sums) {
			s.sums = appendZeros(s.sums, words)
			sum := s.sums[len(s.sums)-words:]
			for j, mask := range s.outMasks.list {
				if mask&in.mask != 0 {
					for i, m := range s.sums[j*words : (j+1)*words] {
						sum[i] |= m
					}
				}
			}
		}
		row := rows[int(in.index)*words : (int(in.index)+1)*words]
		for i, m := range s.sums[ins+k*words : ins+(k+1)*words] {
			row[i] |= m
		}
	}
}

// amongAlike records, at a neighbour v of twins, the turns from each twin to every other twin.
func (s *sweep) amongAlike(v int32, bit uint64) {
	rows, words := s.rowsOf(v), int(s.RowWords[v])
	s.sums = appendZeros(s.sums[:0], words)
	for _, out := range s.outs {
		if out.mask&bit != 0 {
			s.sums[out.index/64] |= 1 << (out.index % 64)
		}
	}
	several := s.twice()[v]
	for _, twin := range s.backs {
		if twin.mask&bit == 0 {
			continue
		}
		row := rows[int(twin.index)*words : (int(twin.index)+1)*words]
		for i, m := range s.sums {
			row[i] |= m
		}
		row[twin.index/64] &^= 1 << (twin.index % 64) // no traffic turns back
		if several {
			for _, out := range s.outs {
				if out.to == twin.to {
					row[out.index/64] &^= 1 << (out.index % 64)
				}
			}
		}
	}
}

func appendZeros(s []uint64, n int) []uint64 {
	s = slices.Grow(s, n)
	clear(s[len(s) : len(s)+n])
	return s[:len(s)+n]
}

// distinct numbers the distinct values among masks. It is a hash table that is cheap to clear.
type distinct struct {
	list  []uint64
	slots []int32 // index in list, counted from 1
	shift int
}

// begin clears d and makes room for the given number of masks.
func (d *distinct) begin(n int) {
	size := max(16, 1<<bits.Len(uint(2*n)))
	if size > len(d.slots) {
		d.slots = make([]int32, size)
		d.shift = 64 - bits.TrailingZeros(uint(size))
		d.list = d.list[:0]
	}
	for _, m := range d.list {
		i := d.slot(m)
		for d.slots[i] != 0 {
			d.slots[i] = 0
			i = (i + 1) & (len(d.slots) - 1)
		}
	}
	d.list = d.list[:0]
}

func (d *distinct) slot(m uint64) int { return int((m * 0x9E3779B97F4A7C15) >> d.shift) }

// find returns the number of m, and assigns one if m is new.
func (d *distinct) find(m uint64) int {
	if n := len(d.list); n > 0 && d.list[n-1] == m {
		return n - 1
	}
	i := d.slot(m)
	for ; d.slots[i] != 0; i = (i + 1) & (len(d.slots) - 1) {
		if k := d.slots[i] - 1; d.list[k] == m {
			return int(k)
		}
	}
	d.list = append(d.list, m)
	d.slots[i] = int32(len(d.list))
	return len(d.list) - 1
}
