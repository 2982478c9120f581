// Package report writes a [Report] of findings as text for people, as JSON for programs, and in the formats of CI systems. text and json
// name files as the person would type them. The formats of CI systems name them relative to the root of the repository (see paths). All
// formats use the same sorted list. Formats whose readers show only a few findings have errors first.
package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/inventory"
	"github.com/rocec/rocec/lang/policy"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/watchdogs"
)

// FormatVersion is the version in every JSON document of rocec. Members are added, never renamed.
const FormatVersion = "1.0"

// Report is a judged fabric, or judged files of devices.
type Report struct {
	*judge.Judged

	Dir    string       // the folder, as the person named it
	Strict bool         // warnings cause exit status 1
	Files  []DeviceFile // files of devices; then there is no fabric

	Hidden map[string][]byte // files whose text no message may show

	PassedOver int // number of files in a folder that do not have names of a switch's files

	// Claims has what devices show of the assumptions of the verdicts; nil: no device was read.
	Claims *claims.Result

	// These fields are set in an audit.
	Network  Network  // the part of a network that was read
	Sources  []string // the named files and folders
	Made     string   // the folder of files that the run has derived; it is not on the disk
	DeviceOf func(file string) (device, group string)
	Drops    func(p *ir.Port) bool // files show that a port loses lossless packets

	Baseline *baseline.Compared // nil: none

	prints map[*diag.Diagnostic]string // fingerprints of all findings, made before a baseline removes some; nil: no comparison
}

// Network describes the part of a network that an audit has read. JSON contains all fields.
type Network interface {
	Line() string      // counts of devices and cables
	Assumed() []string // conditions of verdicts, one sentence each
	Left() []string    // devices and files that are left out
}

// Options contains the settings of the writers.
type Options struct {
	Version string // of rocec, for SARIF

	// Of text.
	Color          bool
	Width          int // columns
	Quiet, Verbose bool
	Why            bool // show the proofs, their assumptions, and every note

	ByOwner bool // Markdown has a section for each owner
}

// OfFiles returns the report of files of devices in a folder. No message shows text of hidden files.
func OfFiles(dir string, files []lint.File, hidden map[string][]byte, r lint.Result) *Report {
	Hide(r.Diagnostics, hidden)
	f := &Report{
		Judged: &judge.Judged{Source: &lang.Source{Files: map[string][]byte{}}, Diags: r.Diagnostics}, Dir: dir, Hidden: hidden,
	}
	for i, file := range files {
		if _, is := hidden[file.Name]; !is {
			f.Source.Files[file.Name] = file.Data
		}
		f.Files = append(f.Files, DeviceFile{Name: file.Name, Taken: r.Files[i], Rules: targets.RulesOf(file, r.Files[i])})
	}
	return f
}

// Fails reports whether a finding causes exit status 1 of validate.
func (r *Report) Fails(d *diag.Diagnostic) bool {
	return d.Severity == diag.Error || r.Strict && d.Severity == diag.Warning
}

// Failed reports whether validate exits with 1. It does if a finding fails, or if there are files and none was judged. If Strict is
// set, one file that was not judged is enough.
func (r *Report) Failed() bool {
	judged, not := judged(r.Files)
	return slices.ContainsFunc(r.Diags, r.Fails) || len(not) > 0 && (r.Strict || len(judged) == 0)
}

// Room is a part of rocec, such as the compiler or the targets, with the codes that it reports.
type Room struct {
	Title  string
	Topics []diag.Topic
}

// Rooms returns every code, grouped by the room that reports it, and sorted within the room.
func Rooms() []Room {
	var checks []diag.Topic
	for _, c := range validate.Checks {
		checks = append(checks, c.Topic())
	}
	all := []Room{
		{"Checks: the fabric would misbehave", checks},
		{"The language: a file has a mistake", slices.Concat(lang.Topics, inventory.Topics)},
		{"The fabric: names, cables, sizes", slices.Clone(compiler.Topics)},
		{"The devices: a release or a chip cannot do it", slices.Clone(targets.Topics)},
		{"Device files: the configuration of a switch would misbehave", targets.FileTopics()},
		{"The machines: plan and apply could not do it", slices.Clone(deploy.Topics)},
		{"The site: its policy does not allow it", policy.Topics()},
		{"Observations: ports and cables differ from the fabric", slices.Clone(seen.Topics)},
		{"Observations: devices contradict an assumption of a verdict", slices.Concat(claims.Topics, watchdogs.Topics)},
	}
	for _, r := range all {
		sort.Slice(r.Topics, func(i, k int) bool { return r.Topics[i].Code < r.Topics[k].Code })
	}
	return all
}

// topicsRun returns the codes of the checks that ran on f, with or without findings.
func topicsRun(r *Report) []diag.Topic {
	switch {
	case r.Fabric != nil:
		return Rooms()[0].Topics
	case r.Files != nil:
		ran := rulesRun(r.Files)
		return slices.DeleteFunc(targets.FileTopics(), func(t diag.Topic) bool { return !ran[t.Code] })
	}
	return nil
}

// HelpURI returns the address of the page of a code; "" if the code has no page.
func HelpURI(code string) string {
	if p := docs.OfCode(code); p != nil {
		return p.Web()
	}
	return ""
}

// oneText returns a diagnostic as one text: the detail, the notes, the preformatted text, and the fix.
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
	return diag.EscapeLines(strings.Join(parts, "\n"))
}

// textAndFix returns the last parts of the text of a diagnostic.
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
			fmt.Fprintf(&help, "\n%s: write %s", p.line(e.At), diag.Shorten(e.New))
		}
	}
	return append(parts, help.String())
}

// worstFirst returns the list with errors first, then warnings, then notes.
func worstFirst(l diag.List) diag.List {
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(x, y *diag.Diagnostic) int { return int(x.Severity) - int(y.Severity) })
	return l
}

// clip cuts a text to at most a number of bytes, between letters.
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

// counts returns "1 error, 2 warnings", with the numbers of notes and of silenced findings if there are any.
func (r *Report) counts() string {
	s := Counts(r.Diags)
	if n := len(r.Ignored); n > 0 {
		s += fmt.Sprintf(", %d ignored", n)
	}
	if r.Baseline != nil && len(r.Baseline.Held) > 0 {
		s += fmt.Sprintf(", %s known", diag.Number(len(r.Baseline.Held)))
	}
	return s
}

// Counts returns "1 error, 2 warnings", with the number of notes if there are any.
func Counts(l diag.List) string {
	s := diag.Count(l.Count(diag.Error), "error") + ", " + diag.Count(l.Count(diag.Warning), "warning")
	if notes := l.Count(diag.Notice); notes > 0 {
		s += ", " + diag.Count(notes, "note")
	}
	return s
}

// files returns the number of fabric files, or of files of devices. It counts only names that end in .hcl, because Source.Files also
// contains files with values of variables.
func (r *Report) files() int {
	n := len(r.Files)
	if n > 0 {
		return n // the fabric itself was not judged
	}
	for name := range r.Source.Files {
		if strings.HasSuffix(name, ".hcl") {
			n++
		}
	}
	return n
}
