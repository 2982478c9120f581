package proof

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Planned cables may be laid or not: rocec assumes neither. A fabric that is free without any of them and with all of them may be prone
// while some are laid.
//
// A planned cable that is not laid does not count as a failure. Any set of planned cables may be missing, together with up to
// fabric.failures other links. As with failures (failures.go), only sets that contain a cut add turns, and planned cables do not count
// towards the size of a cut. If a state has a circle, [Cabling.find] searches an order of laying the cables in which every step is free.
// It first tries to keep the hosts of new devices apart until these devices are cabled, and then tries cable by cable, depth first.

// Cabling describes the states while planned cables are laid, for a fabric that is free without them and with all of them.
type Cabling struct {
	Outcome  Outcome
	Planned  []*ir.Link // all planned cables
	Followed int        // for AnyOrder and NotJudged: partly cabled states whose turns were followed
	Half     *Loop      // for OneOrder and NoOrder, and for NotJudged if one was found: a circle of a partly cabled state
	Down     int        // for OneOrder: links down that every step tolerates; for NotJudged: with fewer down, all states are free

	// For OneOrder: after each cable of Order the fabric is free; nil: these cables have any order. The planned cables to hosts, Last, follow
	// them. The cables to hosts in Shut must stay shut until all other cables are laid.
	Order, Last, Shut []*ir.Link
}

// Outcome is the answer about the order of laying planned cables.
type Outcome int

// The outcomes.
const (
	AnyOrder  Outcome = iota // no set of missing planned cables makes a circle
	OneOrder                 // some set does, and no step of Order is such a set
	NoOrder                  // every order passes such a set
	NotJudged                // the budget ran out (Proof.Enough), or the routing is unknown without the planned cables
)

// cabling judges the states while planned cables are laid.
func (p *prover) cabling() {
	c := &Cabling{Planned: planned(p.Fabric)}
	if c.Planned == nil || p.Verdict != Free {
		return
	}
	p.Cabling = c
	switch {
	case p.Certificate != ByExact || p.Any || !slices.ContainsFunc(c.Planned, reroutes): // fewer links only take turns away
	case p.followed == nil:
		c.Outcome = NotJudged
	default:
		quarter := p.budget.Left() / 4
		own := *p.judge
		own.budget = ir.NewBudget(quarter)
		c.judge(p, &own)
		p.budget.Spend(int(quarter - own.budget.Left()))
	}
	p.Notes = append(p.Notes, c.note(p.Fabric.Failures))
}

// note returns the note of the outcome.
func (c *Cabling) note(failures int) Note {
	switch c.Outcome {
	case AnyOrder:
		return Note{Code: AnyCablingOrder, Links: c.Planned, Down: failures}
	case OneOrder:
		return Note{Code: CablingOrder, Links: c.Planned, Down: c.Down}
	case NoOrder:
		return Note{Code: NoCablingOrder, Links: c.Planned}
	case NotJudged:
	}
	return Note{Code: CablingUnknown, Links: c.Planned}
}

// judge follows the states in which some of the cables are laid and which bring new turns.
func (c *Cabling) judge(p *prover, j *judge) {
	unlaid := slices.DeleteFunc(slices.Clone(c.Planned), func(l *ir.Link) bool { return !reroutes(l) })
	var r result
	for ; c.Down <= p.Fabric.Failures; c.Down++ { // circles without a failure are shown first
		f := j.newFailures(j.budget, nil)
		r = f.halfLaid(nil, unlaid, c.Down)
		if c.Followed = f.followed; r.parts != nil || r.err != nil {
			break
		}
	}
	if r.err == nil && r.parts == nil {
		return
	}
	c.Outcome = NotJudged
	if r.prone() {
		half := r.graph.show(r.parts, r.down)[:1]
		r.graph.fill(half)
		c.Half = &half[0]
		r.err = c.find(j)
	}
	if c.Outcome == NotJudged {
		p.Enough = p.enough(0, 0)
	}
}

// find searches an order that tolerates the most failures, and the simplest of these. The error is [ir.ErrBudget], or an error of the
// routing.
func (c *Cabling) find(j *judge) error {
	inSteps := slices.DeleteFunc(slices.Clone(c.Planned), func(l *ir.Link) bool { return !reroutes(l) })
	last := slices.DeleteFunc(slices.Clone(c.Planned), reroutes)
	shut, between := newHosts(j.Fabric)
	for down := j.Fabric.Failures; down >= 0; down-- {
		opens, err := j.opens(shut, down)
		if err != nil {
			return err
		}
		if opens {
			r := j.newFailures(j.budget, nil).halfLaid(shut, between, down)
			if r.err != nil {
				return r.err
			}
			if r.parts == nil {
				c.Outcome, c.Shut, c.Down = OneOrder, shut, down
				return nil
			}
		}
		o := order{judge: j, apart: last, down: down, dead: map[string]bool{}}
		if c.Order, err = o.lay(inSteps, nil); err != nil {
			return err
		}
		if c.Order != nil {
			c.Outcome, c.Last, c.Down = OneOrder, last, down
			return nil
		}
		if !opens {
			continue
		}
		o = order{judge: j, apart: shut, down: down, dead: map[string]bool{}}
		if c.Order, err = o.lay(between, nil); err != nil {
			return err
		}
		if c.Order != nil {
			c.Outcome, c.Shut, c.Down = OneOrder, shut, down
			return nil
		}
	}
	c.Outcome = NoOrder
	return nil
}

// opens reports whether shut has cables, and whether they can be opened in any order once all others are laid. Cables of members that are
// attached to one device need no judgement, because they only add turns. Cables of bonds are judged.
func (j *judge) opens(shut []*ir.Link, down int) (bool, error) {
	if shut == nil {
		return false, nil
	}
	bonds := slices.DeleteFunc(slices.Clone(shut), func(l *ir.Link) bool { return !leg(l) })
	if len(bonds) == 0 {
		return true, nil
	}
	r := j.newFailures(j.budget, nil).halfLaid(nil, bonds, down)
	return r.parts == nil && r.err == nil, r.err
}

// newHosts returns the cables to hosts that carry nothing today, and the planned cables between other devices. A cable to a host carries
// nothing if it is planned, or if its device is new: every cable of that to another one that forwards is planned. A laid leg of a bond is
// not among them, since the bond uses its other legs. If either result is empty, both are nil.
func newHosts(f *ir.Fabric) (hosts, between []*ir.Link) {
	isNew := func(d *ir.Device) bool {
		joined := false
		for _, p := range d.Ports {
			if p.Peer().Device().Forwards() {
				if joined = true; !p.Link().Planned {
					return false
				}
			}
		}
		return joined
	}
	for _, l := range f.Links {
		a, b := l.A().Device(), l.B().Device()
		if a.Forwards() && b.Forwards() {
			if l.Planned {
				between = append(between, l)
			}
			continue
		}
		if l.Planned || !leg(l) && (a.Forwards() && isNew(a) || b.Forwards() && isNew(b)) {
			hosts = append(hosts, l)
		}
	}
	if hosts == nil || between == nil {
		return nil, nil
	}
	return hosts, between
}

// halfLaid judges the states with the links of always down, with any of the planned cables unlaid, and with at most most other links down.
// Without always, the first state is the whole fabric, which is known to be free. The result is not free if it has parts or an error.
func (f *failures) halfLaid(always, unlaid []*ir.Link, most int) result {
	states := f.sizes[0]
	if always != nil {
		states = []*failed{{down: always}}
		if r, _ := f.follow(states); r.parts != nil || r.err != nil {
			return r
		}
	}
	for len(states) > 0 {
		var next []*failed
		for _, s := range states {
			if !f.budget.Spend(overhead) {
				return result{err: ir.ErrBudget}
			}
			left := most - len(Failed(s.down)) + len(Failed(always))
			cuts, err := f.Fabric.Routes.Cuts(f.groups, s.down, left, unlaid, f.budget)
			if err != nil {
				return result{err: err}
			}
			for _, c := range cuts {
				n := &failed{down: append(slices.Clone(s.down), c.Links...), whole: c.Whole}
				slices.SortFunc(n.down, func(a, b *ir.Link) int { return a.ID - b.ID })
				if key := linksKey(n.down); !f.seen[key] {
					f.seen[key] = true
					next = append(next, n)
				}
			}
		}
		if r, _ := f.follow(next); r.parts != nil || r.err != nil {
			return r
		}
		states = slices.DeleteFunc(next, func(s *failed) bool { return s.whole })
	}
	return result{}
}

// order searches an order of laying cables.
type order struct {
	judge *judge
	apart []*ir.Link      // cables that are laid, or opened, after all others
	down  int             // links down that every step must tolerate
	dead  map[string]bool // by the missing cables: the state is not free, or no order continues from it
}

// lay returns an order of the missing cables in which the fabric is free after each of them, or nil. The cable last was laid before.
func (o *order) lay(missing []*ir.Link, last *ir.Link) ([]*ir.Link, error) {
	for _, l := range nextTo(missing, last) {
		rest := slices.DeleteFunc(slices.Clone(missing), func(m *ir.Link) bool { return m == l })
		key := linksKey(rest)
		if o.dead[key] {
			continue
		}
		free, err := o.judge.stands(slices.Concat(o.apart, rest), o.down)
		if err != nil {
			return nil, err
		}
		if free && len(rest) == 0 {
			return []*ir.Link{l}, nil
		}
		if free {
			after, err := o.lay(rest, l)
			if err != nil {
				return nil, err
			}
			if after != nil {
				return append([]*ir.Link{l}, after...), nil
			}
		}
		o.dead[key] = true
	}
	return nil, nil
}

// nextTo sorts cables: cables at the lower end of the last one come first, so that one device is cabled completely before the next.
func nextTo(missing []*ir.Link, last *ir.Link) []*ir.Link {
	out := slices.Clone(missing)
	if last == nil {
		return out
	}
	low := last.A().Device()
	if last.B().Device().Height() < low.Height() {
		low = last.B().Device()
	}
	at := func(l *ir.Link) int {
		if l.A().Device() == low || l.B().Device() == low {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b *ir.Link) int { return at(a) - at(b) })
	return out
}

// stands reports whether the fabric without some links is free, also with up to most other links down.
func (j *judge) stands(without []*ir.Link, most int) (bool, error) {
	r := j.state(without)
	if r.parts != nil || r.err != nil {
		return false, r.err
	}
	if j.Fabric.Routing != ir.ShortestPath && j.Fabric.Routing != ir.EBGP {
		return true, nil
	}
	// From here on, the fabric without these links is the base, and states are judged one by one.
	f := &failures{judge: j, sizes: [][]*failed{{{down: without, base: len(without)}}}, seen: map[string]bool{}}
	for k := 1; k <= most; k++ {
		states, err := f.find(k)
		if err != nil {
			return false, err
		}
		f.sizes = append(f.sizes, states)
		for _, s := range states {
			if r := j.state(s.down); r.parts != nil || r.err != nil {
				return false, r.err
			}
		}
	}
	return true, nil
}
