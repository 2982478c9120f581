package grammar

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Rows writes the tables of [Tables], and rocec's own, as a line for each field, `TABLE|KEY field "text"`, in the order of their bytes: equal
// configurations are equal bytes, whatever order a switch gives. A row without fields is a line without one. Profiles that the buffer manager
// makes are left out: nobody takes them away again, so that a change that is undone would leave another state.
func (c *Config) Rows() []byte {
	var lines []string
	for name, s := range c.Tables {
		for key, row := range s.Rows {
			if name == "BUFFER_PROFILE" && IsMade(key) {
				continue
			}
			at := name + "|" + key
			if len(row.Fields) == 0 {
				lines = append(lines, at)
			}
			for field, v := range row.Fields {
				lines = append(lines, at+" "+field+" "+v.line())
			}
		}
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// line is the value as JSON without blanks between members.
func (v Value) line() string {
	if v.List == nil {
		return quote(v.Text)
	}
	items := make([]string, len(v.List))
	for i, item := range v.List {
		items[i] = quote(item)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// JSON is the row as an object in one line.
func (r *Row) JSON() string {
	parts := make([]string, 0, len(r.Fields))
	for _, name := range r.Names() {
		parts = append(parts, quote(name)+": "+r.Fields[name].line())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// ReadRows reads what [Config.Rows] writes; tables of others are left out. A line that is none, a field that stands twice, and a text
// larger than [Read] takes are errors.
func ReadRows(data []byte) (*Config, error) {
	if len(data) > MaxSize {
		return nil, &Error{Text: "It is larger than 64 MiB, and the configuration of a large switch has less than 4 MiB."}
	}
	r := &reader{data: data, config: New()}
	r.config.data = data
	for len(data) > 0 {
		at := len(r.data) - len(data)
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if err := r.row(string(line), at); err != nil {
			return nil, err
		}
	}
	r.twice()
	return r.config, nil
}

// row reads a line.
func (r *reader) row(line string, at int) error {
	where, value, has := strings.Cut(line, " ")
	name, key, ok := strings.Cut(where, "|")
	if !ok || name == "" || key == "" {
		return r.fail(at, "Here stands no row: TABLE|KEY field \"text\".")
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
		return r.fail(at, "Here stands no row: TABLE|KEY field \"text\".")
	case row.Has(field):
		return r.fail(at, "The field %s of %s stands twice.", quoteShort(field), quoteShort(where))
	case strings.HasPrefix(text, "["):
		if err := json.Unmarshal([]byte(text), &v.List); err != nil || v.List == nil {
			return r.fail(at, "The field %s of %s is no list of texts.", quoteShort(field), quoteShort(where))
		}
		v.Text = strings.Join(v.List, ",")
	default:
		if !strings.HasPrefix(text, `"`) || json.Unmarshal([]byte(text), &v.Text) != nil {
			return r.fail(at, "The field %s of %s is no text in quotes.", quoteShort(field), quoteShort(where))
		}
	}
	row.Fields[field] = v
	return nil
}
