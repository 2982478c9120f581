package irtest

import "github.com/rocec/rocec/compiler/ir"

// Sees returns the intents whose traffic a switch handles, in a fabric that a test builds by hand. A port of the switch carries the
// intent's cos group, or a member is cabled to it. The compiler instead uses the links of the intent.
func Sees(d *ir.Device) []*ir.Intent {
	groups, members := map[*ir.CosGroup]bool{}, map[*ir.Intent]bool{}
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			groups[b.Group] = true
		}
		for _, m := range p.Marks() {
			groups[m.Group] = true
		}
		if nic := p.Peer().NIC; nic != nil {
			for _, in := range nic.Intents {
				members[in] = true
			}
		}
	}
	var out []*ir.Intent
	for _, in := range d.Fabric.Intents {
		if groups[in.Group] || members[in] {
			out = append(out, in)
		}
	}
	return out
}
