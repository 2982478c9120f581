package validate

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// UplinksUneven warns of switches whose uplinks end in fewer switches than the uplinks of their peers.
var UplinksUneven = &Check{
	Code:    "uplinks-uneven",
	Summary: "the uplinks of a switch end in fewer switches than its peers'",
	Answers: []string{"X7"},
	Run: func(p *Pass) {
		type key struct {
			group        string
			model        *platform.Switch // instead of the group, if each block has one switch
			tier, uplink int
		}
		type rising struct {
			device *ir.Device
			above  int      // the switches its uplinks end in
			double *ir.Port // an uplink to a switch in which another uplink ends, too
		}
		var alike folds[key, rising]
		size, strays := map[string]int{}, map[*ir.Device]bool{}
		for _, d := range p.Fabric.Devices {
			size[d.Group]++
		}
		stray, _ := strayUplinks(p.Fabric)
		for _, s := range stray {
			strays[s.port.Device()] = true
		}
		for _, d := range p.Fabric.Devices {
			if d.Switch == nil {
				continue
			}
			ups, first := 0, map[*ir.Device]bool{}
			var double *ir.Port
			for _, port := range d.Ports {
				switch other := port.Peer().Device(); {
				case other.Height() <= d.Height():
					continue
				case !first[other]:
					first[other] = true
				case double == nil:
					double = port
				}
				ups++
			}
			if ups > 1 {
				k := key{group: d.Group, tier: d.Height(), uplink: ups}
				if size[d.Group] == 1 {
					k.group, k.model = "", d.Switch.Model
				}
				alike.add(k, rising{d, len(first), double})
			}
		}
		alike.each(func(k key, all []rising) {
			counts := map[int]int{}
			usual := 0
			for _, r := range all {
				counts[r.above]++
				if counts[r.above] > counts[usual] || counts[r.above] == counts[usual] && r.above > usual {
					usual = r.above
				}
			}
			for _, r := range all {
				// Either most peers have more, or the only peer has more and this switch has all its cables on one switch.
				if r.above >= usual || 2*counts[usual] <= len(all) && (len(all) != 2 || r.above > 1) {
					continue
				}
				if slices.ContainsFunc(all, func(o rising) bool { return o.above == usual && strays[o.device] }) {
					continue // planes-joined reports which of the two is cabled wrongly
				}
				p.Warnf(diag.FirstPlace(r.double.At, r.device.At), "%s has %s, and they end in %s; those of %s end in %d. %s goes to %s, as "+
					"another uplink does. Correct the cable, so that the loss of one switch costs no more here than there.",
					r.device.Name, diag.Count(k.uplink, "uplink"),
					switchesText(r.above), groupText(k.group), usual, r.double, r.double.Peer())
			}
		})
	},
}

// switchesText returns a count of switches: "one switch", "2 switches".
func switchesText(n int) string {
	if n == 1 {
		return "one switch"
	}
	return fmt.Sprintf("%d switches", n)
}

// groupText returns text about the other switches of a group, or about peers with separate blocks.
func groupText(group string) string {
	if group == "" {
		return "most others of its model and tier"
	}
	return fmt.Sprintf("most others of switch %q", group)
}
