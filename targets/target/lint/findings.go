package lint

import "github.com/rocec/rocec/lang/diag"

// most limits the findings of one code for the files of a switch; further ones are only counted.
const most = 100

// Findings collects the findings of rules about files that are read together. The zero Findings is empty.
type Findings struct {
	List diag.List

	codes map[string]*tally
}

// tally counts the findings of one code.
type tally struct {
	n, left int              // all findings, and the omitted ones
	last    *diag.Diagnostic // the last finding in the list
}

func (f *Findings) tally(code string) *tally {
	c := f.codes[code]
	if c == nil {
		if f.codes == nil {
			f.codes = map[string]*tally{}
		}
		c = &tally{}
		f.codes[code] = c
	}
	return c
}

// Omit reports whether a code has reached its limit, and then counts a finding. A caller uses it to avoid computing a text and a place that
// are expensive.
func (f *Findings) Omit(t *diag.Topic) bool {
	c := f.tally(t.Code)
	if c.n < most {
		return false
	}
	c.n++
	c.left++
	return true
}

// Report adds a finding and returns it. Beyond the limit of its code, the finding is only counted and not listed.
func (f *Findings) Report(sev diag.Severity, t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	if f.Omit(t) {
		return &diag.Diagnostic{}
	}
	c := f.tally(t.Code)
	c.n++
	switch sev {
	case diag.Error:
		c.last = t.Errorf(&f.List, at, format, args...)
	case diag.Warning:
		c.last = t.Warnf(&f.List, at, format, args...)
	default:
		c.last = t.Noticef(&f.List, at, format, args...)
	}
	return c.last
}

// Join adds the findings of another file, with their counts.
func (f *Findings) Join(other *Findings) {
	f.List = append(f.List, other.List...)
	for code, c := range other.codes {
		own := f.tally(code)
		own.n, own.left, own.last = own.n+c.n, own.left+c.left, c.last
	}
}

// Close returns all findings. The last finding of a code gets a note with the number of omitted findings.
func (f *Findings) Close() diag.List {
	for _, c := range f.codes {
		if c.left > 0 {
			c.last.Note(diag.Range{}, "%s more of this code %s left out.", diag.Number(c.left), diag.Plural(c.left, "was", "were"))
		}
	}
	return f.List
}
