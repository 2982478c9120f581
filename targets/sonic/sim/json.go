package sim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// maxDepth is the maximum nesting of JSON; Python fails at about a thousand.
const maxDepth = 900

// parseJSON reads one document: objects, lists, text, numbers in their written form, truth values and null. If a key occurs twice, the
// last one counts, as in Python.
func parseJSON(text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, complaint("Expecting value: line 1 column 1 (char 0)")
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return nil, complaint("maximum recursion depth exceeded while decoding a JSON array from a unicode string")
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, complaintf("Expecting value: line 1 column %d (char %d)", d.InputOffset()+1, d.InputOffset())
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, complaintf("Extra data: line 1 column %d (char %d)", d.InputOffset()+1, d.InputOffset())
	}
	return v, nil
}

// complaint is an error whose text is printed unchanged.
type complaint string

func (c complaint) Error() string { return string(c) }

func complaintf(format string, args ...any) error { return complaint(fmt.Sprintf(format, args...)) }

// pyStr returns the result of Python's str() for a JSON value.
func pyStr(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return pyRepr(v)
}

// pyRepr returns the result of Python's repr() for a JSON value.
func pyRepr(v any) string { return pyText(v, "'", "True", "False", "None") }

// pyDump returns the result of Python's json.dumps() for a value.
func pyDump(v any) string { return pyText(v, `"`, "true", "false", "null") }

func pyText(v any, quote, yes, no, none string) string {
	var b strings.Builder
	writePy(&b, v, quote, map[bool]string{true: yes, false: no}, none)
	return b.String()
}

func writePy(b *strings.Builder, v any, quote string, truth map[bool]string, none string) {
	switch v := v.(type) {
	case nil:
		b.WriteString(none)
	case bool:
		b.WriteString(truth[v])
	case json.Number:
		b.WriteString(v.String())
	case string:
		b.WriteString(quote)
		for i := range len(v) {
			switch c := v[i]; {
			case c == '\n':
				b.WriteString(`\n`)
				continue
			case c == '\\', c == quote[0]:
				b.WriteByte('\\')
			}
			b.WriteByte(v[i])
		}
		b.WriteString(quote)
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writePy(b, item, quote, truth, none)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, k := range slices.SortedFunc(maps.Keys(v), naturally) {
			if i > 0 {
				b.WriteString(", ")
			}
			writePy(b, k, quote, truth, none)
			b.WriteString(": ")
			writePy(b, v[k], quote, truth, none)
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v)
	}
}

// indented writes JSON as sonic-cfggen and config save do: four spaces, keys in natural order.
func indented(v any) string {
	var b strings.Builder
	writeIndented(&b, v, "")
	return b.String()
}

func writeIndented(b *strings.Builder, v any, in string) {
	const step = "    "
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString("{}")
			return
		}
		b.WriteString("{")
		for i, k := range slices.SortedFunc(maps.Keys(v), naturally) {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n" + in + step + pyDump(k) + ": ")
			writeIndented(b, v[k], in+step)
		}
		b.WriteString("\n" + in + "}")
	case []any:
		if len(v) == 0 {
			b.WriteString("[]")
			return
		}
		b.WriteString("[")
		for i, item := range v {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n" + in + step)
			writeIndented(b, item, in+step)
		}
		b.WriteString("\n" + in + "]")
	default:
		b.WriteString(pyDump(v))
	}
}

// naturally compares names by their letters, and by their numbers if both have one: Ethernet8 before Ethernet40.
func naturally(a, b string) int {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	number := func(s string) (string, string) {
		i := 0
		for i < len(s) && digit(s[i]) {
			i++
		}
		return strings.TrimLeft(s[:i], "0"), s[i:]
	}
	x, y := a, b
	for x != "" && y != "" {
		if digit(x[0]) && digit(y[0]) {
			var m, n string
			m, x = number(x)
			n, y = number(y)
			if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
				return c
			}
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// same reports whether two values of JSON are equal.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// clone copies a value of JSON.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, kid := range v {
			out[k] = clone(kid)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, kid := range v {
			out[i] = clone(kid)
		}
		return out
	}
	return v
}
