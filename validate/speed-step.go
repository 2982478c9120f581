package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// SpeedStep notes intents whose members have ports of different speeds.
var SpeedStep = &Check{
	Code:    "speed-step",
	Summary: "fast and slow members in one lossless group",
	Answers: []string{"K18"},
	Run: func(p *Pass) {
		told := map[diag.Range]bool{} // intents of one for_each are reported once
		for _, in := range p.Fabric.Intents {
			if !in.Group.Lossless || told[in.At] {
				continue
			}
			var slow, fast *ir.Port
			for _, m := range in.Members {
				port := m.NIC.Port
				if port == nil || port.Speed() <= 0 {
					continue
				}
				if slow == nil || port.Speed() < slow.Speed() {
					slow = port
				}
				if fast == nil || port.Speed() > fast.Speed() {
					fast = port
				}
			}
			if slow == nil || fast.Speed() < 4*slow.Speed() {
				continue
			}
			told[in.At] = true
			short := ""
			if in.Version == 2 && in.Group.ECN != nil {
				short = "; ECN keeps that short"
			}
			p.Noticef(in.At, "Members of roce %q have ports of %s (%s, of host %q) and of %s (%s, of host %q). In lossless cos "+
				"group %q traffic from a fast port to a slow one pauses the fast one, also for its other receivers%s.", in.Name,
				platform.SpeedText(fast.Speed()), fast, fast.Device().Group, platform.SpeedText(slow.Speed()), slow, slow.Device().Group, in.Group.Name,
				short).
				Note(speedAt(slow.Link()), "%s", platform.SpeedText(slow.Speed())).
				Note(speedAt(fast.Link()), "%s", platform.SpeedText(fast.Speed()))
		}
	},
}
