package deploy

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
)

// restated returns, as a part of a sentence, a number at a port that differs from a number that the person wrote in the fabric. Derived
// numbers may differ.
func restated(p *ir.Port, is, meant *ir.PortSettings) string {
	have, want := is.Detail.Get(), meant.Detail.Get()
	for _, m := range p.Marks() {
		e, cos := m.Group.ECN, m.Group.Cos
		if e == nil {
			continue
		}
		is, meant := &have.Queues[cos], &want.Queues[cos]
		for _, f := range []struct {
			name      string
			stated    ir.Num
			is, meant ir.Setting[int]
		}{
			{"min", e.Min, is.MarkMin, meant.MarkMin},
			{"max", e.Max, is.MarkMax, meant.MarkMax},
			{"probability", e.Probability, is.Probability, meant.Probability},
		} {
			switch {
			case !f.stated.Set() || !f.meant.Known() || f.is.Known() && f.is.Value == f.meant.Value:
			case !f.is.Known():
				return fmt.Sprintf("%s of ECN of cos %d is not known, and the fabric states %d", f.name, cos, f.meant.Value)
			default:
				return fmt.Sprintf("%s of ECN of cos %d is %d, and the fabric states %d", f.name, cos, f.is.Value, f.meant.Value)
			}
		}
	}
	for _, g := range p.Device().Fabric.CosGroups {
		strict := meant.Strict>>g.Cos&1 == 1
		switch now := is.Strict>>g.Cos&1 == 1; {
		case g.Strict && strict && !now && (g.Lossless || served(is, g.Cos)):
			return fmt.Sprintf("cos %d is not strict, and the fabric states that it is", g.Cos)
		case g.Weight > 0 && !strict && (now || g.Deprived(p.Device().Fabric, is, meant)):
			return fmt.Sprintf("the share of cos %d does not have the weight that the fabric states", g.Cos)
		}
	}
	for _, b := range p.Buffers() {
		if w := b.Group.PFC; w != nil && (w.Buffer.Set() || w.Xoff.Set()) && meant.Headroom > 0 && is.Headroom != meant.Headroom {
			return fmt.Sprintf("headroom is %d B, and the fabric states sizes with %d B", is.Headroom, meant.Headroom)
		}
	}
	return ""
}

// served reports whether the scheduling of a cos's queue is known. If not, strict priority counts as a missing setting.
func served(p *ir.PortSettings, cos int) bool {
	d := p.Detail.Get()
	q := d.Queue[cos]
	return p.Share[cos] > 0 || q < 0 || d.Queues[q].Strict.Known() || d.Queues[q].Share.Known()
}
