package routes

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Outcomes: the turns of eBGP, one way of breaking ties at a time.
//
// A device that holds several routes to be equally good passes one of them on, and the next device may take the one and refuse the other.
// Every member is a route of its own, so choices for one do not bind those for another. For one member the choices are made in the order
// of path lengths. The first device, by length, whose choice another device may notice takes one of its routes, and eBGP is run again.
// That repeats until traffic meets no device that is unsure where to send it. Meanwhile the open choices are followed with all ties at
// once, which shows more turns than there are, never fewer. A branch that even so shows no turn that counts beyond those of an outcome
// found before is not entered.

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

// turnCost is how many steps noting one turn of an outcome costs.
const turnCost = 20

// outcomes works out the outcomes of one state.
type outcomes struct {
	state   ir.State
	groups  []*ir.CosGroup
	among   func(ir.GroupTurn) bool
	streams []stream
	sure    map[*view][]bool // by class: no choice decides where its traffic goes
	unsure  []*undecided
	bgp     *bgp
}

// stream is the traffic of one view, as far as it may be in a group.
type stream struct {
	group  int
	source *view
	trace  *trace
}

// undecided is members to which traffic goes in several ways. They are attached to the same vertices, and the same talk to them.
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

// sort separates the classes that choices do not matter to, and groups the members of the others by common traits.
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
		known := o.sure[s.source] // a view may be the source of several
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

// destination finds the outcomes of members that are alike.
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

// settled is an outcome, and those of its turns that count.
type settled struct {
	outcome *ir.Outcome
	counts  map[ir.GroupTurn]bool
}

// choice is that a vertex passes on what it has from another.
type choice struct{ at, via int32 }

// explore makes the choices that are left after those made, one after the other, each in every way.
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

// tie returns the next device whose choice decides where traffic goes, and a neighbour for each of the ways it can choose. It takes the
// first of those with the fewest ASes to the destination; -1: no device is left.
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

// heard returns the first path that v takes of those that a neighbour passes on.
func (e *explorer) heard(v, from int32) int32 {
	b := e.bgp
	return b.tells[from][slices.IndexFunc(b.tells[from], func(set int32) bool { return !b.has(set, b.as[v]) })]
}

// differ reports whether v hears several paths.
func (e *explorer) differ(v int32) bool {
	hops := e.bgp.hops[v]
	first := e.heard(v, e.bgp.Arcs[v][hops[0]].To)
	return slices.ContainsFunc(hops[1:], func(j int32) bool { return e.heard(v, e.bgp.Arcs[v][j].To) != first })
}

// late returns the ASes of devices that may still be without a route when paths of so many ASes are passed on.
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

// ways returns, for each path v can pass on, a neighbour it has it from. Paths that differ only by ASes that are not late are one.
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

// turns returns the turns that traffic to a member may take as far as choices are made, and those of them that count.
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

// single returns the class cut down to one member.
func single(c *graph.Class, m graph.Member) *graph.Class {
	own := *c
	own.Members = []graph.Member{m}
	return &own
}

// outcome returns what traffic does once the choices are made.
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
			tr := newTrace(s.source, s.source.router.views[t.From](), o.state.Down, plan{}) // scratch of its own: many may ask at once
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
