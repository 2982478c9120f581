// Package lint is the contract of linters: they judge configuration files of switches by themselves, without a fabric.
//
// A [Linter] is a row of data and functions that a target brings. It recognises the files of its system, and its rules judge them.
// Package targets asks the linters in turn, so that users of this contract know no vendor.
package lint

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// Linter judges the configuration files of one system.
type Linter struct {
	// Names are the base names of its files, as a person knows them: in a folder such a file, or a copy named after its switch, is judged.
	Names []string

	// Also are further base names that are judged in a folder, and that messages do not list.
	Also []string

	// Same has the base names of two files with the same settings in two forms. A device with both is judged by the second one.
	Same [2]string

	// Ends are ends of names (".txt") of files that are judged in a folder where Begins accepts their beginning; nil: where Takes does.
	Ends   []string
	Begins func(File) bool

	// Takes reports whether a file is of the system, by its name or by its beginning. Nil: the linter takes every file that no other
	// linter takes; one linter of a table does.
	Takes func(File) bool

	// Most is the number of bytes of a file that are judged. Check gets one byte more of a larger file, and reports it as too large.
	Most int

	// PastMark is set where places count bytes from behind the byte order mark of UTF-8. A file that Takes accepts comes without the mark.
	PastMark bool

	// Check judges files. The result has a row for each file, in their order.
	Check func([]File) Result

	// Rules are the codes of the rules that judge a file, whether they find something or not.
	Rules []diag.Topic

	// Former are codes of judgements that rules for every system have now, each with the code of such a rule. A former code that Rules does
	// not list is merged: it stays a name of the others.
	Former [][2]string

	// Shows are commands that print a file on its device, by its base name; "" has that of all others, also of those by another name.
	Shows map[string]string

	// Unjudged are the codes of findings that report only that no rule has judged a file, beside [Unjudged].
	Unjudged []diag.Topic
}

// Knows reports whether a file of this name, in a folder, is one to judge.
func (l *Linter) Knows(name string) bool {
	return slices.ContainsFunc(l.Names, func(base string) bool { return Named(name, base) }) ||
		slices.ContainsFunc(l.Also, func(base string) bool { return Named(name, base) })
}

// Shown returns the command that prints a file on its device; empty: none is known.
func (l *Linter) Shown(name string) string {
	for base, command := range l.Shows {
		if base != "" && Named(name, base) {
			return command
		}
	}
	return l.Shows[""]
}

// Named reports whether a file has a base name, or is a copy named after its switch: leaf01-BASE, leaf01_BASE, leaf01.BASE.
func Named(name, base string) bool {
	_, ok := Owner(name, base)
	return ok
}

// Owner returns the switch after which a copy of a file with a base name is named; empty: the file has the base name alone.
func Owner(name, base string) (owner string, ok bool) {
	rest, ok := strings.CutSuffix(path.Base(name), base)
	owner = strings.TrimRight(rest, "-_.")
	return owner, ok && (rest == "" || owner != rest)
}

// ByteOrderMark is the mark with which some editors begin a file in UTF-8.
const ByteOrderMark = "\xef\xbb\xbf"

// File is one file: its name as the person wrote it, and its bytes, or the reason why they could not be read.
type File struct {
	Name string
	Data []byte
	Why  string // a sentence; empty: the file could be read

	Release string // of the switch, as the fabric states it; empty: the file alone tells it
}

// Head returns the first bytes of a file, at most n, without the byte order mark.
func (f *File) Head(n int) []byte {
	return bytes.TrimPrefix(f.Data[:min(len(f.Data), n)], []byte(ByteOrderMark))
}

// Top returns the place of a file's beginning.
func (f *File) Top() diag.Range {
	r := diag.Range{Filename: f.Name}
	r.Start.Line, r.Start.Column, r.End.Line, r.End.Column = 1, 1, 1, 1
	return r
}

// Span returns the place of bytes of one line, which begins at the byte start.
func (f *File) Span(line, start, from, to int) diag.Range {
	r := diag.Range{Filename: f.Name}
	r.Start.Line, r.End.Line = line, line
	r.Start.Byte, r.End.Byte = from, to
	r.Start.Column = utf8.RuneCount(f.Data[start:from]) + 1
	r.End.Column = r.Start.Column + utf8.RuneCount(f.Data[from:to])
	return r
}

// Result is the judgement of some files.
type Result struct {
	Diagnostics diag.List // in any order
	Files       []Taken   // what each file was taken for
}

// Taken is the kind that a file was taken for, and whether it was judged.
type Taken struct {
	Dialect string // "traffic.conf of Cumulus Linux 3.5 to 3.7"; empty: not recognised
	Why     string // why no rule has judged the file or a part, as a part of a sentence; empty: the rules have judged the whole file
	Brief   string // Why without what this file alone has; empty: Why has nothing of the kind
	Part    bool   // Why is that the file is a part of a configuration; the rules have judged what it sets
	Plain   bool   // the rules have judged it, and its switch has no RoCE configuration at all
	Beside  bool   // it was read with the files of its device, and there is no verdict on it

	Understood []Part // what its rows set
	Moment     Moment
	Device     string // whose file it is: the folder, or the folder and the name that the file is named after
	Host       bool   // it has settings of the NICs of a host
	Fabric     bool   // the fabric has the device, and its values are beside those of the file
}

// Moment is when the settings in a file hold.
type Moment string

// The moments.
const (
	Stored   Moment = "stored"  // the device reads the file when it starts
	Running  Moment = "running" // the device has taken the settings over
	Timeless Moment = "unknown"
)

// Judged words how a file with a reason was judged: as a part of a configuration, or not.
func Judged(part bool) string {
	if part {
		return "judged as a part"
	}
	return "not judged"
}

// Part is rows of a configuration that set one field, or that set none for one reason.
type Part struct {
	What  string
	Rows  int
	Means bool // What is a field
}

// Reasons why files of any system are not judged.
const (
	Unread = "it cannot be read"
	Empty  = "it is empty"
)

// Unjudged is the code of [NotJudged].
var Unjudged = diag.Topic{
	Code:    "conf-not-judged",
	Summary: "no rule has judged a file, or rows of it",
}

// NotJudged reports that the rules have not judged a file or a part of a file, where no other finding reports it. Advice is a sentence.
func NotJudged(name, why, advice string) *diag.Diagnostic {
	var ds diag.List
	f := File{Name: name}
	return Unjudged.Warnf(&ds, f.Top(), "%s is not judged: %s. %s", diag.Escape(name), diag.Escape(why), advice)
}

// Fold keeps the first of the notes that say the same of several files: a fleet is configured alike.
func Fold(l diag.List) diag.List {
	first := map[string]*diag.Diagnostic{}
	alike := map[*diag.Diagnostic]int{}
	var out diag.List
	for _, d := range l {
		key := d.Code + " " + d.Detail
		if f := first[key]; d.Severity == diag.Notice && f != nil && f.At.Filename != d.At.Filename {
			alike[f]++
			continue
		}
		first[key] = d
		out = append(out, d)
	}
	for _, d := range out {
		if n := alike[d]; n > 0 {
			d.Note(diag.Range{}, "The same holds in %s.", diag.Count(n, "further file"))
		}
	}
	return out
}
