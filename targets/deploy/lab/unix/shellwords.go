package unix

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// The expansion of words. Package expand implements it completely. Most words of scripts consist of literals, quotes and plain
// parameters. The code in this file expands these in a twentieth of the time.

// shellEnv is the interface of the shell for package expand.
type shellEnv struct{ sh *shell }

// Get implements [expand.Environ].
func (e shellEnv) Get(name string) expand.Variable {
	if name == "@" || name == "*" {
		return expand.Variable{Set: true, Kind: expand.Indexed, List: e.sh.params}
	}
	if value, ok := e.sh.get(name); ok {
		return expand.Variable{Set: true, Kind: expand.String, Str: value}
	}
	return expand.Variable{}
}

// Each implements [expand.Environ]. No expansion of POSIX lists variables.
func (shellEnv) Each(func(string, expand.Variable) bool) {}

// Set implements [expand.WriteEnviron].
func (e shellEnv) Set(name string, v expand.Variable) error {
	if e.sh.vars[name].readonly {
		return complaint(name + ": is read only")
	}
	e.sh.put(name, v.Str)
	return nil
}

// get returns the value of a parameter, and whether the parameter is set.
func (sh *shell) get(name string) (string, bool) {
	if v, ok := sh.vars[name]; ok {
		return v.value, v.set
	}
	switch name {
	case "#":
		return strconv.Itoa(len(sh.params)), true
	case "?":
		return strconv.Itoa(sh.last), true
	case "$":
		return strconv.Itoa(sh.pid), true
	case "PPID":
		return "1", true
	case "!":
		return strconv.Itoa(sh.latest), sh.latest != 0
	case "0":
		return sh.name, true
	case "-":
		var set []byte
		for c, on := range sh.opts {
			if on {
				set = append(set, c)
			}
		}
		slices.Sort(set)
		return string(set), true
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n < 1 || n > len(sh.params) {
			return "", false
		}
		return sh.params[n-1], true
	}
	if user, ok := strings.CutPrefix(name, homeOf); ok {
		if u, ok := sh.p.m.Users[user]; ok {
			return u.home, true
		}
		return "~" + user, true
	}
	return "", false
}

// put sets a variable that is not read-only.
func (sh *shell) put(name, value string) {
	sh.own()
	v := sh.vars[name]
	v.value, v.set = value, true
	v.exported = v.exported || sh.opts['a']
	sh.vars[name] = v
}

// assign sets a variable. If the variable is read-only, assign ends the shell.
func (sh *shell) assign(name, value string) bool {
	if sh.vars[name].readonly {
		sh.die("%s: is read only", name)
		return false
	}
	sh.put(name, value)
	return true
}

// config returns the options for package expand.
func (sh *shell) config() *expand.Config {
	if sh.cfg == nil {
		sh.cfg = &expand.Config{
			Env: shellEnv{sh},
			CmdSubst: func(w io.Writer, cs *syntax.CmdSubst) error {
				_, err := io.WriteString(w, sh.substitute(cs))
				return err
			},
		}
	}
	sh.cfg.NoUnset = sh.opts['u']
	sh.cfg.ReadDir2 = sh.readDir
	if sh.opts['f'] {
		sh.cfg.ReadDir2 = nil
	}
	return sh.cfg
}

func (sh *shell) readDir(path string) ([]fs.DirEntry, error) {
	list, err := sh.p.m.FS.ReadDir(sh.p.User.cred(), sh.p.abs(path))
	if err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, len(list))
	for i, e := range list {
		entries[i] = fs.FileInfoToDirEntry(e)
	}
	return entries, nil
}

// worded converts errors of package expand to dash's wording.
func worded(err error) error {
	var unset expand.UnsetParameterError
	if !errors.As(err, &unset) || unset.Node == nil || unset.Node.Param == nil {
		return err
	}
	what := unset.Message
	if exp := unset.Node.Exp; what == "" || what == "unbound variable" {
		what = "parameter not set"
		if exp != nil && exp.Op == syntax.ErrorUnsetOrNull {
			what = "parameter not set or null"
		}
	}
	return complaint(unset.Node.Param.Value + ": " + what)
}

// arguments returns the expanded words of a simple command.
func (sh *shell) arguments(words []*syntax.Word) ([]string, error) {
	if len(words) > 1 {
		switch words[0].Lit() {
		case "export", "readonly", "local": // a word in the form of an assignment is expanded like an assignment
			args := []string{words[0].Lit()}
			for _, w := range words[1:] {
				if len(w.Parts) > 0 {
					if lit, ok := w.Parts[0].(*syntax.Lit); ok && strings.Contains(lit.Value, "=") {
						value, err := sh.literal(w)
						if err != nil {
							return nil, err
						}
						args = append(args, value)
						continue
					}
				}
				more, err := sh.fields([]*syntax.Word{w})
				if err != nil {
					return nil, err
				}
				args = append(args, more...)
			}
			return args, nil
		}
	}
	return sh.fields(words)
}

// fields expands words into any number of fields.
func (sh *shell) fields(words []*syntax.Word) ([]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	out := make([]string, 0, len(words))
	for _, w := range words {
		if s, ok := sh.quick(w, true); ok {
			out = append(out, s)
			continue
		}
		more, err := expand.Fields(sh.config(), w)
		if err != nil {
			return nil, worded(err)
		}
		out = append(out, more...)
	}
	return out, nil
}

// literal expands a word into one string.
func (sh *shell) literal(w *syntax.Word) (string, error) {
	if w == nil {
		return "", nil
	}
	if s, ok := sh.quick(w, false); ok {
		return s, nil
	}
	s, err := expand.Literal(sh.config(), w)
	return s, worded(err)
}

func (sh *shell) document(w *syntax.Word) (string, error) {
	if w == nil {
		return "", nil
	}
	s, err := expand.Document(sh.config(), w)
	return s, worded(err)
}

// pattern expands a word into a pattern, in which quoted parts are escaped.
func (sh *shell) pattern(w *syntax.Word) (string, error) {
	if len(w.Parts) == 1 {
		switch part := w.Parts[0].(type) {
		case *syntax.Lit:
			if part.Value == "" || part.Value[0] != '~' {
				return part.Value, nil
			}
		case *syntax.SglQuoted:
			return escapePattern(part.Value), nil
		}
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(part.Value)
			if part == w.Parts[0] && strings.HasPrefix(part.Value, "~") {
				s, err := expand.Pattern(sh.config(), w)
				return s, worded(err)
			}
		case *syntax.SglQuoted:
			b.WriteString(escapePattern(part.Value))
		case *syntax.DblQuoted:
			s, err := sh.literal(&syntax.Word{Parts: []syntax.WordPart{part}})
			if err != nil {
				return "", err
			}
			b.WriteString(escapePattern(s))
		default:
			s, err := sh.literal(&syntax.Word{Parts: []syntax.WordPart{part}})
			if err != nil {
				return "", err
			}
			b.WriteString(s)
		}
	}
	return b.String(), nil
}

func escapePattern(s string) string {
	if !strings.ContainsAny(s, `*?[]\`) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`*?[]\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// quick expands simple words. If split is set, the result must be exactly one field, without names of files. If ok is false, the caller
// must use package expand. quick checks the whole word before it runs any part of it.
func (sh *shell) quick(w *syntax.Word, split bool) (string, bool) {
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			special := `\`
			if split {
				special = `\*?[{`
			}
			if strings.ContainsAny(part.Value, special) || i == 0 && strings.HasPrefix(part.Value, "~") {
				return "", false
			}
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
		case *syntax.DblQuoted:
			if part.Dollar || !sh.quickQuoted(part) {
				return "", false
			}
		case *syntax.ParamExp:
			value, ok := sh.param(part)
			if !ok || split && (value == "" || strings.ContainsAny(value, `*?[\`) || strings.ContainsAny(value, sh.vars["IFS"].value)) {
				return "", false
			}
		case *syntax.CmdSubst:
			if split {
				return "", false
			}
		default:
			return "", false
		}
	}
	if len(w.Parts) == 1 {
		return sh.partValue(w.Parts[0]), true
	}
	var b strings.Builder
	for _, part := range w.Parts {
		b.WriteString(sh.partValue(part))
	}
	return b.String(), true
}

func (sh *shell) quickQuoted(q *syntax.DblQuoted) bool {
	for _, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.Contains(part.Value, `\`) {
				return false
			}
		case *syntax.ParamExp:
			if _, ok := sh.param(part); !ok {
				return false
			}
		case *syntax.CmdSubst:
		default:
			return false
		}
	}
	return true
}

// partValue is the value of a part of a quick word.
func (sh *shell) partValue(part syntax.WordPart) string {
	switch part := part.(type) {
	case *syntax.Lit:
		return part.Value
	case *syntax.SglQuoted:
		return part.Value
	case *syntax.ParamExp:
		value, _ := sh.param(part)
		return value
	case *syntax.CmdSubst:
		return strings.TrimRight(strings.ReplaceAll(sh.substitute(part), "\x00", ""), "\n")
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 {
			return sh.partValue(part.Parts[0])
		}
		var b strings.Builder
		for _, p := range part.Parts {
			b.WriteString(sh.partValue(p))
		}
		return b.String()
	}
	return ""
}

// param returns the value of a parameter expansion that is one string: without an operator, or with an operator whose word is quick. If
// ok is false, the caller must use package expand.
func (sh *shell) param(pe *syntax.ParamExp) (string, bool) {
	if pe.Param == nil || pe.Excl || pe.Width || pe.Index != nil || pe.Slice != nil || pe.Repl != nil || pe.Names != 0 {
		return "", false
	}
	switch pe.Param.Value {
	case "@", "*", "LINENO":
		return "", false
	}
	value, set := sh.get(pe.Param.Value)
	if pe.Exp == nil {
		if !set && sh.opts['u'] {
			return "", false
		}
		if pe.Length {
			return strconv.Itoa(utf8.RuneCountInString(value)), true
		}
		return value, true
	}
	if pe.Length || !plainWord(pe.Exp.Word) {
		return "", false
	}
	other := func(use bool) (string, bool) {
		if !use {
			return value, true
		}
		if pe.Exp.Word == nil {
			return "", true
		}
		return sh.quick(pe.Exp.Word, false)
	}
	switch op := pe.Exp.Op; op {
	case syntax.DefaultUnset:
		return other(!set)
	case syntax.DefaultUnsetOrNull:
		return other(value == "")
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if !set && sh.opts['u'] || pe.Exp.Word == nil {
			return "", false
		}
		pattern, err := sh.pattern(pe.Exp.Word)
		switch {
		case err != nil:
			return "", false
		case op == syntax.RemSmallPrefix, op == syntax.RemLargePrefix:
			return cutPrefix(value, pattern, op == syntax.RemLargePrefix), true
		}
		return cutSuffix(value, pattern, op == syntax.RemLargeSuffix), true
	}
	return "", false
}

// plainWord reports whether the expansion of a word runs no command and cannot fail, so that it may be repeated.
func plainWord(w *syntax.Word) bool {
	if w == nil {
		return true
	}
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(part.Value, "~") {
				return false
			}
		case *syntax.SglQuoted:
			if part.Dollar {
				return false
			}
		case *syntax.DblQuoted:
			if part.Dollar || !plainWord(&syntax.Word{Parts: part.Parts}) {
				return false
			}
		case *syntax.ParamExp:
			if part.Param == nil || part.Exp != nil || part.Param.Value == "@" || part.Param.Value == "*" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// substitute runs a command substitution and returns its whole output.
func (sh *shell) substitute(cs *syntax.CmdSubst) string {
	out := newCollector()
	d := newDesc(out)
	fds := sh.p.fds
	fds[1] = d
	sh.subst = sh.subshell(cs.Stmts, fds)
	d.release()
	if err := sh.p.self.block(out.over, false); err != nil {
		sh.flow = exiting
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	return string(out.b)
}
