package tools

import (
	"errors"
	"maps"
	"strings"

	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/target"
)

// errSeveral is the reason why a capture of a terminal is not kept.
var errSeveral = errors.New("one line has several commands, and one of them could hold secrets")

// errOther is the reason why a text of a host is not kept.
var errOther = errors.New("its meaning changes without the lines that rocec does not read")

// errObjects is the reason why objects of Kubernetes are not kept.
var errObjects = errors.New("it has objects of Kubernetes, and one of them could hold secrets")

// Keep returns a text of a host without the lines that no known tool has printed, and the number of these lines. It replaces each such
// line, and the arguments of other commands, by a word of one letter. It replaces a prompt with names by a plain prompt, and removes
// comments of scripts.
func Keep(path string, data []byte) (kept []byte, dropped int, err error) {
	if nicoperator.Is(data) {
		return nil, 0, errObjects
	}
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
