package validate

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// What the checks of written ECN thresholds share.

// marking is one port's thresholds for a group, with the memory of its switch.
type marking struct {
	port *ir.Port
	mark *ir.Mark
	mem  ir.Memory
}

// markings calls do for every mark whose thresholds a person wrote, at least one of them, and that are a ramp on a switch
// whose memory fits: what is not is another check's to say.
func markings(f *ir.Fabric, do func(marking)) {
	if !slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.ECN != nil && (g.ECN.Min.Set() || g.ECN.Max.Set()) }) {
		return
	}
	for _, d := range f.Devices {
		if d.Switch == nil {
			continue
		}
		mem, known := ir.Memory{}, false
		for _, p := range d.Ports {
			for _, m := range p.Marks {
				given := m.Group.ECN
				if !given.Min.Set() && !given.Max.Set() || m.Min.N <= 0 || m.Min.N >= m.Max.N || m.Min.N >= d.Switch.Model.ASIC.Buffer {
					continue
				}
				if !known {
					mem, known = d.Memory(), true
				}
				if mem.Fits() {
					do(marking{p, m, mem})
				}
			}
		}
	}
}

// late tells whether a written min lets pauses come before marks.
func (m marking) late() bool {
	return m.mark.Group.Lossless && m.mark.Group.ECN.Min.Set() && m.mark.Min.N >= m.mem.MarkBound()
}

// writtenAs gives the threshold a person wrote that n is or was derived from, "min" or "max", and its place.
func (m marking) writtenAs(n ir.Derived) (name string, at diag.Range, ok bool) {
	given := m.mark.Group.ECN
	switch n.On(m.port.Link).From[0].At {
	case written(given.Min):
		return "min", written(given.Min), given.Min.Set()
	case written(given.Max):
		return "max", written(given.Max), given.Max.Set()
	}
	return "", diag.Range{}, false
}

// worst gives the marking that less puts first, of equals the first port.
func worst(all []marking, by func(marking) int) marking {
	return slices.MinFunc(all, func(a, b marking) int {
		return cmp.Or(cmp.Compare(by(a), by(b)), cmp.Compare(a.port.Device.ID, b.port.Device.ID), cmp.Compare(a.port.Index, b.port.Index))
	})
}

// switches counts the switches of markings that come switch by switch.
func switches(all []marking) int {
	n := 0
	for i, m := range all {
		if i == 0 || m.port.Device != all[i-1].port.Device {
			n++
		}
	}
	return n
}
