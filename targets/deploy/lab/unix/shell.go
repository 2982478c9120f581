package unix

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// The shell of every device walks the syntax trees of mvdan.cc/sh. A script cannot reach the machine that rocec runs on: it only sees
// files, directories, users, programs and processes of the device. Package expand of the same library expands words. It would read from
// the machine in one case only, the home directory of an unknown user, so ~user is replaced when a script is parsed. The shell behaves
// like dash, which differential_test.go tests. sandbox_test.go of package lab tests its isolation.

// maxScript bounds the size of a script, because the parser recurses on it.
const maxScript = 1 << 20

// maxNesting bounds the nesting of a script, on which the parser and the shell recurse.
const maxNesting = 50_000

// maxCalls bounds functions, evals and sourced files within each other.
const maxCalls = 1000

// nesting returns a rough upper bound of the nesting of a script: it ignores quotes.
func nesting(script string) int {
	depth, deepest := 0, 0
	opens := func(n int) {
		depth = max(depth+n, 0)
		deepest = max(deepest, depth)
	}
	for word := range strings.FieldsSeq(script) {
		switch word {
		case "if", "while", "until", "for", "case", "!":
			opens(1)
		case "fi", "done", "esac":
			opens(-1)
		}
		for i := range len(word) {
			switch word[i] {
			case '(', '{', '`':
				opens(1)
			case ')', '}':
				opens(-1)
			}
		}
	}
	return deepest
}

// complaint is an error in the shell's wording.
type complaint string

func (c complaint) Error() string { return string(c) }

// trees contains the most recently parsed scripts. Devices of a fleet run the same scripts and share the trees, so no run may change a
// tree.
var trees = treeCache{byText: map[string]*list.Element{}}

// treeCache is bounded by the text of its scripts. It drops the least recently used script first.
type treeCache struct {
	mu     sync.Mutex
	byText map[string]*list.Element
	order  list.List // of *tree, the most recently used first
	size   int       // bytes
}

// maxTrees is the number of bytes of scripts in the cache. Their trees use about fifty times as much memory.
const maxTrees = 1 << 20

type tree struct {
	text string
	file *syntax.File
}

func (c *treeCache) get(text string) *syntax.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byText[text]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*tree).file
}

func (c *treeCache) put(text string, file *syntax.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText[text] != nil || len(text) > maxTrees/4 {
		return
	}
	text = strings.Clone(text)
	c.byText[text] = c.order.PushFront(&tree{text, file})
	for c.size += len(text); c.size > maxTrees; {
		old := c.order.Remove(c.order.Back()).(*tree)
		delete(c.byText, old.text)
		c.size -= len(old.text)
	}
}

// parse parses a script. It replaces the parts of the tree that the expansion of words must not see.
func parse(script string) (*syntax.File, error) {
	if file := trees.get(script); file != nil {
		return file, nil
	}
	if len(script) > maxScript {
		return nil, fmt.Errorf("script of more than %d bytes", maxScript)
	}
	if nesting(script) > maxNesting {
		return nil, complaint("nested too deeply")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), "")
	if err != nil {
		var pe syntax.ParseError
		if errors.As(err, &pe) {
			return nil, complaint(fmt.Sprintf("%d: Syntax error: %s", pe.Pos.Line(), pe.Text))
		}
		return nil, complaint("Syntax error: " + err.Error())
	}
	documents := map[*syntax.Word]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			keepBraces(n.Args)
		case *syntax.WordIter:
			keepBraces(n.Items)
		case *syntax.Redirect:
			documents[n.Hdoc] = true
		case *syntax.Word:
			if !documents[n] {
				tilde(n)
			}
		}
		return true
	})
	trees.put(script, file)
	return file, nil
}

// homeOf is the prefix of the variable with the home directory of a user. No script can write a name with this prefix.
const homeOf = "\x00home "

// tilde replaces ~user by a variable that the shell knows.
func tilde(w *syntax.Word) {
	if len(w.Parts) == 0 {
		return
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || len(lit.Value) < 2 || lit.Value[0] != '~' || lit.Value[1] == '/' {
		return
	}
	name, _, slash := strings.Cut(lit.Value[1:], "/")
	rest := *lit
	rest.Value = lit.Value[1+len(name):]
	variable := homeOf + name
	if !slash && len(w.Parts) > 1 {
		variable, rest.Value = homeOf, lit.Value[1:]
	}
	at := lit.Pos()
	home := &syntax.DblQuoted{Left: at, Right: at, Parts: []syntax.WordPart{
		&syntax.ParamExp{Dollar: at, Short: true, Param: &syntax.Lit{ValuePos: at, ValueEnd: at, Value: variable}},
	}}
	w.Parts = append([]syntax.WordPart{home, &rest}, w.Parts[1:]...)
}

// keepBraces prevents the expansion of {a,b}, because sh does not expand braces.
func keepBraces(words []*syntax.Word) {
	for _, w := range words {
		for _, part := range w.Parts {
			if lit, ok := part.(*syntax.Lit); ok {
				lit.Value = escapeBraces(lit.Value)
			}
		}
	}
}

func escapeBraces(s string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			b.WriteByte(s[i])
			i++
		case s[i] == '{':
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// flow states how the running command ends.
type flow byte

const (
	goOn flow = iota
	breaking
	continuing
	returning
	exiting
)

// shell is one sh process, or a subshell of one.
type shell struct {
	p      *Proc
	name   string // $0
	pid    int    // $$
	params []string
	vars   map[string]variable
	funcs  map[string]*syntax.Stmt
	shared bool // another shell uses the same vars and funcs
	opts   map[byte]bool
	last   int // $?
	jobs   []*Process
	latest int                // $!
	traps  map[string]string  // by signal, or EXIT
	locals []map[string]local // for every running function
	calls  int                // number of running functions, evals and sourced files
	loops  int
	tested int // number of conditions under evaluation, in which a failure does not end the shell
	subst  int // status of the last command substitution

	flow  flow
	died  bool         // because of an error
	count int          // number of loops that break or continue still has to leave
	base  *descriptors // descriptors that stay open while the shell runs
	cfg   *expand.Config

	text string // the script as text (text) and parsed (file), and its running command (at)
	file *syntax.File
	at   int
}

// variable is a shell variable.
type variable struct {
	value              string
	set                bool
	exported, readonly bool
}

// local is the outer value of a variable that a function has declared local.
type local struct {
	variable
	existed bool
}

// newShell returns a shell that runs as p.
func newShell(p *Proc, name string, params []string) *shell {
	sh := &shell{
		p: p, base: &p.self.fds, name: name, pid: p.self.pid, params: params, vars: map[string]variable{},
		funcs: map[string]*syntax.Stmt{}, opts: map[byte]bool{}, traps: map[string]string{},
	}
	p.shell = starter{sh}
	for name, value := range p.env {
		sh.vars[name] = variable{value: value, set: true, exported: true}
	}
	for name, value := range map[string]string{
		"HOME": p.User.home, "IFS": " \t\n", "OPTIND": "1", "PS1": "$ ", "PS2": "> ", "PS4": "+ ", "PWD": p.dir,
	} {
		if _, ok := sh.vars[name]; !ok || name == "IFS" || name == "PWD" {
			v := sh.vars[name]
			v.value, v.set = value, true
			sh.vars[name] = v
		}
	}
	return sh
}

// runScript runs a script like "sh -c" or "sh FILE", and returns its exit status.
func runScript(p *Proc, name, script string, params []string, options string) int {
	sh := newShell(p, name, params)
	for _, c := range []byte(options) {
		sh.opts[c] = true
	}
	file, err := parse(script)
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", name, err)
		return 2
	}
	sh.text, sh.file = script, file
	return sh.main(0)
}

// main runs the script from its n-th command on.
func (sh *shell) main(n int) int {
	t := &sh.p.m.procs
	t.mu.Lock()
	sh.p.self.shell = sleeper{sh}
	t.mu.Unlock()
	for sh.at = n; sh.at < len(sh.file.Stmts) && sh.flow == goOn; sh.at++ {
		sh.run(sh.file.Stmts[sh.at])
	}
	sh.end()
	return sh.last
}

// end runs the trap of EXIT.
func (sh *shell) end() {
	action := sh.traps["EXIT"]
	if action == "" || sh.p.self.ctx.Err() != nil {
		return
	}
	delete(sh.traps, "EXIT")
	status := sh.last
	sh.flow = goOn
	sh.eval(action)
	if sh.flow != exiting {
		sh.last = status
	}
}

// fork returns a subshell: a copy that shares no changing data with the shell. It runs as self.
func (sh *shell) fork(self *Process) *shell {
	c := *sh
	p := *sh.p
	p.self, p.shell = self, starter{&c}
	umask := *p.umask
	p.umask = &umask
	p.setFds(p.fds)
	c.p = &p
	sh.shared, c.shared = true, true
	c.opts = maps.Clone(sh.opts)
	c.jobs, c.locals, c.cfg = nil, nil, nil
	c.traps = map[string]string{}
	for sig, action := range sh.traps {
		if action == "" {
			c.traps[sig] = ""
		}
	}
	return &c
}

// own copies shared variables and functions before a change.
func (sh *shell) own() {
	if sh.shared {
		sh.vars, sh.funcs, sh.shared = maps.Clone(sh.vars), maps.Clone(sh.funcs), false
	}
}

// complain writes an error in the shell's wording.
func (sh *shell) complain(format string, args ...any) {
	fmt.Fprintf(sh.p.Stderr, sh.name+": "+format+"\n", args...)
}

// die ends the shell like a failed special builtin.
func (sh *shell) die(format string, args ...any) int {
	sh.complain(format, args...)
	sh.flow, sh.last, sh.died = exiting, 2, true
	return 2
}

// stopped reports whether the shell must end now. It also runs the traps of arrived signals.
func (sh *shell) stopped() bool {
	if sh.p.self.ctx.Err() != nil {
		sh.flow = exiting
		return true
	}
	select {
	case <-sh.p.self.trapped:
		sh.runTraps()
	default:
	}
	return sh.flow != goOn
}

// runTraps runs the traps of the signals that arrived.
func (sh *shell) runTraps() {
	t := &sh.p.m.procs
	t.mu.Lock()
	came := sh.p.self.pending
	sh.p.self.pending = 0
	t.mu.Unlock()
	for _, s := range signals {
		if action := sh.traps[s.name]; came.has(s.Signal) && action != "" && sh.flow == goOn {
			status := sh.last
			sh.eval(action)
			if sh.flow == goOn {
				sh.last = status
			}
		}
	}
}

// eval runs text in this shell.
func (sh *shell) eval(text string) int {
	file, err := parse(text)
	if err != nil {
		return sh.die("eval: %v", err)
	}
	return sh.stmts(file.Stmts)
}

// cmdSh is sh: -c, -s, a file, or a script on stdin, with -e, -u, -x, -f and -n.
func cmdSh(_ context.Context, p *Proc) int {
	args, options, mode := p.Args[1:], "", byte(0)
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		word := args[0]
		args = args[1:]
		if word == "--" {
			break
		}
		for _, c := range []byte(word[1:]) {
			switch c {
			case 'c', 's':
				mode = c
			case 'e', 'u', 'x', 'f', 'n':
				options += string(c)
			default:
				p.errorf("0: Illegal option -%c", c)
				return 2
			}
		}
	}
	name, script := p.name(), ""
	switch {
	case mode == 'c':
		if len(args) == 0 {
			p.errorf("0: -c requires an argument")
			return 2
		}
		script, args = args[0], args[1:]
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
	case mode == 's' || len(args) == 0:
		data, err := p.readAll()
		if err != nil {
			return p.Fail("0: %v", err)
		}
		script = string(data)
	default:
		data, err := p.Input(args[0])
		if err != nil {
			p.errorf("0: cannot open %s: %s", args[0], openReason(err))
			return 2
		}
		name, script, args = args[0], string(data), args[1:]
	}
	return runScript(p, name, script, args, options)
}

// starter is the interface of a shell for the programs that it starts.
type starter struct{ sh *shell }

var _ invoker = starter{}

// scriptName implements [invoker].
func (s starter) scriptName() string { return s.sh.name }

// hasFunction implements [invoker].
func (s starter) hasFunction(name string) bool { return s.sh.funcs[name] != nil }
