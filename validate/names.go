package validate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// nicName is "host:interface", the spelling of the language.
func nicName(n *ir.NIC) string { return n.Device.Name + ":" + n.Name }

// namesRoom is the room for names of devices or interfaces in a message, in bytes.
const namesRoom = 60

// nicNames lists interfaces of hosts as nodesets, and counts those a message has no room for.
func nicNames(nics []*ir.NIC) string {
	names := make([]string, len(nics))
	for i, n := range nics {
		names[i] = nicName(n)
	}
	return nodeset.Text(names, nodeset.Endpoints, namesRoom)
}

// deviceNames is [nicNames] for devices.
func deviceNames(devices []*ir.Device) string {
	names := make([]string, len(devices))
	for i, d := range devices {
		names[i] = d.Name
	}
	return nodeset.Text(names, nodeset.Devices, namesRoom)
}

// someOf lists the first of names and counts the rest.
func someOf(names []string) string {
	const most = 4
	switch {
	case len(names) == 1:
		return names[0]
	case len(names) <= most:
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), len(names)-most+1)
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

// bytesText is "147,000 B".
func bytesText(n int) string { return diag.Number(n) + " B" }

// orAt returns the first place that is one.
func orAt(places ...diag.Range) diag.Range {
	for _, at := range places {
		if at.Filename != "" {
			return at
		}
	}
	return diag.Range{}
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
