package proof

import (
	"errors"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// transients finds the first link whose failure can close a circle while some devices forward as before the failure and some as after it.
func (p *prover) transients(f *failures) {
	mixed := ir.Mixture("")
	for _, l := range p.Fabric.Links {
		if !l.A().Device().Forwards() || !l.B().Device().Forwards() {
			continue
		}
		down := []*ir.Link{l}
		turns, parts, err := f.converging(down)
		if errors.Is(err, ir.ErrBudget) {
			p.Notes = append(p.Notes, Note{Code: TransientUnknown})
		}
		if err != nil {
			return
		}
		if i := slices.IndexFunc(turns, func(t *ir.Turns) bool { return t.Mixed != "" }); i >= 0 {
			if parts != nil { // the circle need not be a real one
				mixed = turns[i].Mixed
			}
			continue
		}
		if parts != nil {
			p.Transient = &f.base.over.show(parts, down)[0]
			return
		}
	}
	if mixed != "" {
		p.Notes = append(p.Notes, Note{Code: TransientUnknown, Mixture: mixed})
	}
}

// converging returns the turns that can occur while routing converges after a failure, and the parts with circles.
func (f *failures) converging(down []*ir.Link) ([]*ir.Turns, [][]int32, error) {
	if !f.budget.Spend(overhead) {
		return nil, nil, ir.ErrBudget
	}
	turns, err := f.turns(ir.State{Down: down, Converging: true, Budget: f.budget}, false)
	if err != nil {
		return nil, nil, err
	}
	over := f.base.overlay()
	adds := over.more(turns)
	if len(adds) == 0 {
		return turns, nil, nil
	}
	over.lay(adds)
	parts, err := f.parts(over.bufferGraph, false)
	return turns, parts, err
}
