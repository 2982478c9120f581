package grammar

import (
	"bytes"
	"strings"
)

// blockReader reads the YAML that NVUE and people write for it: mappings in blocks, items with a dash, and values of one line, in ASCII.
// It is much faster than a reader of all YAML, and gives up if a text has anything else.
type blockReader struct {
	*reader
	lines [][]byte
	next  int // the current line
	to    int
	lead  int // bytes before the content of that line; -1: not yet counted
}

// blocks reads lines as one value. Not ok: the line at, or a line above it, has other YAML, and none of the lines counts as read.
func (r *reader) blocks(lines [][]byte, from, to int) (t *Tree, at int, ok bool) {
	b := &blockReader{reader: r, lines: lines, next: from, to: to, lead: -1}
	t, ok = b.all()
	return t, b.next, ok
}

func (b *blockReader) all() (t *Tree, ok bool) {
	lead, ok := b.peek()
	if ok && lead >= 0 && bytes.Equal(bytes.TrimSpace(b.lines[b.next]), []byte("---")) {
		if lead > 0 {
			return nil, false
		}
		b.next, b.lead = b.next+1, -1
		lead, ok = b.peek()
	}
	switch {
	case !ok:
		return nil, false
	case lead < 0:
		return Map(), true
	}
	if t, ok = b.block(lead, 0); !ok {
		return nil, false
	}
	lead, ok = b.peek()
	return t, ok && lead < 0
}

// peek returns the indentation of the next line with content; -1: no line is left. Not ok: a line has a byte that such YAML does not
// allow.
func (b *blockReader) peek() (lead int, ok bool) {
	if b.lead >= 0 {
		return b.lead, true
	}
	for ; b.next < b.to; b.next++ {
		line := b.lines[b.next]
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		lead = 0
		for lead < len(line) && line[lead] == ' ' {
			lead++
		}
		for _, c := range line[lead:] {
			if c < ' ' || c > '~' {
				return 0, false
			}
		}
		if lead < len(line) && line[lead] != '#' {
			b.lead = lead
			return lead, true
		}
	}
	return -1, true
}

// block reads the lines of one indentation, including deeper lines below them.
func (b *blockReader) block(indent, depth int) (*Tree, bool) {
	at := b.place(indent)
	if b.count(at, depth) != nil {
		return nil, false
	}
	if isItem(b.lines[b.next][indent:]) {
		t := &Tree{Items: []*Tree{}, At: at}
		for {
			item, ok := b.item(indent, depth+1)
			if !ok {
				return nil, false
			}
			t.Items = append(t.Items, item)
			switch lead, ok := b.peek(); {
			case !ok || lead > indent || lead == indent && !isItem(b.lines[b.next][indent:]):
				return nil, false
			case lead < indent:
				return t, true
			}
		}
	}
	t := &Tree{Kids: map[string]*Tree{}, At: at}
	for {
		if !b.entry(t, indent, depth+1) {
			return nil, false
		}
		switch lead, ok := b.peek(); {
		case !ok || lead > indent:
			return nil, false
		case lead < indent:
			return t, true
		}
	}
}

func (b *blockReader) place(column int) Place { return Place{b.next + 1 + b.line0, column + 1} }

// isItem reports whether a line begins with the dash of an item.
func isItem(text []byte) bool { return len(text) > 1 && text[0] == '-' && text[1] == ' ' }

// item reads an item of a list, which is a mapping whose first key follows the dash.
func (b *blockReader) item(indent, depth int) (*Tree, bool) {
	line, lead := b.lines[b.next], indent+1
	for lead < len(line) && line[lead] == ' ' {
		lead++
	}
	if _, _, _, ok := key(line, lead); !ok {
		return nil, false
	}
	b.lead = lead
	return b.block(lead, depth)
}

// key reads a key with its colon; end is the byte after the colon.
func key(line []byte, from int) (name string, quoted bool, end int, ok bool) {
	if from >= len(line) {
		return "", false, 0, false
	}
	i := from
	if q := line[from]; q == '\'' || q == '"' {
		i++
		for i < len(line) && line[i] != q && line[i] != '\\' {
			i++
		}
		if i+1 >= len(line) || line[i] != q || line[i+1] != ':' {
			return "", false, 0, false
		}
		name, quoted, i = string(line[from+1:i]), true, i+1
	} else {
		for i < len(line) && (letter(line[i]) || i > from && line[i] == ':' && i+1 < len(line) && letter(line[i+1])) {
			i++
		}
		if i == from || i >= len(line) || line[i] != ':' || strings.IndexByte("-.@", line[from]) >= 0 {
			return "", false, 0, false
		}
		name = string(line[from:i])
	}
	end = i + 1
	if end < len(line) && line[end] != ' ' && line[end] != '\n' && line[end] != '\r' || len(name) > maxKey {
		return "", false, 0, false
	}
	return name, quoted, end, true
}

// letter reports whether plain text may have a byte at any place, whatever its meaning.
func letter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/' || c == '@' || c == '+'
}

// entry reads a key and its value.
func (b *blockReader) entry(t *Tree, indent, depth int) bool {
	name, quoted, end, ok := key(b.lines[b.next], indent)
	if !ok {
		return false
	}
	at := b.place(indent)
	kid, ok := b.value(indent, end, depth)
	if !ok {
		return false
	}
	kid.Key, kid.BareKey = at, !quoted && odd(name)
	return b.once(t, name, kid) == nil
}

// value reads the text after a colon, or below its line.
func (b *blockReader) value(indent, end, depth int) (*Tree, bool) {
	line := bytes.TrimRight(b.lines[b.next], "\r\n")
	from := end
	for from < len(line) && line[from] == ' ' {
		from++
	}
	text := line[from:]
	at := b.place(from)
	if len(text) == 0 || text[0] == '#' {
		at = b.place(end)
	}
	b.next, b.lead = b.next+1, -1
	lead, ok := b.peek()
	if !ok {
		return nil, false
	}
	deeper := lead > indent
	if len(text) == 0 || text[0] == '#' {
		switch {
		case deeper:
			return b.block(lead, depth)
		case lead == indent && isItem(b.lines[b.next][lead:]): // a list may have the indentation of its key
			return nil, false
		}
		return &Tree{Kids: map[string]*Tree{}, At: at}, b.count(at, depth) == nil
	}
	t, ok := scalarOf(text, at)
	return t, ok && !deeper && b.count(at, depth) == nil
}

// scalarOf reads a value of one line.
func scalarOf(text []byte, at Place) (*Tree, bool) {
	for i, c := range text {
		if c == '#' && i > 0 && text[i-1] == ' ' && text[0] != '\'' && text[0] != '"' {
			text = text[:i]
			break
		}
	}
	text = bytes.TrimRight(text, " ")
	switch c := text[0]; {
	case c == '\'' || c == '"':
		inner := text[1:]
		if len(inner) == 0 || bytes.IndexByte(inner, c) != len(inner)-1 || bytes.IndexByte(inner, '\\') >= 0 {
			return nil, false
		}
		return &Tree{Value: string(inner[:len(inner)-1]), Text: true, At: at}, true
	case len(text) == 2 && c == '{' && text[1] == '}':
		return &Tree{Kids: map[string]*Tree{}, At: at}, true
	case len(text) == 2 && c == '[' && text[1] == ']':
		return &Tree{Items: []*Tree{}, At: at}, true
	case !letter(c) || c == '@' || c == '-' && (len(text) == 1 || !letter(text[1]) || text[1] == '-'):
		return nil, false
	}
	value := string(text)
	if strings.Contains(value, ": ") || value[len(value)-1] == ':' {
		return nil, false
	}
	if null(value) {
		return &Tree{Kids: map[string]*Tree{}, At: at}, true
	}
	return &Tree{Value: value, Text: !odd(value), At: at}, true
}
