package validate

import (
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// UpDownNoPath reports members that up-down keeps from each other.
var UpDownNoPath = &Check{
	Code:    "up-down-no-path",
	Summary: "members without a path that goes up, then down",
	Doc: `
Under routing = "up-down" traffic rises through the tiers, takes at most one peer step and falls;
it never goes up again. Two members that are cabled together, but only over a way that comes down
and goes up again, cannot reach each other. Either a tier is wrong, or a cable is missing, or the
switches' routing is not up-down at all, and then the PFC-loop proof rests on nothing.

Example: hosts on two spines. Each reaches the leaves, but from spine to spine every way goes down
to a leaf and up again.

    switch "spine" {
      names = "spine[1-2]"
      tier  = 2
    }
    host "store" {
      names = "store[1-2]"
    }
    link "stores" {
      a = "store[1-2]:ens1f0"
      b = "spine[1-2]:swp9"
    }
    roce "training" { members = [host.store] }

How to mend it: hang the hosts on leaves, or on switches below the spines; correct the tiers; or
say which routing the fabric has.

    link "stores" {
      b = "leaf[1-2]:swp2"
    }
`,
	Run: func(p *Pass) {
		if p.Fabric.Routing != ir.UpDown {
			return
		}
		ways := map[int]*upDownWays{} // by version: RoCEv1 does not pass routed links
		for _, in := range p.Fabric.Intents {
			if ways[in.Version] == nil {
				ways[in.Version] = newUpDownWays(p.Fabric, in.Version)
			}
			p.noPath(in, ways[in.Version])
		}
	},
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

// bitset is a set of small numbers.
type bitset []uint64

func (s bitset) add(t bitset) {
	for i := range s {
		s[i] |= t[i]
	}
}

func (s bitset) put(i int) { s[i/64] |= 1 << (i % 64) }

// upDownWays tells which switches with members are joined by a path that goes up, then down.
type upDownWays struct {
	number map[*ir.Device]int // the switches with members
	reach  []bitset           // by number: the switches there is a path to
	island []int              // by Device.ID: what cables join at all
}

// newUpDownWays finds the paths of all intents of a version at once. From below, every device learns which switches it can
// fall to; from above, which it can rise to and fall from.
func newUpDownWays(f *ir.Fabric, version int) *upDownWays {
	usable := func(l *ir.Link) bool { return version != 1 || !l.Routed }
	w := &upDownWays{number: map[*ir.Device]int{}, island: islands(f, usable)}
	var at []*ir.Device
	for _, in := range f.Intents {
		for _, m := range in.Members {
			if d := attachedTo(m.NIC); in.Version == version && d != nil {
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
			if u := port.Peer().Device; u.Forwards() && usable(port.Link) {
				if s := from(u, port.Link); s != nil {
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

// noPath reports the first pair of in's members that are joined by cables but not by an up-down path, and counts
// the pairs of switches.
func (p *Pass) noPath(in *ir.Intent, w *upDownWays) {
	var at []*ir.Device
	first := map[*ir.Device]*ir.Member{}
	byIsland := map[int]bitset{}
	for _, m := range in.Members {
		if m.NIC.Bond != nil { // several ways in: the other may have a path
			continue
		}
		d := attachedTo(m.NIC)
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
	pairs := 0
	var a, b *ir.Device
	for _, d := range at {
		want, have := byIsland[w.island[d.ID]], w.reach[w.number[d]]
		for i := range want {
			lost := want[i] &^ have[i]
			if lost != 0 && a == nil {
				a = d
				b = at[slices.IndexFunc(at, func(d *ir.Device) bool { return w.number[d] == i*64+bits.TrailingZeros64(lost) })]
			}
			pairs += bits.OnesCount64(lost)
		}
	}
	if a == nil {
		return
	}
	more := ""
	if pairs > 2 {
		more = " (and so for " + diag.Count(pairs/2-1, "more pair") + " of switches)"
	}
	ma, mb := first[a], first[b]
	d := p.Errorf(in.At, "Members %s (at %s, tier %d) and %s (at %s, tier %d) of roce %q are joined by cables, but every way between "+
		"them comes down and goes up again, which up-down forbids%s. Correct the tiers, hang the hosts on the lowest "+
		"switches, or say which routing the fabric has.",
		nicName(ma.NIC), a.Name, a.Height(), nicName(mb.NIC), b.Name, b.Height(), in.Name, more)
	d.Note(ma.NIC.Port.At, "%s hangs on %s", nicName(ma.NIC), a.Name)
	d.Note(mb.NIC.Port.At, "%s hangs on %s", nicName(mb.NIC), b.Name)
	if p.Fabric.RoutingAt.Filename != "" {
		d.Note(p.Fabric.RoutingAt, "the routing")
	}
}

// islands returns, by Device.ID, a number for everything that usable links join.
func islands(f *ir.Fabric, usable func(*ir.Link) bool) []int {
	out := make([]int, len(f.Devices))
	n := 0
	for _, d := range f.Devices {
		if !d.Forwards() || out[d.ID] != 0 {
			continue
		}
		n++
		out[d.ID] = n
		for todo := []*ir.Device{d}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, port := range v.Ports {
				if u := port.Peer().Device; usable(port.Link) && u.Forwards() && out[u.ID] == 0 {
					out[u.ID] = n
					todo = append(todo, u)
				}
			}
		}
	}
	return out
}
