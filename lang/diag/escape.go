package diag

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes text from outside (a device, a file, a name) safe to print on a terminal: control characters other than
// newline and tab, bidirectional controls and invalid UTF-8 become Go escapes.
func Escape(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !printable(r) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if printable(r) {
			b.WriteString(s[i : i+n])
		} else {
			q := strconv.QuoteToASCII(s[i : i+n])
			b.WriteString(q[1 : len(q)-1])
		}
		i += n
	}
	return b.String()
}

// printable refuses U+FFFD too: it is what an invalid byte decodes to.
func printable(r rune) bool {
	return r == '\n' || r == '\t' || r != utf8.RuneError && unicode.IsPrint(r)
}

// displayWidth returns the terminal columns s takes: wide East Asian letters and emoji two, combining marks none.
func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
			r >= 0xFF01 && r <= 0xFF60, r >= 0x3000 && r <= 0x303E, r >= 0x1F300 && r <= 0x1FAFF:
			n += 2
		default:
			n++
		}
	}
	return n
}
