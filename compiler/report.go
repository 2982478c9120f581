package compiler

import (
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// report collects diagnostics. One line of a fabric names thousands of devices, so a mistake is reported once for each place. The first
// report counts the further names with the same mistake.
type report struct {
	list   diag.List
	folded map[foldKey]*fold
	order  []*fold

	unknown map[string]*diag.Diagnostic // by the name of an undeclared device
	places  map[string]int              // number of further places with the name
}

type foldKey struct {
	code string
	at   diag.Range
}

type fold struct {
	first *diag.Diagnostic
	name  string
	same  []string // further names, at most maxSame
	more  int      // number of further names that are not kept
}

// namesRoom limits the bytes for names of devices or interfaces in a message.
const namesRoom = 60

// maxSame bounds the names that are kept for one mistake.
const maxSame = 10_000

func newReport() *report {
	return &report{folded: map[foldKey]*fold{}, unknown: map[string]*diag.Diagnostic{}, places: map[string]int{}}
}

// again reports whether an undeclared name was reported at another place: a missing device affects all its cables.
func (r *report) again(name string, at diag.Range) bool {
	first := r.unknown[name]
	if first == nil || first.At == at || first.At.Filename == "" {
		return false
	}
	r.places[name]++
	return true
}

// errorf reports an error of topic t about name, the text at that place ("leaf3:swp99"). The caller may add notes to the result.
func (r *report) errorf(t *diag.Topic, at diag.Range, name, format string, args ...any) *diag.Diagnostic {
	key := foldKey{t.Code, at}
	if f := r.folded[key]; f != nil {
		switch {
		case name == f.name:
		case len(f.same) < maxSame:
			f.same = append(f.same, name)
		default:
			f.more++
		}
		return &diag.Diagnostic{} // its notes are those of the first report
	}
	f := &fold{first: t.Errorf(&r.list, at, format, args...), name: name}
	r.folded[key] = f
	r.order = append(r.order, f)
	return f.first
}

// done returns the sorted list.
func (r *report) done() diag.List {
	for _, f := range r.order {
		if len(f.same) == 0 {
			continue
		}
		text := "the same holds for " + nodeset.Text(f.same, nodeset.Members, namesRoom)
		if f.more > 0 {
			text += ", and in " + diag.Count(f.more, "more case")
		}
		f.first.Note(diag.Range{}, "%s", text)
	}
	for name, n := range r.places {
		r.unknown[name].Note(diag.Range{}, "the name is in %s", diag.Count(n, "further place"))
	}
	r.list.Sort()
	return r.list
}

// speller finds the name that the person may have meant. It gives up after a few calls, because each call compares all names.
type speller struct {
	names []string
	left  int
}

func newSpeller(names []string) *speller { return &speller{names: names, left: 20} }

// guess is a name that the person may have meant, or empty. In a message it reads ` Did you mean "x"?`.
type guess string

func (g guess) String() string { return diag.Meant(string(g)) }

// hint guesses the intended name.
func (s *speller) hint(name string) guess {
	if s.left == 0 {
		return ""
	}
	s.left--
	return guess(diag.Nearest(name, s.names))
}

// hint is [speller.hint] for a short list of names.
func hint(name string, names []string) guess { return newSpeller(names).hint(name) }

// instead offers a guess as a replacement of a name, if the text that d points at contains the name exactly once.
func (c *compiler) instead(d *diag.Diagnostic, name string, meant guess) *diag.Diagnostic {
	at := d.At
	src := c.src.Files[at.Filename]
	if meant == "" || name == "" || at.End.Byte > len(src) || at.Start.Byte > at.End.Byte || at.Start.Line != at.End.Line {
		return d
	}
	text := string(src[at.Start.Byte:at.End.Byte])
	i := strings.Index(text, name)
	if i < 0 || strings.Contains(text[i+1:], name) || i > 0 && isNameByte(text[i-1]) || i+len(name) < len(text) &&
		isNameByte(text[i+len(name)]) {
		return d
	}
	for _, b := range []byte(text) {
		if b >= 0x80 { // columns and bytes differ
			return d
		}
	}
	at.Start.Byte, at.Start.Column = at.Start.Byte+i, at.Start.Column+i
	at.End.Byte, at.End.Column = at.Start.Byte+len(name), at.Start.Column+len(name)
	return d.Instead(at, string(meant))
}

// isNameByte reports whether a byte may occur in the name of a device, an interface or a model, or in a nodeset of names.
func isNameByte(b byte) bool {
	return strings.IndexByte("._-+@[]", b) >= 0 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// hintOrList returns [hint], or a list of the known names.
func hintOrList(name string, names []string) string {
	if meant := hint(name, names); meant != "" {
		return meant.String()
	}
	return " Use one of " + diag.Some(names, showNames) + "."
}

// showNames is the number of names that a message lists.
const showNames = 13
