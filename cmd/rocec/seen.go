package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/target"
)

// trustFabricFlag adds --trust-fabric to a verb that plans.
func trustFabricFlag(cmd *cobra.Command, trust *bool) {
	cmd.Flags().BoolVar(trust, "trust-fabric", false,
		"change devices also where their cables and ports are not where the fabric says: somebody has seen that it is safe")
}

// judged compares what the devices of a plan say of their ports and cables with the fabric. Devices whose change would rely on what is not
// there are refused, unless the person trusts the fabric more.
func judged(f *ir.Fabric, plan *deploy.Plan, trust bool) *seen.Result {
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
			plan.Refuse(found.Devices, fmt.Sprintf("%s: %s --trust-fabric makes the change in spite of it.", found.Summary, found.Detail))
		}
	}
	return r
}

// judgedHealth compares what verify has read of devices.
func judgedHealth(f *ir.Fabric, v *rollout.Verification) *seen.Result {
	of := map[*ir.Device]*target.Seen{}
	for _, h := range v.Devices {
		of[h.Drift.Device.Source] = h.Drift.Seen
	}
	return seen.Judge(f, of)
}
