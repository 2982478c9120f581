package unix

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file runs the statements of a shell: lists, pipelines, compound commands, redirections, functions and programs.

func (sh *shell) stmts(list []*syntax.Stmt) int {
	for _, st := range list {
		sh.run(st)
		if sh.flow != goOn {
			break
		}
	}
	return sh.last
}

// run runs one statement and sets sh.last to its status.
func (sh *shell) run(st *syntax.Stmt) {
	if sh.stopped() {
		return
	}
	if st.Background {
		sh.background(st)
		return
	}
	if st.Negated {
		sh.tested++
	}
	status := sh.redirected(st)
	if st.Negated {
		sh.tested--
		if sh.flow != exiting {
			status = map[bool]int{true: 1, false: 0}[status == 0]
		}
	}
	sh.last = status
	if status != 0 && sh.flow == goOn && sh.tested == 0 && sh.opts['e'] && !st.Negated && decides(st.Cmd) {
		sh.flow = exiting
	}
	sh.stopped()
}

// decides reports whether the failure of such a command itself triggers -e. For other compound commands, a command inside them triggers
// it.
func decides(cmd syntax.Command) bool {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr, *syntax.Subshell:
		return true
	case *syntax.BinaryCmd:
		return cmd.Op == syntax.Pipe
	}
	return false
}

// redirected runs a statement's command with its redirections.
func (sh *shell) redirected(st *syntax.Stmt) int {
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		return sh.perform(call, st.Redirs, false)
	}
	if len(st.Redirs) == 0 {
		return sh.command(st.Cmd)
	}
	fds, opened, ok := sh.redirect(st.Redirs)
	defer closeAll(opened)
	if !ok {
		return 2
	}
	before := sh.p.fds
	sh.p.setFds(fds)
	defer sh.p.setFds(before)
	return sh.command(st.Cmd)
}

func closeAll(list []*desc) {
	for _, d := range list {
		d.release()
	}
}

// command runs a compound command.
func (sh *shell) command(cmd syntax.Command) int {
	switch c := cmd.(type) {
	case nil:
		return 0
	case *syntax.Block:
		return sh.stmts(c.Stmts)
	case *syntax.Subshell:
		return sh.subshell(c.Stmts, sh.p.fds)
	case *syntax.BinaryCmd:
		return sh.binary(c)
	case *syntax.IfClause:
		return sh.clause(c)
	case *syntax.WhileClause:
		return sh.while(c)
	case *syntax.ForClause:
		return sh.each(c)
	case *syntax.CaseClause:
		return sh.choose(c)
	case *syntax.FuncDecl:
		sh.own()
		sh.funcs[c.Name.Value] = c.Body
		return 0
	}
	return sh.die("the lab's shell does not know this command: %T", cmd)
}

func (sh *shell) binary(c *syntax.BinaryCmd) int {
	if c.Op == syntax.Pipe {
		return sh.pipeline(c)
	}
	sh.tested++
	sh.run(c.X)
	sh.tested--
	if sh.flow != goOn || (c.Op == syntax.AndStmt) != (sh.last == 0) {
		return sh.last
	}
	sh.run(c.Y)
	return sh.last
}

func (sh *shell) clause(c *syntax.IfClause) int {
	for ; c != nil; c = c.Else {
		if len(c.Cond) > 0 {
			sh.tested++
			sh.stmts(c.Cond)
			sh.tested--
			if sh.flow != goOn {
				return sh.last
			}
			if sh.last != 0 {
				continue
			}
		}
		return sh.stmts(c.Then)
	}
	return 0
}

// again reports whether a loop continues after an iteration.
func (sh *shell) again() bool {
	if sh.flow == breaking || sh.flow == continuing {
		if sh.count--; sh.count > 0 {
			return false
		}
		leave := sh.flow == breaking
		sh.flow = goOn
		return !leave
	}
	return sh.flow == goOn
}

func (sh *shell) while(c *syntax.WhileClause) int {
	sh.loops++
	defer func() { sh.loops-- }()
	status := 0
	for {
		sh.tested++
		sh.stmts(c.Cond)
		sh.tested--
		if sh.flow != goOn {
			if !sh.again() {
				return sh.last
			}
			continue
		}
		if (sh.last == 0) == c.Until {
			return status
		}
		status = sh.stmts(c.Do)
		if !sh.again() {
			return sh.last
		}
	}
}

func (sh *shell) each(c *syntax.ForClause) int {
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return sh.die("Syntax error: bad for loop")
	}
	items := sh.params
	if it.InPos.IsValid() {
		var err error
		if items, err = sh.fields(it.Items); err != nil {
			return sh.die("%v", err)
		}
	}
	sh.loops++
	defer func() { sh.loops-- }()
	status := 0
	for _, item := range slices.Clone(items) {
		if !sh.assign(it.Name.Value, item) {
			return sh.last
		}
		sh.last = 0
		status = sh.stmts(c.Do)
		if !sh.again() {
			return sh.last
		}
	}
	return status
}

func (sh *shell) choose(c *syntax.CaseClause) int {
	word, err := sh.literal(c.Word)
	if err != nil {
		return sh.die("%v", err)
	}
	for _, item := range c.Items {
		for _, w := range item.Patterns {
			pattern, err := sh.pattern(w)
			if err != nil {
				return sh.die("%v", err)
			}
			if matches(pattern, word) {
				sh.last = 0
				return sh.stmts(item.Stmts)
			}
		}
	}
	return 0
}

// subshell runs statements in a copy of the shell, and waits for it. The copy is not a separate process, so signals to the shell end it,
// too.
func (sh *shell) subshell(list []*syntax.Stmt, fds descriptors) int {
	c := sh.fork(sh.p.self)
	fds.hold()
	c.base = &fds
	c.p.setFds(fds)
	c.stmts(list)
	c.end()
	fds.release()
	return c.last
}

// adopt makes the shell use the descriptors from now on.
func (sh *shell) adopt(fds descriptors) {
	fds.hold()
	sh.base.release()
	*sh.base = fds
	sh.p.setFds(fds)
}

// spawn runs a statement in a separate process with the given descriptors. The process closes them when it ends.
func (sh *shell) spawn(st *syntax.Stmt, fds descriptors, background bool) *Process {
	self := sh.p.m.fork(sh.p.self, sh.p.User.uid)
	if self == nil {
		fds.release()
		sh.die("Cannot fork")
		return nil
	}
	self.fds = fds
	c := sh.fork(self)
	c.base = &self.fds
	c.p.setFds(fds)
	if background {
		c.tested = 0
		sh.p.m.toBackground(self)
	}
	self.Start(func() int {
		c.whole(st)
		c.end()
		return c.last
	})
	return self
}

// whole runs a statement that is the whole script of the shell.
func (sh *shell) whole(st *syntax.Stmt) {
	if call, ok := st.Cmd.(*syntax.CallExpr); ok && !st.Negated {
		if !sh.stopped() {
			sh.last = sh.perform(call, st.Redirs, true)
		}
		return
	}
	fds, opened, ok := sh.redirect(st.Redirs)
	if ok {
		sh.adopt(fds)
	}
	closeAll(opened)
	if !ok {
		sh.last = 2
		return
	}
	plain := *st
	plain.Background, plain.Redirs = false, nil
	sh.run(&plain)
}

// background runs a statement in the background, with an empty stdin.
func (sh *shell) background(st *syntax.Stmt) {
	fds := sh.p.fds
	fds[0] = newDesc(&text{})
	for _, d := range fds[1:] {
		d.hold()
	}
	sh.last = 0
	if job := sh.spawn(st, fds, true); job != nil {
		sh.latest = job.pid
		sh.jobs = append(sh.jobs, job)
	}
}

// pipeline runs the commands of a pipeline in parallel.
func (sh *shell) pipeline(c *syntax.BinaryCmd) int {
	var list []*syntax.Stmt
	var flatten func(st *syntax.Stmt)
	flatten = func(st *syntax.Stmt) {
		if b, ok := st.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe && len(st.Redirs) == 0 && !st.Negated {
			flatten(b.X)
			flatten(b.Y)
			return
		}
		list = append(list, st)
	}
	flatten(c.X)
	flatten(c.Y)
	var jobs []*Process
	in := sh.p.fds[0].hold()
	for i, st := range list {
		fds := sh.p.fds
		for _, d := range fds[1:] {
			d.hold()
		}
		fds[0] = in
		if i+1 < len(list) {
			between := NewPipe()
			fds[1].release()
			fds[1] = newDesc(pipeEnd{between, false})
			in = newDesc(pipeEnd{between, true})
		}
		job := sh.spawn(st, fds, false)
		if job == nil {
			if i+1 < len(list) {
				in.release()
			}
			break
		}
		jobs = append(jobs, job)
	}
	status := sh.last
	for i, job := range jobs {
		if s := sh.waitFor(job); i+1 == len(list) {
			status = s
		}
	}
	return status
}

// waitFor waits for a child in the foreground, and prints the signal that ended it, if any.
func (sh *shell) waitFor(job *Process) int {
	status, err := sh.p.self.Await(job, true, false)
	if err != nil {
		sh.flow = exiting
		return sh.last
	}
	sh.mourn(job)
	return status
}

// mourn prints the message for a child that a signal ended.
func (sh *shell) mourn(job *Process) {
	if why, ok := causeOf(job); ok && why.Signal != 0 {
		if row := signalOf(why.Signal); row != nil && row.said != "" {
			fmt.Fprintln(sh.p.Stderr, row.said)
		}
	}
}

// perform runs a simple command. If inPlace is set, the command is the last action of the shell, so a program replaces the shell.
func (sh *shell) perform(call *syntax.CallExpr, redirs []*syntax.Redirect, inPlace bool) int {
	sh.subst = 0
	args, err := sh.arguments(call.Args)
	if err != nil {
		return sh.die("%v", err)
	}
	fds := sh.p.fds
	if len(redirs) > 0 {
		var opened []*desc
		var ok bool
		fds, opened, ok = sh.redirect(redirs)
		if len(args) == 1 && args[0] == "exec" && ok { // for good
			sh.adopt(fds)
			closeAll(opened)
			return 0
		}
		if ok && inPlace {
			sh.adopt(fds)
			closeAll(opened)
		} else {
			defer closeAll(opened)
		}
		if !ok {
			if len(args) > 0 && special[args[0]] {
				sh.flow, sh.last = exiting, 2
			}
			return 2
		}
	}
	if len(args) == 0 {
		for _, a := range call.Assigns {
			value, err := sh.literal(a.Value)
			if err != nil {
				return sh.die("%v", err)
			}
			if !sh.assign(a.Name.Value, value) {
				return sh.last
			}
		}
		return sh.subst
	}
	type pair struct{ name, value string }
	var given []pair
	for _, a := range call.Assigns {
		value, err := sh.literal(a.Value)
		if err != nil {
			return sh.die("%v", err)
		}
		given = append(given, pair{a.Name.Value, value})
	}
	if sh.opts['x'] {
		var line strings.Builder
		line.WriteString("+ ")
		for _, g := range given {
			line.WriteString(g.name + "=" + g.value + " ")
		}
		fmt.Fprintln(sh.p.Stderr, line.String()+strings.Join(args, " "))
	}
	body, isFunc := sh.funcs[args[0]]
	builtin, isBuiltin := builtinOf(args[0])
	isFunc = isFunc && !special[args[0]]
	if !isFunc && !isBuiltin {
		env := sh.environment()
		path := sh.vars["PATH"].value
		for _, g := range given {
			env[g.name] = g.value
			if g.name == "PATH" {
				path = g.value
			}
		}
		return sh.program(args, fds, env, path, inPlace)
	}
	before := sh.p.fds
	sh.p.setFds(fds)
	defer sh.p.setFds(before)
	if len(given) > 0 {
		sh.own()
		for _, g := range given {
			old, existed := sh.vars[g.name]
			if !sh.assign(g.name, g.value) {
				return sh.last
			}
			if v := sh.vars[g.name]; !special[args[0]] {
				v.exported = true
				sh.vars[g.name] = v
				defer sh.restore(g.name, local{old, existed})
			}
		}
	}
	if isFunc {
		return sh.callFunction(body, args[1:])
	}
	if builtin.shell != nil {
		return builtin.shell(sh, args)
	}
	p := *sh.p
	p.Args, p.broken = args, nil
	status := builtin.run(sh.p.self.ctx, &p)
	if status == sigpipe { // the shell itself was the writer
		sh.flow, sh.last = exiting, sigpipe
	}
	return status
}

func (sh *shell) restore(name string, l local) {
	sh.own()
	if l.existed {
		sh.vars[name] = l.variable
	} else {
		delete(sh.vars, name)
	}
}

// callFunction runs a function.
func (sh *shell) callFunction(body *syntax.Stmt, args []string) int {
	if sh.calls >= maxCalls {
		return sh.die("functions nested too deeply")
	}
	params, loops := sh.params, sh.loops
	sh.params, sh.loops = args, 0
	sh.calls++
	sh.locals = append(sh.locals, nil)
	sh.run(body)
	top := len(sh.locals) - 1
	for name, old := range sh.locals[top] {
		sh.restore(name, old)
	}
	sh.locals = sh.locals[:top]
	sh.calls--
	sh.params, sh.loops = params, loops
	if sh.flow == returning {
		sh.flow = goOn
	}
	return sh.last
}

// program runs a program of the device, in a separate process or in place of the shell.
func (sh *shell) program(args []string, fds descriptors, env map[string]string, path string, inPlace bool) int {
	p := *sh.p
	p.Args, p.env, p.path, p.broken = args, env, path, nil
	umask := *p.umask
	p.umask = &umask
	if inPlace {
		p.setFds(fds)
		return p.Exec()
	}
	p.self = sh.p.m.fork(sh.p.self, p.User.uid)
	if p.self == nil {
		return sh.die("Cannot fork")
	}
	p.keep(fds)
	p.Run()
	return sh.waitFor(p.self)
}

// environment returns the variables that the shell passes to a program.
func (sh *shell) environment() map[string]string {
	env := map[string]string{}
	for name, v := range sh.vars {
		if v.exported && v.set {
			env[name] = v.value
		}
	}
	return env
}
