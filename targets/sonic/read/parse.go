package read

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// parser reads a text of JSON once and continues after a slip, which makes only its row unreadable.
type parser struct {
	*input
	data  []byte
	base  int
	at    int
	valid bool   // the text is JSON, so no bracket is missing
	last  string // the previous table
	row   string // the current row, which a slip would make unreadable
	lost  string // the row that the last slip made unreadable
	back  bool   // the next key was read before
	again bool   // the current key occurs twice in its object
}

// null is the text of a field whose value is null.
const null = "\x00null"

// wholeText is the row of slips outside of tables.
const wholeText = "a part of the text"

// objects reads the outermost objects.
func (p *parser) objects() {
	for !p.full {
		switch p.next() {
		case 0:
			return
		case '{':
			p.at++
			p.merge()
			p.top()
		case '[', ']', ',': // a list of objects, such as qos.json may be
			p.at++
		case '"': // after a superfluous bracket
			p.slip("text follows the configuration")
			p.top()
		default:
			p.stray()
		}
	}
}

// broken reports the byte at which a text stops being JSON, if the text has no other slip.
func (p *parser) broken(start int) {
	plain, _ := blanked(p.data)
	err := json.Unmarshal(plain[start:], &json.RawMessage{})
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && len(bytes.TrimSpace(plain[start:])) > 0 {
		p.at = start + max(int(syntax.Offset)-1, 0)
		p.slip("the text is not JSON from here on")
	}
}

// blanked returns a text with comments outside of quotes replaced by blanks, and the byte of the first comment, or -1.
func blanked(data []byte) (out []byte, first int) {
	out, first = data, -1
	for at := 0; at < len(data); at++ {
		end := ""
		switch c := data[at]; {
		case c == '"':
			for at++; at < len(data) && data[at] != '"' && data[at] != '\n'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
		case c == '#' || c == '/' && at+1 < len(data) && data[at+1] == '/':
			end = "\n"
		case c == '/' && at+1 < len(data) && data[at+1] == '*':
			end = "*/"
		}
		if end == "" {
			continue
		}
		if first < 0 {
			out, first = bytes.Clone(data), at
		}
		to := len(data)
		if i := bytes.Index(data[at:], []byte(end)); i >= 0 {
			to = at + i + len(end)
		}
		for ; at < to; at++ {
			if data[at] != '\n' {
				out[at] = ' '
			}
		}
		at--
	}
	return out, first
}

// comment records the first comment.
func (p *parser) comment(at int) {
	if p.input.comment < 0 {
		p.input.comment = p.base + at
	}
	p.note("The text has comments, which JSON does not allow: a switch does not load it.")
}

// slip records a place that is not a configuration. Each row has one slip at most.
func (p *parser) slip(why string) { p.slipAt(p.at, why) }

func (p *parser) slipAt(at int, why string) {
	at = p.base + min(at, len(p.data))
	if n := len(p.misses); n > 0 && p.misses[n-1].at == at || p.lost == p.row && strings.Contains(p.row, "|") {
		return
	}
	p.lost = p.row
	p.input.slip(p.row, why, at)
}

// stray skips bytes that begin no value.
func (p *parser) stray() {
	p.slip("a key in quotes is missing here")
	for p.at++; p.at < len(p.data) && strings.IndexByte("\"{}[],\n", p.data[p.at]) < 0; {
		p.at++
	}
}

// next returns the next byte after white space and comments; 0: the text ends, or has a byte 0.
func (p *parser) next() byte {
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case c == '#' || c == '/' && p.at+1 < len(p.data) && p.data[p.at+1] == '/':
			p.until("\n")
		case c == '/' && p.at+1 < len(p.data) && p.data[p.at+1] == '*':
			p.until("*/")
		case c == 0:
			p.slip("a byte 0")
			p.at++
		default:
			return c
		}
	}
	return 0
}

func (p *parser) until(end string) {
	p.comment(p.at)
	if i := bytes.Index(p.data[p.at:], []byte(end)); i >= 0 {
		p.at += i + len(end)
		return
	}
	p.at = len(p.data)
}

// text reads a text in quotes. If its end is missing, it ends with its line.
func (p *parser) text() string {
	start, plain := p.at+1, true
	for p.at = start; p.at < len(p.data); p.at++ {
		switch p.data[p.at] {
		case '\\':
			plain = false
			p.at++
		case '\n':
			p.slip("a text has no end in its line")
			return p.word(bytes.TrimRight(p.data[start:p.at], ", \t\r"))
		case '"':
			raw := p.data[start:p.at]
			p.at++
			var s string
			if !utf8.Valid(raw) {
				p.slipAt(start-1, "a text has a byte that is not UTF-8")
			} else if !plain && json.Unmarshal(p.data[start-1:p.at], &s) == nil {
				return s
			}
			if !plain {
				p.slip("a text has an escape that JSON does not have")
			}
			return p.word(raw)
		}
	}
	p.at = len(p.data)
	p.slip("a text has no end")
	p.end()
	return p.word(p.data[min(start, len(p.data)):])
}

// end records that the text ends too early, so rows, tables and fields of the last row may be missing.
func (p *parser) end() {
	p.ends, p.ended = true, p.last
	if table, key, ok := strings.Cut(p.row, "|"); ok {
		p.cfg.Delete(table, key, "")
	}
}

// object reads members up to the end of an object whose bracket has been read. It also ends after a member that returns false.
func (p *parser) object(member func(key string, at int) bool) {
	comma, keys := true, map[string]int(nil)
	for !p.full {
		switch p.next() {
		case 0:
			p.slip("the text ends inside an object")
			p.end()
			return
		case '}':
			if comma && keys != nil {
				p.slip("nothing follows a comma")
			}
			p.at++
			return
		case ',':
			if comma && keys != nil {
				p.slip("nothing precedes a comma")
			}
			comma = true
			p.at++
		case '"':
			if !comma && !p.back {
				p.slip("a comma is missing")
			}
			comma, p.back = false, false
			at := p.at
			key := p.text()
			switch p.next() {
			case ':':
				p.at++
			case '{', '[':
				p.slip("a colon is missing")
			default:
				p.slip("a key has no value")
				continue
			}
			p.again = p.twin(&keys, key, p.base+at)
			if !member(key, p.base+at) {
				return
			}
		default:
			p.stray()
		}
	}
}

// ahead looks at the next object, and reports whether its first member is an object, as in a table. Not ok: the next value is not an
// object.
func (p *parser) ahead() (table, ok bool) {
	if p.next() != '{' {
		return false, false
	}
	at, misses, notes, lost := p.at, len(p.misses), len(p.notes), p.lost
	defer func() { p.at, p.misses, p.notes, p.lost = at, p.misses[:misses], p.notes[:notes], lost }()
	p.at++
	if c := p.next(); c != '"' {
		return c == '}', true
	}
	p.text()
	if p.next() != ':' {
		return false, true
	}
	p.at++
	return p.next() == '{', true
}

// top reads the members of an outermost object.
func (p *parser) top() {
	var of [][2]string // the rows of this object
	gone := false      // the object removes its rows, as in files for swssconfig
	p.object(func(name string, at int) bool {
		p.row = "table " + name
		defer func() { p.row = wholeText }()
		table, object := p.ahead()
		t, key, colon := split(name)
		switch {
		case name == "OP" && !object:
			p.forms[formOperations] = true
			gone = p.value(true).Text == "DEL"
		case t != nil && !object:
			if key != "" {
				p.row = t.Name + "|" + key
			}
			p.slip("an object is missing here")
			p.skip()
		case t != nil && key == "":
			p.at++
			if p.again {
				delete(p.cfg.Tables, t.Name)
			}
			p.table(t, at)
		case t != nil: // a row of a database
			p.forms[formDump] = true
			p.forms[formApplication] = p.forms[formApplication] || colon
			p.at++
			of = append(of, [2]string{t.Name, key})
			p.fields(t, p.section(t.Name, at), key, at)
		case strings.HasPrefix(name, "asic") && strings.Trim(name[len("asic"):], "0123456789") == "" && table:
			p.input.slip(name, "the configuration of one of several chips; rocec does not read switches with several chips", at)
			p.skip()
		case object && !table && p.last != "" && !colon && !p.valid && !known(prefix(name)):
			p.slip("a superfluous bracket ends its table") // further rows of the table follow
			t := grammar.TableOf(p.last)
			p.at++
			p.fields(t, p.section(t.Name, at), name, at)
		default:
			p.others(name, at)
		}
		return true
	})
	for _, row := range of {
		if gone {
			p.whole.Delete(row[0], row[1], "")
			p.cfg.Delete(row[0], row[1], "")
		}
	}
}

// known reports whether CONFIG_DB has a table of a name.
func known(name string) bool {
	_, ok := grammar.OtherTable(name)
	return ok || grammar.TableOf(name) != nil
}

// split separates the table and the key in a key of a database: `TABLE|key` in CONFIG_DB, `TABLE_TABLE:key:part` in the application
// database. A name without a key is a table. t is nil if the table is not one of QoS.
func split(name string) (t *grammar.Table, key string, colon bool) {
	i := strings.IndexAny(name, "|:")
	if i < 0 {
		return grammar.TableOf(name), "", false
	}
	table, key := name[:i], name[i+1:]
	if colon = name[i] == ':'; colon {
		table, key = strings.TrimSuffix(table, "_TABLE"), strings.ReplaceAll(key, ":", "|")
	}
	if key == "" {
		return nil, "", colon
	}
	return grammar.TableOf(table), key, colon
}

// prefix returns the part of a name before the first bar.
func prefix(name string) string {
	table, _, _ := strings.Cut(name, "|")
	return table
}

// others skips and counts content that is not about QoS.
func (p *parser) others(name string, at int) {
	table := name
	i := strings.IndexAny(name, "|:")
	if i >= 0 {
		table = name[:i]
	}
	why, ok := grammar.OtherTable(table)
	switch {
	case ok:
		p.other(table, at)
	case i >= 0 && name[i] == ':':
		why = "rows of other databases that set neither classes nor buffers"
	case i >= 0 && strings.HasPrefix(table, "_"):
		why = "internal data of a program"
	default:
		p.unknown(table, at)
		p.skip()
		return
	}
	if isTable, _ := p.ahead(); i >= 0 || !isTable {
		p.cov.Leave(why)
		p.skip()
		return
	}
	p.at++
	p.object(func(string, int) bool {
		p.cov.Leave(why)
		return p.skip()
	})
}

// table reads the rows of a table. If a table occurs twice, the last one counts.
func (p *parser) table(t *grammar.Table, at int) {
	s := p.section(t.Name, at)
	p.last = t.Name
	p.object(func(key string, at int) bool {
		table, object := p.ahead()
		switch {
		case table && known(key) && !p.valid: // the bracket of this table is missing
			p.slip("the table has no end")
			return p.reread(at)
		case !object:
			p.row = t.Name + "|" + key
			p.slip("a row has to be an object")
			return p.skip()
		}
		p.at++
		return p.fields(t, s, key, at)
	})
}

// reread goes back to a key, which the enclosing object then reads.
func (p *parser) reread(at int) bool {
	p.at, p.back = at-p.base, true
	return false
}

// fields reads the fields of a row. It returns false if the brackets of the row and of its table are missing.
func (p *parser) fields(t *grammar.Table, s *grammar.Section, key string, at int) (ok bool) {
	outer := p.row
	p.row = t.Name + "|" + key
	defer func() { p.row = outer }()
	if !p.keep(at) {
		return false
	}
	row := &grammar.Row{At: at, Fields: map[string]grammar.Value{}}
	s.Rows[key] = row
	ok, whole := true, false
	p.object(func(field string, at int) bool {
		table, object := p.ahead()
		f, other := t.Field(grammar.Newest, field)
		switch judged := t.Judged(field); {
		case whole:
			ok = p.skip()
			return ok
		case field == "value" && object: // the form of redis-dump-load and sonic-db-dump
			whole, row.Fields = true, map[string]grammar.Value{}
			p.at++
			p.object(func(field string, _ int) bool {
				p.put(t, row, field, p.value(t.Judged(field)))
				return true
			})
		case table && known(field) && !p.valid:
			p.slip("the row and its table have no end")
			ok = false
			return p.reread(at)
		case object && f == nil && other == nil && !t.Beside && !p.valid: // the next row of the table
			p.slip("the row has no end")
			return p.reread(at)
		case object:
			if judged {
				p.slip("a field is text, and this is an object")
			}
			ok = p.skip()
			return ok
		default:
			p.put(t, row, field, p.value(judged))
		}
		return true
	})
	return ok
}

// value reads a text, a list of texts, a number, a truth value or null. Lists in fields that no rule checks may contain anything.
func (p *parser) value(judged bool) grammar.Value {
	c := p.next()
	v := grammar.Value{At: p.base + p.at}
	switch c {
	case '"':
		v.Text = p.text()
	case '[':
		v.List = []string{}
		start, texts := p.at, true
		p.at++
		for !p.full {
			switch c := p.next(); c {
			case ']':
				p.at++
				if v.Text = strings.Join(v.List, ","); !judged && !texts {
					v.List, v.Text = nil, p.word(p.data[start:p.at])
				}
				return v
			case ',':
				p.at++
			case '"':
				v.List = append(v.List, p.text())
			case 0, '}', ':':
				p.slip("a list has no end")
				return v
			case '{', '[':
				if texts = false; judged {
					p.slip("a list holds more than texts")
				}
				p.skip()
			default:
				texts = false
				v.List = append(v.List, p.bare())
			}
		}
	case '{', '}', ',', ']', ':', 0:
		p.slip("a value is missing")
		if c == '{' {
			p.skip()
		}
	default:
		v.Text = p.bare()
		p.bares = true
	}
	return v
}

// bare reads a word without quotes.
func (p *parser) bare() string {
	start := p.at
	for p.at < len(p.data) && strings.IndexByte(",:{}[]\" \t\r\n", p.data[p.at]) < 0 {
		p.at++
	}
	raw := p.data[start:p.at]
	switch {
	case string(raw) == "null":
		return null
	case !json.Valid(raw):
		p.slipAt(start, "a value has no quotes")
	}
	return p.word(raw)
}

// deepest is the depth up to which keys of skipped values are compared: tables, rows, fields, and the objects of a dump around them.
const deepest = 8

// skip skips any value. It returns false if a table of QoS begins inside the value, so that brackets are missing.
func (p *parser) skip() bool {
	depth := 0
	var keys [deepest]map[string]int
	for {
		switch c := p.next(); c {
		case 0:
			return true
		case '{', '[':
			if depth++; depth < deepest {
				keys[depth] = nil
			}
			p.at++
		case '}', ']':
			if depth == 0 { // the bracket of the enclosing object
				return true
			}
			depth--
			p.at++
		case ',', ':':
			if depth == 0 && c == ',' {
				return true
			}
			p.at++
			continue
		case '"':
			at := p.at
			name := p.text()
			if depth == 0 || p.next() != ':' {
				break
			}
			p.at++
			if !p.valid && grammar.TableOf(name) != nil {
				if table, _ := p.ahead(); table && p.data[p.at] == '{' && !p.empty() {
					p.slip("an object before this table has no end")
					return p.reread(p.base + at)
				}
			}
			if depth < deepest {
				p.twin(&keys[depth], name, p.base+at)
			}
		default:
			p.bare()
		}
		if depth == 0 {
			return true
		}
	}
}

// empty reports whether the next object has no members.
func (p *parser) empty() bool {
	rest := bytes.TrimLeft(p.data[p.at+1:], " \t\r\n")
	return len(rest) == 0 || rest[0] == '}'
}
