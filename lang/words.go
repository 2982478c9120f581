package lang

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// didYouMean ends a message about an unknown name: the nearest known one, or all of them when they are few.
func didYouMean(name string, known []string) string {
	if near := diag.Nearest(name, known); near != "" {
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

// cut shortens what a message quotes.
func cut(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
