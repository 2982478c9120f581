package tools

import (
	"errors"
	"maps"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// errSeveral is why a capture of a terminal is not kept.
var errSeveral = errors.New("a line of it has several commands, and one of them could hold secrets")

// errOther is why a text of a host is not kept.
var errOther = errors.New("it means something else without the lines that rocec does not read")

// Keep returns a text of a host without what no known tool has printed, and how many lines that were. A word of one letter takes the place
// of such a line, and of the arguments of other commands; a plain prompt that of a prompt with names. Comments of scripts go, too.
func Keep(path string, data []byte) (kept []byte, dropped int, err error) {
	k := &keeping{lines: map[int]string{}}
	contents := map[string][]byte{path: data}
	h := &host{box: readable(), keep: k}
	h.read(contents)
	if k.several {
		return nil, 0, errSeveral
	}
	var out strings.Builder
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		text := strings.TrimRight(line, "\r\n")
		with, replaced := k.lines[number]
		if comment := strings.TrimSpace(text); !k.capture && strings.HasPrefix(comment, "#") && !strings.HasPrefix(text, "#!") {
			with, replaced = "", true
		}
		switch {
		case !replaced:
			out.WriteString(line)
			continue
		case !strings.HasPrefix(with, plainPrompt) || !strings.HasSuffix(text, strings.TrimPrefix(with, plainPrompt)):
			dropped++
		}
		out.WriteString(with)
		out.WriteString(line[len(text):])
	}
	kept = []byte(out.String())
	was, is := Understand(target.Identity{}, contents), Understand(target.Identity{}, map[string][]byte{path: kept})
	all, whole := was.Settings.Differences(is.Settings)
	a, b := &was.Coverage, &is.Coverage
	if len(all) > 0 || !whole || a.Rows != b.Rows || len(a.Not) != len(b.Not) || !maps.Equal(a.Means, b.Means) {
		return nil, 0, errOther
	}
	return kept, dropped, nil
}

// plainPrompt replaces a prompt, which has names of a user and of a host.
const plainPrompt = "$ "

// keeping notes what replaces lines of a capture.
type keeping struct {
	capture bool
	several bool
	lines   map[int]string
}

// replace notes what replaces the line that is read.
func (r *reader) replace(with string) {
	if r.h.keep != nil && !r.stored {
		r.h.keep.lines[r.line] = with
	}
}

// replaceTyped notes what replaces a command line. Of a command that is no known tool its first word is left.
func (r *reader) replaceTyped(line string, typed *typedLine, tool *Printout) {
	switch {
	case r.h.keep == nil || r.stored:
	case tool == nil && r.plain(typed.words):
		r.replace(plainPrompt + typed.words[0])
	case tool == nil:
		r.replace(plainPrompt + "x")
	case typed.prompt && strings.Contains(line, "@") && strings.HasSuffix(strings.TrimSpace(line), typed.text):
		r.replace(plainPrompt + typed.text)
	}
}

// refuseOthers notes a line of several commands, of which one is that of no known tool.
func (r *reader) refuseOthers(all []command) {
	if r.h.keep == nil || r.stored {
		return
	}
	for _, c := range all {
		if words := stripSudo(c.words); len(words) > 0 && r.h.box.of(words[0]) == nil {
			r.h.keep.several = true
		}
	}
}

// replaceDocument notes a document that no tool prints, from the line that is read.
func (r *reader) replaceDocument(text string) {
	for i := range strings.Count(text, "\n") + 1 {
		if r.h.keep == nil || r.stored {
			return
		}
		r.h.keep.lines[r.line+i] = map[bool]string{true: `{"x": 0}`}[i == 0]
	}
}
