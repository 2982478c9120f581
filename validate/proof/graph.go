package proof

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// newLine returns the line graph of a fabric, whose vertices are ingress buffers. It reuses the graph of the fabric's routes.
func newLine(f *ir.Fabric) *graph.Line {
	if r, ok := f.Routes.(interface{ Graph() *graph.Graph }); ok {
		return graph.NewLine(r.Graph())
	}
	return graph.NewLine(graph.New(f))
}

// bufferGraph is the buffer dependency graph: a node is the ingress buffer of a port, an edge leads to the buffer it can only
// drain into. A node's number is port*groups + group; a port that keeps all groups in one buffer has only the nodes
// of the first.
type bufferGraph struct {
	*graph.Line
	groups []*ir.CosGroup
	turns  []*ir.Turns // by group; nil for a group that was not queried
	layers []layer
	of     [][]layer // by group: the layers that lead out of its buffers
	shared []bool    // by Port.ID: the port has one buffer for all groups; nil: no port has

	loopWork int // the work that a search for circles may take
}

// layer has the turns from the buffers of one group to the buffers of another or the same group.
type layer struct {
	rows     [][]uint64 // see ir.Turns
	from, to int32
}

// newBufferGraph returns the graph of the turns of some groups, in the order of groups. Groups whose turns are nil add no edges.
func newBufferGraph(t *graph.Line, groups []*ir.CosGroup, turns []*ir.Turns) *bufferGraph {
	g := &bufferGraph{Line: t, groups: groups, turns: turns, loopWork: maxLoopWork}
	for i, turn := range turns {
		if turn == nil {
			continue
		}
		g.layers = append(g.layers, layer{turn.Rows, int32(i), int32(i)})
		if to := slices.Index(groups, groups[i].Bounce); turn.Bounced != nil && to >= 0 {
			g.layers = append(g.layers, layer{turn.Bounced, int32(i), int32(to)})
		}
	}
	if len(groups) > 1 {
		g.shared = make([]bool, len(t.Fabric.Ports))
		for _, p := range t.Fabric.Ports {
			g.shared[p.ID] = p.ByPause() || p.Device().SharesBuffer()
		}
	}
	g.index()
	return g
}

// index sorts the layers by the group they lead out of.
func (g *bufferGraph) index() {
	g.of = make([][]layer, len(g.groups))
	for _, l := range g.layers {
		g.of[l.from] = append(g.of[l.from], l)
	}
}

// out returns the layers with edges from node n.
func (g *bufferGraph) out(n int32) []layer {
	if len(g.groups) == 1 {
		return g.layers
	}
	if g.shared[int(n)/len(g.groups)] {
		return g.layers
	}
	return g.of[int(n)%len(g.groups)]
}

func (g *bufferGraph) nodes() int { return len(g.EntryOf) * len(g.groups) }

// node returns the buffer of a group at port p.
func (g *bufferGraph) node(p, group int32) int32 {
	if len(g.groups) == 1 {
		return p
	}
	if g.shared[p] {
		group = 0
	}
	return p*int32(len(g.groups)) + group
}

func (g *bufferGraph) portID(n int32) int32 {
	if len(g.groups) == 1 {
		return n
	}
	return n / int32(len(g.groups))
}

func (g *bufferGraph) port(n int32) *ir.Port { return g.Fabric.Ports[g.portID(n)] }

// compare orders buffers by device, port and group.
func (g *bufferGraph) compare(a, b int32) int {
	p, q := g.port(a), g.port(b)
	return cmp.Or(cmp.Compare(p.Device().ID, q.Device().ID), cmp.Compare(p.Index, q.Index), cmp.Compare(a, b))
}

// edge is one turn: from a buffer, by an egress port, into the next buffer.
type edge struct {
	out   *ir.Port
	group int32 // of the traffic, as it comes in
	to    int32
}

// edges yields the edges of a node, by layer and out-port.
func (g *bufferGraph) edges(n int32, yield func(edge) bool) {
	p := g.portID(n)
	v := g.EntryOf[p]
	ports := g.Vertices[v].Ports
	for _, l := range g.out(n) {
		for i, m := range l.row(p) {
			for ; m != 0; m &= m - 1 {
				out := ports[i*64+bits.TrailingZeros64(m)]
				if !yield(edge{out, l.from, g.node(g.Next(v, out.Index), l.to)}) {
					return
				}
			}
		}
	}
}

// edge returns the edge of a node over an egress port, if there is one.
func (g *bufferGraph) edge(n int32, out *ir.Port) (e edge, ok bool) {
	p := g.portID(n)
	for _, l := range g.out(n) {
		if row := l.row(p); out.Index/64 < len(row) && row[out.Index/64]&(1<<(out.Index%64)) != 0 {
			return edge{out, l.from, g.node(int32(out.Peer().ID), l.to)}, true
		}
	}
	return edge{}, false
}

func (l layer) row(p int32) []uint64 {
	if l.rows == nil {
		return nil
	}
	return l.rows[p]
}

// leads reports whether any edge leads out of node n.
func (g *bufferGraph) leads(n int32) bool {
	p := g.portID(n)
	for _, l := range g.out(n) {
		if l.row(p) != nil {
			return true
		}
	}
	return false
}

// extent returns the number of buffers with an edge, and the number of turns between them.
func (g *bufferGraph) extent() (buffers, turns int) {
	used := make([]uint64, (g.nodes()+63)/64)
	targets := make([][]uint64, len(g.groups)) // by group, a mask of the out-ports that turns lead to
	for i := range targets {
		targets[i] = make([]uint64, g.Size)
	}
	for _, l := range g.layers {
		for p, row := range l.rows {
			if row == nil {
				continue
			}
			at, some := g.Words[g.EntryOf[p]], false
			for i, m := range row {
				if m != 0 {
					targets[l.to][int(at)+i] |= m
					turns += bits.OnesCount64(m)
					some = true
				}
			}
			if some {
				n := g.node(int32(p), l.from)
				used[n/64] |= 1 << (n % 64)
			}
		}
	}
	for group, mask := range targets {
		for v, at := range g.Words {
			for i, m := range mask[at : at+g.RowWords[v]] {
				for ; m != 0; m &= m - 1 {
					n := g.node(g.Next(int32(v), i*64+bits.TrailingZeros64(m)), int32(group))
					used[n/64] |= 1 << (n % 64)
				}
			}
		}
	}
	for _, m := range used {
		buffers += bits.OnesCount64(m)
	}
	return buffers, turns
}

// addition has turns to add to a graph: bits of one word of one row of one layer.
type addition struct {
	layer, port, word int32
	bits              uint64
}

// overlay is a graph to which turns can be added and from which they can be removed again.
type overlay struct {
	*bufferGraph
	base  []layer // the layers without additions
	owned [][]int32
}

// newOverlay returns an overlay of g with a layer for every pair of groups that turns can join.
func newOverlay(g *bufferGraph) *overlay {
	o := &overlay{bufferGraph: &bufferGraph{Line: g.Line, groups: g.groups, turns: g.turns, shared: g.shared}}
	for i := range g.groups {
		o.add(g, int32(i), int32(i))
	}
	for i, group := range g.groups {
		if to := slices.Index(g.groups, group.Bounce); to >= 0 && to != i {
			o.add(g, int32(i), int32(to))
		}
	}
	o.owned = make([][]int32, len(o.layers))
	o.index()
	return o
}

func (o *overlay) add(g *bufferGraph, from, to int32) {
	l := layer{from: from, to: to}
	if i := slices.IndexFunc(g.layers, func(l layer) bool { return l.from == from && l.to == to }); i >= 0 {
		l.rows = g.layers[i].rows
	}
	if l.rows == nil {
		l.rows = make([][]uint64, len(g.EntryOf))
	}
	o.base = append(o.base, l)
	l.rows = slices.Clone(l.rows)
	o.layers = append(o.layers, l)
}

// more returns the turns that are not in the base.
func (o *overlay) more(turns []*ir.Turns) []addition {
	var out []addition
	for i, l := range o.base {
		t := turns[l.from]
		if t == nil {
			continue
		}
		rows := t.Rows
		if l.from != l.to {
			rows = t.Bounced
		}
		for p, row := range rows {
			have := l.rows[p]
			for w, m := range row {
				if w < len(have) {
					m &^= have[w]
				}
				if m != 0 {
					out = append(out, addition{int32(i), int32(p), int32(w), m})
				}
			}
		}
	}
	return out
}

// lay adds turns.
func (o *overlay) lay(adds []addition) {
	for _, a := range adds {
		rows, base := o.layers[a.layer].rows, o.base[a.layer].rows
		row := rows[a.port]
		if len(row) == 0 || len(base[a.port]) > 0 && &row[0] == &base[a.port][0] { // the row is still shared with the base
			row = make([]uint64, (len(o.Fabric.Ports[a.port].Device().Ports)+63)/64)
			copy(row, base[a.port])
			rows[a.port] = row
			o.owned[a.layer] = append(o.owned[a.layer], a.port)
		}
		row[a.word] |= a.bits
	}
}

// clear removes all added turns.
func (o *overlay) clear() {
	for i, ports := range o.owned {
		for _, p := range ports {
			o.layers[i].rows[p] = o.base[i].rows[p]
		}
		o.owned[i] = ports[:0]
	}
}
