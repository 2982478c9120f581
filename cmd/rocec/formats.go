package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
)

// validateFormats is the table of output formats of validate. text and json name files as the person would type them;
// the others, which CI systems read, from the root of the repository (see [paths]). All of them are written from the
// same sorted list, errors before warnings where a reader shows only the first few.
var validateFormats = []struct {
	name  string
	write func(*app, *fabric) error
}{
	{"text", (*app).validateText},
	{"json", (*app).validateJSON},
	{"sarif", (*app).validateSARIF},
	{"junit", (*app).validateJUnit},
	{"github", (*app).validateGitHub},
	{"gitlab", (*app).validateGitLab},
}

// topicsRun are the codes of the checks that judged f, whether they found something or not.
func topicsRun(f *fabric) []diag.Topic {
	switch {
	case f.Fabric != nil:
		return rooms()[0].topics
	case f.devices != nil:
		return conflint.Topics
	}
	return nil
}

// helpURI is where the story of a code can be read.
func helpURI(code string) string {
	return "https://github.com/rocec/rocec/blob/main/docs/checks.md#" + code
}

// oneText is a diagnostic as one text: detail, notes, the laid-out text, the way out.
func oneText(p *paths, d *diag.Diagnostic) string {
	parts := []string{d.Detail}
	for _, n := range d.Notes {
		if p.inFile(n.At) {
			parts = append(parts, p.line(n.At)+": "+n.Message)
		} else {
			parts = append(parts, n.Message)
		}
	}
	parts = append(parts, textAndFix(p, d)...)
	return diag.Escape(strings.Join(parts, "\n"))
}

// textAndFix are the last parts of what a diagnostic says.
func textAndFix(p *paths, d *diag.Diagnostic) (parts []string) {
	if d.Text != "" {
		parts = append(parts, strings.TrimRight(d.Text, "\n"))
	}
	if d.Fix == nil || d.Fix.Told {
		return parts
	}
	var help strings.Builder
	help.WriteString("help: " + d.Fix.Message)
	for _, e := range d.Fix.Edits {
		if p.inFile(e.At) {
			fmt.Fprintf(&help, "\n%s: write %s", p.line(e.At), e.New)
		}
	}
	return append(parts, help.String())
}

// worstFirst returns the list with errors in front of warnings, and those in front of notes.
func worstFirst(l diag.List) diag.List {
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(x, y *diag.Diagnostic) int { return int(x.Severity) - int(y.Severity) })
	return l
}

// clip cuts a text to at most so many bytes, at the end of a letter.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const mark = "..."
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// severityCounts is "1 error, 2 warnings", with notes and what comments silence, where there is some.
func severityCounts(f *fabric) string {
	s := counts(f.Diags)
	if n := len(f.Ignored); n > 0 {
		s += fmt.Sprintf(", %d ignored", n)
	}
	return s
}
