package routes

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// randomCabling draws up to 6 switches on 3 tiers with up to 10 cables, some parallel, some lossy, and up to 5 hosts.
func randomCabling(t *rapid.T, r ir.Routing) *irtest.Cabling {
	c := irtest.New(r)
	n := rapid.IntRange(2, 6).Draw(t, "switches")
	for i := range n {
		c.Device(fmt.Sprint("s", i)).Switch.Tier = rapid.IntRange(1, 3).Draw(t, "tier")
	}
	for range rapid.IntRange(1, 10).Draw(t, "cables") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		if a == b {
			continue
		}
		l := c.Link(fmt.Sprint("s", a), fmt.Sprint("s", b))
		l.Peer = l.A.Device.Switch.Tier == l.B.Device.Switch.Tier
		if rapid.IntRange(0, 7).Draw(t, "lossy") == 0 {
			l.A.Buffers = nil
		}
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "hosts") {
		c.Link(fmt.Sprint("h", i), fmt.Sprint("s", rapid.IntRange(0, n-1).Draw(t, "at")))
	}
	return c
}

// oracle enumerates paths, one pair of hosts after the other, sharing no code with the router.
type oracle struct {
	f       *ir.Fabric
	routing ir.Routing
	down    []*ir.Link
	g       *ir.CosGroup
}

func (o *oracle) turns() map[ir.Turn]bool {
	out := map[ir.Turn]bool{}
	if o.routing == ir.AnyPath {
		o.walks(out)
		return out
	}
	o.pairs(func(src, dst *ir.Port) {
		for _, path := range o.paths(src, dst) {
			for i := 1; i+2 < len(path); i += 2 {
				o.add(out, path[i], path[i+1])
			}
		}
	})
	return out
}

// add notes the turn if both its cables are lossless and lie between switches.
func (o *oracle) add(out map[ir.Turn]bool, in, next *ir.Port) {
	for _, p := range []*ir.Port{in, next} {
		if p.Peer().Device.Host != nil || p.Carries(o.g) == nil || p.Peer().Carries(o.g) == nil {
			return
		}
	}
	out[ir.Turn{In: in, Out: next}] = true
}

func (o *oracle) pairs(each func(src, dst *ir.Port)) {
	for _, a := range o.f.Intents[0].Members {
		for _, b := range o.f.Intents[0].Members {
			p, q := a.NIC.Port, b.NIC.Port
			if p != q && !slices.Contains(o.down, p.Link) && !slices.Contains(o.down, q.Link) {
				each(p, q)
			}
		}
	}
}

// paths returns every path of the routing from src to dst: the ports passed.
func (o *oracle) paths(src, dst *ir.Port) [][]*ir.Port {
	var all [][]*ir.Port
	var walk func(path []*ir.Port)
	walk = func(path []*ir.Port) {
		at := path[len(path)-1].Device
		if at == dst.Peer().Device {
			all = append(all, append(slices.Clone(path), dst.Peer(), dst))
			return
		}
		for _, p := range at.Ports {
			next := p.Peer().Device
			if next.Host != nil || slices.Contains(o.down, p.Link) {
				continue
			}
			longer := append(slices.Clone(path), p, p.Peer())
			switch {
			case o.routing == ir.ShortestPath && !simple(longer):
			case o.routing == ir.UpDown && !valleyFree(longer):
			case path[len(path)-1].Peer().Device == next: // turns back
			default:
				walk(longer)
			}
		}
	}
	walk([]*ir.Port{src, src.Peer()})
	if o.routing == ir.ShortestPath && len(all) > 0 {
		least := len(slices.MinFunc(all, func(a, b []*ir.Port) int { return len(a) - len(b) }))
		all = slices.DeleteFunc(all, func(p []*ir.Port) bool { return len(p) > least })
	}
	return all
}

func simple(path []*ir.Port) bool {
	seen := map[*ir.Device]bool{}
	for i := 1; i < len(path); i += 2 {
		if seen[path[i].Device] {
			return false
		}
		seen[path[i].Device] = true
	}
	return true
}

// valleyFree tells whether the path rises, takes at most one peer step, and falls.
func valleyFree(path []*ir.Port) bool {
	falling := false
	for i := 1; i+2 < len(path); i += 2 {
		a, b := path[i].Device.Switch.Tier, path[i+2].Device.Switch.Tier
		if falling && b >= a {
			return false
		}
		falling = falling || b <= a
	}
	return true
}

// walks closes, pair by pair, "traffic can come here" and "the receiver can be reached from here" over single
// channels, naively.
func (o *oracle) walks(out map[ir.Turn]bool) {
	var channels []*ir.Port // by in-port
	for _, p := range o.f.Ports {
		if p.Device.Switch != nil && p.Peer().Device.Switch != nil && !slices.Contains(o.down, p.Link) {
			channels = append(channels, p)
		}
	}
	follows := func(a, b *ir.Port) bool {
		return b.Peer().Device == a.Device && a.Peer().Device != b.Device
	}
	o.pairs(func(src, dst *ir.Port) {
		comes, gets := map[*ir.Port]bool{}, map[*ir.Port]bool{}
		for changed := true; changed; {
			before := len(comes) + len(gets)
			for _, c := range channels {
				if c.Peer().Device == src.Peer().Device {
					comes[c] = true
				}
				if c.Device == dst.Peer().Device {
					gets[c] = true
				}
				for _, d := range channels {
					if follows(d, c) && comes[d] {
						comes[c] = true
					}
					if follows(c, d) && gets[d] {
						gets[c] = true
					}
				}
			}
			changed = len(comes)+len(gets) > before
		}
		for c := range comes {
			for d := range gets {
				if follows(c, d) {
					o.add(out, c, d.Peer())
				}
			}
		}
	})
}

// legal tells whether the flow is a path of the routing between two hosts and makes the turn.
func (o *oracle) legal(flow []*ir.Port, turn ir.Turn) bool {
	if len(flow) < 6 || len(flow)%2 != 0 || flow[0] == flow[len(flow)-1] ||
		flow[0].Device.Host == nil || flow[len(flow)-1].Device.Host == nil {
		return false
	}
	makes := false
	for i := range flow {
		switch {
		case i%2 == 1 && (flow[i] != flow[i-1].Peer() || slices.Contains(o.down, flow[i].Link)):
			return false
		case i%2 == 0 && i > 0 && flow[i].Device != flow[i-1].Device:
			return false
		case i%2 == 0 && i > 0:
			makes = makes || turn == ir.Turn{In: flow[i-1], Out: flow[i]}
		}
	}
	if o.routing == ir.AnyPath {
		return makes
	}
	return makes && slices.ContainsFunc(o.paths(flow[0], flow[len(flow)-1]), func(p []*ir.Port) bool { return slices.Equal(p, flow) })
}
