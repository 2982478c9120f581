package proof

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Routers advertise one of several equal routes. The turns of all choices together may then close a circle that no single choice closes.
// This file decides that by branch and bound, which fixes the outcome of one destination at a time. It leaves a branch if the turns that
// are still possible close no circle, or none shorter than the best so far. If the shortest circle of a branch needs no two outcomes of
// one destination, it is real. The result is the shortest circle over all choices, or that there is none. It does not depend on names of
// devices.

// ties searches a circle over all choices.
type ties struct {
	*judge
	always []*ir.Turns // by group
	slots  []slot
	waits  map[*ir.Outcome]map[Wait]bool // cache of the turns of an outcome

	best   []Wait // the shortest circle so far
	choice []int  // by slot: the outcome chosen for best
}

// slot is one member of a destination, and its possible outcomes.
type slot struct {
	of     *ir.Destination
	member int
	ways   []*ir.Outcome
}

// open is the choice of a slot that is not decided yet.
const open = -1

// apart judges a state whose turns together close circles, in the parts of the graph, although some of these turns exclude each other.
func (j *judge) apart(r result) result {
	part := make([]int32, r.graph.nodes())
	for i, p := range r.parts {
		for _, n := range p {
			part[n] = int32(i + 1)
		}
	}
	node := func(p *ir.Port, g *ir.CosGroup) int32 {
		if i := slices.Index(j.groups, g); i >= 0 {
			return part[r.graph.node(int32(p.ID), int32(i))]
		}
		return 0
	}
	among := func(t ir.GroupTurn) bool {
		from := node(t.In, t.From)
		return from != 0 && from == node(t.Out.Peer(), t.To)
	}
	// Half of the budget is for the exact answer. Without one, two fixed rules for all choices are tried.
	half := j.budget.Left() / 2
	own := *j
	own.budget = ir.NewBudget(half)
	defer func() { j.budget.Spend(int(half - own.budget.Left())) }()
	out, err := own.Fabric.Routes.Outcomes(own.groups, ir.State{Down: r.down, Budget: own.budget}, among)
	if out == nil || err != nil {
		return j.undecided(r, err)
	}
	t := &ties{judge: &own, always: out.Always, waits: map[*ir.Outcome]map[Wait]bool{}}
	for _, d := range out.Destinations {
		for i := range d.Members {
			switch few := len(d.Outcomes) <= len(d.Members); {
			case !few:
				t.slots = append(t.slots, slot{d, i, d.Outcomes})
			case i < len(d.Outcomes): // one member for each outcome
				t.slots = append(t.slots, slot{d, i, d.Outcomes[i : i+1]})
			}
		}
	}
	choice := make([]int, len(t.slots))
	for i, s := range t.slots {
		if len(s.ways) > 1 {
			choice[i] = open
		}
	}
	if err := t.search(choice); err != nil && t.best == nil {
		return j.undecided(r, err)
	}
	if t.best == nil {
		r.parts, r.mixed, r.apart = nil, "", true
		return r
	}
	return t.settled(r)
}

// undecided returns the result if the states cannot be separated: the first of two fixed rules for all choices that has a circle, or
// unknown.
func (j *judge) undecided(r result, err error) result {
	if err != nil && err != ir.ErrBudget {
		return result{down: r.down, err: err}
	}
	if err == nil {
		return r // the routing has no separate outcomes
	}
	for _, way := range []ir.Ties{ir.FirstTie, ir.LastTie} {
		turns, err := j.turns(ir.State{Down: r.down, Ties: way, Budget: j.budget}, true)
		if err != nil {
			return r
		}
		g := newBufferGraph(j.Line, j.groups, turns)
		if parts, err := j.parts(g, false); err == nil && parts != nil {
			return result{down: r.down, ties: way, graph: g, parts: parts}
		}
	}
	r.spent = true
	return r
}

// search finds a circle shorter than the best, with the decided choices and any outcome of the open ones.
func (t *ties) search(choice []int) error {
	turns, added := t.turns(choice)
	g := newBufferGraph(t.Line, t.groups, turns)
	if !t.budget.Spend(overhead + g.nodes() + 20*added) {
		return ir.ErrBudget
	}
	parts, err := t.parts(g, false)
	if parts == nil {
		return err
	}
	circle, err := t.shortest(g, parts)
	if err != nil || t.best != nil && len(circle) >= len(t.best) {
		return err
	}
	made, missing := t.assign(choice, circle)
	if missing < 0 {
		t.best, t.choice = circle, made
		return nil
	}
	own := slices.Clone(choice)
	for i := range t.slots[missing].ways {
		own[missing] = i
		if err := t.search(own); err != nil {
			return err
		}
	}
	return nil
}

// shortest returns the shortest circle of the parts.
func (t *ties) shortest(g *bufferGraph, parts [][]int32) ([]Wait, error) {
	var best []Wait
	s := newSearch(g)
	for _, p := range parts {
		slices.SortFunc(p, g.compare)
		work := 0
		circle := s.shortest(p, &work)
		if !t.budget.Spend(work) {
			return nil, ir.ErrBudget
		}
		if best == nil || len(circle) < len(best) {
			best = circle
		}
	}
	return best, nil
}

// assign decides the open choices so that every turn of the circle is taken. If that is impossible, missing is a slot whose choice
// prevents it; otherwise -1.
func (t *ties) assign(choice []int, circle []Wait) (made []int, missing int) {
	var left []Wait // turns that only slots with open choices can take
	for _, h := range circle {
		if !t.isAlways(h) && t.taker(choice, h) < 0 {
			left = append(left, h)
		}
	}
	made = slices.Clone(choice)
	if t.cover(made, left) {
		for i, c := range made {
			if c == open {
				made[i] = 0
			}
		}
		return made, -1
	}
	for i, s := range t.slots {
		if choice[i] == open && slices.ContainsFunc(s.ways, func(o *ir.Outcome) bool { return t.takes(o, left[0]) }) {
			return nil, i
		}
	}
	panic("proof: a turn that no outcome takes")
}

// cover decides open choices so that every turn is taken, and reports whether that is possible.
func (t *ties) cover(choice []int, left []Wait) bool {
	for len(left) > 0 && t.taker(choice, left[0]) >= 0 {
		left = left[1:]
	}
	if len(left) == 0 {
		return true
	}
	if !t.budget.Spend(len(t.slots)) {
		return false
	}
	for i, s := range t.slots {
		if choice[i] != open {
			continue
		}
		for k, o := range s.ways {
			if !t.takes(o, left[0]) {
				continue
			}
			choice[i] = k
			if t.cover(choice, left[1:]) {
				return true
			}
		}
		choice[i] = open
	}
	return false
}

// isAlways reports whether a turn is taken with any choices.
func (t *ties) isAlways(h Wait) bool {
	turns := t.always[slices.Index(t.groups, h.Group)]
	return turns.Has(h.In, h.Out) || turns.Bounced != nil && (&ir.Turns{Rows: turns.Bounced}).Has(h.In, h.Out)
}

// taker returns the first slot whose decided outcome takes the turn, or -1.
func (t *ties) taker(choice []int, h Wait) int {
	for i, c := range choice {
		if c != open && t.takes(t.slots[i].ways[c], h) {
			return i
		}
	}
	return -1
}

func (t *ties) takes(o *ir.Outcome, h Wait) bool {
	known := t.waits[o]
	if known == nil {
		known = map[Wait]bool{}
		for _, turn := range o.Turns {
			known[Wait{turn.In, turn.Out, turn.From}] = true
		}
		t.waits[o] = known
	}
	return known[h]
}

// turns returns the turns, by group, that are possible with the choices, and how many were added to those that are always taken.
func (t *ties) turns(choice []int) (out []*ir.Turns, added int) {
	out = make([]*ir.Turns, len(t.groups))
	bounced := make([]*ir.Turns, len(t.groups))
	own := map[*[]uint64]bool{} // rows that are not shared with always
	add := func(to *ir.Turns, in, port *ir.Port) {
		if row := &to.Rows[in.ID]; !own[row] {
			own[row] = true
			*row = slices.Clone(*row)
		}
		to.Add(in, port)
	}
	for i, a := range t.always {
		out[i] = &ir.Turns{Group: a.Group, Rows: slices.Clone(a.Rows)}
		if bounced[i] = (&ir.Turns{Rows: slices.Clone(a.Bounced)}); a.Bounced == nil {
			bounced[i].Rows = make([][]uint64, len(a.Rows))
		}
	}
	for i, s := range t.slots {
		ways := s.ways
		if choice[i] != open {
			ways = ways[choice[i] : choice[i]+1]
		}
		for _, o := range ways {
			added += len(o.Turns)
			for _, turn := range o.Turns {
				switch k := slices.Index(t.groups, turn.From); {
				case k < 0:
				case turn.To == turn.From:
					add(out[k], turn.In, turn.Out)
				default:
					add(bounced[k], turn.In, turn.Out)
				}
			}
		}
	}
	for i := range out {
		if slices.ContainsFunc(bounced[i].Rows, func(row []uint64) bool { return row != nil }) {
			out[i].Bounced = bounced[i].Rows
		}
	}
	return out, added
}

// settled returns the result of a state with the choices of the best circle.
func (t *ties) settled(r result) result {
	turns, _ := t.turns(t.choice)
	for i, g := range t.groups {
		turns[i].Witness = func(wanted []ir.Turn) []*ir.Flow {
			out := t.always[i].Witness(wanted)
			for k, turn := range wanted {
				if out[k] != nil {
					continue
				}
				if n := t.taker(t.choice, Wait{turn.In, turn.Out, g}); n >= 0 {
					o := t.slots[n].ways[t.choice[n]]
					out[k] = o.Flow(ir.GroupTurn{Turn: turn, From: g}, t.slots[n].member)
				}
			}
			return out
		}
	}
	r.graph = newBufferGraph(t.Line, t.groups, turns)
	r.mixed = ""
	r.parts, _ = r.graph.parts(t.walker, false)
	r.choices = func(circle []Wait) (out []ir.Choice) {
		for _, h := range circle {
			if t.isAlways(h) {
				continue
			}
			n := t.taker(t.choice, h)
			for _, c := range t.slots[n].ways[t.choice[n]].Choices {
				if c.To = t.slots[n].of.Members[t.slots[n].member]; !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
		return out
	}
	return r
}
