package routes

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Changed returns the turns that come to be when links fail.
func (r *Router) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) { return r.Turns(g, s) }

// Cuts returns the failure sets that matter.
func (r *Router) Cuts(_ []*ir.CosGroup, down []*ir.Link, most int, b *ir.Budget) ([]ir.Cut, error) {
	var links []*ir.Link
	for _, l := range r.fabric.Links {
		if forwards(l.A.Device) && forwards(l.B.Device) && !slices.Contains(down, l) {
			links = append(links, l)
		}
	}
	var out []ir.Cut
	var choose func(set []*ir.Link, from, left int) error
	choose = func(set []*ir.Link, from, left int) error {
		if left == 0 {
			if !b.Spend(1) {
				return ir.ErrBudget
			}
			out = append(out, ir.Cut{Links: slices.Clone(set), Alike: 1})
			return nil
		}
		for i := from; i < len(links); i++ {
			if err := choose(append(set, links[i]), i+1, left-1); err != nil {
				return err
			}
		}
		return nil
	}
	for k := 1; k <= most; k++ {
		if err := choose(nil, 0, k); err != nil {
			return out, err
		}
	}
	return out, nil
}
