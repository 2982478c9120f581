package routes

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rocec/rocec/compiler/ir"
)

// network is the fabric as traffic sees it: the devices that forward, joined by cables. Hosts that do not forward
// are only places on it.
type network struct {
	fabric *ir.Fabric
	nodes  []*ir.Device // devices that forward, by Device.ID
	node   []int32      // Device.ID to its index in nodes; -1: a host that does not forward
	hangs  []int32      // Port.ID to the node its traffic enters and leaves the network by; -1: none
	steps  [][]step     // by node, in order of its ports: the cables to other nodes
	words  []int32      // by node: the length of a bit row of its ports
	cables int          // between nodes
	tree   bool         // the cables between nodes, a bond counting as one, form a tree, or several
}

// step is one direction of a cable between two nodes.
type step struct {
	out, in *ir.Port // the port it leaves by; the port it comes in by
	to      int32
	link    int32
	port    int32 // out.ID
	index   int32 // out.Index
	mbps    int32 // speed; of a link of which none is known 1
	bond    int32 // the number of the bond it is in; 0: of none
	routed  bool
	peer    bool
	rise    int8 // +1 to a higher tier, -1 to a lower, 0 to the same
}

func newNetwork(f *ir.Fabric) *network {
	n := &network{fabric: f, node: make([]int32, len(f.Devices)), hangs: make([]int32, len(f.Ports))}
	for _, d := range f.Devices {
		n.node[d.ID] = -1
		if d.Forwards() {
			n.node[d.ID] = int32(len(n.nodes))
			n.nodes = append(n.nodes, d)
			n.words = append(n.words, int32(len(d.Ports)+63)/64)
		}
	}
	for i := range n.hangs {
		n.hangs[i] = -1
	}
	n.steps = make([][]step, len(n.nodes))
	inParallel(len(n.nodes), 64, func(from, to int) {
		for v := from; v < to; v++ {
			n.steps[v] = n.stepsOf(int32(v))
		}
	})
	for _, s := range n.steps {
		n.cables += len(s)
	}
	n.cables /= 2
	n.tree = n.isTree()
	return n
}

// stepsOf returns the steps from v, and notes what hangs on v.
func (n *network) stepsOf(v int32) []step {
	d := n.nodes[v]
	out := make([]step, 0, len(d.Ports))
	for _, p := range d.Ports {
		n.hangs[p.ID] = v
		l, q := p.Link(), p.Peer()
		to := n.node[q.Device().ID]
		if to < 0 {
			n.hangs[q.ID] = v
		}
		if to < 0 || to == v { // a cable from a switch to itself takes traffic nowhere
			continue
		}
		s := step{
			out: p, in: q, to: to, link: int32(l.ID), port: int32(p.ID), index: int32(p.Index),
			mbps: int32(max(l.Speed.N, 1)), bond: int32(l.Bond), routed: l.Routed, peer: l.Peer,
		}
		switch a, b := d.Height(), q.Device().Height(); {
		case a < b:
			s.rise = +1
		case a > b:
			s.rise = -1
		}
		out = append(out, s)
	}
	return out
}

// sameBond tells whether two cables are of one bond.
func (s *step) sameBond(o *step) bool { return s.bond != 0 && s.bond == o.bond }

// isTree tells whether the cables form a tree or several: as many cables as nodes, less one for every island. A bond is one cable.
func (n *network) isTree() bool {
	cables := n.cables
	bonds := map[int32]bool{}
	for v := range n.steps {
		for j := range n.steps[v] {
			s := &n.steps[v][j]
			switch {
			case s.bond == 0 || s.to < int32(v): // once for both directions
			case bonds[s.bond]:
				cables--
			default:
				bonds[s.bond] = true
			}
		}
	}
	if cables >= len(n.nodes) {
		return cables == 0
	}
	islands := 0
	seen := make([]bool, len(n.nodes))
	for first := range n.nodes {
		if seen[first] {
			continue
		}
		seen[first] = true
		islands++
		for todo := []int32{int32(first)}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, s := range n.steps[v] {
				if !seen[s.to] {
					seen[s.to] = true
					todo = append(todo, s.to)
				}
			}
		}
	}
	return cables == len(n.nodes)-islands
}

// view is the network as one lossless group sees it.
type view struct {
	*network
	router    *Router
	group     *ir.CosGroup
	lossless  []bool // by Link.ID: at both ends what waits can wait for pauses of the other, see ir.Port.Stops
	talks     []*talk
	notTiered *ir.RoutingError // why tiers do not say where traffic goes; nil if they do, or routing does not ask

	whole   func() []*class   // the classes while no host's cable is down
	anyArcs [2]func() [][]arc // by node, with every cable up: for routed and for bridged talks
	twice   func() []bool     // by node: some neighbour is joined to it by several cables
}

func newView(r *Router, n *network, g *ir.CosGroup) *view {
	v := newBareView(r, n, g)
	v.talks = v.conversations()
	return v
}

// newBareView returns the view of a group in which nobody talks yet.
func newBareView(r *Router, n *network, g *ir.CosGroup) *view {
	f := n.fabric
	v := &view{network: n, router: r, group: g, lossless: make([]bool, len(f.Links))}
	inParallel(len(f.Links), 4096, func(from, to int) {
		var last []*ir.Buffer // alike ports share their buffers
		var carried, paused bool
		stops := func(p *ir.Port) bool {
			if p.Device().ByHand != nil {
				return p.Stops(g)
			}
			if b, pause := p.Buffers(), p.ByPause(); len(b) == 0 || len(b) != len(last) || &b[0] != &last[0] || pause != paused {
				last, paused, carried = b, pause, p.Stops(g)
			}
			return carried
		}
		for _, l := range f.Links[from:to] {
			v.lossless[l.ID] = stops(l.A()) && stops(l.B())
		}
	})
	v.whole = sync.OnceValue(func() []*class { return v.allClasses(nil) })
	for kind := range v.anyArcs {
		v.anyArcs[kind] = sync.OnceValue(func() [][]arc { return v.openArcs(kind == 1) })
	}
	v.twice = sync.OnceValue(v.parallelCables)
	if f.Routing == ir.UpDown {
		v.notTiered = v.tiersFail()
	}
	return v
}

// tiersFail says why "rises, then falls" leaves the way of lossless traffic open, or returns nil.
func (v *view) tiersFail() *ir.RoutingError {
	for i, d := range v.nodes {
		var first *ir.Device
		for j := range v.steps[i] {
			s := &v.steps[i][j]
			if !v.lossless[s.link] {
				continue
			}
			other := v.nodes[s.to]
			switch {
			case d.Host != nil && first != nil && other != first:
				return &ir.RoutingError{Code: ir.HostBetween, Routing: ir.UpDown, Devices: []*ir.Device{d, first, other}}
			case s.rise == 0 && !s.peer && d.Height() != 0:
				return &ir.RoutingError{Code: ir.LevelLink, Routing: ir.UpDown, Devices: []*ir.Device{d, other}, Out: s.out, In: s.in}
			}
			first = other
		}
	}
	return nil
}

// arc is a step that can be taken, cut down to what shortest paths need.
type arc struct {
	to       int32
	port     int32 // ID of the port it leaves by
	index    int32 // Index of the same
	lossless bool
}

func (v *view) arc(s *step) arc {
	return arc{s.to, s.port, s.index, v.lossless[s.link]}
}

// openArcs returns, by node, the steps that routed or bridged traffic can take while every cable is up.
func (v *view) openArcs(bridged bool) [][]arc {
	out := make([][]arc, len(v.steps))
	inParallel(len(out), 64, func(from, to int) {
		for i := from; i < to; i++ {
			row := make([]arc, 0, len(v.steps[i]))
			for j := range v.steps[i] {
				if s := &v.steps[i][j]; !(bridged && s.routed) {
					row = append(row, v.arc(s))
				}
			}
			out[i] = row
		}
	})
	return out
}

// parallelCables tells, by node, whether some neighbour is joined to it by several cables.
func (v *view) parallelCables() []bool {
	out := make([]bool, len(v.nodes))
	inParallel(len(out), 512, func(from, to int) {
		last := make([]int32, len(v.nodes)) // by neighbour: the node that met it last, counted from 1
		for i := from; i < to; i++ {
			for j := range v.steps[i] {
				other := v.steps[i][j].to
				out[i] = out[i] || last[other] == int32(i)+1
				last[other] = int32(i) + 1
			}
		}
	})
	return out
}

// inParallel calls work for the pieces of 0..n, each of so many, on every processor.
func inParallel(n, piece int, work func(from, to int)) {
	pieces := (n + piece - 1) / piece
	workers := min(runtime.GOMAXPROCS(0), pieces)
	if workers < 2 {
		work(0, n)
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				from := (int(next.Add(1)) - 1) * piece
				if from >= n {
					return
				}
				work(from, min(from+piece, n))
			}
		})
	}
	all.Wait()
}
