package view

import (
	"fmt"

	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// planEvidence is the evidence that written settings work, for a target, a release and a way of writing.
type planEvidence struct {
	Target  string `json:"target"`
	Release string `json:"release"` // empty: devices of the target have no release
	About   string `json:"about"`
	Known   string `json:"known"` // documented, simulated or reported
	Devices int    `json:"devices"`
	Accept  bool   `json:"accept"` // apply needs --accept-unverified
}

// EvidenceJSON returns the evidence that the settings of a plan work. In a rehearsal, apply accepts every kind.
func EvidenceJSON(p *deploy.Plan, rehearsal bool) []planEvidence {
	out := []planEvidence{}
	for _, e := range p.Evidence(evidence.Reported) {
		out = append(out, planEvidence{
			e.Target, e.Release, e.About, string(e.Grade), len(e.Devices), !rehearsal && len(e.Undecided()) > 0,
		})
	}
	return out
}

// evidence prints the evidence, in a line for each kind. It always prints the kinds that apply refuses without a flag, and others only
// with --notes.
func (v *Plan) evidence(p *deploy.Plan) {
	for _, e := range p.Evidence(evidence.Reported) {
		n := len(e.Undecided())
		if wants := n > 0 && !v.Rehearsal; !wants && !v.Options.Notes {
			v.folded.evidence += len(e.Devices)
			continue
		}
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
		if n > 0 && !v.Rehearsal {
			text += fmt.Sprintf("; apply needs --accept-unverified for %s", diag.Count(n, "device"))
		}
		v.Prose(v.Paint(diag.Dim, "evidence:")+" ", text+".")
	}
}
