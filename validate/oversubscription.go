package validate

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// Oversubscription notes switches with less lossless bandwidth up than down.
var Oversubscription = &Check{
	Code:    "oversubscription",
	Summary: "less bandwidth up than down in a lossless group",
	Answers: []string{"K19"},
	Run: func(p *Pass) {
		var found folds[diag.Range, ratio]
		var sets *lowerSets
		for _, g := range p.Fabric.CosGroups {
			ends, all := sending(p.Fabric, g)
			if len(ends) < 2 {
				continue
			}
			if sets == nil {
				sets = newLowerSets(p.Fabric)
			}
			speedBelow := sets.sums(ends)
			for _, d := range p.Fabric.Devices {
				if r := upAndDown(d, g); r.up > 0 && r.down > r.up {
					below := speedBelow(d)
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
				"pauses.", w.group.Name, who, rateText(w.down), rateText(w.up),
				math.Round(100*float64(w.down)/float64(w.up))/100).
				Note(w.below.Link().At, "the links below").
				Note(w.above.Link().At, "uplinks: %s", rateText(w.up))
		})
	},
}

// ratio is the rate that members below a switch can send up in a group, and the rate of its uplinks, in Mb/s, with one port of each.
type ratio struct {
	at           *ir.Device
	group        *ir.CosGroup
	down, up     int
	below, above *ir.Port
}

// sending returns the rate at which the members at each device can send in lossless group g, and the rate of all of them. Only intents
// with members at several devices count.
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

// acrossSwitches reports whether the members of an intent are attached to more than one device.
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

// upAndDown returns the sums of the speeds of a switch's ports that carry g, towards higher and towards lower devices.
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

// lowerSets is a DAG of sets: a set has the forwarding devices directly below a device. Switches of a pod that reach the same leaves share
// one set, so that the devices below them are summed once.
type lowerSets struct {
	of   []int32 // by Device.ID, an index into sets
	sets []lowerSet
}

// lowerSet has the forwarding devices directly below a device, and the sets of these, each once.
type lowerSet struct {
	devices []*ir.Device
	below   []int32
}

func newLowerSets(f *ir.Fabric) *lowerSets {
	s := &lowerSets{of: make([]int32, len(f.Devices)), sets: make([]lowerSet, 1)} // 0 is the empty set
	var order []*ir.Device
	for _, d := range f.Devices {
		if d.Forwards() {
			order = append(order, d)
		}
	}
	slices.SortStableFunc(order, func(a, b *ir.Device) int { return cmp.Compare(a.Height(), b.Height()) })
	known := map[string]int32{"": 0}
	var lower []*ir.Device
	var below []int32
	var key []byte
	for _, d := range order {
		lower, below, key = lower[:0], below[:0], key[:0]
		for _, port := range d.Ports {
			if low := port.Peer().Device(); low.Forwards() && low.Height() < d.Height() {
				lower = append(lower, low)
			}
		}
		slices.SortFunc(lower, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
		lower = slices.Compact(lower)
		for _, low := range lower {
			key = binary.LittleEndian.AppendUint32(key, uint32(low.ID))
			below = append(below, s.of[low.ID])
		}
		set, ok := known[string(key)]
		if !ok {
			slices.Sort(below)
			set = int32(len(s.sets))
			known[string(key)] = set
			s.sets = append(s.sets, lowerSet{slices.Clone(lower), slices.Clone(slices.Compact(below))})
		}
		s.of[d.ID] = set
	}
	return s
}

// sums returns a function that sums what the members at a device and below it can send.
func (s *lowerSets) sums(ends map[*ir.Device]int) func(*ir.Device) int {
	sums := make([]int, len(s.sets))
	for i := range sums {
		sums[i] = -1
	}
	seenSet := make([]int32, len(s.sets))  // the set whose sum already counts the device; 0: none
	seenDevice := make([]int32, len(s.of)) // the same
	return func(d *ir.Device) int {
		from := s.of[d.ID]
		if sums[from] < 0 {
			sums[from] = 0
			for todo := []int32{from}; len(todo) > 0; {
				at := &s.sets[todo[len(todo)-1]]
				todo = todo[:len(todo)-1]
				for _, low := range at.devices {
					if seenDevice[low.ID] != from {
						seenDevice[low.ID] = from
						sums[from] += ends[low]
					}
				}
				for _, set := range at.below {
					if set != 0 && seenSet[set] != from {
						seenSet[set] = from
						todo = append(todo, set)
					}
				}
			}
		}
		return ends[d] + sums[from]
	}
}
