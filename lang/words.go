package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// didYouMean ends a message about an unknown name: the nearest known one, or all of them when they are few.
func didYouMean(name string, known []string) string {
	if near := diag.Nearest(name, known); near != "" {
		return diag.Meant(near)
	}
	return list(" Write one of these: ", known)
}

// like gives the names an unknown one may stand for. It gives up when a fabric asks too often: a wrong name costs a look at all
// others, and a large fabric may be wrong everywhere.
func (l *loader) like(known func() []string) []string {
	if l.namesSeen > maxSeen {
		return nil
	}
	names := known()
	l.namesSeen += len(names)
	return names
}

// likeKeys is [loader.like] for the keys of a map.
func likeKeys[V any](l *loader, m map[string]V) []string {
	return l.like(func() []string { return sortedKeys(m) })
}

// list writes names behind a lead, or nothing when there are none; long lists are cut.
func list(lead string, names []string) string {
	const most = 25
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return lead + diag.Some(names, most) + "."
	}
	return lead + strings.Join(names, ", ") + "."
}

// article puts "a" or "an" before a word.
func article(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) || word == "ssh" {
		return "an " + word
	}
	return "a " + word
}

// beginning begins a sentence with it.
func beginning(word string) string {
	s := article(word)
	return strings.ToUpper(s[:1]) + s[1:]
}

// standsIn says where a block belongs that stands in the wrong place, or "" when there is no such block.
func (l *loader) standsIn(kind string) string {
	if kind != "ssh" && l.atTop(kind) {
		return beginning(kind) + " block stands at the top of a file. Move it there."
	}
	var parents []string
	for _, d := range l.blocks() {
		if parent, ok := strings.CutSuffix(d.Path, "."+kind); ok {
			if i := strings.LastIndexByte(parent, '.'); i >= 0 {
				parent = parent[i+1:]
			}
			parents = append(parents, article(parent))
		}
	}
	if len(parents) == 0 {
		return ""
	}
	return fmt.Sprintf("%s block stands in %s block. Move it there.", beginning(kind), diag.Or(parents))
}

// atTop tells whether blocks of a kind stand at the top of a file.
func (l *loader) atTop(kind string) bool {
	return slices.ContainsFunc(l.blocks(), func(d BlockDoc) bool { return d.Path == kind })
}

// shown is text of the person in a message, outside of quotes: its first line, cut, and safe to print.
func shown(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return diag.Escape(diag.Cut(strings.ReplaceAll(line, "\t", " ")))
}
