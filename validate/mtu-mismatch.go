package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// MTUMismatch reports NICs that send larger frames than their switch port accepts.
var MTUMismatch = &Check{
	Code:    "mtu-mismatch",
	Summary: "a NIC sends larger frames than the switches take",
	Answers: []string{"5", "K9", "N5"},
	OnHop:   true,
	Run: func(p *Pass) {
		type key struct{ nic, port diag.Range }
		told := map[key]bool{}
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if len(n.Intents) == 0 || !walk.OverPort(n) {
					continue
				}
				l := n.Port.Link()
				k := key{diag.FirstPlace(n.MTUAt, n.At), mtuAt(p.Fabric, l)}
				if told[k] {
					continue
				}
				told[k] = true // once for a group: its hosts share the block
				p.Errorf(k.nic, "%s has an MTU of %d, the switch ports take %d: larger frames are dropped. Raise the MTU of "+
					"the ports or lower that of the NIC.", nicName(n), n.MTU, l.MTU.N).
					Note(k.port, "the MTU of the switch ports, %d", l.MTU.N)
			}
		}
	},
}

// mtuAt returns the line that sets the MTU of a link's switch ports.
func mtuAt(f *ir.Fabric, l *ir.Link) diag.Range {
	return diag.FirstPlace(l.MTU.At(), f.MTUAt, f.At)
}
