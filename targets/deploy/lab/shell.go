package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// The shell of every device is the interpreter of mvdan.cc/sh, fenced in: nothing a script does reaches the machine
// rocec runs on. The interpreter asks handlers for files, directories, access and programs, and all of those are the
// device's. Where it would go past its handlers, it is not let:
//
//   - its working directory is set without interp.Dir, which looks at the machine's directories;
//   - user, home and group come from the device, so it does not ask the machine for its own;
//   - process substitution makes a named pipe below TMPDIR: scripts are parsed as POSIX, which has none, and TMPDIR is
//     a place below a device file, where nothing can be made; it is hidden once the interpreter has read it;
//   - ~user asks the machine's user database, and $$ its process table: both are replaced in the syntax tree;
//   - the builtins that stat or resolve files by themselves (".", "command -v", "type", "pwd -P", "test -O") and those
//     whose answers differ from a POSIX shell's (echo, printf, test, ...) are replaced by ours; those that no POSIX
//     shell has are not found.
//
// sandbox_test.go holds it to that.

// maxScript bounds a script; the parser recurses on it.
const maxScript = 1 << 20

// maxNesting bounds what stands within each other in a script: the parser and the interpreter recurse on it.
const maxNesting = 50_000

// nesting is a rough upper bound of how deep a script nests: it knows nothing of quotes.
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

// maxDepth bounds the goroutine's stack, in frames, so that a function calling itself ends like in any other shell.
const maxDepth = 20000

// nowhere is a directory that exists on no machine and in which nothing can be created.
const nowhere = "/dev/null/rocec-lab"

// Command names that cannot be typed, put in place of builtins by [shell.call].
const (
	ownBuiltin = "\x00builtin/"
	external   = "\x00external/"
	failure    = "\x00fail/"
)

// shell is one sh process.
type shell struct {
	p     *proc
	funcs map[string]bool // functions declared anywhere in the script
	name  string          // $0
	calls atomic.Uint64   // commands so far
}

// runScript runs a script as "sh -c" or "sh FILE" does, and returns its exit status.
func runScript(ctx context.Context, p *proc, name, script string, params []string) int {
	sh := &shell{p: p, funcs: map[string]bool{}, name: name}
	file, err := sh.parse(script)
	if err != nil {
		p.errorf("%v", err)
		return 2
	}
	env := &environ{vars: p.vars()}
	r, err := interp.New(
		interp.Env(env),
		func(r *interp.Runner) error { r.Dir, r.Params = p.dir, params; return nil },
		interp.StdIO(p.stdin, p.stdout, p.stderr),
		interp.CallHandler(sh.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return sh.exec }),
		interp.OpenHandler(sh.open),
		interp.ReadDirHandler2(sh.readDir),
		interp.StatHandler(sh.stat),
		interp.AccessHandler(sh.access),
	)
	if err != nil {
		panic("lab: interp.New: " + err.Error()) // every option above succeeds
	}
	r.Reset()
	env.sealed = true

	ctx, cancel := context.WithCancel(ctx)
	err = r.Run(ctx, file)
	cancel() // background jobs end with their shell
	var status interp.ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return 143 // as by SIGTERM
	}
	p.errorf("%v", err)
	return 2
}

// parse parses a script and replaces what must not reach the interpreter.
func (sh *shell) parse(script string) (*syntax.File, error) {
	if len(script) > maxScript {
		return nil, fmt.Errorf("script of more than %d bytes", maxScript)
	}
	if nesting(script) > maxNesting {
		return nil, complaint("nested too deeply")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), sh.name)
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
		case *syntax.FuncDecl:
			if interp.IsBuiltin(n.Name.Value) {
				err = fmt.Errorf("%d: the lab has no functions named like builtins: %s", n.Pos().Line(), n.Name.Value)
			}
			sh.funcs[n.Name.Value] = true
		case *syntax.Stmt:
			declare(n)
		case *syntax.CallExpr:
			keepBraces(n.Args)
		case *syntax.WordIter:
			keepBraces(n.Items)
		case *syntax.Redirect:
			documents[n.Hdoc] = true
		case *syntax.Word:
			if !documents[n] {
				sh.tilde(n)
			}
		case *syntax.ParamExp:
			if n.Param != nil && (n.Param.Value == "$" || n.Param.Value == "PPID") {
				n.Param.Value = pidVariable
			}
		}
		return true
	})
	return file, err
}

// complaint is a message as a shell words it.
type complaint string

func (c complaint) Error() string { return string(c) }

// pidVariable holds the shell's process number; $$ becomes it.
const pidVariable = "_rocec_lab_pid"

// declare turns export, readonly and local into the declarations the interpreter knows; parsed as POSIX they are
// commands. local is no POSIX, but every sh has it.
func declare(st *syntax.Stmt) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	switch word := call.Args[0].Lit(); word {
	case "export", "readonly", "local":
		decl := &syntax.DeclClause{Variant: &syntax.Lit{Value: word, ValuePos: call.Pos()}}
		for _, w := range call.Args[1:] {
			if w.Lit() == "-p" {
				continue
			}
			decl.Args = append(decl.Args, &syntax.Assign{Value: w})
		}
		st.Cmd = decl
	}
}

// tilde replaces ~user by what the device knows of users.
func (sh *shell) tilde(w *syntax.Word) {
	if len(w.Parts) == 0 {
		return
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || len(lit.Value) < 2 || lit.Value[0] != '~' || lit.Value[1] == '/' {
		return
	}
	name, _, slash := strings.Cut(lit.Value[1:], "/")
	text := "~"
	rest := *lit
	rest.Value = lit.Value[1:]
	if u, ok := sh.p.d.users[name]; ok && (slash || len(w.Parts) == 1) {
		text, rest.Value = u.home, lit.Value[1+len(name):]
	}
	w.Parts = slices.Concat([]syntax.WordPart{&syntax.SglQuoted{Left: lit.Pos(), Right: lit.Pos(), Value: text}, &rest}, w.Parts[1:])
}

// keepBraces keeps the interpreter from expanding {a,b}, which sh does not do.
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

// call is asked before every simple command; it puts ours in place of the interpreter's builtins.
func (sh *shell) call(ctx context.Context, args []string) ([]string, error) {
	if sh.calls.Add(1)%256 == 0 { // looking at the stack is slow, and there is room for thousands of calls more
		var pc [1]uintptr
		if runtime.Callers(maxDepth, pc[:]) > 0 {
			return nil, errors.New("functions nested too deeply")
		}
	}
	name := args[0]
	if sh.funcs[name] {
		return args, nil
	}
	return sh.builtin(ctx, args), nil
}

func (sh *shell) builtin(ctx context.Context, args []string) []string {
	name := args[0]
	if _, ok := ownBuiltins(name); ok {
		return slices.Concat([]string{ownBuiltin + name}, args[1:])
	}
	switch name {
	case ":", "true", "false", "exit", "shift", "unset", "break", "continue", "cd", "wait", "exec", "return", "read",
		"getopts", "times", "hash":
		return args
	case "set":
		if i := slices.Index(args, "pipefail"); i > 0 {
			return sh.fail("set: Illegal option -o pipefail")
		}
		return args
	case "command":
		return sh.command(ctx, args)
	case "eval":
		return sh.eval(strings.Join(args[1:], " "))
	case ".":
		return sh.source(ctx, args[1:])
	case "trap":
		return sh.trap(args)
	}
	if interp.IsBuiltin(name) { // bash's
		return slices.Concat([]string{external + name}, args[1:])
	}
	return args
}

// fail ends the shell as a special builtin does that went wrong.
func (sh *shell) fail(format string, args ...any) []string {
	return []string{failure, fmt.Sprintf(format, args...)}
}

// command is "command [-v|-V] NAME ...".
func (sh *shell) command(ctx context.Context, args []string) []string {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		switch rest[0] {
		case "-v", "-V":
			return slices.Concat([]string{ownBuiltin + "type", rest[0]}, rest[1:])
		case "-p", "--":
			rest = rest[1:]
		default:
			return sh.fail("command: Illegal option %s", rest[0])
		}
	}
	if len(rest) == 0 {
		return []string{"true"}
	}
	replaced := sh.builtin(ctx, rest)
	if interp.IsBuiltin(replaced[0]) {
		return slices.Concat([]string{"command"}, replaced)
	}
	if strings.HasPrefix(replaced[0], "\x00") {
		return replaced
	}
	return slices.Concat([]string{external + replaced[0]}, replaced[1:])
}

// eval reparses, so the text is judged here and printed again.
func (sh *shell) eval(script string) []string {
	file, err := sh.parse(script)
	if err != nil {
		return sh.fail("eval: %v", err)
	}
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, file); err != nil {
		return sh.fail("eval: %v", err)
	}
	return []string{"eval", b.String()}
}

// source becomes eval of the file's text.
func (sh *shell) source(ctx context.Context, args []string) []string {
	if len(args) == 0 {
		return []string{"true"}
	}
	p, path := sh.at(ctx), args[0]
	if !strings.Contains(path, "/") {
		if found, ok := p.look(path, 4); ok {
			path = found
		}
	}
	data, err := p.input(path)
	if err != nil {
		return sh.fail(".: cannot open %s: %s", args[0], openReason(err))
	}
	return sh.eval(string(data))
}

// trap lets EXIT through; signals reach no script here.
func (sh *shell) trap(args []string) []string {
	out := []string{"trap"}
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) < 2 {
		return append(out, rest...)
	}
	action := rest[0]
	if action != "-" && action != "" {
		ev := sh.eval(action)
		if ev[0] != "eval" {
			return ev
		}
		action = ev[1]
	}
	for _, signal := range rest[1:] {
		switch signal {
		case "0", "EXIT":
			return []string{"trap", action, "EXIT"}
		}
	}
	return []string{"true"}
}

// exec runs every command that is no function and no builtin of the interpreter.
func (sh *shell) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	p := sh.child(hc, args)
	var status int
	name, own := strings.CutPrefix(args[0], ownBuiltin)
	ended := args[0] == failure
	switch {
	case own:
		p.args[0] = name
		run, _ := ownBuiltins(name)
		status = run(ctx, p)
	case ended:
		fmt.Fprintf(p.stderr, "%s: %s\n", sh.name, args[1])
	default:
		p.args[0] = strings.TrimPrefix(args[0], external)
		p.env = environment(hc)
		status = p.exec(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case ended:
		return hc.Builtin(ctx, []string{"exit", "2"})
	case own && status == sigpipe: // it was the shell itself that wrote
		return hc.Builtin(ctx, []string{"exit", strconv.Itoa(sigpipe)})
	}
	if status == 0 {
		return nil
	}
	return interp.ExitStatus(status)
}

// child is a process of the shell's, without its environment.
func (sh *shell) child(hc interp.HandlerContext, args []string) *proc {
	p := *sh.p
	p.shell = sh
	p.args = slices.Clone(args)
	p.dir = hc.Dir
	p.path = hc.Env.Get("PATH").String()
	p.stdin, p.stdout, p.stderr = nil, hc.Stdout, hc.Stderr
	if f, ok := hc.Stdin.(*os.File); ok {
		p.stdin = f
	}
	return &p
}

// environment is what a program gets of the shell's variables.
func environment(hc interp.HandlerContext) map[string]string {
	env := map[string]string{}
	for name, v := range hc.Env.Each {
		switch {
		case !v.IsSet():
			delete(env, name)
		case v.Exported && v.Kind == expand.String:
			env[name] = v.Str
		}
	}
	return env
}

// at is the process as handlers see it: with the shell's directory of the moment.
func (sh *shell) at(ctx context.Context) *proc { return sh.child(interp.HandlerCtx(ctx), nil) }

// open is asked for redirections. The text of an error is dash's.
func (sh *shell) open(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	p := sh.at(ctx)
	f, err := p.open(path, flag, perm)
	if err != nil {
		op, reason := "cannot open", openReason(err)
		if flag&os.O_CREATE != 0 {
			op, reason = "cannot create", err.Error()
			if err == eNoEnt {
				reason = "Directory nonexistent"
			}
		}
		return nil, &os.PathError{Op: sh.name + ": " + op, Path: path, Err: errors.New(reason)}
	}
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		return f, nil
	}
	// The interpreter reads from pipes only; given one, it closes it.
	r, err := sh.p.ses.pipe(f)
	if err != nil {
		return nil, &os.PathError{Op: sh.name + ": cannot open", Path: path, Err: err}
	}
	return r, nil
}

func openReason(err error) string {
	if err == eNoEnt {
		return "No such file"
	}
	return err.Error()
}

func (sh *shell) readDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	p := sh.at(ctx)
	list, err := p.d.fs.readDir(p.user.cred(), absolute(p.dir, path))
	if err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, len(list))
	for i, e := range list {
		entries[i] = fs.FileInfoToDirEntry(e)
	}
	return entries, nil
}

func (sh *shell) stat(ctx context.Context, path string, follow bool) (fs.FileInfo, error) {
	p := sh.at(ctx)
	i, err := p.d.fs.stat(p.user.cred(), absolute(p.dir, path), follow)
	if err != nil {
		return nil, err
	}
	return i, nil
}

func (sh *shell) access(ctx context.Context, path string, mode interp.AccessMode) error {
	p := sh.at(ctx)
	return p.d.fs.access(p.user.cred(), absolute(p.dir, path), fs.FileMode(mode))
}

// environ is what the interpreter starts from. TMPDIR is only for the interpreter itself (see above).
type environ struct {
	vars   map[string]expand.Variable
	sealed bool
}

func (e *environ) Get(name string) expand.Variable {
	if name == "TMPDIR" && !e.sealed {
		return expand.Variable{Set: true, Kind: expand.String, Str: nowhere}
	}
	return e.vars[name]
}

func (e *environ) Each(yield func(string, expand.Variable) bool) {
	for name, v := range e.vars {
		if !yield(name, v) {
			return
		}
	}
}
