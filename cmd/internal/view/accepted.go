package view

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// statusAccepted is the status of a device that a plan does not change because the fabric accepts its differences.
const statusAccepted = "accepted"

// Accepted contains the differences and findings of a device that an accept block of the fabric accepts.
type Accepted struct {
	Reason      string            `json:"reason"`
	By          string            `json:"by"`
	Until       string            `json:"until,omitempty"`
	File        string            `json:"file"` // of the fabric
	Line        int               `json:"line"`
	Differences []Difference      `json:"differences"`
	Findings    []AcceptedFinding `json:"findings,omitempty"`
}

// AcceptedFinding is a warning about a value that rocec does not write.
type AcceptedFinding struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// AcceptedJSON returns the accepted differences of a device.
func AcceptedJSON(d *deploy.DevicePlan) []Accepted {
	var out []Accepted
	for _, a := range d.Accepted {
		one := Accepted{Reason: a.Block.Reason, By: a.Block.By, Until: a.Block.Until, File: a.Block.At.Filename, Line: a.Block.At.Start.Line}
		one.Differences = differencesJSON(a.Differences)
		for _, found := range a.Found {
			one.Findings = append(one.Findings, AcceptedFinding{found.Code, target.Escape(found.Detail)})
		}
		out = append(out, one)
	}
	return out
}

// acceptances prints the differences of devices that the fabric accepts, and the accept blocks that have expired.
func acceptances(v *Plan, p *deploy.Plan) {
	var all Texts
	for _, d := range p.Devices {
		for i := range d.Accepted {
			text := d.Accepted[i].Text()
			switch {
			case v.Drift || d.Status == deploy.StatusOthers:
			case d.Keeps():
				text += "; not changed"
			case d.Status == deploy.StatusChange:
				text += "; written anyway, because other values differ"
			}
			all.Add(text, d.Device.Name)
		}
	}
	for _, text := range all.All {
		v.Prose(v.Paint(diag.Yellow, "accepted:")+" ", nodeset.Text(all.Of[text], nodeset.Devices, math.MaxInt)+": "+target.Escape(text)+".")
	}
	for _, d := range p.Over {
		v.Prose(v.Paint(diag.Yellow, "note:")+" ", fmt.Sprintf("%s:%d: %s [%s]", d.At.Filename, d.At.Start.Line, d.Detail, d.Code))
	}
}

// acceptedText counts devices that are not changed because the fabric accepts their differences.
func acceptedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d accepted", n)
}
