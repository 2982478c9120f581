package sequence

import (
	"slices"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Some steps run alone ([target.Step.Alone]), such as the reset of a card. They are the first step of a change: a plan with only them, one
// device after the other. Every other change is planned after them, from the content that the devices have then.

// runsAlone reports whether a change belongs to a step that runs alone.
func runsAlone(c *deploy.Change) bool { return c.File.Activate.Alone }

// aloneTask reports whether a device has such a change.
func aloneTask(p *deploy.DevicePlan) bool { return slices.ContainsFunc(p.Changes, runsAlone) }

// otherTask reports whether a device has another change.
func otherTask(p *deploy.DevicePlan) bool {
	return slices.ContainsFunc(p.Changes, func(c *deploy.Change) bool { return !runsAlone(c) })
}

// aloneStep returns the plan of the steps that run alone, without its order, and both steps of the change. The plan is nil if no step runs
// alone, or if the plan has no other step.
func aloneStep(plan *deploy.Plan, have *deploy.Observed) (*deploy.Plan, []change.Phase) {
	if !slices.ContainsFunc(plan.Devices, aloneTask) || !slices.ContainsFunc(plan.Devices, otherTask) {
		return nil, nil
	}
	held := map[*target.Device]*deploy.Have{}
	for _, h := range have.Devices {
		held[h.Device] = h
	}
	tree, of := &target.Tree{}, &deploy.Observed{}
	step := &deploy.Plan{Beside: slices.Clone(plan.Beside), Over: plan.Over}
	first, second := change.Phase{Step: change.Resets}, change.Phase{Step: change.Rest}
	for _, p := range plan.Devices {
		if p.Status == deploy.StatusChange && otherTask(p) {
			second.Moves = append(second.Moves, change.Move{Device: p.Device.Source, To: change.New})
		}
		if p.Status != deploy.StatusChange || !aloneTask(p) {
			step.Beside = append(step.Beside, p)
			continue
		}
		first.Moves = append(first.Moves, change.Move{Device: p.Device.Source, To: change.New})
		tree.Devices, of.Devices = append(tree.Devices, onlyAlone(p.Device)), append(of.Devices, held[p.Device])
	}
	step.Devices = deploy.Diff(tree, of).Devices
	return step, []change.Phase{first, second}
}

// onlyAlone returns a device on which every content stays that no step changes alone.
func onlyAlone(d *target.Device) *target.Device {
	out := *d
	out.Files = slices.Clone(d.Files)
	for i := range out.Files {
		if !out.Files[i].Activate.Alone {
			out.Files[i].Edit = func(old []byte) ([]byte, diag.List) { return old, nil }
		}
	}
	return &out
}

// againstAlone returns the devices of a plan with a step that runs alone beside another one, as reasons to refuse the plan.
func againstAlone(plan *deploy.Plan) diag.List {
	var ds diag.List
	for _, p := range plan.Devices {
		if p.Status == deploy.StatusChange && aloneTask(p) && otherTask(p) {
			deploy.TopicUnsafe.Errorf(&ds, p.Device.At, "%s would reset a card beside another change, and a reset runs alone. Make it two changes: "+
				"first nvram, then the rest.", p.Device.Name)
		}
	}
	return ds
}
