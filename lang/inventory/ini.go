package inventory

import (
	"regexp"
	"strings"
	"sync"
)

// section is a heading of INI: [leaves], [leaves:vars], [fabric:children].
var section = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[([^:\]]+)(?::(\w+))?\]\s*(?:[#;].*)?$`)
})

// ini reads an inventory as INI. Hosts before the first heading are in no group.
func (r *reader) ini(text string) {
	current, kind, line := r.all, "hosts", 0
	named := "all"
	for raw := range strings.Lines(text) {
		line++
		s := strings.TrimSpace(raw)
		if s == "" || s[0] == '#' || s[0] == ';' {
			continue
		}
		if s[0] == '[' && !addressed(s) {
			m := section().FindStringSubmatch(s)
			if m == nil {
				r.fail(line, "%s is not the heading of a group. Write [GROUP], [GROUP:vars] or [GROUP:children].", quote(s))
				return
			}
			named = strings.TrimSpace(m[1])
			switch kind = m[2]; kind {
			case "":
				kind = "hosts"
			case "hosts", "vars", "children":
			default:
				r.fail(line, "%s is not a known heading. Write [GROUP], [GROUP:vars] or [GROUP:children].", quote(s))
				return
			}
			current = r.group(named, line)
			continue
		}
		switch kind {
		case "children":
			child, _, _ := strings.Cut(s, " ")
			r.group(child, line)
			current.children[child] = true
		case "vars":
			name, value, ok := strings.Cut(s, "=")
			if !ok {
				r.fail(line, "%s is not a variable. Below [GROUP:vars] a line is NAME=VALUE.", quote(s))
				return
			}
			r.set(current.vars, "the group "+named, strings.TrimSpace(name), unquote(strings.TrimSpace(value)), false, line)
		default:
			r.iniHost(s, current, line)
		}
		if r.failed {
			return
		}
	}
}

// addressed reports whether a line begins with an IPv6 address in brackets.
func addressed(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	pattern, _ := cutPort(word)
	return !strings.HasPrefix(pattern, "[")
}

// iniHost reads a host with its variables: leaf[01:04] ansible_user=cumulus.
func (r *reader) iniHost(s string, in *group, line int) {
	words, why := shellWords(s)
	if why != "" || len(words) == 0 {
		r.fail(line, "The line cannot be read: %s.", why)
		return
	}
	pattern, port := cutPort(words[0])
	if strings.ContainsAny(pattern, "={}<>") {
		r.fail(line, "%s is not the name of a host. This is neither an inventory in INI nor one in YAML that begins with --- or a group.",
			quote(words[0]))
		return
	}
	for _, w := range words[1:] {
		if !strings.Contains(w, "=") {
			r.fail(line, "%s is not a variable. After the name of a host, each word is NAME=VALUE.", quote(w))
			return
		}
	}
	for _, h := range r.host(pattern, in, line) {
		if port != "" {
			r.set(h.vars, "the host "+pattern, "ansible_port", port, false, line)
		}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			r.set(h.vars, "the host "+pattern, name, value, false, line)
		}
	}
}

// unquote removes the quotes around a value.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// shellWords splits a line as a shell does, without expansions. A # at the start of a word begins a comment.
func shellWords(s string) (words []string, why string) {
	var b strings.Builder
	in, quoted := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted == '\'' && c != '\'' || quoted == '"' && c != '"' && c != '\\':
			b.WriteByte(c)
		case quoted != 0 && c == quoted:
			quoted = 0
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			in = true
		case c == '"' || c == '\'':
			quoted, in = c, true
		case c == '#' && !in:
			return words, ""
		case c == ' ' || c == '\t':
			if in {
				words = append(words, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if quoted != 0 {
		return nil, "a quote is not closed"
	}
	if in {
		words = append(words, b.String())
	}
	return words, ""
}
