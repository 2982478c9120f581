package failures

import (
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Probe finds the changes in a state if some links fail. It contains the scratch space for the search.
type Probe struct {
	*State
	links   []int32
	failed  []bool // by Link.ID
	touched []bool // by vertex: a failed link ends here

	seen, now, then []uint64 // by device
	level, next     []int32
	candidate       []bool // by device
	candidates      []int32
}

func newProbe(w *State) *Probe {
	n := w.devices
	return &Probe{
		State: w, failed: make([]bool, len(w.Ends)), touched: make([]bool, w.size()),
		seen: make([]uint64, n), now: make([]uint64, n), then: make([]uint64, n), candidate: make([]bool, n),
	}
}

// Probe returns a probe for the failure of some links. The caller puts it back into Probes.
func (w *State) Probe(links []int32) *Probe {
	p := w.Probes.Get().(*Probe)
	for _, id := range p.links {
		p.mark(id, false)
	}
	p.links = append(p.links[:0], links...)
	for _, id := range links {
		p.mark(id, true)
	}
	return p
}

func (p *Probe) mark(id int32, fails bool) {
	p.failed[id] = fails
	for _, v := range p.Ends[id] {
		p.touched[v] = fails
	}
}

// Target is a destination of conversations that use a subgraph.
type Target struct {
	vertex int32
	sub    int
}

// Farther returns the destinations that get farther away from a vertex that talks to them, yet stay reachable. It evaluates one of several
// twins, and returns all of them.
func (p *Probe) Farther(t *Orbits, b *ir.Budget) ([]Target, error) {
	var out []Target
	for sub, used := range p.used {
		if !used {
			continue
		}
		if err := p.findCandidates(sub, b); err != nil {
			return nil, err
		}
		asked := map[int32]int32{} // from the lowest twin to the evaluated twin
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
			if !b.Spend(2 * p.subs[sub].Cost()) {
				return nil, ir.ErrBudget
			}
			for i, far := 0, p.fartherOf(part, sub); i < len(part); i++ {
				yes[part[i]] = far&(1<<(2*i)) != 0
			}
		}
		for _, d := range p.candidates {
			if yes[d] || !p.touched[d] && yes[asked[t.lowest[d]]] {
				out = append(out, Target{d, sub})
			}
		}
	}
	return out, nil
}

// Moving returns all destinations to which the distance of some device changes, and possibly others.
func (p *Probe) Moving(b *ir.Budget) ([]Target, error) {
	var out []Target
	for sub, used := range p.used {
		if !used {
			continue
		}
		if err := p.findCandidates(sub, b); err != nil {
			return nil, err
		}
		for _, d := range p.candidates {
			out = append(out, Target{d, sub})
		}
	}
	return out, nil
}

// The even lanes of a word are the state before the links fail, and the odd lanes the state after.
const before, after = 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa

// findCandidates lists all destinations to which some distance changes, and possibly others.
func (p *Probe) findCandidates(sub int, b *ir.Budget) error {
	for _, v := range p.candidates {
		if v < int32(p.devices) {
			p.candidate[v] = false
		}
	}
	p.candidates = p.candidates[:0]
	var starts []int32
	for _, id := range p.links {
		if e := p.Ends[id]; max(e[0], e[1]) < int32(p.devices) && (sub == wholeGraph || !p.Fabric.Links[id].Routed) {
			starts = append(starts, e[0], e[1])
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	var met []int32
	for part := range slices.Chunk(starts, 32) {
		if !b.Spend(2 * p.subs[sub].Cost()) {
			return ir.ErrBudget
		}
		p.begin()
		for i, v := range part {
			p.start(v, 3<<(2*i))
		}
		p.spread(sub, func(v int32, fresh, _ uint64) bool {
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
		to, _ := p.attached.At(v)
		members = append(members, to...)
	}
	for _, id := range p.links {
		if m := max(p.Ends[id][0], p.Ends[id][1]); m >= int32(p.devices) {
			members = append(members, m)
		}
	}
	slices.Sort(members)
	for _, v := range slices.Compact(append(met, members...)) {
		if p.isDestination(v, sub) {
			p.candidates = append(p.candidates, v)
		} else if v < int32(p.devices) {
			p.candidate[v] = false
		}
	}
	return nil
}

// fartherOf returns which of up to 32 destinations get farther away from a vertex that talks to them: bit 2i is set for the i-th.
func (p *Probe) fartherOf(part []int32, sub int) uint64 {
	p.begin()
	for i, d := range part {
		if d < int32(p.devices) {
			p.start(d, 3<<(2*i))
			continue
		}
		to, link := p.attached.At(d)
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
	p.spread(sub, func(v int32, fresh, seen uint64) bool {
		late := fresh >> 1 & before & seen &^ far
		for ; late != 0; late &= late - 1 {
			if i := bits.TrailingZeros64(late); p.sendsTo(v, part[i/2], sub) {
				far |= 1 << i
			}
		}
		return far != all
	})
	return far
}

func (p *Probe) begin() {
	clear(p.seen)
	clear(p.now)
	p.level = p.level[:0]
}

func (p *Probe) start(v int32, lanes uint64) {
	if p.now[v] == 0 {
		p.level = append(p.level, v)
	}
	p.now[v] |= lanes
}

// spread searches breadth first from the starts. On every level it calls meet for each device that some lanes reach for the first time,
// with the new lanes and the earlier ones. It ends when meet returns false.
func (p *Probe) spread(sub int, meet func(v int32, fresh, seen uint64) (more bool)) {
	f := &p.subs[sub]
	more := true
	for _, v := range p.level {
		more = more && meet(v, p.now[v], 0)
		p.seen[v] = p.now[v]
	}
	for more && len(p.level) > 0 {
		p.next = p.next[:0]
		for _, v := range p.level {
			lanes := p.now[v]
			to, link := f.At(v)
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

// spreadAround is a step of spread at a device with failed links.
func (p *Probe) spreadAround(lanes uint64, to, link []int32) {
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

// reaches reports whether there is still a path between a device and a destination.
func (p *Probe) reaches(device int32, d Target) bool {
	p.begin()
	p.start(device, after)
	found := false
	to, link := p.attached.At(d.vertex)
	p.spread(d.sub, func(v int32, _, _ uint64) bool {
		found = v == d.vertex
		for i, u := range to {
			found = found || d.vertex >= int32(p.devices) && u == v && !p.failed[link[i]]
		}
		return !found
	})
	return found
}

// ClassesAt returns the classes with a member among the targets.
func (w *State) ClassesAt(classes []*graph.Class, targets []Target) []*graph.Class {
	chosen := [2][]bool{make([]bool, w.size()), make([]bool, w.size())}
	members := false
	for _, t := range targets {
		chosen[t.sub][t.vertex] = true
		members = members || t.vertex >= int32(w.devices)
	}
	var out []*graph.Class
	for _, c := range classes {
		of := chosen[wholeGraph]
		if c.Conversation.Bridged {
			of = chosen[bridgedPart]
		}
		if len(c.At) == 1 && of[c.At[0]] || members && slices.ContainsFunc(c.Members, func(m graph.Member) bool {
			at, known := w.memberVertex[m[0]]
			return known && of[at]
		}) {
			out = append(out, c)
		}
	}
	return out
}
