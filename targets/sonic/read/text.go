package read

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// text is one file. Bytes are counted over all files, and base is the number of its first byte.
type text struct {
	name  string
	data  []byte
	base  int
	lines *grammar.Lines
}

// input is the content of the files of a device.
type input struct {
	whole   *grammar.Config
	cfg     *grammar.Config // the object that is being read
	texts   []*text
	misses  []miss
	twins   []Twin
	cov     target.Coverage
	notes   []string
	entries int    // the number of rows and fields kept
	keys    int    // the number of keys compared
	full    bool   // the texts have more entries than the maximum
	file    bool   // one of the texts is the file that a switch starts with
	bares   bool   // a value is not text
	ends    bool   // a text ends within an object
	ended   string // the table in which the text ends
	words   map[string]string

	forms   [formsEnd]bool // the forms of the texts
	comment int            // the byte of the first comment; -1: the texts have no comment
	old     int            // the byte of the first reference in brackets; -1: no reference is
}

// The forms of texts other than a config_db.json.
const (
	formDump        = iota // printed by a database: TABLE|key
	formApplication        // also printed by the application database: TABLE_TABLE:key
	formOperations         // each object has an OP, as in files for swssconfig
	formRows               // rocec's rows
	formPatch              // a JSON patch
	formsEnd
)

// dump reports whether a database printed one of the texts.
func (in *input) dump() bool { return in.forms[formDump] || in.forms[formRows] }

// miss is a row that is not understood.
type miss struct {
	row, why string
	at       int
	slip     bool // the text is not a configuration at this place
}

// Twin is a key that occurs twice in an object.
type Twin struct {
	Key       string
	First, At int // bytes of the text
}

// maxEntries is the maximum number of rows and fields. The configuration of a switch with 10,000 ports needs half this number.
const maxEntries = 1 << 20

// maxKeys is the maximum number of keys that are compared with the others of their object, including tables that are not read.
const maxKeys = 1 << 21

// maxTables is the maximum number of table names that are kept: CONFIG_DB has some two hundred. maxTwins is the maximum number of listed
// twins.
const (
	maxTables = 4096
	maxTwins  = 1000
)

// The maximum numbers of listed rows: rows that are not JSON, and all rows.
const maxMisses = 10_000

func newInput() *input {
	in := &input{whole: grammar.New(), cfg: grammar.New(), words: map[string]string{}, comment: -1, old: -1}
	in.whole.Others = map[string]int{}
	return in
}

func (in *input) miss(row, why string, at int) {
	if len(in.misses) <= maxMisses {
		in.misses = append(in.misses, miss{row: short(row), why: why, at: at})
	}
}

// slip records a row that is not a configuration.
func (in *input) slip(row, why string, at int) {
	if in.miss(row, why, at); len(in.misses) <= maxMisses {
		in.misses[len(in.misses)-1].slip = true
	}
}

// other records the name of a table that is not read, and reports whether it is new.
func (in *input) other(name string, at int) bool {
	_, kept := in.whole.Others[name]
	if !kept && len(in.whole.Others) < maxTables {
		in.whole.Others[name] = at
	}
	return !kept
}

// unknown reports a table that CONFIG_DB does not have, once.
func (in *input) unknown(name string, at int) {
	if in.other(name, at) {
		in.miss(name, "no table of CONFIG_DB that rocec knows has this name", at)
	}
}

// twin compares a key with the keys of its object, and reports whether the object has it already.
func (in *input) twin(keys *map[string]int, key string, at int) bool {
	first, twice := (*keys)[key]
	switch in.keys++; {
	case twice && len(in.twins) < maxTwins:
		in.twins = append(in.twins, Twin{key, first, at})
	case twice:
	case in.keys > maxKeys:
		if in.keys == maxKeys+1 {
			in.miss("the rest of the text", "it has more than 2,097,152 keys, and further ones are not compared", at)
		}
	case *keys == nil:
		*keys = map[string]int{key: at}
	default:
		(*keys)[key] = at
	}
	return twice
}

// short returns the text of a row, shortened if it is long.
func short(row string) string {
	const longest = 200
	if len(row) <= longest {
		return row
	}
	return strings.ToValidUTF8(row[:longest], "") + "..."
}

// note records a sentence once.
func (in *input) note(says string) {
	if !slices.Contains(in.notes, says) {
		in.notes = append(in.notes, says)
	}
}

// keep counts an entry; false: the maximum is reached.
func (in *input) keep(at int) bool {
	if in.entries++; in.entries > maxEntries && !in.full {
		in.full = true
		in.slip("the rest of the text", "it has more than 1,048,576 rows and fields, and a large switch has some ten thousand", at)
	}
	return !in.full
}

// word returns a text that shares memory with an equal one.
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

// place returns the range of the word at a byte.
func (in *input) place(at int) (r diag.Range) {
	i, exact := slices.BinarySearchFunc(in.texts, at, func(t *text, at int) int { return cmp.Compare(t.base, at) })
	if !exact {
		i--
	}
	if i < 0 {
		return r
	}
	t := in.texts[i]
	if t.lines == nil {
		t.lines = grammar.NewLines(t.data)
	}
	return t.lines.Range(t.name, at-t.base)
}

// section returns a table, and adds it if it is missing.
func (in *input) section(name string, at int) *grammar.Section {
	s := in.cfg.Tables[name]
	if s == nil {
		s = &grammar.Section{At: at, Rows: map[string]*grammar.Row{}}
		in.cfg.Tables[name] = s
	}
	return s
}

// merge adds the object that was read to the whole configuration. If both have a field, the later value counts, as for sonic-cfggen.
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
	if field == "NULL" && v.Text == "NULL" || field == "@" { // the form of a row without fields in a database
		return
	}
	if name, list := strings.CutSuffix(field, "@"); list { // the form of a list in a database
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

// isReference reports whether a field of any release refers to rows.
func isReference(t *grammar.Table, field string) bool {
	f, other := t.Field(grammar.Newest, field)
	if f = cmp.Or(f, other); f == nil {
		return false
	}
	return f.Kind == grammar.Ref || f.Kind == grammar.Profile || f.Kind == grammar.RefList
}

// reference reads `[BUFFER_PROFILE|x]`, and lists of such texts. Releases up to 202106 have this form (sonic-buildimage@202106,
// files/build_templates/qos_config.j2), and so has the application database of these releases.
func (in *input) reference(v grammar.Value) grammar.Value {
	if !strings.Contains(v.Text, "[") {
		return v
	}
	old := func(s string) string {
		inner, ok := strings.CutPrefix(strings.TrimSpace(s), "[")
		if inner, closed := strings.CutSuffix(inner, "]"); ok && closed {
			if i := strings.IndexAny(inner, "|:"); i >= 0 {
				if in.old < 0 {
					in.old = v.At
				}
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
