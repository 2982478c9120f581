package routes

import (
	"encoding/binary"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Tables: next hops as read from a running fabric. Traffic goes where the tables say, also back to where it came from.
//
// Every target of the table is a class of its own. When links fail, next hops over them are gone, and nothing else
// changes: what a routing protocol would do then is not in the tables. So failures only take turns away. What is for a
// host whose own cable failed still comes to its switch, and ends there.

// tablePaths returns the turns by the table in state s. A table does not converge.
func (v *view) tablePaths(s ir.State) (*ir.Turns, error) {
	if v.fabric.Table == nil {
		return nil, &ir.RoutingError{Code: ir.NoTable, Routing: ir.TablePath}
	}
	return v.follow(s, v.tablePlan())
}

// tablePlan follows the next hops of the table.
func (v *view) tablePlan() plan {
	return plan{
		back:    true,
		classes: (*walk).tableClasses,
		rule: func(w *walk, c *class) rule {
			return func(v int32, s *step, _ bool) (falls, ok bool) {
				ports, _ := w.fabric.Table.Leaves(w.nodes[v], c.target, slices.Contains(c.attached, v))
				return false, slices.Contains(ports, s.out)
			}
		},
	}
}

// tableClasses returns, for every target of the table, the members of each talk that belong to it.
func (w *walk) tableClasses() []*class {
	targets := map[*ir.NIC][]int{}
	for i, t := range w.fabric.Table.Targets {
		for _, n := range t.NICs {
			targets[n] = append(targets[n], i)
		}
	}
	var out []*class
	for _, t := range w.talks {
		first := slices.IndexFunc(w.classes, func(c *class) bool { return c.talk == t })
		if first < 0 {
			continue // everybody is cut off
		}
		known := map[string]*class{}
		var key []byte
		for i, m := range t.members {
			at := w.places(m, nil)
			for _, target := range targets[m[0].NIC] {
				key = binary.LittleEndian.AppendUint32(key[:0], uint32(target))
				for _, v := range at {
					key = binary.LittleEndian.AppendUint32(key, uint32(v))
				}
				c := known[string(key)]
				if c == nil {
					c = &class{
						id: int32(len(out)), talk: t, at: at, crowd: w.classes[first].crowd,
						target: target, attached: w.attached(m[0].NIC),
					}
					known[string(key)] = c
					out = append(out, c)
				}
				c.members = append(c.members, t.members[i])
			}
		}
	}
	for _, c := range out {
		c.not = w.silent(c, w.down)
	}
	return out
}
