package proof

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// This file judges failures if routing finds new shortest paths after each of them.
//
// If every pair that talks keeps its distance, then all shortest paths after a failure were shortest paths before. Then the turns are a
// subset of the judged turns. So only sets of failed links that contain a cut matter: links that hit every shortest path of some pair. A
// set F without a cut of the fabric is harmless. A set F with the cut C is the smaller set F minus C in the fabric without C. Hence the
// recursion: the states with k links down are the cuts of the fabric with k links, and the cuts of every smaller state. Sets that differ
// by names only have the same verdict, and ir.Routes.Cuts returns one of them.
//
// The states of one size are judged together, by the turns of the healthy fabric and the turns that each state adds. If these close no
// circle, no single state does. If they close one, the states whose turns are on it are judged alone, and then each half of the others.

// failed is a state with failed links that adds turns.
type failed struct {
	down  []*ir.Link
	base  int        // how many of down are unlaid planned cables, also in all states derived from this one
	alike int        // 0: not known
	adds  []addition // turns that the state adds
	free  bool       // judged and without a circle
	cuts  []ir.Cut   // cuts of at most asked links
	asked int
	whole bool // see ir.Cut.Whole
}

// failures judges states with more and more links down.
type failures struct {
	*judge
	most     int         // largest number of failed links per query, if the budget is enough
	sizes    [][]*failed // by number of failed links: the states that add turns
	seen     map[string]bool
	followed int // states judged
	alike    int // failure sets that these states represent; -1: not known

	// A circle that turns of several states close together and no judged state closes alone.
	circle   []Wait
	conflict []*failed
}

// newFailures begins with the fabric with all cables laid and, if cables are planned, with the fabric without these.
func (j *judge) newFailures(budget *ir.Budget, unlaid []*ir.Link) *failures {
	own := *j
	own.budget = budget
	whole := []*failed{{alike: 1}}
	if slices.ContainsFunc(unlaid, reroutes) {
		whole = append(whole, &failed{down: unlaid, base: len(unlaid), alike: 1})
	}
	return &failures{judge: &own, sizes: [][]*failed{whole}, seen: map[string]bool{}}
}

// overhead is the smallest cost of a query about a state.
const overhead = 10_000

// batch is the number of states that are judged together.
const batch = 512

// level finds and judges the states with k links down, one more than in the previous call. found is their number, done the number of free
// ones. The result is not free if it has parts or an error.
func (f *failures) level(k int) (r result, done, found int) {
	states, err := f.find(k)
	if err != nil {
		return result{err: err}, 0, -1
	}
	f.sizes = append(f.sizes, states)
	r, done = f.follow(states)
	return r, done, len(states)
}

// follow judges states in batches. done is the number of free ones.
func (f *failures) follow(states []*failed) (r result, done int) {
	for chunk := range slices.Chunk(states, batch) {
		for _, s := range chunk {
			if !f.budget.Spend(overhead) {
				return result{err: ir.ErrBudget}, done
			}
			turns, err := f.turns(ir.State{Down: s.down, Budget: f.budget}, false)
			if err != nil {
				return result{err: err}, done
			}
			s.adds = f.base.overlay().more(turns)
		}
		if r := f.search(chunk); r.parts != nil || r.err != nil {
			for _, s := range chunk {
				if s.free {
					done++
				}
			}
			return r, done
		}
		for _, s := range chunk {
			s.adds = nil
			f.followed++
			switch {
			case f.alike < 0:
			case s.alike == 0:
				f.alike = -1
			default:
				f.alike += s.alike
			}
		}
		done += len(chunk)
	}
	return result{}, done
}

// find returns the states with k links down that add turns.
func (f *failures) find(k int) ([]*failed, error) {
	var out []*failed
	for size, states := range f.sizes {
		for _, s := range states {
			if err := f.cut(s, k-size); err != nil {
				return nil, err
			}
			for _, c := range s.cuts {
				if len(c.Links) != k-size {
					continue
				}
				n := &failed{down: append(slices.Clone(s.down), c.Links...), base: s.base}
				slices.SortFunc(n.down, func(a, b *ir.Link) int { return a.ID - b.ID })
				if size == 0 {
					n.alike = c.Alike
				}
				if key := linksKey(n.down); !f.seen[key] {
					f.seen[key] = true
					out = append(out, n)
				}
			}
		}
	}
	return out, nil
}

// cut finds the cuts of s with so many links. One query for all sizes costs least. If the budget is not enough for it, cut asks for the
// small sizes only.
func (f *failures) cut(s *failed, links int) error {
	if s.asked >= links {
		return nil
	}
	if !f.budget.Spend(overhead) {
		return ir.ErrBudget
	}
	ask := func(most int, b *ir.Budget) error {
		cuts, err := f.Fabric.Routes.Cuts(f.groups, s.down, most, nil, b)
		if err == nil {
			s.cuts, s.asked = cuts, most
		}
		return err
	}
	if most := f.most - (len(s.down) - s.base); most > links {
		half := f.budget.Left() / 2
		try := ir.NewBudget(half)
		err := ask(most, try)
		f.budget.Spend(int(half - try.Left()))
		if !errors.Is(err, ir.ErrBudget) {
			return err
		}
	}
	return ask(links, f.budget)
}

func linksKey(links []*ir.Link) string {
	var b []byte
	for _, l := range links {
		b = binary.AppendUvarint(b, uint64(l.ID))
	}
	return string(b)
}

// search judges states together, and separately if together they have a circle. Of several prone states it finds the first, so that the
// shown circle does not depend on the rest of the fabric.
func (f *failures) search(states []*failed) result {
	over, more := f.base.overlay(), f.base.apart // after a failure, other turns of the base may be possible
	for _, s := range states {
		over.lay(s.adds)
		more = more || len(s.adds) > 0
	}
	var parts [][]int32
	if more { // otherwise every turn is one of the healthy fabric
		var err error
		if parts, err = f.parts(over.bufferGraph, true); err != nil {
			return result{err: err}
		}
	}
	if parts == nil {
		for _, s := range states {
			s.free = true
		}
		return result{}
	}
	if len(states) == 1 {
		return f.alone(states[0])
	}
	work := maxLoopWork / 2
	circle := newSearch(over.bufferGraph).shortest(parts[0], &work)
	involved := f.involved(states, circle)
	for _, s := range involved {
		switch r := f.alone(s); {
		case r.err != nil:
			if len(involved) > 1 {
				f.circle, f.conflict = circle, involved
			}
			return r
		case r.parts != nil:
			return f.earlier(states[:slices.Index(states, s)], r)
		}
	}
	var left []*failed
	for _, s := range states {
		if !s.free {
			left = append(left, s)
		}
	}
	for half := range slices.Chunk(left, max(1, (len(left)+1)/2)) {
		if r := f.search(half); r.parts != nil || r.err != nil {
			if r.err != nil && f.conflict == nil && len(involved) > 1 {
				f.circle, f.conflict = circle, involved
			}
			return r
		}
	}
	return result{}
}

// earlier returns the result of the first prone state. It returns known, the result of a later state, if the budget ends first, or if
// known is certain and the first result is not.
func (f *failures) earlier(states []*failed, known result) result {
	states = slices.DeleteFunc(slices.Clone(states), func(s *failed) bool { return s.free })
	if len(states) == 0 {
		return known
	}
	circle, conflict := f.circle, f.conflict
	if r := f.search(states); r.parts != nil && (r.mixed == "" || known.mixed != "") {
		return r
	}
	f.circle, f.conflict = circle, conflict
	return known
}

// alone judges one state by exactly its turns.
func (f *failures) alone(s *failed) result {
	if s.free {
		return result{}
	}
	r := f.state(s.down)
	if r.alike = s.alike; r.parts == nil && r.err == nil {
		s.free = true
	}
	return r
}

// involved returns the states whose turns the circle needs. If several states add a turn, it returns the first of them.
func (f *failures) involved(states []*failed, circle []Wait) []*failed {
	var out []*failed
	for _, h := range circle {
		in, word, bit := int32(h.In.ID), int32(h.Out.Index/64), uint64(1)<<(h.Out.Index%64)
		brings := func(s *failed) bool {
			return slices.ContainsFunc(s.adds, func(a addition) bool {
				return a.port == in && a.word == word && a.bits&bit != 0 && f.groups[f.base.over.base[a.layer].from] == h.Group
			})
		}
		if slices.ContainsFunc(out, brings) {
			continue
		}
		if i := slices.IndexFunc(states, brings); i >= 0 {
			out = append(out, states[i])
		}
	}
	return out
}

// failures judges the sets of links that may fail, for a fabric that is free without failures.
func (p *prover) failures() {
	n := min(p.Fabric.Failures, len(p.Fabric.Links))
	f := p.judge.newFailures(p.budget, planned(p.Fabric))
	f.most = n
	reserve := ir.NewBudget(p.budget.Left() / 20)
	for k := 1; k <= n; k++ {
		r, done, found := f.level(k)
		if errors.Is(r.err, ir.ErrBudget) {
			p.outOfBudget(f, OutOfBudget{Down: k, Found: found, Judged: done}, reserve)
			return
		}
		if r.prone() {
			r = f.anew(ir.NewBudget(min(p.budget.Left()/20, max(maxTightest, p.had/tightestShare)))).tightest(f.sizes[k], r)
		}
		if p.settle(r) {
			return
		}
		p.Failures = k
	}
	p.Failures = p.Fabric.Failures
	p.Verdict, p.Reason = Free, Searched{Down: n, Followed: f.followed, Alike: f.alike}
	p.followed = f
}

// maxTightest bounds the search for the shortest circle among failure sets of one size. A larger budget raises it to the budget divided by
// tightestShare, if that is more.
const (
	maxTightest   = 30_000_000
	tightestShare = 200
)

// tightest returns the state with the shortest circle, among the states with as many links down as r, as far as the budget lasts. Without
// it, the shown state would depend on names.
func (f *failures) tightest(states []*failed, r result) result {
	best := f.shortestOf(r)
	for _, s := range states {
		if s.free || slices.Equal(s.down, r.down) {
			continue
		}
		other := f.alone(s)
		if other.err != nil || best == 0 {
			r.ended = true
			break
		}
		if other.parts == nil || other.mixed != "" {
			continue
		}
		n := f.shortestOf(other)
		if n == 0 {
			r.ended = true
			break
		}
		if n < best {
			best, r = n, other
		}
	}
	return r
}

// shortestOf returns the length of the shortest circle of a state; 0 if the budget is not enough.
func (f *failures) shortestOf(r result) int {
	best := 0
	s := newSearch(r.graph)
	for _, part := range r.parts {
		work := 0
		if !f.budget.Spend(r.graph.nodes() / 8) {
			return 0
		}
		circle := s.shortest(part, &work)
		if !f.budget.Spend(work) {
			return 0
		}
		if best == 0 || len(circle) < best {
			best = len(circle)
		}
	}
	return best
}

// outOfBudget sets the verdict if the budget ran out among the sets of why.Down links.
func (p *prover) outOfBudget(f *failures, why OutOfBudget, reserve *ir.Budget) {
	enough := p.enough(why.Judged, why.Found)
	if r := f.guess(p.Fabric.Failures, why.Down, reserve); r.parts != nil {
		p.prone(r)
		if p.Fewest = len(Failed(r.down)) <= why.Down; !p.Fewest { // all sets of fewer than why.Down links are free
			p.Enough = enough
		}
		return
	}
	if f.conflict != nil {
		why.Circle = f.circle
		for _, s := range f.conflict {
			why.Conflict = append(why.Conflict, s.down)
		}
	}
	p.Verdict, p.Certificate, p.Failures, p.Reason = Unknown, "", why.Down-1, why
	p.Enough = enough
}

// guess judges the two states that are most likely to have a circle, if they have at most most links down. One has the failures of all
// states in conflict; the other is that of [failures.halves]. It then removes failures that the circle does not need, until least remain
// or the budget ends.
func (f *failures) guess(most, least int, budget *ir.Budget) result {
	f.budget = budget
	var all []*ir.Link
	for _, s := range f.conflict {
		all = append(all, s.down...)
	}
	slices.SortFunc(all, func(a, b *ir.Link) int { return a.ID - b.ID })
	for _, down := range [][]*ir.Link{slices.Compact(all), f.halves()} {
		if len(down) == 0 || len(down) > most {
			continue
		}
		if r := f.state(down); r.prone() {
			return f.thinned(r, least)
		}
	}
	return result{}
}

// thinned removes failed links from a state with a circle, until each of the others is needed, only least remain, or the budget ends.
// Other failure sets may still be smaller.
func (f *failures) thinned(r result, least int) result {
	for i := 0; i < len(r.down) && len(r.down) > least; {
		less := f.state(slices.Concat(r.down[:i], r.down[i+1:]))
		switch {
		case less.err != nil:
			return r
		case less.prone():
			r = less
		default:
			i++
		}
	}
	return r
}
