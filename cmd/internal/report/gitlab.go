package report

import (
	"io"

	"github.com/rocec/rocec/lang/diag"
)

// GitLabIssue is a finding of GitLab's code quality report.
type GitLabIssue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// gitlabSeverity maps severities to those of GitLab, which has two worse ones for its security reports.
var gitlabSeverity = map[diag.Severity]string{diag.Error: "major", diag.Warning: "minor", diag.Notice: "info"}

// GitLab writes GitLab's code quality report. GitLab drops findings without a path, so a finding without a place gets the path of the
// fabric's folder.
func GitLab(w io.Writer, r *Report, _ Options) error {
	p := newPaths(r)
	prints := Fingerprints(r)
	issues := []GitLabIssue{}
	for _, d := range r.Diags {
		i := GitLabIssue{
			Description: diag.EscapeLines(d.Summary + ": " + d.Detail), CheckName: d.Code, Fingerprint: prints[d],
			Severity: gitlabSeverity[d.Severity],
		}
		i.Location.Path, i.Location.Lines.Begin = diag.Escape(p.folder()), 1
		if at, ok := p.best(d); ok {
			i.Location.Path, i.Location.Lines.Begin = diag.Escape(p.path(at.Filename)), max(at.Start.Line, 1)
		}
		issues = append(issues, i)
	}
	return diag.WriteJSON(w, issues, true)
}
