package compiler

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// This file finds the links that carry a group, and so need PFC at both ends.
//
// The cable of a member always carries the group of its intent. Between switches, and hosts that forward, a link carries it when some path
// between two members goes over the link and visits no device twice. Traffic between members stays on such paths under every routing and
// every failure. For RoCEv1 only bridged links count, since its frames do not pass an IP hop. If traffic bounces into another group, the
// links of the first group also carry the second. Links that lead off to switches without members carry nothing. A lossless group that no
// intent uses is carried by every link: rocec cannot know who sends it.
//
// The search connects every switch with members to an imagined hub. Then a path from member to member closes to a ring over the hub, and a
// ring is within one biconnected component. So a link is on such a path if it is in a component of the hub. Tarjan's depth-first search
// finds these components in one pass over the links.

// linkSet reports for every Link.ID whether the link is in the set.
type linkSet []bool

func (c *compiler) carry() {
	c.carried, c.marked = map[*ir.CosGroup]linkSet{}, map[*ir.CosGroup]linkSet{}
	s := newHubSearch(c.f)
	used := map[*ir.CosGroup]bool{}
	for n, i := range c.f.Intents {
		used[i.Group] = true
		on := s.run(i)
		c.see(n, on)
		for _, g := range c.bounces(i.Group) {
			if !g.Lossless && g.ECN == nil {
				continue
			}
			c.carried[g] = c.carried[g].join(on)
			if i.Version != 1 {
				c.marked[g] = c.marked[g].join(on) // only IP packets can be marked
			}
		}
	}
	for _, g := range c.f.CosGroups {
		if used[g] {
			continue
		}
		every := make(linkSet, len(c.f.Links))
		for i := range every {
			every[i] = true
		}
		c.carried[g], c.marked[g] = every, every
	}
}

// see records, at every switch on the links in on, that traffic of the n-th intent passes.
func (c *compiler) see(n int, on linkSet) {
	if c.seen == nil {
		c.seen = make([][]uint64, len(c.f.Devices))
	}
	for _, l := range c.f.Links {
		if !on.has(l) {
			continue
		}
		for _, p := range [...]*ir.Port{l.A(), l.B()} {
			if p.Device().Switch == nil {
				continue
			}
			row := &c.seen[p.Device().ID]
			if *row == nil {
				*row = make([]uint64, (len(c.f.Intents)+63)/64)
			}
			(*row)[n/64] |= 1 << (n % 64)
		}
	}
}

// visible sets for every switch the intents whose traffic it handles; switches with equal intents share the slice.
func (c *compiler) visible() {
	var last []*ir.Intent
	for _, d := range c.f.Devices {
		if d.Switch == nil {
			continue
		}
		var row []*ir.Intent
		if c.seen != nil {
			for w, bit := range c.seen[d.ID] {
				for ; bit != 0; bit &= bit - 1 {
					row = append(row, c.f.Intents[w*64+bits.TrailingZeros64(bit)])
				}
			}
		}
		if slices.Equal(row, last) {
			row = last
		}
		d.Switch.Intents, last = row, row
	}
}

// bounces returns the groups that traffic sent in g can be in: g, and the groups that it bounces into, directly or in several steps. Under
// link pause bounce has no effect, and under up-down nothing goes up again.
func (c *compiler) bounces(g *ir.CosGroup) []*ir.CosGroup {
	all := []*ir.CosGroup{g}
	if c.f.FlowControl == ir.Pause || c.f.Routing == ir.UpDown {
		return all
	}
	for g = g.Bounce; g != nil && !slices.Contains(all, g); g = g.Bounce {
		all = append(all, g)
	}
	return all
}

// join returns the links in either set.
func (s linkSet) join(t linkSet) linkSet {
	if s == nil {
		return slices.Clone(t)
	}
	for i, in := range t {
		s[i] = s[i] || in
	}
	return s
}

func (s linkSet) has(l *ir.Link) bool { return s != nil && s[l.ID] }

// hubSearch is the depth-first search; its tables are reused for each intent.
type hubSearch struct {
	f        *ir.Fabric
	found    []int32 // by Device.ID: order of discovery, 1 onwards; 0: not yet
	low      []int32 // by Device.ID: earliest device reachable over one link from the subtree; the hub is device 0
	terminal []bool  // by Device.ID: joined to the hub
	links    []int32 // links of components not yet closed
	stack    []frame
	on       linkSet
}

type frame struct {
	dev  *ir.Device
	from *ir.Link // the port by which the search arrived; nil: from the hub
	next int      // in dev.Ports
	mark int      // length of links before from
}

func newHubSearch(f *ir.Fabric) *hubSearch {
	n := len(f.Devices)
	return &hubSearch{f: f, found: make([]int32, n), low: make([]int32, n), terminal: make([]bool, n), on: make(linkSet, len(f.Links))}
}

// run returns the links that carry the traffic of an intent. The set is valid until the next run.
func (s *hubSearch) run(i *ir.Intent) linkSet {
	clear(s.found)
	clear(s.terminal)
	clear(s.on)
	var starts []*ir.Device
	for _, m := range i.Members {
		p := m.NIC.Port
		if p == nil {
			continue
		}
		s.on[p.Link().ID] = true
		at := p.Device()
		if !at.Forwards() {
			at = p.Peer().Device()
		}
		if !s.terminal[at.ID] {
			s.terminal[at.ID] = true
			starts = append(starts, at)
		}
	}
	if len(starts) < 2 {
		return s.on // no member behind a second switch
	}
	clock := int32(0)
	enter := func(d *ir.Device, from *ir.Link, mark int) {
		clock++
		s.found[d.ID], s.low[d.ID] = clock, clock
		if s.terminal[d.ID] && from != nil {
			s.low[d.ID] = 0 // over the hub
		}
		s.stack = append(s.stack, frame{dev: d, from: from, mark: mark})
	}
	for _, start := range starts {
		if s.found[start.ID] != 0 {
			continue
		}
		s.links = s.links[:0]
		enter(start, nil, 0)
		for len(s.stack) > 0 {
			f := &s.stack[len(s.stack)-1]
			if f.next < len(f.dev.Ports) {
				p := f.dev.Ports[f.next]
				f.next++
				to := p.Peer().Device()
				if p.Link() == f.from || !to.Forwards() || i.Version == 1 && p.Link().Routed {
					continue
				}
				if s.found[to.ID] == 0 {
					mark := len(s.links)
					s.links = append(s.links, int32(p.Link().ID))
					enter(to, p.Link(), mark)
				} else if s.found[to.ID] < s.found[f.dev.ID] {
					s.links = append(s.links, int32(p.Link().ID))
					s.low[f.dev.ID] = min(s.low[f.dev.ID], s.found[to.ID])
				}
				continue
			}
			done := *f
			s.stack = s.stack[:len(s.stack)-1]
			if done.from == nil {
				break
			}
			above := s.stack[len(s.stack)-1].dev
			if s.low[done.dev.ID] >= s.found[above.ID] {
				s.links = s.links[:done.mark] // a component that does not include the hub
			}
			s.low[above.ID] = min(s.low[above.ID], s.low[done.dev.ID])
		}
		for _, id := range s.links {
			s.on[id] = true // the remaining links share the hub's component
		}
	}
	return s.on
}

// checkRouting reports a missing routing where a lossless group crosses a ring of links, and missing AS numbers under eBGP.
func (c *compiler) checkRouting() {
	if c.f.Routing == ir.EBGP {
		for _, d := range c.f.Devices {
			if d.Switch != nil && d.Switch.ASN == 0 {
				c.report.errorf(topicASNMissing, d.Decl, d.Name, "The fabric is routed by eBGP, and %s has no AS number. The paths "+
					"depend on the AS numbers. Give the switch an asn.", d.Name).Note(c.f.RoutingAt, "the routing")
			}
		}
	}
	if c.f.Routing != "" {
		return
	}
	for _, g := range c.f.CosGroups {
		if !g.Lossless {
			continue
		}
		ring := c.ring(c.carried[g])
		if ring == nil {
			continue
		}
		bonded := ""
		if len(ring) == 2 && ring[0].A().Device().Switch != nil && ring[0].B().Device().Switch != nil { // two cables between the same two devices
			bonded = " If the cables between " + ring[0].A().Device().Name + " and " + ring[0].B().Device().Name +
				" are one bond (a LAG), write bond = true in their block instead: then they are one link and no ring."
		}
		e := c.report.errorf(topicRoutingMissing, c.f.At, g.Name, "The lossless cos group %q crosses a ring of %d links, and the fabric "+
			"does not say how lossless traffic is forwarded. Whether pauses can run in a circle depends on it. Set it in the fabric "+
			"block: routing = \"up-down\", \"ebgp\", \"shortest-path\", \"spanning-tree\", \"flooding\", \"any\" or \"table\".%s",
			g.Name, len(ring), bonded)
		for i, l := range ring {
			if i == showRing {
				e.Note(diag.Range{}, "and %d more links", len(ring)-showRing)
				break
			}
			e.Note(l.A().At, "the ring: %s to %s", l.A(), l.B())
		}
		e.Note(g.LosslessAt, "the group is lossless")
	}
}

const showRing = 12

// ring returns the links of a cycle among those of the set, in order round the ring, beginning with the link written first; nil if the
// links are a forest. Two parallel links are a ring too, unless they are one bond.
func (c *compiler) ring(set linkSet) []*ir.Link {
	up := make([]int32, len(c.f.Devices)) // union-find by Device.ID
	for i := range up {
		up[i] = int32(i)
	}
	root := func(i int) int32 {
		for up[i] != int32(i) {
			up[i] = up[up[i]]
			i = int(up[i])
		}
		return int32(i)
	}
	tree := make(linkSet, len(c.f.Links))
	bonds := map[int]bool{} // of links in the tree
	for _, l := range c.f.Links {
		if bonds[l.Bond] || !set.has(l) || !l.A().Device().Forwards() || !l.B().Device().Forwards() {
			continue
		}
		a, b := root(l.A().Device().ID), root(l.B().Device().ID)
		if a != b {
			up[a] = b
			tree[l.ID] = true
			if l.Bond != 0 {
				bonds[l.Bond] = true
			}
			continue
		}
		return fromFirst(append(treePath(l.B().Device(), l.A().Device(), tree), l))
	}
	return nil
}

// treePath returns the links from one device to another in a forest.
func treePath(from, to *ir.Device, tree linkSet) []*ir.Link {
	came := map[*ir.Device]*ir.Port{from: nil} // the port at the previous device
	for queue := []*ir.Device{from}; len(queue) > 0 && came[to] == nil; queue = queue[1:] {
		for _, p := range queue[0].Ports {
			next := p.Peer().Device()
			if _, seen := came[next]; tree.has(p.Link()) && !seen {
				came[next] = p
				queue = append(queue, next)
			}
		}
	}
	var path []*ir.Link
	for d := to; d != from; d = came[d].Device() {
		path = append(path, came[d].Link())
	}
	slices.Reverse(path)
	return path
}

// fromFirst rotates a ring so that it starts at the link written first.
func fromFirst(ring []*ir.Link) []*ir.Link {
	first := 0
	for i, l := range ring {
		if diag.ComparePlace(l.A().At, ring[first].A().At) < 0 {
			first = i
		}
	}
	return append(slices.Clone(ring[first:]), ring[:first]...)
}

// checkLengths reports every cable without a length that carries a lossless group.
func (c *compiler) checkLengths() {
	rows := map[diag.Range]diag.Range{} // by the topology block: the first of its cables without a length
	for _, l := range c.f.Links {
		if l.Length.Known() {
			continue
		}
		for _, g := range c.f.CosGroups {
			if g.Lossless && c.carried[g].has(l) {
				at := l.At
				if l.A().At.Filename != at.Filename { // the cable is in a file of its own
					if _, known := rows[at]; !known {
						rows[at] = l.A().At
					}
					at = rows[at]
				}
				c.report.errorf(topicLengthMissing, at, fmt.Sprintf("%s to %s", l.A(), l.B()), "%s carries the lossless cos group %q, and its length "+
					"is unknown. The bytes on the cable when a pause is sent still arrive, so the headroom depends on its length. "+
					"Write length = \"30m\" in the block, or cable_length in the fabric block for all.", l.Block, g.Name).
					Note(g.LosslessAt, "the group is lossless")
				break
			}
		}
	}
}
