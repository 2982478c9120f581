package main

import (
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
)

// inOrder puts a plan in order. Where it takes several steps, what comes back is the plan of the first one, and what all of them are.
func (f *fleet) inOrder(of *ir.Fabric, whole *target.Tree, plan *deploy.Plan, r sequence.Rules) (*deploy.Plan, *sequence.Sequence, error) {
	seq, ds := sequence.New(of, whole, plan, r)
	if seq != nil {
		plan, seq, ds = seq.Next(f.found)
	}
	if seq == nil {
		return nil, nil, exit.Fail(exit.Errors, "%s", ds[0].Detail)
	}
	return plan, seq, nil
}

// savedStep refuses to save or apply one step of a change as if it were all of it.
func savedStep(seq *sequence.Sequence) error {
	return exit.Fail(exit.Usage, "this change takes %s, and a saved plan is of one. Apply the fabric itself",
		diag.Count(len(seq.Steps), "step"))
}
