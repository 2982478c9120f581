package routes

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Outcomes are the turns of eBGP for each way of breaking ties.
//
// A device with several equally good routes passes one of them on, and the next device may accept one and refuse another. Every member is a
// separate route, so choices for one member do not affect another. For one member, choices are made in the order of path lengths: the first
// device, by length, whose choice can affect another device chooses one of its routes, and eBGP runs again. That repeats until traffic
// passes no device with undecided next hops. Open choices are followed with all ties at once, which can only show additional turns. A
// branch is skipped if, even so, it shows no counted turns beyond those of an earlier outcome.

// Outcomes returns the outcomes of eBGP with AS numbers that several devices share. See [ir.Routes].
func (r *Router) Outcomes(groups []*ir.CosGroup, s ir.State, among func(ir.GroupTurn) bool) (*ir.Outcomes, error) {
	s.Ties, s.Converging = ir.AnyTie, false
	o := &outcomes{state: s, groups: groups, among: among, sure: map[*view][]bool{}}
	for i, g := range groups {
		wanted := r.views[g]()
		for _, source := range wanted.sources() {
			o.streams = append(o.streams, stream{group: i, source: source, trace: newTrace(source, wanted, s.Down, plan{})})
		}
	}
	if err := o.sort(); err != nil {
		return nil, err
	}
	out := &ir.Outcomes{}
	p := plan{
		rule: func(w *walk, c *graph.Class) rule { return w.bgpRule(c, s) },
		classes: func(w *walk) []*graph.Class {
			return slices.DeleteFunc(slices.Clone(w.classes), func(c *graph.Class) bool { return !o.sure[w.view][c.ID] })
		},
	}
	for _, g := range groups {
		turns, err := r.views[g]().follow(s, p)
		if err != nil {
			return nil, err
		}
		out.Always = append(out.Always, turns)
	}
	for _, u := range o.unsure {
		d, err := o.destination(u)
		if err != nil {
			return nil, err
		}
		out.Destinations = append(out.Destinations, d)
	}
	return out, nil
}

// turnCost is the number of budget steps for recording one turn of an outcome.
const turnCost = 20

// outcomes computes the outcomes of one state.
type outcomes struct {
	state   ir.State
	groups  []*ir.CosGroup
	among   func(ir.GroupTurn) bool
	streams []stream
	sure    map[*view][]bool // by class: its traffic does not depend on choices
	unsure  []*undecided
	bgp     *bgp
}

// stream is the traffic of one view that may be in a group.
type stream struct {
	group  int
	source *view
	trace  *trace
}

// undecided is a set of members to which traffic can take several paths. They are attached to the same vertices and have the same senders.
type undecided struct {
	at      []int32
	members []graph.Member
	classes []classOf
}

// classOf is a class of a stream.
type classOf struct {
	stream int
	class  *graph.Class
}

// sort separates the classes that do not depend on choices, and groups the members of the others by attachment and senders.
func (o *outcomes) sort() error {
	if len(o.streams) == 0 {
		return nil
	}
	n := o.streams[0].source.network
	b, err := newBGP(n, ir.AnyTie, o.streams[0].trace.down)
	if err != nil {
		return err
	}
	o.bgp = b
	in := map[*ir.Port]*undecided{} // by a member's first port
	var order []*ir.Port
	for i, s := range o.streams {
		known := o.sure[s.source] // one view may be the source of several streams
		if known == nil {
			known = make([]bool, len(s.trace.walk.classes))
			for _, c := range s.trace.walk.classes {
				if !o.state.Budget.Spend(bgpCost * (2*n.Edges + len(n.Vertices))) {
					return ir.ErrBudget
				}
				if known[c.ID] = c.Conversation.Bridged; known[c.ID] {
					continue
				}
				if err := b.run(c.At); err != nil {
					return err
				}
				known[c.ID] = !b.decides(c)
			}
			o.sure[s.source] = known
		}
		for _, c := range s.trace.walk.classes {
			if known[c.ID] {
				continue
			}
			for _, m := range c.Members {
				u := in[m[0]]
				if u == nil {
					u = &undecided{at: c.At, members: []graph.Member{m}}
					in[m[0]] = u
					order = append(order, m[0])
				}
				u.classes = append(u.classes, classOf{i, c})
			}
		}
	}
	alike := map[string]*undecided{}
	for _, p := range order {
		u := in[p]
		var key []byte
		for _, c := range u.classes {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(c.stream)), uint64(c.class.ID))
		}
		if first := alike[string(key)]; first != nil {
			first.members = append(first.members, u.members...)
			continue
		}
		alike[string(key)] = u
		o.unsure = append(o.unsure, u)
	}
	return nil
}

// destination finds the outcomes of equivalent members.
func (o *outcomes) destination(u *undecided) (*ir.Destination, error) {
	e := &explorer{outcomes: o, undecided: u, force: make([]int32, len(o.bgp.Vertices))}
	for v := range e.force {
		e.force[v] = -1
	}
	if err := e.explore(nil); err != nil {
		return nil, err
	}
	d := &ir.Destination{}
	for _, m := range u.members {
		d.Members = append(d.Members, m[0])
	}
	for _, f := range e.found {
		d.Outcomes = append(d.Outcomes, f.outcome)
	}
	return d, nil
}

// explorer makes the choices for one destination.
type explorer struct {
	*outcomes
	*undecided
	force []int32
	found []settled
}

// settled is an outcome with its counted turns.
type settled struct {
	outcome *ir.Outcome
	counts  map[ir.GroupTurn]bool
}

// choice is the decision of a vertex to pass on the path from a neighbour.
type choice struct{ at, via int32 }

// explore makes the remaining choices one after another, and tries every alternative of each.
func (e *explorer) explore(made []choice) error {
	b := e.bgp
	if !e.state.Budget.Spend(bgpCost * (2*b.Edges + len(b.Vertices))) {
		return ir.ErrBudget
	}
	b.force = e.force
	err := b.run(e.at)
	b.force = nil
	if err != nil {
		return err
	}
	turns, counts, err := e.turns()
	if err != nil {
		return err
	}
	if !e.state.Budget.Spend(turnCost * len(turns)) {
		return ir.ErrBudget
	}
	covered := func(less, more map[ir.GroupTurn]bool) bool {
		for t := range less {
			if !more[t] {
				return false
			}
		}
		return true
	}
	if slices.ContainsFunc(e.found, func(f settled) bool { return covered(counts, f.counts) }) {
		return nil
	}
	at, vias := e.tie()
	if at < 0 {
		e.found = slices.DeleteFunc(e.found, func(f settled) bool { return covered(f.counts, counts) })
		e.found = append(e.found, settled{e.outcome(turns, made), counts})
		return nil
	}
	for _, via := range vias {
		e.force[at] = via
		if err := e.explore(append(slices.Clone(made), choice{at, via})); err != nil {
			return err
		}
	}
	e.force[at] = -1
	return nil
}

// tie returns the next device whose choice affects the path of traffic, and a neighbour for each of its alternatives. It returns the first
// of the devices with the fewest ASes to the destination; -1: no device is left.
func (e *explorer) tie() (at int32, vias []int32) {
	b := e.bgp
	if !slices.ContainsFunc(e.classes, func(c classOf) bool { return b.decides(c.class) }) {
		return -1, nil
	}
	var order []int32
	for v := range b.Vertices {
		if e.force[v] < 0 && len(b.hops[v]) > 1 {
			order = append(order, int32(v))
		}
	}
	slices.SortStableFunc(order, func(v, w int32) int { return cmp.Compare(b.first[v], b.first[w]) })
	late, level := map[int32]bool(nil), int32(-1)
	for _, v := range order {
		if !e.differ(v) {
			continue
		}
		if b.first[v] != level {
			level, late = b.first[v], e.late(b.first[v])
		}
		if vias := e.ways(v, late); len(vias) > 1 {
			return v, vias
		}
	}
	panic("routes: next hops depend on a choice that no vertex has")
}

// heard returns the first path of a neighbour that v accepts.
func (e *explorer) heard(v, from int32) int32 {
	b := e.bgp
	return b.tells[from][slices.IndexFunc(b.tells[from], func(set int32) bool { return !b.has(set, b.as[v]) })]
}

// differ reports whether v accepts different paths.
func (e *explorer) differ(v int32) bool {
	hops := e.bgp.hops[v]
	first := e.heard(v, e.bgp.Arcs[v][hops[0]].To)
	return slices.ContainsFunc(hops[1:], func(j int32) bool { return e.heard(v, e.bgp.Arcs[v][j].To) != first })
}

// late returns the ASes of devices that may have no route before paths with the given number of ASes are passed on.
func (e *explorer) late(level int32) map[int32]bool {
	b := e.bgp
	out := map[int32]bool{}
	for w := range b.Vertices {
		if b.first[w] < open && b.sure[w] > level {
			out[b.as[w]] = true
		}
	}
	return out
}

// ways returns one neighbour for each path that v can pass on. Paths that differ only by ASes that are not late count as one.
func (e *explorer) ways(v int32, late map[int32]bool) []int32 {
	b := e.bgp
	var vias []int32
	seen := map[string]bool{}
	for _, j := range b.hops[v] {
		u := b.Arcs[v][j].To
		var key []byte
		for _, as := range b.sets[e.heard(v, u)] {
			if late[as] {
				key = binary.AppendUvarint(key, uint64(as))
			}
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			vias = append(vias, u)
		}
	}
	return vias
}

// turns returns the turns that traffic to a member may take after the choices made so far, and the counted ones among them.
func (e *explorer) turns() (all []ir.GroupTurn, counts map[ir.GroupTurn]bool, err error) {
	seen := map[ir.GroupTurn]bool{}
	counts = map[ir.GroupTurn]bool{}
	for _, c := range e.classes {
		s := e.streams[c.stream]
		s.trace.classes = []*graph.Class{single(c.class, e.members[0])}
		p := plan{rule: func(*walk, *graph.Class) rule { return e.bgp.rule() }}
		err := s.trace.each(p, e.state.Budget, func(in, out *ir.Port, group int) {
			t := ir.GroupTurn{Turn: ir.Turn{In: in, Out: out}, From: e.groups[s.group], To: s.trace.groups[group]}
			if !seen[t] {
				seen[t] = true
				all = append(all, t)
				if e.among(t) {
					counts[t] = true
				}
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return all, counts, nil
}

// single returns the class reduced to one member.
func single(c *graph.Class, m graph.Member) *graph.Class {
	own := *c
	own.Members = []graph.Member{m}
	return &own
}

// outcome returns the outcome after the choices.
func (e *explorer) outcome(turns []ir.GroupTurn, made []choice) *ir.Outcome {
	o, u, force := e.outcomes, e.undecided, slices.Clone(e.force)
	nodes := o.bgp.Vertices
	out := &ir.Outcome{Turns: turns}
	for _, c := range made {
		out.Choices = append(out.Choices, ir.Choice{Device: nodes[c.at], Via: nodes[c.via], To: u.members[0][0]})
	}
	out.Flow = func(t ir.GroupTurn, to int) *ir.Flow {
		for _, c := range u.classes {
			s := o.streams[c.stream]
			if o.groups[s.group] != t.From {
				continue
			}
			tr := newTrace(s.source, s.source.router.views[t.From](), o.state.Down, plan{}) // not shared: several goroutines may call it
			b, err := newBGP(tr.network, ir.AnyTie, tr.down)
			if err != nil {
				continue
			}
			if b.force = force; b.run(u.at) != nil {
				continue
			}
			tr.begin(single(c.class, u.members[to]), b.rule())
			tr.spread()
			if f := tr.flow(t.Turn); f != nil {
				return f
			}
		}
		return nil
	}
	return out
}
