package grammar

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// Lines has the lines of a text, and converts places to ranges.
type Lines struct {
	name   string
	data   []byte
	starts []int
	marks  map[int][]int // of long lines: the byte of each mark
}

// NewLines returns the lines of a text with a name.
func NewLines(name string, data []byte) *Lines {
	return &Lines{name: name, data: data, marks: map[int][]int{}}
}

// widest is the maximum shown length of a word, and the distance between the marks of a line.
const widest = 4096

// line returns the byte at which a line begins, and its text.
func (l *Lines) line(n int) (from int, text []byte, ok bool) {
	if l.starts == nil {
		first := 0
		if bytes.HasPrefix(l.data, []byte("\xef\xbb\xbf")) { // places do not count the byte-order mark
			first = 3
		}
		l.starts = []int{first}
		for i, c := range l.data {
			if c == '\n' {
				l.starts = append(l.starts, i+1)
			}
		}
		l.starts = append(l.starts, len(l.data)+1)
	}
	if n < 1 || n >= len(l.starts) {
		return 0, nil, false
	}
	from = l.starts[n-1]
	return from, l.data[from : l.starts[n]-1], true
}

// column returns the byte of a line at which a column begins.
func (l *Lines) column(n, column int, line []byte) int {
	marks := l.marks[n]
	if marks == nil && len(line) > widest {
		marks = []int{0}
		count := 0
		for i := 0; i < len(line); count++ {
			if count == widest*len(marks) {
				marks = append(marks, i)
			}
			_, size := utf8.DecodeRune(line[i:])
			i += size
		}
		l.marks[n] = marks
	}
	at, passed := 0, 0
	if len(marks) > 0 {
		k := min(max(column-1, 0)/widest, len(marks)-1)
		at, passed = marks[k], k*widest
	}
	for ; at < len(line) && passed < column-1; passed++ {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return at
}

// Range returns the range of the word at a place. For a place outside the text, it returns the beginning of the text.
func (l *Lines) Range(at Place) diag.Range {
	r := diag.Range{Filename: l.name}
	r.Start.Line, r.Start.Column, r.End.Line, r.End.Column = 1, 1, 1, 1
	from, line, ok := l.line(at.Line)
	if !ok {
		return r
	}
	start := l.column(at.Line, at.Column, line)
	text := line[start:]
	text = text[:min(len(text), widest)]
	word := wordOf(strings.TrimRight(string(text), " \t\r"), bytes.IndexByte(line[:start], '{') >= 0)
	r.Start.Line, r.End.Line = at.Line, at.Line
	r.Start.Column = max(at.Column, 1)
	if start == len(line) {
		r.Start.Column = utf8.RuneCount(line) + 1
	}
	r.End.Column = r.Start.Column + utf8.RuneCountInString(word)
	r.Start.Byte, r.End.Byte = from+start, from+start+len(word)
	return r
}

// Span returns the range from one word to the end of another one in the same line. If the lines differ, it returns the first word.
func (l *Lines) Span(at, to Place) diag.Range {
	r := l.Range(at)
	if end := l.Range(to); at.Line == to.Line && end.End.Byte > r.End.Byte {
		r.End = end.End
	}
	return r
}

// wordOf returns the word at the beginning of a text. Within the braces of JSON a comma ends a word.
func wordOf(text string, braces bool) string {
	if text == "" {
		return ""
	}
	if q := text[0]; q == '"' || q == '\'' {
		if i := strings.IndexByte(text[1:], q); i >= 0 {
			return text[:i+2]
		}
	}
	for i := 1; i < len(text); i++ {
		last := i+1 == len(text)
		switch c := text[i]; {
		case c == ' ', c == '}', c == ']', c == ',' && (braces || last || text[i+1] == ' '), c == ':' && (last || text[i+1] == ' '):
			return text[:i]
		}
	}
	return text
}

// Shown returns the line of a place, shortened if it is long. Outside the text, the line is empty.
func (l *Lines) Shown(at Place) string {
	_, line, _ := l.line(at.Line)
	text := strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), 120)]), "?"))
	return diag.Escape(text)
}
