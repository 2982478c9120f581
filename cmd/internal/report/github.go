package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// GitHub shows ten annotations of a kind per step and drops the rest silently. One notice is reserved for the total.
const mostAnnotations = 10

// longestAnnotation is the maximum of bytes in an annotation.
const longestAnnotation = 8 << 10

// githubCommand maps severities to workflow commands.
var githubCommand = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Notice: "notice"}

// Workflow commands escape characters that would end a command or a property.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes workflow commands: errors first, and the total last. Findings that GitHub would drop are plain lines of the log,
// folded.
func GitHub(w io.Writer, r *Report, _ Options) error {
	p := newPaths(r)
	shown := map[diag.Severity]int{diag.Notice: 1} // the total
	var rest diag.List
	for _, d := range worstFirst(r.Diags) {
		if shown[d.Severity]++; shown[d.Severity] > mostAnnotations {
			rest = append(rest, d)
			continue
		}
		where := ""
		if at, ok := p.told(d); ok {
			where = fmt.Sprintf("file=%s,line=%d,endLine=%d,", githubProperty.Replace(diag.Escape(p.path(at.Filename))),
				max(at.Start.Line, 1), max(at.End.Line, 1))
			if at.Start.Line == at.End.Line { // GitHub accepts columns only within one line
				from, to := p.columns(at)
				where += fmt.Sprintf("col=%d,endColumn=%d,", from, to)
			}
		}
		fmt.Fprintf(w, "::%s %stitle=%s::%s\n", githubCommand[d.Severity], where,
			githubProperty.Replace(d.Code+": "+diag.Escape(d.Summary)), githubData.Replace(clip(oneText(p, d), longestAnnotation)))
	}
	total := r.counts()
	if len(rest) > 0 {
		fmt.Fprintf(w, "::group::%s that GitHub does not annotate\n", diag.Count(len(rest), "further finding"))
		for _, d := range rest {
			where := ""
			if p.inFile(d.At) {
				where = p.line(d.At) + ": "
			}
			fmt.Fprintln(w, plainLine(fmt.Sprintf("%s[%s]: %s%s: %s", d.Severity, d.Code, where, d.Summary, d.Detail)))
		}
		fmt.Fprintln(w, "::endgroup::")
		total += fmt.Sprintf(", of which %d are in the log only", len(rest))
	}
	if s := r.NotJudged(); s != "" {
		total += "; " + s
	}
	if r.Baseline != nil {
		total += strings.Join(append([]string{""}, r.Baseline.Sentences()...), "; ")
	}
	_, err := fmt.Fprintf(w, "::notice title=rocec::%s\n", githubData.Replace(total))
	return err
}

// plainLine is text on one line of a log.
func plainLine(s string) string { return diag.Escape(strings.ReplaceAll(s, "\n", " ")) }
