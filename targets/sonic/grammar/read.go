package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of a text. The configuration of a chassis has some MiB, and one of rocec's tables has some ten thousand entries.
const (
	MaxSize    = 64 << 20 // bytes
	maxEntries = 1 << 19
	maxTables  = 4096 // CONFIG_DB has some two hundred
	maxDepth   = 5    // tables, rows, lists, and the namespaces, which are refused later
)

// Error states why and where a text is not a configuration.
type Error struct {
	Place
	At   int    // byte of the text, not counting a byte-order mark; for a text that ends too early, its length
	Text string // a sentence
}

// Error returns the text with its line and column.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// Read reads a configuration: a JSON object of tables. An empty text, or one of white space, is a configuration without tables. Errors
// have a line: a text that is not JSON, a key that occurs twice in one object, a text that is deeper or larger than any CONFIG_DB, and
// the configuration of a switch with several chips.
//
// If the text has a number, a truth value or null where CONFIG_DB has text, Read converts it to text and adds a note to [Config.Found].
// Ports and queues that occur in two rows of a table are noted there, too.
//
// Read never panics, and needs time and memory in proportion to the text.
func Read(data []byte) (*Config, error) {
	if len(data) > MaxSize {
		return nil, &Error{Text: "It is larger than 64 MiB, and the configuration of a large switch has less than 4 MiB."}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := &reader{data: data, config: Of(data)}
	if !utf8.Valid(data) {
		return nil, r.fail(firstInvalid(data), "It holds a byte that is not UTF-8.")
	}
	r.space()
	if r.at == len(data) {
		return r.config, nil
	}
	if err := r.object(1, r.table); err != nil {
		return nil, err
	}
	if r.space(); r.at < len(data) {
		return nil, r.fail(r.at, "Text follows the configuration.")
	}
	if err := r.twice(); err != nil {
		return nil, err
	}
	return r.config, nil
}

func firstInvalid(data []byte) int {
	at := 0
	for at < len(data) {
		c, n := utf8.DecodeRune(data[at:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// reader reads a text once from start to end.
type reader struct {
	data    []byte
	at      int
	entries int
	config  *Config
}

func (r *reader) fail(at int, format string, args ...any) error {
	return &Error{r.config.Place(at), at, fmt.Sprintf(format, args...)}
}

func (r *reader) space() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// next returns the next byte after white space; 0: the text ends.
func (r *reader) next() byte {
	r.space()
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

// object reads an object and calls member for each of its members.
func (r *reader) object(depth int, member func(key string, at int) error) error {
	if depth > maxDepth {
		return r.fail(r.at, "It is deeper than CONFIG_DB, which has tables, rows, fields and lists.")
	}
	if c := r.next(); c != '{' {
		return r.fail(r.at, "Found %s, expected an object.", r.shown())
	}
	r.at++
	seen := map[string]struct{}{}
	for first := true; ; first = false {
		c := r.next()
		if c == '}' && first {
			r.at++
			return nil
		}
		if c != '"' {
			return r.fail(r.at, "Found %s, expected a key in quotes.", r.shown())
		}
		at := r.at
		key, err := r.text()
		if err != nil {
			return err
		}
		if _, twice := seen[key]; twice {
			return r.fail(at, "The key %s occurs twice in one object, and programs differ in which one they use.", quoteShort(key))
		}
		seen[key] = struct{}{}
		if r.next() != ':' {
			return r.fail(r.at, "Found %s, expected a colon.", r.shown())
		}
		r.at++
		r.space()
		if err := member(key, at); err != nil {
			return err
		}
		switch c := r.next(); c {
		case ',':
			r.at++
		case '}':
			r.at++
			return nil
		default:
			return r.fail(r.at, "Found %s, expected a comma or the end of an object.", r.shown())
		}
	}
}

// shown describes the text at the current place.
func (r *reader) shown() string {
	if r.at >= len(r.data) {
		return "the end of the text"
	}
	c, _ := utf8.DecodeRune(r.data[r.at:])
	return fmt.Sprintf("%q", c)
}

func quoteShort(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return quote(s)
}

// text reads a text in quotes.
func (r *reader) text() (string, error) {
	start := r.at
	r.at++
	plain := true
	for r.at < len(r.data) {
		switch c := r.data[r.at]; {
		case c == '\\':
			plain = false
			r.at += 2
		case c == '"':
			r.at++
			raw := r.data[start:r.at]
			if plain {
				return string(raw[1 : len(raw)-1]), nil
			}
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				return "", r.fail(start, "This text is not JSON: it has an escape that JSON does not have.")
			}
			return s, nil
		case c < ' ':
			return "", r.fail(r.at, "A text contains a control character or does not end in its line, which JSON does not allow.")
		default:
			r.at++
		}
	}
	r.at = len(r.data)
	return "", r.fail(start, "This text does not end.")
}

// table reads one member of the outermost object.
func (r *reader) table(name string, at int) error {
	if digits, is := strings.CutPrefix(name, "asic"); is && isDigits(digits) && r.next() == '{' {
		return r.fail(at, "This is the configuration of a switch with several chips, with the namespace %s. rocec writes switches with "+
			"one chip.", quoteShort(name))
	}
	if TableOf(name) == nil {
		start := r.at
		if err := r.value(2); err != nil {
			return err
		}
		if r.config.foreign == nil {
			r.config.foreign, r.config.Others = map[string][]byte{}, map[string]int{}
		}
		if len(r.config.Others) == maxTables {
			return r.fail(at, "It has more than %d tables, and CONFIG_DB has some two hundred.", maxTables)
		}
		r.config.Others[name] = at
		r.config.foreign[name] = slices.Clip(r.data[start:r.at])
		return nil
	}
	s := &Section{At: at, Rows: map[string]*Row{}}
	r.config.Tables[name] = s
	return r.object(2, func(key string, at int) error {
		row := &Row{At: at, Fields: map[string]Value{}}
		s.Rows[key] = row
		if r.entries++; r.entries > maxEntries {
			return r.fail(at, "It has more than %d rows and fields of QoS and buffers, and a large switch has some ten thousand.", maxEntries)
		}
		return r.object(3, func(field string, at int) error {
			if r.entries++; r.entries > maxEntries {
				return r.fail(at, "It has more than %d rows and fields of QoS and buffers, and a large switch has some ten thousand.", maxEntries)
			}
			v, err := r.field(Problem{At: at, Table: name, Row: key, Field: field})
			row.Fields[field] = v
			return err
		})
	})
}

// field reads the value of a field in one of rocec's tables.
func (r *reader) field(p Problem) (Value, error) {
	v := Value{At: r.at}
	start := r.at
	judged := TableOf(p.Table).Judged(p.Field)
	switch c := r.next(); {
	case c == '"':
		text, err := r.text()
		v.Text = text
		return v, err
	case !judged && c != '[':
		err := r.value(4)
		v.Text = string(r.data[start:r.at])
		return v, err
	case c == '[':
		v.List = []string{}
		err := r.list(4, func() error {
			if r.next() != '"' {
				return r.fail(r.at, "Found %s, expected a text in quotes.", r.shown())
			}
			item, err := r.text()
			v.List = append(v.List, item)
			return err
		})
		if err != nil && !judged { // a list with anything other than texts
			r.at, v.List = start, nil
			err = r.value(4)
			v.Text = string(r.data[start:r.at])
			return v, err
		}
		v.Text = strings.Join(v.List, ",")
		return v, err
	case c == '{':
		return v, r.fail(r.at, "Found an object, expected text for the field %s of %s.", quoteShort(p.Field), p.Table)
	}
	if err := r.word(); err != nil {
		return v, err
	}
	v.Text = string(r.data[start:r.at])
	p.At = start
	Untyped(r.config, p, v.Text)
	return v, nil
}

// value reads any value in one of the other tables.
func (r *reader) value(depth int) error {
	switch r.next() {
	case '"':
		_, err := r.text()
		return err
	case '{':
		return r.object(depth, func(string, int) error { return r.value(depth + 1) })
	case '[':
		return r.list(depth, func() error { return r.value(depth + 1) })
	}
	return r.word()
}

func (r *reader) list(depth int, item func() error) error {
	if depth > maxDepth {
		return r.fail(r.at, "It is deeper than CONFIG_DB, which has tables, rows, fields and lists.")
	}
	r.at++
	for first := true; ; first = false {
		if r.next() == ']' && first {
			r.at++
			return nil
		}
		r.space()
		if err := item(); err != nil {
			return err
		}
		switch r.next() {
		case ',':
			r.at++
		case ']':
			r.at++
			return nil
		default:
			return r.fail(r.at, "Found %s, expected a comma or the end of a list.", r.shown())
		}
	}
}

// word reads a number, true, false or null.
func (r *reader) word() error {
	start := r.at
	for r.at < len(r.data) && strings.IndexByte("+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", r.data[r.at]) >= 0 {
		r.at++
	}
	const longest = 64
	if r.at == start || r.at-start > longest || !json.Valid(r.data[start:r.at]) {
		r.at = start
		return r.fail(start, "Found %s, expected a value.", r.shown())
	}
	return nil
}

// twice notes queues and priority groups that are in two rows.
func (r *reader) twice() error {
	if at, most := Overlaps(r.config); most {
		return r.fail(at, "Its rows hold more than %d queues and priority groups, and a large switch has some ten thousand.", maxEntries)
	}
	return nil
}

// ofRanges are the tables whose keys contain queues or priority groups of ports.
var ofRanges = []string{"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"}

// Overlaps notes queues and priority groups that are in two rows in [Config.Found]. A key contains a list of ports and a range of queues,
// so a short text may name more queues than any switch has. In that case most is true, and at is the place of the row at which Overlaps
// stopped.
func Overlaps(c *Config) (at int, most bool) {
	held := 0
	for _, name := range ofRanges {
		type slot struct {
			port string
			n    int
		}
		owner := map[slot]string{}
		keys := c.Keys(name)
		rows := func(key string) *Row { return c.Row(name, key) }
		slices.SortStableFunc(keys, func(a, b string) int { return rows(a).At - rows(b).At })
		for _, key := range keys {
			ports, index, _ := strings.Cut(key, "|")
			from, to, ok := ParseRange(index)
			if !ok {
				continue
			}
			for port := range strings.SplitSeq(ports, ",") {
				port = strings.TrimSpace(port)
				for n := from; n <= to; n++ {
					if held++; held > maxEntries {
						return rows(key).At, true
					}
					s := slot{port, n}
					if other, twice := owner[s]; twice && other != key {
						c.problem(Problem{At: rows(key).At, And: rows(other).At, Twice: true, Table: name, Row: key},
							"%s and %s of %s both hold %d of %s. Their order decides which one counts.",
							quoteShort(other), quoteShort(key), name, n, port)
						break
					}
					owner[s] = key
				}
			}
		}
	}
	return 0, false
}

// Untyped notes a value that is not text in [Config.Found]: a number, a truth value or null.
func Untyped(c *Config, p Problem, text string) {
	kind := "a number"
	switch text {
	case "true", "false":
		kind = "a truth value"
	case "null":
		kind = "null"
	}
	c.problem(p, "%s is %s, and CONFIG_DB has only text: write it in quotes.", quoteShort(p.Field), kind)
}
