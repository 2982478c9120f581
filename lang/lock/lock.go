// Package lock reads and writes fabric.lock, a [Row] for each size that rocec has derived for a fabric, so that a later rocec keeps it.
//
//	rocec-lock 1
//	fabric pod1
//	rocec 0.13.0
//	# comments, above the rows
//
//	buffer asic=spectrum speed=100G length=30m mtu=9216
//	  buffer 97152
//	  xoff 18048
//	  xon_delta 2112
//	  by frame this port is sending: 9216 B, MTU 9216; a pause frame cannot cut in
//
//	checksum sha256:…
//
// A row begins with its kind and the inputs of its numbers. The inputs are one text, which identifies the row. The numbers follow, and
// then the rules and rows of tables from which they were computed, for readers. Rows are sorted. The last line is the checksum of all
// lines before it, with LF at their ends. It detects an edit by hand, a merge and a truncated file.
package lock

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Name is the name of the file, in the folder of the fabric.
const Name = "fabric.lock"

// MaxFile is the largest file that is read, in bytes: some 2,000 rows.
const MaxFile = 2 << 20

const (
	form     = 1
	opening  = "rocec-lock "
	checksum = "checksum sha256:"
	most     = 1 << 40 // the largest number
)

// numbers has the names of the numbers that a row of each kind may have.
var numbers = map[string][]string{
	Buffer: {"buffer", "xoff", "xon_delta"},
	Mark:   {"min", "max", "probability"},
}

// The kinds of rows: the buffer of a lossless group at a switch port, in bytes; ECN marking at a switch port, in bytes and percent.
const (
	Buffer = "buffer"
	Mark   = "mark"
)

// File is the content of a fabric.lock.
type File struct {
	Fabric   string
	FabricAt diag.Range
	Rocec    string // the version that wrote the file
	Rows     []*Row
}

// Row has the pinned numbers of all ports with the same inputs.
type Row struct {
	Kind    string // [Buffer] or [Mark]
	Inputs  string // "asic=spectrum speed=100G length=30m mtu=9216"
	Numbers []Number
	By      []string   // the rules and rows of tables, each in one line
	At      diag.Range // place in a file that was read
}

// Number is one derived number.
type Number struct {
	Name string
	N    int
	At   diag.Range // place in a file that was read
}

// Number returns the number with a name.
func (r *Row) Number(name string) (Number, bool) {
	i := slices.IndexFunc(r.Numbers, func(n Number) bool { return n.Name == name })
	if i < 0 {
		return Number{}, false
	}
	return r.Numbers[i], true
}

// Same reports whether two rows have the same numbers. It ignores their inputs and rules.
func (r *Row) Same(o *Row) bool {
	return slices.EqualFunc(r.Numbers, o.Numbers, func(a, b Number) bool { return a.Name == b.Name && a.N == b.N })
}

// Sort sorts rows into the order of a file.
func Sort(rows []*Row) {
	slices.SortFunc(rows, func(a, b *Row) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Inputs, b.Inputs)) })
}

const preamble = `# The sizes that rocec derived for this fabric, by what they depend on. A later rocec keeps them. This file is written by
# "rocec build --lock", which adds what is missing and removes what is not used; with --refresh it takes what the rocec
# that runs derives. It belongs beside the fabric in version control, and is not to be edited by hand.
`

// Format returns the text of a file. The same rows, in any order, give the same bytes.
func Format(f *File) []byte {
	rows := slices.Clone(f.Rows)
	Sort(rows)
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d\nfabric %s\nrocec %s\n%s\n", opening, form, f.Fabric, f.Rocec, preamble)
	for _, r := range rows {
		fmt.Fprintf(&b, "%s %s\n", r.Kind, r.Inputs)
		for _, n := range r.Numbers {
			fmt.Fprintf(&b, "  %s %d\n", n.Name, n.N)
		}
		for _, by := range r.By {
			fmt.Fprintf(&b, "  by %s\n", by)
		}
		b.WriteByte('\n')
	}
	return fmt.Appendf([]byte(b.String()), "%s%s\n", checksum, sum(b.String()))
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// Invalid is the code of a file that cannot be used.
var Invalid = diag.Topic{Code: "lock-invalid", Summary: "the lock of sizes cannot be used"}

const restore = " Take the file from version control, or write it anew with `rocec build --lock --refresh`."

// Read reads the text of a file, at most [MaxFile] bytes of UTF-8. The file is nil after an error in the text.
func Read(name string, text []byte, ds *diag.List) *File {
	r := &reader{name: name, ds: ds, f: &File{}}
	if !r.read(string(text)) {
		return nil
	}
	return r.f
}

// reader is the state of reading one file.
type reader struct {
	name string
	ds   *diag.List
	f    *File
	row  *Row
	rows map[string]*Row
}

// line is one line and its place.
type line struct {
	text string
	at   diag.Range
}

func (r *reader) lines(text string) []line {
	var out []line
	at := 0
	for raw := range strings.Lines(text) {
		l := line{text: strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")}
		l.at.Filename = r.name
		l.at.Start.Line, l.at.Start.Column, l.at.Start.Byte = len(out)+1, 1, at
		l.at.End = l.at.Start
		l.at.End.Column, l.at.End.Byte = 1+len([]rune(l.text)), at+len(l.text)
		out = append(out, l)
		at += len(raw)
	}
	return out
}

// wrong reports a mistake that makes the file unusable.
func (r *reader) wrong(at diag.Range, format string, args ...any) bool {
	Invalid.Errorf(r.ds, at, "%s%s", fmt.Sprintf(format, args...), restore)
	return false
}

func (r *reader) read(text string) bool {
	lines := r.lines(text)
	if len(lines) == 0 {
		var at diag.Range
		at.Filename, at.Start.Line, at.Start.Column, at.End.Line, at.End.Column = r.name, 1, 1, 1, 1
		return r.wrong(at, "The file is empty.")
	}
	first := lines[0]
	n, err := strconv.Atoi(strings.TrimPrefix(first.text, opening))
	switch {
	case err != nil || !strings.HasPrefix(first.text, opening) || n < 1:
		return r.wrong(first.at, "This is not a fabric.lock of rocec: it does not begin with %q.", opening+strconv.Itoa(form))
	case n > form:
		Invalid.Errorf(r.ds, first.at, "A newer rocec wrote this file, in form %d; this one reads form %d. Use that rocec, or write the "+
			"file anew with `rocec build --lock --refresh`.", n, form)
		return false
	}
	last := lines[len(lines)-1]
	found, ok := strings.CutPrefix(last.text, checksum)
	if !ok {
		return r.wrong(last.at, "The file is cut off: its last line is not the checksum.")
	}
	var body strings.Builder
	for _, l := range lines[:len(lines)-1] {
		body.WriteString(l.text + "\n")
	}
	if found != sum(body.String()) {
		return r.wrong(last.at, "The checksum does not match the lines above: the file was edited by hand, merged or damaged.")
	}
	r.rows = map[string]*Row{}
	for _, l := range lines[1 : len(lines)-1] {
		if !r.line(l) {
			return false
		}
	}
	if r.f.Fabric == "" {
		return r.wrong(first.at, "The file does not state its fabric.")
	}
	for _, row := range r.f.Rows {
		if len(row.Numbers) == 0 {
			return r.wrong(row.At, "The row pins no number.")
		}
	}
	return true
}

func (r *reader) line(l line) bool {
	if l.text == "" || strings.HasPrefix(l.text, "#") {
		return true
	}
	inner, indented := strings.CutPrefix(l.text, "  ")
	word, rest, _ := strings.Cut(inner, " ")
	switch {
	case rest == "":
	case indented && r.row != nil:
		if word == "by" {
			r.row.By = append(r.row.By, rest)
			return true
		}
		return r.number(l, word, rest)
	case indented:
	case word == "fabric" && r.f.Fabric == "" && r.row == nil:
		r.f.Fabric, r.f.FabricAt = rest, l.at
		return true
	case word == "rocec" && r.f.Rocec == "" && r.row == nil:
		r.f.Rocec = rest
		return true
	case numbers[word] != nil:
		r.row = &Row{Kind: word, Inputs: rest, At: l.at}
		if twin := r.rows[l.text]; twin != nil {
			Invalid.Errorf(r.ds, l.at, "The sizes for %q are pinned twice.%s", diag.Cut(rest), restore).Note(twin.At, "the first row")
			return false
		}
		r.rows[l.text] = r.row
		r.f.Rows = append(r.f.Rows, r.row)
		return true
	}
	return r.wrong(l.at, "%q has no meaning here.", diag.Cut(l.text))
}

func (r *reader) number(l line, name, text string) bool {
	n, err := strconv.Atoi(text)
	_, twice := r.row.Number(name)
	switch {
	case !slices.Contains(numbers[r.row.Kind], name):
		return r.wrong(l.at, "A row of kind %s pins %s, but not %q.", r.row.Kind, diag.And(numbers[r.row.Kind]), diag.Cut(name))
	case twice:
		return r.wrong(l.at, "The row pins %s twice.", name)
	case err != nil || n < 0 || n > most || strconv.Itoa(n) != text || name == "probability" && n > 100:
		return r.wrong(l.at, "%q is not a size.", diag.Cut(text))
	}
	r.row.Numbers = append(r.row.Numbers, Number{name, n, l.at})
	return true
}
