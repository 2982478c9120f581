package grammar

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// Lines is the lines of a text, by which places become ranges.
type Lines struct {
	name   string
	data   []byte
	starts []int
}

// NewLines returns the lines of a text that has a name.
func NewLines(name string, data []byte) *Lines { return &Lines{name: name, data: data} }

// widest is the part of a line that is read.
const widest = 4096

// line gives where a line begins, and its beginning.
func (l *Lines) line(n int) (from int, text []byte, ok bool) {
	if l.starts == nil {
		l.starts = []int{0}
		for i, c := range l.data {
			if c == '\n' {
				l.starts = append(l.starts, i+1)
			}
		}
	}
	if n < 1 || n > len(l.starts) {
		return 0, nil, false
	}
	from = l.starts[n-1]
	text = l.data[from:]
	text = text[:min(len(text), widest)]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return from, text, true
}

// Range gives the word at a place; outside of the text, the beginning of the text.
func (l *Lines) Range(at Place) diag.Range {
	r := diag.Range{Filename: l.name}
	r.Start.Line, r.Start.Column, r.End.Line, r.End.Column = 1, 1, 1, 1
	from, line, ok := l.line(at.Line)
	if !ok {
		return r
	}
	column, start := 1, 0
	for start < len(line) && column < at.Column {
		_, n := utf8.DecodeRune(line[start:])
		start += n
		column++
	}
	word := strings.TrimRight(string(line[start:]), " \t\r")
	if i := strings.IndexAny(word, ":,}] "); i > 0 {
		word = word[:i]
	}
	r.Start.Line, r.End.Line = at.Line, at.Line
	r.Start.Column, r.End.Column = column, column+utf8.RuneCountInString(word)
	r.Start.Byte, r.End.Byte = from+start, from+start+len(word)
	return r
}

// Shown is the line of a place, cut where it is long; outside of the text, an empty one.
func (l *Lines) Shown(at Place) string {
	_, line, _ := l.line(at.Line)
	text := strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), 120)]), "?"))
	return diag.Escape(text)
}
