package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// walk finds the turns of one group with one set of links down.
type walk struct {
	*view
	down    []bool // by Link.ID
	classes []*class
	turns   *ir.Turns
	live    [2][][]hop // what hops returned, for routed and for bridged talks

	// Scratch, by node.
	dist             []int32
	order            []int32
	here             []bool   // shortest: the class's traffic is at the node
	rising, ways     flooded  // up-down: whence rising traffic comes to the node; by which neighbours it gets to the class
	falling, canFall []bool   // up-down: falling traffic is at the node; it gets from there to the class
	mask, kept       []uint64 // the ports the traffic leaves a node by; those of them a turn may take
	in               []int32  // the ports it came in by
}

func newWalk(v *view, down []*ir.Link) *walk {
	w := &walk{
		view:  v,
		down:  make([]bool, len(v.fabric.Links)),
		turns: &ir.Turns{Rows: make([][]uint64, len(v.fabric.Ports))},
		dist:  make([]int32, len(v.nodes)),
		here:  make([]bool, len(v.nodes)),
	}
	for _, l := range down {
		w.down[l.ID] = true
	}
	for _, t := range v.talks {
		classes := v.network.classes(t, w.down)
		from := make([]bool, len(v.nodes))
		for _, c := range classes {
			for _, s := range c.at {
				from[s] = true
			}
		}
		for _, c := range classes {
			c.senders = from
		}
		w.classes = append(w.classes, classes...)
	}
	return w
}

// run records the turns of every class.
func (w *walk) run(r ir.Routing, down []*ir.Link) *ir.Turns {
	switch r {
	case ir.ShortestPath:
		for _, c := range w.classes {
			w.distances(c)
			w.shortest(c)
		}
		w.turns.Witness = w.witness(down, shortestRule)
	case ir.UpDown:
		byTier := w.byTier()
		for _, c := range w.classes {
			w.reach(c, byTier)
			w.upDown(c, byTier)
		}
		w.turns.Witness = w.witness(down, upDownRule)
	case ir.AnyPath:
		for i, c := range w.classes {
			if i == 0 || c.talk != w.classes[i-1].talk { // once a talk
				w.anyPath(c.talk, c.senders)
			}
		}
		w.turns.Witness = w.witness(down, anyRule)
	default:
		panic("compiler: no walk for routing " + string(r))
	}
	return w.turns
}

// open tells whether traffic of the talk can take the step at all.
func (w *walk) open(t *talk, s *step) bool { return !w.down[s.link] && !(t.bridged && s.routed) }

// hop is a step that can be taken, cut down to what shortest paths need.
type hop struct {
	to       int32
	port     int32 // ID of the port it leaves by
	index    int32 // Index of the same
	lossless bool
}

// hops returns, by node, the steps open to traffic of the talk.
func (w *walk) hops(t *talk) [][]hop {
	have := &w.live[0]
	if t.bridged {
		have = &w.live[1]
	}
	if *have != nil {
		return *have
	}
	out := make([][]hop, len(w.steps))
	for v, steps := range w.steps {
		row := make([]hop, 0, len(steps))
		for j := range steps {
			if s := &steps[j]; w.open(t, s) {
				row = append(row, hop{s.to, int32(s.out.ID), int32(s.out.Index), w.lossless[s.link]})
			}
		}
		out[v] = row
	}
	*have = out
	return out
}

// distances sets dist to the hops from every node to the class, -1 where there is no way, and order to the nodes
// that have one, nearest first.
func (w *walk) distances(c *class) {
	hops := w.hops(c.talk)
	for i := range w.dist {
		w.dist[i] = -1
	}
	w.order = w.order[:0]
	for _, v := range c.at {
		w.dist[v] = 0
		w.order = append(w.order, v)
	}
	for i := 0; i < len(w.order); i++ {
		v := w.order[i]
		next := w.dist[v] + 1
		for _, h := range hops[v] {
			if w.dist[h.to] < 0 {
				w.dist[h.to] = next
				w.order = append(w.order, h.to)
			}
		}
	}
}

// shortest records the turns of every shortest path to c. Nodes come farthest first, so a node's traffic has arrived
// before it is sent on.
func (w *walk) shortest(c *class) {
	hops := w.hops(c.talk)
	copy(w.here, c.senders)
	for _, v := range slices.Backward(w.order) {
		here := w.dist[v]
		if !w.here[v] || here == 0 {
			continue
		}
		w.clear(v)
		w.in = w.in[:0]
		for _, h := range hops[v] {
			switch w.dist[h.to] {
			case here - 1:
				w.here[h.to] = true
				if h.lossless {
					w.mask[h.index/64] |= 1 << (h.index % 64)
				}
			case here + 1:
				if h.lossless && w.here[h.to] {
					w.in = append(w.in, h.port)
				}
			}
		}
		for i, m := range w.mask { // of a switch with many ports nearly all words are empty
			if m != 0 {
				for _, in := range w.in {
					w.join(in, i, m, len(w.mask))
				}
			}
		}
	}
}

// byTier returns the nodes by rising tier.
func (w *walk) byTier() []int32 {
	out := make([]int32, len(w.nodes))
	for i := range out {
		out[i] = int32(i)
	}
	slices.SortStableFunc(out, func(a, b int32) int { return tier(w.nodes[a]) - tier(w.nodes[b]) })
	w.canFall, w.falling = make([]bool, len(out)), make([]bool, len(out))
	w.rising, w.ways = make(flooded, len(out)), make(flooded, len(out))
	return out
}

// reach sets canFall and ways: what can still get to the class without going up after down.
func (w *walk) reach(c *class, byTier []int32) {
	clear(w.canFall)
	w.ways.dry()
	for _, v := range c.at {
		w.canFall[v] = true
		w.ways[v] = several
	}
	for _, v := range byTier {
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; s.rise < 0 && w.canFall[s.to] && w.open(c.talk, s) {
				w.canFall[v] = true
				break
			}
		}
	}
	for _, v := range slices.Backward(byTier) {
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; w.open(c.talk, s) && w.useful(v, s, false) {
				w.ways.add(v, s.to)
			}
		}
	}
}

// useful tells whether the step from v leads to the class: falling traffic may only fall; traffic that still rises may
// also rise on, or take one peer step and fall.
func (w *walk) useful(v int32, s *step, falling bool) bool {
	switch {
	case s.rise < 0:
		return w.canFall[s.to]
	case falling:
		return false
	case s.rise == 0:
		return s.peer && w.canFall[s.to]
	}
	return w.ways.leaves(s.to, v)
}

// upDown records the turns of every path that rises, takes at most one peer step, and falls to c.
func (w *walk) upDown(c *class, byTier []int32) {
	w.rising.dry()
	for v := range w.rising {
		if c.senders[v] && !c.is(int32(v)) {
			w.rising[v] = several
		}
	}
	clear(w.falling)
	for _, v := range byTier { // rising traffic spreads upwards
		for j := range w.steps[v] {
			s := &w.steps[v][j]
			switch {
			case c.is(s.to) || !w.rising.leaves(v, s.to) || !w.open(c.talk, s) || !w.useful(v, s, false):
			case s.rise > 0:
				w.rising.add(s.to, v)
			default: // a peer step or a step down: from here on it falls
				w.falling[s.to] = true
			}
		}
	}
	for _, v := range slices.Backward(byTier) { // falling traffic spreads downwards
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; w.falling[v] && !c.is(s.to) && w.open(c.talk, s) && w.useful(v, s, true) {
				w.falling[s.to] = true
			}
		}
	}
	for _, v := range byTier {
		if c.is(v) {
			continue
		}
		for _, falling := range []bool{false, true} {
			w.clear(v)
			for j := range w.steps[v] {
				if s := &w.steps[v][j]; w.open(c.talk, s) && w.useful(v, s, falling) {
					w.leave(s)
				}
			}
			for j := range w.steps[v] {
				if s := &w.steps[v][j]; w.open(c.talk, s) && w.comes(v, s, falling) {
					w.record(v, s)
				}
			}
		}
	}
}

// comes tells whether traffic arrives at v against the step s, rising or falling.
func (w *walk) comes(v int32, s *step, falling bool) bool {
	u := s.to
	switch {
	case s.rise < 0:
		return !falling && w.rising[u] != dry && w.ways.leaves(v, u)
	case s.rise == 0:
		return falling && s.peer && w.rising[u] != dry && w.canFall[v]
	}
	return falling && w.canFall[v] && (w.falling[u] || w.rising.leaves(u, v))
}

// anyPath records every turn of every walk between two members of t that never turns back to the device it came from.
// Members are senders and receivers alike and cables have two directions, so where traffic can come from is also
// where it can get to.
func (w *walk) anyPath(t *talk, from []bool) {
	live := w.inCompany(t, from)
	f := w.flood(t, func(v int32) bool { return live[v] })
	for v := range int32(len(w.nodes)) {
		w.clear(v)
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; w.open(t, s) && f.leaves(s.to, v) {
				w.leave(s)
			}
		}
		for j := range w.steps[v] {
			if s := &w.steps[v][j]; w.open(t, s) && f.leaves(s.to, v) {
				w.record(v, s)
			}
		}
	}
}

// inCompany returns the nodes of from whose members have somebody else of the talk to reach.
func (w *walk) inCompany(t *talk, from []bool) []bool {
	island := make([]int32, len(w.nodes)) // by node, counted from 1
	var todo []int32
	count := int32(0)
	for first := range int32(len(w.nodes)) {
		if island[first] != 0 {
			continue
		}
		count++
		island[first] = count
		for todo = append(todo[:0], first); len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for j := range w.steps[v] {
				if s := &w.steps[v][j]; island[s.to] == 0 && w.open(t, s) {
					island[s.to] = count
					todo = append(todo, s.to)
				}
			}
		}
	}
	members := make([]int, count+1)
	for _, c := range w.classes {
		if c.talk != t {
			continue
		}
		for i, v := range c.at {
			if !slices.ContainsFunc(c.at[:i], func(u int32) bool { return island[u] == island[v] }) {
				members[island[v]] += len(c.members)
			}
		}
	}
	out := make([]bool, len(w.nodes))
	for v := range out {
		out[v] = from[v] && members[island[v]] > 1
	}
	return out
}

// flooded says, by node, over which neighbours traffic comes to it or leaves it: none (dry), exactly one (its node), or
// several, as also when its own members send and receive.
type flooded []int32

const (
	dry     = -2
	several = -1
)

// leaves tells whether traffic at v can go to its neighbour to without turning back.
func (f flooded) leaves(v, to int32) bool { return f[v] == several || f[v] != dry && f[v] != to }

// add counts one more neighbour of v, and tells whether that changed anything.
func (f flooded) add(v, neighbour int32) bool {
	switch f[v] {
	case dry:
		f[v] = neighbour
	case several, neighbour:
		return false
	default:
		f[v] = several
	}
	return true
}

func (f flooded) dry() {
	for v := range f {
		f[v] = dry
	}
}

// flood spreads traffic of t from some nodes over every walk without turning back.
func (w *walk) flood(t *talk, from func(v int32) bool) flooded {
	f := make(flooded, len(w.nodes))
	f.dry()
	var todo []int32
	for v := range int32(len(f)) {
		if from(v) {
			f[v] = several
			todo = append(todo, v)
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for j := range w.steps[v] {
			s := &w.steps[v][j]
			if w.open(t, s) && f.leaves(v, s.to) && f.add(s.to, v) {
				todo = append(todo, s.to)
			}
		}
	}
	return f
}

// clear empties the mask for node v.
func (w *walk) clear(v int32) {
	n := (len(w.nodes[v].Ports) + 63) / 64
	w.mask = slices.Grow(w.mask[:0], n)[:n]
	clear(w.mask)
}

// leave adds the step to the mask if its cable is lossless.
func (w *walk) leave(s *step) {
	if w.lossless[s.link] {
		w.mask[s.out.Index/64] |= 1 << (s.out.Index % 64)
	}
}

// record adds the turns from the port of v that faces back along s to every port of the mask, but not back to the
// device the traffic comes from, which may have several cables to v.
func (w *walk) record(v int32, s *step) {
	if !w.lossless[s.link] {
		return
	}
	w.kept = append(w.kept[:0], w.mask...)
	for j := range w.steps[v] {
		if o := &w.steps[v][j]; o.to == s.to {
			w.kept[o.out.Index/64] &^= 1 << (o.out.Index % 64)
		}
	}
	for i, m := range w.kept {
		if m != 0 {
			w.join(int32(s.out.ID), i, m, len(w.kept))
		}
	}
}

// join adds the turns from an in-port to the ports of one word of a mask so many words long.
func (w *walk) join(in int32, word int, m uint64, words int) {
	row := w.turns.Rows[in]
	if row == nil {
		row = make([]uint64, words)
		w.turns.Rows[in] = row
	}
	row[word] |= m
}
