package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Incast notes how much more traffic members can send to one of them than its port carries.
var Incast = &Check{
	Code:    "incast",
	Summary: "many members can send to one at once",
	Answers: []string{"K18"},
	Run: func(p *Pass) {
		type worst struct {
			in           *ir.Intent
			to           *ir.NIC
			all, inflow  int // Mb/s
			senders      int
			timesHundred int
		}
		var found folds[diag.Range, worst] // intents of one for_each are reported once
		flows := inflows{}
		for _, in := range p.Fabric.Intents {
			if !in.Group.Lossless {
				continue
			}
			sum, cabled := 0, 0
			own := map[*ir.Device][2]int{} // by host: the rate of its members in Mb/s, and their number
			for _, m := range in.Members {
				if port := m.NIC.Port; port != nil {
					sum += port.Speed()
					cabled++
					h := own[m.NIC.Device]
					own[m.NIC.Device] = [2]int{h[0] + port.Speed(), h[1] + 1}
				}
			}
			var w worst
			for _, m := range in.Members {
				port := m.NIC.Port
				if port == nil || port.Speed() <= 0 || port.Peer().Device().Switch == nil {
					continue
				}
				h := own[m.NIC.Device]
				inflow := min(sum-h[0], flows.into(port.Peer().Device(), in.Group)-port.Speed())
				if times := inflow * 100 / port.Speed(); times > w.timesHundred {
					w = worst{in, m.NIC, sum - h[0], inflow, cabled - h[1], times}
				}
			}
			if w.timesHundred > 100*manyTimes && w.senders > manyTimes {
				found.add(in.At, w)
			}
		}
		found.each(func(at diag.Range, all []worst) {
			w := all[0]
			for _, other := range all {
				if other.timesHundred > w.timesHundred {
					w = other
				}
			}
			leaf := w.to.Port.Peer().Device()
			speed := w.to.Port.Speed()
			lasts := "no memory is left that ports share"
			if mem := leaf.Memory(); mem.Shared() > 0 {
				xoffs := senderXoffs(w.to.Port.Peer(), w.in.Group)
				held := mem.Held(xoffs)
				lasts = "the " + diag.Bytes(held) + " that " + diag.Count(len(xoffs), "other port") + " of " + leaf.Name +
					" may hold before they pause last " + diag.Count(max(held*8/(w.inflow-speed), 1), "microsecond") + " at most"
			}
			p.Noticef(at, "In roce %q %s can send %s to %s with its port of %s. The links into %s carry %s of that, %d times "+
				"the port. At that rate %s; then it pauses its "+
				"neighbours.", w.in.Name, diag.Count(w.senders, "other port"), rateText(w.all), nicName(w.to), platform.SpeedText(speed),
				leaf.Name, rateText(w.inflow),
				w.timesHundred/100, lasts).
				Note(speedAt(w.to.Port.Link()), "%s", platform.SpeedText(speed)).
				Note(leaf.Switch.ModelAt, "%s, %s of buffer", leaf.Switch.Model.Title, diag.Bytes(leaf.Switch.Model.ASIC.Buffer))
		})
	},
}

// senderXoffs returns the xoff threshold of each port that can send to another port of its switch in a group.
func senderXoffs(to *ir.Port, g *ir.CosGroup) []int {
	var out []int
	for _, p := range to.Device().Ports {
		if b := p.Carries(g); b != nil && p != to {
			out = append(out, b.Xoff.N)
		}
	}
	return out
}

// manyTimes is the ratio above which incast is noted: a busy rack has a smaller one.
const manyTimes = 16

// inflows caches the rate at which lossless traffic of a group can enter a switch by all of its ports.
type inflows map[inflow]int

type inflow struct {
	device *ir.Device
	group  *ir.CosGroup
}

func (f inflows) into(d *ir.Device, g *ir.CosGroup) int {
	k := inflow{d, g}
	sum, known := f[k]
	if !known {
		for _, port := range d.Ports {
			if port.Carries(g) != nil {
				sum += port.Speed()
			}
		}
		f[k] = sum
	}
	return sum
}
