package routes

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Widths are the speeds at which traffic between some devices can leave every device that it passes. Destinations are devices: 64 of them
// at a time are the bits of a machine word, in one breadth-first search (as in shortest.go). If rising and falling traffic take different
// paths (up-down), a device is two stops. Routings that are known destination by destination (spanning tree, eBGP with shared AS numbers)
// are followed one destination at a time.

// Places are the devices where traffic begins and ends. Bridged: it crosses no IP hop.
type Places struct {
	Devices []*ir.Device // forwarding devices, each once, by ascending ID
	Bridged bool
}

// Widths contains, for one state of a fabric, the speeds of traffic: for every stop and every place, the sum of the speeds of the links by
// which routing sends traffic for the place from the stop.
type Widths struct {
	Stops  []*ir.Device // a device each, or two stops per device: for rising and for falling traffic
	Places []*ir.Device // as requested

	Transit []bool // by Device.ID: traffic passes the device that neither begins nor ends there

	at    []int32 // by Device.ID: the stop of traffic that is sent there; -1: none
	mbps  []int32 // by stop, then place; 0: the stop has no traffic for the place, or is the place
	graph *stopGraph
}

// At returns the speeds at a stop by place, in Mb/s; 0: no traffic for the place passes there.
func (w *Widths) At(stop int) []int32 {
	n := len(w.Places)
	return w.mbps[stop*n : stop*n+n : stop*n+n]
}

// From returns the speeds at which a device sends to every place, in Mb/s: 0 for itself, and 0 without a path.
func (w *Widths) From(d *ir.Device) []int32 { return w.At(int(w.at[d.ID])) }

// Widths returns the widths between the places with some links down. If into is not nil, it is overwritten; it must have the same places.
// The error is a [*ir.RoutingError].
//
// Under up-down, traffic takes the shortest of the paths that rise and then fall. If next hops were read from a file, or every path is
// possible, it takes the shortest paths: the next hops of a file after failures are unknown.
func (r *Router) Widths(p Places, down []bool, into *Widths) (*Widths, error) {
	n := r.net()
	w := into
	if w == nil {
		w = n.newWidths(p)
	} else {
		clear(w.mbps)
		clear(w.Transit)
	}
	places := make([]int32, len(p.Devices))
	for i, d := range p.Devices {
		places[i] = n.VertexOf[d.ID]
	}
	one, err := n.singly(p.Bridged, down)
	if err != nil {
		return nil, err
	}
	if one != nil {
		return w, one.widths(w, places)
	}
	batches := (len(places) + 63) / 64
	var mu sync.Mutex
	graph.InParallel(batches, 1, func(from, to int) {
		f := newBFS(w.graph, down)
		for b := from; b < to; b++ {
			first := 64 * b
			f.search(places[first:min(first+64, len(places))])
			f.use(places)
			f.measure(w, first)
		}
		mu.Lock()
		defer mu.Unlock()
		for stop, passed := range f.passed {
			if passed {
				w.Transit[w.Stops[stop].ID] = true
			}
		}
	})
	return w, nil
}

func (n *network) newWidths(p Places) *Widths {
	w := &Widths{Stops: n.Vertices, Places: p.Devices, at: n.VertexOf, graph: n.newStopGraph(p.Bridged)}
	if w.graph.tiered {
		w.Stops = append(n.Vertices[:len(n.Vertices):len(n.Vertices)], n.Vertices...)
	}
	w.mbps = make([]int32, len(w.Stops)*len(w.Places))
	w.Transit = make([]bool, len(n.Fabric.Devices))
	return w
}

// singly follows a routing one destination at a time.
type singly struct {
	*network
	down []bool

	// returns the next hops to a vertex, by vertex as indexes of steps; for one goroutine
	hops func() (func(to int32) ([][]int32, error), error)
	twin func(node int32) bool // vertices with the same neighbours differ only by names
}

// singly returns nil if a search for 64 places at a time is possible.
func (n *network) singly(onlyBridged bool, down []bool) (*singly, error) {
	if n.Forest && n.Fabric.Routing != ir.EBGP || onlyBridged && n.Fabric.Routing == ir.EBGP {
		return nil, nil
	}
	s := &singly{network: n, down: down, twin: func(int32) bool { return false }}
	switch n.Fabric.Routing {
	case ir.SpanningTree:
		tree := n.spanningTree(down)
		to := func(to int32) ([][]int32, error) {
			return n.treeHops([]int32{to}, func(s *graph.Arc) bool { return tree[s.Link] }), nil
		}
		s.hops = func() (func(int32) ([][]int32, error), error) { return to, nil }
		return s, nil
	case ir.EBGP:
		if n.bgpIsShortest() {
			return nil, nil
		}
		b, err := newBGP(n, ir.FirstTie, down)
		if err != nil {
			return nil, err
		}
		s.hops = func() (func(int32) ([][]int32, error), error) {
			b, err := newBGP(n, ir.FirstTie, down)
			return func(to int32) ([][]int32, error) { return b.hops, b.run([]int32{to}) }, err
		}
		s.twin = func(node int32) bool { return !b.shared[b.as[node]] }
		return s, nil
	}
	return nil, nil
}

// widths follows one place at a time, from all others. It skips twins of a followed place: swapping the two changes only their names.
func (s *singly) widths(w *Widths, places []int32) error {
	first := map[string]int{} // by neighbours: the index of the first twin
	var twins [][2]int        // indexes in places
	var todo []int            // indexes of places to follow
	for i, to := range places {
		if s.twin(to) {
			key := s.neighbours(to)
			if like, known := first[key]; known {
				twins = append(twins, [2]int{like, i})
				continue
			}
			first[key] = i
		}
		todo = append(todo, i)
	}
	var mu sync.Mutex
	var errs []error
	each := runtime.GOMAXPROCS(0)
	graph.InParallel(len(todo), max(1, (len(todo)+each-1)/each), func(from, to int) {
		f, err := s.follower(w, places)
		for _, i := range todo[from:to] {
			if err == nil {
				err = f.follow(i)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			errs = append(errs, err)
			return
		}
		for d, passed := range f.transit {
			w.Transit[d] = w.Transit[d] || passed
		}
	})
	if len(errs) > 0 {
		return errs[0]
	}
	for v := range s.Vertices {
		row := w.At(v)
		for _, t := range twins {
			row[t[1]] = row[t[0]]
		}
	}
	for _, t := range twins {
		one, other := places[t[0]], places[t[1]]
		w.At(int(one))[t[1]], w.At(int(other))[t[1]] = w.At(int(other))[t[0]], 0
		p, q := &w.Transit[s.Vertices[one].ID], &w.Transit[s.Vertices[other].ID]
		*p, *q = *p || *q, *p || *q
	}
	return nil
}

// follower follows places one after the other.
type follower struct {
	*singly
	w       *Widths
	places  []int32
	hops    func(to int32) ([][]int32, error) // returns the next hops to a vertex, by vertex as indexes of steps
	met     []int                             // by vertex: 1 + the last place for which it was visited
	todo    []int32
	transit []bool // by Device.ID: traffic of others passes the device
}

func (s *singly) follower(w *Widths, places []int32) (*follower, error) {
	hops, err := s.hops()
	if err != nil {
		return nil, err
	}
	return &follower{singly: s, w: w, places: places, hops: hops, met: make([]int, len(s.Vertices)), transit: make([]bool, len(w.Transit))},
		nil
}

// follow adds up the speeds towards the place with index i from all others. It writes only the column of that place.
func (f *follower) follow(i int) error {
	to := f.places[i]
	hops, err := f.hops(to)
	if err != nil {
		return err
	}
	f.met[to] = i + 1
	f.todo = f.todo[:0]
	for _, from := range f.places {
		if from != to {
			f.met[from] = i + 1
			f.todo = append(f.todo, from)
		}
	}
	for len(f.todo) > 0 {
		at := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		for _, j := range hops[at] {
			p := &f.Arcs[at][j]
			f.w.mbps[int(at)*len(f.places)+i] += p.Mbps
			if p.To != to {
				f.transit[f.Vertices[p.To].ID] = true
			}
			if f.met[p.To] != i+1 {
				f.met[p.To] = i + 1
				f.todo = append(f.todo, p.To)
			}
		}
	}
	return nil
}

// neighbours returns the same key for vertices whose links that are up lead to the same vertices, with the same speeds, and both carry
// routes or both do not.
func (s *singly) neighbours(v int32) string {
	var all [][2]int32
	for j := range s.Arcs[v] {
		if p := &s.Arcs[v][j]; !s.down[p.Link] {
			kind := p.Mbps << 1
			if carriesRoutes(p) {
				kind++
			}
			all = append(all, [2]int32{p.To, kind})
		}
	}
	slices.SortFunc(all, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	key := make([]byte, 0, 8*len(all))
	for _, a := range all {
		key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(key, uint32(a[0])), uint32(a[1]))
	}
	return string(key)
}

// stopGraph contains the steps between stops.
type stopGraph struct {
	nodes   int
	tiered  bool
	out, in [][]stopEdge // by stop: the steps from it; the steps to it
}

type stopEdge struct{ to, link, mbps int32 }

func (n *network) newStopGraph(onlyBridged bool) *stopGraph {
	nodes := len(n.Vertices)
	stops := nodes
	tiered := n.Fabric.Routing == ir.UpDown
	if tiered {
		stops = 2 * nodes
	}
	g := &stopGraph{nodes: nodes, tiered: tiered, out: make([][]stopEdge, stops), in: make([][]stopEdge, stops)}
	for from, steps := range n.Arcs {
		for j := range steps {
			p := &steps[j]
			join := func(from, to int) {
				g.out[from] = append(g.out[from], stopEdge{int32(to), p.Link, p.Mbps})
				g.in[to] = append(g.in[to], stopEdge{int32(from), p.Link, p.Mbps})
			}
			to := int(p.To)
			switch {
			case onlyBridged && p.Routed:
			case !tiered || p.Rise > 0:
				join(from, to)
			case p.Rise < 0:
				join(from, nodes+to)
				join(nodes+from, nodes+to)
			case p.Peer:
				join(from, nodes+to)
			}
		}
	}
	return g
}

// bfs64 searches up to 64 places at a time; masks have a bit for each.
type bfs64 struct {
	*stopGraph
	down []bool // by Link.ID

	// Stops by distance: stops[from[l]:from[l+1]] are l steps away from the places of their masks.
	stops []int32
	masks []uint64
	from  []int

	seen, next, level, used []uint64 // by stop
	passed                  []bool   // by stop: traffic arrives there and leaves again
}

func newBFS(g *stopGraph, down []bool) *bfs64 {
	n := len(g.out)
	return &bfs64{
		stopGraph: g, down: down,
		seen: make([]uint64, n), next: make([]uint64, n), level: make([]uint64, n), used: make([]uint64, n),
		passed: make([]bool, n),
	}
}

// search finds the distance of every stop from every place of the batch.
func (f *bfs64) search(places []int32) {
	f.stops, f.masks, f.from = f.stops[:0], f.masks[:0], append(f.from[:0], 0)
	clear(f.seen)
	reach := func(stop int32, mask uint64) {
		if f.next[stop] == 0 {
			f.stops = append(f.stops, stop)
		}
		f.next[stop] |= mask
	}
	for i, v := range places {
		reach(v, 1<<i)
		if f.tiered {
			reach(v+int32(f.nodes), 1<<i)
		}
	}
	for begin := 0; begin < len(f.stops); begin = f.from[len(f.from)-1] {
		for _, x := range f.stops[begin:] {
			f.seen[x] |= f.next[x]
			f.masks = append(f.masks, f.next[x])
			f.next[x] = 0
		}
		end := len(f.stops)
		f.from = append(f.from, end)
		for i := begin; i < end; i++ {
			for _, b := range f.in[f.stops[i]] {
				if fresh := f.masks[i] &^ f.seen[b.to]; fresh != 0 && !f.down[b.link] {
					reach(b.to, fresh)
				}
			}
		}
	}
}

// levels calls each for every stop with the places at each distance, farthest first. During the calls, level contains, by stop, the places
// that are one step nearer.
func (f *bfs64) levels(each func(stop int32, mask uint64, far int)) {
	for l := len(f.from) - 2; l > 0; l-- {
		near, here := f.from[l-1], f.from[l]
		for i := near; i < here; i++ {
			f.level[f.stops[i]] = f.masks[i]
		}
		for i := here; i < f.from[l+1]; i++ {
			each(f.stops[i], f.masks[i], l)
		}
		for i := near; i < here; i++ {
			f.level[f.stops[i]] = 0
		}
	}
}

// use finds the stops that traffic of the senders passes.
func (f *bfs64) use(senders []int32) {
	clear(f.used)
	for _, v := range senders {
		f.used[v] = ^uint64(0)
	}
	f.levels(func(stop int32, mask uint64, far int) {
		mask &= f.used[stop]
		if mask == 0 {
			return
		}
		for _, o := range f.out[stop] {
			if on := mask & f.level[o.to]; on != 0 && !f.down[o.link] {
				f.used[o.to] |= on
				f.passed[o.to] = f.passed[o.to] || far > 1
			}
		}
	})
}

// measure writes the widths at the stops that traffic passes; first is the index of the first place of the batch.
func (f *bfs64) measure(w *Widths, first int) {
	f.levels(func(stop int32, mask uint64, _ int) {
		mask &= f.used[stop]
		if mask == 0 {
			return
		}
		row := w.At(int(stop))[first:]
		all := int32(0) // of the links by which all places of the mask are reached
		for _, o := range f.out[stop] {
			by := mask & f.level[o.to]
			if f.down[o.link] {
				continue
			}
			if by == mask {
				all += o.mbps
				continue
			}
			for ; by != 0; by &= by - 1 {
				row[bits.TrailingZeros64(by)] += o.mbps
			}
		}
		if all == 0 {
			return
		}
		for by := mask; by != 0; by &= by - 1 {
			row[bits.TrailingZeros64(by)] += all
		}
	})
}
