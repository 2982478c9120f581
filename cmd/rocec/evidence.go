package main

import (
	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/targets/deploy"
)

// acceptFlag adds --accept-documented to a verb that changes devices.
func acceptFlag(cmd *cobra.Command, accept *bool) {
	cmd.Flags().BoolVar(accept, "accept-documented", false,
		"change also real devices of a kind that nobody has reported on yet: what rocec writes there is known from public documents alone")
}

// wantsAccepted refuses a plan that changes real devices of a kind on which nobody has reported, unless the person accepts it.
func (a *app) wantsAccepted(f *report.Report, devices *fleet, plan *deploy.Plan, accept bool) error {
	if accept || devices.lab != nil {
		return nil
	}
	if ds := plan.Unaccepted(evidence.Reported); len(ds) > 0 {
		return a.refusal(f, ds)
	}
	return nil
}
