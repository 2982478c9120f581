package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// While routing converges, every device forwards as it did before the links failed or already as it will, in any mix.
// Of a class from which all devices keep their distance, the next hops after are among those before, and those before
// that still work are those after: only the classes some device changes its distance to are followed anew, over the
// next hops of both together.

// converging returns the turns while shortest paths converge from the healthy fabric to the one with links down.
func (v *view) converging(s ir.State) (*ir.Turns, error) {
	if v.changesGroup() {
		return v.follow(s, plan{rule: eitherRule, back: true, classes: func(w *walk) []*class {
			return append(w.unmoved(), w.moved()...)
		}})
	}
	after, err := v.shortestPaths(ir.State{Down: s.Down, Budget: s.Budget})
	if err != nil {
		return nil, err
	}
	changing, err := v.changedByDistance(s)
	if err != nil {
		return nil, err
	}
	return together(after, changing), nil
}

// eitherRule lets traffic go nearer to the class, as it was before links failed or as it is after.
func eitherRule(w *walk, c *class) rule {
	if w.before == nil {
		w.before = newSearch(w.view, nil)
	}
	w.before.distances(c)
	w.distances(&class{talk: c.talk, at: w.places(c.members[0], w.down)})
	was, is := w.before.dist, w.dist
	return func(v int32, s *step, _ bool) (falls, ok bool) {
		return false, was[v] > 0 && was[s.to] == was[v]-1 || is[v] > 0 && is[s.to] == is[v]-1
	}
}

// moved returns, as classes of their own, the members that hang on fewer nodes, or none, with the links of the walk down.
func (w *walk) moved() []*class {
	var out []*class
	for _, t := range w.talks {
		crowd := &crowd{}
		if i := slices.IndexFunc(w.classes, func(c *class) bool { return c.talk == t }); i >= 0 {
			crowd = w.classes[i].crowd
		}
		for i, m := range t.members {
			if w.moves(m) {
				c := &class{talk: t, at: w.places(m, nil), members: t.members[i : i+1], crowd: crowd}
				c.not = w.silent(c, w.down)
				out = append(out, c)
			}
		}
	}
	return out
}

func (w *walk) moves(m member) bool {
	return slices.ContainsFunc(m, func(p *ir.Port) bool { return w.down[p.Link().ID] }) &&
		!slices.Equal(w.places(m, nil), w.places(m, w.down))
}

// unmoved returns the classes of which some member hangs where it always did.
func (w *walk) unmoved() []*class {
	return slices.DeleteFunc(slices.Clone(w.classes), func(c *class) bool {
		return !slices.ContainsFunc(c.members, func(m member) bool { return !w.moves(m) })
	})
}
