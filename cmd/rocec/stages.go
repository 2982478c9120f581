package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Where no order of the devices is lossless, a change takes steps in which devices hold the old class beside the new one. Each step is a
// plan and a run of its own: what comes next is seen from what the devices hold then, so a step that was undone, or a rocec that died,
// leaves nothing to remember.

// mostSteps bounds them: expand, migrate, contract, and one to see that nothing is left.
const mostSteps = 4

// step is the plan of the first of the steps that a change takes. Devices that do not move in it are beside it; those whose lossless
// settings stay as they are move in the last one.
func (f *fleet) step(whole *deploy.Plan, steps []change.Phase) (*deploy.Plan, error) {
	to := map[*ir.Device]change.Stage{}
	for _, v := range steps[0].Moves {
		to[v.Device] = v.To
	}
	held := map[*target.Device]*deploy.Have{}
	for _, h := range f.found.Devices {
		held[h.Device] = h
	}
	tree, have := &target.Tree{}, &deploy.Observed{}
	step := &deploy.Plan{Beside: slices.Clone(whole.Beside)}
	for _, p := range whole.Devices {
		stage, moves := to[p.Device.Source]
		if !moves && len(steps) == 1 {
			stage, moves = change.New, true
		}
		if !moves || p.Status != deploy.StatusChange {
			step.Beside = append(step.Beside, p)
			continue
		}
		h := held[p.Device]
		d, not := staged(p.Device, h, stage)
		if not != "" {
			return nil, exit.Fail(exit.Errors, "%s cannot hold the old class beside the new one, and no order of the devices is lossless "+
				"without: %s",
				p.Device.Name, not)
		}
		tree.Devices, have.Devices = append(tree.Devices, d), append(have.Devices, h)
	}
	step.Devices = deploy.Diff(tree, have).Devices
	return step, nil
}

// staged is a device that is to hold what a stage wants instead of what the fabric does; not says why it cannot.
func staged(d *target.Device, h *deploy.Have, stage change.Stage) (_ *target.Device, not string) {
	if stage == change.New {
		return d, ""
	}
	if d.Target.Both == nil {
		return nil, "rocec has no content for that on " + d.About + "."
	}
	held := map[string][]byte{}
	for i := range d.Files {
		held[d.Files[i].Path] = h.Files[i].Data
	}
	files, not := d.Target.Both(d.Source, func(path string) []byte { return held[path] }, stage == change.Marked)
	if not != "" {
		return nil, not
	}
	out := *d
	out.Files = append([]target.File{}, d.Files...)
	for i := range out.Files {
		if text, ours := files[out.Files[i].Path]; ours {
			f := out.Files[i]
			out.Files[i].Edit = func(old []byte) ([]byte, diag.List) {
				// A device may spell the same state in another way.
				if f.Live != nil && f.Keys != nil && slices.Equal(f.Keys(old), f.Keys(text)) {
					return old, nil
				}
				return text, nil
			}
		}
	}
	return &out, ""
}

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
func (f *fleet) inOrder(of *ir.Fabric, whole *target.Tree, plan *deploy.Plan, o orderOptions, parallel int, soak *time.Duration) (
	*deploy.Plan, *sequence, error,
) {
	seq, err := newSequence(of, whole, plan, o, parallel, soak)
	if err != nil {
		return nil, nil, routingError(of, err)
	}
	if !seq.mixed.staged || len(seq.mixed.against()) > 0 {
		return plan, seq, nil
	}
	for i := range seq.mixed.phases {
		step, err := f.step(plan, seq.mixed.phases[i:])
		if err != nil {
			return nil, nil, err
		}
		if step.Empty() && i+1 < len(seq.mixed.phases) {
			continue // the devices hold what it wants already
		}
		first, err := newSequence(of, whole, step, o, parallel, soak)
		if err != nil {
			return nil, nil, routingError(of, err)
		}
		first.steps = seq.mixed.phases[i:]
		return step, first, nil
	}
	panic("rocec: a change of several steps without any")
}

// savedStep refuses to save or apply one step of a change as if it were all of it.
func savedStep(seq *sequence) error {
	return exit.Fail(exit.Usage, "this change takes %s, and a saved plan is of one. Apply the fabric itself",
		diag.Count(len(seq.steps), "step"))
}

// planStep is a step in the JSON of plan.
type planStep struct {
	Step    string            `json:"step"`
	Devices map[string]string `json:"devices"` // to what each holds then: both, marked or new
}

func stepsJSON(seq *sequence) []planStep {
	var out []planStep
	for _, p := range seq.steps {
		step := planStep{Step: string(p.Step), Devices: map[string]string{}}
		for _, v := range p.Moves {
			step.Devices[v.Device.Name] = v.To.String()
		}
		out = append(out, step)
	}
	return out
}
