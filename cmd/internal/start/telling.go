package start

import (
	"slices"
	"strings"
)

// Telling returns the words of a name that drafts understand, with dashes between them: "leaf" of dc1-leaf07. Two names with the same
// words have the same role and the same height. It returns "" if the name has no such word.
func Telling(name string) string {
	var out []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if heights[part] > 0 {
			out = append(out, part)
			continue
		}
		for _, w := range words(part) {
			if heights[w] > 0 || slices.ContainsFunc([][]string{switchWords, hostWords, weakSwitches, weakHosts, outsiders, nowhere},
				func(all []string) bool { return slices.Contains(all, w) }) {
				out = append(out, w)
			}
		}
	}
	return strings.Join(out, "-")
}
