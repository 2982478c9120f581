package oracle

import (
	"cmp"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// member is one address that sends and receives by one port, or by the ports of a bond.
type member []*ir.Port

// talk is a set of members that talk with each other.
type talk struct {
	bridged bool // crosses no routed link
	anyWay  bool // uses any path that visits no device twice
	members []member
}

// talks returns the sets of members that talk in g.
func talks(f *ir.Fabric, g *ir.CosGroup) []talk {
	var out []talk
	for _, in := range f.Intents {
		if f.FlowControl != ir.Pause && (in.Group == g || in.CNP == g) {
			var nics []*ir.NIC
			for _, m := range in.Members {
				nics = append(nics, m.NIC)
			}
			out = append(out, talk{bridged: in.Version == 1, members: members(nics)})
			out = append(out, subnetTalks(f, in)...)
		}
	}
	if out != nil {
		return out
	}
	if f.FlowControl != ir.Pause && onlyBounced(f, g) {
		return nil
	}
	var nics []*ir.NIC
	for _, d := range f.Devices {
		if d.Host != nil {
			for _, n := range d.Host.NICs {
				if n.Port != nil && (f.FlowControl == ir.Pause || !g.Lossless || Lossless(n.Port.Link(), g)) {
					nics = append(nics, n)
				}
			}
		}
	}
	return []talk{{members: members(nics)}, {bridged: true, members: members(nics)}}
}

// onlyBounced reports whether traffic reaches g by bounces alone. Following bounces backwards from g must lead to a group where traffic
// begins: a group of an intent, or one that no other group bounces into.
func onlyBounced(f *ir.Fabric, g *ir.CosGroup) bool {
	before := func(g *ir.CosGroup) (out []*ir.CosGroup) {
		for _, o := range f.CosGroups {
			if o.Bounce == g && o != g {
				out = append(out, o)
			}
		}
		return out
	}
	met := map[*ir.CosGroup]bool{g: true}
	for todo := before(g); len(todo) > 0; {
		o := todo[0]
		todo = todo[1:]
		if met[o] {
			continue
		}
		met[o] = true
		more := before(o)
		named := slices.ContainsFunc(f.Intents, func(in *ir.Intent) bool { return in.Group == o || in.CNP == o })
		if named || len(more) == 0 {
			return true
		}
		todo = append(todo, more...)
	}
	return false
}

// sameAddress reports whether two members are the same NIC, or ports of one bond. Only one port of such a bond is active, and it does not
// talk with itself.
func sameAddress(a, b member) bool {
	x, y := a[0].NIC, b[0].NIC
	return x == y || x.Bond != nil && x.Bond == y.Bond
}

func members(nics []*ir.NIC) []member {
	var out []member
	bonds := map[*ir.Bond]bool{}
	for _, n := range nics {
		switch {
		case n.Port == nil:
		case n.Bond == nil:
			out = append(out, member{n.Port})
		case !bonds[n.Bond]:
			bonds[n.Bond] = true
			var m member
			for _, b := range n.Bond.NICs {
				switch {
				case b.Port == nil:
				case n.Bond.Mode == "active-backup": // each port may be the active one
					out = append(out, member{b.Port})
				default:
					m = append(m, b.Port)
				}
			}
			if m != nil {
				out = append(out, m)
			}
		}
	}
	return out
}

// place returns the device by which traffic of the port enters and leaves the forwarding devices; nil if its cable is down.
func place(p *ir.Port, down []*ir.Link) *ir.Device {
	switch {
	case forwards(p.Device()):
		return p.Device()
	case slices.Contains(down, p.Link()):
		return nil
	}
	return p.Peer().Device()
}

// Brute enumerates the paths of traffic in a fabric with some links down.
type Brute struct {
	Fabric *ir.Fabric
	Down   []*ir.Link

	// Tree holds the links of the spanning tree, for routing "spanning-tree".
	Tree map[*ir.Link]bool

	// Random chooses the route that a router advertises among equal ones, for routing "ebgp".
	Random *rand.Rand

	// hops has the egress ports of each device, for routing "ebgp"; nil: Random decides.
	hops map[*ir.Device][]*ir.Port
}

// Flows returns the paths of every pair of members that talk in g. For the routings any and flooding these are the paths without a loop,
// for the others all paths. Flows over only one cable are left out.
func (b *Brute) Flows(g *ir.CosGroup) []*ir.Flow {
	var out []*ir.Flow
	for _, t := range talks(b.Fabric, g) {
		for i := range t.members {
			out = append(out, b.flowsTo(g, t, i)...)
		}
	}
	return out
}

// flowsTo returns the paths from all members of the talk to its member number to.
func (b *Brute) flowsTo(g *ir.CosGroup, t talk, to int) []*ir.Flow {
	var out []*ir.Flow
	routes := b.routes(t, t.members[to])
	for j, from := range t.members {
		if j == to || sameAddress(from, t.members[to]) {
			continue
		}
		for _, src := range from {
			for _, path := range routes(src) {
				if flow := b.flow(g, src, path); len(flow.Ports) > 2 {
					out = append(out, flow)
				}
			}
		}
	}
	return out
}

// path has the ports from the first device that forwards to the last one, in pairs: the two ends of each cable.
type path []*ir.Port

// flow returns the flow over the sender's cable and the path, with the group on each cable.
func (b *Brute) flow(g *ir.CosGroup, src *ir.Port, p path) *ir.Flow {
	f := &ir.Flow{}
	if !forwards(src.Device()) {
		f.Ports = append(f.Ports, src, src.Peer())
	}
	f.Ports = append(f.Ports, p...)
	before := 0
	for i := 0; i < len(f.Ports); i += 2 {
		rise := height(f.Ports[i+1].Device()) - height(f.Ports[i].Device())
		if before < 0 && rise > 0 && g.Bounce != nil { // traffic goes up after it came down
			g = g.Bounce
		}
		before = rise
		f.Groups = append(f.Groups, g)
	}
	return f
}

// height returns the tier of a device; a host has 0, which is below every switch.
func height(d *ir.Device) int {
	if d.Switch != nil {
		return d.Switch.Tier
	}
	return 0
}

// routes returns a function from a sender's port to all its paths to the member.
func (b *Brute) routes(t talk, to member) func(src *ir.Port) []path {
	last := map[*ir.Device][]*ir.Port{} // where the receiver is attached: its ports there
	for _, p := range to {
		if d := place(p, b.Down); d != nil {
			last[d] = append(last[d], p)
		}
	}
	var next func(p path, at *ir.Device) []*ir.Port // the egress ports at a device for a frame that came by the path
	routing := b.Fabric.Routing
	if t.anyWay {
		routing = ir.AnyPath
	}
	switch routing {
	case ir.ShortestPath:
		return func(src *ir.Port) []path { return b.shortest(t, src, last) }
	case ir.EBGP:
		hops := b.hops
		if hops == nil || t.bridged {
			hops = b.vector(t, last)
		}
		next = func(_ path, at *ir.Device) []*ir.Port { return hops[at] }
	case ir.UpDown:
		next = func(p path, at *ir.Device) []*ir.Port {
			return b.filter(t, p, at, func(out *ir.Port) bool { return valleyFree(append(slices.Clone(p), out, out.Peer())) })
		}
	case ir.SpanningTree:
		next = func(p path, at *ir.Device) []*ir.Port {
			return b.filter(t, p, at, func(out *ir.Port) bool { return b.Tree[out.Link()] })
		}
	default:
		next = func(p path, at *ir.Device) []*ir.Port {
			return b.filter(t, p, at, func(out *ir.Port) bool { return !visits(p, out.Peer().Device()) })
		}
	}
	return func(src *ir.Port) []path {
		var out []path
		var walk func(p path, at *ir.Device)
		walk = func(p path, at *ir.Device) {
			if ends := last[at]; ends != nil {
				out = append(out, finish(p, at, ends)...)
				return
			}
			for _, port := range next(p, at) {
				walk(append(slices.Clone(p), port, port.Peer()), port.Peer().Device())
			}
		}
		if d := place(src, b.Down); d != nil {
			walk(nil, d)
		}
		return out
	}
}

// finish returns the path followed by each of the receiver's cables.
func finish(p path, at *ir.Device, ends []*ir.Port) []path {
	var out []path
	for _, end := range ends {
		if end.Device() == at { // a host that forwards has received the frame
			return []path{p}
		}
		out = append(out, append(slices.Clone(p), end.Peer(), end))
	}
	return out
}

// filter returns the ports that are open to the talk, do not lead back, and pass the function fine.
func (b *Brute) filter(t talk, p path, at *ir.Device, fine func(*ir.Port) bool) []*ir.Port {
	var out []*ir.Port
	for _, port := range at.Ports {
		back := len(p) > 0 && p[len(p)-2].Device() == port.Peer().Device()
		if b.open(t, port) && !back && fine(port) {
			out = append(out, port)
		}
	}
	return out
}

// open reports whether traffic of the talk can cross the link of the port: it is up and leads to another device that forwards.
func (b *Brute) open(t talk, out *ir.Port) bool {
	return between(out.Link()) && out.Peer().Device() != out.Device() && !slices.Contains(b.Down, out.Link()) &&
		!(t.bridged && out.Link().Routed)
}

func visits(p path, d *ir.Device) bool {
	return slices.ContainsFunc(p, func(q *ir.Port) bool { return q.Device() == d })
}

// valleyFree reports whether the path rises, takes at most one peer step, and falls.
func valleyFree(p path) bool {
	falls := false
	for i := 0; i < len(p); i += 2 {
		rise := height(p[i+1].Device()) - height(p[i].Device())
		if falls && rise >= 0 || rise == 0 && !p[i].Link().Peer {
			return false
		}
		falls = falls || rise <= 0
	}
	return true
}

// shortest extends all paths from src by one cable at a time until some arrive.
func (b *Brute) shortest(t talk, src *ir.Port, last map[*ir.Device][]*ir.Port) []path {
	start := place(src, b.Down)
	if start == nil {
		return nil
	}
	front, reached := []path{nil}, map[*ir.Device]bool{start: true}
	for len(front) > 0 {
		var out, longer []path
		now := map[*ir.Device]bool{}
		for _, p := range front {
			at := start
			if len(p) > 0 {
				at = p[len(p)-1].Device()
			}
			if ends := last[at]; ends != nil {
				out = append(out, finish(p, at, ends)...)
				continue
			}
			for _, port := range at.Ports {
				if next := port.Peer().Device(); b.open(t, port) && !reached[next] { // a device reached earlier is no next hop
					now[next] = true
					longer = append(longer, append(slices.Clone(p), port, port.Peer()))
				}
			}
		}
		if len(out) > 0 {
			return out
		}
		maps.Copy(reached, now)
		front = longer
	}
	return nil
}

// vector simulates eBGP for the routes to one receiver, and returns the egress ports of each router. Routers advertise routes to their
// neighbours, shortest AS path first, until no further router can choose one. A router uses all its best routes and advertises one of
// them. It rejects a route that contains its own AS.
func (b *Brute) vector(t talk, last map[*ir.Device][]*ir.Port) map[*ir.Device][]*ir.Port {
	passed := map[*ir.Device][]int{} // the AS path that each advertises
	hops := map[*ir.Device][]*ir.Port{}
	for _, d := range b.Fabric.Devices {
		if last[d] != nil {
			passed[d] = []int{asn(d)}
		}
	}
	for changed := true; changed; {
		changed = false
		type choice struct {
			via  []*ir.Port
			path []int
		}
		chosen := map[*ir.Device]choice{}
		for _, d := range b.Fabric.Devices {
			if !forwards(d) || passed[d] != nil {
				continue
			}
			var c choice
			for _, port := range d.Ports {
				if route := passed[port.Peer().Device()]; b.open(t, port) && routes(port.Link()) && route != nil && !slices.Contains(route, asn(d)) {
					c.via = append(c.via, port)
				}
			}
			if c.via != nil {
				c.path = append([]int{asn(d)}, passed[c.via[b.Random.IntN(len(c.via))].Peer().Device()]...)
				chosen[d] = c
			}
		}
		for d, c := range chosen {
			passed[d], hops[d], changed = c.path, c.via, true
		}
	}
	return hops
}

// routes reports whether eBGP runs over the link: it is an IP hop, or leads to a host that forwards.
func routes(l *ir.Link) bool {
	return l.Routed || l.A().Device().Host != nil || l.B().Device().Host != nil
}

// asn returns the AS of a device; each host that forwards is a separate AS.
func asn(d *ir.Device) int {
	if d.Switch == nil {
		return -1 - d.ID
	}
	return d.Switch.ASN
}

// Graph returns the graph of g's traffic. For the routings any and flooding it contains every walk, for the others every path.
func (b *Brute) Graph(g *ir.CosGroup) Graph {
	if b.Fabric.Routing != ir.AnyPath && b.Fabric.Routing != ir.Flooding {
		return GraphOfFlows(b.Flows(g))
	}
	out := Graph{}
	for _, t := range talks(b.Fabric, g) {
		for i, to := range t.members {
			for j, from := range t.members {
				if i != j && !sameAddress(from, to) {
					b.walks(out, g, t, from, to)
				}
			}
		}
	}
	return out
}

// walks adds every turn of walks from one member to another. A channel is one direction of a cable. The map comes contains the channels
// that a frame from the sender can cross. The map gets contains the channels over which a frame can reach the receiver. Both are transitive
// closures. Flooding reaches every device, so gets contains all channels.
func (b *Brute) walks(graph Graph, g *ir.CosGroup, t talk, from, to member) {
	flood := b.Fabric.Routing == ir.Flooding
	at := func(m member, d *ir.Device) bool {
		return slices.ContainsFunc(m, func(p *ir.Port) bool { return place(p, b.Down) == d })
	}
	var channels []*ir.Port // each by its sending port
	for _, p := range b.Fabric.Ports {
		if b.open(t, p) && !(flood && p.Link().Routed) {
			channels = append(channels, p)
		}
	}
	follows := func(a, c *ir.Port) bool { // c after a
		oneBond := a.Link().Bond > 0 && a.Link().Bond == c.Link().Bond
		return a.Peer().Device() == c.Device() && a.Peer() != c && !oneBond && (flood || c.Peer().Device() != a.Device())
	}
	comes, gets := map[*ir.Port]bool{}, map[*ir.Port]bool{}
	for before := -1; before < len(comes)+len(gets); {
		before = len(comes) + len(gets)
		for _, c := range channels {
			comes[c] = comes[c] || at(from, c.Device())
			gets[c] = gets[c] || flood || at(to, c.Peer().Device())
			for _, d := range channels {
				comes[c] = comes[c] || follows(d, c) && comes[d]
				gets[c] = gets[c] || follows(c, d) && gets[d]
			}
		}
		maps.DeleteFunc(comes, func(_ *ir.Port, yes bool) bool { return !yes })
		maps.DeleteFunc(gets, func(_ *ir.Port, yes bool) bool { return !yes })
	}
	for c := range comes {
		for d := range gets {
			if follows(c, d) {
				graph.join(c.Peer(), g, d, g)
			}
		}
	}
}

// Whole returns the graph of all lossless groups together.
func (b *Brute) Whole() Graph {
	all := Graph{}
	groups := b.Fabric.CosGroups
	if someByPause(b.Fabric) { // traffic of all groups waits on cables of link pause
		groups = append(slices.Clone(groups), &ir.CosGroup{Name: "what no group names"})
	}
	for _, g := range groups {
		if !g.Lossless && g.Bounce == nil && len(groups) == len(b.Fabric.CosGroups) { // lossy traffic that stays in its group
			continue
		}
		for from, next := range b.Graph(g) {
			if all[from] == nil {
				all[from] = map[Buffer]bool{}
			}
			maps.Copy(all[from], next)
		}
	}
	return all
}

// someByPause reports whether a fabric of PFC has link pause on some cables between devices that forward.
func someByPause(f *ir.Fabric) bool {
	return f.FlowControl != ir.Pause && slices.ContainsFunc(f.Links, func(l *ir.Link) bool {
		return between(l) && l.FlowControl == ir.Pause
	})
}

// Sets yields all sets of links whose failure moves traffic, smallest first. Such links are between devices that forward, or belong to a
// bond. A set has no more links than most. Each set is a new slice.
func Sets(f *ir.Fabric, most int) iter.Seq[[]*ir.Link] {
	var links []*ir.Link
	for _, l := range f.Links {
		if between(l) || slices.ContainsFunc([]*ir.Port{l.A(), l.B()}, func(p *ir.Port) bool { return p.NIC != nil && p.NIC.Bond != nil }) {
			links = append(links, l)
		}
	}
	return func(yield func([]*ir.Link) bool) {
		var choose func(set []*ir.Link, from, left int) bool
		choose = func(set []*ir.Link, from, left int) bool {
			if left == 0 {
				return yield(slices.Clone(set))
			}
			for i := from; i <= len(links)-left; i++ {
				if !choose(append(set, links[i]), i+1, left-1) {
					return false
				}
			}
			return true
		}
		for k := 0; k <= min(most, len(links)); k++ {
			if !choose(nil, 0, k) {
				return
			}
		}
	}
}

// Judgement is the result of the brute force.
type Judgement struct {
	Prone  bool
	Down   []*ir.Link // a smallest set of failed links that makes the fabric prone
	Circle int        // the length of the shortest circle with these links down
}

// Judge tries every set of failed links, with no more links in a set than most.
func Judge(f *ir.Fabric, most int) Judgement {
	for down := range Sets(f, most) {
		b := &Brute{Fabric: f, Down: down, Random: rand.New(rand.NewPCG(1, 2))}
		if f.Routing == ir.SpanningTree {
			b.Tree = SpanningTree(f, f.Root, down)
		}
		if g := b.Whole(); g.Cyclic() {
			return Judgement{true, down, g.Shortest()}
		}
	}
	return Judgement{}
}

// SpanningTree returns the links on which a bridged network forwards: the links of one shortest path from every device to the root. If
// root is nil, the first switch is the root. Among equal paths, the tree has the path over the first device (IEEE 802.1D: the lower
// designated bridge, then the lower designated port).
func SpanningTree(f *ir.Fabric, root *ir.Device, down []*ir.Link) map[*ir.Link]bool {
	tree, seen := map[*ir.Link]bool{}, map[*ir.Device]bool{}
	b := &Brute{Fabric: f, Down: down}
	hosts := func(a, b *ir.Device) int { return cmp.Compare(isHost(a), isHost(b)) }
	for _, d := range append([]*ir.Device{root}, slices.SortedStableFunc(slices.Values(f.Devices), hosts)...) {
		if d == nil || !forwards(d) || seen[d] {
			continue
		}
		seen[d] = true
		for level := []*ir.Device{d}; len(level) > 0; {
			var below []*ir.Device
			for _, up := range level {
				for _, p := range up.Ports {
					if next := p.Peer().Device(); b.open(talk{bridged: true}, p) && !seen[next] {
						seen[next], tree[p.Link()] = true, true
						below = append(below, next)
						for _, q := range up.Ports { // the cables of a bond count as one port
							if q.Link().Bond > 0 && q.Link().Bond == p.Link().Bond && b.open(talk{bridged: true}, q) {
								tree[q.Link()] = true
							}
						}
					}
				}
			}
			slices.SortFunc(below, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
			level = below
		}
	}
	return tree
}

// isHost returns 1 for a host and 0 for a switch.
func isHost(d *ir.Device) int {
	if d.Switch == nil {
		return 1
	}
	return 0
}
