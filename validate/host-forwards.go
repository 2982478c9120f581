package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// HostForwards notes hosts that forward traffic and send their own traffic in the same lossless group.
var HostForwards = &Check{
	Code:    "host-forwards",
	Summary: "a member passes on lossless traffic of others",
	Answers: []string{"K24"},
	Run: func(p *Pass) {
		type key struct{ forwards, decl string }
		var found folds[key, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil || !d.Host.Forwards {
				continue
			}
			for _, n := range d.Host.NICs {
				if lossless := firstLossless(n); lossless != nil {
					found.add(key{d.Host.ForwardsAt.String(), d.Decl.String()}, n)
					break
				}
			}
		}
		found.each(func(_ key, nics []*ir.NIC) {
			n := nics[0]
			in := firstLossless(n)
			hosts := make([]*ir.Device, len(nics)) // one NIC each
			for i, n := range nics {
				hosts[i] = n.Device
			}
			p.Noticef(diag.FirstPlace(n.Device.Host.ForwardsAt, n.Device.Decl), "%s traffic of others and %s in roce %q too, whose cos group %q "+
				"is lossless: its own and the transit traffic share buffers, and the proof counts such a host as a switch. If "+
				"it is not meant to route or bridge, leave forwards out.",
				verb(deviceNames(hosts), len(nics), "passes on", "pass on"),
				diag.Plural(len(nics), "is", "are"), in.Name, in.Group.Name).
				Note(in.At, "member of roce %q", in.Name)
		})
	},
}
