package proof

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// certify tries the certificates: proofs that need only the links and the promise of the routing, and no turns. Each certificate numbers
// the lossless links, in the direction of traffic, so that every turn leads to a higher number.
func (p *Proof) certify() bool {
	p.lossless = p.LosslessLinks()
	c, reason, rank := p.certificate(p.lossless)
	if c == "" {
		return false
	}
	p.Verdict, p.Certificate, p.Any, p.Reason, p.Rank = Free, c, true, reason, rank
	p.Failures = p.Fabric.Failures
	return true
}

// certificate returns the first certificate that holds, its numbers and its rank function; "" if none holds.
func (p *Proof) certificate(lossless []*ir.Link) (c Certificate, numbers Certified, rank func(*ir.Port, *ir.CosGroup) int) {
	f := p.Fabric
	routing := f.Routing
	top := highest(lossless)
	byTier := func(in *ir.Port, _ *ir.CosGroup) int { return tierRank(top, in) }
	switch {
	case forest(f, lossless) && (routing != ir.TablePath || len(lossless) == 0): // a table may turn traffic back
		if len(lossless) == 0 {
			return ByForest, Certified{}, func(*ir.Port, *ir.CosGroup) int { return 0 }
		}
		return ByForest, Certified{Links: len(lossless)}, forestRank(f, lossless)
	case routing == ir.UpDown && tiered(lossless):
		return ByUpDown, Certified{Top: top}, byTier
	case routing == ir.EBGP && p.asPlan():
		return ByASPlan, Certified{Top: top}, byTier
	case p.bounces(lossless):
		chain := p.chain()
		return ByBounce, Certified{Top: top, Chain: chain}, func(in *ir.Port, g *ir.CosGroup) int {
			return slices.Index(chain, g)*(2*top+1) + tierRank(top, in)
		}
	case routing == ir.SpanningTree && bridged(lossless):
		return BySpanningTree, Certified{}, nil
	}
	return "", Certified{}, nil
}

// LosslessLinks returns the links between devices that forward on which any of the groups is lossless, with both ends sending and obeying
// its pauses.
func (p *Proof) LosslessLinks() []*ir.Link {
	if p.lossless != nil {
		return p.lossless
	}
	var out []*ir.Link
	for _, l := range p.Fabric.Links {
		if !l.A().Device().Forwards() || !l.B().Device().Forwards() {
			continue
		}
		if slices.ContainsFunc(p.Groups, func(g *ir.CosGroup) bool { return l.A().Stops(g) && l.B().Stops(g) }) {
			out = append(out, l)
		}
	}
	return out
}

func highest(links []*ir.Link) int {
	top := 0
	for _, l := range links {
		top = max(top, l.A().Device().Height(), l.B().Device().Height())
	}
	return top
}

// tierRank returns the rank of a link in the direction of traffic, by its ingress port. Upwards the rank is the tier of the lower end,
// across it is top, and downwards it is twice top minus the tier of the lower end.
func tierRank(top int, in *ir.Port) int {
	switch from := in.Peer(); Up(from, in) {
	case +1:
		return from.Device().Height()
	case -1:
		return 2*top - in.Device().Height()
	}
	return top
}

// forest reports whether the links contain no circle. Parallel links between two devices do not count as one, because no route turns back
// to the previous device. Only flooding does, but not into the bond that a frame came by.
func forest(f *ir.Fabric, links []*ir.Link) bool {
	trees := newUnion(len(f.Devices))
	joined := map[[2]int]*ir.Link{}
	for _, l := range links {
		a, b := l.A().Device().ID, l.B().Device().ID
		if len(joined) >= len(f.Devices) { // a forest has fewer pairs of neighbours
			return false
		}
		pair := [2]int{min(a, b), max(a, b)}
		if first := joined[pair]; first != nil && (f.Routing != ir.Flooding || first.Bonded(l)) {
			continue
		}
		joined[pair] = l
		if !trees.join(int32(a), int32(b)) {
			return false
		}
	}
	return true
}

// union is a union-find of small numbers, with path halving. The root of a set is its smallest member.
type union []int32

func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = int32(i)
	}
	return u
}

func (u union) find(v int32) int32 {
	for u[v] != v {
		u[v] = u[u[v]]
		v = u[v]
	}
	return v
}

// join joins the sets of two members, and reports whether they were two.
func (u union) join(a, b int32) bool {
	a, b = u.find(a), u.find(b)
	u[max(a, b)] = min(a, b)
	return a != b
}

// forestRank roots each tree at its first device. Links towards the root rank first, beginning with the farthest; links away from the root
// follow.
func forestRank(f *ir.Fabric, links []*ir.Link) func(*ir.Port, *ir.CosGroup) int {
	depth := make([]int, len(f.Devices))
	in := make([]bool, len(f.Links))
	for _, l := range links {
		in[l.ID] = true
	}
	for _, root := range f.Devices {
		if depth[root.ID] != 0 {
			continue
		}
		depth[root.ID] = 1
		for queue := []*ir.Device{root}; len(queue) > 0; queue = queue[1:] {
			for _, port := range queue[0].Ports {
				if d := port.Peer().Device(); in[port.Link().ID] && depth[d.ID] == 0 {
					depth[d.ID] = depth[queue[0].ID] + 1
					queue = append(queue, d)
				}
			}
		}
	}
	return func(in *ir.Port, _ *ir.CosGroup) int {
		from, to := depth[in.Peer().Device().ID], depth[in.Device().ID]
		if from > to {
			return -from
		}
		return to
	}
}

// tiered reports whether every link goes up, goes down, or is a peer step, and no host is a valley between two
// switches.
func tiered(links []*ir.Link) bool {
	return noHostBetween(links) && !slices.ContainsFunc(links, func(l *ir.Link) bool { return Up(l.A(), l.B()) == 0 && !l.Peer })
}

// noHostBetween reports whether every host that forwards is attached to one device only.
func noHostBetween(links []*ir.Link) bool {
	on := map[*ir.Device]*ir.Device{}
	for _, l := range links {
		for _, p := range []*ir.Port{l.A(), l.B()} {
			if p.Device().Host == nil {
				continue
			}
			if other := on[p.Device()]; other != nil && other != p.Peer().Device() {
				return false
			}
			on[p.Device()] = p.Peer().Device()
		}
	}
	return true
}

// asPlan reports whether the AS numbers forbid every turn from down or across to across or up. For that, the neighbours of a switch above
// and beside it must share one number, over any links; the switch's own number does not count. Then none of them accepts a route over
// another one. This covers only the one path that a switch advertises, but it forwards over all paths of the same length. So links must
// join adjacent tiers, and a device with links to several switches must have all of them in one tier. Then the path down is shorter than
// any path that first goes up or across, and never equal to one. Bridged links are not allowed, because BGP does not control them.
func (p *Proof) asPlan() bool {
	return p.plannedBy(func(d *ir.Device) int { return d.Switch.ASN })
}

// plannedBy is asPlan with the AS numbers that a function returns.
func (p *Proof) plannedBy(asn func(*ir.Device) int) bool {
	above := make([]int, len(p.Fabric.Devices)) // by device: the AS number of its neighbours above and beside
	var between []*ir.Link
	for _, l := range p.Fabric.Links {
		if !l.A().Device().Forwards() || !l.B().Device().Forwards() {
			continue
		}
		between = append(between, l)
		if rise := l.A().Device().Height() - l.B().Device().Height(); rise < -1 || rise > 1 {
			return false
		}
		if l.A().Device().Switch == nil || l.B().Device().Switch == nil {
			continue
		}
		if !l.Routed || !plans(above, asn, l.A().Device(), l.B().Device()) || !plans(above, asn, l.B().Device(), l.A().Device()) {
			return false
		}
	}
	return noHostBetween(between) && !slices.ContainsFunc(p.Fabric.Devices, hangsOnTiers)
}

// plans records that other is a neighbour of d, and reports whether the AS numbers still form a plan.
func plans(above []int, asn func(*ir.Device) int, d, other *ir.Device) bool {
	n := asn(other)
	switch {
	case n == 0 || asn(d) == 0:
		return false
	case other.Height() < d.Height() || n == asn(d):
		return true
	case above[d.ID] != 0 && above[d.ID] != n:
		return false
	}
	above[d.ID] = n
	return true
}

// hangsOnTiers reports whether a bond of the host joins switches of several tiers.
func hangsOnTiers(d *ir.Device) bool {
	if d.Host == nil {
		return false
	}
	for _, b := range d.Host.Bonds {
		tier := -1
		for _, n := range b.NICs {
			if n.Port == nil {
				continue
			}
			if at := n.Port.Peer().Device().Height(); tier >= 0 && at != tier {
				return true
			} else {
				tier = at
			}
		}
	}
	return false
}

// bounces reports whether every turn from down to up moves traffic into another group, and finally into a lossy one. The links must go up
// or down, every group must bounce, and no two of the groups may share a buffer.
func (p *Proof) bounces(links []*ir.Link) bool {
	switch p.Fabric.Routing {
	case ir.ShortestPath, ir.EBGP, ir.AnyPath, ir.TablePath:
	default:
		return false
	}
	if p.Fabric.FlowControl == ir.Pause || p.Fabric.Coupled() { // link pause stops lossy traffic, too
		return false
	}
	if len(p.Groups) > 1 && slices.ContainsFunc(p.Fabric.Devices, (*ir.Device).SharesBuffer) {
		return false
	}
	for _, g := range p.Groups {
		n := 0
		for ; g != nil && g.Lossless && n <= len(p.Groups); n++ {
			g = g.Bounce
		}
		if g == nil || g.Lossless {
			return false
		}
	}
	return noHostBetween(links) && !slices.ContainsFunc(links, func(l *ir.Link) bool { return Up(l.A(), l.B()) == 0 })
}

// chain returns the groups in an order in which every group precedes the one it bounces into.
func (p *Proof) chain() []*ir.CosGroup {
	length := func(g *ir.CosGroup) (n int) {
		for ; g != nil && g.Lossless; g = g.Bounce {
			n++
		}
		return n
	}
	out := slices.Clone(p.Groups)
	slices.SortStableFunc(out, func(a, b *ir.CosGroup) int { return length(b) - length(a) })
	return out
}

// bridged reports whether spanning tree controls all the links: none is an IP hop.
func bridged(links []*ir.Link) bool {
	return !slices.ContainsFunc(links, func(l *ir.Link) bool { return l.Routed })
}
