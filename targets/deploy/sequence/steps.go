package sequence

import (
	"slices"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// If no order of the devices is lossless, a change has several steps, in which devices have the old and the new class at the same time.
// Each step is a separate plan and run. The next step depends only on the content of the devices at that time. So rocec keeps no state
// about steps that were undone or interrupted.

// MostSteps is the largest number of steps of one change: steps that run alone, expand, migrate, contract, and a check that nothing is left
// to do.
const MostSteps = 5

// Next returns the plan to run now, in order. It is the plan of s, or the plan of the first of several steps that the devices have not
// done yet. Next uses the found content of the devices. If the Sequence is nil, the error in the list states why there is no such plan.
func (s *Sequence) Next(have *deploy.Observed) (*deploy.Plan, *Sequence, diag.List) {
	if s.mixed != nil && !s.Lossy() && len(s.Refused) == 0 { // no card is reset for a change that cannot follow
		if step, phases := aloneStep(s.plan, have); step != nil {
			first, ds := New(s.fabric, s.tree, step, s.Rules)
			if first != nil {
				first.Steps = phases
			}
			return step, first, ds
		}
	}
	if s.mixed == nil || !s.mixed.staged || s.Lossy() {
		return s.plan, s, s.Refusals()
	}
	for i := range s.mixed.phases {
		steps := s.mixed.phases[i:]
		step, ds := s.step(have, steps)
		if step == nil {
			return nil, nil, ds
		}
		if step.Empty() && len(steps) > 1 {
			continue // the devices already hold the wanted settings
		}
		first, ds := New(s.fabric, s.tree, step, s.Rules)
		if first != nil {
			first.Steps = steps
		}
		return step, first, ds
	}
	panic("sequence: a change of several steps without any")
}

// step returns the plan of the next step of a change. Devices that do not change in this step are beside the plan. Devices whose lossless
// settings stay the same change in the last step.
func (s *Sequence) step(have *deploy.Observed, steps []change.Phase) (*deploy.Plan, diag.List) {
	to := map[*ir.Device]change.Stage{}
	for _, v := range steps[0].Moves {
		to[v.Device] = v.To
	}
	held := map[*target.Device]*deploy.Have{}
	for _, h := range have.Devices {
		held[h.Device] = h
	}
	tree, of := &target.Tree{}, &deploy.Observed{}
	step := &deploy.Plan{Beside: slices.Clone(s.plan.Beside), Over: s.plan.Over}
	for _, p := range s.plan.Devices {
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
			var ds diag.List
			deploy.TopicMixture.Errorf(&ds, p.Device.At, "%s cannot hold the old class beside the new one, and no order of the devices is "+
				"lossless without: %s", p.Device.Name, not)
			return nil, ds
		}
		tree.Devices, of.Devices = append(tree.Devices, d), append(of.Devices, h)
	}
	step.Devices = deploy.Diff(tree, of).Devices
	return step, nil
}

// staged returns a device with the content of a stage in place of the fabric's content. If the device cannot have this content, not
// states the reason.
func staged(d *target.Device, h *deploy.Have, stage change.Stage) (_ *target.Device, not string) {
	if stage == change.New {
		return d, ""
	}
	if d.Target.Transition == nil {
		return nil, "rocec has no content for that on " + d.About + "."
	}
	held := map[string][]byte{}
	for i := range d.Files {
		held[d.Files[i].Path] = h.Files[i].Data
	}
	files, not := d.Target.Transition(d.Source, func(path string) []byte { return held[path] }, stage == change.Marked)
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
