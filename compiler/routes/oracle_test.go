package routes

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// randomCabling draws up to 6 switches on 3 tiers with up to 10 cables, some parallel, some lossy, some not routed. It adds up to 5 hosts
// with one or two NICs, some bonded, some that forward, and up to 3 intents between them, or link pause.
func randomCabling(t *rapid.T, r ir.Routing) *irtest.Cabling {
	chance := func(what string, of int) bool { return rapid.IntRange(1, of).Draw(t, what) == 1 }
	c := irtest.New(r)
	n := rapid.IntRange(2, 6).Draw(t, "switches")
	for i := range n {
		c.Device(fmt.Sprint("s", i)).Switch.Tier = rapid.IntRange(1, 3).Draw(t, "tier")
	}
	anySwitch := func(what string) string { return fmt.Sprint("s", rapid.IntRange(0, n-1).Draw(t, what)) }
	for range rapid.IntRange(1, 10).Draw(t, "cables") {
		a, b := anySwitch("a"), anySwitch("b")
		if a == b {
			continue
		}
		l := c.Link(a, b)
		l.Peer = l.A().Device().Switch.Tier == l.B().Device().Switch.Tier
		l.Routed = !chance("bridged", 4)
		if chance("lossy", 8) {
			l.A().SetBuffers(nil)
		}
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "hosts") {
		name := fmt.Sprint("h", i)
		c.Link(name, anySwitch("at"))
		if chance("one NIC", 2) {
			continue
		}
		c.Link(name, anySwitch("at"))
		h := c.Device(name).Host
		switch rapid.IntRange(0, 3).Draw(t, "dual") {
		case 0:
			bond := &ir.Bond{Mode: rapid.SampledFrom([]string{"802.3ad", "active-backup"}).Draw(t, "mode"), NICs: h.NICs}
			h.Bonds = []*ir.Bond{bond}
			for _, nic := range h.NICs {
				nic.Bond = bond
			}
		case 1:
			h.Forwards = r != ir.UpDown
		}
	}
	return c
}

// randomIntents replaces the intents by up to 3, of random members, groups and versions.
func randomIntents(t *rapid.T, f *ir.Fabric) {
	all := f.Intents[0].Members
	f.Intents = nil
	for i := range rapid.IntRange(0, 3).Draw(t, "intents") {
		in := &ir.Intent{Name: fmt.Sprint(i), Version: 2, Group: rapid.SampledFrom(f.CosGroups).Draw(t, "group")}
		if rapid.IntRange(0, 3).Draw(t, "version") == 0 {
			in.Version = 1
		}
		for _, m := range all {
			if rapid.IntRange(0, 3).Draw(t, "member") > 0 {
				in.Members = append(in.Members, m)
			}
		}
		f.Intents = append(f.Intents, in)
	}
	if rapid.IntRange(0, 7).Draw(t, "pause") == 0 {
		f.FlowControl = ir.Pause
	}
}

// oracle enumerates the paths of each pair of talkers, and shares no code with the router.
type oracle struct {
	f          *ir.Fabric
	routing    ir.Routing
	down       []*ir.Link
	converging bool
}

// pair is two NICs that talk, over any of their ports.
type pair struct {
	group    *ir.CosGroup
	bridged  bool
	src, dst []*ir.Port
}

// grouped is a turn with the groups in which traffic comes in and leaves.
type grouped struct {
	ir.Turn
	from, to *ir.CosGroup
}

func (o *oracle) isDown(l *ir.Link) bool { return slices.Contains(o.down, l) }

func (o *oracle) carries(p *ir.Port, g *ir.CosGroup) bool {
	if o.f.FlowControl == ir.Pause {
		return len(p.Buffers()) > 0
	}
	return g.Lossless && p.Carries(g) != nil
}

func (o *oracle) carried(l *ir.Link, g *ir.CosGroup) bool {
	return o.carries(l.A(), g) && o.carries(l.B(), g)
}

// lossless reports whether a link carries the group, and no end is set by hand in a way that stops pauses from spreading.
func (o *oracle) lossless(l *ir.Link, g *ir.CosGroup) bool {
	passes := func(p *ir.Port) bool {
		h := p.Device().ByHand
		if h == nil || h.FlowControl == ir.Pause || h.FlowControl == "" && (h.PFC == nil || o.f.FlowControl == ir.Pause) {
			return true
		}
		named := func(g *ir.CosGroup) bool {
			return h.PFC == nil || slices.ContainsFunc(h.PFC, func(c ir.Claim) bool { return c.Value == g.Cos })
		}
		whose := named(g)
		if o.f.FlowControl == ir.Pause {
			whose = slices.ContainsFunc(p.Buffers(), func(b *ir.Buffer) bool { return named(b.Group) })
		}
		return (h.FlowControl == "" || h.FlowControl == ir.PFC) && whose
	}
	return o.carried(l, g) && passes(l.A()) && passes(l.B())
}

// pairs lists who talks to whom in a lossless group.
func (o *oracle) pairs() []pair {
	var out []pair
	talk := func(g *ir.CosGroup, bridged bool, nics []*ir.NIC) {
		var members [][]*ir.Port
		bonds := map[*ir.Bond]bool{}
		for _, n := range nics {
			switch {
			case n.Bond == nil:
				members = append(members, []*ir.Port{n.Port})
			case bonds[n.Bond]:
			case n.Bond.Mode == "active-backup":
				for _, b := range n.Bond.NICs {
					members = append(members, []*ir.Port{b.Port})
				}
			default:
				var ports []*ir.Port
				for _, b := range n.Bond.NICs {
					ports = append(ports, b.Port)
				}
				members = append(members, ports)
			}
			bonds[n.Bond] = n.Bond != nil
		}
		for i, src := range members {
			for j, dst := range members {
				x, y := src[0].NIC.Bond, dst[0].NIC.Bond
				if i != j && (x == nil || x != y) {
					out = append(out, pair{g, bridged, src, dst})
				}
			}
		}
	}
	for _, g := range o.f.CosGroups {
		if !g.Lossless && (g.Bounce == nil || o.f.FlowControl == ir.Pause) {
			continue
		}
		spoken := false
		for _, in := range o.f.Intents {
			if in.Group == g && o.f.FlowControl != ir.Pause {
				var nics []*ir.NIC
				for _, m := range in.Members {
					nics = append(nics, m.NIC)
				}
				talk(g, in.Version == 1, nics)
				spoken = true
			}
		}
		if spoken || o.detour(g) {
			continue
		}
		var nics []*ir.NIC
		for _, d := range o.f.Devices {
			if d.Host != nil {
				for _, n := range d.Host.NICs {
					if o.f.FlowControl == ir.Pause || !g.Lossless || o.carried(n.Port.Link(), g) {
						nics = append(nics, n)
					}
				}
			}
		}
		talk(g, false, nics)
		talk(g, true, nics)
	}
	return out
}

// detour reports whether a group without an intent gets its traffic from another group, within the given number of bounces.
func (o *oracle) detour(g *ir.CosGroup) bool {
	if o.f.FlowControl == ir.Pause {
		return false
	}
	for _, other := range o.f.CosGroups {
		begins := !slices.ContainsFunc(o.f.CosGroups, func(into *ir.CosGroup) bool { return into != other && into.Bounce == other })
		begins = begins || slices.ContainsFunc(o.f.Intents, func(in *ir.Intent) bool { return in.Group == other })
		at := other
		for range o.f.CosGroups {
			if at = at.Bounce; at == nil {
				break
			}
			if at == g && other != g && begins {
				return true
			}
		}
	}
	return false
}

// places returns the forwarding devices through which ports are reached.
func (o *oracle) places(ports []*ir.Port, down bool) []*ir.Device {
	var out []*ir.Device
	for _, p := range ports {
		switch {
		case p.Device().Forwards():
			out = append(out, p.Device())
		case p.Peer().Device().Forwards() && !(down && o.isDown(p.Link())):
			out = append(out, p.Peer().Device())
		}
	}
	return out
}

// outs returns the ports by which a pair's traffic can leave a device towards another forwarding device.
func (o *oracle) outs(p pair, d *ir.Device, down bool) []*ir.Port {
	return slices.DeleteFunc(slices.Clone(d.Ports), func(q *ir.Port) bool {
		to := q.Peer().Device()
		return !to.Forwards() || to == d || down && o.isDown(q.Link()) || p.bridged && q.Link().Routed
	})
}

// after returns the group of traffic that turns in group g.
func (o *oracle) after(g *ir.CosGroup, in, out *ir.Port) *ir.CosGroup {
	from, at, to := tierOf(in.Peer().Device()), tierOf(in.Device()), tierOf(out.Peer().Device())
	if g.Bounce == nil || o.f.FlowControl == ir.Pause || from <= at || to <= at {
		return g
	}
	return g.Bounce
}

func tierOf(d *ir.Device) int {
	if d.Host != nil {
		return 0
	}
	return d.Switch.Tier
}

// found contains the turns of all traffic, and the enumerated paths between forwarding devices.
type found struct {
	turns map[grouped]bool
	paths map[string]bool
}

func key(path []*ir.Port) string {
	var s strings.Builder
	for _, p := range path {
		s.WriteString(fmt.Sprint(p.ID, " "))
	}
	return s.String()
}

func (o *oracle) find() *found {
	out := &found{map[grouped]bool{}, map[string]bool{}}
	for _, p := range o.pairs() {
		for _, src := range o.places(p.src, true) {
			switch {
			case o.converging && o.routing == ir.ShortestPath:
				o.close(out, p, src, o.nearer(p), true)
			case o.routing == ir.AnyPath:
				o.close(out, p, src, o.useful(p), false)
			default:
				for _, path := range o.paths(p, src) {
					out.paths[key(path)] = true
					g := p.group
					for i := 1; i+1 < len(path); i += 2 {
						next := o.after(g, path[i], path[i+1])
						o.add(out, path[i], path[i+1], g, next)
						g = next
					}
				}
			}
		}
	}
	return out
}

// add records the turn if both its cables are lossless.
func (o *oracle) add(out *found, in, next *ir.Port, from, to *ir.CosGroup) {
	if o.lossless(in.Link(), from) && o.lossless(next.Link(), to) {
		out.turns[grouped{ir.Turn{In: in, Out: next}, from, to}] = true
	}
}

// paths returns every path of the routing from a device to the receiver of the pair: the out-port and the in-port of every cable.
func (o *oracle) paths(p pair, src *ir.Device) [][]*ir.Port {
	ends := o.places(p.dst, true)
	var all [][]*ir.Port
	var walk func(at *ir.Device, path []*ir.Port)
	walk = func(at *ir.Device, path []*ir.Port) {
		if slices.Contains(ends, at) {
			all = append(all, path)
			return
		}
		for _, q := range o.outs(p, at, true) {
			next := q.Peer().Device()
			longer := append(slices.Clone(path), q, q.Peer())
			switch {
			case o.routing == ir.ShortestPath && (next == src || visits(path, next)):
			case o.routing == ir.UpDown && !valleyFree(longer):
			case len(path) > 0 && path[len(path)-2].Device() == next: // turns back
			default:
				walk(next, longer)
			}
		}
	}
	walk(src, nil)
	if o.routing == ir.ShortestPath && len(all) > 0 {
		least := len(slices.MinFunc(all, func(a, b []*ir.Port) int { return len(a) - len(b) }))
		all = slices.DeleteFunc(all, func(p []*ir.Port) bool { return len(p) > least })
	}
	return all
}

func visits(path []*ir.Port, d *ir.Device) bool {
	return slices.ContainsFunc(path, func(p *ir.Port) bool { return p.Device() == d })
}

// valleyFree reports whether the path rises, takes at most one peer step, and falls.
func valleyFree(path []*ir.Port) bool {
	falling := false
	for i := 0; i < len(path); i += 2 {
		a, b := tierOf(path[i].Device()), tierOf(path[i+1].Device())
		if falling && b >= a {
			return false
		}
		falling = falling || b <= a
	}
	return true
}

// nearer allows steps that lead nearer to the receiver, with all links up or with some down.
func (o *oracle) nearer(p pair) func(*ir.Port) bool {
	far := func(down bool) map[*ir.Device]int {
		dist := map[*ir.Device]int{}
		for _, d := range o.places(p.dst, down) {
			dist[d] = 1
		}
		for changed := true; changed; {
			changed = false
			for _, d := range o.f.Devices {
				if !d.Forwards() {
					continue
				}
				for _, q := range o.outs(p, d, down) {
					if by := dist[q.Peer().Device()]; by > 0 && (dist[d] == 0 || dist[d] > by+1) {
						dist[d], changed = by+1, true
					}
				}
			}
		}
		return dist
	}
	before, after := far(false), far(true)
	return func(q *ir.Port) bool {
		to := q.Peer().Device()
		return before[to] > 0 && before[to] == before[q.Device()]-1 || after[to] > 0 && after[to] == after[q.Device()]-1
	}
}

// useful allows steps from which the receiver can be reached without turning back.
func (o *oracle) useful(p pair) func(*ir.Port) bool {
	gets := map[*ir.Port]bool{}
	for changed := true; changed; {
		changed = false
		for _, d := range o.f.Devices {
			for _, q := range o.outs(p, d, true) {
				next := q.Peer().Device()
				if !gets[q] && d.Forwards() && (slices.Contains(o.places(p.dst, true), next) ||
					slices.ContainsFunc(o.outs(p, next, true), func(r *ir.Port) bool { return gets[r] && r.Peer().Device() != d })) {
					gets[q], changed = true, true
				}
			}
		}
	}
	return func(q *ir.Port) bool { return gets[q] }
}

// close spreads the pair's traffic from a device over all allowed ports, by a simple search.
func (o *oracle) close(out *found, p pair, src *ir.Device, allowed func(*ir.Port) bool, back bool) {
	type spot struct {
		in *ir.Port
		g  *ir.CosGroup
	}
	var spots []spot
	add := func(s spot) {
		if !slices.Contains(spots, s) {
			spots = append(spots, s)
		}
	}
	for _, q := range o.outs(p, src, true) {
		if allowed(q) {
			add(spot{q.Peer(), p.group})
		}
	}
	for i := 0; i < len(spots); i++ {
		s := spots[i]
		for _, q := range o.outs(p, s.in.Device(), true) {
			if !allowed(q) || !back && q.Peer().Device() == s.in.Peer().Device() {
				continue
			}
			g := o.after(s.g, s.in, q)
			o.add(out, s.in, q, s.g, g)
			add(spot{q.Peer(), g})
		}
	}
}

// legal returns the reason why a flow may not make a turn, or "".
func (o *oracle) legal(all *found, flow *ir.Flow, turn ir.Turn, g *ir.CosGroup) string {
	if flow == nil || len(flow.Ports)%2 != 0 || len(flow.Groups) != len(flow.Ports)/2 || len(flow.Ports) > 2*4*len(o.f.Ports) {
		return "misshapen"
	}
	if !flow.Takes(g, turn.In, turn.Out) {
		return "does not take the turn"
	}
	ports := flow.Ports
	for i := 0; i < len(ports); i += 2 {
		cut := o.isDown(ports[i].Link()) && !(o.converging && i+2 == len(ports))
		if ports[i+1] != ports[i].Peer() || cut {
			return fmt.Sprintf("no cable from %s to %s", ports[i], ports[i+1])
		}
	}
	between := ports
	if first := ports[0].Device(); !first.Forwards() {
		between = between[2:]
	}
	if last := ports[len(ports)-1].Device(); !last.Forwards() {
		between = between[:len(between)-2]
	}
	for i := 1; i+1 < len(ports); i += 2 {
		if ports[i].Device() != ports[i+1].Device() {
			return "jumps"
		}
		if o.after(flow.Groups[i/2], ports[i], ports[i+1]) != flow.Groups[i/2+1] {
			return "does not change its group exactly where it bounces"
		}
	}
	ends := func(p pair, d *ir.Device, port *ir.Port, of []*ir.Port) bool {
		return slices.Contains(of, port) || port.Device().Forwards() && slices.Contains(o.places(of, false), d)
	}
	if !slices.ContainsFunc(o.pairs(), func(p pair) bool {
		if p.group != flow.Groups[0] || !ends(p, ports[0].Device(), ports[0], p.src) {
			return false
		}
		switch {
		case o.converging && o.routing == ir.ShortestPath: // a frame may be lost on the way
			near := o.nearer(p)
			return !slices.ContainsFunc(evens(between), func(q *ir.Port) bool { return !near(q) })
		case !ends(p, ports[len(ports)-1].Device(), ports[len(ports)-1], p.dst):
			return false
		case o.routing == ir.AnyPath:
			return true
		}
		return all.paths[key(between)]
	}) {
		return "is not a path of the routing between two members that talk"
	}
	return ""
}

func evens(ports []*ir.Port) []*ir.Port {
	var out []*ir.Port
	for i := 0; i < len(ports); i += 2 {
		out = append(out, ports[i])
	}
	return out
}
