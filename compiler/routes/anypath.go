package routes

import (
	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// anyPaths returns the turns of every walk in state s that does not turn back to the device it came from.
func (v *view) anyPaths(s ir.State) (*ir.Turns, error) {
	if v.changesGroup() {
		return v.follow(s, plan{rule: anyRule})
	}
	if !s.Budget.Spend(len(v.Conversations) * (8*v.Edges + 4*len(v.Vertices))) {
		return nil, ir.ErrBudget
	}
	w := newWalk(v, s.Down)
	for classes := range byTalk(w.classes) {
		w.anyPath(classes)
	}
	w.turns.Witness = v.witness(w.turns, w.failed, plan{rule: anyRule})
	return w.turns, nil
}

func anyRule(w *walk, c *graph.Class) rule {
	f := w.flood(c.Conversation, c.Is)
	return func(v int32, s *graph.Arc, _ bool) (falls, ok bool) { return false, f.leaves(s.To, v) }
}

// anyPath records every turn of every walk between two members of t that never turns back to the previous device. Every member sends and
// receives, and cables have two directions. So a member whose traffic can come from a neighbour can also be reached over it.
func (w *walk) anyPath(classes []*graph.Class) {
	t := classes[0].Conversation
	comes := w.spreadMembers(classes)
	for v := range int32(len(w.Vertices)) {
		for j := range w.Arcs[v] {
			in := &w.Arcs[v][j]
			from := comes[in.Out]
			if from == graph.Nobody || !w.open(t, in) {
				continue
			}
			w.clear(v)
			for k := range w.Arcs[v] {
				out := &w.Arcs[v][k]
				if to := comes[out.Out]; to != graph.Nobody && (to != from || to == graph.Many) && w.open(t, out) {
					w.leave(out)
				}
			}
			w.record(v, in)
		}
	}
}

// spreadMembers returns, by ID of a port that faces another vertex, the members whose traffic can come in there.
func (w *walk) spreadMembers(classes []*graph.Class) []graph.Who {
	comes := make([]graph.Who, len(w.Fabric.Ports))
	here := make([]graph.Who, len(w.Vertices)) // the members attached there
	for _, c := range classes {
		for _, v := range c.At {
			here[v] = here[v].And(c.Who)
		}
	}
	t, twice := classes[0].Conversation, w.twice()
	waiting := make([]bool, len(w.Vertices))
	var todo []int32
	wake := func(v int32) {
		if !waiting[v] {
			waiting[v] = true
			todo = append(todo, v)
		}
	}
	for v, h := range here {
		if h != graph.Nobody {
			wake(int32(v))
		}
	}
	var later []graph.Who // by step, with one more: the members whose traffic comes by the later steps
	for i := 0; i < len(todo); i++ {
		v := todo[i]
		waiting[v] = false
		steps := w.Arcs[v]
		later = append(later[:0], make([]graph.Who, len(steps)+1)...)
		for j := len(steps) - 1; j >= 0; j-- {
			later[j] = later[j+1].And(comes[steps[j].Out])
		}
		sooner := here[v]
		for j := range steps {
			s := &steps[j]
			goes := sooner.And(later[j+1])
			if twice[v] { // nor may it turn back over another cable
				goes = here[v]
				for k := range steps {
					if steps[k].To != s.To {
						goes = goes.And(comes[steps[k].Out])
					}
				}
			}
			sooner = sooner.And(comes[s.Out])
			if both := comes[s.In].And(goes); both != comes[s.In] && w.open(t, s) {
				comes[s.In] = both
				wake(s.To)
			}
		}
	}
	return comes
}

// flooded contains, by vertex, the neighbours from which traffic arrives: none (dry), exactly one (its vertex), or several. A vertex whose
// own members send and receive counts as several.
type flooded []int32

const (
	dry     = -2
	several = -1
)

// leaves reports whether traffic at v can go to its neighbour to without turning back.
func (f flooded) leaves(v, to int32) bool { return f[v] == several || f[v] != dry && f[v] != to }

// add counts one more neighbour of v, and reports whether that changed f.
func (f flooded) add(v, neighbour int32) bool {
	switch f[v] {
	case dry:
		f[v] = neighbour
	case several, neighbour:
		return false
	default:
		f[v] = several
	}
	return true
}

func (f flooded) dry() {
	for v := range f {
		f[v] = dry
	}
}

// flood spreads traffic of t from some vertices over every walk without turning back.
func (w *walk) flood(t *graph.Conversation, from func(v int32) bool) flooded {
	f := make(flooded, len(w.Vertices))
	f.dry()
	var todo []int32
	for v := range int32(len(f)) {
		if from(v) {
			f[v] = several
			todo = append(todo, v)
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for j := range w.Arcs[v] {
			s := &w.Arcs[v][j]
			if w.open(t, s) && f.leaves(v, s.To) && f.add(s.To, v) {
				todo = append(todo, s.To)
			}
		}
	}
	return f
}
