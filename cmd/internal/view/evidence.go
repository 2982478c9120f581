package view

import (
	"fmt"

	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// planEvidence is how it is known that what is written on the devices of a target, a release and a way works.
type planEvidence struct {
	Target  string `json:"target"`
	Release string `json:"release"` // empty: the target's devices have none
	About   string `json:"about"`
	Known   string `json:"known"` // documented, simulated or reported
	Devices int    `json:"devices"`
	Accept  bool   `json:"accept"` // apply wants --accept-unverified
}

// EvidenceJSON returns how what a plan writes is known to work. In a rehearsal, apply accepts every kind.
func EvidenceJSON(p *deploy.Plan, rehearsal bool) []planEvidence {
	out := []planEvidence{}
	for _, e := range p.Evidence(evidence.Reported) {
		out = append(out, planEvidence{
			e.Target, e.Release, e.About, string(e.Grade), len(e.Devices), !rehearsal && len(e.Undecided()) > 0,
		})
	}
	return out
}

// evidence prints the same in a line for each kind: of those that apply refuses without a flag always, of others with --notes.
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
			text += fmt.Sprintf("; apply wants --accept-unverified for %s", diag.Count(n, "device"))
		}
		v.Prose(v.Paint(diag.Dim, "evidence:")+" ", text+".")
	}
}
