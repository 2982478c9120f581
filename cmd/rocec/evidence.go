package main

import (
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// userReports are those that came with this rocec.
var userReports = sync.OnceValue(func() map[evidence.Key][]string {
	all, err := evidence.Read(evidence.Files)
	if err != nil {
		panic("docs/evidence: " + err.Error())
	}
	return all
})

// reported reports whether users have reported on a target and a release.
func reported(target, release string) bool {
	return len(userReports()[evidence.Key{Target: target, Release: release}]) > 0
}

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
	if ds := plan.Unaccepted(reported); len(ds) > 0 {
		return a.refusal(f, ds)
	}
	return nil
}

// planEvidence is how it is known that what is written on the devices of a target, a release and a way works.
type planEvidence struct {
	Target  string `json:"target"`
	Release string `json:"release"` // empty: the target's devices have none
	About   string `json:"about"`
	Known   string `json:"known"` // documented, simulated or reported
	Devices int    `json:"devices"`
	Accept  bool   `json:"accept"` // apply wants --accept-documented
}

func evidenceJSON(p *deploy.Plan, rehearsal bool) []planEvidence {
	out := []planEvidence{}
	for _, e := range p.Evidence(reported) {
		out = append(out, planEvidence{
			e.Target, e.Release, e.About, string(e.Grade), len(e.Devices), !rehearsal && len(e.Undecided()) > 0,
		})
	}
	return out
}

// evidence says the same in a line for each.
func (v *planView) evidence(p *deploy.Plan) {
	for _, e := range p.Evidence(reported) {
		text := e.Target
		if e.About != "" {
			text += " (" + e.About + ")"
		}
		text += ": " + string(e.Grade)
		if e.Grade == deploy.GradeReported {
			text += " by users"
		} else {
			text += ", no report by users yet"
		}
		if n := len(e.Undecided()); n > 0 && !v.labs {
			text += fmt.Sprintf("; apply wants --accept-documented for %s", diag.Count(n, "device"))
		}
		v.prose(v.paint(diag.Dim, "evidence:")+" ", text+".")
	}
}
