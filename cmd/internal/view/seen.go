package view

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/seen"
)

// mostSeen is the maximum number of findings about ports and cables, and about assumptions, that are shown; --expand and JSON show all.
const mostSeen = 12

// seen prints the differences of devices from the fabric, each with its line, and the facts that could not be read.
func (v *Plan) seen(r *seen.Result) {
	if r == nil {
		return
	}
	ds := make(diag.List, len(r.Findings))
	for i, f := range r.Findings {
		ds[i] = f.Diagnostic
	}
	listed(v, ds, "ports and cables")
	if text := r.UnreadText(); text != "" {
		v.Prose(v.Paint(diag.Yellow, "note:")+" ", text)
	}
}

// listed prints findings, each with its line.
func listed(v *Plan, ds diag.List, about string) {
	for i, f := range ds {
		if i == mostSeen && !v.Expand {
			fmt.Fprintf(v.W, "... and %s about %s; --format json has them all\n", diag.Count(len(ds)-i, "more finding"), about)
			break
		}
		style := map[diag.Severity]string{diag.Error: diag.Red, diag.Warning: diag.Yellow}[f.Severity]
		v.Prose(v.Paint(style, fmt.Sprintf("%s[%s]:", f.Severity, f.Code))+" ", f.Detail)
		places := []string{report.Place(f.At)}
		for _, n := range f.Notes {
			places = append(places, report.Place(n.At))
		}
		fmt.Fprintf(v.W, "  declared at %s\n", v.Paint(diag.Cyan, strings.Join(places, ", ")))
	}
}

// SeenDocument contains the reports of devices about their ports and cables, for plan and verify.
type SeenDocument struct {
	Findings []SeenFinding `json:"findings"`
	Unread   []SeenUnread  `json:"unread"`
}

// SeenFinding is a difference of devices from the fabric.
type SeenFinding struct {
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Devices  []string `json:"devices"`
	Refuses  bool     `json:"refuses"`
}

// SeenUnread is a fact that could not be read.
type SeenUnread struct {
	What    string   `json:"what"`
	Devices []string `json:"devices"`
	Why     string   `json:"why"`
}

// SeenJSON returns what devices report of their ports and cables.
func SeenJSON(r *seen.Result) SeenDocument {
	doc := SeenDocument{[]SeenFinding{}, []SeenUnread{}}
	for _, f := range r.Findings {
		doc.Findings = append(doc.Findings, SeenFinding{
			f.Code, f.Severity.String(), f.Detail, f.At.Filename, f.At.Start.Line, f.Devices, f.Refuses,
		})
	}
	for _, u := range r.Unread {
		doc.Unread = append(doc.Unread, SeenUnread(u))
	}
	return doc
}
