package facts

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// publishedLine is a published value for a port.
type publishedLine struct{ name, value, why string }

// published lists the published values for a port of a switch, for comparison with the needs that rocec derives. The sources are the row
// of the model, the tables of its chip, and tests on hardware. headroom is the headroom of the port.
func published(b *ir.Buffer, p *ir.Port, headroom int) (lines []publishedLine) {
	if !b.Size.Set() {
		return nil // a NIC's driver sizes its own buffers
	}
	add := func(name string, bytes int, why string) {
		lines = append(lines, publishedLine{name, fmt.Sprintf("%d B", bytes), why})
	}
	l, model := p.Link(), p.Device().Switch.Model
	if b.Row.Bytes == 0 {
		lines = append(lines, publishedLine{"row of the model", "none", fmt.Sprintf("this rocec has no row of %s at %s and %g m", model.Name,
			platform.SpeedText(l.Speed.N), l.Length.Metres)})
	} else {
		add(b.Row.Name, b.Row.Bytes, b.Row.Why)
	}
	if n := b.BeyondRow(headroom); n > 0 && p.Device().ByHand == nil {
		add("  beyond the row", n, fmt.Sprintf("headroom above every row of the model, taken from the shared memory: %.2f %% of that of %s",
			float64(n)*100/float64(model.ASIC.Buffer), model.ASIC.Title))
	}
	for _, t := range []ir.Term{b.Published, b.Nightly} {
		if t.Bytes > 0 {
			add(t.Name, t.Bytes, t.Why)
		}
	}
	return lines
}

// beyondRows explains how much memory of a switch its headrooms use above every published row of its model. If ports share their
// headroom, they take this memory from no other traffic.
func beyondRows(d *ir.Device) []ir.Origin {
	if d.Switch.HeadroomPool.N > 0 || d.ByHand != nil {
		return nil
	}
	bytes, ports := 0, 0
	for _, p := range d.Ports {
		n := 0
		for _, b := range p.Buffers() {
			n += b.BeyondRow(b.Headroom())
		}
		if bytes += n; n > 0 {
			ports++
		}
	}
	if bytes == 0 {
		return nil
	}
	return []ir.Origin{{Why: fmt.Sprintf("headroom above every published row of %s uses %d B of the shared memory at %s",
		d.Switch.Model.Name, bytes, diag.Count(ports, "port"))}}
}
