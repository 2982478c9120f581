package proof

import (
	"math/bits"
	"slices"
)

// visit is a node on the path of the depth-first search, and the position in its edges.
type visit struct{ n, layer, word int32 }

// walker finds the strongly connected parts of graphs over the same tables (Tarjan 1972), without recursion. Bit masks over the egress
// ports of every device mark the buffers behind them that are not visited yet. So a row of turns is followed word by word, and finished
// buffers cost nothing: the search is linear in buffers, not in turns.
type walker struct {
	found []int32  // by node: its number in the order of finding, from 1; 0: not found yet
	low   []int32  // by node: the smallest number that it is known to reach
	fresh []uint64 // by group, egress port: the buffer behind it has not been found
	open  []uint64 // by group, egress port: the buffer behind it has been found, and its part is not complete
	stack []int32
	path  []visit
}

// parts returns the strongly connected parts of two nodes or more; exactly these have circles. With first it returns only the first part
// found. steps is the work done.
func (g *bufferGraph) parts(w *walker, first bool) (parts [][]int32, steps int) {
	n := g.nodes()
	if len(w.found) < n {
		w.found, w.low = make([]int32, n), make([]int32, n)
		w.fresh, w.open = make([]uint64, g.Size*len(g.groups)), make([]uint64, g.Size*len(g.groups))
	}
	clear(w.found)
	clear(w.open)
	for i := range w.fresh {
		w.fresh[i] = ^uint64(0)
	}
	w.stack, w.path = w.stack[:0], w.path[:0]
	count := int32(0)
	enter := func(n int32) {
		count++
		w.found[n] = count
		steps += 4
		if !g.leads(n) { // a part with one node
			g.mark(w.fresh, n, false)
			return
		}
		w.low[n] = count
		g.mark(w.fresh, n, false)
		g.mark(w.open, n, true)
		w.stack = append(w.stack, n)
		w.path = append(w.path, visit{n: n})
	}
	for root := range int32(n) {
		if w.found[root] != 0 || !g.leads(root) || g.node(g.portID(root), root%int32(len(g.groups))) != root {
			continue
		}
		enter(root)
		for len(w.path) > 0 {
			top := &w.path[len(w.path)-1]
			if next := g.unseen(w, top); next >= 0 {
				enter(next)
				continue
			}
			v := top.n
			w.path = w.path[:len(w.path)-1]
			g.lower(w, v)
			if len(w.path) > 0 {
				up := w.path[len(w.path)-1].n
				w.low[up] = min(w.low[up], w.low[v])
			}
			if w.low[v] != w.found[v] {
				continue
			}
			i := len(w.stack)
			for {
				i--
				g.mark(w.open, w.stack[i], false)
				if w.stack[i] == v {
					break
				}
			}
			if len(w.stack)-i > 1 {
				parts = append(parts, slices.Clone(w.stack[i:]))
				if first {
					return parts, steps
				}
			}
			w.stack = w.stack[:i]
		}
	}
	return parts, steps
}

// mark sets or clears the bits of a node, in the masks of every group that shares its buffer.
func (g *bufferGraph) mark(mask []uint64, n int32, on bool) {
	p := g.portID(n)
	at, bit := int(g.Word[p]), uint64(1)<<g.Bit[p]
	from, to := 0, 1
	if len(g.groups) > 1 {
		from = int(n) % len(g.groups)
		if to = from + 1; g.shared[p] {
			from, to = 0, len(g.groups)
		}
	}
	for i := from; i < to; i++ {
		if on {
			mask[i*g.Size+at] |= bit
		} else {
			mask[i*g.Size+at] &^= bit
		}
	}
}

// unseen returns the next node that an edge leads to and that has not been found, or -1.
func (g *bufferGraph) unseen(w *walker, v *visit) int32 {
	p := g.portID(v.n)
	d := g.EntryOf[p]
	layers := g.out(v.n)
	for ; int(v.layer) < len(layers); v.layer, v.word = v.layer+1, 0 {
		l := &layers[v.layer]
		row := l.row(p)
		fresh := w.fresh[int(l.to)*g.Size+int(g.Words[d]):]
		for ; int(v.word) < len(row); v.word++ {
			if m := row[v.word] & fresh[v.word]; m != 0 {
				return g.node(g.Next(d, int(v.word)*64+bits.TrailingZeros64(m)), l.to)
			}
		}
	}
	return -1
}

// lower sets low of v to the smallest number of the nodes of open parts that an edge leads to.
func (g *bufferGraph) lower(w *walker, v int32) {
	p := g.portID(v)
	d := g.EntryOf[p]
	for _, l := range g.out(v) {
		open := w.open[int(l.to)*g.Size+int(g.Words[d]):]
		for i, m := range l.row(p) {
			for m &= open[i]; m != 0; m &= m - 1 {
				w.low[v] = min(w.low[v], w.found[g.node(g.Next(d, i*64+bits.TrailingZeros64(m)), l.to)])
			}
		}
	}
}
