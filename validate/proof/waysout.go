package proof

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// These functions find changes after which the fabric is free. Each runs the proof again with a change.

// Tiered reports whether routing up-down would make the fabric free: every lossless link goes up or down, or is a peer link.
func (p *Proof) Tiered() bool { return tiered(p.LosslessLinks()) }

// TieredBut returns the lossless links that must become peer links for Tiered to be true; ok is false if that is not enough.
func (p *Proof) TieredBut() (level []*ir.Link, ok bool) {
	links := p.LosslessLinks()
	for _, l := range links {
		if Up(l.A(), l.B()) == 0 && !l.Peer {
			level = append(level, l)
		}
	}
	return level, noHostBetween(links)
}

// Bridged reports whether routing spanning-tree would make the fabric free, by the certificate [BySpanningTree].
func (p *Proof) Bridged() bool { return bridged(p.LosslessLinks()) }

// MayBounce reports whether a bounce into a lossy group would make the fabric free, by the certificate [ByBounce].
func (p *Proof) MayBounce() bool {
	f := p.Fabric
	if f.Routing != ir.ShortestPath && f.Routing != ir.EBGP && f.Routing != ir.AnyPath && f.Routing != ir.TablePath ||
		f.FlowControl == ir.Pause || f.Coupled() || len(p.Groups) > 1 {
		return false
	}
	links := p.LosslessLinks()
	return noHostBetween(links) && !slices.ContainsFunc(links, func(l *ir.Link) bool { return Up(l.A(), l.B()) == 0 })
}

// ASPlan returns the sets of switches that must share an AS number for the certificate [ByASPlan], in order of their first switches. It
// returns nil if that is not enough, or if neighbours would share a number and so accept no routes from each other.
func (p *Proof) ASPlan() [][]*ir.Device {
	links := p.LosslessLinks()
	if !noHostBetween(links) {
		return nil
	}
	sets := newUnion(len(p.Fabric.Devices))
	first := make([]int32, len(p.Fabric.Devices)) // by switch: a switch above or beside it, as ID plus 1; 0: none so far
	join := func(d, other *ir.Device) {
		switch {
		case d.Switch == nil || other.Switch == nil || other.Height() < d.Height():
		case first[d.ID] == 0:
			first[d.ID] = int32(other.ID) + 1
		default:
			sets.join(first[d.ID]-1, int32(other.ID))
		}
	}
	for _, l := range links {
		join(l.A().Device(), l.B().Device())
		join(l.B().Device(), l.A().Device())
	}
	find := func(d *ir.Device) int { return int(sets.find(int32(d.ID))) }
	if slices.ContainsFunc(links, func(l *ir.Link) bool { return find(l.A().Device()) == find(l.B().Device()) }) ||
		!p.plannedBy(func(d *ir.Device) int { return find(d) + 1 }) {
		return nil
	}
	members := make([][]*ir.Device, len(p.Fabric.Devices)) // by the root of the set
	var out [][]*ir.Device
	var roots []int
	for _, d := range p.Fabric.Devices {
		if d.Switch == nil {
			continue
		}
		if r := find(d); members[r] == nil {
			roots = append(roots, r)
			members[r] = []*ir.Device{d}
		} else {
			members[r] = append(members[r], d)
		}
	}
	for _, r := range roots {
		if len(members[r]) > 1 {
			out = append(out, members[r])
		}
	}
	return out
}

// cut finds the proof's Cut.
func (p *prover) cut() *ir.Link {
	budget := p.extra()
	tried := map[*ir.Link]bool{}
	for _, h := range p.Loops[0].Circle {
		l := h.In.Link()
		if tried[l] {
			continue
		}
		tried[l] = true
		own := *p.judge
		own.budget = budget
		free, err := own.stands([]*ir.Link{l}, p.Fabric.Failures)
		if err != nil {
			return nil
		}
		if free {
			return l
		}
	}
	return nil
}
