package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/lang/diag"
)

// The bounds of a text. The whole tree of a switch of 256 ports is below 1 MiB, and has some ten thousand entries.
const (
	MaxSize    = 8 << 20 // bytes
	maxEntries = 1 << 19
	maxDepth   = 64
	maxKey     = 512 // bytes; YAML itself allows 1024 characters in one line
)

// Config is the configuration in a text: its header, what it sets, and what it unsets.
type Config struct {
	Header *Tree // nil: none
	Set    *Tree // a mapping, never nil
	Unset  *Tree // paths that the text unsets; nil: none
}

// Error states why and where a text is not a configuration.
type Error struct {
	Place
	Text    string // a part of a sentence
	Foreign bool   // the line may be correct where it is, since it belongs to a shell or a template
}

// Error returns the text with its line.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

func refuse(at Place, format string, args ...any) error {
	return &Error{Place: at, Text: fmt.Sprintf(format, args...)}
}

// Read reads a configuration in YAML or JSON. It has one of three forms: a list of header, set and unset; a mapping of these, also below
// the number of a revision; or a mapping that is the tree itself, as from the REST interface. Keys that name several (swp1-4,swp6 and
// 3,5) are split where NVUE splits them: below interface and its bond members, and below qos.
//
// An empty text is an empty tree. A word without quotes is text, even if YAML 1.1 reads it as a boolean: NVUE reads YAML 1.2. A key
// without a value is an empty mapping.
//
// Read refuses anchors, aliases, merge keys, tags, directives and repeated keys, and any text that is larger or deeper than any
// configuration. It never panics, and its time is linear in the size of the text.
func Read(data []byte) (*Config, error) {
	if err := tooLarge(data); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at := firstOdd(data); at.Line > 0 {
		return nil, refuse(at, noText)
	}
	r := &reader{}
	root, err := r.parse(data)
	if err != nil {
		return nil, err
	}
	return r.config(root)
}

// tooLarge refuses a text that is larger than any configuration.
func tooLarge(data []byte) error {
	if len(data) > MaxSize {
		return refuse(Place{}, "it is larger than 8 MiB, and the whole tree of a large switch has less than 1 MiB")
	}
	marks := 0
	for _, c := range data {
		switch c {
		case '\n', ',', ':', '{', '[':
			marks++
		}
	}
	if marks > 2*maxEntries {
		return refuse(Place{}, "it has more than %s entries, and a configuration has some ten thousand", diag.Number(maxEntries))
	}
	return nil
}

// noText is the error about bytes that are not UTF-8.
const noText = "it holds a byte that is not UTF-8"

// firstOdd finds the first byte that is not text.
func firstOdd(data []byte) Place {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return Place{}
	}
	line, start := 1, 0
	for i := 0; i < len(data); {
		c, n := utf8.DecodeRune(data[i:])
		if c == 0 || c == utf8.RuneError && n == 1 {
			return Place{line, utf8.RuneCount(data[start:i]) + 1}
		}
		if c == '\n' {
			line, start = line+1, i+1
		}
		i += n
	}
	return Place{}
}

// reader counts the entries that it reads.
type reader struct {
	entries int
	ranges  bool                       // an expanded key names several
	bare    bool                       // the text is the tree itself
	lost    bool                       // a part of the text is not read, and its subject is unknown
	line0   int                        // number of lines before the text
	note    func(error)                // called for each slip, which then makes only its node unreadable; nil: a slip refuses the text
	section func(kind string, t *Tree) // called for each part; may be nil
}

// slip notes a mistake at one place, or refuses the text because of it.
func (r *reader) slip(err error) error {
	if r.note == nil {
		return err
	}
	r.note(err)
	return nil
}

// spoilt returns an unreadable value, or refuses the text because of it.
func (r *reader) spoilt(at Place, format string, args ...any) (*Tree, error) {
	if err := r.slip(refuse(at, format, args...)); err != nil {
		return nil, err
	}
	return &Tree{Bad: true, At: at}, nil
}

func (r *reader) parse(data []byte) (*Tree, error) {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 {
		return Map(), nil
	} else if (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(data) {
		d := &jsonReader{reader: r, Decoder: json.NewDecoder(bytes.NewReader(data)), data: data, spot: spot{Place: Place{1, 1}}}
		d.UseNumber()
		return d.value(0)
	}
	if at := directive(data); at.Line > 0 {
		return nil, refuse(at, "a line that begins with %% is a directive of YAML, and NVUE writes none")
	}
	return r.yaml(data)
}

// yaml reads YAML.
func (r *reader) yaml(data []byte) (*Tree, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) { // comments alone
			return Map(), nil
		}
		return nil, yamlFailure(data, err)
	}
	var more yaml.Node
	if err := d.Decode(&more); err == nil {
		second := refuse(Place{more.Line + r.line0, more.Column}, "a second document begins here, and a configuration is one")
		if err := r.slip(second); err != nil {
			return nil, err
		}
		r.lost = true
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlFailure(data, err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return Map(), nil
	}
	return r.node(doc.Content[0], 0)
}

// directive finds the first directive. The parser's time grows with the square of their number.
func directive(data []byte) Place {
	at := 0
	if !bytes.HasPrefix(data, []byte("%")) {
		if at = bytes.Index(data, []byte("\n%")) + 1; at == 0 {
			return Place{}
		}
	}
	return Place{bytes.Count(data[:at], []byte("\n")) + 1, 1}
}

var yamlText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`) })

// yamlFailure returns the parser's message with its place. For a tab the parser names the line before.
func yamlFailure(data []byte, err error) error {
	at, text := Place{}, err.Error()
	if m := yamlText().FindStringSubmatch(text); m != nil {
		text = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			at = Place{n, 1}
		}
	}
	if lines := bytes.Split(data, []byte("\n")); at.Line > 0 && at.Line < len(lines) && strings.Contains(text, "tab character") {
		if i := bytes.IndexByte(lines[at.Line], '\t'); i >= 0 && !bytes.ContainsRune(lines[at.Line-1], '\t') {
			at = Place{at.Line + 1, i + 1}
		}
	}
	return refuse(at, "it is not YAML: %s", text)
}

// count counts one more entry.
func (r *reader) count(at Place, depth int) error {
	if r.entries++; r.entries > maxEntries {
		return refuse(at, "it has more than %s entries, and a configuration has some ten thousand", diag.Number(maxEntries))
	}
	if depth > maxDepth {
		return refuse(at, "it is more than %d levels deep, and no configuration is", maxDepth)
	}
	return nil
}

// node reads a node of YAML.
func (r *reader) node(n *yaml.Node, depth int) (*Tree, error) {
	at := Place{n.Line + r.line0, n.Column}
	if err := r.count(at, depth); err != nil {
		return nil, err
	}
	switch {
	case n.Kind == yaml.AliasNode:
		return r.spoilt(at, "*%s is an alias; NVUE writes none, so write out its value", n.Value)
	case n.Anchor != "":
		return r.spoilt(at, "&%s is an anchor; NVUE writes none, so write out the value", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		return r.spoilt(at, "%s is a tag, and NVUE writes none", n.Tag)
	}
	switch n.Kind {
	case yaml.MappingNode:
		t := &Tree{Kids: make(map[string]*Tree, len(n.Content)/2), At: at}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			keyAt := Place{k.Line + r.line0, k.Column}
			if err := oddKey(k, keyAt); err != nil {
				if err = r.slip(err); err != nil {
					return nil, err
				}
				t.Open = true
				continue
			}
			kid, err := r.node(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			kid.Key = keyAt
			kid.BareKey = k.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 && odd(k.Value)
			if err := r.once(t, k.Value, kid); err != nil {
				return nil, err
			}
		}
		return t, nil
	case yaml.SequenceNode:
		t := &Tree{Items: make([]*Tree, 0, len(n.Content)), At: at}
		for _, c := range n.Content {
			item, err := r.node(c, depth+1)
			if err != nil {
				return nil, err
			}
			t.Items = append(t.Items, item)
		}
		return t, nil
	}
	t := &Tree{Value: n.Value, Text: true, At: at}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return t, nil
	}
	if null(n.Value) {
		return &Tree{Kids: map[string]*Tree{}, At: at}, nil
	}
	t.Text = !odd(n.Value)
	return t, nil
}

// oddKey returns why NVUE does not write such a key.
func oddKey(k *yaml.Node, at Place) error {
	switch {
	case k.Kind == yaml.AliasNode || k.Anchor != "" || k.Style&yaml.TaggedStyle != 0:
		return refuse(at, "a key has an anchor, an alias or a tag; NVUE writes none")
	case k.Kind != yaml.ScalarNode:
		return refuse(at, "a key is not a word")
	case k.Tag == "!!merge":
		return refuse(at, "<< merges another mapping; NVUE writes no merge keys, so write out the mapping")
	}
	return nil
}

// once adds an entry to a mapping and refuses a key that occurs twice.
func (r *reader) once(t *Tree, key string, kid *Tree) error {
	if len(key) > maxKey {
		t.Open = true
		return r.slip(refuse(kid.Key, "a key has more than %d bytes", maxKey))
	}
	if have := t.Kids[key]; have != nil {
		t.Kids[key] = &Tree{Bad: true, At: have.At, Key: have.Key}
		return r.slip(refuse(kid.Key, "%s occurs twice, first in line %d. It is unknown which one counts", diag.Escape(key), have.Key.Line))
	}
	t.Kids[key] = kid
	return nil
}

// number matches numbers that YAML 1.1, YAML 1.2 and JSON all read as numbers.
var number = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)
})

func null(s string) bool {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// boolean reports whether a word without quotes is a boolean in YAML 1.1 and not in JSON.
func boolean(s string) bool {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false":
		return s != "true" && s != "false"
	}
	return false
}

// odd reports whether YAML 1.2 reads a word without quotes as something other than text.
func odd(s string) bool {
	if s != "" && s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return s == "true" || s == "false" || null(s)
	}
	return number().MatchString(s) || s == "true" || s == "false" || null(s)
}

// jsonReader reads valid JSON, with places.
type jsonReader struct {
	*reader
	*json.Decoder
	data []byte
	spot spot
}

// spot is the place up to which lines and columns of a text have been counted.
type spot struct {
	done int // bytes
	Place
}

// to continues to a byte and returns its place. For an earlier byte it returns the last place.
func (s *spot) to(data []byte, at int) Place {
	for ; s.done < at && s.done < len(data); s.done++ {
		switch c := data[s.done]; {
		case c == '\n':
			s.Place = Place{s.Line + 1, 1}
		case c&0xc0 != 0x80: // the byte begins a character
			s.Column++
		}
	}
	return s.Place
}

// token reads a token, and returns the place at which it begins.
func (d *jsonReader) token() (json.Token, Place, error) {
	from := int(d.InputOffset())
	token, err := d.Token()
	for from < len(d.data) && strings.IndexByte(" \t\r\n,:", d.data[from]) >= 0 {
		from++
	}
	at := d.spot.to(d.data, from)
	if err != nil {
		return nil, at, refuse(at, "it is not JSON: %s", err)
	}
	return token, at, nil
}

func (d *jsonReader) value(depth int) (*Tree, error) {
	token, at, err := d.token()
	if err != nil {
		return nil, err
	}
	if err := d.count(at, depth); err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			t := &Tree{Items: []*Tree{}, At: at}
			for d.More() {
				item, err := d.value(depth + 1)
				if err != nil {
					return nil, err
				}
				t.Items = append(t.Items, item)
			}
			_, err := d.Token()
			return t, err
		}
		t := &Tree{Kids: map[string]*Tree{}, At: at}
		for d.More() {
			key, keyAt, err := d.token()
			if err != nil {
				return nil, err
			}
			kid, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			kid.Key = keyAt
			if err := d.once(t, key.(string), kid); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return t, err
	case string:
		return &Tree{Value: v, Text: true, At: at}, nil
	case json.Number:
		return &Tree{Value: v.String(), At: at}, nil
	case bool:
		return &Tree{Value: strconv.FormatBool(v), At: at}, nil
	}
	return &Tree{Kids: map[string]*Tree{}, At: at}, nil
}

// config reads a tree as a configuration.
func (r *reader) config(root *Tree) (*Config, error) {
	c := &Config{Set: Map()}
	if !root.IsList() && !root.IsMap() {
		return nil, refuse(root.At, "it is a single value, and not a configuration of NVUE")
	}
	parts := root.Items
	switch {
	case root.numbered(): // revisions by their numbers, as in the REST interface
		parts = nil
		for _, k := range root.Keys() {
			parts = append(parts, root.Kids[k])
		}
	case root.IsMap():
		whole := len(root.Kids) > 0
		for k := range root.Kids {
			whole = whole && (k == "header" || k == "set" || k == "unset")
		}
		if r.bare = !whole; r.bare {
			root = &Tree{Kids: map[string]*Tree{"set": root}, At: root.At}
		}
		parts = []*Tree{root}
	}
	for _, part := range parts {
		if !part.IsMap() {
			if err := r.slip(refuse(part.At, "an item of the list is neither header, nor set, nor unset")); err != nil {
				return nil, err
			}
			c.Set.Open = true
			continue
		}
		c.Set.Open = c.Set.Open || part.Open
		for _, k := range part.Keys() {
			if err := r.part(c, k, part.Kids[k]); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// numbered reports whether every entry is a number that has header, set or unset.
func (t *Tree) numbered() bool {
	for k, v := range t.Kids {
		if digits(k) != len(k) || k == "" || v.Get("header") == nil && v.Get("set") == nil && v.Get("unset") == nil {
			return false
		}
	}
	return len(t.Kids) > 0
}

// part adds header, set or unset.
func (r *reader) part(c *Config, key string, t *Tree) error {
	if t.Bad {
		c.Set.Open = true
		return nil
	}
	if key != "header" && key != "set" && key != "unset" {
		c.Set.Open = true
		return r.slip(refuse(t.Key, "%s is neither header, nor set, nor unset", diag.Escape(key)))
	}
	if !t.IsMap() {
		c.Set.Open = c.Set.Open || key == "set"
		return r.slip(refuse(t.At, "%s is not a mapping", key))
	}
	if r.section != nil {
		r.section(key, t)
	}
	if key == "header" {
		if c.Header != nil {
			return r.slip(refuse(t.Key, "there is a second header"))
		}
		c.Header = t
		return nil
	}
	stored := t
	r.ranges = false
	t, err := r.expand(t, nil)
	if err != nil {
		return err
	}
	if key == "set" {
		if r.ranges {
			c.Set.stored = append(c.Set.stored, stored)
		}
		return r.merge(c.Set, t, false)
	}
	if c.Unset == nil {
		c.Unset = Map()
	}
	return r.merge(c.Unset, t, false)
}
