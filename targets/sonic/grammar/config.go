// Package grammar is CONFIG_DB of SONiC ([Config]) as text and as tables, and the patches that change it.
//
// The input is the JSON of a config_db.json, or of `sonic-cfggen -d --print-data`: an object of tables, whose rows are objects of
// text. [Read] parses the tables of [Tables] and keeps the content of other tables unchanged. The output is the same configuration in one
// canonical form ([Config.JSON]), or the operations that turn one configuration into another ([Diff]), in the order that a switch
// accepts ([Sequence]).
//
// [Tables] is the only table of the fields, their values and the releases that have them. [Box.Allowed] is the only table of the
// changes that patches of a release may make on a chip.
package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Config is a configuration.
type Config struct {
	Tables map[string]*Section // the tables of [Tables], and rocec's own
	Found  []Problem           // oddities, in the order of the text, at most a thousand

	// Others has the other tables by name, each with the byte of the text at which the name starts.
	Others map[string]int

	foreign map[string][]byte // the content of the other tables, unchanged
	lines   *Lines            // of the text
}

// Section is a table in a text.
type Section struct {
	At   int // byte of the text
	Rows map[string]*Row
}

// Row is a row of a table.
type Row struct {
	At     int
	Fields map[string]Value
}

// Value is the value of a field.
type Value struct {
	Text string
	List []string // a list, which some tables of older releases have; Text then has the members, separated by commas
	At   int
}

// Problem is a part of a text that is invalid in CONFIG_DB.
type Problem struct {
	At, And    int  // bytes of the text
	Twice      bool // another row, at And, has the same port, queue or group
	Table, Row string
	Field      string
	Says       string // a sentence
}

// Of returns a configuration without tables, to be read from a text.
func Of(data []byte) *Config { return &Config{Tables: map[string]*Section{}, lines: NewLines(data)} }

// Place returns the line and column of a byte of the text.
func (c *Config) Place(at int) Place { return c.lines.Place(at) }

// Range returns the range of the word at a byte of the text from which a configuration was read. name is the file's name.
func Range(c *Config, name string, at int) diag.Range { return c.lines.Range(name, at) }

// New returns a configuration without tables.
func New() *Config { return &Config{Tables: map[string]*Section{}} }

// Row returns a row, or nil if it is missing.
func (c *Config) Row(table, row string) *Row {
	s := c.Tables[table]
	if s == nil {
		return nil
	}
	return s.Rows[row]
}

// Get returns the text of a field, or an empty text if it is missing.
func (c *Config) Get(table, row, field string) string { return c.Row(table, row).Get(field) }

// Get returns the text of a field of a row, which may be nil.
func (r *Row) Get(field string) string {
	if r == nil {
		return ""
	}
	return r.Fields[field].Text
}

// Has reports whether a row, which may be nil, has a field.
func (r *Row) Has(field string) bool {
	_, ok := r.Field(field)
	return ok
}

// Field returns a field of a row, which may be nil; ok is false if the field is missing.
func (r *Row) Field(name string) (v Value, ok bool) {
	if r == nil {
		return v, false
	}
	v, ok = r.Fields[name]
	return v, ok
}

// Keys lists the rows of a table in natural order.
func (c *Config) Keys(table string) []string {
	s := c.Tables[table]
	if s == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(s.Rows), nodeset.Compare)
}

// Names lists the fields of a row in natural order.
func (r *Row) Names() []string {
	if r == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(r.Fields), nodeset.Compare)
}

// Put sets a field, and adds table and row if they are missing.
func (c *Config) Put(table, row, field, text string) {
	s := c.Tables[table]
	if s == nil {
		s = &Section{Rows: map[string]*Row{}}
		c.Tables[table] = s
	}
	r := s.Rows[row]
	if r == nil {
		r = &Row{Fields: map[string]Value{}}
		s.Rows[row] = r
	}
	r.Fields[field] = Value{Text: text, At: r.Fields[field].At}
}

// Delete removes a field. It also removes the row and the table if they become empty, since CONFIG_DB contains no empty ones. With an
// empty field it removes the row.
func (c *Config) Delete(table, row, field string) {
	s := c.Tables[table]
	if s == nil || s.Rows[row] == nil {
		return
	}
	r := s.Rows[row]
	if field != "" {
		if _, ok := r.Fields[field]; !ok {
			return
		}
		delete(r.Fields, field)
	}
	if field == "" || len(r.Fields) == 0 {
		delete(s.Rows, row)
	}
	if len(s.Rows) == 0 {
		delete(c.Tables, table)
	}
}

// Clone returns an independent copy. Both copies share the other tables, which never change.
func (c *Config) Clone() *Config {
	out := &Config{Tables: make(map[string]*Section, len(c.Tables)), Found: c.Found, Others: c.Others, foreign: c.foreign, lines: c.lines}
	for name, s := range c.Tables {
		own := &Section{At: s.At, Rows: make(map[string]*Row, len(s.Rows))}
		for key, r := range s.Rows {
			own.Rows[key] = &Row{At: r.At, Fields: maps.Clone(r.Fields)}
		}
		out.Tables[name] = own
	}
	return out
}

// Equal reports whether two configurations have the same content in the tables that rocec knows.
func (c *Config) Equal(other *Config) bool {
	return maps.EqualFunc(c.Tables, other.Tables, func(a, b *Section) bool {
		return maps.EqualFunc(a.Rows, b.Rows, func(a, b *Row) bool {
			return maps.EqualFunc(a.Fields, b.Fields, Value.equal)
		})
	})
}

func (v Value) equal(other Value) bool {
	return v.Text == other.Text && slices.Equal(v.List, other.List)
}

// JSON writes the configuration in canonical form: tables, rows and fields in natural order, two spaces a level, and a newline at the
// end. Other tables keep the order of their content.
func (c *Config) JSON() []byte {
	var b bytes.Buffer
	names := slices.Concat(slices.Collect(maps.Keys(c.Tables)), slices.Collect(maps.Keys(c.foreign)))
	slices.SortFunc(names, nodeset.Compare)
	b.WriteString("{")
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + quote(name) + ": ")
		s := c.Tables[name]
		if s == nil {
			if err := json.Indent(&b, c.foreign[name], "  ", "  "); err != nil {
				panic(err) // the configuration was read as JSON
			}
			continue
		}
		c.writeSection(&b, name)
	}
	if len(names) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func (c *Config) writeSection(b *bytes.Buffer, name string) {
	keys := c.Keys(name)
	b.WriteString("{")
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    " + quote(key) + ": {")
		row := c.Tables[name].Rows[key]
		for j, field := range row.Names() {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n      " + quote(field) + ": ")
			row.Fields[field].write(b)
		}
		if len(row.Fields) > 0 {
			b.WriteString("\n    ")
		}
		b.WriteByte('}')
	}
	if len(keys) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteByte('}')
}

func (v Value) write(b *bytes.Buffer) {
	if v.List == nil {
		b.WriteString(quote(v.Text))
		return
	}
	b.WriteByte('[')
	for i, item := range v.List {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n        " + quote(item))
	}
	if len(v.List) > 0 {
		b.WriteString("\n      ")
	}
	b.WriteByte(']')
}

// Only returns the configuration without the other tables and without rocec's own members, as a document of rocec's settings contains it.
func (c *Config) Only() *Config {
	out := c.Clone()
	out.foreign, out.Others = nil, nil
	maps.DeleteFunc(out.Tables, func(name string, _ *Section) bool { return strings.HasPrefix(name, "@") })
	return out
}

// problem records an oddity.
func (c *Config) problem(p Problem, format string, args ...any) {
	const most = 1000
	if len(c.Found) < most {
		p.Says = fmt.Sprintf(format, args...)
		c.Found = append(c.Found, p)
	}
}
