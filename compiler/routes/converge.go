package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// While routing converges, every device forwards as it did before the links failed or already as it will, in any mix. If all devices keep
// their distance from a class, the next hops after are among those before, and those before that still work are those after. So only
// classes from which some device changes its distance are followed anew, over the next hops of both together.

// converging returns the turns while shortest paths converge from the healthy fabric to the one with links down.
func (v *view) converging(s ir.State) (*ir.Turns, error) {
	if v.changesGroup() {
		return v.follow(s, plan{rule: eitherRule, back: true, classes: func(w *walk) []*graph.Class {
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
func eitherRule(w *walk, c *graph.Class) rule {
	if w.before == nil {
		w.before = newSearch(w.view, nil)
	}
	w.before.distances(c)
	w.distances(&graph.Class{Conversation: c.Conversation, At: w.VerticesOf(c.Members[0], w.down)})
	was, is := w.before.dist, w.dist
	return func(v int32, s *graph.Arc, _ bool) (falls, ok bool) {
		return false, was[v] > 0 && was[s.To] == was[v]-1 || is[v] > 0 && is[s.To] == is[v]-1
	}
}

// moved returns, as classes of their own, the members that are attached to fewer vertices, or none, with the links of the walk down.
func (w *walk) moved() []*graph.Class {
	var out []*graph.Class
	for _, t := range w.Conversations {
		crowd := &graph.Senders{}
		if i := slices.IndexFunc(w.classes, func(c *graph.Class) bool { return c.Conversation == t }); i >= 0 {
			crowd = w.classes[i].Senders
		}
		for i, m := range t.Members {
			if w.moves(m) {
				c := &graph.Class{Conversation: t, At: w.VerticesOf(m, nil), Members: t.Members[i : i+1], Senders: crowd}
				c.Except = w.Silent(c, w.down)
				out = append(out, c)
			}
		}
	}
	return out
}

func (w *walk) moves(m graph.Member) bool {
	return slices.ContainsFunc(m, func(p *ir.Port) bool { return w.down[p.Link().ID] }) &&
		!slices.Equal(w.VerticesOf(m, nil), w.VerticesOf(m, w.down))
}

// unmoved returns the classes of which some member is attached where it always was.
func (w *walk) unmoved() []*graph.Class {
	return slices.DeleteFunc(slices.Clone(w.classes), func(c *graph.Class) bool {
		return !slices.ContainsFunc(c.Members, func(m graph.Member) bool { return !w.moves(m) })
	})
}
