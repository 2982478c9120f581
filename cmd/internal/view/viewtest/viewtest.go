// Package viewtest checks the output of views in tests.
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

// Fits checks that text fits a width. A line may be wider only if it is one word, or a word followed by a path.
func Fits(t require.TestingT, text string, width int) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		_, rest, more := strings.Cut(strings.TrimSpace(line), " ")
		columns := utf8.RuneCountInString(paint.ReplaceAllString(line, ""))
		require.True(t, columns <= width || !more || diag.StartsPath(rest) && !strings.Contains(rest, " "), "%d columns: %q", columns, line)
	}
}
