package lang

import (
	"fmt"
	"strings"
)

// didYouMean ends a message about an unknown name: the nearest known one, or all of them when they are few.
func didYouMean(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return list(" Known: ", known)
}

// list writes names behind a lead, or nothing when there are none; long lists are cut.
func list(lead string, names []string) string {
	const most = 24
	switch {
	case len(names) == 0:
		return " None is declared."
	case len(names) > most:
		return fmt.Sprintf("%s%s and %d more.", lead, strings.Join(names[:most], ", "), len(names)-most)
	}
	return lead + strings.Join(names, ", ") + "."
}

// nearest returns the known name at the smallest edit distance from name, if that is a likely slip; the first of
// several. Long lists and long names are not worth the work.
func nearest(name string, known []string) string {
	if len(name) > 64 || len(known) > 2000 {
		return ""
	}
	best, at := "", max(len(name)/3, 1)+1
	for _, k := range known {
		if len(k) > 64 {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with a neighbour.
func distance(a, b string) int {
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}

// cut shortens what a message quotes.
func cut(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
