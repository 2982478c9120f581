package conflint

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// MaxFile is the size in bytes up to which a file is judged.
const MaxFile = grammar.MaxFile

// mostLines is the number of lines up to which a file is judged.
const mostLines = 100_000

// source is a parsed file.
type source struct {
	lint.File
	kind     grammar.Dialects // the dialects that a file with this name can have
	cand     grammar.Dialects
	nameless bool // the name is not one of [grammar.Files]
	readable bool
	settings []*setting // the active settings
	hidden   []string   // keys of commented settings
	meant    []meaning  // the intended keys of misspelled ones
}

// meaning is the key that a person most likely meant by a misspelled one. rocec does not report it as missing.
type meaning struct {
	key string
	row *grammar.Key
}

// setting is one line that sets a key.
type setting struct {
	src            *source
	key            string
	words          []string
	row            *grammar.Key // nil: no release has the key
	number         int          // the cos, queue or pool in the key; -1: none
	group          string       // the group in the key
	value          string       // as written, without a comment
	keyAt, valueAt diag.Range

	ok    bool // at least a part of the value could be read
	n     int
	on    bool
	real  float64
	list  []item
	empty bool // an empty list, as written in the file
	part  bool // some elements of the list could not be read
}

func (t *setting) feature() grammar.Feature { return grammar.Feature(t.words[0]) }

// item is a value, or an element of a list.
type item struct {
	text string
	n    int
	at   diag.Range
}

// unreadable returns the first reason why a file is not a text file of settings, and its place.
func (s *source) unreadable() (at diag.Range, why string) {
	if s.Why != "" {
		return s.Top(), s.Why
	}
	if len(s.Data) > MaxFile {
		return s.Top(), "It is larger than 1 MiB, and factory files have about 10 KiB. Make sure that it is the right file."
	}
	if bytes.HasPrefix(s.Data, []byte(lint.ByteOrderMark)) {
		return s.Top(), "It begins with a byte order mark, which some editors write; the switch misreads the first line. Save it as plain " +
			"UTF-8."
	}
	line, start := 1, 0
	for i := 0; i < len(s.Data); {
		if line > mostLines {
			return s.Span(line, i, i, i), "It has more than " + diag.Number(mostLines) + " lines, and factory files have a few hundred. Make " +
				"sure that it is the right file."
		}
		switch c := s.Data[i]; {
		case c == '\n':
			line++
			start = i + 1
		case c == 0:
			return s.Span(line, start, i, i+1), "It contains a NUL byte, so it is not a text file. Make sure that it was copied completely."
		case c == '\r' && (i+1 == len(s.Data) || s.Data[i+1] != '\n'):
			return s.Span(line, start, i, i+1), "It contains a carriage return inside a line, so the ends of its lines are uncertain. End every " +
				"line with a newline."
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(s.Data[i:])
			if r == utf8.RuneError && n == 1 {
				return s.Span(line, start, i, i+1), "It contains a byte that is not UTF-8, so it is not a text file, or has an old encoding. Save " +
					"it as UTF-8."
			}
			i += n
			continue
		}
		i++
	}
	return diag.Range{}, ""
}

// read parses the file, and reports lines that set nothing and keys that are set twice.
func (s *source) read(u *unit) {
	if at, why := s.unreadable(); why != "" {
		u.errorf(&topicUnreadable, at, "%s cannot be judged. %s", s.Name, why)
		return
	}
	s.readable = true
	first := map[string]*setting{}
	again := map[string][]*setting{}
	var order []string
	lines, _ := grammar.Parse(s.Data) // the error only matters for an edit
	end := 0
	for i := range lines {
		l := &lines[i]
		start := end
		end += len(l.Text()) + len(l.End)
		keyAt, valueAt := start+strings.Index(l.Head, l.Key), start+len(l.Head)
		switch {
		case l.Hidden:
			s.hidden = append(s.hidden, l.Key)
			continue
		case l.Key == "":
			s.noSetting(u, i+1, start, l.Text())
			continue
		case len(l.Key) > longestKey:
			u.errorf(&topicSyntax, s.Span(i+1, start, keyAt, keyAt+len(l.Key)), "The key %s has %d letters, and no release has a key of that "+
				"length. Make sure that the file was copied completely.", show(l.Key), len(l.Key))
			continue
		}
		t := &setting{src: s, key: l.Key, words: strings.Split(l.Key, "."), value: l.Value}
		t.row, t.number, t.group = grammar.Match(t.words)
		t.keyAt = s.Span(i+1, start, keyAt, keyAt+len(l.Key))
		t.valueAt = s.Span(i+1, start, valueAt, valueAt+len(l.Value))
		s.settings = append(s.settings, t)
		if first[t.key] == nil {
			first[t.key] = t
			continue
		}
		if again[t.key] == nil {
			order = append(order, t.key)
		}
		again[t.key] = append(again[t.key], t)
	}
	for _, key := range order {
		twice(u, first[key], again[key])
	}
}

// noSetting reports a line that is neither a setting nor a comment nor empty.
func (s *source) noSetting(u *unit, number, start int, line string) {
	text := strings.Trim(line, " \t")
	if text == "" || text[0] == '#' {
		return
	}
	from := start + strings.Index(line, text)
	at := s.Span(number, start, from, from+len(text))
	key, _, found := strings.Cut(text, "=")
	switch key = strings.TrimSpace(key); {
	case !found:
		u.errorf(&topicSyntax, at, "The line %s is not a setting: it has no \"=\". The switch refuses the file, or ignores this line. Write "+
			"key = value, or put a # in front if it is a comment.", show(text))
	case key == "":
		u.errorf(&topicSyntax, at, "The line %s has no key before its \"=\". Write key = value.", show(text))
	default:
		u.errorf(&topicSyntax, s.Span(number, start, from, from+len(key)), "%s is not a key: keys are words of letters, digits, "+
			"_ and -, joined by dots. "+
			"Write key = value, or put a # in front if it is a comment.", show(key))
	}
}

// twice reports a key that is set more than once.
func twice(u *unit, first *setting, again []*setting) {
	last := again[len(again)-1]
	var d *diag.Diagnostic
	often := "twice"
	if len(again) > 1 {
		often = diag.Number(len(again)+1) + " times"
	}
	if slices.ContainsFunc(again, func(t *setting) bool { return t.value != first.value }) {
		d = u.warnf(&topicDuplicate, last.keyAt, "%s is set %s, to different values. The manuals do not state which line counts; rocec "+
			"judges the last line. Keep one of the lines.", show(last.key), often)
	} else {
		d = u.noticef(&topicDuplicate, last.keyAt, "%s is set %s, to the same value. One line is enough.", show(last.key), often)
	}
	d.Note(first.keyAt, "first set here")
}

// show quotes a text from the file. It shortens and escapes the text, so that every output format can contain it.
func show(text string) string {
	const longest = 48
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "..."
	}
	return `"` + diag.Escape(text) + `"`
}
