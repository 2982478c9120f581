package lsp

import (
	"sort"
	"unicode/utf8"
)

// Encoding is the unit in which a position counts characters.
type encoding string

// The encodings. Every client knows UTF-16; UTF-8 needs no counting, and is used if the client offers it.
const (
	utf16Encoding encoding = "utf-16"
	utf8Encoding  encoding = "utf-8"
)

// text is a file with its lines. The protocol has places as line and character, package lang has them as bytes.
type text struct {
	src   []byte
	lines []int // offset of each line; a line ends with \n, \r\n or \r
	enc   encoding
}

func newText(src []byte, enc encoding) *text {
	t := &text{src: src, lines: []int{0}, enc: enc}
	for i, c := range src {
		if c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// position returns the line and character of an offset.
func (t *text) position(offset int) position {
	offset = min(max(offset, 0), len(t.src))
	line := sort.SearchInts(t.lines, offset+1) - 1
	start := t.lines[line]
	if t.enc == utf8Encoding {
		return position{line, offset - start}
	}
	units := 0
	for i := start; i < offset; {
		r, n := utf8.DecodeRune(t.src[i:])
		units += utf16Units(r)
		i += n
	}
	return position{line, units}
}

// offset returns the byte offset of a position. A position after the end of a line is the end of the line; one after the last line is the
// end of the text.
func (t *text) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.src)
	}
	at, end := t.lines[p.Line], len(t.src)
	if p.Line+1 < len(t.lines) {
		end = t.lines[p.Line+1]
		if end > at && t.src[end-1] == '\n' {
			end--
		}
		if end > at && t.src[end-1] == '\r' {
			end--
		}
	}
	if t.enc == utf8Encoding {
		at = min(max(p.Character, 0)+at, end)
		for at > t.lines[p.Line] && at < end && !utf8.RuneStart(t.src[at]) {
			at--
		}
		return at
	}
	for units := 0; at < end; {
		r, n := utf8.DecodeRune(t.src[at:])
		if units += utf16Units(r); units > p.Character {
			break
		}
		at += n
	}
	return at
}

func utf16Units(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// span returns the range of the bytes from, to.
func (t *text) span(from, to int) textRange { return textRange{t.position(from), t.position(to)} }

// replace returns the text with the characters of a range replaced.
func (t *text) replace(r textRange, by string) *text {
	from, to := t.offset(r.Start), t.offset(r.End)
	if to < from {
		from, to = to, from
	}
	out := make([]byte, 0, len(t.src)-(to-from)+len(by))
	out = append(append(append(out, t.src[:from]...), by...), t.src[to:]...)
	return newText(out, t.enc)
}

// edits returns the changes that turn the text into b. In a line that differs, only the differing part changes. Formatting moves blanks
// inside of lines, so the cursor keeps its place.
func (t *text) edits(b []byte) []textEdit {
	old, now := splitLines(t.src), splitLines(b)
	if len(old) != len(now) { // lines were added or removed: equal lines at the beginning and end stay
		head := 0
		for head < min(len(old), len(now)) && old[head] == now[head] {
			head++
		}
		tail := 0
		for tail < min(len(old), len(now))-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
			tail++
		}
		from, to := length(old[:head]), len(t.src)-length(old[len(old)-tail:])
		return []textEdit{{t.span(from, to), string(b[from : len(b)-length(now[len(now)-tail:])])}}
	}
	var out []textEdit
	at := 0
	for i := range old {
		if old[i] != now[i] {
			head, tail := common(old[i], now[i])
			out = append(out, textEdit{t.span(at+head, at+len(old[i])-tail), now[i][head : len(now[i])-tail]})
		}
		at += len(old[i])
	}
	return out
}

// splitLines splits a text after every newline.
func splitLines(b []byte) []string {
	var out []string
	from := 0
	for i, c := range b {
		if c == '\n' {
			out = append(out, string(b[from:i+1]))
			from = i + 1
		}
	}
	return append(out, string(b[from:]))
}

func length(lines []string) int {
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	return n
}

// common returns how many bytes two strings share at the beginning, and how many of the rest at the end. It counts whole characters.
func common(a, b string) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for head > 0 && head < len(a) && !utf8.RuneStart(a[head]) {
		head--
	}
	for head > 0 && head < len(b) && !utf8.RuneStart(b[head]) {
		head--
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(a[len(a)-tail]) {
		tail--
	}
	return head, tail
}
