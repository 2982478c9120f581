// Package viewtest judges for tests what a view prints.
package viewtest

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// paint is what colours text on a terminal.
var paint = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// Fits holds text to a width: a line is wider only where it is one word, or a word and the path behind it.
func Fits(t require.TestingT, text string, width int) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		_, rest, more := strings.Cut(strings.TrimSpace(line), " ")
		columns := utf8.RuneCountInString(paint.ReplaceAllString(line, ""))
		require.True(t, columns <= width || !more || diag.StartsPath(rest) && !strings.Contains(rest, " "), "%d columns: %q", columns, line)
	}
}
