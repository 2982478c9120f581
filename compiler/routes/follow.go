package routes

import (
	"iter"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// This file follows traffic of one class at a time, cable by cable. It is used for routings that are only known as next hops of each
// device, and for traffic that changes its cos group on the way (cos_group.bounce): traffic that came down into a device and leaves it
// upwards is then in the next group.

// rule reports, for one class, whether its traffic may take a step from v, and whether it then falls. Only some routings use falling.
// Traffic of a class ends where the rule allows no step.
type rule func(v int32, s *graph.Arc, falling bool) (falls, ok bool)

// plan describes how to follow the traffic of a routing.
type plan struct {
	// rule returns the rule for a class. The rule may use the scratch of the walk, and is valid until the next call.
	rule func(w *walk, c *graph.Class) rule

	// classes returns the classes to follow; nil: all classes of the walk.
	classes func(w *walk) []*graph.Class

	back bool // traffic may turn back to the previous device; then no rule uses falling
}

// follow returns the turns of the view's group in state s: of its own traffic and of traffic that bounced into its group.
func (v *view) follow(s ir.State, p plan) (*ir.Turns, error) {
	turns := &ir.Turns{Group: v.Group, Rows: make([][]uint64, len(v.Fabric.Ports))}
	bounced := &ir.Turns{Rows: make([][]uint64, len(v.Fabric.Ports))}
	for _, source := range v.sources() {
		t := newTrace(source, v, s.Down, p)
		follow := t.follow
		if t.back && len(t.groups) == 1 {
			follow = t.followBack
		}
		if err := follow(p, s.Budget, turns, bounced); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(bounced.Rows, func(row []uint64) bool { return row != nil }) {
		turns.Bounced = bounced.Rows
	}
	turns.Witness = v.witness(turns, slices.Clone(s.Down), p)
	return turns, nil
}

// changesGroup reports whether traffic may change into or out of the view's group.
func (v *view) changesGroup() bool { return bounces(v.Fabric, v.Group) != nil }

// sources returns the views of the groups whose traffic may be in the group of v, including lossy groups: v itself first.
func (v *view) sources() []*view {
	out := []*view{v}
	for _, g := range v.Fabric.CosGroups {
		if g != v.Group && slices.Contains(v.Fabric.Bounces(g), v.Group) {
			out = append(out, v.router.views[g]())
		}
	}
	return out
}

// trace follows the classes of one view, and finds their turns in the group of another view into which traffic may bounce.
type trace struct {
	*walk
	back   bool
	groups []*ir.CosGroup // the groups that the traffic is in, in order
	next   []int          // by group: the group it bounces into, or itself
	views  []*view        // by group; nil: a lossy group
	wanted int            // the group whose turns are wanted

	visits []visit
	known  []uint64 // by Port.ID of in-ports: bit 2*group, or the next bit when falling

	// The rule of the current class, and, by vertex, its cached results for rising and falling traffic.
	class *graph.Class
	rule  rule
	round int32
	asked [2][]int32 // the round in which the result was cached
	leave [2][][]departure

	hanging map[*graph.Conversation][]int32 // by vertex: the members attached there
}

// visit is traffic that arrived at a device.
type visit struct {
	departure
	from   int32 // the previous device
	group  int
	before int // the previous visit; -1: the traffic was sent here
}

// departure is a step that a rule allows, and whether traffic falls after it.
type departure struct {
	step  *graph.Arc
	falls bool
}

func newTrace(source, wanted *view, down []*ir.Link, p plan) *trace {
	t := &trace{
		walk: newSearch(source, down), back: p.back, groups: source.Fabric.Bounces(source.Group),
		known: make([]uint64, len(source.Fabric.Ports)), hanging: map[*graph.Conversation][]int32{},
	}
	for falling := range t.asked {
		t.asked[falling] = make([]int32, len(t.Vertices))
		t.leave[falling] = make([][]departure, len(t.Vertices))
	}
	for i, g := range t.groups {
		next, seen := i, (*view)(nil)
		if g.Lossless || source.router.coupled {
			seen = source.router.views[g]()
		}
		if g.Bounce != nil && t.Fabric.FlowControl != ir.Pause {
			next = slices.Index(t.groups, g.Bounce)
		}
		t.next, t.views = append(t.next, next), append(t.views, seen)
	}
	t.wanted = slices.Index(t.groups, wanted.Group)
	if p.classes != nil {
		t.classes = p.classes(t.walk)
	}
	return t
}

// follow records the turns of every class.
func (t *trace) follow(p plan, b *ir.Budget, turns, bounced *ir.Turns) error {
	return t.each(p, b, func(in, out *ir.Port, group int) {
		if group == t.wanted {
			turns.Add(in, out)
		} else {
			bounced.Add(in, out)
		}
	})
}

// followBack is follow for frames that may turn back and that stay in their group. Then the next steps do not depend on the port where a
// frame came in. So the breadth-first search visits devices instead of ports, and turns are recorded one word of a bit row at a time.
func (t *trace) followBack(p plan, b *ir.Budget, turns, _ *ir.Turns) error {
	if !b.Spend(len(t.classes) * (2*t.Edges + len(t.Vertices))) {
		return ir.ErrBudget
	}
	masks := make([][]uint64, len(t.Vertices)) // the lossless ports by which traffic of the class leaves; nil: none
	for _, c := range t.classes {
		t.begin(c, p.rule(t.walk, c))
		t.order = t.order[:0]
		clear(t.here)
		reach := func(v int32) {
			if !t.here[v] {
				t.here[v] = true
				t.order = append(t.order, v)
			}
		}
		for _, v := range c.From {
			if t.othersAt(v) {
				reach(v)
			}
		}
		arrivals := 0
		for i := 0; i < len(t.order); i++ {
			v := t.order[i]
			masks[v] = masks[v][:0]
			for _, d := range t.departures(v, false) {
				arrivals++
				reach(d.step.To)
				if t.waits(d.step, t.wanted) {
					if len(masks[v]) == 0 {
						masks[v] = appendZeros(masks[v], int(t.RowWords[v]))
					}
					masks[v][d.step.Index/64] |= 1 << (d.step.Index % 64)
				}
			}
		}
		if !b.Spend(4 * arrivals) {
			return ir.ErrBudget
		}
		for _, v := range t.order {
			for _, d := range t.departures(v, false) {
				mask := masks[d.step.To]
				if len(mask) == 0 || !t.fills(d.step, t.wanted) {
					continue
				}
				row := &turns.Rows[d.step.In]
				if *row == nil {
					*row = make([]uint64, len(mask))
				}
				for i, m := range mask {
					(*row)[i] |= m
				}
			}
		}
	}
	return nil
}

// each yields the turns that traffic of every class takes in the wanted group, and the group after the turn. It may yield a turn several
// times.
func (t *trace) each(p plan, b *ir.Budget, yield func(in, out *ir.Port, group int)) error {
	if !b.Spend(len(t.classes) * (2*t.Edges + len(t.Vertices))) {
		return ir.ErrBudget
	}
	for _, c := range t.classes {
		t.begin(c, p.rule(t.walk, c))
		t.spread()
		if !b.Spend(len(t.visits) * 4) {
			return ir.ErrBudget
		}
		for i := range t.visits {
			at := &t.visits[i]
			if at.group != t.wanted || !t.fills(at.step, at.group) {
				continue
			}
			for d, group := range t.onward(at.step.To, at) {
				if t.waits(d.step, group) {
					yield(t.InPort(at.step), t.OutPort(d.step), group)
				}
			}
		}
	}
	return nil
}

// waits reports whether a cable is lossless for a group.
func (t *trace) waits(s *graph.Arc, group int) bool {
	return t.views[group] != nil && t.views[group].Lossless[s.Link]
}

// fills reports whether traffic that comes in by an arc fills a buffer whose pauses stop the other end.
func (t *trace) fills(s *graph.Arc, group int) bool {
	return t.views[group] != nil && t.views[group].Fills(s.In, s.Link)
}

// begin makes c the current class.
func (t *trace) begin(c *graph.Class, r rule) {
	t.class, t.rule = c, r
	t.round++
}

// spread visits every device that traffic of the class reaches, nearest to a sender first.
func (t *trace) spread() {
	t.forget()
	for _, v := range t.class.From {
		if t.othersAt(v) {
			t.visitFrom(v, nil, -1)
		}
	}
	for i := 0; i < len(t.visits); i++ {
		at := t.visits[i]
		t.visitFrom(at.step.To, &at, i)
	}
}

// finish visits, nearest first, the devices that traffic of a visit reaches, up to a device of the class. It returns the index of the visit
// there, or of the first visit if the class cannot be reached.
func (t *trace) finish(from visit) int {
	t.forget()
	from.before = -1
	t.visits = append(t.visits, from)
	for i := 0; i < len(t.visits); i++ {
		at := t.visits[i]
		if t.class.Is(at.step.To) {
			return i
		}
		t.visitFrom(at.step.To, &at, i)
	}
	return 0
}

func (t *trace) forget() {
	for i := range t.visits {
		t.known[t.visits[i].step.In] = 0
	}
	t.visits = t.visits[:0]
}

// visitFrom adds the new visits at the neighbours of v, for traffic that came to v by a visit or is sent there.
func (t *trace) visitFrom(v int32, came *visit, before int) {
	for d, group := range t.onward(v, came) {
		bit := uint64(1) << (2 * group)
		if d.falls {
			bit <<= 1
		}
		if in := d.step.In; t.known[in]&bit == 0 {
			t.known[in] |= bit
			t.visits = append(t.visits, visit{departure: d, from: v, group: group, before: before})
		}
	}
}

// onward yields the departures of traffic from v, with the group after each. The traffic came by a visit, or was sent at v.
func (t *trace) onward(v int32, came *visit) iter.Seq2[departure, int] {
	return func(yield func(departure, int) bool) {
		for _, d := range t.departures(v, came != nil && came.falls) {
			group := 0
			if came != nil {
				if d.step.To == came.from && !t.back {
					continue
				}
				group = came.group
				if came.step.Rise < 0 && d.step.Rise > 0 {
					group = t.next[group]
				}
			}
			if !yield(d, group) {
				return
			}
		}
	}
}

// departures returns the steps that the rule allows traffic at v.
func (t *trace) departures(v int32, falling bool) []departure {
	k := 0
	if falling {
		k = 1
	}
	if t.asked[k][v] != t.round {
		t.asked[k][v] = t.round
		out := t.leave[k][v][:0]
		if out == nil {
			out = make([]departure, 0, len(t.Arcs[v]))
		}
		for j := range t.Arcs[v] {
			s := &t.Arcs[v][j]
			if !t.open(t.class.Conversation, s) {
				continue
			}
			if falls, ok := t.rule(v, s, falling); ok {
				out = append(out, departure{s, falls})
			}
		}
		t.leave[k][v] = out
	}
	return t.leave[k][v]
}

// othersAt reports whether a member attached to v talks to another member, in the current class.
func (t *trace) othersAt(v int32) bool {
	c := t.class
	if slices.Contains(c.Except, v) {
		return false
	}
	if len(c.Members) > 1 || !slices.Contains(t.VerticesOf(c.Members[0], t.down), v) {
		return true
	}
	hanging := t.hanging[c.Conversation]
	if hanging == nil {
		hanging = make([]int32, len(t.Vertices))
		for _, m := range c.Conversation.Members {
			for _, at := range t.VerticesOf(m, t.down) {
				hanging[at]++
			}
		}
		t.hanging[c.Conversation] = hanging
	}
	return hanging[v] > 1
}
