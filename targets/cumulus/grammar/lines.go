package grammar

import (
	"errors"
	"strings"
)

// Line is one line of a file with all its bytes: Head + Value + Tail + End.
//
//	  key  =  value   # comment\r\n
//	|---head--|value|---tail---|end|
//
// Head contains the whole line if it is not a setting (a comment, an empty line, a line without "="). Key and Hidden are set for a
// commented setting ("# key = value"), as in the factory's templates.
type Line struct {
	Head, Value, Tail, End string
	Key                    string
	Hidden                 bool
}

// Active reports whether the line sets a key.
func (l *Line) Active() bool { return l.Key != "" && !l.Hidden }

// Blank reports whether the line is empty.
func (l *Line) Blank() bool { return strings.TrimSpace(l.Head) == "" && l.Key == "" }

// Text returns the line without its end.
func (l *Line) Text() string { return l.Head + l.Value + l.Tail }

// AppendTo appends the line to b.
func (l *Line) AppendTo(b []byte) []byte {
	b = append(b, l.Head...)
	b = append(b, l.Value...)
	b = append(b, l.Tail...)
	return append(b, l.End...)
}

// MaxFile is the size limit of a file in bytes; factory files have about 10 kB.
const MaxFile = 1 << 20

// The reasons why a file is not edited.
var (
	errBinary   = errors.New("it contains NUL bytes, so it is not a text file")
	errReturns  = errors.New("it contains carriage returns inside lines, so the ends of its lines are uncertain")
	errTooLarge = errors.New("it is larger than 1 MiB")
)

// Parse splits a file into lines; printing the lines returns the same bytes. Keys are words joined by dots. A "#" outside of quotes begins
// a comment and ends a value. The error states why the file should not be edited; the lines can still be read. A file larger than
// [MaxFile] yields no lines.
func Parse(content []byte) (lines []Line, err error) {
	if len(content) > MaxFile {
		return nil, errTooLarge
	}
	text := string(content)
	if strings.IndexByte(text, 0) >= 0 {
		err = errBinary
	}
	lines = make([]Line, 0, strings.Count(text, "\n")+1)
	for text != "" {
		var l Line
		body, rest, found := strings.Cut(text, "\n")
		if found {
			l.End = "\n"
		}
		if found && strings.HasSuffix(body, "\r") {
			body, l.End = body[:len(body)-1], "\r\n"
		}
		if strings.IndexByte(body, '\r') >= 0 {
			err = errReturns
		}
		l.split(body)
		lines = append(lines, l)
		text = rest
	}
	return lines, err
}

// split parses a line.
func (l *Line) split(body string) {
	l.Head = body
	name, rest, found := strings.Cut(body, "=")
	if !found {
		return
	}
	name = strings.Trim(name, " \t")
	if strings.HasPrefix(name, "#") {
		l.Hidden = true
		name = strings.TrimLeft(name, "# \t")
	}
	if !isKey(name) {
		l.Hidden = false
		return
	}
	l.Key = name
	if l.Hidden {
		return
	}
	value := strings.TrimLeft(rest, " \t")
	l.Head = body[:len(body)-len(value)]
	n := len(strings.TrimRight(value[:comment(value)], " \t"))
	l.Value, l.Tail = value[:n], value[n:]
}

// comment returns the index at which a comment after a value begins.
func comment(s string) int {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '#' && !quoted:
			return i
		}
	}
	return len(s)
}

// isKey reports whether s can be a key: dotted words.
func isKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-') {
			return false
		}
	}
	return s != ""
}

// Values contains the value of every active key: the last one, if a key is set twice.
type Values map[string]string

// ValuesOf collects the values of lines.
func ValuesOf(lines []Line) Values {
	m := make(Values, len(lines))
	for i := range lines {
		if l := &lines[i]; l.Active() {
			m[l.Key] = l.Value
		}
	}
	return m
}

// Get returns the value of the key of a feature that has a meaning, for a cos, queue or pool and a group. [Spell] spells the key.
func (v Values) Get(f Feature, m Meaning, n int, group string) (value string, ok bool) {
	value, ok = v[Spell(f, m, n, group)]
	return value, ok
}
