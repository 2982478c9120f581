// Package topology reads existing cabling files: the topology.dot of a Cumulus fabric, the links of a containerlab topology, and a
// topology of NVIDIA Air. It also reads a sheet of cables as CSV with the sheets of an inventory beside it.
//
// The input is the text of a file. The output is its cables as [Edge], every name with its place, and the mistakes in the file's form.
// Names are not changed, and the package does not check whether a device or port exists. [Formats] has a row for each format.
//
// Text that looks like a cable becomes either an edge or a mistake, unless its format defines that it is not a cable between two
// devices. Time is linear in the text, memory is a small multiple of it, and no input panics.
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

// maxMistakes is the most mistakes of one file that are reported.
const maxMistakes = 50

// Edge is one cable.
type Edge struct {
	A, B  End
	Attrs []Attr // at most one with each name; edges may share them
	At    diag.Range
}

// End is one end of a cable. Names are not empty and are exactly as in the file.
type End struct {
	Device, Port string
	At           diag.Range // the whole text, with quotes
	DeviceAt     diag.Range // without quotes
	PortAt       diag.Range
}

// Attr is an attribute of a cable in a file: speed, length, mtu, or planned.
type Attr struct {
	Name, Text string // Text is from the file: "100G"; the file's unit is added to a plain number
	At         diag.Range
}

// attrNames are the attributes that are read.
var attrNames = [...]string{"speed", "length", "mtu"}

// The mistakes in a cabling file.
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
	Nodes map[string]Node // by name, as in the file; only devices that have attributes

	// Others counts the links that do not join two devices, by the word of containerlab for their end: host, mgmt-net, dummy.
	Others map[string]int
	Left   Left              // cables that are not links of a fabric
	Panels int               // edges that go through patch panels
	Strays map[string]string // for each undeclared device, the declared device with a similar name
	Fabric string            // name of the lab, as in the file; empty: the file has none
}

// Node has the attributes of a device in a file. The words are from the file; missing words are empty.
type Node struct {
	Function string // role: function in PTM's labs, group or a label in containerlab
	System   string // operating system: os in PTM's labs, kind in containerlab
	Version  string // version in PTM's labs, tag of the image in containerlab
	Model    string
}

// Options are the options of [ReadAll].
type Options struct {
	Most    int               // the most edges, at least 1
	Columns map[string]string // for a sheet: the header of each column, by the column's name; see [Columns]
	Sheets  []Sheet           // for an inventory: the sheets with its devices and ports
}

// Sheet is a further file of an inventory.
type Sheet struct {
	Name string // the name in places
	Src  []byte
}

// reader is the common part of the readers of all formats.
type reader struct {
	text   string
	begin  int // offset after a byte order mark
	places *places
	most   int
	edges  []Edge
	nodes  map[string]Node

	cables   []*cable        // cables with an end in a patch panel, in the order of the file
	ports    inventory       // the ports that sheets list
	panels   int             // edges that are paths through patch panels
	left     Left            // Left of Cabling
	declared map[string]bool // devices that the file declares apart from its cables
	strays   map[string]string

	columns map[string]string // Columns of Options
	others  map[string]int    // Others of Cabling
	fabric  string
	nearly  map[string]bool // words similar to attributes, each of which is reported once
	ds      diag.List
	failed  bool // the reading has ended
}

// open sets the text of the reader.
func (r *reader) open(name string, src []byte) {
	r.text = string(src)
	r.places = newPlaces(name, r.text)
	r.begin = len(r.text) - len(strings.TrimPrefix(r.text, "\ufeff"))
}

func (r *reader) at(from, to int) diag.Range { return r.places.at(from, to) }

// mistake reports a mistake at a place. Reading continues unless there are very many mistakes.
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

// fail reports a mistake and ends the reading.
func (r *reader) fail(t *diag.Topic, from, to int, format string, args ...any) *diag.Diagnostic {
	d := r.mistake(t, from, to, format, args...)
	r.failed = true
	return d
}

// workbooks has the first bytes of files of spreadsheet programs: ZIP archives, and the older compound files.
var workbooks = []string{"PK\x03\x04", "\xd0\xcf\x11\xe0"}

// valid refuses files that are not text.
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
		r.fail(&Syntax, i, i+1, "There is a NUL byte here, so this is not a text file.")
	}
}

// add adds an edge, unless there are too many.
func (r *reader) add(a, b End, attrs []Attr, at diag.Range) {
	if r.failed {
		return
	}
	if len(r.edges) >= r.most {
		TooLarge.Errorf(&r.ds, at, "This is one cable more than the fabric may have: %s of this file fit. Raise --max-objects if so many are "+
			"meant.", diag.Number(r.most))
		r.failed = true
		return
	}
	r.edges = append(r.edges, Edge{A: a, B: b, Attrs: attrs, At: at})
}

// grow allocates memory for about n edges.
func (r *reader) grow(n int) { r.edges = slices.Grow(r.edges, min(n, r.most)) }

// word is a text and its bytes in the file.
type word struct {
	v        string
	from, to int // with quotes
	in, out  int // without quotes
}

// end makes an end from two words, which may be adjacent or not.
func (r *reader) end(device, port word) End {
	e := End{Device: device.v, Port: port.v, DeviceAt: r.at(device.in, device.out)}
	e.PortAt = r.at(port.in, port.out)
	e.At = r.at(device.from, max(device.to, port.to))
	return e
}

// split splits a word such as leaf01:swp1 at its first colon. ok is false without a colon.
func split(w word) (device, port word, ok bool) {
	i := strings.IndexByte(w.v, ':')
	if i < 0 {
		return w, w, false
	}
	device, port = w, w
	device.v, port.v = w.v[:i], w.v[i+1:]
	if w.out-w.in == len(w.v) { // without escapes, the bytes of both parts are known
		device.out, port.in = w.in+i, w.in+i+1
	}
	return device, port, true
}

// node stores a device that a file declares, with its attributes.
func (r *reader) node(name string, n Node) {
	if r.declared == nil {
		r.declared = map[string]bool{}
	}
	r.declared[name] = true
	r.describe(name, n)
}

// describe stores the attributes of a device in a file. It keeps earlier attributes that the new ones lack.
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

// attribute adds an attribute of a cable. The last attribute with a name counts.
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

// nearlyRead warns of an ignored word if it is similar to the name of an attribute. It reports whether that is so.
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
		Attribute.Warnf(&r.ds, r.at(key.in, key.out), "%q is ignored. Did you mean %q?", diag.Cut(key.v), near)
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
