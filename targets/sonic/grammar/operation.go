package grammar

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
)

// Kind is the kind of an operation of RFC 6902.
type Kind string

// The kinds of operations in rocec's patches.
const (
	Add     Kind = "add"
	Replace Kind = "replace"
	Remove  Kind = "remove"
)

// Operation is one operation of a patch. It is about a field if Field is set, otherwise about a row if Row is set, and otherwise about
// the whole table.
type Operation struct {
	Kind              Kind
	Table, Row, Field string

	// Value is the content after the operation, and Was the content before. For a table they have all its [Rows], for a row the one row "",
	// and for a field the field "" of that row. Nil: nothing.
	Value, Was Rows
}

// Rows has the texts of rows, by the row's key and the field's name.
type Rows map[string]map[string]string

// one returns the value of a field in the form that [Operation] uses.
func one(value string) Rows { return Rows{"": {"": value}} }

// Path returns the JSON pointer to the table, row or field of the operation.
func (o Operation) Path() string {
	path := "/" + escaper.Replace(o.Table)
	if o.Row != "" {
		path += "/" + escaper.Replace(o.Row)
	}
	if o.Field != "" {
		path += "/" + escaper.Replace(o.Field)
	}
	return path
}

// escaper escapes the keys of a JSON pointer (RFC 6901).
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// members returns the names of the members of an added object.
func (o Operation) members() []string {
	switch {
	case o.Field != "":
		return nil
	case o.Row != "":
		return slices.Sorted(maps.Keys(o.Value[""]))
	}
	return slices.Sorted(maps.Keys(o.Value))
}

// Port returns the port whose row the operation is about; empty: none.
func (o Operation) Port() string {
	t := TableOf(o.Table)
	if t == nil || t.Key != PortKey && t.Key != PortRangeKey {
		return ""
	}
	port, _, _ := strings.Cut(o.Row, "|")
	return port
}

// JSON writes operations as a patch for `config apply-patch`, one per line, so that people can read it.
func JSON(ops []Operation) []byte {
	var b bytes.Buffer
	b.WriteString("[")
	for i, o := range ops {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  {\"op\": " + quote(string(o.Kind)) + ", \"path\": " + quote(o.Path()))
		if o.Kind != Remove {
			b.WriteString(", \"value\": ")
			switch {
			case o.Field != "":
				b.WriteString(quote(o.Value[""][""]))
			case o.Row != "":
				writeFields(&b, o.Value[""])
			default:
				for j, key := range slices.SortedFunc(maps.Keys(o.Value), nodeset.Compare) {
					b.WriteString(map[bool]string{true: "{", false: ", "}[j == 0])
					b.WriteString(quote(key) + ": ")
					writeFields(&b, o.Value[key])
				}
				b.WriteByte('}')
			}
		}
		b.WriteByte('}')
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

func writeFields(b *bytes.Buffer, fields map[string]string) {
	b.WriteByte('{')
	for i, name := range slices.SortedFunc(maps.Keys(fields), nodeset.Compare) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name) + ": " + quote(fields[name]))
	}
	b.WriteByte('}')
}

// quote writes a text as a JSON string and keeps < and > as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // can only fail for values that are not strings
	}
	return strings.TrimSuffix(b.String(), "\n")
}
