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

// Loose is the readable part of a configuration.
type Loose struct {
	Config
	Slips    []*Error // the mistakes with their places; the unreadable nodes have [Tree.Bad]
	More     int      // further slips
	Refused  bool     // nothing was read
	Part     string   // why the text is only a part of a device's configuration, as a part of a sentence; empty: it is whole
	Printed  bool     // the text follows a command line with nv config show
	Commands bool     // the text has lines of nv set and nv unset, or is a script with such lines
	Bare     bool     // the text is the tree itself, without header, set and unset
	Command  string   // the command line above the text; may be empty
	Lost     bool     // a line could not be read, and its subject is unknown

	cleaned  bool
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
	Kind  string  // header, set or unset
	Keys  []Place // the places of the keys
	Place Place   // the place of the last key, or of the command
}

// mostSlips is the maximum number of slips that are listed.
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

// spoiltText notes a value or a key that has a byte that is not text. If the slip about the whole text has the same line, it suffices.
func (l *Loose) spoiltText(at Place) {
	if l.Slips[0].Line != at.Line {
		l.note(refuse(at, noText))
	}
}

// spoil marks nodes with such a byte as unreadable.
func (l *Loose) spoil(t *Tree) {
	for _, key := range t.Keys() {
		kid := t.Kids[key]
		if strings.Contains(key, "\ufffd") {
			l.spoiltText(kid.Key)
			delete(t.Kids, key)
			t.Open = true
			continue
		}
		l.spoil(kid)
	}
	for _, item := range t.Items {
		l.spoil(item)
	}
	if t.IsScalar() && strings.Contains(t.Value, "\ufffd") {
		l.spoiltText(t.At)
		*t = Tree{Bad: true, At: t.At, Key: t.Key}
	}
}

// Rows calls do for each row of the text, in the order of the keys or of the commands. do must not change or keep Path and Keys.
func (l *Loose) Rows(do func(Written)) {
	var walk func(kind string, path []string, keys []Place, t *Tree)
	walk = func(kind string, path []string, keys []Place, t *Tree) {
		if len(t.Kids) == 0 || len(path) > maxDepth {
			if !t.Bad && len(path) > 0 {
				do(Written{path, t, kind, keys, t.Key})
			}
			return
		}
		for _, k := range t.Keys() {
			walk(kind, append(path, k), append(keys, t.Kids[k].Key), t.Kids[k])
		}
	}
	for _, s := range l.sections {
		walk(s.kind, nil, nil, s.tree)
	}
	for _, w := range l.lines {
		do(w)
	}
}

// Singles returns the keys of a range: swp1-4 below interface, 3,5 below a switch-priority.
func Singles(path []string, key string) []string { return singles(path, key) }

// prompt matches the shell line above the output of a switch.
var prompt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9._-]+(?::[^$#\n]{0,80})?[$#][ \t]*([^\n]*)(?:\n|$)`)
})

// Prompt splits a text that begins with a command line, as copied from a terminal. It returns the command and the text below it.
func Prompt(data []byte) (command string, rest []byte) {
	m := prompt().FindSubmatchIndex(data)
	if m == nil {
		return "", data
	}
	return strings.TrimSpace(string(data[m[2]:m[3]])), data[m[1]:]
}

// tree reads a tree.
func (l *Loose) tree(data []byte) {
	r := &reader{note: l.note, section: func(kind string, t *Tree) { l.sections = append(l.sections, part{kind, t}) }}
	if l.Command, data = Prompt(data); l.Command != "" {
		l.Printed = strings.HasPrefix(l.Command, "nv config show")
		r.line0 = 1
	}
	root, err := l.recover(r, data)
	l.Lost = l.Lost || r.lost
	if err == nil && root.Bad {
		err = refuse(root.At, "it is not a configuration of NVUE")
	}
	if err == nil {
		if l.cleaned {
			l.spoil(root)
		}
		var cfg *Config
		if cfg, err = r.config(root); err == nil {
			l.Config, l.Bare = *cfg, r.bare
		}
	}
	if err != nil {
		l.note(err)
		l.Refused, l.Config, l.sections = true, Config{Set: Map()}, nil
	}
	switch {
	case len(QoSOf(l.Unset)) > 0:
		l.Part = "it unsets settings of QoS, so it is a patch"
	case strings.HasPrefix(l.Command, "nv config diff"):
		l.Part = "it is the difference of two revisions"
	}
}

// clean replaces bytes that are not text.
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
		d := &jsonReader{reader: r, Decoder: json.NewDecoder(bytes.NewReader(data)), data: data, spot: spot{Place: Place{1 + r.line0, 1}}}
		d.UseNumber()
		return d.value(0)
	}
	c := &recovery{reader: r, loose: l, odd: -1, lines: bytes.SplitAfter(data, []byte("\n")), budget: min(16*len(data), 16<<20) + 1<<20}
	for i, line := range c.lines {
		if bytes.HasPrefix(line, []byte("%")) {
			r.note(refuse(Place{i + 1 + r.line0, 1}, "a line that begins with %% is a directive of YAML, and NVUE writes none"))
			c.lines[i] = []byte("\n")
		}
	}
	if len(data) > wholly && !flow && !bytes.Contains(data, []byte("\n---")) && !bytes.Contains(data, []byte("\n...")) {
		if t, ok := c.plain(0, len(c.lines)); ok {
			return t, nil
		}
		c.dropTabs()
		return c.value(0, len(c.lines), 0), nil
	}
	t, err := c.parse(0, len(c.lines))
	switch {
	case err == nil || r.entries > maxEntries:
		return t, err
	case flow:
		j := &flowReader{reader: r, data: data, spot: spot{Place: Place{1 + r.line0, 1}}}
		return j.value(0), nil
	}
	c.dropTabs()
	return c.value(0, len(c.lines), 0), nil
}

// wholly is the maximum size of a text that is first parsed as a whole. A larger text is split into blocks at once, since one slip would
// cost the time of another whole parse.
const wholly = 64 << 10

// dropTabs empties the lines whose indentation has tabs. A line without a key stays where the original line was intended.
func (c *recovery) dropTabs() {
	before := 0 // the indentation of the previous line, if its block may continue
	for i, line := range c.lines {
		tabbed := !blank(line) && bytes.IndexByte(line[:len(line)-len(bytes.TrimLeft(line, " \t"))], '\t') >= 0
		if tabbed {
			after := i + 1
			for after < len(c.lines) && blank(c.lines[after]) {
				after++
			}
			indent := before
			if after < len(c.lines) {
				indent = max(before, indentOf(c.lines[after]))
			}
			c.lines[i] = []byte(strings.Repeat(" ", min(indent, widest)) + tabMark)
			continue
		}
		if !blank(line) {
			if before = indentOf(line); bytes.HasSuffix(bytes.TrimRight(line, " \r\n"), []byte(":")) {
				before = 0
			}
		}
	}
}

// tabMark replaces a line whose indentation has tabs.
const tabMark = "\x00\n"

// recovery reads YAML by its indentation, block by block. Each text is first parsed as a whole, so that only slips cost time.
type recovery struct {
	*reader
	loose  *Loose
	lines  [][]byte
	odd    int // the last line at which [reader.blocks] failed
	budget int // bytes that may still be parsed
}

// plain reads lines that have only the YAML of NVUE. A large block is not tried if a larger one failed at one of its lines.
func (c *recovery) plain(from, to int) (*Tree, bool) {
	if from <= c.odd && c.odd < to && c.large(from, to) {
		return nil, false
	}
	slips, more, entries := len(c.loose.Slips), c.loose.More, c.entries
	t, at, ok := c.blocks(c.lines, from, to)
	if !ok {
		c.odd = at
		c.loose.Slips, c.loose.More, c.entries = c.loose.Slips[:slips], more, entries
	}
	return t, ok
}

// parse reads lines as a separate text.
func (c *recovery) parse(from, to int) (*Tree, error) {
	if t, ok := c.plain(from, to); ok {
		return t, nil
	}
	return c.full(from, to)
}

// full reads lines by a reader of all YAML.
func (c *recovery) full(from, to int) (*Tree, error) {
	text := bytes.Join(c.lines[from:to], nil)
	if c.budget -= len(text) + 1024; c.budget < 0 {
		return nil, refuse(Place{from + 1 + c.base(), 1}, "the text has too many slips")
	}
	slips, more := len(c.loose.Slips), c.loose.More
	was := c.line0
	c.line0 += from
	t, err := c.yaml(text)
	if e, ok := err.(*Error); ok { //nolint:errorlint // it is made here
		at := min(max(e.Line, 1), to-from) - 1 + from
		for at > from && blank(c.lines[at]) {
			at--
		}
		e.Place = Place{at + 1 + was, max(e.Column, indentOf(c.lines[at])+1)}
	}
	c.line0 = was
	if err != nil {
		c.loose.Slips, c.loose.More = c.loose.Slips[:slips], more
	}
	return t, err
}

func (c *recovery) base() int { return c.line0 }

// header is a line that begins a block. Its key may be in quotes.
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
		c.each(first, to, func(a, b int) {
			line := bytes.TrimLeft(c.lines[a], " ")
			if !bytes.HasPrefix(line, []byte("- ")) {
				c.note(refuse(Place{a + 1 + c.line0, 1}, "a line is between the items of a list"))
				c.loose.Lost = true
				return
			}
			line = bytes.Clone(c.lines[a])
			line[bytes.IndexByte(line, '-')] = ' '
			c.lines[a] = line
			item, ok := c.plain(a, b)
			if !ok && !c.large(a, b) {
				var err error
				item, err = c.full(a, b)
				ok = err == nil
			}
			if !ok {
				item = c.value(a, b, depth+1)
			}
			t.Items = append(t.Items, item)
		})
		return t
	}
	t := &Tree{Kids: map[string]*Tree{}, At: at}
	c.each(first, to, func(a, b int) { c.entry(t, a, b, depth) })
	return t
}

// entry reads one key and its value.
func (c *recovery) entry(t *Tree, a, b, depth int) {
	at := Place{a + 1 + c.line0, indentOf(c.lines[a]) + 1}
	if bytes.HasSuffix(c.lines[a], []byte(tabMark)) {
		t.Open = true
		c.note(refuse(Place{at.Line, 1}, "a tab is not valid indentation in YAML"))
		return
	}
	kid, ok := c.plain(a, b)
	var key string
	var below bool
	var err error
	if !ok {
		if key, below = c.keyOf(a, b); !below || !c.large(a, b) {
			kid, err = c.full(a, b)
			ok = err == nil
		}
	}
	if ok && kid.IsMap() {
		for _, k := range kid.Keys() {
			_ = c.once(t, k, kid.Kids[k])
		}
		t.Open = t.Open || kid.Open
		return
	}
	if ok {
		err = refuse(at, "a line has no key")
	}
	var value *Tree
	switch {
	case key == "":
		t.Open = true
		c.note(err)
		return
	case below:
		value = c.value(a+1, b, depth+1)
	default:
		c.note(err)
		value = &Tree{Bad: true, At: at}
	}
	value.Key = at
	_ = c.once(t, key, value)
}

// keyOf returns the key in the first of some lines; it may be empty. below reports whether all of its value is in the following lines.
func (c *recovery) keyOf(a, b int) (key string, below bool) {
	m := header().FindSubmatch(c.lines[a])
	if m == nil {
		return "", false
	}
	key = string(m[1]) + string(m[2]) + string(m[3])
	if b == a+1 {
		return key, false
	}
	own, err := c.parse(a, a+1)
	return key, err == nil && own.Get(key).IsMap() && len(own.Get(key).Kids) == 0
}

// large reports whether there are so many lines that they are split before they are parsed.
func (c *recovery) large(a, b int) bool {
	n := 0
	for _, line := range c.lines[a:b] {
		n += len(line)
	}
	return n > wholly
}

// each calls do for each line of the outermost indentation, together with the deeper lines below it.
func (c *recovery) each(from, to int, do func(a, b int)) {
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
	data  []byte
	at    int
	spot  spot
	ended bool // the early end of the text has been noted
}

// end notes once that the text ends too early.
func (f *flowReader) end() {
	if !f.ended {
		f.ended = true
		f.note(refuse(f.here(), "the text ends before its brackets are closed"))
	}
}

func (f *flowReader) here() Place { return f.spot.to(f.data, f.at) }

// next returns the next byte that is not white space; 0: the end.
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
	comma := true // a comma precedes, or none is needed
	for {
		switch c := f.next(); c {
		case '}':
			f.at++
			return t
		case 0:
			f.end()
			t.Open = true
			return t
		case ',':
			f.at++
			comma = true
			continue
		case ']', ':', '{', '[':
			t.Open = true
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
			t.Open = true
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
