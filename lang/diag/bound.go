package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The bounds of messages, in bytes. A name or a value in a fabric, in a file or on a device may have any length, but a person must be
// able to read the message.
const (
	mostName    = 200      // of a word without a space, such as a name or a path
	mostMessage = 2000     // of a detail, a note or a fix
	mostText    = 16 << 10 // of a text of several lines
)

// Shorten cuts the middle out of long words, and out of a long message. In its place is the number of bytes that are left out. Every
// message is shortened by this rule.
func Shorten(message string) string { return shorten(message, mostMessage) }

func shorten(s string, most int) string {
	if len(s) <= mostName {
		return s
	}
	return middleOut(shortWords(s), most, most/4, " ... (%s left out) ... ")
}

// shortWords cuts the words of s that are too long.
func shortWords(s string) string {
	var b strings.Builder
	from := 0 // start of the part of s that is not yet in b
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && s[end] != ' ' && s[end] != '\n' && s[end] != '\t' {
			end++
		}
		if end-start > mostName {
			b.WriteString(s[from:start])
			b.WriteString(middleOut(s[start:end], mostName, mostName/4, "...(%s left out)..."))
			from = end
		}
		start = end + 1
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// middleOut cuts a text of more than most bytes. The result is its beginning, the number of bytes that are left out, and its last bytes.
func middleOut(s string, most, last int, mark string) string {
	if len(s) <= most {
		return s
	}
	const room = 50 // length of the mark with its number
	head, tail := most-last-room, len(s)-last
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + fmt.Sprintf(mark, Bytes(tail-head)) + s[tail:]
}

// shorten bounds the texts of d.
func (d *Diagnostic) shorten() {
	d.Detail, d.Text = Shorten(d.Detail), shorten(d.Text, mostText)
	for i := range d.Notes {
		d.Notes[i].Message = Shorten(d.Notes[i].Message)
	}
	if d.Fix != nil {
		d.Fix.Message = Shorten(d.Fix.Message)
	}
}
