package metrics

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Pauses has the ports that the healthy fabric can pause.
//
// A switch pauses a port when a queue behind it is congested, and the pause goes back along the way of the traffic. Hosts take their
// packets (the assumption hosts-drain of the proof), so no pause begins at a host that does not forward. So a port can be paused if traffic
// of the group leaves by it towards a device that forwards.
type Pauses struct{ of map[*ir.CosGroup]*leaving }

// leaving has the traffic of one group.
type leaving struct {
	open    bool   // traffic may take ways that are not known: no port between forwarding devices is ruled out
	out, in []bool // by Port.ID: traffic between forwarding devices leaves by the port; comes in by it and leaves again
	member  []bool // by Device.ID: a member of an intent of the group is attached to the device, or is the device
}

// NewPauses follows the traffic of each lossless group in the healthy fabric. A group rules out only ports to hosts if its traffic cannot
// be followed within the budget, or if it is not lossless on every cable between forwarding devices.
func NewPauses(f *ir.Fabric, budget *ir.Budget) *Pauses {
	e := &Pauses{of: map[*ir.CosGroup]*leaving{}}
	turns := map[*ir.CosGroup]*ir.Turns{}
	for _, g := range f.CosGroups {
		if !g.Lossless {
			continue
		}
		e.of[g] = &leaving{out: make([]bool, len(f.Ports)), in: make([]bool, len(f.Ports)), member: make([]bool, len(f.Devices))}
		if f.Routes != nil {
			if t, err := f.Routes.Turns(g, ir.State{Budget: budget}); err == nil && t.Open == nil {
				turns[g] = t
			}
		}
	}
	for g, l := range e.of {
		l.open = turns[g] == nil || !losslessEverywhere(f, g)
		for _, from := range f.CosGroups { // traffic of some groups bounces into this one
			if from == g || !slices.Contains(f.Bounces(from), g) {
				continue
			}
			if t := turns[from]; t == nil {
				l.open = true
			} else if from.Bounce == g {
				pass(f, t.Bounced, nil, l.out)
			}
		}
		l.attach(f, g)
		if !l.open {
			pass(f, turns[g].Rows, l.in, l.out)
			pass(f, turns[g].Bounced, l.in, nil)
		}
	}
	return e
}

// losslessEverywhere reports whether the group is lossless on every cable between forwarding devices. Turns contain only such cables, and
// traffic that leaves them by another cable can still be paused before it.
func losslessEverywhere(f *ir.Fabric, g *ir.CosGroup) bool {
	return !slices.ContainsFunc(f.Links, func(l *ir.Link) bool {
		a, b := l.A(), l.B()
		return a.Device().Forwards() && b.Device().Forwards() && !(a.Stops(g) && b.Stops(g))
	})
}

// pass records the turns of a table: the ports by which traffic comes in and those by which it leaves, each unless it is nil.
func pass(f *ir.Fabric, rows [][]uint64, in, out []bool) {
	for id, row := range rows {
		for _, to := range f.Ports[id].Device().Ports {
			if len(row) <= to.Index/64 || row[to.Index/64]&(1<<(to.Index%64)) == 0 {
				continue
			}
			if in != nil {
				in[id] = true
			}
			if out != nil {
				out[to.ID] = true
			}
		}
	}
}

// attach records where the members of a group are attached.
func (l *leaving) attach(f *ir.Fabric, g *ir.CosGroup) {
	for _, in := range f.Intents {
		if in.Group != g {
			continue
		}
		for _, m := range in.Members {
			for _, nic := range together(m.NIC) {
				l.member[nic.Device.ID] = true
				if nic.Port != nil {
					l.member[nic.Port.Peer().Device().ID] = true
				}
			}
		}
	}
}

// together returns a NIC with the others of its bond.
func together(n *ir.NIC) []*ir.NIC {
	if n.Bond != nil {
		return n.Bond.NICs
	}
	return []*ir.NIC{n}
}

// Expected reports whether a port can receive pauses of a lossless group in the healthy fabric. Turns leave out the hosts at both ends of
// a path, so traffic that crosses only two switches is found by the members that are attached to them. A planned cable is not ruled out.
func (e *Pauses) Expected(p *ir.Port, g *ir.CosGroup) bool {
	at, peer, l := p.Device(), p.Peer(), e.of[g]
	switch to := peer.Device(); {
	case l == nil || !to.Forwards():
		return false
	case !at.Forwards():
		return slices.ContainsFunc(together(p.NIC), func(n *ir.NIC) bool {
			return slices.ContainsFunc(n.Intents, func(in *ir.Intent) bool { return in.Group == g })
		})
	default:
		return l.open || p.Link().Planned || l.out[p.ID] || l.in[peer.ID] || l.member[at.ID] && l.member[to.ID]
	}
}
