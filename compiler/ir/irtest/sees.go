package irtest

import "github.com/rocec/rocec/compiler/ir"

// Sees gives the intents whose traffic a switch handles, in a fabric that a test builds by hand: one of its ports carries the intent's cos
// group, or a member is cabled to it. The compiler goes by the intent's own links.
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
