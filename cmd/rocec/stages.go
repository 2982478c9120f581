package main

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
)

// stepsText says which steps a change takes.
func stepsText(phases []change.Phase) string {
	does := map[change.Step]string{
		change.Expand:   "devices learn the new class beside the old one",
		change.Migrate:  "hosts mark the new one",
		change.Contract: "devices drop the old one",
	}
	var parts []string
	for i, p := range phases {
		parts = append(parts, fmt.Sprintf("%d. %s: %s (%s)", i+1, p.Step, does[p.Step], diag.Count(len(p.Moves), "device")))
	}
	return "What is lossless changes, and no order of the devices is lossless, so this takes " + diag.Count(len(phases), "step") + ": " +
		strings.Join(parts, "; ") + ". Below is the first; each of the others is planned when the one before is done."
}

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

// planStep is a step in the JSON of plan.
type planStep struct {
	Step    string            `json:"step"`
	Devices map[string]string `json:"devices"` // to what each holds then: both, marked or new
}

func stepsJSON(seq *sequence.Sequence) []planStep {
	var out []planStep
	for _, p := range seq.Steps {
		step := planStep{Step: string(p.Step), Devices: map[string]string{}}
		for _, v := range p.Moves {
			step.Devices[v.Device.Name] = v.To.String()
		}
		out = append(out, step)
	}
	return out
}
