package read

import (
	"bytes"
	"sort"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// Text is one text of CONFIG_DB as its rows, for rules that check it. Places are bytes of the text.
type Text struct {
	Config  *grammar.Config // with the keys of the text
	Form    string          // "dump of CONFIG_DB"
	Patch   bool            // the text changes a configuration whose other rows are unknown
	Running bool            // a switch runs it, so rows that its daemons make may be there or missing
	Release grammar.Release // the release in the text; 0: none that rocec knows

	Slips   []Slip // in the order of the text; at most one per row
	Twins   []Twin // keys that occur twice: the last one counts
	Comment int    // the byte of the first comment; -1: the text has no comment
	Old     int    // the byte of the first reference in brackets, as in releases up to 202106; -1: no reference has them
	Ends    bool   // the text ends within an object
	Full    bool   // the text has more rows than rocec reads; the last slip reports this
}

// Slip is a place at which a text is not a configuration.
type Slip struct {
	Row string // the unreadable row, TABLE|key, or a description of a larger part
	Why string // a part of a sentence
	At  int
}

// Load reads one text of any form that [Understand] reads, except pg_profile_lookup.ini and texts above [grammar.MaxSize]. The strict
// reader reads every text that it accepts; the loose reader reads the others.
func Load(data []byte) *Text {
	if c := strictly(data); c != nil {
		return &Text{Config: c, Form: configFile, Release: releaseOf(c, target.Identity{}), Comment: -1, Old: -1}
	}
	return loosely(data)
}

// strictly reads an object of tables without the special forms of dumps and old releases. Nil: the text has another form, or a slip.
func strictly(data []byte) *grammar.Config {
	for _, other := range []string{`"[`, `@"`, `"NULL":`} { // references in brackets, and forms of a database
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
	grammar.Overlaps(in.whole) // rows above the maximum are not understood
	return t
}

// form returns the name of the form of a text.
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

// untyped notes the values that are not text, in fields that rules check.
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
