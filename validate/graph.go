package validate

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// graph is the buffer dependency graph: a node is the ingress buffer of a port, an edge leads to the buffer it can only
// drain into. A node's number is port*groups + group; a device that keeps all lossless groups in one buffer has only
// the nodes of the first.
type graph struct {
	fabric *ir.Fabric
	turns  []*ir.Turns // by group
	shared []bool      // by Device.ID; nil: nobody
}

func newGraph(f *ir.Fabric, groups []*ir.CosGroup, down []*ir.Link) (*graph, error) {
	g := &graph{fabric: f}
	if f.FlowControl == ir.Pause {
		groups = groups[:1] // the whole cable stops: the turns of one group are those of all
	}
	for _, group := range groups {
		t, err := f.Routes.Turns(group, ir.State{Down: down})
		if err != nil {
			return nil, err
		}
		g.turns = append(g.turns, t)
	}
	if len(groups) > 1 {
		g.shared = make([]bool, len(f.Devices))
		for _, d := range f.Devices {
			g.shared[d.ID] = sharesGroup(d)
		}
	}
	return g, nil
}

func (g *graph) nodes() int { return len(g.fabric.Ports) * len(g.turns) }

func (g *graph) node(p *ir.Port, group int) int32 {
	if g.shared != nil && g.shared[p.Device.ID] {
		group = 0
	}
	return int32(p.ID*len(g.turns) + group)
}

func (g *graph) port(n int32) *ir.Port { return g.fabric.Ports[int(n)/len(g.turns)] }

// edge is one turn: out of a buffer, by a port, into the next.
type edge struct {
	out   *ir.Port
	group int
	to    int32
}

// cursor steps through the edges of a node.
type cursor struct {
	g           *graph
	in          *ir.Port
	group, last int
	word        int
	left        uint64
}

func (g *graph) edges(n int32) cursor {
	c := cursor{g: g, in: g.port(n), group: int(n) % len(g.turns), word: -1}
	c.last = c.group
	if g.shared != nil && g.shared[c.in.Device.ID] {
		c.last = len(g.turns) - 1
	}
	return c
}

func (c *cursor) next() (e edge, ok bool) {
	for c.left == 0 {
		row := c.g.turns[c.group].Rows[c.in.ID]
		if c.word++; c.word < len(row) {
			c.left = row[c.word]
			continue
		}
		if c.group == c.last {
			c.word = len(row) // stay at the end
			return edge{}, false
		}
		c.group, c.word = c.group+1, -1
	}
	i := c.word*64 + bits.TrailingZeros64(c.left)
	c.left &= c.left - 1
	out := c.in.Device.Ports[i]
	return edge{out, c.group, c.g.node(out.Peer(), c.group)}, true
}

// size counts the buffers that wait or are waited for.
func (g *graph) size() int {
	used := make([]bool, g.nodes())
	n := 0
	for v := range int32(len(used)) {
		for c := g.edges(v); ; {
			e, ok := c.next()
			if !ok {
				break
			}
			for _, u := range []int32{v, e.to} {
				if !used[u] {
					used[u] = true
					n++
				}
			}
		}
	}
	return n
}

// loops is what a graph with circles has to show.
type loops struct {
	circle  []Hop // the shortest circle of the smallest component, from its smallest place
	parts   int   // components that hold a circle
	buffers int   // buffers in all of them
}

// loops returns the circles of the graph, or nil if there are none.
func (g *graph) loops() *loops {
	parts := g.components()
	if len(parts) == 0 {
		return nil
	}
	l := &loops{parts: len(parts)}
	for _, p := range parts {
		l.buffers += len(p)
		slices.SortFunc(p, g.compare)
	}
	smallest := slices.MinFunc(parts, func(a, b []int32) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), g.compare(a[0], b[0]))
	})
	l.circle = g.shortestCircle(smallest)
	return l
}

// compare orders buffers by device, port and group.
func (g *graph) compare(a, b int32) int {
	p, q := g.port(a), g.port(b)
	return cmp.Or(cmp.Compare(p.Device.ID, q.Device.ID), cmp.Compare(p.Index, q.Index), cmp.Compare(a, b))
}

// components returns the strongly connected components of more than one node (no buffer waits for itself), by Tarjan's
// algorithm with a stack of its own: circles can be as long as the fabric is large.
func (g *graph) components() [][]int32 {
	n := g.nodes()
	found := make([]int32, n) // order of discovery, from 1; 0: not yet
	low := make([]int32, n)
	open := make([]bool, n) // not yet in a component
	var stack []int32
	type frame struct {
		v int32
		c cursor
	}
	var path []frame
	var parts [][]int32
	order := int32(0)
	enter := func(v int32) {
		order++
		found[v], low[v], open[v] = order, order, true
		stack = append(stack, v)
		path = append(path, frame{v, g.edges(v)})
	}
	for root := range int32(n) {
		if found[root] != 0 {
			continue
		}
		for enter(root); len(path) > 0; {
			top := &path[len(path)-1]
			if e, ok := top.c.next(); ok {
				switch {
				case found[e.to] == 0:
					enter(e.to)
				case open[e.to]:
					low[top.v] = min(low[top.v], found[e.to])
				}
				continue
			}
			v := top.v
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1].v
				low[up] = min(low[up], low[v])
			}
			if low[v] != found[v] {
				continue
			}
			i := len(stack) - 1
			for open[stack[i]] = false; stack[i] != v; open[stack[i]] = false {
				i--
			}
			if len(stack)-i > 1 {
				parts = append(parts, slices.Clone(stack[i:]))
			}
			stack = stack[:i]
		}
	}
	return parts
}

// maxCircleWork bounds the search for the shortest circle, in edges looked at. Where it ends the search, the circle shown is
// the shortest seen so far.
const maxCircleWork = 20_000_000

// shortestCircle returns the shortest circle within a strongly connected part, found breadth first from each of its
// buffers in order, and turned so that it begins at its smallest.
func (g *graph) shortestCircle(part []int32) []Hop {
	inside := make(map[int32]bool, len(part))
	for _, v := range part {
		inside[v] = true
	}
	type visit struct {
		before int32
		by     edge
		depth  int
	}
	var best []edge // best[i] leads to the circle's node i+1
	var start int32
	work := 0
	for _, root := range part {
		if len(best) == 3 || work > maxCircleWork { // nothing turns back, so no circle is shorter than three
			break
		}
		seen := map[int32]visit{}
		queue := []int32{root}
	search:
		for i := 0; i < len(queue); i++ {
			v := queue[i]
			depth := 0
			if i > 0 {
				depth = seen[v].depth
			}
			if best != nil && depth+1 >= len(best) {
				break
			}
			for c := g.edges(v); ; {
				e, ok := c.next()
				if !ok {
					break
				}
				if work++; e.to == root {
					best, start = []edge{e}, root
					for u := v; u != root; u = seen[u].before {
						best = append(best, seen[u].by)
					}
					slices.Reverse(best)
					break search
				}
				if _, known := seen[e.to]; !known && inside[e.to] {
					seen[e.to] = visit{v, e, depth + 1}
					queue = append(queue, e.to)
				}
			}
		}
	}
	circle := make([]Hop, len(best))
	v, first := start, 0
	low := start
	for i, e := range best {
		circle[i] = Hop{g.port(v), e.out, g.turns[e.group].Group}
		if g.compare(v, low) < 0 {
			low, first = v, i
		}
		v = e.to
	}
	return append(circle[first:], circle[:first]...)
}

// flows returns few flows that together make every turn of the circle: greedily the one that makes most of the turns
// still missing, the earlier one of equals.
func (g *graph) flows(circle []Hop) []*ir.Flow {
	all := make([]*ir.Flow, len(circle))
	makes := make([][]bool, len(circle))
	for i, h := range circle {
		t := g.turns[slices.IndexFunc(g.turns, func(t *ir.Turns) bool { return t.Group == h.Group })]
		if t.Witness == nil {
			return nil
		}
		all[i] = t.Witness([]ir.Turn{{In: h.In, Out: h.Out}})[0]
		makes[i] = make([]bool, len(circle))
		for j, other := range circle {
			makes[i][j] = all[i] != nil && all[i].Takes(other.Group, other.In, other.Out)
		}
	}
	missing := make([]bool, len(circle))
	for i := range missing {
		missing[i] = true
	}
	var out []*ir.Flow
	for {
		best, most := -1, 0
		for i := range all {
			n := 0
			for j := range circle {
				if makes[i][j] && missing[j] {
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
		for j := range circle {
			missing[j] = missing[j] && !makes[best][j]
		}
		out = append(out, all[best])
	}
}

// reversed tells whether the circle also runs the other way round.
func (g *graph) reversed(circle []Hop) bool {
	for _, h := range circle {
		t := g.turns[slices.IndexFunc(g.turns, func(t *ir.Turns) bool { return t.Group == h.Group })]
		if !t.Has(h.Out, h.In) {
			return false
		}
	}
	return true
}

// circleText names the links of a circle: "sw1:swp1 > sw2:swp2, ...".
func circleText(circle []Hop) string {
	names := make([]string, 0, min(len(circle), 8))
	for i, h := range circle {
		if i == 8 {
			names = append(names, "...")
			break
		}
		names = append(names, h.In.Peer().Device.Name+">"+h.In.Device.Name)
	}
	return strings.Join(names, ", ")
}
