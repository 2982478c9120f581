package read

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// The files of a switch that are not just an object of tables.
const (
	configFile = "config_db.json"        // the configuration that the switch starts with
	lookupFile = "pg_profile_lookup.ini" // sizes of buffers by speed and length
	rowsFile   = "sonic/running"         // rows of a running configuration, as grammar writes them
	tooLarge   = "larger than 64 MiB, and the configuration of a large switch has less than 4 MiB"
)

// load reads the files of a device. The file that the switch starts with overrides other files. Among the other files, the last one by
// name counts.
func load(contents map[string][]byte) *input {
	in := newInput()
	var names []string
	for name := range contents {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := isConfig(a), isConfig(b); x != y {
			return map[bool]int{true: 1, false: -1}[x]
		}
		return strings.Compare(a, b)
	})
	base := 0
	for _, name := range names {
		t := &text{name: name, data: contents[name], base: base}
		base += len(t.data) + 1
		in.texts = append(in.texts, t)
		switch {
		case len(t.data) > grammar.MaxSize:
			in.miss(name, tooLarge, t.base)
			t.data = nil
		case path.Base(name) == lookupFile:
			in.lookup(t)
		case name == rowsFile || isRow(t.data):
			in.rows(t)
		default:
			in.file = in.file || isConfig(name)
			in.parse(t)
		}
		in.merge()
	}
	return in
}

func isConfig(name string) bool { return strings.HasSuffix(path.Base(name), configFile) }

// isRow reports whether a text begins with rows of a running configuration: TABLE|key field "text". The first rows may be of tables that
// no release has.
func isRow(text []byte) bool {
	const most = 100 // rows of other tables
	n := 0
	for line := range bytes.Lines(bytes.TrimLeft(text, " \t\r\n")) {
		table, _, ok := bytes.Cut(line, []byte("|"))
		if n++; !ok || n > most || len(table) == 0 || strings.Trim(string(table), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return false
		}
		if grammar.TableOf(string(table)) != nil {
			return true
		}
	}
	return false
}

// rows reads rows, one per line. A slip makes its line unreadable.
func (in *input) rows(t *text) {
	in.forms[formRows] = true
	at := 0
	for line := range bytes.Lines(t.data) {
		in.line(strings.TrimRight(string(line), "\r\n"), t.base+at)
		if at += len(line); in.full {
			return
		}
	}
}

func (in *input) line(line string, at int) {
	where, value, has := strings.Cut(line, " ")
	name, key, ok := strings.Cut(where, "|")
	if strings.TrimSpace(line) == "" {
		return
	}
	t := grammar.TableOf(name)
	switch {
	case !ok || key == "":
		in.slip(line[:min(len(line), 80)], "it is not a row such as TABLE|key field \"text\"", at)
		return
	case t == nil:
		if why, known := grammar.OtherTable(name); known {
			in.cov.Leave(why)
		} else {
			in.unknown(name, at)
		}
		return
	case !in.keep(at):
		return
	}
	s := in.section(name, at)
	row := s.Rows[key]
	if row == nil {
		row = &grammar.Row{At: at, Fields: map[string]grammar.Value{}}
		s.Rows[key] = row
	}
	if !has {
		return
	}
	field, said, _ := strings.Cut(value, " ")
	v := grammar.Value{At: at}
	if strings.HasPrefix(said, "[") && json.Unmarshal([]byte(said), &v.List) == nil {
		v.Text = strings.Join(v.List, ",")
	} else if !strings.HasPrefix(said, `"`) || json.Unmarshal([]byte(said), &v.Text) != nil {
		in.slip(where+" "+field, "its value is not text in quotes", at)
		return
	}
	if first, twice := row.Field(field); twice {
		in.twins = append(in.twins[:min(len(in.twins), maxTwins-1)], Twin{where + " " + field, first.At, at})
	}
	in.put(t, row, field, v)
}

// lookup reads pg_profile_lookup.ini: speed, length, size, xon, xoff, threshold and, if there is a seventh column, xon_offset.
func (in *input) lookup(t *text) {
	s := in.section(grammar.LookupTable, t.base)
	s.Rows["file"] = &grammar.Row{At: t.base, Fields: map[string]grammar.Value{}}
	at := 0
	for line := range bytes.Lines(t.data) {
		where := t.base + at
		at += len(line)
		words := strings.Fields(string(line))
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 6 {
			in.miss(string(line[:min(len(line), 80)]), "a row has speed, length, size, xon, xoff and threshold", where)
			continue
		}
		row := &grammar.Row{At: where, Fields: map[string]grammar.Value{}}
		for i, field := range []string{"size", "xon", "xoff", "threshold", "xon_offset"} {
			if i+2 < len(words) && in.keep(where) {
				row.Fields[field] = grammar.Value{Text: words[i+2], At: where}
			}
		}
		s.Rows[words[0]+"|"+words[1]] = row
	}
}
