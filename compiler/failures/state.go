package failures

import (
	"cmp"
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// State is the network with some links down, in flat arrays, for the search for failures. Its vertices are the forwarding devices, by their
// index in Graph.Vertices, and then the members that are attached to several of them. Each such member is a destination with its own
// cables. A member that is attached to one device is only counted there; if its cable fails, its traffic ends.
type State struct {
	*graph.Graph
	devices         int // vertices below this are devices, the others are members
	subs            [2]graph.CSR
	attached        graph.CSR  // by vertex: the cables between devices and members that are attached to several devices
	Ends            [][2]int32 // by Link.ID: the vertices at its ends, a member last; -1: down, or without traffic
	kind            []int32    // by Link.ID: twins have links of the same kinds
	conversations   []talkers
	used            [2]bool            // which of subs are used by a conversation
	conversationsOf [][]int32          // by member vertex minus devices: the conversations of the member
	memberVertex    map[*ir.Port]int32 // from the first port of a member that is a vertex to that vertex
	marked          map[int32]bool     // devices without twins: a talker there does not talk to all others, or the ends of a link disagree
	Probes          sync.Pool          // of *probe
}

// The subgraphs of a state: all cables between devices, and those that RoCEv1 frames cross.
const (
	wholeGraph = iota
	bridgedPart
)

// talkers are the members of a conversation.
type talkers struct {
	sub    int
	count  []int32 // by device: the number of members attached there
	single []int32 // by device: the number of members attached only there
	from   []bool  // by device: count is not 0
}

func NewState(views []*graph.Traffic, down []*ir.Link) *State {
	f := views[0].Of.Fabric
	w := &State{
		Graph: views[0].Of, Ends: make([][2]int32, len(f.Links)), kind: make([]int32, len(f.Links)),
		memberVertex: map[*ir.Port]int32{},
	}
	w.devices = len(w.Vertices)
	lost := make([]bool, len(f.Links))
	moves := false // a member is attached to fewer devices than without failures
	for _, l := range down {
		lost[l.ID] = true
		moves = moves || !l.A().Device().Forwards() || !l.B().Device().Forwards()
	}
	kinds := newKinds(views)
	for id := range w.Ends {
		w.Ends[id] = [2]int32{-1, -1}
	}
	for v, arcs := range w.Arcs {
		for j := range arcs {
			if s := &arcs[j]; s.To > int32(v) && !lost[s.Link] {
				w.Ends[s.Link] = [2]int32{int32(v), s.To}
				if slices.ContainsFunc(views, func(v *graph.Traffic) bool { return v.Disagree(s) }) {
					w.kind[s.Link] = kinds.alone(s.Link)
					w.mark(int32(v), s.To)
					continue
				}
				w.kind[s.Link] = kinds.of(s.Link, s.Routed, s.Peer, f.Links[s.Link].Planned)
			}
		}
	}
	w.subs[wholeGraph] = w.newCSR(func(s *graph.Arc) bool { return !lost[s.Link] })
	var links []int32
	for _, v := range views {
		classes := v.HealthyClasses
		if moves {
			classes = func() []*graph.Class { return v.Classes(lost) }
		}
		ids := map[*graph.Conversation]int32{}
		for _, t := range v.Conversations {
			ids[t] = int32(len(w.conversations))
			s := talkers{count: make([]int32, w.devices), single: make([]int32, w.devices), from: make([]bool, w.devices)}
			if t.Bridged {
				s.sub = bridgedPart
			}
			w.used[s.sub] = true
			w.conversations = append(w.conversations, s)
		}
		for _, c := range classes() {
			links = append(links, w.addClass(c, ids[c.Conversation], lost)...)
		}
	}
	for _, id := range links {
		l := f.Links[id]
		w.kind[id] = kinds.of(id, l.Routed, l.Peer, l.Planned)
	}
	if w.used[bridgedPart] {
		w.subs[bridgedPart] = w.newCSR(func(s *graph.Arc) bool { return !lost[s.Link] && !s.Routed })
	}
	w.attached = w.attachedCSR(links)
	w.Probes.New = func() any { return newProbe(w) }
	return w
}

// mark excludes devices from having twins.
func (w *State) mark(devices ...int32) {
	if w.marked == nil {
		w.marked = map[int32]bool{}
	}
	for _, v := range devices {
		w.marked[v] = true
	}
}

// addClass adds the members of a class of a conversation. If they are attached to several devices, it returns their cables.
func (w *State) addClass(c *graph.Class, id int32, lost []bool) []int32 {
	s := &w.conversations[id]
	if slices.ContainsFunc(c.Except, func(v int32) bool { return !c.Is(v) }) {
		w.mark(c.Except...)
	}
	for _, v := range c.At {
		s.count[v] += int32(len(c.Members))
		s.from[v] = true
	}
	if len(c.At) == 1 {
		s.single[c.At[0]] += int32(len(c.Members))
		return nil
	}
	var links []int32
	for _, m := range c.Members {
		v, known := w.memberVertex[m[0]]
		if !known {
			v = int32(w.size())
			w.memberVertex[m[0]] = v
			w.conversationsOf = append(w.conversationsOf, nil)
			for _, p := range m {
				if at := w.Vertex(p, lost); at >= 0 {
					w.Ends[p.Link().ID] = [2]int32{at, v}
					links = append(links, int32(p.Link().ID))
				}
			}
		}
		w.conversationsOf[v-int32(w.devices)] = append(w.conversationsOf[v-int32(w.devices)], id)
	}
	return links
}

// kinds numbers the properties of links that must be equal for twins.
type kinds struct {
	views  []*graph.Traffic
	number map[kind]int32
	last   kind
	is     int32 // the number of last
}

type kind struct {
	lossless     uint64 // bit i: for views[i]
	routed, peer bool
	planned      bool
	alone        int32 // 1 + Link.ID of a link without a twin, since its ends disagree: see graph.Traffic.Disagree
}

func newKinds(views []*graph.Traffic) *kinds {
	return &kinds{views: views, number: map[kind]int32{{}: 0}}
}

func (k *kinds) of(link int32, routed, peer, planned bool) int32 {
	x := kind{routed: routed, peer: peer, planned: planned}
	for i, v := range k.views {
		if v.Lossless[link] {
			x.lossless |= 1 << i
		}
	}
	if x != k.last {
		k.last, k.is = x, k.numberOf(x)
	}
	return k.is
}

// alone returns a separate kind for a link.
func (k *kinds) alone(link int32) int32 { return k.numberOf(kind{alone: link + 1}) }

func (k *kinds) numberOf(x kind) int32 {
	n, known := k.number[x]
	if !known {
		n = int32(len(k.number))
		k.number[x] = n
	}
	return n
}

func (w *State) size() int { return w.devices + len(w.conversationsOf) }

// newCSR returns the CSR of the links between devices for which in is true, by ascending neighbour, kind and Link.ID.
func (w *State) newCSR(in func(*graph.Arc) bool) graph.CSR {
	c := graph.NewCSR(w.devices, func(arc func(from, to, link int32)) {
		for v, arcs := range w.Arcs { // from the other end, by ascending vertex, so that every vertex gets its neighbours in order
			for j := range arcs {
				if a := &arcs[j]; in(a) {
					arc(a.To, int32(v), a.Link)
				}
			}
		}
	})
	w.sortParallel(&c)
	return c
}

// attachedCSR returns the CSR of the links between members and devices, in the same order.
func (w *State) attachedCSR(links []int32) graph.CSR {
	slices.SortFunc(links, func(a, b int32) int {
		return cmp.Or(cmp.Compare(w.Ends[a][0], w.Ends[b][0]), cmp.Compare(w.Ends[a][1], w.Ends[b][1]))
	})
	c := graph.NewCSR(w.size(), func(arc func(from, to, link int32)) {
		for _, id := range links {
			arc(w.Ends[id][0], w.Ends[id][1], id)
			arc(w.Ends[id][1], w.Ends[id][0], id)
		}
	})
	w.sortParallel(&c)
	return c
}

// sortParallel sorts the links of two vertices by kind and Link.ID.
func (w *State) sortParallel(f *graph.CSR) {
	for v := range int32(len(f.First) - 1) {
		to, link := f.At(v)
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

// isDestination reports whether v is a destination of a conversation that uses the subgraph.
func (w *State) isDestination(v int32, sub int) bool {
	if v >= int32(w.devices) {
		return slices.ContainsFunc(w.conversationsOf[v-int32(w.devices)], func(t int32) bool { return w.conversations[t].sub == sub })
	}
	for i := range w.conversations {
		if t := &w.conversations[i]; t.sub == sub && t.single[v] > 0 {
			return true
		}
	}
	return false
}

// sendsTo reports whether a member at the device s talks to the destination d.
func (w *State) sendsTo(s, d int32, sub int) bool {
	if d < int32(w.devices) {
		for i := range w.conversations {
			if t := &w.conversations[i]; t.sub == sub && t.from[s] && t.single[d] > 0 {
				return s != d
			}
		}
		return false
	}
	for _, i := range w.conversationsOf[d-int32(w.devices)] {
		if t := &w.conversations[i]; t.sub == sub && (t.count[s] > 1 || t.from[s] && !w.isAttached(d, s)) {
			return true
		}
	}
	return false
}

// isAttached reports whether a member is attached to a device.
func (w *State) isAttached(member, device int32) bool {
	to, _ := w.attached.At(member)
	return slices.Contains(to, device)
}

// senders sets, by device, whether a member there talks to d.
func (w *State) senders(out []bool, d int32, sub int) {
	clear(out)
	if d < int32(w.devices) {
		for i := range w.conversations {
			if t := &w.conversations[i]; t.sub == sub && t.single[d] > 0 {
				for v, yes := range t.from {
					out[v] = out[v] || yes
				}
			}
		}
		out[d] = false
		return
	}
	for _, i := range w.conversationsOf[d-int32(w.devices)] {
		if t := &w.conversations[i]; t.sub == sub {
			for v, yes := range t.from {
				out[v] = out[v] || yes && (t.count[v] > 1 || !w.isAttached(d, int32(v)))
			}
		}
	}
}

// bfs contains the distances of all vertices from one destination.
type bfs struct {
	w     *State
	f     *graph.CSR
	to    int32
	dist  []int32 // by vertex; -1: no path
	order []int32 // the devices with a path, nearest first, without the destination
}

func (w *State) newBFS() *bfs { return &bfs{w: w, dist: make([]int32, w.size())} }

// search finds the shortest paths to d.
func (t *bfs) search(d int32, sub int) {
	t.f, t.to = &t.w.subs[sub], d
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
		first = &t.w.attached
	}
	to, _ := first.At(d)
	for _, v := range to {
		reach(v, 1)
	}
	for i := 0; i < len(t.order); i++ {
		v := t.order[i]
		next := t.dist[v] + 1
		to, _ := t.f.At(v)
		for _, u := range to {
			if t.dist[u] < 0 {
				t.dist[u] = next
				t.order = append(t.order, u)
			}
		}
	}
}

// next returns all links of v. The links to vertices at distance dist are on shortest paths.
func (t *bfs) next(v int32) (to, link []int32, dist int32) {
	f := t.f
	if t.dist[v] == 1 && t.to >= int32(t.w.devices) {
		f = &t.w.attached
	}
	to, link = f.At(v)
	return to, link, t.dist[v] - 1
}
