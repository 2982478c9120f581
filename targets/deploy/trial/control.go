package trial

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
)

// Variation is a copy of a fabric in which one value of a device differs.
type Variation struct {
	Fabric *ir.Fabric
	Field  string // the value, from the old to the new one: "the ECN threshold of tor1:swp1 for cos group storage, 156672 to 165888 bytes"
}

// Controls returns fabrics that differ from the fabric of a device in one value of the device. Each value is harmless for the traffic of
// others for a moment: a later mark, an earlier pause, a longer cable, another default of applications. A target may write some of them.
func Controls(d *ir.Device) (out []Variation) {
	for _, change := range []func(d *ir.Device) string{laterMark, earlierPause, longer(1), longer(10), otherDefault} {
		f := d.Fabric.Copy()
		if field := change(f.Devices[d.ID]); field != "" {
			out = append(out, Variation{f, field})
		}
	}
	return out
}

// step returns the least number of bytes by which a threshold of a switch can change.
func step(d *ir.Device) int {
	if a := d.Switch.Model.ASIC; a != nil {
		return max(a.Threshold(1), a.Cell, 1)
	}
	return 1
}

// laterMark raises the threshold at which a port begins to mark.
func laterMark(d *ir.Device) string {
	if d.Switch == nil {
		return ""
	}
	by := step(d)
	for _, p := range d.Ports {
		for i, m := range p.Marks() {
			if m.Min.N+by > m.Max.N {
				continue
			}
			later := *m
			later.Min.N += by
			later.Own = 0
			marks := append([]*ir.Mark(nil), p.Marks()...)
			marks[i] = &later
			p.SetMarks(marks)
			return fmt.Sprintf("the ECN threshold of %s for cos group %s, %d to %d bytes", p, m.Group.Name, m.Min.N, later.Min.N)
		}
	}
	return ""
}

// earlierPause lowers the length of a lossless buffer at which a port sends a pause.
func earlierPause(d *ir.Device) string {
	if d.Switch == nil {
		return ""
	}
	by := 1
	if a := d.Switch.Model.ASIC; a != nil {
		by = max(a.Cell, 1)
	}
	for _, p := range d.Ports {
		for i, b := range p.Buffers() {
			if !b.Xoff.Set() || b.Xoff.N <= 2*by {
				continue
			}
			earlier := *b
			earlier.Xoff.N -= by
			buffers := append([]*ir.Buffer(nil), p.Buffers()...)
			buffers[i] = &earlier
			p.SetBuffers(buffers)
			return fmt.Sprintf("the xoff of %s for cos group %s, %d to %d bytes", p, b.Group.Name, b.Xoff.N, earlier.Xoff.N)
		}
	}
	return ""
}

// otherDefault changes the traffic class that a NIC gives to applications that state none, within the same priority if there is one.
func otherDefault(d *ir.Device) string {
	if d.Host == nil {
		return ""
	}
	for _, n := range d.Host.NICs {
		intents := n.Carries()
		if len(intents) == 0 || intents[0].Version != 2 {
			continue
		}
		was := ir.CardOf(n, intents).TOS
		if was < 0 {
			continue
		}
		n.TOS = was ^ 4 // the next DSCP
		return fmt.Sprintf("the default traffic class of %s:%s, %d to %d", d.Name, n.Name, was, n.TOS)
	}
	return ""
}

// longer returns a change that makes the cable of a port longer by some metres. Some systems know only a few lengths.
func longer(by float64) func(d *ir.Device) string {
	return func(d *ir.Device) string {
		for _, p := range d.Ports {
			if p.Link() == nil || !p.Link().Length.Known() || len(p.Buffers()) == 0 {
				continue
			}
			facts := *p.Link().LinkFacts
			was := facts.Length.Metres
			facts.Length.Metres += by
			p.Link().LinkFacts = &facts
			return fmt.Sprintf("the cable length of %s, %g to %g m", p, was, facts.Length.Metres)
		}
		return ""
	}
}
