package session

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/target"
)

// JudgePorts compares the ports and cables that the devices of a plan report with the fabric. It refuses devices whose change needs a
// missing port or cable, unless the person trusts the fabric more.
func JudgePorts(f *ir.Fabric, plan *deploy.Plan, trust bool) *seen.Result {
	of, ours := map[*ir.Device]*target.Seen{}, map[string]bool{}
	for _, d := range plan.Beside {
		of[d.Device.Source] = d.Seen
	}
	for _, d := range plan.Devices {
		of[d.Device.Source] = d.Seen
		ours[d.Device.Name] = true
	}
	r := seen.Judge(f, of).Of(ours)
	if trust {
		return r
	}
	for _, found := range r.Findings {
		if found.Refuses {
			plan.Refuse(found.Devices, fmt.Sprintf("%s: %s --skip-cabling-check makes the change anyway.", found.Summary, found.Detail))
		}
	}
	return r
}

// JudgeHealth compares the ports and cables that verify has read with the fabric.
func JudgeHealth(f *ir.Fabric, v *rollout.Verification) *seen.Result {
	of := map[*ir.Device]*target.Seen{}
	for _, h := range v.Devices {
		of[h.Drift.Device.Source] = h.Drift.Seen
	}
	return seen.Judge(f, of)
}

// Unread returns the devices of a plan that could not be read.
func Unread(plan *deploy.Plan) map[*ir.Device]bool {
	out := map[*ir.Device]bool{}
	for _, p := range plan.Devices {
		if p.Err != nil {
			out[p.Device.Source] = true
		}
	}
	return out
}
