package proof

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// extra is the budget of one note, warning or way out after the verdict: a two-hundredth of the remaining budget.
func (p *prover) extra() *ir.Budget { return ir.NewBudget(p.budget.Left() / 200) }

// beside finds additional facts about a verdict. For a verdict on shortest paths, it finds how many failures would change it, and circles
// while routing converges. These two have separate budgets. For a circle, it finds a cable to take out.
func (p *prover) beside() {
	if p.Verdict == Prone && len(Failed(p.Loops[0].Down)) == len(p.Loops[0].Down) { // no planned cable is among them
		p.Cut = p.cut()
	}
	if p.followed == nil {
		return
	}
	some, others := p.extra(), p.extra()
	var notes []Note
	var wait sync.WaitGroup
	wait.Go(func() { notes = p.fewest(p.followed.anew(some), p.Failures) })
	p.transients(p.followed.anew(others))
	wait.Wait()
	p.Notes = append(notes, p.Notes...)
}

// anew returns the failures judged so far, with another budget and separate scratch memory.
func (f *failures) anew(budget *ir.Budget) *failures {
	own, j := *f, *f.judge
	j.budget, j.walker, j.base = budget, &walker{}, &base{graph: f.base.graph, apart: f.base.apart}
	own.judge = &j
	return &own
}

// mostLevels bounds the number of failures, beyond those that the fabric must tolerate, that are tried. A larger budget raises it to one
// for each levelCost steps of the search, if that is more.
const (
	mostLevels = 64
	levelCost  = 500_000
)

// fewest searches the smallest number of failures that makes a free fabric prone, and returns notes about it.
func (p *Proof) fewest(f *failures, free int) (notes []Note) {
	links := len(p.Fabric.Links)
	hint := result{}
	if half := f.halves(); len(half) > free && len(half) <= links {
		if hint = f.state(half); hint.mixed != "" || hint.err != nil {
			hint.parts = nil
		}
	}
	if hint.parts != nil {
		f.most = len(hint.down) - 1
	}
	k, most := free+1, max(mostLevels, int(f.budget.Left()/levelCost))
	for ; k <= min(links, free+most) && (hint.parts == nil || k < len(hint.down)); k++ {
		if f.unasked(k) && !f.budget.Spend(links) {
			break
		}
		r, _, _ := f.level(k)
		if r.parts != nil && r.mixed == "" {
			return []Note{{Code: FewestFailures, Links: r.down}}
		}
		if r.parts != nil || r.err != nil {
			break
		}
	}
	covered := k - 1
	if hint.parts != nil {
		if covered == len(hint.down)-1 {
			return []Note{{Code: FewestFailures, Links: hint.down}}
		}
		notes = append(notes, Note{Code: SomeFailures, Links: hint.down, Ended: true})
	}
	switch {
	case covered >= links:
		notes = append(notes, Note{Code: NeverProne})
	case covered > free && f.followed == 0:
		notes = append(notes, Note{Code: SamePaths, Down: covered, Ended: true})
	case covered > free:
		notes = append(notes, Note{Code: FreeBeyond, Down: covered, Ended: true})
	case notes == nil:
		notes = append(notes, Note{Code: SearchEnded, Down: covered, Ended: true})
	}
	return notes
}

// unasked reports whether some state with k links down needs cuts that were not queried yet.
func (f *failures) unasked(k int) bool {
	for size, states := range f.sizes {
		if slices.ContainsFunc(states, func(s *failed) bool { return s.asked < k-size }) {
			return true
		}
	}
	return false
}

// halves returns a set of links whose failure often makes a Clos prone. Of two leaves with the same neighbours, one loses its links to
// half of them, and the second leaf its links to the other half. So traffic between the two bounces off a third leaf. It returns nil
// without such leaves.
func (f *failures) halves() []*ir.Link {
	first := map[string]*ir.Device{}
	var best []*ir.Link
	for _, d := range f.Fabric.Devices {
		if !d.Forwards() || !attached(d) {
			continue
		}
		above := neighbours(d)
		if len(above) < 2 || best != nil && len(above) > len(best) {
			continue
		}
		var key []byte
		for _, n := range above {
			key = binary.AppendUvarint(key, uint64(n.ID))
		}
		other := first[string(key)]
		if other == nil {
			first[string(key)] = d
			continue
		}
		var set []*ir.Link
		for i, n := range above {
			from := other
			if i >= len(above)/2 {
				from = d
			}
			for _, p := range from.Ports {
				if p.Peer().Device() == n {
					set = append(set, p.Link())
				}
			}
		}
		if best == nil || len(set) < len(best) {
			slices.SortFunc(set, func(a, b *ir.Link) int { return a.ID - b.ID })
			best = set
		}
	}
	return best
}

// attached reports whether a host that does not forward is attached to the device.
func attached(d *ir.Device) bool {
	return slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return !p.Peer().Device().Forwards() })
}

// neighbours returns the devices that forward and are cabled to d, each once, by ID.
func neighbours(d *ir.Device) []*ir.Device {
	var out []*ir.Device
	for _, p := range d.Ports {
		if n := p.Peer().Device(); n != d && n.Forwards() {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *ir.Device) int { return a.ID - b.ID })
	return slices.Compact(out)
}
