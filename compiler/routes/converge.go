package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// While routing converges, every device forwards by its old or its new routes, in any mix. If all devices keep their distance from a class,
// its new next hops are those of the old next hops that still work. So only classes to which some device's distance changes are followed
// again, over the old and the new next hops together.

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

// eitherRule allows traffic to go nearer to the class, by the distances before or after the failure.
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

// moved returns, as separate classes, the members that are attached to fewer vertices, or to none, with the links of the walk down.
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

// unmoved returns the classes with a member whose attachment did not change.
func (w *walk) unmoved() []*graph.Class {
	return slices.DeleteFunc(slices.Clone(w.classes), func(c *graph.Class) bool {
		return !slices.ContainsFunc(c.Members, func(m graph.Member) bool { return !w.moves(m) })
	})
}
