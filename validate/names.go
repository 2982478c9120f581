package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// nicName is "host:interface", the spelling of the language.
func nicName(n *ir.NIC) string { return n.Device.Name + ":" + n.Name }

// someOf lists the first of names and counts the rest.
func someOf(names []string) string {
	return diag.Some(names, 4)
}

// claimedTwice reports every value that two groups claim: at the later place, naming the earlier.
func claimedTwice(p *Pass, what func(int) string, claims func(*ir.CosGroup) []ir.Claim, why string) {
	type owner struct {
		group *ir.CosGroup
		at    diag.Range
	}
	var all []owner
	var values []int
	for _, g := range p.Fabric.CosGroups {
		for _, c := range claims(g) {
			all, values = append(all, owner{g, c.At}), append(values, c.Value)
		}
	}
	first := map[int]owner{}
	for i, o := range all {
		if f, taken := first[values[i]]; !taken || diag.ComparePlace(o.at, f.at) < 0 {
			first[values[i]] = o
		}
	}
	told := map[owner]bool{}
	for i, o := range all {
		f := first[values[i]]
		if o.group == f.group || told[o] {
			continue
		}
		told[o] = true
		p.Errorf(o.at, "Cos groups %q and %q both claim %s. %s", f.group.Name, o.group.Name, what(values[i]), why).
			Note(f.at, "%q claims it here", f.group.Name)
	}
}
