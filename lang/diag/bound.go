package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The bounds of messages. A name or a value of a fabric, a file or a device may be as long as its author likes; a message is for people.
const (
	mostName    = 200      // bytes of a word without a space, such as a name or a path
	mostMessage = 2000     // bytes of a detail, a note or a way out
	mostText    = 16 << 10 // bytes of a text that is laid out in lines
)

// Shorten is the rule for every message: a long word loses its middle, and so does a long message. Both say how much is left out.
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
	from := 0 // of s, what b has not got
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

// middleOut cuts a text of more than most bytes to fewer: its beginning, how much is left out, and its last bytes.
func middleOut(s string, most, last int, mark string) string {
	if len(s) <= most {
		return s
	}
	const room = 50 // of the mark with its number
	head, tail := most-last-room, len(s)-last
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + fmt.Sprintf(mark, Bytes(tail-head)) + s[tail:]
}

// shorten bounds what d says.
func (d *Diagnostic) shorten() {
	d.Detail, d.Text = Shorten(d.Detail), shorten(d.Text, mostText)
	for i := range d.Notes {
		d.Notes[i].Message = Shorten(d.Notes[i].Message)
	}
	if d.Fix != nil {
		d.Fix.Message = Shorten(d.Fix.Message)
	}
}
