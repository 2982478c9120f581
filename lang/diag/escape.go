package diag

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Escape makes text from outside (a device, a file, a name) safe to print on one line of a terminal or of a CI system's log. Control
// characters (also newlines and tabs), bidirectional controls and invalid UTF-8 become Go escapes. A word that a CI system would read
// as a command is escaped at its first letter.
func Escape(s string) string { return escape(s, false) }

// EscapeLines is [Escape] for text that is laid out in lines: newlines and tabs stay.
func EscapeLines(s string) string { return escape(s, true) }

func escape(s string, lines bool) string {
	bad := func(r rune) bool { return !printable(r) && !(lines && (r == '\n' || r == '\t')) }
	if strings.ContainsFunc(s, bad) {
		var b strings.Builder
		for i := 0; i < len(s); {
			r, n := utf8.DecodeRuneInString(s[i:])
			if bad(r) {
				q := strconv.QuoteToASCII(s[i : i+n])
				b.WriteString(q[1 : len(q)-1])
			} else {
				b.WriteString(s[i : i+n])
			}
			i += n
		}
		s = b.String()
	}
	if strings.Contains(s, "##") {
		s = hashCommand().ReplaceAllString(s, `\x23#$1[`)
	}
	if strings.Contains(s, "::") {
		s = colonCommand().ReplaceAllString(s, `$1\x3a:$2`)
	}
	return s
}

// Markdown is [Escape] for text on one line of a Markdown document or in a cell of a table. The result contains no markup.
func Markdown(s string) string {
	var b strings.Builder
	for _, r := range Escape(s) {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&@$\"':", r) { // a colon makes an address a link
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		} else {
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "www.", "www&#46;")
}

// CI systems read commands in the output of a step. GitHub reads "::add-mask::x" at the beginning of a line, after any spaces, and
// "##[group]" anywhere. Azure reads "##vso[task.setvariable]" anywhere, and TeamCity "##teamcity[message]". "::" is escaped at the
// beginning of every word, since a line may be wrapped there. An IPv6 address is not escaped: the name of a command has a letter or
// hyphen that no address has.
var (
	hashCommand  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`##([A-Za-z]*)\[`) })
	colonCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|\s)::([0-9A-Fa-f]*[G-Zg-z_-])`) })
)

// printable also refuses U+FFFD, to which an invalid byte decodes.
func printable(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// displayWidth returns the terminal columns that s needs: two for wide East Asian letters and emoji, none for combining marks.
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
