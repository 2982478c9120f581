package tools

import (
	"slices"
	"strings"
)

// command is one command in a line of shell.
type command struct {
	words  []string
	after  string // the separator before it: "", ";", "&&", "||" or "|"
	writes string // the file for its output, from > or >>
	into   string // the word that ends its here-document (<<)
}

// commands is a line of shell.
type commands struct {
	commands []command
	open     bool // a quote is not closed
}

// splitWords splits a text at white space and quotes.
func splitWords(text string) []string {
	if all := splitLine(text).commands; len(all) > 0 {
		return all[0].words
	}
	return nil
}

// splitLine splits a line of shell into commands. A text that the shell would replace, such as a variable, stays in its word with a "$".
// Redirections are removed.
func splitLine(text string) commands {
	l := &lexer{text: text}
	for l.at < len(l.text) {
		l.next()
	}
	l.endCommand("")
	return l.out
}

// lexer splits a line of shell.
type lexer struct {
	text string
	at   int // the position of the next byte

	word strings.Builder
	in   bool   // a word has begun, maybe an empty one
	take string // the redirection whose file follows
	now  command
	out  commands
}

// put appends to the present word.
func (l *lexer) put(text string) {
	l.word.WriteString(text)
	l.in = true
}

// endWord ends the present word, which may be the file of a redirection.
func (l *lexer) endWord() {
	if !l.in {
		return
	}
	w := l.word.String()
	l.word.Reset()
	l.in = false
	switch l.take {
	case ">":
		l.now.writes = w
	case "<<":
		l.now.into = w
	case "<": // a file that is read, or that has no effect
	default:
		l.now.words = append(l.now.words, w)
	}
	l.take = ""
}

// endCommand ends the present command; sep is the separator before the next one.
func (l *lexer) endCommand(sep string) {
	l.endWord()
	l.take = ""
	if len(l.now.words) > 0 || l.now.writes != "" {
		l.out.commands = append(l.out.commands, l.now)
	}
	l.now = command{after: sep}
}

// begins reports whether the rest of the line begins with a text. If so, it skips the text.
func (l *lexer) begins(text string) bool {
	if !strings.HasPrefix(l.text[l.at:], text) {
		return false
	}
	l.at += len(text)
	return true
}

// next reads one byte, or several that belong together.
func (l *lexer) next() {
	switch c := l.text[l.at]; {
	case c == '\\' && l.at+1 < len(l.text):
		l.put(l.text[l.at+1 : l.at+2])
		l.at += 2
	case c == '\'' || c == '"':
		l.quoted(c)
	case c == '`':
		l.put("$") // the output of a command is as unknown as a variable
		end := strings.IndexByte(l.text[l.at+1:], '`')
		if l.at += end + 2; end < 0 {
			l.at = len(l.text)
		}
	case l.begins("$("):
		l.put("$()")
		l.at = closing(l.text, l.at-1) + 1
	case c == '#' && !l.in:
		l.at = len(l.text)
	case l.begins(" ") || l.begins("\t"):
		l.endWord()
	case l.begins("&&"):
		l.endCommand("&&")
	case l.begins("||"):
		l.endCommand("||")
	case l.begins("|"):
		l.endCommand("|")
	case strings.IndexByte("<>&", c) >= 0:
		l.redirect(c)
	case l.begins(";") || l.begins("\n"):
		l.endCommand(";")
	default:
		end := len(l.text)
		if n := strings.IndexAny(l.text[l.at+1:], meanings); n >= 0 {
			end = l.at + 1 + n
		}
		l.put(l.text[l.at:end])
		l.at = end
	}
}

// meanings are the bytes with a special meaning.
const meanings = "\\'\"`$# \t\n&|<>;"

// quoted reads the text between two quotes.
func (l *lexer) quoted(quote byte) {
	l.in = true
	for l.at++; l.at < len(l.text) && l.text[l.at] != quote; l.at++ {
		if quote == '"' && l.text[l.at] == '\\' && l.at+1 < len(l.text) {
			l.at++
		}
		l.word.WriteByte(l.text[l.at])
	}
	l.out.open = l.out.open || l.at >= len(l.text)
	l.at++
}

// redirect reads a redirection, or the end of a command that runs in the background.
func (l *lexer) redirect(c byte) {
	switch {
	case l.begins("&>"):
		l.endWord()
		l.take = ">"
	case l.begins("&"):
		l.endCommand(";")
	case c == '>':
		stream := l.word.String()
		if stream == "1" || stream == "2" { // the number is part of the redirection
			l.word.Reset()
			l.in = false
		}
		l.endWord()
		if l.take = ">"; stream == "2" || l.begins(">&") { // errors, or another stream
			l.take = "<"
		}
		for l.begins(">") || l.begins("&") {
		}
	default:
		l.endWord()
		l.take = "<"
		if l.begins("<"); l.begins("<") {
			l.take = "<<"
			for l.begins("<") || l.begins("-") {
			}
		}
	}
}

// closing returns the index of the parenthesis that closes the one at an index, or the last index.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text) - 1
}

// stripSudo removes words before a command that do not change its effect: sudo, nohup, exec, and assignments.
func stripSudo(words []string) []string {
	for len(words) > 0 {
		switch {
		case slices.Contains([]string{"sudo", "nohup", "exec", "command", "time", "/usr/bin/sudo"}, words[0]):
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		case len(words) > 1 && isAssignment(words[0]):
			words = words[1:]
		default:
			return words
		}
	}
	return words
}

// isAssignment reports whether a word sets a variable of the shell.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}
