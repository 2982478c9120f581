package read

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// text is one file. The bytes of all files are counted on: base is the number of the first one.
type text struct {
	name  string
	data  []byte
	base  int
	lines []int // where lines begin; made when a place is asked for
}

// input is the content of the files of a device.
type input struct {
	whole   *grammar.Config
	cfg     *grammar.Config // of the object that is being read
	texts   []*text
	misses  []miss
	cov     target.Coverage
	notes   []string
	entries int  // rows and fields that were kept
	full    bool // there were more than the bound
	dump    bool // a database printed one of the texts
	file    bool // one of the texts is the file that a switch starts with
	foreign map[string]bool
	words   map[string]string // texts that come often, once
}

// miss is a row that is not understood.
type miss struct {
	row, why string
	at       int
}

// maxEntries bounds rows and fields: the configuration of a switch with 10,000 ports needs half.
const maxEntries = 1 << 20

// maxMisses bounds the rows that are listed: of those that are no JSON, and of all.
const maxMisses = 10_000

func newInput() *input {
	return &input{whole: grammar.New(), cfg: grammar.New(), foreign: map[string]bool{}, words: map[string]string{}}
}

func (in *input) miss(row, why string, at int) {
	if len(in.misses) <= maxMisses {
		in.misses = append(in.misses, miss{short(row), why, at})
	}
}

// short is a text of a row, cut where it is long.
func short(row string) string {
	const longest = 200
	if len(row) <= longest {
		return row
	}
	return strings.ToValidUTF8(row[:longest], "") + "..."
}

// note keeps a sentence once.
func (in *input) note(says string) {
	if !slices.Contains(in.notes, says) {
		in.notes = append(in.notes, says)
	}
}

// keep counts an entry; false: the bound is reached.
func (in *input) keep(at int) bool {
	if in.entries++; in.entries > maxEntries && !in.full {
		in.full = true
		in.miss("the rest of the text", "it has more than 1,048,576 rows and fields, and a large switch has some ten thousand", at)
	}
	return !in.full
}

// word is a text that shares memory with an equal one.
func (in *input) word(b []byte) string {
	if s, ok := in.words[string(b)]; ok {
		return s
	}
	s := string(b)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) <= 40 && len(in.words) < 1<<16 {
		in.words[string(b)] = s
	}
	return s
}

// place gives the range of the word at a byte.
func (in *input) place(at int) (r diag.Range) {
	i, exact := slices.BinarySearchFunc(in.texts, at, func(t *text, at int) int { return cmp.Compare(t.base, at) })
	if !exact {
		i--
	}
	if i < 0 {
		return r
	}
	t := in.texts[i]
	at = min(at-t.base, len(t.data))
	if t.lines == nil {
		t.lines = append(t.lines, 0)
		for i, c := range t.data {
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	line, exact := slices.BinarySearch(t.lines, at)
	if !exact {
		line--
	}
	r.Filename = t.name
	r.Start.Line, r.Start.Column, r.Start.Byte = line+1, utf8.RuneCount(t.data[t.lines[line]:at])+1, at
	const longest = 200
	word := t.data[at:min(len(t.data), at+longest)]
	end := bytes.IndexAny(word, ",:{}[] \n\r\t")
	if len(word) > 0 && word[0] == '"' {
		end = bytes.IndexAny(word[1:], "\"\n") + len(`""`)
	}
	if end <= 1 {
		end = min(1, len(word))
	}
	word = word[:min(end, len(word))]
	r.End = r.Start
	r.End.Column, r.End.Byte = r.Start.Column+utf8.RuneCount(word), at+len(word)
	return r
}

// section gives a table, and makes it where it is not there.
func (in *input) section(name string, at int) *grammar.Section {
	s := in.cfg.Tables[name]
	if s == nil {
		s = &grammar.Section{At: at, Rows: map[string]*grammar.Row{}}
		in.cfg.Tables[name] = s
	}
	return s
}

// merge adds the object that was read to the whole. A field that an earlier one has counts as the later one has it, as for sonic-cfggen.
func (in *input) merge() {
	for name, s := range in.cfg.Tables {
		have := in.whole.Tables[name]
		if have == nil {
			in.whole.Tables[name] = s
			continue
		}
		for key, row := range s.Rows {
			if old := have.Rows[key]; old != nil {
				for field, v := range old.Fields {
					if !row.Has(field) {
						row.Fields[field] = v
					}
				}
			}
			have.Rows[key] = row
		}
	}
	in.cfg = grammar.New()
}

// put sets a field of a row.
func (in *input) put(t *grammar.Table, row *grammar.Row, field string, v grammar.Value) {
	if field == "NULL" && v.Text == "NULL" || field == "@" { // how the database holds a row without fields
		return
	}
	if name, list := strings.CutSuffix(field, "@"); list { // how it holds a list
		field, v.List = name, strings.Split(v.Text, ",")
	}
	if !in.keep(v.At) {
		return
	}
	if isReference(t, field) {
		v = in.reference(v)
	}
	row.Fields[field] = v
}

// isReference reports whether a field of any release names rows.
func isReference(t *grammar.Table, field string) bool {
	f, other := t.Field(grammar.Newest, field)
	if f = cmp.Or(f, other); f == nil {
		return false
	}
	return f.Kind == grammar.Ref || f.Kind == grammar.Profile || f.Kind == grammar.RefList
}

// reference reads `[BUFFER_PROFILE|x]`, and lists of such texts: the form of releases up to 202106 (sonic-buildimage@202106,
// files/build_templates/qos_config.j2), and of tables of the application database up to then.
func (in *input) reference(v grammar.Value) grammar.Value {
	if !strings.Contains(v.Text, "[") {
		return v
	}
	old := func(s string) string {
		inner, ok := strings.CutPrefix(strings.TrimSpace(s), "[")
		if inner, closed := strings.CutSuffix(inner, "]"); ok && closed {
			if i := strings.IndexAny(inner, "|:"); i >= 0 {
				in.note("References are in brackets, as releases up to 202106 write them: [BUFFER_PROFILE|name]. They are read as names.")
				return inner[i+1:]
			}
		}
		return s
	}
	parts := strings.Split(v.Text, ",")
	for i := range parts {
		parts[i] = old(parts[i])
	}
	if v.Text = strings.Join(parts, ","); v.List != nil {
		v.List = parts
	}
	return v
}
