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

// text is one file. The bytes of all files are counted on: base is the number of the first one.
type text struct {
	name  string
	data  []byte
	base  int
	lines *grammar.Lines
}

// input is the content of the files of a device.
type input struct {
	whole   *grammar.Config
	cfg     *grammar.Config // of the object that is being read
	texts   []*text
	misses  []miss
	twins   []Twin
	cov     target.Coverage
	notes   []string
	entries int    // rows and fields that were kept
	keys    int    // keys that were compared
	full    bool   // there were more than the bound
	file    bool   // one of the texts is the file that a switch starts with
	bares   bool   // a value is no text
	ends    bool   // a text ends before its objects do
	ended   string // the table in which it ends
	words   map[string]string

	forms   [formsEnd]bool // those of the texts
	comment int            // the byte of the first comment; -1: the texts have no comment
	old     int            // the byte of the first reference in brackets; -1: no reference is
}

// The forms of texts, but for that of a config_db.json.
const (
	formDump        = iota // a database printed it: TABLE|key
	formApplication        // and it is the application database: TABLE_TABLE:key
	formOperations         // each object has an OP, as swssconfig takes them
	formRows               // rows of rocec's own
	formPatch              // a JSON patch
	formsEnd
)

// dump reports whether a database printed one of the texts.
func (in *input) dump() bool { return in.forms[formDump] || in.forms[formRows] }

// miss is a row that is not understood.
type miss struct {
	row, why string
	at       int
	slip     bool // the text is no configuration there
}

// Twin is a key that stands twice in an object.
type Twin struct {
	Key       string
	First, At int // bytes of the text
}

// maxEntries bounds rows and fields: the configuration of a switch with 10,000 ports needs half.
const maxEntries = 1 << 20

// maxKeys bounds the keys that are compared with others of their object, in tables that are not read, too.
const maxKeys = 1 << 21

// maxTables bounds the tables whose names are kept: CONFIG_DB has some two hundred. maxTwins bounds the keys that are listed.
const (
	maxTables = 4096
	maxTwins  = 1000
)

// maxMisses bounds the rows that are listed: of those that are no JSON, and of all.
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

// slip notes a row that is no configuration.
func (in *input) slip(row, why string, at int) {
	if in.miss(row, why, at); len(in.misses) <= maxMisses {
		in.misses[len(in.misses)-1].slip = true
	}
}

// other keeps the name of a table that is not read. False: it is kept already.
func (in *input) other(name string, at int) bool {
	_, kept := in.whole.Others[name]
	if !kept && len(in.whole.Others) < maxTables {
		in.whole.Others[name] = at
	}
	return !kept
}

// unknown notes a table of a name that no table has, once.
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
		in.slip("the rest of the text", "it has more than 1,048,576 rows and fields, and a large switch has some ten thousand", at)
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
	if t.lines == nil {
		t.lines = grammar.NewLines(t.data)
	}
	return t.lines.Range(t.name, at-t.base)
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
