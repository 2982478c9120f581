package validate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// What a way out costs: how much farther apart members are, in cables, while nothing has failed.

// cost is of the pairs of switches with members that talk.
type cost struct {
	pairs, longer, lost int
	before, after       int    // cables of the pairs that are not lost, added up
	worst               [2]int // cables before and after, of the pair that suffers most
	every               int    // only from every so many switches was it measured
}

// worse compares costs: first by pairs lost, then by length.
func (c cost) worse(than cost) int {
	return cmp.Or(cmp.Compare(c.lost, than.lost), cmp.Compare(c.after, than.after), cmp.Compare(c.longer, than.longer))
}

func (c cost) text() string {
	s := "no pair that talks goes a longer way"
	of := fmt.Sprintf("%s of switches that talk", diag.Count(c.pairs, "pair"))
	if c.longer > 0 {
		s = fmt.Sprintf("%s of %s %s a longer way, at most %s instead of %d; over all, ways are %.2f times as long", diag.Number(c.longer), of,
			diag.Plural(c.longer, "goes", "go"), diag.Count(c.worst[1], "cable"), c.worst[0], float64(c.after)/float64(max(c.before, 1)))
	}
	if c.lost > 0 {
		s += fmt.Sprintf("; %s of %s %s each other", diag.Number(c.lost), of, diag.Plural(c.lost, "loses", "lose"))
	}
	if c.every > 1 {
		s += fmt.Sprintf("; measured from one in %d switches", c.every)
	}
	return s
}

// price says what the fabric with a change costs; empty where there is none.
func (a *adviser) price(changed *ir.Fabric, free bool) string {
	if !free {
		return ""
	}
	valleys := changed.Routing != ir.UpDown && changed.Routing != ir.EBGP
	return a.cost(newRuler(changed, valleys, nil)).text()
}

// maxMeasured bounds the work of one measurement, in cables looked at.
const maxMeasured = 3_000_000

// speaker is a switch with members, those it is asked how far they are from, and how far they are as the fabric is.
type speaker struct {
	at      int // Device.ID
	bridged bool
	to      []int // Device.ID, higher ones only
	before  []int
}

// cost measures the distances of members by a ruler, beside those there are. In a large fabric it does so from some of the switches.
func (a *adviser) cost(after *ruler) cost {
	if a.speakers == nil {
		a.listen()
	}
	c := cost{every: a.every}
	a.budget.Spend(2 * len(a.speakers) * len(a.Fabric.Links))
	for _, s := range a.speakers {
		after.measure(s.at, s.bridged)
		for i, d := range s.to {
			c.add(s.before[i], after.to(d))
		}
	}
	return c
}

// listen finds out who talks with whom, and over how many cables.
func (a *adviser) listen() {
	f := a.Fabric
	var all [][]int // by intent, where its members are
	sources := 0
	for _, in := range f.Intents {
		var at []int
		for _, m := range in.Members {
			if d := walk.AttachedTo(m.NIC); d != nil && slices.Contains(a.Groups, in.Group) {
				at = append(at, d.ID)
			}
		}
		slices.Sort(at)
		at = slices.Compact(at)
		all = append(all, at)
		sources += len(at)
	}
	a.every = 1 + sources*2*len(f.Links)/maxMeasured
	type key struct {
		at      int
		bridged bool
	}
	a.speakers = []*speaker{}
	known := map[key]*speaker{}
	for n, in := range f.Intents {
		for i, d := range all[n] {
			k := key{d, in.Version == 1}
			if known[k] == nil {
				if i%a.every != 0 {
					continue
				}
				known[k] = &speaker{at: d, bridged: k.bridged}
				a.speakers = append(a.speakers, known[k])
			}
			known[k].to = append(known[k].to, all[n][i+1:]...)
		}
	}
	before := newRuler(f, true, nil)
	for _, s := range a.speakers {
		slices.Sort(s.to)
		s.to = slices.Compact(s.to)
		before.measure(s.at, s.bridged)
		for _, d := range s.to {
			s.before = append(s.before, before.to(d))
		}
	}
}

// add notes a pair with so many cables between, before and after; -1: no way.
func (c *cost) add(before, after int) {
	switch {
	case before < 0:
		return
	case after < 0:
		c.lost++
	default:
		c.before += before
		c.after += after
		if after > before {
			c.longer++
			if after-before > c.worst[1]-c.worst[0] || after-before == c.worst[1]-c.worst[0] && after > c.worst[1] {
				c.worst = [2]int{before, after}
			}
		}
	}
	c.pairs++
}

// ruler measures distances from one device: of the shortest ways, or where valleys are forbidden of the shortest that rise, take at
// most one step to a peer, and fall.
type ruler struct {
	f       *ir.Fabric
	height  []int // by Device.ID
	valleys bool
	without *ir.Link

	dist  []int // by Device.ID: cables of a way that may go on as it likes; -1: none
	fell  []int // of one that came down or took a step to a peer, and now falls
	queue []int
}

// newRuler returns a ruler of the ways in a fabric without a link.
func newRuler(f *ir.Fabric, valleys bool, without *ir.Link) *ruler {
	n := len(f.Devices)
	r := &ruler{f: f, valleys: valleys, without: without, height: make([]int, n), dist: make([]int, n), fell: make([]int, n)}
	for i, d := range f.Devices {
		r.height[i] = d.Height()
	}
	return r
}

// to returns the cables to a device; -1: no way.
func (r *ruler) to(d int) int {
	if r.dist[d] < 0 || r.fell[d] >= 0 && r.fell[d] < r.dist[d] {
		return r.fell[d]
	}
	return r.dist[d]
}

// measure finds the distances from a device to all others, over bridged links only or over all.
func (r *ruler) measure(from int, bridged bool) {
	for i := range r.dist {
		r.dist[i], r.fell[i] = -1, -1
	}
	r.dist[from] = 0
	r.queue = append(r.queue[:0], 2*from)
	for i := 0; i < len(r.queue); i++ {
		d, falls := r.queue[i]/2, r.queue[i]%2 == 1
		now := r.dist[d]
		if falls {
			now = r.fell[d]
		}
		for _, p := range r.f.Devices[d].Ports {
			other := p.Peer().Device()
			n := other.ID
			if !other.Forwards() || p.Link() == r.without || bridged && p.Link().Routed {
				continue
			}
			next, to := r.dist, 2*n
			if !r.valleys {
				rises, level := r.height[n] > r.height[d], r.height[n] == r.height[d]
				switch {
				case falls && (rises || level), level && !p.Link().Peer:
					continue
				case !rises:
					next, to = r.fell, 2*n+1
				}
			}
			if next[n] < 0 {
				next[n] = now + 1
				r.queue = append(r.queue, to)
			}
		}
	}
}
