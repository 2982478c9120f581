package validate

import (
	"fmt"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// nicName is "host:interface", the spelling of the language.
func nicName(n *ir.NIC) string { return n.Device.Name + ":" + n.Name }

// someOf lists the first of names and counts the rest.
func someOf(names []string) string {
	return diag.Some(names, 4)
}

// dscpNames are the code points with a name: class selectors, assured forwarding (RFC 2597) and expedited (RFC 3246).
var dscpNames = map[int]string{
	0: "be", 8: "cs1", 16: "cs2", 24: "cs3", 32: "cs4", 40: "cs5", 48: "cs6", 56: "cs7",
	10: "af11", 12: "af12", 14: "af13", 18: "af21", 20: "af22", 22: "af23",
	26: "af31", 28: "af32", 30: "af33", 34: "af41", 36: "af42", 38: "af43", 46: "ef",
}

// dscpText is "26 (af31)": people know one or the other.
func dscpText(v int) string {
	if name := dscpNames[v]; name != "" {
		return fmt.Sprintf("%d (%s)", v, name)
	}
	return strconv.Itoa(v)
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
