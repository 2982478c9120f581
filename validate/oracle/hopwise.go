package oracle

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Converging returns the graph of g's traffic while routing converges to new shortest paths. Every device uses its next hops from before
// the failure if they are still up, or those from after it.
func (b *Brute) Converging(g *ir.CosGroup) Graph {
	before := &Brute{Fabric: b.Fabric}
	return b.hopwise(g, func(t talk, to member) func(*ir.Port) bool {
		then, now := before.nextHops(t, to), b.nextHops(t, to)
		return func(out *ir.Port) bool { return then[out] || now[out] }
	})
}

// Table returns the graph of g's traffic that follows the fabric's table of next hops. Every member must be one NIC of one target.
func (b *Brute) Table(g *ir.CosGroup) Graph {
	table := b.Fabric.Table
	return b.hopwise(g, func(_ talk, to member) func(*ir.Port) bool {
		target := slices.IndexFunc(table.Targets, func(t *ir.Target) bool { return slices.Contains(t.NICs, to[0].NIC) })
		return func(out *ir.Port) bool {
			ports, _ := table.Leaves(out.Device(), target, to[0].Peer().Device() == out.Device())
			return slices.Contains(ports, out)
		}
	})
}

// hopwise returns the graph of g's traffic if every device sends traffic for a member by the ports that a function accepts, from whatever
// port it came.
func (b *Brute) hopwise(g *ir.CosGroup, sends func(t talk, to member) func(out *ir.Port) bool) Graph {
	graph := Graph{}
	for _, t := range talks(b.Fabric, g) {
		for i, to := range t.members {
			takes := sends(t, to)
			seen := map[*ir.Port]bool{} // in-ports
			var spread func(in *ir.Port, at *ir.Device)
			spread = func(in *ir.Port, at *ir.Device) {
				for _, out := range at.Ports {
					if !b.open(t, out) || !takes(out) {
						continue
					}
					if in != nil {
						graph.join(in, g, out, g)
					}
					if next := out.Peer(); !seen[next] {
						seen[next] = true
						spread(next, next.Device())
					}
				}
			}
			for j, from := range t.members {
				for _, p := range from {
					if d := place(p, b.Down); i != j && !sameAddress(from, to) && d != nil {
						spread(nil, d)
					}
				}
			}
		}
	}
	return graph
}

// NextHops returns the ports that are on shortest paths to a host's port.
func (b *Brute) NextHops(to *ir.Port) map[*ir.Port]bool { return b.nextHops(talk{}, member{to}) }

// nextHops returns the ports that are on shortest paths to the member, by relaxing distances until none changes.
func (b *Brute) nextHops(t talk, to member) map[*ir.Port]bool {
	far := map[*ir.Device]int{} // distance plus one; 0: not reached
	for _, p := range to {
		if d := place(p, b.Down); d != nil {
			far[d] = 1
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range b.Fabric.Ports {
			d, next := p.Device(), p.Peer().Device()
			if b.open(t, p) && far[next] > 0 && (far[d] == 0 || far[d] > far[next]+1) {
				far[d], changed = far[next]+1, true
			}
		}
	}
	hops := map[*ir.Port]bool{}
	for _, p := range b.Fabric.Ports {
		hops[p] = b.open(t, p) && far[p.Peer().Device()] > 0 && far[p.Device()] == far[p.Peer().Device()]+1
	}
	return hops
}
