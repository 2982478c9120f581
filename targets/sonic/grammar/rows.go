package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Rows writes [Tables] and rocec's own tables in canonical form. Each field is a line `TABLE|KEY field "text"`, and the lines are sorted
// by their bytes. So equal configurations give equal bytes, in whatever order a switch prints them. A row without fields is a line with
// only the key, and a list is in brackets, without blanks. Keys and fields contain no blanks.
//
// Rows omits what script/rows.sh omits on the switch, so that after a change the switch prints the predicted bytes: VERSIONS, and all
// fields of DEVICE_METADATA and PORT that classes and buffers do not depend on. It also omits rows that no change removes again, which
// would make the state differ after an undo: profiles of the buffer manager, and PFC_WD|GLOBAL if no port has a watchdog.
func (c *Config) Rows() []byte {
	var lines []string
	for name, s := range c.Tables {
		for key, row := range s.Rows {
			if name == "VERSIONS" || name == "BUFFER_PROFILE" && IsMade(key) {
				continue
			}
			at := name + "|" + key
			if len(row.Fields) == 0 {
				lines = append(lines, at)
			}
			for field, v := range row.Fields {
				if s.told(name, key, field) {
					lines = append(lines, at+" "+field+" "+v.line())
				}
			}
		}
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// told reports whether a state includes a field of a row.
func (s *Section) told(table, key, field string) bool {
	switch table {
	case "DEVICE_METADATA":
		switch field {
		case "hwsku", "platform", "buffer_model", "default_pfcwd_status":
		default:
			return key == "localhost" && strings.HasSuffix(field, "type")
		}
		return key == "localhost"
	case "PORT":
		return slices.Contains([]string{"lanes", "speed", "alias", "admin_status", "mtu", "fec", "pfc_asym"}, field)
	case watchdogs:
		return key != "GLOBAL" || len(s.Rows) > 1
	}
	return true
}

// line returns the value as JSON in ASCII without blanks between members, as sonic-cfggen prints it.
func (v Value) line() string {
	if v.List == nil {
		return ascii(quote(v.Text))
	}
	items := make([]string, len(v.List))
	for i, item := range v.List {
		items[i] = ascii(quote(item))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// ascii replaces each character outside ASCII in a JSON text by escapes of its UTF-16 code units.
func ascii(text string) string {
	if !strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if c < utf8.RuneSelf {
			b.WriteRune(c)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, c) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// JSON returns the row as an object in one line.
func (r *Row) JSON() string {
	parts := make([]string, 0, len(r.Fields))
	for _, name := range r.Names() {
		parts = append(parts, quote(name)+": "+r.Fields[name].line())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// ReadRows reads the result of [Config.Rows]; other tables are omitted. Errors have a line: a malformed line, a field that occurs twice,
// a byte that is not UTF-8, and a text larger than [Read] accepts. ReadRows never panics, and needs time and memory in proportion to the
// text.
func ReadRows(data []byte) (*Config, error) {
	if len(data) > MaxSize {
		return nil, &Error{Text: "It is larger than 64 MiB, and the configuration of a large switch has less than 4 MiB."}
	}
	r := &reader{data: data, config: Of(data)}
	if !utf8.Valid(data) {
		return nil, r.fail(firstInvalid(data), "It holds a byte that is not UTF-8.")
	}
	for len(data) > 0 {
		at := len(r.data) - len(data)
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if err := r.row(string(line), at); err != nil {
			return nil, err
		}
	}
	if err := r.twice(); err != nil {
		return nil, err
	}
	return r.config, nil
}

// row reads a line.
func (r *reader) row(line string, at int) error {
	where, value, has := strings.Cut(line, " ")
	name, key, ok := strings.Cut(where, "|")
	if !ok || name == "" || key == "" {
		return r.fail(at, "This is not a row such as TABLE|KEY field \"text\".")
	}
	if TableOf(name) == nil {
		return nil
	}
	if r.entries++; r.entries > maxEntries {
		return r.fail(at, "It has more than %d rows and fields of QoS and buffers, and a large switch has some ten thousand.", maxEntries)
	}
	s := r.config.Tables[name]
	if s == nil {
		s = &Section{At: at, Rows: map[string]*Row{}}
		r.config.Tables[name] = s
	}
	row := s.Rows[key]
	if row == nil {
		row = &Row{At: at, Fields: map[string]Value{}}
		s.Rows[key] = row
	}
	if !has {
		return nil
	}
	field, text, ok := strings.Cut(value, " ")
	v := Value{At: at}
	switch {
	case !ok || field == "":
		return r.fail(at, "This is not a row such as TABLE|KEY field \"text\".")
	case row.Has(field):
		return r.fail(at, "The field %s of %s occurs twice.", quoteShort(field), quoteShort(where))
	case strings.HasPrefix(text, "["):
		if err := json.Unmarshal([]byte(text), &v.List); err != nil || v.List == nil {
			return r.fail(at, "The field %s of %s is not a list of texts.", quoteShort(field), quoteShort(where))
		}
		v.Text = strings.Join(v.List, ",")
	default:
		if !strings.HasPrefix(text, `"`) || json.Unmarshal([]byte(text), &v.Text) != nil {
			return r.fail(at, "The field %s of %s is not text in quotes.", quoteShort(field), quoteShort(where))
		}
	}
	row.Fields[field] = v
	return nil
}
