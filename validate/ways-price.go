package validate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// The price of a way out is measured on the routes of the changed fabric: how much longer and narrower paths get while all links are up,
// and which pairs lose their last path when a link fails.

// cost counts pairs of switches with members that talk.
type cost struct {
	pairs, longer, narrower, lost int

	cutOff        int    // pairs that one failed link cuts off, but not today
	mayCutOff     int    // further pairs for which that depends on the choice between equal AS paths
	before, after int    // sum of the path lengths of the pairs that are not lost, in cables
	worst         [2]int // cables before and after, for the worst pair
	narrowest     [2]int // Mb/s before and after, for the worst pair
	more          bool   // the fabric must tolerate more than one failed link
	every         int    // one in so many pairs was measured
	tried         int    // links off the paths failed for one in so many measured pairs
}

// worse compares costs: first by pairs lost, then by length.
func (c cost) worse(than cost) int {
	return cmp.Or(cmp.Compare(c.lost, than.lost), cmp.Compare(c.after, than.after), cmp.Compare(c.longer, than.longer))
}

func (c cost) text() string {
	of := fmt.Sprintf("%s of switches that talk", diag.Count(c.pairs, "pair"))
	s := "no path gets longer"
	if c.longer > 0 {
		s = fmt.Sprintf("%s of %s %s longer paths, at most %s instead of %d; over all, paths are %.2f times as long", diag.Number(c.longer), of,
			diag.Plural(c.longer, "gets", "get"), diag.Count(c.worst[1], "cable"), c.worst[0], float64(c.after)/float64(max(c.before, 1)))
	}
	if c.narrower > 0 {
		s += fmt.Sprintf("; %s of %s %s narrower paths, at worst %s instead of %s", diag.Number(c.narrower), of,
			diag.Plural(c.narrower, "gets", "get"), rateText(c.narrowest[1]), rateText(c.narrowest[0]))
	} else {
		s += "; no path gets narrower"
	}
	if c.cutOff > 0 {
		s += fmt.Sprintf("; %s of %s %s the last path when a certain link fails, and %s a detour today", diag.Number(c.cutOff), of,
			diag.Plural(c.cutOff, "loses", "lose"), diag.Plural(c.cutOff, "has", "have"))
	}
	if c.mayCutOff > 0 {
		s += fmt.Sprintf("; %s of %s may lose the last path when one link fails: this depends on which of equally long AS paths a switch "+
			"advertises", diag.Number(c.mayCutOff), of)
	}
	if c.cutOff+c.mayCutOff == 0 {
		s += "; no pair loses its last path when one link fails"
	}
	if c.more {
		s += ", and more at once were not judged"
	}
	if c.tried > 1 {
		s += fmt.Sprintf("; links that a pair does not use failed for one in %d pairs", c.tried)
	}
	if c.every > 1 {
		s += fmt.Sprintf("; measured on one in %d pairs", c.every)
	}
	return s
}

// maxMeasured bounds the work of one measurement, in visited cables, each direction counted.
const maxMeasured = 3_000_000

// maxTried bounds the failures of links that a pair does not use, in visited cables.
const maxTried = 3_000_000

// pair is two switches with members that talk, and one member at each.
type pair struct {
	group   *ir.CosGroup
	bridged bool
	ends    [2]*ir.NIC
	at      [2]int // Device.ID
	before  [2]way // in both directions: eBGP that refuses paths can have a route in one direction only
}

// way describes the paths from one member to another.
type way struct {
	cables int        // between the devices of the members; -1: no path
	sure   bool       // there is a path with any choice between equal AS paths
	mbps   int        // the smallest capacity on the path
	weak   []*ir.Link // links whose failure may remove the shortest path
	remote bool       // the failure of any other link may do that, too
}

// measure measures the price of a change on the routes of the changed fabric. It ends at the first pair that loses its last path.
func (a *adviser) measure(changed *ir.Fabric) cost {
	a.listen()
	out := cost{every: a.every, more: changed.Failures > 1, tried: 1}
	a.budget.Spend(len(a.pairs) * 4 * len(a.Fabric.Links))
	var between []*ir.Link
	for _, l := range changed.Links {
		if l.A().Device().Forwards() && l.B().Device().Forwards() {
			between = append(between, l)
		}
	}
	sample := 1 + len(a.pairs)*len(between)*len(between)/maxTried
	for i, p := range a.pairs {
		after := p.both(changed)
		if out.add(p.before, after); out.lost > 0 {
			return out
		}
		loses, may := false, false
		for dir, w := range after {
			if p.before[dir].cables < 0 || dir > 0 && !oneWay(changed) && !oneWay(a.Fabric) {
				continue
			}
			fail := w.weak
			if w.remote {
				if out.tried = sample; i%sample == 0 {
					fail = append(fail, between...)
					a.budget.Spend(4 * len(between) * len(between))
				}
			}
			for _, l := range fail {
				certain, parts := p.parts(a.Fabric, changed, dir, l)
				if loses, may = loses || certain, may || parts; loses {
					break
				}
			}
		}
		switch {
		case loses:
			out.cutOff++
		case may:
			out.mayCutOff++
		}
	}
	return out
}

// parts reports whether the failure of a link may cut off the pair's member with an index from the other in the changed fabric, but not
// today. certain is true if both are so with any choice between equal AS paths.
func (p *pair) parts(today, changed *ir.Fabric, from int, l *ir.Link) (certain, may bool) {
	after := p.in(changed, from, l)
	if after.sure {
		return false, false
	}
	ports := today.Devices[l.A().Device().ID].Ports
	same := ports[slices.IndexFunc(ports, func(port *ir.Port) bool { return port.Name == l.A().Name })].Link()
	before := p.in(today, from, same)
	return after.cables < 0 && before.sure, before.cables >= 0
}

// both measures the paths of the pair in its fabric or a changed copy, in both directions.
func (p *pair) both(f *ir.Fabric) [2]way {
	there := p.in(f, 0, nil)
	if oneWay(f) {
		return [2]way{there, p.in(f, 1, nil)}
	}
	return [2]way{there, there}
}

// oneWay reports whether the routing can have a path in one direction only.
func oneWay(f *ir.Fabric) bool { return f.Routing == ir.EBGP || f.Routing == ir.TablePath }

// in measures the paths from the pair's member with an index to the other, in its fabric or a changed copy, without a link.
func (p *pair) in(f *ir.Fabric, from int, without *ir.Link) way {
	t := ir.Trip{Group: p.group, Bridged: p.bridged, From: portsIn(f, p.ends[from]), To: portsIn(f, p.ends[1-from])}
	if i := slices.IndexFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.Name == p.group.Name }); i >= 0 {
		t.Group = f.CosGroups[i]
	}
	none := way{cables: -1}
	if len(t.From) == 0 || len(t.To) == 0 {
		return none
	}
	var s ir.State
	if without != nil {
		s.Down = []*ir.Link{without}
	}
	w, err := f.Routes.Ways(t, s)
	if err != nil || len(w.Stops) == 0 || w.Stops[0].Left < 0 {
		return none
	}
	levels := make([]map[*ir.Port]bool, w.Stops[0].Left+1) // by remaining cables: the egress ports of shortest paths
	for _, stop := range w.Stops {
		for _, l := range stop.Next {
			if next := w.Stops[l.Stop]; stop.Left == next.Left+1 && stop.Left < len(levels) && stop.Device.Forwards() && next.Device.Forwards() {
				if levels[stop.Left] == nil {
					levels[stop.Left] = map[*ir.Port]bool{}
				}
				levels[stop.Left][l.Out] = true
			}
		}
	}
	out := way{cables: w.Stops[0].Left, sure: w.Sure, remote: w.Remote}
	for _, ports := range [][]*ir.Port{t.From, t.To} {
		if !ports[0].Device().Forwards() {
			out.cables-- // the cable of the member
		}
		for _, port := range ports {
			if len(ports) > 1 { // a bond
				out.weak = append(out.weak, port.Link())
			}
		}
	}
	for _, ports := range levels {
		mbps := 0
		for port := range ports {
			mbps += port.Link().Speed.N
			if len(ports) == 1 {
				out.weak = append(out.weak, port.Link())
			}
		}
		if mbps > 0 && (out.mbps == 0 || mbps < out.mbps) {
			out.mbps = mbps
		}
	}
	return out
}

// portsIn returns the cabled ports of a member in its fabric or a copy. For a bond that sends by several ports, it returns all of them.
func portsIn(f *ir.Fabric, n *ir.NIC) (out []*ir.Port) {
	nics := []*ir.NIC{n}
	if n.Bond != nil && n.Bond.Mode != "active-backup" {
		nics = n.Bond.NICs
	}
	for _, nic := range nics {
		own := f.Devices[nic.Device.ID].Host.NICs[slices.Index(nic.Device.Host.NICs, nic)]
		if own.Port != nil {
			out = append(out, own.Port)
		}
	}
	return out
}

// listen finds the pairs of members that talk, and their paths today. In a large fabric it uses a sample of the pairs.
func (a *adviser) listen() {
	if a.every > 0 {
		return
	}
	f := a.Fabric
	total := 0
	all := a.talks()
	for _, t := range all {
		total += len(t.members) * (len(t.members) - 1) / 2
	}
	a.every = 1 + total*(8*len(f.Links)+len(f.Devices))/maxMeasured
	type key struct {
		at      [2]int
		bridged bool
		group   *ir.CosGroup
	}
	known := map[key]bool{}
	n := 0
	for _, t := range all {
		for j, from := range t.members {
			for _, to := range t.members[j+1:] {
				if n++; (n-1)%a.every != 0 {
					continue
				}
				p := &pair{group: t.group, bridged: t.bridged, ends: [2]*ir.NIC{from, to}}
				p.at = [2]int{walk.AttachedTo(from).ID, walk.AttachedTo(to).ID}
				if k := (key{p.at, p.bridged, p.group}); !known[k] {
					known[k] = true
					p.before = p.both(f)
					a.pairs = append(a.pairs, p)
				}
			}
		}
	}
	slices.SortStableFunc(a.pairs, func(p, q *pair) int { return p.at[0] - q.at[0] })
}

// talk has members that talk with each other, one per switch.
type talk struct {
	group   *ir.CosGroup
	bridged bool
	members []*ir.NIC
}

// talks returns the members that talk in the groups of the proof: the members of the intents, or all hosts if no intent uses a group.
func (a *adviser) talks() []talk {
	var out []talk
	apart := func(t talk, nics iter.Seq[*ir.NIC]) {
		seen := map[*ir.Device]bool{}
		for n := range nics {
			if d := walk.AttachedTo(n); d != nil && !seen[d] {
				seen[d] = true
				t.members = append(t.members, n)
			}
		}
		out = append(out, t)
	}
	for _, in := range a.Fabric.Intents {
		if slices.Contains(a.Groups, in.Group) {
			apart(talk{group: in.Group, bridged: in.Version == 1}, func(yield func(*ir.NIC) bool) {
				for _, m := range in.Members {
					if !yield(m.NIC) {
						return
					}
				}
			})
		}
	}
	if out != nil {
		return out
	}
	apart(talk{group: a.Groups[0]}, func(yield func(*ir.NIC) bool) {
		for _, d := range a.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if !yield(n) {
					return
				}
			}
		}
	})
	return out
}

// estimate compares the distances of a ruler with the present distances of members.
func (a *adviser) estimate(r *ruler) cost {
	a.listen()
	c := cost{every: a.every}
	a.budget.Spend(2 * len(a.Fabric.Links))
	for i, p := range a.pairs {
		if before := a.pairs[max(i-1, 0)]; i == 0 || before.at[0] != p.at[0] || before.bridged != p.bridged {
			r.measure(p.at[0], p.bridged)
			a.budget.Spend(2 * len(a.Fabric.Links))
		}
		w := way{cables: r.to(p.at[1]), sure: r.to(p.at[1]) >= 0}
		c.add(p.before, [2]way{w, w})
	}
	return c
}

// add adds the paths of a pair before and after the change, in both directions.
func (c *cost) add(before, after [2]way) {
	known, lost, longer, narrower := false, false, false, false
	for dir := range before {
		was, is := before[dir], after[dir]
		switch {
		case was.cables < 0:
			continue
		case !is.sure:
			lost = true
		default:
			b, a := was.cables, is.cables
			c.before += b
			c.after += a
			if a > b {
				longer = true
				if a-b > c.worst[1]-c.worst[0] || a-b == c.worst[1]-c.worst[0] && a > c.worst[1] {
					c.worst = [2]int{b, a}
				}
			}
			if is.mbps < was.mbps {
				if narrower = true; c.narrowest[0] == 0 || is.mbps*c.narrowest[0] < c.narrowest[1]*was.mbps {
					c.narrowest = [2]int{was.mbps, is.mbps}
				}
			}
		}
		known = true
	}
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	count(&c.pairs, known)
	count(&c.lost, lost)
	count(&c.longer, longer)
	count(&c.narrower, narrower)
}

// ruler measures distances from one device, over paths that rise, take at most one peer step, and fall.
type ruler struct {
	f      *ir.Fabric
	height []int // by Device.ID

	dist  []int // by Device.ID: cables of the shortest path that has only risen; -1: none
	fell  []int // cables of the shortest path that came down or took a peer step, and must fall
	queue []int
}

// newRuler returns a ruler for the paths in a fabric with other tiers.
func newRuler(f *ir.Fabric, tiers map[*ir.Device]int) *ruler {
	n := len(f.Devices)
	r := &ruler{f: f, height: make([]int, n), dist: make([]int, n), fell: make([]int, n)}
	for i, d := range f.Devices {
		if r.height[i] = d.Height(); tiers[d] > 0 {
			r.height[i] = tiers[d]
		}
	}
	return r
}

// to returns the number of cables to a device; -1: no path.
func (r *ruler) to(d int) int {
	if r.dist[d] < 0 || r.fell[d] >= 0 && r.fell[d] < r.dist[d] {
		return r.fell[d]
	}
	return r.dist[d]
}

// measure finds the distances from a device to all others, over bridged links only or over all links.
func (r *ruler) measure(from int, bridged bool) {
	for i := range r.dist {
		r.dist[i], r.fell[i] = -1, -1
	}
	r.dist[from] = 0
	r.queue = append(r.queue[:0], 2*from)
	for i := 0; i < len(r.queue); i++ {
		d, falls := r.queue[i]/2, r.queue[i]%2 == 1
		now := r.dist[d]
		if falls {
			now = r.fell[d]
		}
		for _, p := range r.f.Devices[d].Ports {
			other := p.Peer().Device()
			n := other.ID
			if !other.Forwards() || bridged && p.Link().Routed {
				continue
			}
			next, to := r.dist, 2*n
			rises, level := r.height[n] > r.height[d], r.height[n] == r.height[d]
			switch {
			case falls && (rises || level), level && !p.Link().Peer:
				continue
			case !rises:
				next, to = r.fell, 2*n+1
			}
			if next[n] < 0 {
				next[n] = now + 1
				r.queue = append(r.queue, to)
			}
		}
	}
}
