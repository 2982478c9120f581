// Package report writes a [Report] of findings in the forms that its readers take: text for people, JSON for programs, and the formats
// of CI systems. text and json name files as the person would type them. The others, which CI systems read, name them from the root of
// the repository (see paths). All are written from the same sorted list, errors before warnings where a reader shows only the first
// few.
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
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
)

// FormatVersion begins every JSON document of rocec: members are added, never renamed.
const FormatVersion = "1.0"

// Report is a judged fabric, or judged files of devices.
type Report struct {
	*judge.Judged

	Dir    string       // the folder, as the person named it
	Strict bool         // warnings end in exit status 1
	Files  []DeviceFile // of files of devices: then there is no fabric

	Hidden map[string][]byte // files that were read, of which no message shows text

	PassedOver int // files of a folder that have no name of a device's file

	// These fields are set in an audit.
	Network  Network  // the part of a network that was read
	Sources  []string // the files and folders that were named
	Made     string   // the folder of files that the run has made; no disk has it
	DeviceOf func(file string) (device, group string)
	Drops    func(p *ir.Port) bool // files show that a port loses packets that the fabric keeps

	Baseline *baseline.Compared // nil: none was named

	prints map[*diag.Diagnostic]string // before the findings were compared with a baseline
}

// Network is the part of a network that an audit has read. JSON has all fields.
type Network interface {
	Line() string      // counts of devices and cables
	Assumed() []string // conditions of verdicts, one sentence each
	Left() []string    // what is left out
}

// Options holds the settings that the writers need beside the report.
type Options struct {
	Version string // of rocec, for SARIF

	// Of text.
	Color          bool
	Width          int // columns
	Quiet, Verbose bool
	Why            bool // the proofs and what they assume, and every note

	ByOwner bool // of Markdown: a section for each owner
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

// Fails reports whether a finding ends validate in exit status 1.
func (r *Report) Fails(d *diag.Diagnostic) bool {
	return d.Severity == diag.Error || r.Strict && d.Severity == diag.Warning
}

// Failed reports whether validate ends in exit status 1: a finding fails, no file was judged, or, where warnings fail, one was not.
func (r *Report) Failed() bool {
	judged, not := judged(r.Files)
	return slices.ContainsFunc(r.Diags, r.Fails) || len(not) > 0 && (r.Strict || len(judged) == 0)
}

// Room is a table of codes and the room that reports them.
type Room struct {
	Title  string
	Topics []diag.Topic
}

// Rooms returns every code there is, by the room that reports it, each room's sorted.
func Rooms() []Room {
	var checks []diag.Topic
	for _, c := range validate.Checks {
		checks = append(checks, c.Topic())
	}
	all := []Room{
		{"Checks: the fabric would misbehave", checks},
		{"The language: the file cannot be read as meant", slices.Concat(lang.Topics, inventory.Topics)},
		{"The fabric: names, cables, sizes", slices.Clone(compiler.Topics)},
		{"The devices: a release or a chip cannot do it", slices.Clone(targets.Topics)},
		{"Device files: what lies on a switch would misbehave", targets.FileTopics()},
		{"The machines: plan and apply could not do it", slices.Clone(deploy.Topics)},
		{"What devices say: ports and cables are not as the fabric says", slices.Clone(seen.Topics)},
	}
	for _, r := range all {
		sort.Slice(r.Topics, func(i, k int) bool { return r.Topics[i].Code < r.Topics[k].Code })
	}
	return all
}

// topicsRun are the codes of the checks that judged f, whether they found something or not.
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

// counts is "1 error, 2 warnings", with notes and what comments silence, where there is some.
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

// Counts is "1 error, 2 warnings", with notes where there are some.
func Counts(l diag.List) string {
	s := diag.Count(l.Count(diag.Error), "error") + ", " + diag.Count(l.Count(diag.Warning), "warning")
	if notes := l.Count(diag.Notice); notes > 0 {
		s += ", " + diag.Count(notes, "note")
	}
	return s
}

// files is the number of fabric files read, or of files of devices; values of variables count as files of their own in a
// Source.
func (r *Report) files() int {
	n := len(r.Files)
	if n > 0 {
		return n // the fabric beside them was not judged
	}
	for name := range r.Source.Files {
		if strings.HasSuffix(name, ".hcl") {
			n++
		}
	}
	return n
}
