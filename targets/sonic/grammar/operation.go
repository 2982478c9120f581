package grammar

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
)

// Kind is what an operation of RFC 6902 does.
type Kind string

// The kinds that a patch of rocec has.
const (
	Add     Kind = "add"
	Replace Kind = "replace"
	Remove  Kind = "remove"
)

// Operation is one operation of a patch: of a table, of a row where Row is set, of a field where Field is set, too.
type Operation struct {
	Kind              Kind
	Table, Row, Field string

	// Value is the content after the operation, Was the content before: all [Rows] of a table, the one row "" of a row, or the field
	// "" of that row for a field. Nil: nothing.
	Value, Was Rows
}

// Rows is the text of rows: fields by the row's key and by their names.
type Rows map[string]map[string]string

// one holds the value of a field as [Operation] has it.
func one(value string) Rows { return Rows{"": {"": value}} }

// Path spells what the operation is about as a JSON pointer.
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

// escaper spells the keys of a JSON pointer (RFC 6901).
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// members names what an object that is added holds.
func (o Operation) members() []string {
	switch {
	case o.Field != "":
		return nil
	case o.Row != "":
		return slices.Sorted(maps.Keys(o.Value[""]))
	}
	return slices.Sorted(maps.Keys(o.Value))
}

// Port is the port whose row the operation is about; empty: none.
func (o Operation) Port() string {
	t := TableOf(o.Table)
	if t == nil || t.Key != PortKey && t.Key != PortRangeKey {
		return ""
	}
	port, _, _ := strings.Cut(o.Row, "|")
	return port
}

// JSON writes operations as a patch for `config apply-patch`: one to a line, so that a patch can be read.
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

// quote spells a text as JSON does, with < and > as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // of a string
	}
	return strings.TrimSuffix(b.String(), "\n")
}
