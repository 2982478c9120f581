package routes

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// This file finds NICs between which eBGP has no route.
//
// eBGP runs once for each kind of destination, on a graph that holds a few switches of each kind. Two switches are of one kind if they have
// sessions with the same neighbours and equivalent AS numbers. Two different numbers are equivalent if all switches that have them have the
// same neighbours, and equally many switches have each number. Swapping two such switches, or two such numbers with all their switches, is
// an automorphism of the sessions. So a result for one destination applies to every other destination of its orbit, with the names swapped.
// A route needs at most three switches of a kind: the destination, the sender and one between them. The small graph keeps that many. The
// work is a sort of the sessions, and one run on the small graph for each kind of destination.

// Unrouted returns two of the NICs between which eBGP has no route; see [ir.Routes]. A NIC of a bond is reached by any port of the bond.
func (r *Router) Unrouted(g *ir.CosGroup, nics []*ir.NIC, b *ir.Budget) (one, other *ir.NIC, err error) {
	n := r.net()
	if r.fabric.Routing != ir.EBGP || len(nics) < 2 {
		return nil, nil, nil
	}
	if !b.Spend(len(n.Vertices) + 2*n.Edges + len(nics)) {
		return nil, nil, ir.ErrBudget
	}
	v := r.views[g]()
	closed := func(s *graph.Arc) bool { return !carriesRoutes(s) }
	switch s := n.firstArc(closed); {
	case s == nil:
	case !g.Lossless || n.Forest: // it is unknown which of the links frames cross
		if n.repeatsASN() {
			return nil, nil, bridgedLink(n, s)
		}
		return nil, nil, nil
	default:
		if err := v.onlyRouted(); err != nil {
			return nil, nil, err
		}
	}
	if n.bgpIsShortest() {
		return nil, nil, nil
	}
	full, err := newBGP(n, ir.AnyTie, make([]bool, len(r.fabric.Links)))
	if err != nil {
		return nil, nil, err
	}
	return newReach(full, nics).search(b)
}

// reach contains the places where some NICs are attached, and the kinds of switches there.
type reach struct {
	*bgp
	nics []*ir.NIC
	all  []*place   // in the order of their first NICs
	byAS [][]*place // by AS: the places with a vertex of that AS
	kind []int32    // by vertex: the number of its kind; twins have the same kind
	kept []bool     // by vertex: it is in the small graph
}

// place is a set of vertices that NICs are attached to.
type place struct {
	at     []int32
	first  int     // index of the first NIC there
	groups []group // its vertices, counted by kind and AS
}

type group struct{ kind, count, as int32 }

func newReach(b *bgp, nics []*ir.NIC) *reach {
	r := &reach{bgp: b, nics: nics, byAS: make([][]*place, len(b.shared))}
	known := map[string]*place{}
	single := make([]*place, len(b.Vertices))
	for i, nic := range nics {
		at := b.Attached(nic)
		if len(at) == 0 {
			continue
		}
		p := single[at[0]]
		if len(at) > 1 {
			p = known[verticesKey(at)]
		}
		if p == nil {
			p = &place{at: at, first: i}
			r.all = append(r.all, p)
			if len(at) > 1 {
				known[verticesKey(at)] = p
			} else {
				single[at[0]] = p
			}
		}
	}
	r.findTwins()
	for _, p := range r.all {
		for _, v := range p.at {
			if i := p.groupOf(r, v); i >= 0 {
				p.groups[i].count++
				continue
			}
			p.groups = append(p.groups, group{r.kind[v], 1, r.as[v]})
			if of := r.byAS[r.as[v]]; len(of) == 0 || of[len(of)-1] != p {
				r.byAS[r.as[v]] = append(of, p)
			}
		}
		slices.SortFunc(p.groups, func(a, b group) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.count, b.count)) })
	}
	return r
}

// groupOf returns the index of the place's group with the kind and the AS of v; -1: not found.
func (p *place) groupOf(r *reach, v int32) int {
	return slices.IndexFunc(p.groups, func(g group) bool { return g.kind == r.kind[v] && g.as == r.as[v] })
}

func verticesKey(all []int32) string {
	var key []byte
	for _, v := range all {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	return string(key)
}

// findTwins numbers the kinds of vertices.
func (r *reach) findTwins() {
	sessions := numbering[string]{}
	around := make([]int32, len(r.Vertices)) // by vertex: the number of its set of neighbours
	var row []int32
	for v := range r.Vertices {
		row = row[:0]
		for j := range r.Arcs[v] {
			if s := &r.Arcs[v][j]; r.session(int32(v), s) {
				row = append(row, s.To)
			}
		}
		slices.Sort(row)
		around[v] = sessions.of(verticesKey(slices.Compact(row)))
	}
	size := make([]int32, len(r.shared)) // by AS
	only := make([]int32, len(r.shared)) // by AS: the neighbours of all its switches; -1: they differ
	for v, as := range r.as {
		if size[as]++; size[as] == 1 {
			only[as] = around[v]
		} else if only[as] != around[v] {
			only[as] = -1
		}
	}
	kinds := numbering[[3]int32]{}
	r.kind = make([]int32, len(r.Vertices))
	for v, as := range r.as {
		if only[as] >= 0 { // equivalent to any number that equally many of these switches have
			r.kind[v] = kinds.of([3]int32{around[v], size[as], -1})
		} else {
			r.kind[v] = kinds.of([3]int32{around[v], 0, as})
		}
	}
}

// numbering numbers values in the order of their first use.
type numbering[T comparable] map[T]int32

func (n numbering[T]) of(value T) int32 {
	id, known := n[value]
	if !known {
		id = int32(len(n))
		n[value] = id
	}
	return id
}

// orbit returns the same key for places that automorphisms map to each other: their groups differ only in AS numbers.
func (p *place) orbit() string {
	var key []int32
	for _, g := range p.groups {
		key = append(key, g.kind, g.count)
	}
	return verticesKey(key)
}

// search returns the first NICs of the first two places without a route between them.
func (r *reach) search(b *ir.Budget) (one, other *ir.NIC, err error) {
	var goals []*place // the first place of every orbit
	orbits := map[string][]*place{}
	attached := map[int32]bool{} // kinds
	for _, p := range r.all {
		o := p.orbit()
		if orbits[o] == nil {
			goals = append(goals, p)
		}
		orbits[o] = append(orbits[o], p)
		for _, g := range p.groups {
			attached[g.kind] = true
		}
	}
	small := r.smaller(goals)
	run, err := newBGP(small, ir.AnyTie, r.down)
	if err != nil {
		return nil, nil, err
	}
	for _, goal := range goals {
		if !b.Spend(bgpCost * (2*small.Edges + len(small.Vertices))) {
			return nil, nil, ir.ErrBudget
		}
		if err := run.run(goal.at); err != nil {
			return nil, nil, err
		}
		c := r.cutOff(run, goal, attached)
		if len(c.kinds) == 0 && !slices.Contains(c.groups, true) {
			continue
		}
		var far []*place
		if len(c.kinds) > 0 {
			far = slices.DeleteFunc(slices.Clone(r.all), func(p *place) bool {
				return slices.ContainsFunc(p.at, func(v int32) bool { return !c.kinds[r.kind[v]] })
			})
		}
		for _, to := range orbits[goal.orbit()] {
			for _, from := range append(r.near(to), far...) {
				if !b.Spend(len(from.at)) {
					return nil, nil, ir.ErrBudget
				}
				if !slices.ContainsFunc(from.at, func(v int32) bool { return c.hasRoute(r, v, to) }) {
					return r.nics[min(from.first, to.first)], r.nics[max(from.first, to.first)], nil
				}
			}
		}
	}
	return nil, nil, nil
}

// near returns the places that share an AS with the place.
func (r *reach) near(p *place) (out []*place) {
	for _, g := range p.groups {
		out = append(out, r.byAS[g.as]...)
	}
	return out
}

// cut describes the vertices without a route to a place of an orbit.
type cut struct {
	groups []bool         // by group of the place: whether its other vertices are cut off
	kinds  map[int32]bool // kinds whose vertices in other ASes are cut off
}

// cutOff returns the vertices without a route in the last run, among the kinds that NICs are attached to.
func (r *reach) cutOff(run *bgp, goal *place, attached map[int32]bool) cut {
	c := cut{make([]bool, len(goal.groups)), map[int32]bool{}}
	for v, kept := range r.kept {
		if !kept || !attached[r.kind[v]] || run.first[v] < open {
			continue
		}
		if i := goal.groupOf(r, int32(v)); i >= 0 {
			c.groups[i] = true
		} else {
			c.kinds[r.kind[v]] = true
		}
	}
	return c
}

// hasRoute reports whether a vertex has a route to a place of the orbit.
func (c cut) hasRoute(r *reach, v int32, to *place) bool {
	if slices.Contains(to.at, v) {
		return true
	}
	if i := to.groupOf(r, v); i >= 0 {
		return !c.groups[i]
	}
	return !c.kinds[r.kind[v]]
}

// smaller returns the graph of the sessions between some vertices: it keeps a few ASes of every kind, and a few vertices of each AS.
func (r *reach) smaller(goals []*place) *network {
	most := 0
	needed := map[[2]int32]bool{} // kind and AS of a destination
	for _, p := range goals {
		most = max(most, len(p.at))
		for _, v := range p.at {
			needed[[2]int32{r.kind[v], r.as[v]}] = true
		}
	}
	most += 2 // for the sender, and one switch between
	r.kept = make([]bool, len(r.Vertices))
	for _, p := range goals {
		for _, v := range p.at {
			r.kept[v] = true
		}
	}
	ases := map[int32]int{}      // by kind: the number of kept ASes
	counts := map[[2]int32]int{} // by kind and AS: the number of kept vertices
	for v, kind := range r.kind {
		key := [2]int32{kind, r.as[v]}
		count, known := counts[key]
		if !known && ases[kind] >= most && !needed[key] {
			continue
		}
		if !known {
			ases[kind]++
		}
		if count < most {
			r.kept[v] = true
		}
		counts[key] = count + 1
	}
	g := *r.Graph
	g.Arcs, g.Edges = make([][]graph.Arc, len(r.Arcs)), 0
	for v := range r.Arcs {
		for j := range r.Arcs[v] {
			if s := &r.Arcs[v][j]; r.kept[v] && r.kept[s.To] && r.session(int32(v), s) {
				g.Arcs[v] = append(g.Arcs[v], *s)
				g.Edges++
			}
		}
	}
	g.Edges /= 2
	return &network{&g}
}
