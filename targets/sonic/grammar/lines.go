package grammar

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// Place is the line and the column of a byte of a text. Both count from 1, and columns count characters.
type Place struct{ Line, Column int }

// Lines finds the lines of a text. It stores the place of every 4096th byte, so that the time for one place does not grow with the text.
type Lines struct {
	data  []byte
	once  sync.Once
	marks []Place
}

const step = 1 << 12

// NewLines returns the lines of a text.
func NewLines(data []byte) *Lines { return &Lines{data: data} }

// Place returns the line and the column of a byte.
func (l *Lines) Place(at int) Place {
	if l == nil {
		return Place{1, 1}
	}
	l.once.Do(func() {
		l.marks = make([]Place, 1, len(l.data)/step+1)
		l.marks[0] = Place{1, 1}
		for from := 0; from+step <= len(l.data); from += step {
			l.marks = append(l.marks, l.marks[from/step].behind(l.data[from:from+step]))
		}
	})
	at = min(max(at, 0), len(l.data))
	return l.marks[at/step].behind(l.data[at/step*step : at])
}

// behind returns the place after a text.
func (p Place) behind(text []byte) Place {
	if last := bytes.LastIndexByte(text, '\n'); last >= 0 {
		p.Line += bytes.Count(text, []byte{'\n'})
		p.Column, text = 1, text[last+1:]
	}
	for _, c := range text {
		if utf8.RuneStart(c) {
			p.Column++
		}
	}
	return p
}

// Range returns the range of the word at a byte. name is the file's name.
func (l *Lines) Range(name string, at int) diag.Range {
	if l == nil {
		l = &Lines{}
	}
	at = min(max(at, 0), len(l.data))
	p := l.Place(at)
	r := diag.Range{Filename: name}
	r.Start.Line, r.Start.Column, r.Start.Byte = p.Line, p.Column, at
	const longest = 200
	word := l.data[at:min(len(l.data), at+longest)]
	if len(word) > 0 {
		end := 1 + bytes.IndexAny(word[1:], "\",:{}[] \n\r\t")
		if quoted := bytes.IndexAny(word[1:], "\"\n"); word[0] == '"' && quoted >= 0 && word[1+quoted] == '"' {
			end = quoted + len(`""`)
		}
		if end > 0 {
			word = word[:end]
		}
	}
	r.End = r.Start
	r.End.Column, r.End.Byte = p.Column+utf8.RuneCount(word), at+len(word)
	return r
}
