package grammar

import (
	"slices"
	"strconv"
	"strings"
)

// Type is the type of a key's value.
type Type int

// The types of values.
const (
	Anything        Type = iota // not judged
	Boolean                     // true or false, in any case
	Size                        // a number of bytes, metres or kilobits
	Percent                     // 0 to 100
	Share                       // a percentage, with decimals
	DWRRWeight                  // 0 to 127, by the manual of 3.4.3
	Cos                         // 0 to 7: a cos, queue or pool
	DWRR                        // the scheduling algorithm, which has one value
	Field                       // a header field
	FieldOrNone                 // 802.1p or none
	Fields                      // a list of header fields
	RewrittenFields             // a list of rewritten header fields
	FieldValues                 // a list of values of the trusted field, in releases that trust one field
	PCPs                        // a list of 0 to 7
	DSCPs                       // a list of 0 to 63
	OnePCP                      // a list of one PCP
	OneDSCP                     // a list of one DSCP
	CosList                     // a list of 0 to 7: cos or queues
	RatePair                    // [min,max] kb/s
	Names                       // a list of names
	Ports                       // swp1-swp4,swp6
)

// The words for header fields in values. In keys the first word is 8021p.
const (
	FieldPCP  = "802.1p"
	FieldDSCP = "dscp"
)

// types defines the possible values of each type, or of an element of its list.
var types = [...]struct {
	numbers bool
	highest int      // the largest number
	words   []string // the accepted words, for a type without numbers
	list    bool     // in brackets
	exactly int      // the required number of elements; 0: any number
}{
	Boolean:         {},
	Size:            {numbers: true, highest: 1<<31 - 1},
	Percent:         {numbers: true, highest: 100},
	DWRRWeight:      {numbers: true, highest: 127},
	Cos:             {numbers: true, highest: 7},
	DWRR:            {words: []string{"dwrr"}},
	Field:           {words: []string{FieldPCP, FieldDSCP}},
	FieldOrNone:     {words: []string{FieldPCP, "none"}},
	Fields:          {words: []string{FieldPCP, FieldDSCP}, list: true},
	RewrittenFields: {words: []string{FieldPCP, FieldDSCP}, list: true},
	FieldValues:     {numbers: true, highest: 63, list: true},
	PCPs:            {numbers: true, highest: 7, list: true},
	DSCPs:           {numbers: true, highest: 63, list: true},
	OnePCP:          {numbers: true, highest: 7, list: true, exactly: 1},
	OneDSCP:         {numbers: true, highest: 63, list: true, exactly: 1},
	CosList:         {numbers: true, highest: 7, list: true},
	RatePair:        {numbers: true, highest: 1<<31 - 1, list: true, exactly: 2},
	Names:           {list: true},
	Ports:           {},
}

// Highest returns the largest number that a value may be or contain. For [FieldValues] it is the highest DSCP. Not ok: the type has no
// numbers.
func (t Type) Highest() (top int, ok bool) { return types[t].highest, types[t].numbers }

// Words returns the words that a value may be or contain, in files of the dialects in. It is empty for numbers and names.
func (t Type) Words(in Dialects) []string {
	if t == Fields && in&QoSFeatures != 0 {
		return append(slices.Clip(types[t].words), "port")
	}
	return types[t].words
}

// IsList reports whether a value is a list in brackets.
func (t Type) IsList() bool { return types[t].list }

// Exactly returns the required number of elements in the list; 0: any number.
func (t Type) Exactly() int { return types[t].exactly }

// Empty spells the value without an element: "[]", or "none". It returns an empty string if the type has no such value.
func (t Type) Empty() string {
	switch {
	case t.IsList() && t.Exactly() == 0:
		return "[]"
	case slices.Contains(types[t].words, "none"):
		return "none"
	}
	return ""
}

// The limits of the reader.
const (
	MostElements = 512 // elements of a list
	LongestName  = 128 // letters in the name of a group
)

// Number reads a decimal number from 0 to top.
func Number(s string, top int) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil && int(n) <= top
}

// Bool reads true or false, in any case.
func Bool(s string) (on, ok bool) {
	on = strings.EqualFold(s, "true")
	return on, on || strings.EqualFold(s, "false")
}

// Percentage reads a percentage with decimals, from 0 to 100.
func Percentage(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f >= 0 && f <= 100
}

// Unquote removes the quotes around a value. It also returns the number of bytes removed at the beginning.
func Unquote(value string) (text string, cut int) {
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		return value[1 : len(value)-1], 1
	}
	return value, 0
}

// Printable reports whether text contains only characters that values may have: printable ASCII and tabs.
func Printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\t' })
}

// Body returns a list without its brackets.
func Body(text string) (body string, ok bool) {
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// Element is one element of a list, or one item of a port set.
type Element struct {
	Text string
	At   int // where it begins in the text
}

// Elements splits text at its commas, and returns the first [MostElements].
func Elements(text string) []Element {
	var out []Element
	for from := 0; len(out) < MostElements; {
		part := text[from:]
		end := len(text)
		if i := strings.IndexByte(part, ','); i >= 0 {
			part, end = part[:i], from+i
		}
		word := strings.Trim(part, " \t")
		out = append(out, Element{word, from + strings.Index(part, word)})
		if end == len(text) {
			break
		}
		from = end + 1
	}
	return out
}

// Items returns the elements of a list without judging it. The list may lack brackets; empty elements are left out.
func Items(value string) []string {
	value = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), "["), "]")
	var out []string
	for s := range strings.SplitSeq(value, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Takes reports whether a value has the type in files of the dialects in. The value is the text after the "=".
func (t Type) Takes(value string, in Dialects) bool {
	text, _ := Unquote(value)
	switch {
	case t == Anything:
		return true
	case text == "" || !Printable(text):
		return false
	case t == Boolean:
		_, ok := Bool(text)
		return ok
	case t == Share:
		_, ok := Percentage(text)
		return ok
	case t == Ports:
		return takesPorts(text, in)
	case !t.IsList():
		return t.takesElement(text, in)
	}
	body, ok := Body(text)
	if !ok {
		return false
	}
	if strings.TrimSpace(body) == "" {
		return t.Exactly() == 0
	}
	elements := Elements(body)
	return len(elements) == strings.Count(body, ",")+1 && (t.Exactly() == 0 || len(elements) == t.Exactly()) &&
		!slices.ContainsFunc(elements, func(e Element) bool { return !t.takesElement(e.Text, in) })
}

// takesElement checks a value that is not a list, or an element of a list.
func (t Type) takesElement(text string, in Dialects) bool {
	if top, ok := t.Highest(); ok {
		_, ok = Number(text, top)
		return ok
	}
	if t == Names {
		return text != "" && len(text) <= LongestName
	}
	return slices.Contains(t.Words(in), text)
}

// takesPorts checks a port set. Only the manuals of 5.x show brackets, and only those from 4.4 on the word for all ports.
func takesPorts(text string, in Dialects) bool {
	if body, ok := Body(text); ok && in&Q2 != 0 {
		text = body
	}
	if strings.TrimSpace(text) == "" || strings.Count(text, ",") >= MostElements {
		return false
	}
	return !slices.ContainsFunc(Elements(text), func(e Element) bool {
		if e.Text == AllPorts {
			return in&QoSFeatures == 0
		}
		s, ok := ParseSpan(e.Text)
		return !ok || s.A.Sub >= MostParts || s.B.Sub >= MostParts
	})
}
