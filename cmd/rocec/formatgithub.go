package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// GitHub shows ten annotations of a kind a step and drops the rest silently. One notice is kept for the total.
const mostAnnotations = 10

// The bounds of what is written for GitHub: of one annotation, and of the summary, of which GitHub takes 1 MiB a step.
const (
	longestAnnotation = 8 << 10 // bytes
	longestCell       = 600     // bytes
	mostSummarized    = 100     // findings
)

// githubCommand spells severities as workflow commands do.
var githubCommand = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Notice: "notice"}

// Workflow commands escape what would end a command or a property.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// validateGitHub writes workflow commands: errors first, and the total last. What GitHub would drop stands in the log as
// plain lines, folded. Where GITHUB_STEP_SUMMARY names a file, verdicts and findings are appended to it as tables.
func (a *app) validateGitHub(f *fabric) error {
	p := newPaths(f)
	shown := map[diag.Severity]int{diag.Notice: 1} // the total
	var rest diag.List
	for _, d := range worstFirst(f.Diags) {
		if shown[d.Severity]++; shown[d.Severity] > mostAnnotations {
			rest = append(rest, d)
			continue
		}
		where := ""
		if at, ok := p.told(d); ok {
			where = fmt.Sprintf("file=%s,line=%d,endLine=%d,", githubProperty.Replace(diag.Escape(p.path(at.Filename))),
				max(at.Start.Line, 1), max(at.End.Line, 1))
			if at.Start.Line == at.End.Line { // GitHub takes columns within one line only
				from, to := p.columns(at)
				where += fmt.Sprintf("col=%d,endColumn=%d,", from, to)
			}
		}
		fmt.Fprintf(a.stdout, "::%s %stitle=%s::%s\n", githubCommand[d.Severity], where,
			githubProperty.Replace(d.Code+": "+diag.Escape(d.Summary)), githubData.Replace(clip(oneText(p, d), longestAnnotation)))
	}
	total := severityCounts(f)
	if len(rest) > 0 {
		fmt.Fprintf(a.stdout, "::group::%s that GitHub does not annotate\n", diag.Count(len(rest), "further finding"))
		for _, d := range rest {
			where := ""
			if p.inFile(d.At) {
				where = p.line(d.At) + ": "
			}
			fmt.Fprintln(a.stdout, plainLine(fmt.Sprintf("%s[%s]: %s%s: %s", d.Severity, d.Code, where, d.Summary, d.Detail)))
		}
		fmt.Fprintln(a.stdout, "::endgroup::")
		total += fmt.Sprintf(", of which %d are in the log only", len(rest))
	}
	if name := a.getenv("GITHUB_STEP_SUMMARY"); name != "" {
		if err := appendFile(name, githubSummary(p, f)); err != nil {
			fmt.Fprintf(a.stderr, "rocec: cannot write the step summary: %s\n", diag.Escape(err.Error()))
		}
	}
	_, err := fmt.Fprintf(a.stdout, "::notice title=rocec::%s\n", githubData.Replace(total))
	return err
}

// plainLine is text on one line of a log in which GitHub finds no command of its old kind.
func plainLine(s string) string {
	return strings.NewReplacer("\n", " ", "##[", "# #[").Replace(diag.Escape(s))
}

func appendFile(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// githubSummary is what stands on the page of a run: the verdicts, then the findings, worst first, bounded.
func githubSummary(p *paths, f *fabric) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## rocec validate: %s\n\n", cell(severityCounts(f)))
	proofs := f.Proofs
	if len(proofs) > 0 {
		b.WriteString("| cos group | verdict | why |\n| --- | --- | --- |\n")
		for _, proof := range proofs[:min(len(proofs), mostSummarized)] {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(proof.Group.Name), cell(verdict(proof)), cell(proof.Why()))
		}
		b.WriteByte('\n')
	}
	if len(f.Diags) > 0 {
		b.WriteString("| | place | code | what |\n| --- | --- | --- | --- |\n")
		for i, d := range worstFirst(f.Diags) {
			if i == mostSummarized {
				fmt.Fprintf(&b, "\n... and %s, see the log.\n", diag.Count(len(f.Diags)-i, "further finding"))
				break
			}
			where := ""
			if p.inFile(d.At) {
				where = p.line(d.At)
			}
			fmt.Fprintf(&b, "| %s | %s | [%s](%s) | %s |\n", d.Severity, cell(where), d.Code, helpURI(d.Code), cell(d.Summary+": "+d.Detail))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cell is text inside a Markdown table: on one line, bounded, and nothing in it is markup.
func cell(s string) string {
	s = clip(strings.Join(strings.Fields(diag.Escape(s)), " "), longestCell)
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&@$\"'", r) || r == ':' { // : makes links of addresses
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
