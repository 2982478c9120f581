package routes

import (
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// eBGP: path vector with the AS-path loop check (RFC 4271, 9.1.2), as data centres run it (RFC 7938).
//
// A device accepts a route from a neighbour unless its own AS number is in the route's AS path. It uses all neighbours whose paths have the
// fewest ASes (multipath with any ASes: "as-path multipath-relax"), and passes on one of these paths. It is unknown which one (the oldest,
// or that of the lowest router ID), and it matters: the next device may refuse it. So the alternatives of every device are kept: the AS
// paths that it may have, each with its length. A device that certainly has a route of some length accepts no longer route. A device whose
// shorter paths may all have been refused still accepts longer ones. The result covers every stable state, with all ties at once.
//
// Only the set of ASes of an AS path matters, and only those ASes that can occur again at a later device: ASes of several devices, and ASes
// of devices that still accepted longer paths when they passed this one on.
//
// Assumptions: no allowas-in and no path prepending. Links between two devices of one AS carry no routes: there is no eBGP session, and
// iBGP between them is not described. Links that the fabric calls bridged carry no routes either, except those of hosts that forward; each
// such host is a separate AS. If the links form a tree, a switch without a number also counts as a separate AS. Then there is one path, and
// only a number that occurs twice on it blocks it.

// bgpCost is the number of budget steps for following eBGP over one cable, including the walk along its next hops.
const bgpCost = 7

// maxPaths limits the alternatives of one device for one destination.
const maxPaths = 64

// bgp runs eBGP over a network, one destination at a time.
type bgp struct {
	*network
	as     []int32 // by vertex: its AS, numbered from 0
	shared []bool  // by AS: several vertices are in it
	ties   ir.Ties
	force  []int32 // by vertex: the neighbour whose path it must pass on; -1: any; nil: any for all
	down   []bool  // by Link.ID
	back   []int32 // by Port.ID: the index in Arcs of the arc that leaves by the port

	sets   [][]int32          // interned sets of ASes, ascending; the first is empty
	joined map[[2]int32]int32 // from a set and an AS to the set with the AS added

	// These fields are about the current destination, by vertex.
	paths  [][]asPath // the alternatives, by rising length
	tells  [][]int32  // the sets that were passed on, as neighbours receive them
	first  []int32    // smallest number of ASes of a path
	sure   []int32    // largest number of ASes of a path; open if the vertex may have no route at all
	hops   [][]int32  // indexes of arcs: the next hops
	unsure []bool     // the next hops depend on the stable state
}

// asPath is one AS path that a device may have: the number of ASes, and the set of those that matter.
type asPath struct{ length, set int32 }

const open = math.MaxInt32

// newBGP returns eBGP on n, or the reason why it cannot be followed.
func newBGP(n *network, ties ir.Ties, down []bool) (*bgp, error) {
	b := &bgp{
		network: n, ties: ties, down: down,
		as: make([]int32, len(n.Vertices)), back: make([]int32, len(n.Fabric.Ports)),
		sets: [][]int32{nil}, joined: map[[2]int32]int32{},
		paths: make([][]asPath, len(n.Vertices)), tells: make([][]int32, len(n.Vertices)), first: make([]int32, len(n.Vertices)),
		sure: make([]int32, len(n.Vertices)),
		hops: make([][]int32, len(n.Vertices)), unsure: make([]bool, len(n.Vertices)),
	}
	known := map[int]int32{}
	for v, d := range n.Vertices {
		as := int32(len(b.shared))
		if d.Switch != nil && (d.Switch.ASN != 0 || !n.Forest) {
			if d.Switch.ASN == 0 {
				return nil, &ir.RoutingError{Code: ir.NoASN, Routing: ir.EBGP, Devices: []*ir.Device{d}}
			}
			if of, ok := known[d.Switch.ASN]; ok {
				b.as[v], b.shared[of] = of, true
				continue
			}
			known[d.Switch.ASN] = as
		}
		b.as[v] = as
		b.shared = append(b.shared, false)
	}
	for v := range n.Arcs {
		for j := range n.Arcs[v] {
			b.back[n.Arcs[v][j].Out] = int32(j)
		}
	}
	return b, nil
}

// session reports whether routes pass between v and the neighbour at the end of the arc.
func (b *bgp) session(v int32, s *graph.Arc) bool {
	return !b.down[s.Link] && b.as[v] != b.as[s.To] && carriesRoutes(s)
}

// carriesRoutes reports whether the link of an arc is an IP hop. Links of hosts are not marked as routed, but a host that forwards routes
// over them.
func carriesRoutes(s *graph.Arc) bool {
	return s.Routed || s.Host
}

// bgpIsShortest reports whether eBGP uses exactly the shortest paths. This is so if every link carries routes and no two devices share an
// AS: then the loop check refuses only routes that come back. On a tree with a bridged link the single path is assumed to work, although it
// is unknown whether frames reach the next router through the bridge; see [Router.Unrouted].
func (n *network) bgpIsShortest() bool {
	if n.Forest {
		return !n.repeatsASN() || n.firstArc(func(s *graph.Arc) bool { return !carriesRoutes(s) }) != nil
	}
	return !slices.ContainsFunc(n.Vertices, func(d *ir.Device) bool { return d.Switch != nil && d.Switch.ASN == 0 }) &&
		!n.repeatsASN() && n.firstArc(func(s *graph.Arc) bool { return !carriesRoutes(s) }) == nil
}

// repeatsASN reports whether two switches have one AS number.
func (n *network) repeatsASN() bool {
	seen := map[int]bool{}
	for _, d := range n.Vertices {
		if d.Switch == nil || d.Switch.ASN == 0 {
			continue
		}
		if seen[d.Switch.ASN] {
			return true
		}
		seen[d.Switch.ASN] = true
	}
	return false
}

// firstArc returns the first matching arc, or nil.
func (n *network) firstArc(is func(*graph.Arc) bool) *graph.Arc {
	for v := range n.Arcs {
		for j := range n.Arcs[v] {
			if s := &n.Arcs[v][j]; is(s) {
				return s
			}
		}
	}
	return nil
}

// run finds the next hops of every vertex to the destination that is attached to the vertices at. The results are valid until the
// next run.
func (b *bgp) run(at []int32) error {
	for v := range b.Vertices {
		b.paths[v], b.tells[v], b.hops[v] = b.paths[v][:0], b.tells[v][:0], b.hops[v][:0]
		b.first[v], b.sure[v], b.unsure[v] = open, open, false
	}
	for _, v := range at {
		b.first[v], b.sure[v] = 0, 0
		b.paths[v] = append(b.paths[v], asPath{})
	}
	level := int32(0)
	var next []int32
	for now := slices.Clone(at); len(now) > 0; now, next = next, now[:0] {
		level++
		for _, u := range now {
			told := len(b.tells[u])
			for _, p := range b.paths[u][told:] { // all of the same length, less than level
				b.tells[u] = append(b.tells[u], b.passedOn(u, p))
			}
			for j := range b.Arcs[u] {
				if s := &b.Arcs[u][j]; b.session(u, s) && b.sure[s.To] >= level {
					heard, err := b.offer(b.tells[u][told:], s, level)
					if err != nil {
						return err
					}
					if heard {
						next = append(next, s.To)
					}
				}
			}
		}
		b.settle(now, level)
		slices.Sort(next) // ties are broken by device order
	}
	b.compare()
	return nil
}

// offer passes AS paths on over the arc, and reports whether the receiving vertex got its first path of this length.
func (b *bgp) offer(sets []int32, s *graph.Arc, level int32) (heard bool, err error) {
	v := s.To
	taken := false
	passes := b.force == nil || b.force[v] < 0 || b.force[v] == b.VertexOf[b.OutPort(s).Device().ID]
	for _, set := range sets {
		if b.has(set, b.as[v]) {
			continue
		}
		taken = true
		if !passes {
			continue
		}
		got := b.paths[v]
		switch {
		case b.ties == ir.AnyTie:
			if slices.Contains(got, asPath{level, set}) {
				continue
			}
			if len(got) == maxPaths {
				return false, &ir.RoutingError{Code: ir.ManyASPaths, Routing: ir.EBGP, Devices: []*ir.Device{b.Vertices[v]}, Most: maxPaths}
			}
			heard = heard || len(got) == 0 || got[len(got)-1].length < level
			b.paths[v] = append(got, asPath{level, set})
		case len(got) == 0:
			heard = true
			b.sure[v] = level
			b.paths[v] = append(got, asPath{level, set})
		case b.ties == ir.LastTie:
			got[0].set = set
		}
	}
	if taken {
		b.first[v] = min(b.first[v], level)
		b.hops[v] = append(b.hops[v], b.back[s.In])
	}
	return heard, nil
}

// passedOn returns the path of u as its neighbours receive it.
func (b *bgp) passedOn(u int32, p asPath) int32 {
	if b.shared[b.as[u]] || b.sure[u] != b.first[u] {
		return b.with(p.set, b.as[u])
	}
	return p.set
}

// settle closes the vertices that certainly have a route of this length: some neighbour certainly has a route that is shorter by one, and
// the vertex accepts all its possible paths.
func (b *bgp) settle(now []int32, level int32) {
	if b.ties != ir.AnyTie {
		return
	}
	for _, u := range now {
		if b.sure[u] != level-1 {
			continue
		}
		for j := range b.Arcs[u] {
			if s := &b.Arcs[u][j]; b.session(u, s) && b.sure[s.To] > level && b.takesAll(s.To, u) {
				b.sure[s.To] = level
			}
		}
	}
}

// takesAll reports whether v accepts every path that u may have.
func (b *bgp) takesAll(v, u int32) bool {
	return !slices.ContainsFunc(b.tells[u], func(set int32) bool { return b.has(set, b.as[v]) })
}

// compare sorts the next hops of every vertex, and finds the vertices whose next hops depend on the breaking of ties.
func (b *bgp) compare() {
	for v := range b.hops {
		if len(b.hops[v]) == 0 {
			continue
		}
		slices.Sort(b.hops[v])
		b.hops[v] = slices.Compact(b.hops[v])
		if b.ties != ir.AnyTie {
			continue
		}
		b.unsure[v] = b.first[v] != b.sure[v] || slices.ContainsFunc(b.hops[v], func(j int32) bool {
			u := b.Arcs[v][j].To
			return b.first[u] != b.sure[u] || !b.takesAll(int32(v), u)
		})
	}
}

// has reports whether the AS is in the set.
func (b *bgp) has(set, as int32) bool { return slices.Contains(b.sets[set], as) }

// with returns the set with an AS added.
func (b *bgp) with(set, as int32) int32 {
	key := [2]int32{set, as}
	id, ok := b.joined[key]
	if !ok {
		members := b.sets[set]
		i, found := slices.BinarySearch(members, as)
		if found {
			id = set
		} else {
			id = b.intern(slices.Insert(slices.Clone(members), i, as))
		}
		b.joined[key] = id
	}
	return id
}

// intern returns the number of a set. It finds the set by interning the set without its last AS, and then adding that AS.
func (b *bgp) intern(members []int32) int32 {
	last := len(members) - 1
	if last == 0 {
		return b.leaf(0, members)
	}
	return b.leaf(b.intern(members[:last]), members)
}

// leaf returns the number of the set that extends the set before by the last AS of members, which is larger than all others.
func (b *bgp) leaf(before int32, members []int32) int32 {
	key := [2]int32{before, members[len(members)-1]}
	id, ok := b.joined[key]
	if !ok {
		id = int32(len(b.sets))
		b.sets = append(b.sets, slices.Clone(members))
		b.joined[key] = id
	}
	return id
}

// ebgpPaths returns the turns of eBGP in state s.
func (v *view) ebgpPaths(s ir.State) (*ir.Turns, error) {
	for _, source := range v.sources() {
		if err := source.onlyRouted(); err != nil {
			return nil, err
		}
	}
	if v.bgpIsShortest() {
		return v.shortestPaths(s)
	}
	return v.pathVector(s)
}

// pathVector is [view.ebgpPaths] for any AS numbers.
func (v *view) pathVector(s ir.State) (*ir.Turns, error) {
	mixed := false
	for _, source := range v.sources() {
		states := [][]*ir.Link{s.Down}
		if s.Converging {
			states = append(states, nil)
		}
		for _, down := range states {
			depends, err := source.tiesMatter(down, s)
			if err != nil {
				return nil, err
			}
			mixed = mixed || depends
		}
	}
	p := plan{back: s.Converging, rule: func(w *walk, c *graph.Class) rule { return w.bgpRule(c, s) }}
	if s.Converging {
		p.classes = func(w *walk) []*graph.Class { return append(slices.Clone(w.classes), w.moved()...) }
	}
	turns, err := v.follow(s, p)
	if err == nil && mixed {
		turns.Mixed = ir.MixedTies
	}
	return turns, err
}

// tiesMatter reports whether traffic of the view passes a device whose next hops depend on the breaking of ties. The error is the reason
// why paths cannot be followed.
func (v *view) tiesMatter(down []*ir.Link, s ir.State) (bool, error) {
	w := newSearch(v, down)
	if !s.Budget.Spend(bgpCost * len(w.classes) * (2*v.Edges + len(v.Vertices))) {
		return false, ir.ErrBudget
	}
	b, err := newBGP(v.network, s.Ties, w.down)
	if err != nil {
		return false, err
	}
	out := false
	for _, c := range w.classes {
		if c.Conversation.Bridged {
			if !v.bridgedForest() {
				return false, &ir.RoutingError{Code: ir.BridgedRing, Routing: ir.EBGP}
			}
			continue
		}
		if err := b.run(c.At); err != nil {
			return false, err
		}
		out = out || b.decides(c) // the other classes are run only for their errors
	}
	return out, nil
}

// decides reports whether traffic to c, the destination of the last run, passes a device whose next hops depend on the breaking of ties.
func (b *bgp) decides(c *graph.Class) bool {
	met := make([]bool, len(b.Vertices))
	for todo := slices.DeleteFunc(slices.Clone(c.From), func(u int32) bool { return !c.Sends(u) }); len(todo) > 0; {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if met[u] {
			continue
		}
		met[u] = true
		if b.unsure[u] {
			return true
		}
		for _, j := range b.hops[u] {
			todo = append(todo, b.Arcs[u][j].To)
		}
	}
	return false
}

// bgpRule allows traffic of c to take the steps of eBGP; while eBGP converges, also those before links failed.
func (w *walk) bgpRule(c *graph.Class, s ir.State) rule {
	if c.Conversation.Bridged { // tiesMatter has checked that the bridged links form a forest
		return w.hopsRule(w.treeHops(c.At, bridged))
	}
	if w.bgp == nil {
		w.bgp, _ = newBGP(w.network, s.Ties, w.down) // tiesMatter has checked that eBGP can be followed
	}
	if w.bgp.run(w.VerticesOf(c.Members[0], w.down)) != nil {
		return anywhere
	}
	after := w.bgp.rule()
	if !s.Converging || !w.wasAt(c) {
		return after
	}
	if w.bgpBefore == nil {
		w.bgpBefore, _ = newBGP(w.network, s.Ties, make([]bool, len(w.down)))
	}
	if w.bgpBefore.run(c.At) != nil {
		return anywhere
	}
	return eitherOf(w.bgpBefore.rule(), after)
}

// wasAt reports whether a member of c was attached to the same vertices before links failed. For a bond that lost a cable it is false.
func (w *walk) wasAt(c *graph.Class) bool {
	return slices.ContainsFunc(c.Members, func(m graph.Member) bool { return slices.Equal(w.VerticesOf(m, nil), c.At) })
}

// anywhere allows every step, which is more than the traffic can do.
func anywhere(int32, *graph.Arc, bool) (falls, ok bool) { return false, true }

// eitherOf allows the steps of either rule.
func eitherOf(one, other rule) rule {
	return func(v int32, s *graph.Arc, falling bool) (falls, ok bool) {
		if falls, ok = one(v, s, falling); ok {
			return falls, true
		}
		return other(v, s, falling)
	}
}

// rule allows the next hops of the last run.
func (b *bgp) rule() rule {
	return func(v int32, s *graph.Arc, _ bool) (falls, ok bool) {
		return false, slices.Contains(b.hops[v], b.back[s.Out])
	}
}

// hopsRule allows the steps whose indexes are listed by vertex, in ascending order.
func (n *network) hopsRule(hops [][]int32) rule {
	return func(v int32, s *graph.Arc, _ bool) (falls, ok bool) {
		if len(hops[v]) == 0 {
			return false, false
		}
		_, ok = slices.BinarySearch(hops[v], n.stepBy(v, n.OutPort(s)))
		return false, ok
	}
}
