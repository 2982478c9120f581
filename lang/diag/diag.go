// Package diag has the form in which all packages report mistakes in a fabric, and prints the reports.
//
// A [Diagnostic] is data: a stage collects diagnostics in a [List], and only commands print them. Its Summary is constant text for its
// Code; its Detail describes the mistake, its reason and the remedy, with names. Lists are sorted once, at the end, so that two runs
// print the same bytes.
package diag

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
)

// Range is a place in a file that a person wrote. The zero Range (no Filename) means "no place".
type Range = hcl.Range

// Severity is how bad a diagnostic is. The zero value is invalid on purpose.
type Severity int

// The severities are a promise. Error: loss, deadlock or no RoCE; rocec stops before it changes a device. Warning: degraded or risky.
// Notice, spelled "note": worth knowing, but no reason to change anything.
const (
	Error Severity = iota + 1
	Warning
	Notice
)

// String returns "error", "warning" or "note", the spelling of every output format.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Notice:
		return "note"
	}
	panic(fmt.Sprintf("diag: invalid severity %d", int(s)))
}

// Diagnostic is one mistake of a person, with its places.
type Diagnostic struct {
	Severity Severity
	Code     string   // stable, kebab-case, known to `rocec explain`
	Summary  string   // constant for the code: no names, no full stop
	Detail   string   // full sentences: what, why, what to do
	At       Range    // the place at fault
	Notes    []Note   // further places and facts, in reading order
	Fix      *Fix     // the remedy, if it is an edit
	Aside    bool     // the finding does not concern the forwarding of packets; for codes that have both kinds of findings
	Intents  []string // the names of the roce blocks that it concerns; not printed
	Loop     []Wait   // only for pfc-loop: the buffers of the loop, in order
	Formerly string   // the former code of the finding, which older baselines have; empty: Code
	Text     string   // text that is printed below the source without wrapping, such as a sum term by term; may be empty
}

// Note is a further place (or, with a zero At, a further fact) of a diagnostic.
type Note struct {
	Message string
	At      Range
}

// Fix is a remedy. Edits is empty if the remedy is not an edit of a file.
type Fix struct {
	Message string
	Edits   []Edit
	Told    bool // the Detail contains the remedy, so the text output leaves it out
}

// Edit replaces the bytes of At by New.
type Edit struct {
	At  Range
	New string
}

// Wait is one buffer of a PFC loop. It contains traffic of CosGroup that entered Device at port In and leaves at port Out.
type Wait struct {
	Device, In, Out, CosGroup string
	At                        Range // the line of the fabric that causes the turn; may be zero
}

// List is the diagnostics of one stage. The zero value is an empty list.
type List []*Diagnostic

// Add appends d.
func (l *List) Add(d *Diagnostic) { *l = append(*l, d) }

// Errorf appends an error with the code's constant summary and a formatted detail.
func (l *List) Errorf(at Range, code, summary, format string, args ...any) *Diagnostic {
	return l.add(Error, at, code, summary, format, args)
}

// Warnf appends a warning, like [List.Errorf].
func (l *List) Warnf(at Range, code, summary, format string, args ...any) *Diagnostic {
	return l.add(Warning, at, code, summary, format, args)
}

// Noticef appends a notice, like [List.Errorf].
func (l *List) Noticef(at Range, code, summary, format string, args ...any) *Diagnostic {
	return l.add(Notice, at, code, summary, format, args)
}

func (l *List) add(s Severity, at Range, code, summary, format string, args []any) *Diagnostic {
	d := &Diagnostic{Severity: s, Code: code, Summary: summary, Detail: Shorten(fmt.Sprintf(format, args...)), At: at}
	l.Add(d)
	return d
}

// Note appends a further place to d and returns d.
func (d *Diagnostic) Note(at Range, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{Message: Shorten(fmt.Sprintf(format, args...)), At: at})
	return d
}

// About adds roce blocks that d concerns, by their names, and returns d.
func (d *Diagnostic) About(intents ...string) *Diagnostic {
	d.Intents = append(d.Intents, intents...)
	return d
}

// Instead adds a fix that replaces a name by the name that the Detail proposes. With an empty name it does nothing.
func (d *Diagnostic) Instead(at Range, name string) *Diagnostic {
	if name != "" {
		d.Fix = &Fix{Message: "Write " + name + ".", Edits: []Edit{{at, name}}, Told: true}
	}
	return d
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Count returns the number of diagnostics of severity s.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Sort orders the list by place, then code, then detail, and drops exact repetitions. It also bounds the text that was added to a
// message later.
func (l *List) Sort() {
	for _, d := range *l {
		d.shorten()
	}
	slices.SortStableFunc(*l, func(a, b *Diagnostic) int {
		return cmp.Or(ComparePlace(a.At, b.At), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Detail, b.Detail))
	})
	*l = slices.CompactFunc(*l, func(a, b *Diagnostic) bool {
		return a.At == b.At && a.Code == b.Code && a.Detail == b.Detail
	})
}

// FirstPlace returns the first place that is not zero, such as the place of an attribute, or of its block if the attribute is missing.
func FirstPlace(places ...Range) Range {
	for _, at := range places {
		if at.Filename != "" {
			return at
		}
	}
	return Range{}
}

// ComparePlace orders places by file name, then position.
func ComparePlace(a, b Range) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Start.Byte, b.Start.Byte), cmp.Compare(a.End.Byte, b.End.Byte))
}

// Topic is one row of a table of codes. docs/checks/<code>.md is its page, which `rocec explain CODE` prints.
type Topic struct {
	Code    string
	Summary string // the constant summary of its diagnostics
}

// Errorf appends an error under topic t.
func (t *Topic) Errorf(l *List, at Range, format string, args ...any) *Diagnostic {
	return l.add(Error, at, t.Code, t.Summary, format, args)
}

// Warnf appends a warning under topic t.
func (t *Topic) Warnf(l *List, at Range, format string, args ...any) *Diagnostic {
	return l.add(Warning, at, t.Code, t.Summary, format, args)
}

// Noticef appends a notice under topic t.
func (t *Topic) Noticef(l *List, at Range, format string, args ...any) *Diagnostic {
	return l.add(Notice, at, t.Code, t.Summary, format, args)
}
