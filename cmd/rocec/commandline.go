package main

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// commandLine returns a command that a person may paste into a shell: each word is what it is, whatever is in it.
func commandLine(words ...string) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, pasteWord(w))
	}
	return strings.Join(out, " ")
}

// pasteWord quotes a word for a shell. One with characters that act on a terminal is written in ASCII, as bash, ksh and zsh read it.
func pasteWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	switch {
	case diag.Escape(w) != w || strings.ContainsAny(w, "\n\t"):
		q := strconv.QuoteToASCII(w)
		return "$'" + strings.ReplaceAll(q[1:len(q)-1], "'", `\'`) + "'"
	case w != "" && strings.TrimFunc(w, plain) == "":
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
