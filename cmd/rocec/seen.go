package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
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

// mostSeen is how many findings about ports and cables are shown; --expand and JSON have them all.
const mostSeen = 12

// seen says in what devices are not as the fabric says, each at its line, and what nobody could read.
func (v *planView) seen(r *seen.Result) {
	if r == nil {
		return
	}
	for i, f := range r.Findings {
		if i == mostSeen && !v.expand {
			fmt.Fprintf(v.w, "... and %s about ports and cables; --format json has them all\n", diag.Count(len(r.Findings)-i, "more finding"))
			break
		}
		style := map[diag.Severity]string{diag.Error: diag.Red, diag.Warning: diag.Yellow}[f.Severity]
		v.prose(v.paint(style, fmt.Sprintf("%s[%s]:", f.Severity, f.Code))+" ", f.Detail)
		places := []string{report.Place(f.At)}
		for _, n := range f.Notes {
			places = append(places, report.Place(n.At))
		}
		fmt.Fprintf(v.w, "  declared at %s\n", v.paint(diag.Cyan, strings.Join(places, ", ")))
	}
	if text := r.UnreadText(); text != "" {
		v.prose(v.paint(diag.Yellow, "note:")+" ", text)
	}
}

// seenDocument is what devices say of their ports and cables, for plan and verify.
type seenDocument struct {
	Findings []seenFinding `json:"findings"`
	Unread   []seenUnread  `json:"unread"`
}

// seenFinding is a way in which devices are not as the fabric says.
type seenFinding struct {
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Devices  []string `json:"devices"`
	Refuses  bool     `json:"refuses"`
}

// seenUnread is what could not be read.
type seenUnread struct {
	What    string   `json:"what"`
	Devices []string `json:"devices"`
	Why     string   `json:"why"`
}

func seenJSON(r *seen.Result) seenDocument {
	doc := seenDocument{[]seenFinding{}, []seenUnread{}}
	for _, f := range r.Findings {
		doc.Findings = append(doc.Findings, seenFinding{
			f.Code, f.Severity.String(), f.Detail, f.At.Filename, f.At.Start.Line, f.Devices, f.Refuses,
		})
	}
	for _, u := range r.Unread {
		doc.Unread = append(doc.Unread, seenUnread(u))
	}
	return doc
}
