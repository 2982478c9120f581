package read

import (
	"bytes"
	"sort"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// Text is one text of CONFIG_DB as its rows, for rules that judge it. Places are bytes of the text.
type Text struct {
	Config  *grammar.Config // with keys as the text has them
	Form    string          // "dump of CONFIG_DB"
	Patch   bool            // it changes a configuration, whose other rows are not known
	Running bool            // a switch runs it: rows that its daemons make are there, or are left out
	Release grammar.Release // that it states; 0: none that rocec knows

	Slips   []Slip // in the order of the text; a row has one
	Twins   []Twin // keys that stand twice: the last one counts
	Comment int    // the first comment; -1: the text has no comment
	Old     int    // the first reference in brackets, as releases up to 202106 write them; -1: no reference is
	Ends    bool   // the text ends before its objects do
	Full    bool   // the text has more rows than are read; the last slip says so
}

// Slip is a place at which a text is no configuration.
type Slip struct {
	Row string // the lost row, TABLE|key, or words for a larger part
	Why string // a part of a sentence
	At  int
}

// Load reads one text of any form that [Understand] reads, but for pg_profile_lookup.ini, and one of up to [grammar.MaxSize]. The
// strict reader reads every text that it accepts.
func Load(data []byte) *Text {
	if c := strictly(data); c != nil {
		return &Text{Config: c, Form: configFile, Release: releaseOf(c, target.Identity{}), Comment: -1, Old: -1}
	}
	return loosely(data)
}

// strictly reads an object of tables without the spellings of dumps and old releases; nil: the text is of another form, or has a slip.
func strictly(data []byte) *grammar.Config {
	for _, other := range []string{`"[`, `@"`, `"NULL":`} { // references in brackets, lists and rows without fields of a database
		if bytes.Contains(data, []byte(other)) {
			return nil
		}
	}
	if head := bytes.SplitN(data[:min(len(data), 200)], []byte(`"`), 3); len(head) < 3 || bytes.ContainsAny(head[1], "|:") { // a dump
		return nil
	}
	c, err := grammar.Read(data)
	if err != nil {
		return nil
	}
	for name := range c.Others {
		if t, key, _ := split(name); name == "OP" || t != nil && key != "" {
			return nil
		}
	}
	return c
}

// loosely reads a text of any form.
func loosely(data []byte) *Text {
	in := newInput()
	others := in.whole.Others
	in.whole = grammar.Of(data)
	in.whole.Others = others
	in.texts = []*text{{data: data}}
	if isRow(data) {
		in.rows(in.texts[0])
	} else {
		in.parse(in.texts[0])
	}
	in.merge()
	t := &Text{
		Config: in.whole, Form: in.form(), Patch: in.forms[formPatch],
		Running: in.dump() && !in.forms[formOperations], Release: releaseOf(in.whole, target.Identity{}),
		Twins: in.twins, Comment: in.comment, Old: in.old, Full: in.full, Ends: in.ends,
	}
	for _, m := range in.misses {
		if m.slip {
			t.Slips = append(t.Slips, Slip{m.row, m.why, m.at})
		}
	}
	sort.SliceStable(t.Slips, func(i, k int) bool { return t.Slips[i].At < t.Slips[k].At })
	if in.bares {
		in.untyped(data)
	}
	grammar.Overlaps(in.whole) // those beyond its bound are rows that are not understood
	return t
}

// form names the form of a text.
func (in *input) form() string {
	switch {
	case in.forms[formOperations]:
		return "list of operations"
	case in.forms[formPatch]:
		return "JSON patch of CONFIG_DB"
	case in.forms[formApplication]:
		return "dump of APPL_DB"
	case in.forms[formDump]:
		return "dump of CONFIG_DB"
	case in.forms[formRows]:
		return "rows of CONFIG_DB"
	}
	return configFile
}

// untyped notes the values of fields that rules judge and that are no text.
func (in *input) untyped(data []byte) {
	var found []grammar.Problem
	for name, s := range in.whole.Tables {
		t := grammar.TableOf(name)
		for key, row := range s.Rows {
			for field, v := range row.Fields {
				if v.At >= len(data) || strings.IndexByte(`"[{}],:`, data[v.At]) >= 0 {
					continue
				}
				if v.Text == null {
					v.Text = "null"
					row.Fields[field] = v
				}
				if t.Judged(field) {
					found = append(found, grammar.Problem{At: v.At, Table: name, Row: key, Field: field})
				}
			}
		}
	}
	sort.Slice(found, func(i, k int) bool { return found[i].At < found[k].At })
	for _, p := range found {
		grammar.Untyped(in.whole, p, in.whole.Get(p.Table, p.Row, p.Field))
	}
}
