package confread

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// file is a parsed file.
type file struct {
	lint.File
	kind  grammar.Dialects // the dialects that a file with this name can have
	lines []grammar.Line
	err   error // why it should not be edited; a file larger than [grammar.MaxFile] has no lines
	idle  bool  // the release does not read it
}

// empty reports whether no line of the file sets a key.
func (f *file) empty() bool {
	return !slices.ContainsFunc(f.lines, func(l grammar.Line) bool { return l.Active() })
}

// setting is a line that is neither empty nor a comment.
type setting struct {
	*file
	key      string // empty: the line sets none
	value    string
	k        *grammar.Key // nil: no row of the table describes it
	n        int
	group    string
	line     int // from 1 on
	start    int // byte offset of the line
	from, to int // byte offsets of the key
	valueEnd int
	last     bool   // no later line sets the key
	why      string // why the line is not understood
}

// take adds the rows of a file.
func (c *Conf) take(f *file) {
	if len(f.Data) > grammar.MaxFile {
		c.Miss(f.Name, "the file is larger than 1 MiB", f.Top())
		return
	}
	last := map[string]int{}
	end := 0
	for i := range f.lines {
		l := &f.lines[i]
		r := setting{file: f, key: l.Key, value: l.Value, line: i + 1, start: end, n: -1, last: true}
		text := strings.TrimSpace(l.Text())
		end += len(l.Text()) + len(l.End)
		switch {
		case l.Active():
			r.from = r.start + strings.Index(l.Head, l.Key)
			r.to, r.valueEnd = r.from+len(l.Key), r.start+len(l.Head)+len(l.Value)
			r.k, r.n, r.group = grammar.Describe(strings.Split(l.Key, "."))
			if before, again := last[l.Key]; again {
				c.rows[before].last = false
			}
			last[l.Key] = len(c.rows)
		case text == "" || text[0] == '#':
			continue
		default:
			r.key, r.value = "", text
			r.from = r.start + strings.Index(l.Text(), text)
			r.to, r.valueEnd = r.from+len(text), r.from+len(text)
		}
		c.rows = append(c.rows, r)
	}
}

// at returns the place of the row.
func (r *setting) at() diag.Range { return r.Span(r.line, r.start, r.from, r.valueEnd) }

// values returns the value of every key of a chosen file. It records the rows that are not understood.
func (c *Conf) values(f *file, fit grammar.Dialects) grammar.Values {
	have := make(grammar.Values, len(f.lines))
	trusted := "" // up to 3.4 this field decides whether values are PCPs or DSCPs
	for i := range f.lines {
		if l := &f.lines[i]; l.Active() && l.Key == grammar.Spell(grammar.Switch, grammar.TrustOne, -1, "") {
			trusted, _ = grammar.Unquote(l.Value)
		}
	}
	for i := range c.rows {
		r := &c.rows[i]
		if r.file != f || r.key == "" || !r.last {
			continue
		}
		switch r.why = r.slip(c.spelling, fit, trusted); {
		case c.lenient:
			have[r.key] = r.value
		case r.why == "":
			have[r.key], _ = grammar.Unquote(r.value)
			if r.k.Means == grammar.LosslessFlag && !strings.EqualFold(have[r.key], "false") {
				c.spoiled[grammar.PFC] = true // no manual states which ports pause for the lossless group of the oldest releases
			}
		case r.k != nil:
			c.slips[r.key] = true
		}
	}
	return have
}

// slip returns why a row in force is not understood; empty: it is understood.
func (r *setting) slip(spelling grammar.Spelling, fit grammar.Dialects, trusted string) string {
	shown := r.k != nil && r.k.Means != 0 && spelling.Accepts(r.k.Feature(), r.k.Means) == r.k // even if the manual lacks the key
	switch {
	case r.k == nil && grammar.Outside(strings.Split(r.key, ".")) != nil:
		return "cos, queues and pools have numbers from 0 to 7"
	case r.k == nil:
		return "no manual has the key"
	case r.k.Read()&fit == 0 && !shown:
		return "the manual of this release does not have the key"
	case r.k.Means != 0 && r.k.In&fit == 0 && r.k.Maybe&fit != 0 && !shown:
		return "manuals and files in use disagree whether this release takes the key"
	case !r.k.Takes(r.value, fit) || r.k.Means == grammar.MapTrusted && trusted != grammar.FieldDSCP && !grammar.PCPs.Takes(r.value, fit):
		return "the key does not take such a value"
	}
	return ""
}

// judgeRows counts each row under the field that it sets, or under the reason why it sets none.
func (c *Conf) judgeRows() {
	trust, _ := c.have.Get(grammar.Switch, grammar.TrustOne, -1, "")
	for i := range c.rows {
		r := &c.rows[i]
		switch {
		case r.key == "":
			c.Miss(diag.Cut(r.value), "the line has no key and value", r.at())
		case r.idle:
			c.Leave("the release does not read this file")
		case !r.last:
			c.Leave("a later line sets the same key")
		case c.unread(r):
			c.Miss(diag.Cut(r.key), "the file has no key of a known release", r.at())
		case r.why != "":
			c.Miss(diag.Cut(r.key+" = "+r.value), r.why, r.at())
		case c.unlisted(r):
			c.Leave("its group is in no list, so it is off")
		default:
			if field, why := r.k.Meant(trust == grammar.FieldDSCP); why == "" {
				c.Mean(field)
			} else {
				c.Leave(why)
			}
		}
	}
}

// unread reports whether the dialect of a row's file is unknown.
func (c *Conf) unread(r *setting) bool {
	return r.kind == grammar.AnyFile || c.fit == 0 && r.kind&(grammar.QoSInfra|grammar.Datapath) == 0
}

// unlisted reports whether no list names the group of a row.
func (c *Conf) unlisted(r *setting) bool {
	if r.group == "" {
		return false
	}
	f := r.k.Feature()
	if f == grammar.PriorityGroup {
		names, stated := c.priorityGroups()
		return stated && !slices.Contains(names, r.group)
	}
	return !slices.Contains(c.Listed(f), r.group) && !c.slipped(f, grammar.Groups, -1, "")
}

// Listed returns the port groups of a feature that are in force.
func (c *Conf) Listed(f grammar.Feature) []string {
	list, _ := c.have.Get(f, grammar.Groups, -1, "")
	return grammar.Items(list)
}

// Value returns the value of a key in the classification file, in the spelling of the file, else in any other spelling.
func (c *Conf) Value(f grammar.Feature, m grammar.Meaning, n int, group string) (string, bool) {
	if k := c.spelling.Key(f, m); k != nil {
		if v, ok := c.have[k.Spell(n, group)]; ok {
			return v, true
		}
	}
	for _, k := range grammar.Find(f, m) {
		if v, ok := c.have[k.Spell(n, group)]; ok {
			return v, true
		}
	}
	return "", false
}

// slipped reports whether the value of a row could not be read.
func (c *Conf) slipped(f grammar.Feature, m grammar.Meaning, n int, group string) bool {
	if len(c.slips) == 0 {
		return false
	}
	return slices.ContainsFunc(grammar.Find(f, m), func(k *grammar.Key) bool { return c.slips[k.Spell(n, group)] })
}

// inMemory returns the value of a key in the memory file.
func (c *Conf) inMemory(f grammar.Feature, m grammar.Meaning, n int, group string) (string, bool) {
	for _, k := range grammar.Find(f, m) {
		if v, ok := c.memory[k.Spell(n, group)]; ok {
			text, _ := grammar.Unquote(v)
			return text, true
		}
	}
	return "", false
}

// items returns the elements of a list.
func (c *Conf) items(f grammar.Feature, m grammar.Meaning, n int, group string) (items []string, ok bool) {
	v, ok := c.Value(f, m, n, group)
	return grammar.Items(v), ok
}

// mask returns a list of cos or queues as bits.
func mask(list string) (bits uint8) {
	for _, item := range grammar.Items(list) {
		if n, ok := grammar.Number(item, 7); ok {
			bits |= 1 << n
		}
	}
	return bits
}

func (c *Conf) mask(f grammar.Feature, m grammar.Meaning, group string) uint8 {
	v, _ := c.Value(f, m, -1, group)
	return mask(v)
}

// number returns the number that a key states.
func (c *Conf) number(f grammar.Feature, m grammar.Meaning, group string) (n int, ok bool) {
	v, _ := c.Value(f, m, -1, group)
	top, _ := grammar.Size.Highest()
	return grammar.Number(v, top)
}

// Size returns a number; 0: none is stated.
func (c *Conf) Size(f grammar.Feature, m grammar.Meaning, group string) int {
	n, _ := c.number(f, m, group)
	return n
}

// on reports whether a true/false key of a port group is on. The default is on, as in the factory's templates.
func (c *Conf) on(f grammar.Feature, m grammar.Meaning, group string) bool {
	v, _ := c.Value(f, m, -1, group)
	on, ok := grammar.Bool(v)
	return on || !ok
}
