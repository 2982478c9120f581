package routes

import (
	"encoding/binary"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// This file follows tables of next hops that were read from a running fabric. Traffic follows the tables, even back to the previous device.
//
// Every target of the table is a separate class. When links fail, next hops over them disappear, and all others stay: the tables do not
// contain the reaction of a routing protocol. So failures only remove turns. Traffic for a host whose own cable failed still arrives at its
// switch, and ends there.

// tablePaths returns the turns of the table in state s. A table does not converge.
func (v *view) tablePaths(s ir.State) (*ir.Turns, error) {
	if v.Fabric.Table == nil {
		return nil, &ir.RoutingError{Code: ir.NoTable, Routing: ir.TablePath}
	}
	return v.follow(s, v.tablePlan())
}

// tablePlan follows the next hops of the table.
func (v *view) tablePlan() plan {
	return plan{
		back:    true,
		classes: (*walk).tableClasses,
		rule: func(w *walk, c *graph.Class) rule {
			return func(v int32, s *graph.Arc, _ bool) (falls, ok bool) {
				ports, _ := w.Fabric.Table.Leaves(w.Vertices[v], c.Target, slices.Contains(c.Attached, v))
				return false, slices.Contains(ports, w.OutPort(s))
			}
		},
	}
}

// tableClasses returns, for every target of the table, the members of each conversation that belong to it.
func (w *walk) tableClasses() []*graph.Class {
	targets := map[*ir.NIC][]int{}
	for i, t := range w.Fabric.Table.Targets {
		for _, n := range t.NICs {
			targets[n] = append(targets[n], i)
		}
	}
	var out []*graph.Class
	for _, t := range w.Conversations {
		first := slices.IndexFunc(w.classes, func(c *graph.Class) bool { return c.Conversation == t })
		if first < 0 {
			continue // all members are cut off
		}
		known := map[string]*graph.Class{}
		var key []byte
		for i, m := range t.Members {
			at := w.VerticesOf(m, nil)
			for _, target := range targets[m[0].NIC] {
				key = binary.LittleEndian.AppendUint32(key[:0], uint32(target))
				for _, v := range at {
					key = binary.LittleEndian.AppendUint32(key, uint32(v))
				}
				c := known[string(key)]
				if c == nil {
					c = &graph.Class{
						ID: int32(len(out)), Conversation: t, At: at, Senders: w.classes[first].Senders,
						Target: target, Attached: w.Attached(m[0].NIC),
					}
					known[string(key)] = c
					out = append(out, c)
				}
				c.Members = append(c.Members, t.Members[i])
			}
		}
	}
	for _, c := range out {
		c.Except = w.Silent(c, w.down)
	}
	return out
}
