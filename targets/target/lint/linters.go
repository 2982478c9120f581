package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Linters are the linters of all systems, in the order of the table of targets. They are tried in this order, but the linter that accepts
// every other file is last. If several accept a file, the first is used.
type Linters []*Linter

// Asked returns the linters in the order in which they are tried.
func (l Linters) Asked() Linters {
	var asked, rest Linters
	for _, one := range l {
		if one.Takes == nil {
			rest = append(rest, one)
		} else {
			asked = append(asked, one)
		}
	}
	return append(asked, rest...)
}

// Of returns the linter that judges a file.
func (l Linters) Of(f File) *Linter {
	asked := l.Asked()
	return asked[slices.IndexFunc(asked, func(one *Linter) bool { return one.Takes == nil || one.Takes(f) })]
}

// Knows reports whether a file with this name in a folder is judged.
func (l Linters) Knows(name string) bool {
	return slices.ContainsFunc(l, func(one *Linter) bool { return one.Knows(name) })
}

// Passed reports whether a file in a folder is skipped: by its name, or, if it was opened, also by its beginning.
func Passed(l Linters, f File, opened bool) bool {
	return !l.Knows(f.Name) && !slices.ContainsFunc(l, func(one *Linter) bool {
		ends := slices.ContainsFunc(one.Ends, func(end string) bool { return strings.HasSuffix(f.Name, end) })
		begins := one.Takes
		if one.Begins != nil {
			begins = one.Begins
		}
		return ends && (!opened || begins(f))
	})
}

// First returns the number of bytes of a file that determine its linter. Further bytes are read only if that linter judges more.
func (l Linters) First() int {
	asked := l.Asked()
	return asked[len(asked)-1].Most
}

// Unmarked returns the bytes of a file in the form for its linter: without the byte order mark if a linter with PastMark accepts the file.
func (l Linters) Unmarked(f File) []byte {
	if slices.ContainsFunc(l, func(one *Linter) bool { return one.PastMark && one.Takes != nil && one.Takes(f) }) {
		return bytes.TrimPrefix(f.Data, []byte(ByteOrderMark))
	}
	return f.Data
}

// Check judges every file by its linter. The result has a row for each file, in their order, and sorted diagnostics.
func (l Linters) Check(files []File) Result {
	r := Result{Files: make([]Taken, len(files))}
	at := map[*Linter][]int{} // the files of each linter
	for i, f := range files {
		one := l.Of(f)
		at[one] = append(at[one], i)
	}
	for _, one := range l.Asked() {
		own := make([]File, len(at[one]))
		for k, i := range at[one] {
			own[k] = files[i]
		}
		judged := one.Check(own)
		for k, i := range at[one] {
			r.Files[i] = judged.Files[k]
		}
		r.Diagnostics = append(r.Diagnostics, judged.Diagnostics...)
	}
	r.Diagnostics.Sort()
	return r
}

// Names returns the base names of all files for messages. For a linter that recognises files by their text, it contains the usual name.
func (l Linters) Names() (names []string) {
	for _, one := range l {
		if names = append(names, one.Names...); len(one.Names) == 0 && len(one.Also) > 0 {
			names = append(names, one.Also[0])
		}
	}
	return names
}

// Searched returns the base names of all files that are judged in a folder.
func (l Linters) Searched() (names []string) {
	for _, one := range l {
		names = slices.Concat(names, one.Names, one.Also)
	}
	return names
}

// Topics returns every code that linters report.
func (l Linters) Topics() []diag.Topic {
	all := []diag.Topic{Unjudged}
	for _, one := range l {
		all = slices.Concat(all, one.Unjudged, one.Rules)
	}
	return all
}

// Unjudged reports whether a finding only states that a file is not judged.
func (l Linters) Unjudged(d *diag.Diagnostic) bool {
	is := func(topic diag.Topic) bool { return topic.Code == d.Code }
	return is(Unjudged) || slices.ContainsFunc(l, func(one *Linter) bool { return slices.ContainsFunc(one.Unjudged, is) })
}
