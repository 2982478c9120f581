package conflint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// value is what may stand behind a key.
type value int

const (
	anything    value = iota
	boolean           // true or false, in any case
	size              // a number of bytes, metres or kilobits
	percent           // 0 to 100
	share             // a percentage, with decimals
	weight            // 0 to 127
	cosNumber         // 0 to 7
	dwrr              // the one algorithm
	fieldWord         // 802.1p or dscp
	remarkWord        // 802.1p or none
	fieldSet          // a list of header fields
	remarkSet         // as fieldSet, for what is rewritten
	fieldValues       // values of the one trusted field
	pcpValues         // a list of 0 to 7
	dscpValues        // a list of 0 to 63
	pcpOne            // a list of one PCP
	dscpOne           // a list of one DSCP
	cosList           // a list of 0 to 7: cos or queues
	ratePair          // [min,max] kb/s
	nameList          // a list of names
	portSet           // swp1-swp4,swp6
)

// highest is the largest number a value may be, or hold.
var highest = map[value]int{
	size: 1<<31 - 1, percent: 100, weight: 127, cosNumber: 7, pcpValues: 7, pcpOne: 7, cosList: 7,
	dscpValues: 63, dscpOne: 63, ratePair: 1<<31 - 1,
}

// words are the words a value may be, or hold.
var words = map[value][]string{
	dwrr: {"dwrr"}, fieldWord: {"802.1p", "dscp"}, remarkWord: {"802.1p", "none"}, fieldSet: {"802.1p", "dscp"}, remarkSet: {"802.1p", "dscp"},
}

// longestList bounds the elements of a list that are read.
const longestList = 512

// longestName bounds the names of groups, longestKey keys; the longest documented key has 54 letters.
const (
	longestName = 128
	longestKey  = 256
)

// parse reads the value of a setting, and says what is wrong with it.
func (u *unit) parse(t *setting) {
	if t.row == nil || t.row.hint || t.row.in&u.cand == 0 && t.row.maybe&u.cand == 0 {
		return
	}
	v := t.row.value
	if v == anything {
		t.ok = true
		return
	}
	text, at := t.value, t.valueAt
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text, at = text[1:len(text)-1], inner(at, 1, len(text)-1)
	}
	if text == "" {
		u.errorf(&topicValue, t.keyAt, "%s has no value. Write one, or remove the line for the default.", t.key)
		return
	}
	for i := range len(text) {
		if text[i] >= 0x7f || text[i] < ' ' && text[i] != '\t' {
			u.errorf(&topicValue, at, "%s is set to %s, which holds characters no value of it has.", t.key, show(text))
			return
		}
	}
	switch v {
	case boolean:
		t.on = strings.EqualFold(text, "true")
		if t.ok = t.on || strings.EqualFold(text, "false"); !t.ok {
			u.bad(t, at, text, "true or false")
		}
	case size, percent, weight, cosNumber:
		t.n, t.ok = number(text, highest[v])
		if !t.ok {
			want := "a whole number from 0 to " + diag.Number(highest[v])
			if v == size {
				want += ", with no unit and no commas"
			}
			u.bad(t, at, text, want)
		}
	case share:
		f, err := strconv.ParseFloat(text, 64)
		if t.real, t.ok = f, err == nil && f >= 0 && f <= 100; !t.ok {
			u.bad(t, at, text, "a percentage from 0 to 100")
		}
	case dwrr, fieldWord, remarkWord:
		if t.ok = slices.Contains(words[v], text); t.ok {
			t.list = []item{{text: text, at: at}}
			return
		}
		u.bad(t, at, text, diag.Or(words[v]))
	case portSet:
		u.parsePorts(t, text, at)
	default:
		u.parseList(t, text, at)
	}
}

// bad reports a value, or an element of a list, that cannot be.
func (u *unit) bad(t *setting, at diag.Range, text, want string) {
	topic := &topicValue
	if t.row.value == weight {
		topic = &topicWeights
	}
	u.errorf(topic, at, "%s cannot be %s. It takes %s.%s", t.key, show(text), want, diag.DidYouMean(text, words[t.row.value]))
}

// inner is a part of a place of plain ASCII, by bytes.
func inner(at diag.Range, from, to int) diag.Range {
	r := at
	r.Start.Byte, r.Start.Column = at.Start.Byte+from, at.Start.Column+from
	r.End.Byte, r.End.Column = at.Start.Byte+to, at.Start.Column+to
	return r
}

// elements cuts text at its commas, and gives each part its place.
func elements(text string, at diag.Range) []item {
	var out []item
	for from := 0; len(out) < longestList; {
		part := text[from:]
		end := len(text)
		if i := strings.IndexByte(part, ','); i >= 0 {
			part, end = part[:i], from+i
		}
		word := strings.Trim(part, " \t")
		begin := from + strings.Index(part, word)
		out = append(out, item{text: word, at: inner(at, begin, begin+len(word))})
		if end == len(text) {
			break
		}
		from = end + 1
	}
	return out
}

// parseList reads a list in brackets.
func (u *unit) parseList(t *setting, text string, at diag.Range) {
	v := t.row.value
	opens, closes := strings.HasPrefix(text, "["), strings.HasSuffix(text, "]")
	if !opens || !closes || len(text) < 2 {
		what := "is no list"
		if opens {
			what = "is a list that does not end on its line"
		}
		u.errorf(&topicValue, at, "%s is set to %s, which %s. Lists stand in brackets on one line: [%s].", t.key, show(text), what,
			map[bool]string{true: "0,1", false: "a, b"}[highest[v] > 0 || v == fieldValues])
		return
	}
	t.ok = true
	body := text[1 : len(text)-1]
	if t.empty = strings.TrimSpace(body) == ""; t.empty {
		if v == pcpOne || v == dscpOne || v == ratePair {
			takes := map[bool]string{true: "[min,max]", false: "exactly one value"}[v == ratePair]
			u.errorf(&topicValue, at, "%s is an empty list. It takes %s.", t.key, takes)
			t.ok = false
		}
		return
	}
	if strings.Count(body, ",") >= longestList {
		u.errorf(&topicValue, at, "%s is a list of more than %d elements, of which the first %d are "+
			"judged.", t.key, longestList, longestList)
	}
	top := u.highest(t)
	seen := map[string]bool{}
	for _, e := range elements(body, inner(at, 1, len(text)-1)) {
		switch {
		case e.text == "":
			u.errorf(&topicValue, at, "%s has a comma without an element beside it. Remove the comma.", t.key)
			return
		case seen[e.text] && v != ratePair:
			u.noticef(&topicValueTwice, e.at, "%s names %s twice. One of them can go.", t.key, show(e.text))
			continue
		}
		seen[e.text] = true
		switch {
		case v == nameList && len(e.text) > longestName:
			u.errorf(&topicValue, e.at, "%s holds a name of more than %d letters, %s. Give the group a shorter "+
				"one.", t.key, longestName, show(e.text))
		case v == nameList:
			t.list = append(t.list, e)
		case top < 0:
			if allowed := u.fields(v); !slices.Contains(allowed, e.text) {
				t.part = true
				u.badField(t, e, allowed)
				continue
			}
			t.list = append(t.list, e)
		default:
			u.parseNumber(t, e, top)
		}
	}
	want := map[value]int{pcpOne: 1, dscpOne: 1, ratePair: 2}[v]
	if want > 0 && len(t.list) != want {
		u.errorf(&topicValue, at, "%s holds %s where it takes %s.", t.key, diag.Count(len(t.list), "value"),
			map[bool]string{true: "[min,max]", false: "exactly one"}[v == ratePair])
		t.ok = false
	}
}

// highest is the largest element of a list of numbers; -1: no numbers. Up to 3.4 the trusted field decides what the
// numbers of the map mean.
func (u *unit) highest(t *setting) int {
	v := t.row.value
	if v == fieldValues {
		if u.trustsDSCP() {
			return 63
		}
		return 7
	}
	if n, ok := highest[v]; ok {
		return n
	}
	return -1
}

func (u *unit) trustsDSCP() bool {
	t := u.set["traffic.packet_priority_source"]
	return t != nil && strings.Trim(t.value, `"`) == "dscp"
}

// fields lists the header fields a set may hold.
func (u *unit) fields(v value) []string {
	if v == fieldSet && u.cand&features != 0 {
		return []string{"802.1p", "dscp", "port"}
	}
	return words[v]
}

func (u *unit) badField(t *setting, e item, allowed []string) {
	if e.text == "8021p" {
		u.errorf(&topicValue, e.at, "%s cannot hold 8021p: as a value the field is spelled 802.1p, only in keys 8021p.", t.key)
		return
	}
	if t.row.value == remarkSet && e.text == "cos" {
		u.noticef(&topicValue, e.at, "%s holds cos, as one sentence of the manual of 4.4 has it; the templates say 802.1p. "+
			"Write 802.1p.", t.key)
		t.list = append(t.list, item{text: "802.1p", at: e.at})
		return
	}
	u.errorf(&topicValue, e.at, "%s cannot hold %s. It takes %s.%s", t.key, show(e.text), diag.Or(allowed), diag.DidYouMean(e.text, allowed))
}

// parseNumber reads an element of a list of numbers, or a range of them.
func (u *unit) parseNumber(t *setting, e item, top int) {
	n, ok := number(e.text, top)
	if ok {
		e.n = n
		t.list = append(t.list, e)
		return
	}
	first, last, ranged := strings.Cut(e.text, "-")
	a, okA := number(first, top)
	b, okB := number(last, top)
	if ranged && okA && okB && a <= b && t.row.value != ratePair {
		u.warnf(&topicValue, e.at, "%s holds the range %s. One sample in the manuals of 5.x has such a range, all others write "+
			"each value, and no text says "+
			"that ranges are read. Write each value.", t.key, e.text)
		for n := a; n <= b && n <= 63; n++ {
			t.list = append(t.list, item{text: strconv.Itoa(n), n: n, at: e.at})
		}
		return
	}
	if _, ok := number(e.text, 63); ok && t.row.value == fieldValues && top == 7 { // a whole map of DSCPs has one cause
		if u.foreignValues++; u.foreignValues > 1 {
			return
		}
		d := u.errorf(&topicValue, e.at, "%s cannot hold %s. The switch sorts by 802.1p, so the numbers of this map are PCPs, "+
			"from 0 to 7, and DSCPs tell it nothing. "+
			"For DSCPs set traffic.packet_priority_source = dscp.", t.key, show(e.text))
		if source := u.set["traffic.packet_priority_source"]; source != nil {
			d.Note(source.valueAt, "the field the switch sorts by")
		}
		return
	}
	u.errorf(&topicValue, e.at, "%s cannot hold %s. It takes numbers from 0 to %s.", t.key, show(e.text), diag.Number(top))
}

// number reads a decimal number from 0 to top.
func number(s string, top int) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil && int(n) <= top
}
