package tools

import (
	"slices"
	"strings"
)

// script reports whether a file is a shell script: by its name, by its first line, or because every line is a command.
func (t *toolbox) script(path, text string) bool {
	if strings.HasPrefix(text, "#!") || strings.HasSuffix(path, ".sh") || strings.HasSuffix(path, "rc.local") {
		return true
	}
	found := false
	for line := range strings.Lines(text[:min(len(text), 1<<20)]) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			if line != "" && t.commandLine(line).words != nil {
				return false // a prompt of root
			}
			continue
		}
		if _, _, prompt := t.afterPrompt(line); prompt {
			return false
		}
		words := stripSudo(firstCommand(line))
		switch {
		case len(words) == 0:
		case t.of(words[0]) != nil:
			found = found || len(words) > 1
		case isAssignment(words[0]) || slices.Contains(nothing, words[0]) || slices.Contains(keywords, words[0]) || words[0] == "sysctl":
		case slices.Contains(words, "tee"):
		default:
			return false
		}
	}
	return found
}

// keywords are the words of the shell that begin or end conditions, loops and functions.
var keywords = []string{
	"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function", "{", "}",
}

// script reads the values that a shell script sets, in order. A command that depends on a variable, a condition or a loop is not
// understood, and makes the values that it would set unknown.
func (r *reader) script(text string) {
	s := &shellReader{reader: r}
	joined, from := "", 0
	for line := range strings.Lines(text) {
		r.line++
		line = strings.TrimRight(line, "\r\n")
		if r.text = line; len(line) > mostLine {
			r.miss(line[:80], tooMuch)
			continue
		}
		if joined == "" {
			from = r.line
		}
		if body, more := strings.CutSuffix(line, `\`); more && len(joined) < mostLine {
			joined += body + " "
			continue
		}
		last := r.line
		r.line, r.text = from, joined+line
		s.run(r.text)
		joined, r.line = "", last
	}
	if joined != "" {
		s.run(joined)
	}
}

// succeed lists commands that never fail.
var succeed = []string{"sleep", "echo", "true", ":", "modprobe", "cd"}

// shellReader reads the lines of one script.
type shellReader struct {
	*reader
	depth int    // the number of conditions, loops and functions around the line
	until string // the word that ends a here-document
}

// run reads a line.
func (s *shellReader) run(line string) {
	text := strings.TrimSpace(line)
	if s.until != "" {
		if text == s.until {
			s.until = ""
			return
		}
		s.doubt(stripSudo(splitWords(text)), maybe)
		return
	}
	if text == "" || text[0] == '#' {
		return
	}
	all := splitLine(text)
	if all.open {
		s.doubt(stripSudo(firstCommand(text)), noSense)
		return
	}
	sure := true // whether the previous command surely succeeds
	for i, c := range all.commands {
		if c.into != "" {
			s.until = c.into
		}
		words := s.block(c.words)
		words = stripSudo(words)
		switch {
		case len(words) == 0 && c.writes == "":
			s.count(&Statement{Aside: shell}, map[bool]string{true: maybe}[len(c.words) > 0])
		case s.depth > 0:
			s.doubt(words, maybe)
		case c.after == "||" && !s.plain(append(words, "")) || c.after == "&&" && !sure:
			s.doubt(words, replaced)
		default:
			s.one(words, c, all.commands[i+1:])
		}
		sure = len(words) > 0 && (s.h.box.of(words[0]) != nil || slices.Contains(succeed, words[0]))
	}
}

// block counts the beginning and the end of conditions, loops and functions, and returns the command after such a keyword.
func (s *shellReader) block(words []string) []string {
	for len(words) > 0 {
		w := words[0]
		switch {
		case slices.Contains([]string{"if", "while", "until", "for", "case", "select"}, w):
			s.depth++
			if w == "for" || w == "case" || w == "select" {
				return nil
			}
		case w == "fi" || w == "done" || w == "esac" || w == "}":
			s.depth = max(s.depth-1, 0)
			return nil
		case w == "{" || w == "function" || strings.HasSuffix(w, "()") || len(words) > 1 && strings.HasPrefix(words[1], "()"):
			s.depth++
			return nil
		case w == "then" || w == "do" || w == "else" || w == "elif" || w == "!" || s.depth > 0 && strings.HasSuffix(w, ")"):
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

// one runs a command that surely runs.
func (s *shellReader) one(words []string, c command, rest []command) {
	file := c.writes
	if len(rest) > 0 && rest[0].after == "|" { // echo V | tee FILE
		if tee := stripSudo(rest[0].words); len(tee) > 0 && tee[0] == "tee" {
			file = tee[len(tee)-1]
		}
	}
	switch {
	case len(words) == 0, c.after == "|":
	case (words[0] == "echo" || words[0] == "printf") && strings.HasPrefix(file, "/sys/"):
		value := words[len(words)-1]
		if s.leave(); variableIn([]string{value, file}) {
			s.doubt(words, variable)
			return
		}
		s.stream(file, value)
	case s.h.box.of(words[0]) != nil:
		if variableIn(words) {
			s.doubt(words, variable)
			return
		}
		s.leave()
		s.enter(nil)
		s.on = nil
		tool := s.h.box.of(words[0])
		s.weak = tool.weak
		tool.command(tool, s.reader, words[1:])
		s.leave()
	case len(words) == 3 && words[1] == "-c" && slices.Contains([]string{"sh", "bash", "dash"}, baseOf(words[0])):
		s.run(words[2])
	case isAssignment(words[0]) || s.plain(words):
		s.h.coverage.Leave(shell)
	default:
		s.miss(s.text, noCommand)
	}
}

// doubt counts a command that may not run or whose words are unknown. It forgets the values that the command would set.
func (s *shellReader) doubt(words []string, why string) {
	s.miss(s.text, why)
	if len(words) == 0 {
		return
	}
	s.uncertain = true
	s.leave()
	s.enter(nil)
	s.on = nil
	if tool := s.h.box.of(words[0]); tool != nil {
		s.weak = tool.weak
		tool.command(tool, s.reader, words[1:])
	} else if words[0] == "echo" {
		if all := splitLine(s.text).commands; len(all) > 0 {
			for _, c := range all {
				if strings.HasPrefix(c.writes, "/sys/") {
					s.stream(c.writes, "$")
				}
			}
		}
	}
	s.leave()
	s.uncertain = false
}

// stream writes a value to a file of the driver.
func (s *shellReader) stream(file, value string) {
	if !s.sysFile(file, value) {
		s.miss(s.text, noCommand)
	}
}

func variableIn(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "$*?{") })
}

// nothing lists commands that set nothing on NICs and whose output is not read.
var nothing = []string{
	":", "true", "false", "[", "[[", "test",
	"echo", "printf", "sleep", "exit", "return", "set", "shopt", "logger", "date", "export", "unset", "readonly",
	"local", "cd",
	"ls", "cat", "grep", "hostname", "uname", "uptime", "whoami", "lspci", "lsmod", "modprobe", "modinfo", "umask", "wait", "trap", "which",
	"type",
	"ibstat", "ibv_devices", "ibv_devinfo", "ofed_info", "ping", "mkdir", "clear", "mst", "mlxfwmanager", "nproc", "lscpu",
}

// plain reports whether a command sets nothing on NICs.
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
