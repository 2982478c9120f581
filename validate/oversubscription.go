package validate

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// Oversubscription notes switches with less lossless bandwidth up than down.
var Oversubscription = &Check{
	Code:    "oversubscription",
	Summary: "less bandwidth up than down in a lossless group",
	Answers: []string{"K19"},
	Doc: `
If the ports below a switch can send more than its uplinks carry, the uplinks are where traffic
piles up, and in a lossless group that means pauses: regular ones, not rare ones, as soon as
everybody sends across. The note gives the ratio of the worst switch of a block: what members below
it can send to members elsewhere, at most what those can take, against the uplinks that carry the
group.

Example: 16 hosts of 25G under a leaf with one uplink of 100G to each of two spines: 400G to 200G,
2 to 1.

    switch "leaf" {
      names = "leaf[1-4]"
    }
    host "gpu" {
      names = "gpu[1-64]"
    }
    link "gpus" {
      a     = "gpu[1-64]:ens1f0"
      b     = "leaf[1-4]:swp[3-18]"
      speed = "25G"
    }
    roce "training" { members = [host.gpu] }

How to mend it: nothing, if the traffic stays mostly inside a rack, or the ratio was chosen.
Otherwise more or faster uplinks, or jobs placed so that they do not cross.
`,
	Run: func(p *Pass) {
		var found folds[diag.Range, ratio]
		for _, g := range p.Fabric.CosGroups {
			ends, all := sending(p.Fabric, g)
			if len(ends) < 2 {
				continue
			}
			for _, d := range p.Fabric.Devices {
				if r := upAndDown(d, g); r.up > 0 && r.down > r.up {
					below := speedBelow(d, ends)
					if r.down = min(r.down, below, all-below); r.down > r.up {
						found.add(d.Decl, r)
					}
				}
			}
		}
		found.each(func(at diag.Range, all []ratio) {
			w := all[0]
			switches := map[*ir.Device]bool{}
			for _, r := range all {
				switches[r.at] = true
				if r.down*w.up > w.down*r.up {
					w = r
				}
			}
			who := w.at.Name
			if len(switches) > 1 {
				who = fmt.Sprintf("%s (the worst of %s of this block that have less up than "+
					"down)", who, diag.Count(len(switches), "switch"))
			}
			p.Noticef(at, "In cos group %q members below %s can send %s to members elsewhere, and its uplinks carry %s: %v to "+
				"1. When all of them send across at once, the uplinks are where PFC "+
				"pauses.", w.group.Name, who, platform.SpeedText(w.down), platform.SpeedText(w.up),
				math.Round(100*float64(w.down)/float64(w.up))/100).
				Note(w.below.Link().At, "the links below").
				Note(w.above.Link().At, "uplinks: %s", platform.SpeedText(w.up))
		})
	},
}

// ratio is what can be sent up by a switch in a group, and what its uplinks carry, in Mb/s; with a port of either kind.
type ratio struct {
	at           *ir.Device
	group        *ir.CosGroup
	down, up     int
	below, above *ir.Port
}

// sending returns how fast the members at each device can send in lossless group g, and all of them together: of intents
// whose members hang on several devices.
func sending(f *ir.Fabric, g *ir.CosGroup) (ends map[*ir.Device]int, all int) {
	ends = map[*ir.Device]int{}
	counted := map[*ir.NIC]bool{}
	for _, in := range f.Intents {
		if in.Group != g || !g.Lossless || !acrossSwitches(in) {
			continue
		}
		for _, m := range in.Members {
			if at := walk.AttachedTo(m.NIC); at != nil && m.NIC.Port != nil && !counted[m.NIC] {
				counted[m.NIC] = true
				ends[at] += m.NIC.Port.Speed()
				all += m.NIC.Port.Speed()
			}
		}
	}
	return ends, all
}

// acrossSwitches tells whether the members of an intent hang on more than one device.
func acrossSwitches(in *ir.Intent) bool {
	var first *ir.Device
	for _, m := range in.Members {
		at := walk.AttachedTo(m.NIC)
		if first == nil {
			first = at
		}
		if at != nil && at != first {
			return true
		}
	}
	return false
}

// upAndDown sums the speeds of a switch's ports that carry g, towards higher and towards lower devices.
func upAndDown(d *ir.Device, g *ir.CosGroup) ratio {
	r := ratio{at: d, group: g}
	if d.Switch == nil {
		return r
	}
	for _, port := range d.Ports {
		switch other := port.Peer().Device().Height(); {
		case other == d.Height() || port.Carries(g) == nil:
		case other > d.Height():
			r.up, r.above = r.up+port.Speed(), port
		default:
			r.down, r.below = r.down+port.Speed(), port
		}
	}
	return r
}

// speedBelow sums what the members at a device and below it can send.
func speedBelow(d *ir.Device, ends map[*ir.Device]int) int {
	sum := 0
	seen := map[*ir.Device]bool{d: true}
	for todo := []*ir.Device{d}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		sum += ends[at]
		for _, port := range at.Ports {
			if low := port.Peer().Device(); low.Forwards() && low.Height() < at.Height() && !seen[low] {
				seen[low] = true
				todo = append(todo, low)
			}
		}
	}
	return sum
}
