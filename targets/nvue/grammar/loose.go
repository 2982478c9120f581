package grammar

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// Loose is a configuration as far as its text can be read.
type Loose struct {
	Config
	Slips   []*Error // what is wrong, each with its place; spoilt nodes are [Tree.Bad]
	More    int      // further slips
	Refused bool     // nothing was read
	Part    string   // why it is a part of a device's configuration, as a part of a sentence; empty: it is whole
	Printed bool     // a command line above it is that of nv config show

	sections []part
	lines    []Written
}

type part struct {
	kind string
	tree *Tree
}

// Written is a row of a text: a leaf of a tree, or a command. Keys of the path may be ranges.
type Written struct {
	Path  []string
	Leaf  *Tree
	Kind  string // header, set or unset
	Place Place  // of the last key, or of the command
}

// mostSlips is how many slips are noted one by one.
const mostSlips = 1000

func (l *Loose) note(err error) {
	e, ok := err.(*Error) //nolint:errorlint // it is made here
	if !ok {
		e = &Error{Text: err.Error()}
	}
	if len(l.Slips) < mostSlips {
		l.Slips = append(l.Slips, e)
	} else {
		l.More++
	}
}

// Rows calls do for each row of the text, in the order of the keys or of the commands. The path must not be changed or kept.
func (l *Loose) Rows(do func(Written)) {
	var walk func(kind string, path []string, t *Tree)
	walk = func(kind string, path []string, t *Tree) {
		if len(t.Kids) == 0 || len(path) > maxDepth {
			if !t.Bad && len(path) > 0 {
				do(Written{path, t, kind, t.Key})
			}
			return
		}
		for _, k := range t.Keys() {
			walk(kind, append(path, k), t.Kids[k])
		}
	}
	for _, s := range l.sections {
		walk(s.kind, nil, s.tree)
	}
	for _, w := range l.lines {
		do(w)
	}
}

// Singles gives the keys of a range: swp1-4 below interface, 3,5 below a switch-priority.
func Singles(path []string, key string) []string { return singles(path, key) }

// the line of a shell above what a switch printed.
var prompt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9._-]+(?::[^$#\n]{0,80})?[$#][ \t]*([^\n]*)(?:\n|$)`)
})

// tree reads a tree.
func (l *Loose) tree(data []byte) {
	r := &reader{note: l.note, section: func(kind string, t *Tree) { l.sections = append(l.sections, part{kind, t}) }}
	if m := prompt().FindSubmatchIndex(data); m != nil {
		l.Printed = strings.HasPrefix(string(data[m[2]:m[3]]), "nv config show")
		data, r.line0 = data[m[1]:], 1
	}
	root, err := l.recover(r, data)
	if err == nil && root.Bad {
		err = refuse(root.At, "it is no configuration of NVUE")
	}
	if err == nil {
		var cfg *Config
		if cfg, err = r.config(root); err == nil {
			l.Config = *cfg
		}
	}
	if err != nil {
		l.note(err)
		l.Refused, l.Config, l.sections = true, Config{Set: Map()}, nil
	}
	if len(QoSOf(l.Unset)) > 0 {
		l.Part = "it unsets settings of QoS, so it is a patch"
	}
}

// clean replaces bytes that no text has.
func clean(data []byte) []byte {
	return bytes.ReplaceAll(bytes.ToValidUTF8(data, []byte("\ufffd")), []byte{0}, []byte("\ufffd"))
}

// recover reads YAML or JSON, and skips the unreadable parts.
func (l *Loose) recover(r *reader, data []byte) (*Tree, error) {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return Map(), nil
	}
	flow := trimmed[0] == '{' || trimmed[0] == '['
	if flow && json.Valid(data) {
		d := &jsonReader{reader: r, Decoder: json.NewDecoder(bytes.NewReader(data)), data: data, line: 1 + r.line0}
		d.UseNumber()
		return d.value(0)
	}
	c := &recovery{reader: r, loose: l, lines: bytes.SplitAfter(data, []byte("\n")), budget: min(16*len(data), 16<<20) + 1<<20}
	for i, line := range c.lines {
		if bytes.HasPrefix(line, []byte("%")) {
			r.note(refuse(Place{i + 1 + r.line0, 1}, "a line that begins with %% is a directive of YAML, and NVUE writes none"))
			c.lines[i] = []byte("\n")
		}
	}
	t, err := c.parse(0, len(c.lines))
	switch {
	case err == nil || r.entries > maxEntries:
		return t, err
	case flow:
		j := &flowReader{reader: r, data: data, line: 1 + r.line0}
		return j.value(0), nil
	}
	for i, line := range c.lines {
		if indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.IndexByte(indent, '\t') >= 0 && !blank(line) {
			r.note(refuse(Place{i + 1 + r.line0, 1}, "a tab is no indentation in YAML"))
			c.lines[i] = []byte("\n")
		}
	}
	return c.value(0, len(c.lines), 0), nil
}

// recovery reads YAML by its indentation, block by block. Each text is parsed as a whole first, so that slips alone cost time.
type recovery struct {
	*reader
	loose  *Loose
	lines  [][]byte
	budget int // bytes that may still be parsed
}

// parse reads lines as a text of their own.
func (c *recovery) parse(from, to int) (*Tree, error) {
	text := bytes.Join(c.lines[from:to], nil)
	if c.budget -= len(text) + 1024; c.budget < 0 {
		return nil, refuse(Place{from + 1 + c.base(), 1}, "the text has too many slips")
	}
	slips, more := len(c.loose.Slips), c.loose.More
	was := c.line0
	c.line0 += from
	t, err := c.yaml(text)
	if e, ok := err.(*Error); ok { //nolint:errorlint // it is made here
		e.Line = max(e.Line, 1) + c.line0
	}
	c.line0 = was
	if err != nil {
		c.loose.Slips, c.loose.More = c.loose.Slips[:slips], more
	}
	return t, err
}

func (c *recovery) base() int { return c.line0 }

// header is a line that begins a block: its key, which may be in quotes.
var header = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*(?:'([^'\n]{1,256})'|"([^"\n]{1,256})"|([^\s'"#:{}\[\]][^\s'"#:]{0,255}))[ \t]*:(?:[ \t\r\n]|$)`)
})

// value reads the lines of one value.
func (c *recovery) value(from, to, depth int) *Tree {
	first := from
	for first < to && blank(c.lines[first]) {
		first++
	}
	if first == to {
		return Map()
	}
	at := Place{first + 1 + c.line0, indentOf(c.lines[first]) + 1}
	if depth > maxDepth {
		c.note(refuse(at, "it is more than %d levels deep, and no configuration is", maxDepth))
		return &Tree{Bad: true, At: at}
	}
	if bytes.HasPrefix(bytes.TrimLeft(c.lines[first], " "), []byte("- ")) {
		t := &Tree{Items: []*Tree{}, At: at}
		c.blocks(first, to, func(a, b int) {
			line := bytes.TrimLeft(c.lines[a], " ")
			if !bytes.HasPrefix(line, []byte("- ")) {
				c.note(refuse(Place{a + 1 + c.line0, 1}, "a line is between the items of a list"))
				return
			}
			line = bytes.Clone(c.lines[a])
			line[bytes.IndexByte(line, '-')] = ' '
			c.lines[a] = line
			item, err := c.parse(a, b)
			if err != nil {
				item = c.value(a, b, depth+1)
			}
			t.Items = append(t.Items, item)
		})
		return t
	}
	t := &Tree{Kids: map[string]*Tree{}, At: at}
	c.blocks(first, to, func(a, b int) { c.entry(t, a, b, depth) })
	return t
}

// entry reads one key and its value.
func (c *recovery) entry(t *Tree, a, b, depth int) {
	kid, err := c.parse(a, b)
	if err == nil && kid.IsMap() {
		for _, k := range kid.Keys() {
			_ = c.once(t, k, kid.Kids[k])
		}
		return
	}
	if err == nil {
		err = refuse(Place{a + 1 + c.line0, indentOf(c.lines[a]) + 1}, "a line has no key")
	}
	m := header().FindSubmatch(c.lines[a])
	if m == nil {
		c.note(err)
		return
	}
	key := string(m[1]) + string(m[2]) + string(m[3])
	at := Place{a + 1 + c.line0, indentOf(c.lines[a]) + 1}
	var value *Tree
	if own, wrong := c.parse(a, a+1); wrong == nil && b > a+1 && own.Get(key).IsMap() && len(own.Get(key).Kids) == 0 {
		value = c.value(a+1, b, depth+1)
	} else {
		c.note(err)
		value = &Tree{Bad: true, At: at}
	}
	value.Key = at
	_ = c.once(t, key, value)
}

// blocks calls do for each line of the outermost indentation with the deeper ones below it.
func (c *recovery) blocks(from, to int, do func(a, b int)) {
	indent := indentOf(c.lines[from])
	start := from
	for i := from + 1; i <= to; i++ {
		if i < to && (blank(c.lines[i]) || indentOf(c.lines[i]) > indent) {
			continue
		}
		do(start, i)
		start = i
	}
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

func blank(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#' || bytes.Equal(line, []byte("---"))
}

// flowReader reads JSON, or YAML in its form, and skips the wrong parts.
type flowReader struct {
	*reader
	data       []byte
	at         int
	done, from int
	line       int
	ended      bool // that the text ends too early is noted
}

// end notes that the text ends too early, once.
func (f *flowReader) end() {
	if !f.ended {
		f.ended = true
		f.note(refuse(f.here(), "the text ends before its brackets are closed"))
	}
}

func (f *flowReader) here() Place {
	for ; f.done < f.at && f.done < len(f.data); f.done++ {
		if f.data[f.done] == '\n' {
			f.line, f.from = f.line+1, f.done+1
		}
	}
	return Place{f.line, max(f.at-f.from, 0) + 1}
}

// next gives the next byte that is not space; 0: the end.
func (f *flowReader) next() byte {
	for f.at < len(f.data) {
		switch c := f.data[f.at]; c {
		case ' ', '\t', '\r', '\n':
			f.at++
		default:
			return c
		}
	}
	return 0
}

func (f *flowReader) value(depth int) *Tree {
	c, at := f.next(), f.here()
	if err := f.count(at, depth); err != nil {
		f.note(err)
		f.at = len(f.data)
		return &Tree{Bad: true, At: at}
	}
	switch c {
	case '{':
		f.at++
		return f.object(at, depth)
	case '[':
		f.at++
		return f.list(at, depth)
	}
	text, quoted, ok := f.word()
	switch {
	case !ok:
		if f.next() != 0 {
			f.note(refuse(at, "a value is missing or is not closed"))
		}
		return &Tree{Bad: true, At: at}
	case quoted:
		return &Tree{Value: text, Text: true, At: at}
	case null(text):
		return &Tree{Kids: map[string]*Tree{}, At: at}
	}
	return &Tree{Value: text, Text: !odd(text), At: at}
}

func (f *flowReader) object(at Place, depth int) *Tree {
	t := &Tree{Kids: map[string]*Tree{}, At: at}
	comma := true // one stands before, or none is needed
	for {
		switch c := f.next(); c {
		case '}':
			f.at++
			return t
		case 0:
			f.end()
			return t
		case ',':
			f.at++
			comma = true
			continue
		case ']', ':', '{', '[':
			f.note(refuse(f.here(), "%q is out of place", string(c)))
			f.at++
			comma = true
			continue
		}
		if !comma {
			f.note(refuse(f.here(), "a comma is missing"))
		}
		comma = false
		keyAt := f.here()
		key, _, ok := f.word()
		if !ok {
			if f.next() != 0 {
				f.note(refuse(keyAt, "a key is not closed"))
			}
			continue
		}
		kid := &Tree{Bad: true, At: keyAt}
		if f.next() == ':' {
			f.at++
			kid = f.value(depth + 1)
		} else {
			f.note(refuse(keyAt, "the key %s has no value", diag.Escape(key)))
		}
		kid.Key = keyAt
		_ = f.once(t, key, kid)
	}
}

func (f *flowReader) list(at Place, depth int) *Tree {
	t := &Tree{Items: []*Tree{}, At: at}
	for {
		switch f.next() {
		case ']':
			f.at++
			return t
		case 0:
			f.end()
			return t
		case ',', ':', '}':
			f.at++
			continue
		}
		t.Items = append(t.Items, f.value(depth+1))
	}
}

// word reads a word, in quotes or without. Not ok: the word is empty, or its quotes are open.
func (f *flowReader) word() (text string, quoted, ok bool) {
	from := f.at
	if f.at < len(f.data) && (f.data[f.at] == '"' || f.data[f.at] == '\'') {
		quote := f.data[f.at]
		for f.at++; f.at < len(f.data); f.at++ {
			switch c := f.data[f.at]; {
			case c == '\n':
				return "", true, false
			case c == '\\' && quote == '"':
				f.at++
			case c == quote:
				f.at++
				raw := string(f.data[from+1 : f.at-1])
				if quote == '"' {
					ok = json.Unmarshal(f.data[from:f.at], &raw) == nil
					return raw, true, ok
				}
				return raw, true, true
			}
		}
		f.at = len(f.data)
		return "", true, false
	}
	for f.at < len(f.data) && !strings.ContainsRune(",:{}[]\n\"", rune(f.data[f.at])) {
		f.at++
	}
	text = strings.TrimSpace(string(f.data[from:f.at]))
	if text == "" && f.at < len(f.data) && f.at == from && f.data[f.at] != ',' && f.data[f.at] != '}' && f.data[f.at] != ']' {
		_, n := utf8.DecodeRune(f.data[f.at:])
		f.at += n
	}
	return text, false, text != ""
}
