package tools

import (
	"slices"
	"strings"
)

// command is one command of a line of shell.
type command struct {
	words  []string
	after  string // what stands before it: "", ";", "&&", "||" or "|"
	writes string // the file that its output goes to by > or >>
	into   string // the word that ends the text that it reads (<<)
}

// commands is a line of shell.
type commands struct {
	commands []command
	open     bool // a quote is not closed
}

// splitWords parts a text at white space and quotes.
func splitWords(text string) []string {
	if all := splitLine(text).commands; len(all) > 0 {
		return all[0].words
	}
	return nil
}

// splitLine parts a line of shell. A variable, and any other text that the shell would replace, stays in its word with a "$".
// Redirections are removed.
func splitLine(text string) (out commands) {
	var word strings.Builder
	in := false
	now := command{}
	take := "" // the redirection whose file comes
	endWord := func() {
		if !in {
			return
		}
		w := word.String()
		word.Reset()
		in = false
		switch take {
		case ">":
			now.writes = w
		case "<<":
			now.into = w
		case "<":
		default:
			now.words = append(now.words, w)
		}
		take = ""
	}
	endCommand := func(sep string) {
		endWord()
		take = ""
		if len(now.words) > 0 || now.writes != "" {
			out.commands = append(out.commands, now)
		}
		now = command{after: sep}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			in = true
		case c == '\'' || c == '"':
			end := i + 1
			for end < len(text) && text[end] != c {
				if c == '"' && text[end] == '\\' && end+1 < len(text) {
					end++
				}
				word.WriteByte(text[end])
				end++
			}
			if end >= len(text) {
				out.open = true
			}
			in = true
			i = end
		case c == '`':
			word.WriteByte('$') // the output of a command is no more known than a variable
			end := strings.IndexByte(text[i+1:], '`')
			if end < 0 {
				end = len(text) - i - 2
			}
			in = true
			i += end + 1
		case c == '$' && i+1 < len(text) && text[i+1] == '(':
			word.WriteString("$()")
			in = true
			i = closing(text, i+1)
		case c == ' ' || c == '\t':
			endWord()
		case c == '#' && !in:
			i = len(text)
		case c == ';' || c == '\n':
			endCommand(";")
		case c == '&' && i+1 < len(text) && text[i+1] == '&':
			endCommand("&&")
			i++
		case c == '&' && i+1 < len(text) && text[i+1] == '>':
			endWord()
			take = ">"
			i++
		case c == '&' && i > 0 && text[i-1] == '>':
			// 2>&1: the number is the file
		case c == '&':
			endCommand(";")
		case c == '|' && i+1 < len(text) && text[i+1] == '|':
			endCommand("||")
			i++
		case c == '|':
			endCommand("|")
		case c == '>':
			if w := word.String(); w == "1" || w == "2" { // of which the number is no word
				word.Reset()
				in = false
			}
			endWord()
			take = ">"
			for i+1 < len(text) && text[i+1] == '>' {
				i++
			}
		case c == '<':
			endWord()
			take = "<"
			if i+1 < len(text) && text[i+1] == '<' {
				take = "<<"
				for i+1 < len(text) && (text[i+1] == '<' || text[i+1] == '-') {
					i++
				}
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	endCommand("")
	return out
}

// closing is the index of the parenthesis that closes the one at an index, or the last index.
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

// stripSudo removes words that run a command unchanged: sudo, nohup, exec, and assignments for it.
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

// nothing lists commands that set nothing of NICs and whose output is not read.
var nothing = []string{
	":", "true", "false", "[", "[[", "test",
	"echo", "printf", "sleep", "exit", "return", "set", "shopt", "logger", "date", "export", "unset", "readonly",
	"local", "cd",
	"ls", "cat", "grep", "hostname", "uname", "uptime", "whoami", "lspci", "lsmod", "modprobe", "modinfo", "umask", "wait", "trap", "which",
	"type",
	"ibstat", "ibv_devices", "ibv_devinfo", "ofed_info", "ping", "mkdir", "clear", "mst", "mlxfwmanager", "nproc", "lscpu",
}

// plain reports whether a command sets nothing of NICs.
func (r *reader) plain(words []string) bool {
	switch words[0] {
	case "sysctl": // such as net.ipv4.tcp_ecn
		return true
	case "systemctl", "service":
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return slices.Contains([]string{"stop", "disable", "mask", "status", "is-active", "daemon-reload"}, w)
		})
	}
	return slices.Contains(nothing, words[0])
}
