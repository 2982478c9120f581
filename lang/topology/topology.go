// Package topology reads the cabling files that people have already: the topology.dot of a Cumulus fabric, the links of a containerlab
// topology, and a topology of NVIDIA Air. It also reads a sheet of cables as CSV with the sheets of an inventory beside it.
//
// In comes the text of a file, out come its cables as [Edge], every name with its place, and the mistakes in the file's
// form. Names are taken as they are written; whether there is such a device or port is not known here. A row of
// [Formats] is a format.
//
// Promised: anything that looks like a cable is either an edge or a mistake, and is never dropped in silence, except what a format itself
// defines not to be a cable between two devices. The time is linear in the text, and the memory a small multiple; no input panics.
package topology

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// MaxFile is the largest file that is read, in bytes.
const MaxFile = 16 << 20

// maxMistakes is how many mistakes of one file are reported.
const maxMistakes = 50

// Edge is one cable.
type Edge struct {
	A, B  End
	Attrs []Attr // at most one of a name; edges may share them
	At    diag.Range
}

// End is one end of a cable. Names are not empty, and otherwise exactly as written.
type End struct {
	Device, Port string
	At           diag.Range // all of the text, with quotes
	DeviceAt     diag.Range // inside of quotes
	PortAt       diag.Range
}

// Attr is an attribute of a cable in a file: speed, length, mtu, or planned.
type Attr struct {
	Name, Text string // Text is as written: "100G"; a plain number has the unit that the file states
	At         diag.Range
}

// attrNames are the attributes that are read.
var attrNames = [...]string{"speed", "length", "mtu"}

// The mistakes a cabling file can hold.
var (
	Syntax = diag.Topic{Code: "topology-syntax", Summary: "the cabling file cannot be read"}

	Endpoint = diag.Topic{Code: "topology-endpoint", Summary: "a cable of the cabling file lacks an end"}

	TooLarge = diag.Topic{Code: "topology-too-large", Summary: "the cabling file is larger than rocec reads"}

	Attribute = diag.Topic{Code: "topology-attribute", Summary: "a word of the cabling file is nearly one that is read"}

	Empty = diag.Topic{Code: "topology-empty", Summary: "the cabling file holds no cable"}

	LeftOut = diag.Topic{Code: "topology-left-out", Summary: "cables of the cabling file are left out"}

	Path = diag.Topic{Code: "topology-path", Summary: "a path through patch panels has cables without a length"}

	Stray = diag.Topic{Code: "topology-device", Summary: "a cable ends at a device that the cabling file does not declare"}
)

// Topics are the codes of this package.
var Topics = []diag.Topic{Syntax, Endpoint, Attribute, TooLarge, Empty, LeftOut, Path, Stray}

// Cabling is the content of a file: its cables, and the attributes of the devices at their ends.
type Cabling struct {
	Edges []Edge
	Nodes map[string]Node // by name, as written; without devices of which the file says nothing

	// Others are the links that join no two devices, by the word of containerlab for what they end at: host, mgmt-net, dummy.
	Others map[string]int
	Left   Left              // cables that are no links of a fabric
	Panels int               // edges that go through patch panels
	Strays map[string]string // devices that the file does not declare, by the declared one with nearly that name
	Fabric string            // name of the lab, as written; empty: the file says none
}

// Node has the attributes of a device in a file. Words are as written; missing ones are empty.
type Node struct {
	Function string // what it is for: function of PTM's labs, group or a label of containerlab
	System   string // what it runs: os of PTM's labs, kind of containerlab
	Version  string // version of PTM's labs, tag of the image of containerlab
	Model    string
}

// Options say how a file is read.
type Options struct {
	Most    int               // of edges, which is more than none
	Columns map[string]string // of a sheet: the header of a column, by the column's name; see [Columns]
	Sheets  []Sheet           // of an inventory: the devices and ports of the file
}

// Sheet is a file of an inventory beside a cabling file.
type Sheet struct {
	Name string // the one used in places
	Src  []byte
}

// reader is the common part of the readers of all formats.
type reader struct {
	text   string
	begin  int // behind a byte order mark
	places *places
	most   int
	edges  []Edge
	nodes  map[string]Node

	cables   []*cable        // with an end in a patch panel, in the order of the file
	ports    inventory       // the ports that sheets list
	panels   int             // edges that are paths through patch panels
	left     Left            // as Cabling has them
	declared map[string]bool // devices that the file names beside its cables
	strays   map[string]string

	columns map[string]string // of a sheet, as Options has them
	others  map[string]int    // links that are not cables, as Cabling has them
	fabric  string
	nearly  map[string]bool // words that are nearly attributes, reported once
	ds      diag.List
	failed  bool // nothing more is read
}

// open gives the reader the text of a file.
func (r *reader) open(name string, src []byte) {
	r.text = string(src)
	r.places = newPlaces(name, r.text)
	r.begin = len(r.text) - len(strings.TrimPrefix(r.text, "\ufeff"))
}

func (r *reader) at(from, to int) diag.Range { return r.places.at(from, to) }

// mistake reports what is wrong at a place. Reading goes on, unless there are very many.
func (r *reader) mistake(t *diag.Topic, from, to int, format string, args ...any) *diag.Diagnostic {
	return r.mistakeAt(t, r.at(from, to), format, args...)
}

func (r *reader) mistakeAt(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	if r.failed {
		return &diag.Diagnostic{}
	}
	d := t.Errorf(&r.ds, at, format, args...)
	if len(r.ds) == maxMistakes {
		d.Note(diag.Range{}, "there are further mistakes in this file")
		r.failed = true
	}
	return d
}

// fail reports what is wrong and ends the reading.
func (r *reader) fail(t *diag.Topic, from, to int, format string, args ...any) *diag.Diagnostic {
	d := r.mistake(t, from, to, format, args...)
	r.failed = true
	return d
}

// workbooks are how files of spreadsheet programs begin: ZIP archives, and the older compound files.
var workbooks = []string{"PK\x03\x04", "\xd0\xcf\x11\xe0"}

// valid refuses what is not text.
func (r *reader) valid() {
	if slices.ContainsFunc(workbooks, func(mark string) bool { return strings.HasPrefix(r.text, mark) }) {
		r.fail(&Syntax, 0, 0, "This is a workbook of a spreadsheet program, not text. Open it there, save the sheet with the cables as CSV "+
			"(UTF-8), and give that file.")
		return
	}
	if !utf8.ValidString(r.text) {
		for i, c := range r.text {
			if c == utf8.RuneError {
				if _, n := utf8.DecodeRuneInString(r.text[i:]); n == 1 {
					r.fail(&Syntax, i, i+1, "The file is not UTF-8 text from here on. Save it as UTF-8; files from Windows are often UTF-16 or Latin-1.")
					return
				}
			}
		}
	}
	if i := strings.IndexByte(r.text, 0); i >= 0 {
		r.fail(&Syntax, i, i+1, "Here is a NUL byte, so this is not a text file.")
	}
}

// add takes an edge, unless there are too many.
func (r *reader) add(a, b End, attrs []Attr, at diag.Range) {
	if r.failed {
		return
	}
	if len(r.edges) >= r.most {
		TooLarge.Errorf(&r.ds, at, "This is one cable more than the fabric may hold: %s of this file fit. Raise --max-objects if so many are "+
			"meant.", diag.Number(r.most))
		r.failed = true
		return
	}
	r.edges = append(r.edges, Edge{A: a, B: b, Attrs: attrs, At: at})
}

// grow makes room for about so many edges.
func (r *reader) grow(n int) { r.edges = slices.Grow(r.edges, min(n, r.most)) }

// word is a text and the bytes it was read from.
type word struct {
	v        string
	from, to int // with quotes
	in, out  int // without quotes
}

// end makes an end of two words, which are next to each other or apart.
func (r *reader) end(device, port word) End {
	e := End{Device: device.v, Port: port.v, DeviceAt: r.at(device.in, device.out)}
	e.PortAt = r.at(port.in, port.out)
	e.At = r.at(device.from, max(device.to, port.to))
	return e
}

// split parts a word such as leaf01:swp1 at its first colon. ok is false without a colon.
func split(w word) (device, port word, ok bool) {
	i := strings.IndexByte(w.v, ':')
	if i < 0 {
		return w, w, false
	}
	device, port = w, w
	device.v, port.v = w.v[:i], w.v[i+1:]
	if w.out-w.in == len(w.v) { // no escapes: the bytes are known
		device.out, port.in = w.in+i, w.in+i+1
	}
	return device, port, true
}

// node notes a device that a file declares, and its words for it.
func (r *reader) node(name string, n Node) {
	if r.declared == nil {
		r.declared = map[string]bool{}
	}
	r.declared[name] = true
	r.describe(name, n)
}

// describe notes the attributes of a device in a file; earlier ones stay where no new one is given.
func (r *reader) describe(name string, n Node) {
	if n == (Node{}) || name == "" {
		return
	}
	if r.nodes == nil {
		r.nodes = map[string]Node{}
	}
	old := r.nodes[name]
	r.nodes[name] = Node{
		Function: cmp.Or(n.Function, old.Function), System: cmp.Or(n.System, old.System),
		Version: cmp.Or(n.Version, old.Version), Model: cmp.Or(n.Model, old.Model),
	}
}

// attribute adds what a file says of a cable; the last of a name counts.
func (r *reader) attribute(attrs []Attr, name string, w word) []Attr {
	for k, known := range attrNames {
		if !strings.EqualFold(name, known) {
			continue
		}
		a := Attr{Name: known, Text: value(k, w.v, ""), At: r.at(w.in, w.out)}
		for i := range attrs {
			if attrs[i].Name == known {
				attrs[i] = a
				return attrs
			}
		}
		return append(attrs, a)
	}
	return attrs
}

// nearlyRead warns of a word that is passed over, if it is nearly one that is read. It reports whether it is.
func (r *reader) nearlyRead(key word) bool {
	near := diag.Nearest(key.v, attrNames[:])
	if near == "" || strings.EqualFold(near, key.v) {
		return false
	}
	if r.nearly == nil {
		r.nearly = map[string]bool{}
	}
	if !r.nearly[key.v] {
		r.nearly[key.v] = true
		Attribute.Warnf(&r.ds, r.at(key.in, key.out), "%q is passed over. Did you mean %q?", diag.Cut(key.v), near)
	}
	return true
}

// over returns the place from the start of one place to the end of another, if they are in this order.
func over(a, b diag.Range) diag.Range {
	if a.Start.Byte <= b.Start.Byte && a.End.Byte <= b.End.Byte {
		a.End = b.End
	}
	return a
}
