// Package nexthops reads tables of next hops: the forwarding tables of the switches of a running fabric, as JSON.
//
// The input is the text of a file. The output is a [Table] of strings with places, or the mistakes in the file's form. The compiler
// resolves the names. docs/tables.md describes the format.
//
// Time is linear in the text, memory is a small multiple of it, and no input panics. A Table may have a million entries, so it stores
// places as offsets and computes ranges on demand.
package nexthops

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// Version is the format this package reads.
const Version = "1.0"

// MaxFile is the largest file that is read, in bytes.
const MaxFile = 64 << 20

// Invalid is the code of every mistake in the form of a table.
var Invalid = diag.Topic{Code: "table-invalid", Summary: "the table of next hops cannot be read"}

// Table is the content of a file of next hops.
type Table struct {
	Name       string
	Interfaces []Interface // in order of the file
	Switches   []Switch    // in order of the file
	Key        Text        // "switches"

	source string // strings of the table are parts of this text
	lines  []int  // offsets at which lines begin, computed for the first place
}

// Interface is one row of "addresses".
type Interface struct {
	Name      Text // "gpu1:ens1f0"
	Addresses []Text
}

// Switch is one row of "switches".
type Switch struct {
	Name    Text
	Entries []Entry
}

// Entry has the ports by which traffic to a destination leaves.
type Entry struct {
	To    Text
	Ports []Text
}

// Text is a string of the file, and its place.
type Text struct {
	V        string
	from, to int32 // bytes of the file, quotes included
}

// At returns the place of a string.
func (t *Table) At(x Text) diag.Range { return t.place(int(x.from), int(x.to)) }

// place returns the range between two offsets. Columns count letters, but bytes after the beginning of a very long line.
func (t *Table) place(from, to int) diag.Range {
	if t.lines == nil {
		t.lines = []int{0}
		for i := range len(t.source) {
			if t.source[i] == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	r := diag.Range{Filename: t.Name}
	r.Start.Byte, r.End.Byte = from, to
	r.Start.Line, r.Start.Column = t.position(from)
	r.End.Line, r.End.Column = t.position(to)
	return r
}

func (t *Table) position(at int) (line, column int) {
	lo, hi := 0, len(t.lines) // the last line that begins at or before from
	for lo+1 < hi {
		if mid := (lo + hi) / 2; t.lines[mid] <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	const far = 1 << 16
	text := t.source[t.lines[lo]:min(at, len(t.source))]
	if len(text) > far {
		return lo + 1, len(text) + 1
	}
	return lo + 1, utf8.RuneCountInString(text) + 1
}

// Read reads the text of a table, at most [MaxFile] bytes of UTF-8. The table is nil after an error in the text.
func Read(name string, text []byte, ds *diag.List) *Table {
	t := &Table{Name: name, source: string(text)}
	r := &reader{t: t, text: t.source, ds: ds}
	r.file()
	if r.failed {
		return nil
	}
	return t
}

// reader reads the text once. It stops at the first mistake.
type reader struct {
	t      *Table
	text   string
	at     int
	keys   []string // keys of the objects around the current offset
	ds     *diag.List
	failed bool
}

// fail reports a mistake at an offset and ends the reading.
func (r *reader) fail(from, to int, format string, args ...any) {
	if !r.failed {
		Invalid.Errorf(r.ds, r.t.place(from, to), format, args...)
	}
	r.failed = true
}

// The keys of the three kinds of objects.
var (
	topKeys   = []string{"format_version", "addresses", "switches"}
	entryKeys = []string{"to", "ports"}
)

func (r *reader) file() {
	var version, switches bool
	r.object("the table", func(key Text) {
		switch key.V {
		case "format_version":
			version = true
			if v := r.str("the version of the format"); !r.failed && v.V != Version {
				r.fail(int(v.from), int(v.to), "This rocec reads tables of format_version %q, but this table has %q.", Version, diag.Cut(v.V))
			}
		case "addresses":
			r.interfaces()
		case "switches":
			switches = true
			r.t.Key = key
			r.switches()
		default:
			r.unknown(key, "A table", topKeys)
		}
	})
	r.space()
	switch {
	case r.failed:
	case r.at < len(r.text):
		r.fail(r.at, r.at+1, "The table ends here, but more text follows. A file contains one table.")
	case !version:
		r.fail(0, 1, "The table has no format_version. Add \"format_version\": %q as its first key.", Version)
	case !switches:
		r.fail(0, 1, "The table has no switches. Add \"switches\": { \"leaf1\": [ ... ] } with an entry for every route.")
	}
}

func (r *reader) interfaces() {
	r.object("addresses", func(key Text) {
		i := Interface{Name: key}
		r.array("the addresses of "+diag.Cut(key.V), func() {
			i.Addresses = append(i.Addresses, r.str("an address"))
		})
		r.t.Interfaces = append(r.t.Interfaces, i)
	})
}

func (r *reader) switches() {
	r.object("switches", func(key Text) {
		w := Switch{Name: key}
		var ports []Text // of all entries of the switch
		var ends []int   // by entry
		r.array("the entries of "+diag.Cut(key.V), func() {
			e := Entry{}
			var to, out bool
			begin := r.at
			r.object("an entry", func(key Text) {
				switch key.V {
				case "to":
					e.To, to = r.str("a destination"), true
				case "ports":
					out = true
					r.array("ports", func() { ports = append(ports, r.str("the name of a port")) })
				default:
					r.unknown(key, "An entry", entryKeys)
				}
			})
			switch {
			case r.failed:
			case !to:
				r.fail(begin, r.at, "This entry has no \"to\": the destination it is for.")
			case !out:
				r.fail(begin, r.at, "This entry has no \"ports\": the ports by which its traffic leaves. A route without a port is "+
					"written \"ports\": [].")
			}
			w.Entries = append(w.Entries, e)
			ends = append(ends, len(ports))
		})
		from := 0
		for i := range w.Entries {
			w.Entries[i].Ports = ports[from:ends[i]:ends[i]]
			from = ends[i]
		}
		r.t.Switches = append(r.t.Switches, w)
	})
}

func (r *reader) unknown(key Text, what string, known []string) {
	near := diag.DidYouMean(key.V, known)
	if near == "" {
		near = " It has " + strings.Join(known, ", ") + "."
	}
	r.fail(int(key.from), int(key.to), "%s has no key %q.%s", what, diag.Cut(key.V), near)
}

// object reads { "key": value, ... }; value is called with the reader before each value. Keys are unique.
func (r *reader) object(what string, value func(key Text)) {
	if !r.open('{', what, "an object: { ... }") {
		return
	}
	first := len(r.keys) // a map for every entry would cost more than all other work
	var many map[string]bool
	r.list('}', what, func() {
		key := r.str("a key in quotes")
		if r.failed {
			return
		}
		if many[key.V] || many == nil && slices.Contains(r.keys[first:], key.V) {
			r.fail(int(key.from), int(key.to), "%q is there twice in %s. Delete one, or merge the two.", diag.Cut(key.V), what)
			return
		}
		if r.keys = append(r.keys, key.V); many == nil && len(r.keys)-first > 8 {
			many = map[string]bool{}
			for _, k := range r.keys[first:] {
				many[k] = true
			}
		}
		if many != nil {
			many[key.V] = true
		}
		if r.space(); r.at >= len(r.text) || r.text[r.at] != ':' {
			r.fail(r.at, r.at+1, "After the key %q a colon is missing, and its value.", diag.Cut(key.V))
			return
		}
		r.at++
		r.space()
		value(key)
	})
	r.keys = r.keys[:first]
}

// array reads [ value, ... ].
func (r *reader) array(what string, value func()) {
	if r.open('[', what, "a list: [ ... ]") {
		r.list(']', what, value)
	}
}

// open reads the bracket that begins an object or list.
func (r *reader) open(bracket byte, what, want string) bool {
	if r.space(); r.failed {
		return false
	}
	if r.at >= len(r.text) {
		r.fail(r.at, r.at, "The file ends where %s was expected, %s.", what, want)
		return false
	}
	if r.text[r.at] != bracket {
		r.fail(r.at, r.at+1, "Here %s was expected, %s. This is %s.", what, want, r.kind())
		return false
	}
	r.at++
	return true
}

// list reads items separated by commas up to the closing bracket.
func (r *reader) list(closing byte, what string, item func()) {
	for first := true; !r.failed; first = false {
		r.space()
		switch {
		case r.at >= len(r.text):
			r.fail(r.at, r.at, "The file ends inside %s: %q is missing.", what, string(closing))
			return
		case r.text[r.at] == closing && first:
			r.at++
			return
		}
		if item(); r.failed {
			return
		}
		r.space()
		switch {
		case r.at >= len(r.text):
			r.fail(r.at, r.at, "The file ends inside %s: %q is missing.", what, string(closing))
		case r.text[r.at] == closing:
			r.at++
			return
		case r.text[r.at] == ',':
			comma := r.at
			r.at++
			if r.space(); r.at < len(r.text) && r.text[r.at] == closing {
				r.fail(comma, comma+1, "JSON has no comma before %q. Delete the comma.", string(closing))
			}
		default:
			r.fail(r.at, r.at+1, "In %s a comma or %q was expected here.", what, string(closing))
		}
	}
}

// str reads a string.
func (r *reader) str(what string) Text {
	r.space()
	if r.failed {
		return Text{}
	}
	from := r.at
	switch {
	case from >= len(r.text):
		r.fail(from, from, "The file ends where %s was expected.", what)
		return Text{}
	case r.text[from] != '"':
		r.fail(from, from+1, "Here %s was expected, a string in quotes. This is %s.", what, r.kind())
		return Text{}
	}
	plain := true
	for i := from + 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			r.at = i + 1
			v, ok := r.text[from+1:i], true
			if !plain {
				v, ok = unquote(r.text[from+1 : i])
			}
			if !ok {
				r.fail(from, i+1, "This string is not JSON: a backslash comes before \", \\, /, b, f, n, r, t or u and four hexadecimal digits.")
				return Text{}
			}
			return Text{v, int32(from), int32(i + 1)}
		case c == '\\':
			plain = false
			i++
		case c < ' ':
			r.fail(i, i+1, "The string that begins before this place is not closed on its line.")
			return Text{}
		}
	}
	r.fail(from, from+1, "The file ends inside the string that begins here.")
	return Text{}
}

// kind returns a description of the value at the current offset, for a message.
func (r *reader) kind() string {
	switch c := r.text[r.at]; {
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == '"':
		return "a string"
	case c == '-' || '0' <= c && c <= '9':
		return "a number"
	case strings.HasPrefix(r.text[r.at:], "true") || strings.HasPrefix(r.text[r.at:], "false"):
		return "true or false"
	case strings.HasPrefix(r.text[r.at:], "null"):
		return "null"
	case c == '\'':
		return "no JSON: strings are in double quotes"
	case c == '/' || c == '#':
		return "no JSON, which has no comments"
	}
	return "no JSON"
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// unquote resolves the escapes of a JSON string; half of a surrogate pair becomes the replacement character.
func unquote(s string) (string, bool) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		if i >= len(s) {
			return "", false
		}
		switch c := s[i]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b', 'f', 'n', 'r', 't':
			out = append(out, "\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
		case 'u':
			v, ok := hex4(s, i+1)
			if !ok {
				return "", false
			}
			i += 4
			if 0xd800 <= v && v < 0xdc00 && i+2 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
				if low, ok := hex4(s, i+3); ok && 0xdc00 <= low && low < 0xe000 {
					v = (v-0xd800)<<10 + (low - 0xdc00) + 0x10000
					i += 6
				}
			}
			out = utf8.AppendRune(out, v)
		default:
			return "", false
		}
	}
	return string(out), true
}

func hex4(s string, at int) (rune, bool) {
	if at+4 > len(s) {
		return 0, false
	}
	v := rune(0)
	for i := at; i < at+4; i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			v = v<<4 + rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = v<<4 + rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return v, true
}
