package conflint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// longestKey is the largest accepted length of a key; the longest documented key has 54 letters.
const longestKey = 256

// parse reads the value of a setting, and reports its mistakes.
func (u *unit) parse(t *setting) {
	if t.row == nil || t.row.Hint || t.row.Could()&u.cand == 0 {
		return
	}
	v := t.row.Type
	if v == grammar.Anything {
		t.ok = true
		return
	}
	text, cut := grammar.Unquote(t.value)
	at := t.valueAt
	if cut > 0 {
		at = inner(at, cut, cut+len(text))
	}
	if text == "" {
		u.errorf(&topicValue, t.keyAt, "%s has no value. Write one, or remove the line for the default.", t.key)
		return
	}
	if !grammar.Printable(text) {
		u.errorf(&topicValue, at, "%s is set to %s, which contains characters that no value of this key has.", t.key, show(text))
		return
	}
	switch top, numbers := v.Highest(); {
	case v == grammar.Boolean:
		if t.on, t.ok = grammar.Bool(text); !t.ok {
			u.bad(t, at, text, "true or false")
		}
	case v == grammar.Share:
		if t.real, t.ok = grammar.Percentage(text); !t.ok {
			u.bad(t, at, text, "a percentage from 0 to 100")
		}
	case v == grammar.Ports:
		u.parsePorts(t, text, at)
	case v.IsList():
		u.parseList(t, text, at)
	case numbers:
		if t.n, t.ok = grammar.Number(text, top); !t.ok {
			want := "a whole number from 0 to " + diag.Number(top)
			if v == grammar.Size {
				want += ", with no unit and no commas"
			}
			u.bad(t, at, text, want)
		}
	default:
		if t.ok = slices.Contains(v.Words(u.cand), text); t.ok {
			t.list = []item{{text: text, at: at}}
			return
		}
		u.bad(t, at, text, diag.Or(v.Words(u.cand)))
	}
}

// bad reports a value, or an element of a list, that the key cannot have.
func (u *unit) bad(t *setting, at diag.Range, text, want string) {
	topic := &topicValue
	if t.row.Type == grammar.DWRRWeight {
		topic = &topicWeights
	}
	u.errorf(topic, at, "%s cannot be %s. It takes %s.%s", t.key, show(text), want, diag.DidYouMean(text, t.row.Type.Words(0)))
}

// inner returns the part of a place between two byte offsets. The text at the place is ASCII.
func inner(at diag.Range, from, to int) diag.Range {
	r := at
	r.Start.Byte, r.Start.Column = at.Start.Byte+from, at.Start.Column+from
	r.End.Byte, r.End.Column = at.Start.Byte+to, at.Start.Column+to
	return r
}

// elements splits text at its commas, and returns each part with its place.
func elements(text string, at diag.Range) []item {
	var out []item
	for _, e := range grammar.Elements(text) {
		out = append(out, item{text: e.Text, at: inner(at, e.At, e.At+len(e.Text))})
	}
	return out
}

// parseList reads a list in brackets.
func (u *unit) parseList(t *setting, text string, at diag.Range) {
	v := t.row.Type
	top := u.highest(t)
	body, closed := grammar.Body(text)
	if !closed {
		what := "is not a list"
		if strings.HasPrefix(text, "[") {
			what = "is a list that does not end on its line"
		}
		u.errorf(&topicValue, at, "%s is set to %s, which %s. Write a list in brackets on one line: [%s].", t.key, show(text), what,
			map[bool]string{true: "0,1", false: "a, b"}[top >= 0])
		return
	}
	t.ok = true
	if t.empty = strings.TrimSpace(body) == ""; t.empty {
		if v.Exactly() > 0 {
			takes := map[bool]string{true: "[min,max]", false: "exactly one value"}[v == grammar.RatePair]
			u.errorf(&topicValue, at, "%s is an empty list. It takes %s.", t.key, takes)
			t.ok = false
		}
		return
	}
	if strings.Count(body, ",") >= grammar.MostElements {
		u.errorf(&topicValue, at, "%s is a list of more than %d elements, of which the first %d are "+
			"judged.", t.key, grammar.MostElements, grammar.MostElements)
	}
	seen := map[string]bool{}
	for _, e := range elements(body, inner(at, 1, len(text)-1)) {
		switch {
		case e.text == "":
			u.errorf(&topicValue, at, "%s has a comma without an element beside it. Remove the comma.", t.key)
			t.ok = v.Exactly() == 0
			return
		case seen[e.text] && v != grammar.RatePair:
			u.noticef(&topicValueTwice, e.at, "%s names %s twice. Remove one of them.", t.key, show(e.text))
			continue
		}
		seen[e.text] = true
		switch {
		case v == grammar.Names && len(e.text) > grammar.LongestName:
			u.errorf(&topicValue, e.at, "%s contains a name of more than %d letters, %s. Give the group a shorter "+
				"one.", t.key, grammar.LongestName, show(e.text))
		case v == grammar.Names:
			t.list = append(t.list, e)
		case top < 0:
			if allowed := v.Words(u.cand); !slices.Contains(allowed, e.text) {
				t.part = true
				u.badField(t, e, allowed)
				continue
			}
			t.list = append(t.list, e)
		default:
			u.parseNumber(t, e, top)
		}
	}
	if want := v.Exactly(); want > 0 && len(t.list) != want {
		u.errorf(&topicValue, at, "%s contains %s, but it takes %s.", t.key, diag.Count(len(t.list), "value"),
			map[bool]string{true: "[min,max]", false: "exactly one"}[v == grammar.RatePair])
		t.ok = false
	}
}

// highest returns the largest number that a list may contain; -1: the list contains no numbers. Up to 3.4 the numbers of the map are
// values of the trusted field.
func (u *unit) highest(t *setting) int {
	v := t.row.Type
	if v == grammar.FieldValues && !u.trustsDSCP() {
		v = grammar.PCPs
	}
	if n, ok := v.Highest(); ok {
		return n
	}
	return -1
}

func (u *unit) trustsDSCP() bool {
	t := u.setting(grammar.Switch, grammar.TrustOne, -1, "")
	return t != nil && strings.Trim(t.value, `"`) == grammar.FieldDSCP
}

func (u *unit) badField(t *setting, e item, allowed []string) {
	if e.text == "8021p" {
		u.errorf(&topicValue, e.at, "%s cannot contain 8021p: as a value the field is spelled 802.1p; the spelling 8021p is for keys.", t.key)
		return
	}
	if t.row.Type == grammar.RewrittenFields && e.text == "cos" {
		u.noticef(&topicValue, e.at, "%s contains cos, as one sentence in the manual of 4.4 does; the templates have 802.1p. Write "+
			"802.1p.", t.key)
		t.list = append(t.list, item{text: grammar.FieldPCP, at: e.at})
		return
	}
	u.errorf(&topicValue, e.at, "%s cannot contain %s. It takes "+
		"%s.%s", t.key, show(e.text), diag.Or(allowed), diag.DidYouMean(e.text, allowed))
}

// parseNumber reads an element of a list of numbers, or a range of them.
func (u *unit) parseNumber(t *setting, e item, top int) {
	n, ok := grammar.Number(e.text, top)
	if ok {
		e.n = n
		t.list = append(t.list, e)
		return
	}
	first, last, ranged := strings.Cut(e.text, "-")
	a, okA := grammar.Number(first, top)
	b, okB := grammar.Number(last, top)
	if ranged && okA && okB && a <= b && t.row.Type != grammar.RatePair {
		u.warnf(&topicValue, e.at, "%s contains the range %s. One sample in the manuals of 5.x has such a range, all others list each value, "+
			"and no text says that switchd reads ranges. Write each value.", t.key, e.text)
		for n := a; n <= b && n <= 63; n++ {
			t.list = append(t.list, item{text: strconv.Itoa(n), n: n, at: e.at})
		}
		return
	}
	if _, ok := grammar.Number(e.text, 63); ok && t.row.Type == grammar.FieldValues && top == 7 { // one finding for a whole map
		if u.foreignValues++; u.foreignValues > 1 {
			return
		}
		d := u.errorf(&topicValue, e.at, "%s cannot contain %s. The switch trusts 802.1p, so the numbers of this map are PCPs, from 0 to 7. "+
			"For a map of DSCPs set traffic.packet_priority_source = dscp.", t.key, show(e.text))
		if source := u.setting(grammar.Switch, grammar.TrustOne, -1, ""); source != nil {
			d.Note(source.valueAt, "the field that the switch trusts")
		}
		return
	}
	u.errorf(&topicValue, e.at, "%s cannot contain %s. It takes numbers from 0 to %s.", t.key, show(e.text), diag.Number(top))
}
