package topology

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/rocec/rocec/lang/diag"
)

// places converts offsets in the text of one file to ranges. A reader stores offsets, which are small, and calls at for the places that
// it needs. Calls in about the order of the file are cheap. It is not safe for concurrent use.
//
// Columns count grapheme clusters, as in hcl. After the first 4 KiB of a line that is not ASCII they count bytes: no reader needs such
// columns, and counting clusters would take quadratic time.
type places struct {
	name, text string
	ascii      bool
	lines      []int // offsets of the lines
	last       int   // the line of the last call
}

// newPlaces returns the places of a file.
func newPlaces(name, text string) *places {
	p := &places{name: name, text: text, ascii: true, lines: make([]int, 1, 1+strings.Count(text, "\n"))}
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		p.lines = append(p.lines, at)
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			p.ascii = false
			break
		}
	}
	return p
}

// at returns the place between two offsets. Offsets outside of the text are moved to its ends.
func (p *places) at(from, to int) diag.Range {
	from = min(max(from, 0), len(p.text))
	to = min(max(to, from), len(p.text))
	r := diag.Range{Filename: p.name, Start: p.position(from)}
	if r.End = r.Start; to > from {
		r.End = p.position(to)
	}
	return r
}

func (p *places) position(at int) hcl.Pos {
	for tries := 0; ; tries++ {
		if tries == 2 {
			i, exact := slices.BinarySearch(p.lines, at)
			if p.last = i; !exact {
				p.last--
			}
		}
		if p.lines[p.last] <= at && (p.last+1 == len(p.lines) || at < p.lines[p.last+1]) {
			break
		}
		p.last = min(p.last+1, len(p.lines)-1)
	}
	begin := p.lines[p.last]
	const far = 4 << 10
	if p.ascii || at-begin > far || isASCII(p.text[begin:at]) {
		return hcl.Pos{Line: p.last + 1, Column: at - begin + 1, Byte: at}
	}
	all := func(data []byte, _ bool) (int, []byte, error) { return len(data), data, nil }
	line := strings.ReplaceAll(p.text[begin:at], "\r", " ") // the scanner would read a single carriage return as the end of a line
	sc := hcl.NewRangeScanner([]byte(line), "", all)
	sc.Scan()
	return hcl.Pos{Line: p.last + 1, Column: sc.Range().End.Column, Byte: at}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
