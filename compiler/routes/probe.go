package routes

import (
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// probe asks what the failure of some links changes in a state. It holds the scratch for that.
type probe struct {
	*wires
	links   []int32
	failed  []bool // by Link.ID
	touched []bool // by vertex: a failed link is there

	seen, now, then []uint64 // by device
	level, next     []int32
	candidate       []bool // by device
	candidates      []int32
}

func newProbe(w *wires) *probe {
	n := w.devices
	return &probe{
		wires: w, failed: make([]bool, len(w.ends)), touched: make([]bool, w.vertices()),
		seen: make([]uint64, n), now: make([]uint64, n), then: make([]uint64, n), candidate: make([]bool, n),
	}
}

// probe returns the probe for some links. The caller puts it back into probes.
func (w *wires) probe(links []int32) *probe {
	p := w.probes.Get().(*probe)
	for _, id := range p.links {
		p.mark(id, false)
	}
	p.links = append(p.links[:0], links...)
	for _, id := range links {
		p.mark(id, true)
	}
	return p
}

func (p *probe) mark(id int32, fails bool) {
	p.failed[id] = fails
	for _, v := range p.ends[id] {
		p.touched[v] = fails
	}
}

// target is a destination of talks that use a fan.
type target struct {
	vertex int32
	fan    int
}

// farther returns the destinations that come to be farther away from somebody who talks to them, yet in reach. With twins
// it asks once for all twins, and returns them all.
func (p *probe) farther(t *twins, b *ir.Budget) ([]target, error) {
	var out []target
	for fan, spoken := range p.spoken {
		if !spoken {
			continue
		}
		if err := p.findCandidates(fan, b); err != nil {
			return nil, err
		}
		asked := map[int32]int32{} // lowest twin to the twin asked
		var ask []int32
		for _, d := range p.candidates {
			if p.touched[d] {
				ask = append(ask, d)
			} else if _, known := asked[t.lowest[d]]; !known {
				asked[t.lowest[d]] = d
				ask = append(ask, d)
			}
		}
		yes := map[int32]bool{}
		for part := range slices.Chunk(ask, 32) {
			if !b.Spend(2 * p.fans[fan].steps()) {
				return nil, ir.ErrBudget
			}
			for i, far := 0, p.fartherOf(part, fan); i < len(part); i++ {
				yes[part[i]] = far&(1<<(2*i)) != 0
			}
		}
		for _, d := range p.candidates {
			if yes[d] || !p.touched[d] && yes[asked[t.lowest[d]]] {
				out = append(out, target{d, fan})
			}
		}
	}
	return out, nil
}

// moving returns the destinations to which the distance of some device changes, and perhaps more.
func (p *probe) moving(b *ir.Budget) ([]target, error) {
	var out []target
	for fan, spoken := range p.spoken {
		if !spoken {
			continue
		}
		if err := p.findCandidates(fan, b); err != nil {
			return nil, err
		}
		for _, d := range p.candidates {
			out = append(out, target{d, fan})
		}
	}
	return out, nil
}

// Of a word, the even lanes are the state before the links fail, and the odd ones that after.
const before, after = 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa

// findCandidates lists the destinations to which some distance changes, and perhaps more.
func (p *probe) findCandidates(fan int, b *ir.Budget) error {
	for _, v := range p.candidates {
		if v < int32(p.devices) {
			p.candidate[v] = false
		}
	}
	p.candidates = p.candidates[:0]
	var starts []int32
	for _, id := range p.links {
		if e := p.ends[id]; max(e[0], e[1]) < int32(p.devices) && (fan == everywhere || !p.fabric.Links[id].Routed) {
			starts = append(starts, e[0], e[1])
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	var met []int32
	for part := range slices.Chunk(starts, 32) {
		if !b.Spend(2 * p.fans[fan].steps()) {
			return ir.ErrBudget
		}
		p.begin()
		for i, v := range part {
			p.start(v, 3<<(2*i))
		}
		p.spread(fan, func(v int32, fresh, _ uint64) bool {
			if !p.candidate[v] && (fresh^fresh>>1)&before != 0 {
				p.candidate[v] = true
				met = append(met, v)
			}
			return true
		})
	}
	slices.Sort(met)
	var members []int32
	for _, v := range met {
		to, _ := p.hung.at(v)
		members = append(members, to...)
	}
	for _, id := range p.links {
		if m := max(p.ends[id][0], p.ends[id][1]); m >= int32(p.devices) {
			members = append(members, m)
		}
	}
	slices.Sort(members)
	for _, v := range slices.Compact(append(met, members...)) {
		if p.hears(v, fan) {
			p.candidates = append(p.candidates, v)
		} else if v < int32(p.devices) {
			p.candidate[v] = false
		}
	}
	return nil
}

// fartherOf tells which of up to 32 destinations come to be farther away from somebody who talks to them: bit 2i is
// set for the i-th.
func (p *probe) fartherOf(part []int32, fan int) uint64 {
	p.begin()
	for i, d := range part {
		if d < int32(p.devices) {
			p.start(d, 3<<(2*i))
			continue
		}
		to, link := p.hung.at(d)
		for j, v := range to {
			lanes := uint64(3)
			if p.failed[link[j]] {
				lanes = 1
			}
			p.start(v, lanes<<(2*i))
		}
	}
	var far uint64
	all := (uint64(1)<<(2*len(part)) - 1) & before
	p.spread(fan, func(v int32, fresh, seen uint64) bool {
		late := fresh >> 1 & before & seen &^ far
		for ; late != 0; late &= late - 1 {
			if i := bits.TrailingZeros64(late); p.speaks(v, part[i/2], fan) {
				far |= 1 << i
			}
		}
		return far != all
	})
	return far
}

func (p *probe) begin() {
	clear(p.seen)
	clear(p.now)
	p.level = p.level[:0]
}

func (p *probe) start(v int32, lanes uint64) {
	if p.now[v] == 0 {
		p.level = append(p.level, v)
	}
	p.now[v] |= lanes
}

// spread searches breadth first from the starts. It calls meet for every device on every level at which some lanes come
// to it first, with these and those that came before, until it wants no more.
func (p *probe) spread(fan int, meet func(v int32, fresh, seen uint64) (more bool)) {
	f := &p.fans[fan]
	more := true
	for _, v := range p.level {
		more = more && meet(v, p.now[v], 0)
		p.seen[v] = p.now[v]
	}
	for more && len(p.level) > 0 {
		p.next = p.next[:0]
		for _, v := range p.level {
			lanes := p.now[v]
			to, link := f.at(v)
			if p.touched[v] {
				p.spreadAround(lanes, to, link)
				continue
			}
			for _, u := range to {
				if fresh := lanes &^ p.seen[u]; fresh != 0 {
					if p.then[u] == 0 {
						p.next = append(p.next, u)
					}
					p.then[u] |= fresh
				}
			}
		}
		for _, u := range p.next {
			fresh := p.then[u]
			p.then[u] = 0
			more = more && meet(u, fresh, p.seen[u])
			p.seen[u] |= fresh
			p.now[u] = fresh
		}
		p.level, p.next = p.next, p.level
	}
}

// spreadAround is a step of spread at a device some of whose links fail.
func (p *probe) spreadAround(lanes uint64, to, link []int32) {
	for i, u := range to {
		fresh := lanes &^ p.seen[u]
		if p.failed[link[i]] {
			fresh &= before
		}
		if fresh != 0 {
			if p.then[u] == 0 {
				p.next = append(p.next, u)
			}
			p.then[u] |= fresh
		}
	}
}

// reaches tells whether there still is a way between a device and a destination.
func (p *probe) reaches(device int32, d target) bool {
	p.begin()
	p.start(device, after)
	found := false
	to, link := p.hung.at(d.vertex)
	p.spread(d.fan, func(v int32, _, _ uint64) bool {
		found = v == d.vertex
		for i, u := range to {
			found = found || d.vertex >= int32(p.devices) && u == v && !p.failed[link[i]]
		}
		return !found
	})
	return found
}

// classesAt returns the classes of which some member is one of the targets.
func (w *wires) classesAt(classes []*class, targets []target) []*class {
	chosen := [2][]bool{make([]bool, w.vertices()), make([]bool, w.vertices())}
	members := false
	for _, t := range targets {
		chosen[t.fan][t.vertex] = true
		members = members || t.vertex >= int32(w.devices)
	}
	var out []*class
	for _, c := range classes {
		of := chosen[everywhere]
		if c.talk.bridged {
			of = chosen[bridgedOnly]
		}
		if len(c.at) == 1 && of[c.at[0]] || members && slices.ContainsFunc(c.members, func(m member) bool {
			at, known := w.memberAt[m[0]]
			return known && of[at]
		}) {
			out = append(out, c)
		}
	}
	return out
}
