package change

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// partners returns, by ID, the forwarding devices that the wave depends on: if one fails during the wave, hosts can be cut off or dark,
// although either loss alone leaves them connected. These are:
//
//   - the other devices to which hosts of the wave's devices are attached, and the other switches of their MLAG pairs;
//   - every device that traffic can pass, and every device whose hosts have another leg. This rule applies if a device of the wave passes
//     traffic of others, or if its hosts keep another leg: with two planes, the other plane can be lost at the other end of a pair.
//
// The second rule is an upper bound: it does not work out which of these devices a pair of hosts needs. A hitless wave has no partners.
func (l *Living) partners(w *Wave) []*ir.Device {
	in := map[*ir.Device]bool{}
	if !w.Outage.Hitless() {
		for _, t := range w.Tasks {
			if t.Device.Forwards() && !t.Outage.Hitless() {
				in[t.Device] = true
			}
		}
	}
	if len(in) == 0 {
		return nil
	}
	out := map[*ir.Device]bool{}
	spread := false
	for d := range in {
		for _, h := range l.hosts[d.ID] {
			for _, p := range h.Ports {
				if other := p.Peer().Device(); other.Forwards() && !in[other] && l.laid[p.Link().ID] {
					out[other], spread = true, true
				}
			}
		}
		for _, t := range l.demands {
			spread = spread || t.widths.Transit[d.ID]
		}
	}
	for _, d := range l.fabric.Devices {
		if in[d] || !d.Forwards() {
			continue
		}
		if spread && (l.shared[d.ID] || w.transit != nil && w.transit[d.ID]) {
			out[d] = true
		}
		for t := range in {
			if d.Switch != nil && t.Switch != nil && d.Switch.MLAG != "" && d.Switch.MLAG == t.Switch.MLAG {
				out[d] = true
			}
		}
	}
	all := make([]*ir.Device, 0, len(out))
	for d := range out {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// passes adds the devices that traffic passes on the ways of a demand.
func (e *Effect) passes(w *routes.Widths) {
	if e.transit == nil {
		e.transit = make([]bool, len(w.Transit))
	}
	for id, passed := range w.Transit {
		e.transit[id] = e.transit[id] || passed
	}
}
