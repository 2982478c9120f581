// Package lint is the contract of linters: they judge configuration files of switches without a fabric.
//
// A [Linter] is a row of data and functions that a target brings. It recognises the files of its system, and its rules judge them. Package
// targets tries the linters in turn, so that users of this contract need not know vendors.
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
	// Names are the base names of its files, by which people know them. In a folder, a file with such a name, or a copy named after its
	// switch, is judged.
	Names []string

	// Also are further base names that are judged in a folder, and that messages do not list.
	Also []string

	// Same contains the base names of two files with the same settings in two forms. If a device has both, the second is judged.
	Same [2]string

	// Ends are ends of names (".txt") of files that are judged in a folder if Begins accepts their beginning; if Begins is nil, Takes decides.
	Ends   []string
	Begins func(File) bool

	// Takes reports whether a file is of the system, by its name or by its beginning. Nil: the linter accepts every file that no other linter
	// accepts; a table has one such linter.
	Takes func(File) bool

	// Most is the largest size of a file, in bytes, that is judged. Check gets Most + 1 bytes of a larger file, and reports it as too large.
	Most int

	// PastMark is set if places count bytes after the byte order mark of UTF-8. Check gets a file that Takes accepts without the mark.
	PastMark bool

	// Check judges files. The result has a row for each file, in their order.
	Check func([]File) Result

	// Rules are the codes of all rules that judge a file, with or without findings.
	Rules []diag.Topic

	// Former lists codes whose findings now come from rules for every system, each with the code of such a rule. A former code that is not in
	// Rules was merged: it stays valid as a name of the new codes.
	Former [][2]string

	// Shows contains the commands that print a file on its device, by base name; the key "" is for all other names.
	Shows map[string]string

	// Unjudged are further codes, in addition to [Unjudged], of findings that only report that no rule has judged a file.
	Unjudged []diag.Topic
}

// Knows reports whether a file with this name in a folder is judged.
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

// Named reports whether a file has a base name, or the name of a copy for a switch: leaf01-BASE, leaf01_BASE, leaf01.BASE.
func Named(name, base string) bool {
	_, ok := Owner(name, base)
	return ok
}

// Owner returns the switch in the name of a copy of a file with a base name; empty: the file has only the base name.
func Owner(name, base string) (owner string, ok bool) {
	rest, ok := strings.CutSuffix(path.Base(name), base)
	owner = strings.TrimRight(rest, "-_.")
	return owner, ok && (rest == "" || owner != rest)
}

// ByteOrderMark is the mark that some editors put at the beginning of a UTF-8 file.
const ByteOrderMark = "\xef\xbb\xbf"

// File is one file: its name as the person wrote it, and its bytes, or the reason why they could not be read.
type File struct {
	Name string
	Data []byte
	Why  string // a sentence; empty: the file could be read

	Release string // release of the switch in the fabric; empty: only the file may state it
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

// Span returns the place of bytes in one line; the line begins at the byte start.
func (f *File) Span(line, start, from, to int) diag.Range {
	r := diag.Range{Filename: f.Name}
	r.Start.Line, r.End.Line = line, line
	r.Start.Byte, r.End.Byte = from, to
	r.Start.Column = utf8.RuneCount(f.Data[start:from]) + 1
	r.End.Column = r.Start.Column + utf8.RuneCount(f.Data[from:to])
	return r
}

// Result contains the judgement of some files.
type Result struct {
	Diagnostics diag.List // in any order
	Files       []Taken   // the kind of each file
}

// Taken is the recognised kind of a file, and whether it was judged.
type Taken struct {
	Dialect string // "traffic.conf of Cumulus Linux 3.5 to 3.7"; empty: not recognised
	Why     string // why no rule has judged the file or a part of it, as part of a sentence; empty: the rules have judged the whole file
	Brief   string // Why without details of this file; empty: Why has no such details
	Part    bool   // the file is a part of a configuration, as Why states; the rules have judged its settings
	Plain   bool   // the rules have judged the file, and its switch has no RoCE configuration
	Beside  bool   // the file was read with the other files of its device, and has no verdict

	Understood []Part // the fields that its rows set
	Moment     Moment
	Device     string // the device: the folder, or the folder and the device in the file name
	Host       bool   // it has settings of the NICs of a host
	Fabric     bool   // the fabric has the device, and its values complete those of the file
}

// Moment tells whether the settings in a file are stored or running.
type Moment string

// The moments.
const (
	Stored   Moment = "stored"  // the device reads the file at its start
	Running  Moment = "running" // the device has loaded the settings
	Timeless Moment = "unknown"
)

// Judged returns the words for how a file with a reason was judged: as a part of a configuration, or not.
func Judged(part bool) string {
	if part {
		return "judged as a part"
	}
	return "not judged"
}

// Part is a set of rows of a configuration that set one field, or that set no field for the same reason.
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

// NotJudged reports that the rules have not judged a file or a part of it, if no other finding reports it. Advice is a sentence.
func NotJudged(name, why, advice string) *diag.Diagnostic {
	var ds diag.List
	f := File{Name: name}
	return Unjudged.Warnf(&ds, f.Top(), "%s is not judged: %s. %s", diag.Escape(name), diag.Escape(why), advice)
}

// Fold keeps only the first of equal notes about several files, because the devices of a fleet often have the same settings.
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
