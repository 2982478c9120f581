package unix

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// builtin is a command of the shell itself. shell is set for a builtin that changes the shell, run for a builtin that is also a program.
type builtin struct {
	shell func(*shell, []string) int
	run   Command
}

// special lists the special builtins. Their failure ends the shell, and variables assigned before them keep their values.
var special = map[string]bool{
	".": true, ":": true, "break": true, "continue": true, "eval": true, "exec": true, "exit": true, "export": true, "readonly": true,
	"return": true, "set": true, "shift": true, "trap": true, "unset": true,
}

// builtinOf finds a builtin.
func builtinOf(name string) (builtin, bool) {
	if run, ok := ownBuiltins(name); ok {
		return builtin{run: run}, true
	}
	var b builtin
	switch name {
	case ":", "true", "hash":
		b.shell = func(*shell, []string) int { return 0 }
	case "false":
		b.shell = func(*shell, []string) int { return 1 }
	case "exit", "return":
		b.shell = (*shell).leave
	case "break", "continue":
		b.shell = (*shell).leaveLoop
	case "shift":
		b.shell = (*shell).shift
	case "set":
		b.shell = (*shell).set
	case "unset":
		b.shell = (*shell).unset
	case "export", "readonly", "local":
		b.shell = (*shell).declare
	case "cd":
		b.shell = (*shell).changeDir
	case "wait":
		b.shell = (*shell).wait
	case "exec":
		b.shell = (*shell).replace
	case "eval":
		b.shell = func(sh *shell, args []string) int { return sh.nested(strings.Join(args[1:], " ")) }
	case ".":
		b.shell = (*shell).source
	case "trap":
		b.shell = (*shell).trap
	case "read":
		b.shell = (*shell).read
	case "command":
		b.shell = (*shell).plainCommand
	default:
		return b, false
	}
	return b, true
}

// number returns the numeric argument of a builtin, or other if there is no argument.
func (sh *shell) number(args []string, other int) (int, bool) {
	if len(args) < 2 {
		return other, true
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 0 {
		sh.die("%s: Illegal number: %s", args[0], args[1])
		return 0, false
	}
	return n, true
}

// leave is exit and return. A return outside of a function ends the script.
func (sh *shell) leave(args []string) int {
	n, ok := sh.number(args, sh.last)
	if !ok {
		return 2
	}
	sh.flow = exiting
	if args[0] == "return" && sh.calls > 0 {
		sh.flow = returning
	} else {
		n &= 255
	}
	sh.last = n
	return n
}

func (sh *shell) leaveLoop(args []string) int {
	n, ok := sh.number(args, 1)
	if !ok || n < 1 {
		return sh.die("%s: Illegal number: %s", args[0], args[1])
	}
	if sh.loops == 0 {
		return 0
	}
	sh.flow, sh.count = breaking, min(n, sh.loops)
	if args[0] == "continue" {
		sh.flow = continuing
	}
	return 0
}

func (sh *shell) shift(args []string) int {
	n, ok := sh.number(args, 1)
	if !ok {
		return 2
	}
	if n > len(sh.params) {
		return sh.die("shift: can't shift that many")
	}
	sh.params = sh.params[n:]
	return 0
}

// settable lists the supported options of set. Some of them have no visible effect.
const settable = "aefnuxvCb"

var longOptions = map[string]byte{
	"allexport": 'a', "errexit": 'e', "noglob": 'f', "noexec": 'n', "nounset": 'u', "xtrace": 'x', "verbose": 'v',
	"noclobber": 'C', "notify": 'b',
}

func (sh *shell) set(args []string) int {
	if len(args) == 1 {
		for _, name := range slices.Sorted(maps.Keys(sh.vars)) {
			if v := sh.vars[name]; v.set {
				fmt.Fprintf(sh.p.stdout, "%s=%s\n", name, quoteValue(v.value))
			}
		}
		return 0
	}
	rest := args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && (rest[0][0] == '-' || rest[0][0] == '+') {
		word := rest[0]
		rest = rest[1:]
		if word == "--" {
			sh.params = rest
			return 0
		}
		for _, c := range []byte(word[1:]) {
			if c == 'o' {
				if len(rest) == 0 {
					return 0
				}
				long, known := longOptions[rest[0]]
				if !known {
					return sh.die("set: Illegal option %co %s", word[0], rest[0])
				}
				c, rest = long, rest[1:]
			}
			if strings.IndexByte(settable, c) < 0 {
				return sh.die("set: Illegal option %c%c", word[0], c)
			}
			sh.opts[c] = word[0] == '-'
		}
	}
	if len(rest) > 0 {
		sh.params = rest
	}
	return 0
}

func quoteValue(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }

func (sh *shell) unset(args []string) int {
	rest, functions := args[1:], false
	for len(rest) > 0 && (rest[0] == "-f" || rest[0] == "-v" || rest[0] == "--") {
		functions = rest[0] == "-f"
		rest = rest[1:]
	}
	sh.own()
	for _, name := range rest {
		switch {
		case functions:
			delete(sh.funcs, name)
		case sh.vars[name].readonly:
			return sh.die("unset: %s: is read only", name)
		default:
			delete(sh.vars, name)
		}
	}
	return 0
}

// declare is export, readonly and local. local is not in POSIX, but every sh has it.
func (sh *shell) declare(args []string) int {
	rest := args[1:]
	if args[0] == "local" {
		if len(sh.locals) == 0 {
			return sh.die("local: not in a function")
		}
	} else if len(rest) == 0 || rest[0] == "-p" && len(rest) == 1 {
		for _, name := range slices.Sorted(maps.Keys(sh.vars)) {
			v := sh.vars[name]
			if args[0] == "export" && v.exported || args[0] == "readonly" && v.readonly {
				line := args[0] + " " + name
				if v.set {
					line += "=" + quoteValue(v.value)
				}
				fmt.Fprintln(sh.p.stdout, line)
			}
		}
		return 0
	}
	for _, arg := range rest {
		if arg == "-p" || arg == "--" {
			continue
		}
		name, value, given := strings.Cut(arg, "=")
		if !isName(name) {
			return sh.die("%s: %s: bad variable name", args[0], name)
		}
		if args[0] == "local" {
			top := &sh.locals[len(sh.locals)-1]
			if _, ok := (*top)[name]; !ok {
				old, existed := sh.vars[name]
				if *top == nil {
					*top = map[string]local{}
				}
				(*top)[name] = local{old, existed}
			}
		}
		if given && !sh.assign(name, value) {
			return 2
		}
		sh.own()
		v := sh.vars[name]
		v.exported = v.exported || args[0] == "export"
		v.readonly = v.readonly || args[0] == "readonly"
		sh.vars[name] = v
	}
	return 0
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && !inClass("alpha", c) && (i == 0 || !inClass("digit", c)) {
			return false
		}
	}
	return s != ""
}

func (sh *shell) changeDir(args []string) int {
	rest := args[1:]
	for len(rest) > 0 && (rest[0] == "-P" || rest[0] == "-L" || rest[0] == "--") {
		rest = rest[1:]
	}
	dir := sh.vars["HOME"].value
	if len(rest) > 0 {
		dir = rest[0]
	}
	show := dir == "-"
	if show {
		dir = sh.vars["OLDPWD"].value
	}
	to := cleanPath(sh.p.abs(dir))
	i, err := sh.p.m.FS.Stat(sh.p.User.cred(), to, true)
	if err != nil || !i.isDir() || !i.may(sh.p.User.cred(), 1) {
		sh.complain("cd: can't cd to %s", dir)
		return 2
	}
	sh.put("OLDPWD", sh.p.dir)
	sh.put("PWD", to)
	sh.p.dir = to
	if show {
		fmt.Fprintln(sh.p.stdout, to)
	}
	return 0
}

// wait waits for jobs. A signal with a trap ends the wait.
func (sh *shell) wait(args []string) int {
	jobs := sh.jobs
	if len(args) > 1 {
		jobs = nil
	}
	status := 0
	for _, arg := range args[1:] {
		n, err := strconv.Atoi(arg)
		if err != nil {
			return sh.die("wait: Illegal number: %s", arg)
		}
		i := slices.IndexFunc(sh.jobs, func(p *Process) bool { return p.pid == n })
		if i < 0 {
			status = 127
			continue
		}
		jobs = append(jobs, sh.jobs[i])
	}
	for _, job := range jobs {
		s, err := sh.p.self.Await(job, false, true)
		switch {
		case errors.Is(err, ErrInterrupted):
			t := &sh.p.m.procs
			t.mu.Lock()
			came := sh.p.self.pending
			t.mu.Unlock()
			for _, row := range signals {
				if came.has(row.Signal) {
					return 128 + int(row.Signal)
				}
			}
			return 128
		case err != nil:
			sh.flow = exiting
			return sh.last
		}
		if len(args) > 1 {
			sh.mourn(job)
			status = s
		}
	}
	sh.jobs = slices.DeleteFunc(sh.jobs, func(p *Process) bool { return slices.Contains(jobs, p) })
	return status
}

// replace is exec with a program. An exec without a program is complete after its redirections.
func (sh *shell) replace(args []string) int {
	if len(args) > 1 && args[1] == "--" {
		args = args[1:]
	}
	if len(args) == 1 {
		return 0
	}
	p := *sh.p
	p.Args, p.env, p.path, p.broken = args[1:], sh.environment(), sh.vars["PATH"].value, nil
	sh.flow = exiting
	if !p.exists() {
		fmt.Fprintf(p.Stderr, "%s: exec: %s: not found\n", sh.name, args[1])
		sh.last = 127
		return 127
	}
	sh.traps = map[string]string{}
	sh.last = p.Exec()
	return sh.last
}

// nested is like eval, for a script inside another command.
func (sh *shell) nested(text string) int {
	if sh.calls >= maxCalls {
		return sh.die("functions nested too deeply")
	}
	inFunction := sh.calls > 0
	sh.calls++
	sh.last = 0
	status := sh.eval(text)
	sh.calls--
	if sh.flow == returning && !inFunction {
		sh.flow = exiting
	}
	return status
}

func (sh *shell) source(args []string) int {
	if len(args) < 2 {
		return 0
	}
	path := args[1]
	if !strings.Contains(path, "/") {
		sh.p.path = sh.vars["PATH"].value
		if found, ok := sh.p.look(path, 4); ok {
			path = found
		}
	}
	data, err := sh.p.Input(path)
	if err != nil {
		return sh.die(".: cannot open %s: %s", args[1], openReason(err))
	}
	status := sh.nested(string(data))
	if sh.flow == returning {
		sh.flow = goOn
	}
	return status
}

// trap sets the commands for the end of the shell and for signals.
func (sh *shell) trap(args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		for _, name := range slices.Sorted(maps.Keys(sh.traps)) {
			fmt.Fprintf(sh.p.stdout, "trap -- %s %s\n", quoteValue(sh.traps[name]), name)
		}
		return 0
	}
	action, names := rest[0], rest[1:]
	if len(names) == 0 {
		action, names = "-", rest
	}
	t := &sh.p.m.procs
	for _, name := range names {
		n, known := signalNamed(name)
		if !known && name != "0" && name != "EXIT" {
			fmt.Fprintf(sh.p.Stderr, "trap: %s: bad trap\n", name)
			return 1
		}
		key := "EXIT"
		if known {
			key = signalOf(n).name
		}
		if action == "-" {
			delete(sh.traps, key)
		} else {
			sh.traps[key] = action
		}
		if !known || n == sigKILL {
			continue
		}
		t.mu.Lock()
		self := sh.p.self
		self.ignored &^= 1 << n
		self.caught &^= 1 << n
		switch action {
		case "-":
		case "":
			self.ignored |= 1 << n
		default:
			self.caught |= 1 << n
		}
		t.mu.Unlock()
	}
	return 0
}

// plainCommand is "command [-v|-V] NAME ...". It calls no function, and a failing special builtin does not end the shell.
func (sh *shell) plainCommand(args []string) int {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		switch rest[0] {
		case "-v", "-V":
			p := *sh.p
			p.Args, p.path = append([]string{"type"}, rest...), sh.vars["PATH"].value
			return cmdType(p.self.ctx, &p)
		case "-p", "--":
			rest = rest[1:]
		default:
			return sh.die("command: Illegal option %s", rest[0])
		}
	}
	if len(rest) == 0 {
		return 0
	}
	b, ok := builtinOf(rest[0])
	switch {
	case !ok:
		return sh.program(rest, sh.p.fds, sh.environment(), sh.vars["PATH"].value, false)
	case b.shell != nil:
		return b.shell(sh, rest)
	}
	p := *sh.p
	p.Args, p.broken = rest, nil
	return b.run(p.self.ctx, &p)
}
