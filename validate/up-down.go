package validate

import (
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/walk"
)

// The search for members without a path under up-down.

// apart has members of an intent that cables join, but no path that goes up and then down.
type apart struct {
	intent *ir.Intent
	a, b   *ir.Member // the first such pair
	pairs  int        // pairs of switches with members
}

// keptApart returns the intents with members that have no path to each other. Bonds are left out: they have several ports, and another
// port may have a path.
func keptApart(f *ir.Fabric) []apart {
	var out []apart
	ways := map[int]*upDownWays{} // by version, because RoCEv1 does not pass routed links
	for _, in := range f.Intents {
		if ways[in.Version] == nil {
			ways[in.Version] = newUpDownWays(f, in.Version)
		}
		if k := ways[in.Version].apart(in); k.a != nil {
			out = append(out, k)
		}
	}
	return out
}

// upDownWays has the pairs of switches with members that a path joins which goes up and then down.
type upDownWays struct {
	number map[*ir.Device]int // the switches with members
	reach  []bitset           // by number: the switches to which it has a path
	island []int              // by Device.ID: the part of the network that cables join
}

// newUpDownWays finds the paths of all intents of a version at once. A pass from the lowest devices up finds the switches that each device
// reaches downwards. A pass from the highest down adds those that it reaches by going up first.
func newUpDownWays(f *ir.Fabric, version int) *upDownWays {
	usable := func(l *ir.Link) bool { return version != 1 || !l.Routed }
	w := &upDownWays{number: map[*ir.Device]int{}, island: walk.Islands(f, usable)}
	var at []*ir.Device
	for _, in := range f.Intents {
		for _, m := range in.Members {
			if d := walk.AttachedTo(m.NIC); in.Version == version && d != nil {
				if _, known := w.number[d]; !known {
					w.number[d] = len(at)
					at = append(at, d)
				}
			}
		}
	}
	order := byHeight(f)
	words := (len(at) + 63) / 64
	sets := make([]uint64, 2*words*len(order))
	place := make([]int, len(f.Devices))
	for i, d := range order {
		place[d.ID] = i
	}
	set := func(kind int, d *ir.Device) bitset {
		i := (2*place[d.ID] + kind) * words
		return sets[i : i+words]
	}
	const fall, rise = 0, 1
	for i, d := range at {
		set(fall, d).put(i)
	}
	spread := func(d *ir.Device, to bitset, from func(u *ir.Device, l *ir.Link) bitset) {
		for _, port := range d.Ports {
			if u := port.Peer().Device(); u.Forwards() && usable(port.Link()) {
				if s := from(u, port.Link()); s != nil {
					to.add(s)
				}
			}
		}
	}
	for _, d := range order {
		spread(d, set(fall, d), func(u *ir.Device, _ *ir.Link) bitset {
			if u.Height() < d.Height() {
				return set(fall, u)
			}
			return nil
		})
	}
	for _, d := range slices.Backward(order) {
		set(rise, d).add(set(fall, d))
		spread(d, set(rise, d), func(u *ir.Device, l *ir.Link) bitset {
			switch {
			case u.Height() > d.Height():
				return set(rise, u)
			case u.Height() == d.Height() && l.Peer:
				return set(fall, u)
			}
			return nil
		})
	}
	for _, d := range at {
		w.reach = append(w.reach, set(rise, d))
	}
	return w
}

// apart returns the members of an intent without a path between them.
func (w *upDownWays) apart(in *ir.Intent) apart {
	var at []*ir.Device
	first := map[*ir.Device]*ir.Member{}
	byIsland := map[int]bitset{}
	for _, m := range in.Members {
		if m.NIC.Bond != nil {
			continue
		}
		d := walk.AttachedTo(m.NIC)
		if d == nil || first[d] != nil {
			continue
		}
		first[d] = m
		at = append(at, d)
		if byIsland[w.island[d.ID]] == nil {
			byIsland[w.island[d.ID]] = make(bitset, len(w.reach[0]))
		}
		byIsland[w.island[d.ID]].put(w.number[d])
	}
	k := apart{intent: in}
	for _, d := range at {
		want, have := byIsland[w.island[d.ID]], w.reach[w.number[d]]
		for i := range want {
			lost := want[i] &^ have[i]
			if lost != 0 && k.a == nil {
				k.a = first[d]
				k.b = first[at[slices.IndexFunc(at, func(d *ir.Device) bool { return w.number[d] == i*64+bits.TrailingZeros64(lost) })]]
			}
			k.pairs += bits.OnesCount64(lost)
		}
	}
	k.pairs /= 2 // each pair was counted from both ends
	return k
}

// byHeight returns the devices that forward, lowest first.
func byHeight(f *ir.Fabric) []*ir.Device {
	var out []*ir.Device
	for _, d := range f.Devices {
		if d.Forwards() {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b *ir.Device) int { return a.Height() - b.Height() })
	return out
}

// bitset is a set of small integers.
type bitset []uint64

func (s bitset) add(t bitset) {
	for i := range s {
		s[i] |= t[i]
	}
}

func (s bitset) put(i int) { s[i/64] |= 1 << (i % 64) }
