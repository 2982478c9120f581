package read

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// parse reads a text of JSON: a configuration in any form, or a patch.
func (in *input) parse(t *text) {
	p := &parser{input: in, data: t.data, base: t.base, row: wholeText}
	if bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")) {
		p.at = len("\xef\xbb\xbf")
	}
	start := p.at
	if p.valid = json.Valid(p.data[start:]); !p.valid {
		if plain, comment := blanked(p.data); comment >= 0 && json.Valid(plain[start:]) {
			p.comment(comment)
			p.data, p.valid = plain, true
		}
	}
	before := len(p.misses)
	if IsPatch(p.data[start:]) {
		p.patch()
	} else {
		p.objects()
	}
	if !p.valid && !slices.ContainsFunc(p.misses[before:], func(m miss) bool { return m.slip }) {
		p.broken(start)
	}
}

// IsPatch reports whether a text begins like a JSON patch (RFC 6902) for `config apply-patch`: a list of objects with op and path.
func IsPatch(text []byte) bool {
	rest := bytes.TrimLeft(text, " \t\r\n")
	for _, bracket := range []string{"[", "{"} {
		if !bytes.HasPrefix(rest, []byte(bracket)) {
			return false
		}
		rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	}
	for _, key := range []string{`"op"`, `"path"`, `"from"`} {
		if after, ok := bytes.CutPrefix(rest, []byte(key)); ok {
			after, ok = bytes.CutPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":"))
			return ok && bytes.HasPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(`"`))
		}
	}
	return false
}

// change is one operation of a patch. value is the byte at which its value begins; -1: it has no value.
type change struct {
	op, path  string
	at, value int // bytes of the text
}

// patch reads the operations of a patch, each at its place. Rows and fields that it adds or replaces are set, and removed ones are
// unknown. A slip makes its operation unreadable.
func (p *parser) patch() {
	p.forms[formPatch] = true
	p.at += bytes.IndexByte(p.data[p.at:], '[') + 1
	for !p.full {
		switch p.next() {
		case 0:
			p.slip("the patch has no end")
			return
		case ']':
			p.at++
			if p.next() != 0 {
				p.slip("text follows the patch")
			}
			return
		case ',':
			p.at++
		case '{':
			p.apply(p.operation())
			p.merge()
		default:
			p.stray()
		}
	}
}

// operation reads the members of an operation, in any order, and skips its value.
func (p *parser) operation() change {
	c := change{at: p.base + p.at, value: -1}
	p.at++
	p.object(func(key string, _ int) bool {
		switch next := p.next(); {
		case key == "op" && next == '"':
			c.op = p.text()
		case key == "path" && next == '"':
			c.at = p.base + p.at
			c.path = p.text()
			p.row = "operation on " + short(c.path)
		case key == "value":
			c.value = p.at
			p.skip()
		default:
			p.skip()
		}
		return true
	})
	p.row = wholeText
	return c
}

// apply sets or removes the target of an operation: all tables, a table, a row or a field.
func (p *parser) apply(c change) {
	end := p.at
	defer func() { p.at, p.row = end, wholeText }()
	p.row = "operation on " + short(c.path)
	parts := strings.Split(strings.TrimPrefix(c.path, "/"), "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(parts[i], "~1", "/"), "~0", "~")
	}
	t := grammar.TableOf(parts[0])
	switch sets := c.op == "add" || c.op == "replace"; {
	case c.op == "test":
		p.cov.Leave("a test of a patch, which sets nothing")
		return
	case c.op == "move" || c.op == "copy":
		p.input.miss(p.row, "the operation takes its value from another row", c.at)
		return
	case !sets && c.op != "remove":
		p.input.slip(p.row, "an operation is add, replace, remove, move, copy or test", c.at)
		return
	case c.path != "" && !strings.HasPrefix(c.path, "/"):
		p.input.slip(p.row, "a path begins with /", c.at)
		return
	case sets && c.value < 0:
		p.input.slip(p.row, "the operation has no value", c.at)
		return
	case c.path == "" && sets:
		if p.at = c.value; p.next() == '{' {
			p.at++
			p.top()
		}
		return
	case t == nil:
		if why, known := grammar.OtherTable(parts[0]); known {
			p.other(parts[0], c.at)
			p.cov.Leave(why)
		} else {
			p.unknown(parts[0], c.at)
		}
		return
	case !sets:
		p.remove(parts)
		return
	}
	p.set(t, parts, c)
}

// remove removes a table, a row or a field, which is unknown afterwards.
func (p *parser) remove(parts []string) {
	key, field := "", ""
	if len(parts) > 1 {
		key = parts[1]
	}
	if len(parts) > 2 {
		field = parts[2]
	}
	if key == "" {
		delete(p.whole.Tables, parts[0])
		return
	}
	p.whole.Delete(parts[0], key, field)
}

// set reads the value of an operation as a table, a row or a field.
func (p *parser) set(t *grammar.Table, parts []string, c change) {
	p.at = c.value
	object := p.next() == '{'
	switch {
	case len(parts) > 3:
		p.input.miss(p.row, "it changes an element of a list", c.at)
	case len(parts) < 3 && !object:
		p.input.slip(p.row, "an object is missing here", p.base+p.at)
	case len(parts) == 1:
		p.at++
		p.table(t, c.at)
	case len(parts) == 2:
		p.at++
		p.fields(t, p.section(t.Name, c.at), parts[1], c.at)
	default:
		row := &grammar.Row{At: c.at, Fields: map[string]grammar.Value{}}
		p.section(t.Name, c.at).Rows[parts[1]] = row
		p.put(t, row, parts[2], p.value(t.Judged(parts[2])))
	}
}
