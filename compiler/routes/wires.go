package routes

import (
	"cmp"
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// wires is a state of the network as failures see it, in flat arrays. Its vertices are the devices that forward, by
// their index in network.nodes, and after them the members that hang on several of those: each is a destination with
// cables of its own. A member that hangs on one device is only a mark there; when its cable fails, its traffic ends.
type wires struct {
	*Graph
	devices  int // vertices below are devices, the others members
	fans     [2]fan
	hung     fan        // by vertex: the cables between members that hang on several devices, and those
	ends     [][2]int32 // by Link.ID: the vertices it joins, a member last; -1: down, or not passed by traffic
	kind     []int32    // by Link.ID: twins have links of the same kinds
	talks    []speakers
	spoken   [2]bool            // which of fans some talk uses
	talksOf  [][]int32          // by member vertex, less devices: the talks it is in
	memberAt map[*ir.Port]int32 // first port of a member that is a vertex, to that
	odd      map[int32]bool     // devices with talkers who do not talk to all others: no twins
	probes   sync.Pool          // of *probe
}

// The fans of a state: all cables between devices, and those that RoCEv1 frames cross.
const (
	everywhere = iota
	bridgedOnly
)

// fan is the cables at each vertex: those of v are first[v] up to first[v+1], by rising neighbour, kind and Link.ID.
type fan struct {
	first    []int32
	to, link []int32
}

// speakers are the members of a talk.
type speakers struct {
	fan    int
	count  []int32 // by device: how many of them hang there
	single []int32 // by device: how many of those hang nowhere else
	from   []bool  // by device: count is not 0
}

func newWires(views []*Traffic, down []*ir.Link) *wires {
	f := views[0].graph.fabric
	w := &wires{Graph: views[0].graph, ends: make([][2]int32, len(f.Links)), kind: make([]int32, len(f.Links)), memberAt: map[*ir.Port]int32{}}
	w.devices = len(w.nodes)
	lost := make([]bool, len(f.Links))
	moves := false // somebody hangs on other devices than while all is well
	for _, l := range down {
		lost[l.ID] = true
		moves = moves || !l.A().Device().Forwards() || !l.B().Device().Forwards()
	}
	kinds := newKinds(views)
	for id := range w.ends {
		w.ends[id] = [2]int32{-1, -1}
	}
	for v, steps := range w.steps {
		for j := range steps {
			if s := &steps[j]; s.to > int32(v) && !lost[s.link] {
				w.ends[s.link] = [2]int32{int32(v), s.to}
				w.kind[s.link] = kinds.of(s.link, s.routed, s.peer)
			}
		}
	}
	w.fans[everywhere] = w.newFan(func(s *step) bool { return !lost[s.link] })
	var hung []int32
	for _, v := range views {
		classes := v.whole
		if moves {
			classes = func() []*class { return v.allClasses(lost) }
		}
		talks := map[*talk]int32{}
		for _, t := range v.talks {
			talks[t] = int32(len(w.talks))
			s := speakers{count: make([]int32, w.devices), single: make([]int32, w.devices), from: make([]bool, w.devices)}
			if t.bridged {
				s.fan = bridgedOnly
			}
			w.spoken[s.fan] = true
			w.talks = append(w.talks, s)
		}
		for _, c := range classes() {
			hung = append(hung, w.hear(c, talks[c.talk], lost)...)
		}
	}
	for _, id := range hung {
		l := f.Links[id]
		w.kind[id] = kinds.of(id, l.Routed, l.Peer)
	}
	if w.spoken[bridgedOnly] {
		w.fans[bridgedOnly] = w.newFan(func(s *step) bool { return !lost[s.link] && !s.routed })
	}
	w.hung = w.hungFan(hung)
	w.probes.New = func() any { return newProbe(w) }
	return w
}

// hear adds the members of a class of a talk, and returns the cables that make them hang on several devices, if they do.
func (w *wires) hear(c *class, id int32, lost []bool) []int32 {
	s := &w.talks[id]
	if slices.ContainsFunc(c.not, func(v int32) bool { return !c.is(v) }) {
		if w.odd == nil {
			w.odd = map[int32]bool{}
		}
		for _, v := range c.not {
			w.odd[v] = true
		}
	}
	for _, v := range c.at {
		s.count[v] += int32(len(c.members))
		s.from[v] = true
	}
	if len(c.at) == 1 {
		s.single[c.at[0]] += int32(len(c.members))
		return nil
	}
	var hung []int32
	for _, m := range c.members {
		v, known := w.memberAt[m[0]]
		if !known {
			v = int32(w.vertices())
			w.memberAt[m[0]] = v
			w.talksOf = append(w.talksOf, nil)
			for _, p := range m {
				if at := w.place(p, lost); at >= 0 {
					w.ends[p.Link().ID] = [2]int32{at, v}
					hung = append(hung, int32(p.Link().ID))
				}
			}
		}
		w.talksOf[v-int32(w.devices)] = append(w.talksOf[v-int32(w.devices)], id)
	}
	return hung
}

// kinds numbers what twins must agree on about a link.
type kinds struct {
	views  []*Traffic
	number map[kind]int32
	last   kind
	is     int32 // the number of last
}

type kind struct {
	lossless     uint64 // bit i: for views[i]
	routed, peer bool
}

func newKinds(views []*Traffic) *kinds {
	return &kinds{views: views, number: map[kind]int32{{}: 0}}
}

func (k *kinds) of(link int32, routed, peer bool) int32 {
	x := kind{0, routed, peer}
	for i, v := range k.views {
		if v.lossless[link] {
			x.lossless |= 1 << i
		}
	}
	if x != k.last {
		n, known := k.number[x]
		if !known {
			n = int32(len(k.number))
			k.number[x] = n
		}
		k.last, k.is = x, n
	}
	return k.is
}

func (w *wires) vertices() int { return w.devices + len(w.talksOf) }

// newFan returns the fan of the links between devices that are in.
func (w *wires) newFan(in func(*step) bool) fan {
	f := fan{first: make([]int32, w.devices+1)}
	for v, steps := range w.steps {
		f.first[v+1] = f.first[v]
		for j := range steps {
			if in(&steps[j]) {
				f.first[v+1]++
			}
		}
	}
	f.to, f.link = make([]int32, f.first[w.devices]), make([]int32, f.first[w.devices])
	// Told from the other end, by rising vertex, every vertex learns its neighbours in order.
	next := slices.Clone(f.first)
	for v, steps := range w.steps {
		for j := range steps {
			if s := &steps[j]; in(s) {
				f.to[next[s.to]], f.link[next[s.to]] = int32(v), s.link
				next[s.to]++
			}
		}
	}
	w.sortParallel(&f)
	return f
}

// hungFan returns the fan of the links between members and devices.
func (w *wires) hungFan(links []int32) fan {
	n := w.vertices()
	f := fan{make([]int32, n+1), make([]int32, 2*len(links)), make([]int32, 2*len(links))}
	slices.SortFunc(links, func(a, b int32) int {
		return cmp.Or(cmp.Compare(w.ends[a][0], w.ends[b][0]), cmp.Compare(w.ends[a][1], w.ends[b][1]))
	})
	for _, id := range links {
		f.first[w.ends[id][0]+1]++
		f.first[w.ends[id][1]+1]++
	}
	for v := range n {
		f.first[v+1] += f.first[v]
	}
	next := slices.Clone(f.first)
	for _, id := range links {
		for i, v := range w.ends[id] {
			f.to[next[v]], f.link[next[v]] = w.ends[id][1-i], id
			next[v]++
		}
	}
	w.sortParallel(&f)
	return f
}

// sortParallel sorts the links of two vertices by kind and Link.ID.
func (w *wires) sortParallel(f *fan) {
	for v := range int32(len(f.first) - 1) {
		to, link := f.at(v)
		for i := 1; i < len(to); i++ {
			if to[i] != to[i-1] {
				continue
			}
			begin := i - 1
			for i < len(to) && to[i] == to[begin] {
				i++
			}
			slices.SortFunc(link[begin:i], func(a, b int32) int { return cmp.Or(cmp.Compare(w.kind[a], w.kind[b]), cmp.Compare(a, b)) })
		}
	}
}

// at returns the neighbours of v and the links to them.
func (f *fan) at(v int32) (to, link []int32) {
	i, j := f.first[v], f.first[v+1]
	return f.to[i:j], f.link[i:j]
}

// hears tells whether v is a destination of a talk that uses the fan.
func (w *wires) hears(v int32, fan int) bool {
	if v >= int32(w.devices) {
		return slices.ContainsFunc(w.talksOf[v-int32(w.devices)], func(t int32) bool { return w.talks[t].fan == fan })
	}
	for i := range w.talks {
		if t := &w.talks[i]; t.fan == fan && t.single[v] > 0 {
			return true
		}
	}
	return false
}

// speaks tells whether somebody at the device s talks to the destination d.
func (w *wires) speaks(s, d int32, fan int) bool {
	if d < int32(w.devices) {
		for i := range w.talks {
			if t := &w.talks[i]; t.fan == fan && t.from[s] && t.single[d] > 0 {
				return s != d
			}
		}
		return false
	}
	for _, i := range w.talksOf[d-int32(w.devices)] {
		if t := &w.talks[i]; t.fan == fan && (t.count[s] > 1 || t.from[s] && !w.hangsOn(d, s)) {
			return true
		}
	}
	return false
}

// hangsOn tells whether a member hangs on a device.
func (w *wires) hangsOn(member, device int32) bool {
	to, _ := w.hung.at(member)
	return slices.Contains(to, device)
}

// senders sets, by device, whether somebody there talks to d.
func (w *wires) senders(out []bool, d int32, fan int) {
	clear(out)
	if d < int32(w.devices) {
		for i := range w.talks {
			if t := &w.talks[i]; t.fan == fan && t.single[d] > 0 {
				for v, yes := range t.from {
					out[v] = out[v] || yes
				}
			}
		}
		out[d] = false
		return
	}
	for _, i := range w.talksOf[d-int32(w.devices)] {
		if t := &w.talks[i]; t.fan == fan {
			for v, yes := range t.from {
				out[v] = out[v] || yes && (t.count[v] > 1 || !w.hangsOn(d, int32(v)))
			}
		}
	}
}

// tour is what one destination sees of the state.
type tour struct {
	w     *wires
	f     *fan
	to    int32
	dist  []int32 // by vertex; -1: no way
	order []int32 // the devices with a way, nearest first, without the destination
}

func (w *wires) newTour() *tour { return &tour{w: w, dist: make([]int32, w.vertices())} }

// head follows the shortest paths to d.
func (t *tour) head(d int32, fan int) {
	t.f, t.to = &t.w.fans[fan], d
	for i := range t.dist {
		t.dist[i] = -1
	}
	t.dist[d] = 0
	t.order = t.order[:0]
	reach := func(v, dist int32) {
		if t.dist[v] < 0 {
			t.dist[v] = dist
			t.order = append(t.order, v)
		}
	}
	first := t.f
	if d >= int32(t.w.devices) {
		first = &t.w.hung
	}
	to, _ := first.at(d)
	for _, v := range to {
		reach(v, 1)
	}
	for i := 0; i < len(t.order); i++ {
		v := t.order[i]
		next := t.dist[v] + 1
		to, _ := t.f.at(v)
		for _, u := range to {
			if t.dist[u] < 0 {
				t.dist[u] = next
				t.order = append(t.order, u)
			}
		}
	}
}

// next returns the links of v, of which those to vertices at the distance dist are on its shortest paths.
func (t *tour) next(v int32) (to, link []int32, dist int32) {
	f := t.f
	if t.dist[v] == 1 && t.to >= int32(t.w.devices) {
		f = &t.w.hung
	}
	to, link = f.at(v)
	return to, link, t.dist[v] - 1
}

// steps is about what one walk over the fan costs.
func (f *fan) steps() int { return len(f.to)/4 + len(f.first) + 1 }
