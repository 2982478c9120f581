package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
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

// fingerprints names findings across edits of their files: by code, file and text, not by line. Of those that have all
// three in common it counts the occurrences, in the order of the list.
type fingerprints struct {
	*paths
	folders map[string]bool // of the files
	seen    map[string]int
}

func newFingerprints(p *paths) *fingerprints {
	out := &fingerprints{p, map[string]bool{}, map[string]int{}}
	for name := range p.files {
		out.folders[path.Dir(name)] = true
	}
	return out
}

// What a text may say that changes with edits elsewhere, or with where rocec is started.
var (
	lineNumbers = regexp.MustCompile(`\bline \d+`)
	quoted      = regexp.MustCompile(`"[^"]+"`)
)

func (p *fingerprints) of(d *diag.Diagnostic) string {
	detail := lineNumbers.ReplaceAllLiteralString(d.Detail, "line")
	detail = quoted.ReplaceAllStringFunc(detail, func(s string) string {
		name := s[1 : len(s)-1]
		switch _, known := p.files[name]; {
		case known:
			name = p.stable(diag.Range{Filename: name})
		case p.folders[name]:
			name = path.Dir(p.stable(diag.Range{Filename: path.Join(name, "x")}))
		}
		return `"` + name + `"`
	})
	file := p.stable(d.At)
	if file != "" { // some texts begin with it
		detail = strings.NewReplacer(file, "", d.At.Filename, "").Replace(detail)
	}
	key := d.Code + "\x00" + file + "\x00" + detail
	p.seen[key]++
	sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(p.seen[key])))
	return hex.EncodeToString(sum[:16])
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
