package change

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// judge returns the effect on the living fabric of a batch of devices that are away, or the reason why they may not be.
func (l *Living) judge(batch []*Task, r Rules) (Effect, *Refusal) {
	away := make([]bool, len(l.fabric.Devices))
	var gone []*ir.Device
	for _, t := range batch {
		if !t.Outage.Hitless() && t.Device.Forwards() {
			away[t.Device.ID] = true
			gone = append(gone, t.Device)
		}
	}
	v := &verdict{rules: r, Effect: Effect{Capacity: 100}}
	var hosts []*ir.Device // dark by their own change alone
	for _, t := range batch {
		if !t.Outage.Hitless() && !t.Device.Forwards() {
			hosts = append(hosts, t.Device)
		}
	}
	if len(gone) > 0 {
		v.mlag(l, gone)
		v.legs(l, gone)
		for _, t := range l.demands {
			v.demand(l, t, away, gone)
		}
	}
	attached := byID(v.Dark)
	v.Dark = nil
	for _, h := range attached {
		if l.linked(h, away) {
			v.Reduced = append(v.Reduced, h)
		} else {
			v.Dark = append(v.Dark, h)
		}
	}
	v.Dark = byID(append(v.Dark, hosts...))
	v.Reduced = slices.DeleteFunc(v.Reduced, func(h *ir.Device) bool { return slices.Contains(hosts, h) })
	switch most := r.MaxDark; {
	case most > 0 && len(v.Dark) > most:
		v.refuse(&Refusal{Why: TooDark, Hosts: v.Dark})
	case len(attached) > most && l.several(gone): // one device after another leaves fewer hosts dark at the same time
		v.refuse(&Refusal{Why: TooDark, Hosts: attached, Reduced: len(v.Reduced) > 0})
	}
	return v.Effect, v.why
}

// byID returns devices by ID, each once.
func byID(ds []*ir.Device) []*ir.Device {
	slices.SortFunc(ds, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(ds)
}

// linked reports whether a host keeps a link while devices are away.
func (l *Living) linked(h *ir.Device, away []bool) bool {
	return !away[h.ID] && slices.ContainsFunc(h.Ports, func(p *ir.Port) bool { return !l.down[p.Link().ID] && !away[p.Peer().Device().ID] })
}

// verdict is a judgement in progress.
type verdict struct {
	rules Rules
	Effect
	why *Refusal
}

// refuse keeps the first reason.
func (v *verdict) refuse(why *Refusal) {
	if v.why == nil {
		v.why = why
	}
}

// several reports whether more than one of the devices leaves hosts dark.
func (l *Living) several(devices []*ir.Device) bool {
	n := 0
	for _, d := range devices {
		if l.dark[d.ID] > 0 {
			n++
		}
	}
	return n > 1
}

// mlag checks that no MLAG pair loses both switches.
func (v *verdict) mlag(l *Living, gone []*ir.Device) {
	seen := map[string]bool{}
	for _, d := range gone {
		switch {
		case d.Switch == nil || d.Switch.MLAG == "":
			continue
		case seen[d.Switch.MLAG]:
			v.refuse(&Refusal{Why: LonePair})
		case v.rules.MinCapacity > 0 && l.isLone(d):
			v.refuse(&Refusal{Why: LonePair, Without: true})
		}
		seen[d.Switch.MLAG] = true
	}
}

// isLone reports whether a switch and its MLAG peer do not see each other, in either direction.
func (l *Living) isLone(d *ir.Device) bool {
	for other := range l.lone {
		if other.Switch.MLAG == d.Switch.MLAG {
			return true
		}
	}
	return false
}

// legs refuses a batch if a host is attached to two of the devices: by the legs of a bond, or by rails.
func (v *verdict) legs(l *Living, gone []*ir.Device) {
	if len(gone) < 2 {
		return
	}
	seen := map[*ir.Device]bool{}
	for _, d := range gone {
		for _, h := range l.hosts[d.ID] {
			if seen[h] {
				v.refuse(&Refusal{Why: LastLeg, Hosts: []*ir.Device{h}})
				return
			}
			seen[h] = true
		}
	}
}

// demand judges the members of one demand.
func (v *verdict) demand(l *Living, t *living, away []bool, gone []*ir.Device) {
	widths, passed := t.widths, false
	for _, d := range gone {
		passed = passed || t.widths.Transit[d.ID]
	}
	if passed {
		down := slices.Clone(l.down)
		for _, d := range gone {
			for _, p := range d.Ports {
				down[p.Link().ID] = true
			}
		}
		w, err := l.router.Widths(t.places, down, t.scratch)
		if err != nil {
			v.refuse(&Refusal{Why: Unrouted, Err: err})
			return
		}
		t.scratch, widths = w, w
		v.onTheWay(t, widths, away)
		v.passes(w)
	}
	v.passes(t.widths)
	up := make([][]int32, len(t.classes)) // by class: the places where it is still attached
	var touched []int
	for i, c := range t.classes {
		up[i] = c.living
		gone := func(at int32) bool { return away[t.places.Devices[at].ID] }
		if !slices.ContainsFunc(c.living, gone) {
			continue
		}
		up[i] = slices.DeleteFunc(slices.Clone(c.living), gone)
		if len(up[i]) > 0 {
			touched = append(touched, i)
			continue
		}
		v.Dark = append(v.Dark, c.hosts...)
		if len(c.described) > len(c.living) && v.rules.MinCapacity > 0 {
			v.refuse(&Refusal{Why: LastLeg, Hosts: c.hosts, Without: true})
		}
	}
	v.pairs(t, widths, up, touched)
}

// pairs compares the widths between classes with the widths before. Only pairs that can differ are compared: those with a class that lost a
// place, and those whose widths changed.
func (v *verdict) pairs(t *living, now *routes.Widths, up [][]int32, touched []int) {
	lost := make([]bool, len(t.classes))
	for _, i := range touched {
		lost[i] = true
	}
	cut := map[[2]int]bool{}
	to := make([]bool, len(t.classes))
	for i, a := range t.classes {
		if len(up[i]) == 0 {
			continue
		}
		every := lost[i]
		any := every || len(touched) > 0
		if now != t.widths && !every {
			clear(to)
			for _, at := range up[i] {
				before, row := t.widths.From(t.places.Devices[at]), now.From(t.places.Devices[at])
				for place := range row {
					if row[place] == before[place] {
						continue
					}
					for _, j := range t.at[place] {
						to[j], any = true, true
					}
				}
			}
		}
		if !any {
			continue
		}
		for j, b := range t.classes {
			itself := j == i && !(a.reserve && len(a.hosts) > 1)
			if !itself && len(up[j]) > 0 && (every || lost[j] || now != t.widths && to[j]) && v.pair(t, now, a, b, up[i], up[j]) {
				cut[[2]int{min(i, j), max(i, j)}] = true
			}
		}
	}
	v.cuts(t, cut)
}

// cuts records the hosts that cannot communicate.
func (v *verdict) cuts(t *living, cut map[[2]int]bool) {
	of := map[int][]int{}
	for pair := range cut {
		of[pair[0]] = append(of[pair[0]], pair[1])
	}
	for _, i := range slices.Sorted(maps.Keys(of)) {
		slices.Sort(of[i])
		var from []*ir.Device
		for _, j := range of[i] {
			from = append(from, t.classes[j].hosts...)
		}
		v.Cut = append(v.Cut, Cut{t.classes[i].hosts, from})
		if v.rules.MinCapacity > 0 {
			v.refuse(&Refusal{Why: CutsOff, Hosts: t.classes[i].hosts, From: from})
		}
	}
}

// below returns the rule that the living fabric breaks before any change; nil: none.
func (l *Living) below(r Rules) *Refusal {
	v := &verdict{rules: r, Effect: Effect{Capacity: 100}}
	for _, t := range l.demands {
		v.onTheWay(t, t.widths, make([]bool, len(l.fabric.Devices)))
		up := make([][]int32, len(t.classes))
		all := make([]int, len(t.classes))
		for i, c := range t.classes {
			up[i], all[i] = c.living, i
		}
		v.pairs(t, t.widths, up, all)
	}
	if v.why != nil {
		v.why.Without = true
	}
	return v.why
}

// onTheWay compares the widths of devices without members with their described widths.
func (v *verdict) onTheWay(t *living, now *routes.Widths, away []bool) {
	for stop, d := range now.Stops {
		if t.place[d.ID] >= 0 || away[d.ID] {
			continue
		}
		for i, was := range t.described.At(stop) {
			if is := now.At(stop)[i]; is > 0 && is < was {
				v.narrow(int(is), int(was), d, t.places.Devices[i])
			}
		}
	}
}

// pair compares the rate from one class to another with the described rate, and reports whether the classes are cut off.
func (v *verdict) pair(t *living, now *routes.Widths, a, b *class, from, to []int32) (cut bool) {
	if a.reserve || b.reserve {
		for _, x := range from {
			for _, y := range to {
				if x != y && t.between(now, x, y) == 0 && t.between(t.widths, x, y) > 0 {
					return true
				}
			}
		}
	}
	if meet(from, to) {
		return false
	}
	is := t.way(now, from, to)
	if is == 0 {
		return meet(a.living, b.living) || t.way(t.widths, a.living, b.living) > 0
	}
	// If a host loses a leg, the paths between its other places do not become narrower.
	v.narrow(is, t.way(t.described, a.living, b.living), t.places.Devices[from[0]], t.places.Devices[to[0]])
	return false
}

// narrow records which share of a path's capacity is left.
func (v *verdict) narrow(is, was int, at, to *ir.Device) {
	if was == 0 {
		return
	}
	if percent := 100 * is / was; percent < v.Capacity {
		v.Capacity, v.Narrow, v.Towards = percent, at, to
		if percent < v.rules.MinCapacity {
			v.refuse(&Refusal{Why: TooNarrow, Capacity: percent, Narrow: at, Towards: to})
		}
	}
}

// meet reports whether two classes are attached to one device.
func meet(a, b []int32) bool {
	return slices.ContainsFunc(a, func(at int32) bool { return slices.Contains(b, at) })
}

// between returns the rate from one place to another, in Mb/s.
func (t *demand) between(w *routes.Widths, from, to int32) int32 {
	return w.From(t.places.Devices[from])[to]
}

// way returns the rate from the places of one class to the places of another, in Mb/s.
func (t *demand) way(w *routes.Widths, from, to []int32) int {
	sum := 0
	for _, f := range from {
		row := w.From(t.places.Devices[f])
		best := int32(0)
		for _, at := range to {
			best = max(best, row[at])
		}
		sum += int(best)
	}
	return sum
}

// Check reports why a wave may not begin in the fabric as it is now; nil: it may. A wave may begin if it darkens or cuts off only devices
// that its plan announced.
func (l *Living) Check(w *Wave, r Rules) *Refusal {
	if w.Outage.Hitless() || w.Stream {
		return nil
	}
	first := w.Tasks[0]
	if why := l.below(r); why != nil {
		why.Task = first
		return why
	}
	e, why := l.judge(w.Tasks, r)
	if why == nil {
		why = w.beyond(e)
	}
	if why != nil {
		why.Task = first
	}
	return why
}

// beyond returns the part of an effect that the plan of the wave did not announce.
func (w *Wave) beyond(e Effect) *Refusal {
	announced := map[*ir.Device]bool{} // true: all links, false: some
	for _, h := range w.Reduced {
		announced[h] = false
	}
	for _, h := range w.Dark {
		announced[h] = true
	}
	fresh := slices.DeleteFunc(slices.Clone(e.Dark), func(h *ir.Device) bool { return announced[h] })
	for _, h := range e.Reduced {
		if _, ok := announced[h]; !ok {
			fresh = append(fresh, h)
		}
	}
	if len(fresh) > 0 {
		return &Refusal{Why: LastLeg, Hosts: fresh, Without: true}
	}
	from := map[*ir.Device][]map[*ir.Device]bool{} // the hosts that a host was planned to be cut off from
	set := func(ds []*ir.Device) map[*ir.Device]bool {
		m := make(map[*ir.Device]bool, len(ds))
		for _, d := range ds {
			m[d] = true
		}
		return m
	}
	for _, c := range w.Cut {
		hosts, others := set(c.Hosts), set(c.From)
		for h := range hosts {
			from[h] = append(from[h], others)
		}
		for h := range others {
			from[h] = append(from[h], hosts)
		}
	}
	for _, c := range e.Cut {
		for _, a := range c.Hosts {
			for _, b := range c.From {
				if !slices.ContainsFunc(from[a], func(m map[*ir.Device]bool) bool { return m[b] }) {
					return &Refusal{Why: CutsOff, Hosts: []*ir.Device{a}, From: []*ir.Device{b}}
				}
			}
		}
	}
	return nil
}
