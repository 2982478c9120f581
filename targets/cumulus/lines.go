package cumulus

import "strings"

// Line is one line of a file of settings (traffic.conf and its kin), for a reader that judges it. Offsets are bytes in
// the file.
type Line struct {
	Text           string // without its line end
	Start          int    // where Text begins
	Key, Value     string // empty: no setting; Value stays empty where Hidden
	KeyAt, ValueAt int
	Hidden         bool // a comment that hides a setting ("# key = value")
}

// MaxFile is the largest file [Lines] reads.
const MaxFile = maxFile

// Lines reads a file as the writer of traffic.conf does: keys are dotted words, a comment ends a value, quotes protect
// "#". A file larger than [MaxFile] has no lines.
func Lines(content []byte) []Line {
	lines, _ := parse(content) // the error is about editing
	out := make([]Line, len(lines))
	at := 0
	for i := range lines {
		l := &lines[i]
		out[i] = Line{Text: l.head + l.value + l.tail, Start: at, Key: l.key, Value: l.value, Hidden: l.hidden}
		if l.active() {
			out[i].KeyAt = at + strings.Index(l.head, l.key)
			out[i].ValueAt = at + len(l.head)
		}
		at += len(out[i].Text) + len(l.end)
	}
	return out
}
