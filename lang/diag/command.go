package diag

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Word is a part of a [Command].
type Word struct {
	flag  string // "--run", or empty
	text  string // quoted for a shell; a placeholder such as FILE if the word cannot be shown
	hides string // the placeholder of a file or folder whose name cannot be shown; the message names ls, which shows the name
	dash  bool   // the word begins with a hyphen but is not a flag
}

// Arg returns a word for a name. If the name cannot be shown, the word is its kind, such as DEVICE.
func Arg(kind, name string) Word {
	if !pasteable(name) {
		return Word{text: kind}
	}
	return Word{text: quoteWord(name), dash: strings.HasPrefix(name, "-")}
}

// Path returns a word for the path of a file or folder. Kind is as for [Arg].
func Path(kind, name string) Word {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	w := Arg(kind, name)
	if !pasteable(name) {
		w.hides = kind
	}
	return w
}

// Flag returns a flag, with its value if there is one. A name that ends in = is written in one word with the value.
func Flag(name string, value ...Word) Word {
	switch {
	case len(value) == 0:
		return Word{flag: name}
	case value[0].dash || strings.HasSuffix(name, "="):
		return Word{flag: strings.TrimSuffix(name, "=") + "=" + value[0].text, hides: value[0].hides}
	}
	return Word{flag: name, text: value[0].text, hides: value[0].hides}
}

// String returns the word as a shell reads it.
func (w Word) String() string { return strings.TrimSpace(w.flag + " " + w.text) }

// Kind returns a placeholder, such as DEVICE, for a name that is not known, or for a word that is not a name.
func Kind(kind string) Word { return Word{text: kind} }

// Args returns a word for each of several names of one kind, as [Arg] does.
func Args(kind string, names []string) []Word {
	out := make([]Word, len(names))
	for i, n := range names {
		out[i] = Arg(kind, n)
	}
	return out
}

// Rocec is the [Command] of a verb of rocec.
func Rocec(verb string, words ...Word) string { return Command("rocec "+verb, words...) }

// Command builds every command that a message advises: a program, its verb if there is one, and words, quoted for a POSIX shell. For a
// word that no terminal may show (control characters, bidirectional controls), it writes the kind in capitals.
func Command(program string, words ...Word) string {
	parts, hidden := []string{program}, ""
	if slices.ContainsFunc(words, func(w Word) bool { return w.dash }) { // after "--" no word is a flag
		var flags, names []Word
		for _, w := range words {
			if w.flag != "" {
				flags = append(flags, w)
			} else {
				names = append(names, w)
			}
		}
		words = slices.Concat(flags, []Word{{text: "--"}}, names)
	}
	for _, w := range words {
		parts = append(parts, w.String())
		if w.hides != "" {
			hidden = " (`ls -b` shows the name of " + w.hides + ")"
		}
	}
	return strings.Join(parts, " ") + hidden
}

// StartsPath reports whether the first word of a text has a slash. A message is never broken before such a word: a reader who pastes a
// command with the line break would run the file.
func StartsPath(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.Contains(word, "/")
}

// mostPath is the length of the longest path that Linux accepts.
const mostPath = 4096

// pasteable reports whether a word that is copied from a terminal stays the same word in a shell.
func pasteable(s string) bool { return len(s) <= mostPath && Escape(s) == s }

var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./@%+=:,-]+$`) })

// PlainWord reports whether a shell reads a word unchanged without quotes.
func PlainWord(s string) bool { return plainWord().MatchString(s) }

// quoteWord quotes a word for a POSIX shell if it needs quotes.
func quoteWord(s string) string {
	if PlainWord(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
