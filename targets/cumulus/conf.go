package cumulus

import (
	"errors"
	"strconv"
	"strings"
)

// line is one line of a traffic.conf with every byte of it: head + value + tail + end.
//
//	  key  =  value   # comment\r\n
//	|---head--|value|---tail---|end|
//
// A line that is no setting (a comment, an empty line, a line without "=") is all head. A comment that hides a setting
// ("# key = value"), as the templates of the factory do, has its key and hidden set.
type line struct {
	head, value, tail, end string
	key                    string
	hidden                 bool
}

func (l *line) active() bool { return l.key != "" && !l.hidden }

func (l *line) blank() bool { return strings.TrimSpace(l.head) == "" && l.key == "" }

func (l *line) appendTo(b []byte) []byte {
	b = append(b, l.head...)
	b = append(b, l.value...)
	b = append(b, l.tail...)
	return append(b, l.end...)
}

// maxFile bounds a traffic.conf; those of the factory have 10 kB.
const maxFile = 1 << 20

// The reasons not to touch a file at all.
var (
	errBinary   = errors.New("it holds NUL bytes, so it is no text file")
	errReturns  = errors.New("it holds carriage returns inside lines, so where its lines end is uncertain")
	errTooLarge = errors.New("it is larger than 1 MiB")
)

// parse splits a file into lines; printing them gives the same bytes. The error says why the file should not be
// edited; the lines are good for reading all the same.
func parse(content []byte) (lines []line, err error) {
	if len(content) > maxFile {
		return nil, errTooLarge
	}
	text := string(content)
	if strings.IndexByte(text, 0) >= 0 {
		err = errBinary
	}
	lines = make([]line, 0, strings.Count(text, "\n")+1)
	for text != "" {
		var l line
		body, rest, found := strings.Cut(text, "\n")
		if found {
			l.end = "\n"
		}
		if found && strings.HasSuffix(body, "\r") {
			body, l.end = body[:len(body)-1], "\r\n"
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

// split takes a line apart.
func (l *line) split(body string) {
	l.head = body
	name, rest, found := strings.Cut(body, "=")
	if !found {
		return
	}
	name = strings.Trim(name, " \t")
	if strings.HasPrefix(name, "#") {
		l.hidden = true
		name = strings.TrimLeft(name, "# \t")
	}
	if !isKey(name) {
		l.hidden = false
		return
	}
	l.key = name
	if l.hidden {
		return
	}
	value := strings.TrimLeft(rest, " \t")
	l.head = body[:len(body)-len(value)]
	n := len(strings.TrimRight(value[:comment(value)], " \t"))
	l.value, l.tail = value[:n], value[n:]
}

// comment gives where a comment behind a value begins.
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

// isKey tells whether s can be a key: dotted words.
func isKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-') {
			return false
		}
	}
	return s != ""
}

// values gives the value of every active key; of a key set twice, the last.
func values(lines []line) map[string]string {
	m := make(map[string]string, len(lines))
	for i := range lines {
		if l := &lines[i]; l.active() {
			m[l.key] = l.value
		}
	}
	return m
}

// items gives the members of a list, with or without brackets: "[a, b]", "swp1,swp2".
func items(value string) []string {
	value = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), "["), "]")
	var out []string
	for s := range strings.SplitSeq(value, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// number reads a small decimal number without leading zeros.
func number(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && strconv.FormatUint(n, 10) == s
}
