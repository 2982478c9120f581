package unix

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The programs that send signals, leave a session, and lock.

// cmdKill is kill: the builtin of dash and the program of procps. They differ in the arguments before the number of a group: dash accepts
// "-TERM -5" and "-s TERM -- -5", but not "-TERM -- -5".
func cmdKill(_ context.Context, p *Proc) int {
	fail := func(status int, format string, args ...any) int {
		if p.shell != nil {
			return p.builtinFail(status, format, args...)
		}
		return p.Fail(format, args...)
	}
	args, sig := p.Args[1:], SIGTERM
	usage := "Usage: kill [-s sigspec | -signum | -sigspec] [pid | job]... or\nkill -l [exitstatus]"
	if len(args) > 0 && args[0] == "-l" {
		return listSignals(p, args[1:], fail)
	}
	dashes := true // further options may follow
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--" {
		name := args[0][1:]
		args = args[1:]
		if name[0] == 's' && name != "segv" {
			if name = name[1:]; name == "" && len(args) > 0 {
				name, args = args[0], args[1:]
			}
		} else if p.shell != nil {
			dashes = false
		}
		var ok bool
		if sig, ok = signalNamed(name); name == "0" {
			sig, ok = 0, true
		}
		if !ok {
			return fail(2, "Illegal option -%s", name[:1])
		}
	}
	if dashes && len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return fail(2, "%s", usage)
	}
	status := 0
	for _, arg := range args {
		pid, err := strconv.Atoi(arg)
		if err != nil {
			return fail(2, "Illegal number: %s", strings.TrimPrefix(arg, "-"))
		}
		if pid == 0 {
			pid = -p.self.pgid
		}
		if err := p.m.Kill(p.User.uid, pid, sig); err != nil {
			if p.shell != nil {
				status = fail(1, "%v\n", err)
			} else {
				fmt.Fprintf(p.Stderr, "%s: (%d): %v\n", p.Args[0], pid, err)
				status = 1
			}
		}
	}
	return status
}

func listSignals(p *Proc, args []string, fail func(int, string, ...any) int) int {
	if len(args) == 0 {
		for _, s := range signals {
			p.Print(s.name + "\n")
		}
		return p.Done(0)
	}
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		row := signalOf(Signal(n & 127))
		if err != nil || row == nil {
			return fail(2, "Illegal number: %s", arg)
		}
		p.Print(row.name + "\n")
	}
	return p.Done(0)
}

// cmdSetsid runs a program in a separate session, so that the end of the login does not end the program.
func cmdSetsid(_ context.Context, p *Proc) int {
	args, fork, wait := p.Args[1:], false, false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-f", "--fork":
			fork = true
		case "-w", "--wait":
			wait = true
		case "-c", "--ctty":
		case "--":
		default:
			return p.Usage("unrecognized option '%s'", args[0])
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return p.Usage("no command specified")
	}
	c := p.with(args...)
	t := &p.m.procs
	t.mu.Lock()
	leader := p.self.pgid == p.self.pid
	t.mu.Unlock()
	if leader || fork { // the leader of a group cannot leave it
		if c = p.forked(args...); c == nil {
			return 1
		}
	}
	t.mu.Lock()
	c.self.sid, c.self.pgid = c.self.pid, c.self.pid
	t.mu.Unlock()
	if !c.exists() {
		if c.self != p.self {
			c.self.Start(func() int { return 127 })
		}
		p.errorf("failed to execute %s: %v", args[0], eNoEnt)
		return 127
	}
	switch {
	case c.self == p.self:
		return c.Exec()
	case wait:
		status, _ := c.call(p.self)
		return status
	}
	c.Run()
	return 0
}

// cmdNohup runs a program that the end of the login does not end. There is no terminal, so the program keeps its streams.
func cmdNohup(_ context.Context, p *Proc) int {
	args := p.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		p.Usage("missing operand")
		return 125
	}
	c := p.with(args...)
	if !c.exists() {
		p.errorf("failed to run command '%s': %v", args[0], eNoEnt)
		return 127
	}
	p.m.procs.mu.Lock()
	p.self.ignored |= 1 << sigHUP
	p.m.procs.mu.Unlock()
	return c.Exec()
}

// cmdFlock runs a command while it holds the lock of a file: flock [-n | -w SECONDS] [-s] [-o] [-E N] FILE COMMAND... or -c. Without -o,
// background processes of the command also hold the lock.
func cmdFlock(_ context.Context, p *Proc) int {
	args, patience, exclusive, conflict, closes := p.Args[1:], time.Duration(-1), true, 1, false
options:
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		word := args[0]
		args = args[1:]
		value := func() string {
			if len(args) == 0 {
				return ""
			}
			v := args[0]
			args = args[1:]
			return v
		}
		switch word {
		case "-n", "--nb", "--nonblock":
			patience = 0
		case "-x", "-e", "--exclusive":
		case "-s", "--shared":
			exclusive = false
		case "-o", "--close":
			closes = true
		case "-w", "--wait", "--timeout":
			v := value()
			d, ok := Duration(v)
			if !ok {
				p.errorf("invalid timeout value: '%s'", v)
				return 64
			}
			patience = d
		case "-E", "--conflict-exit-code":
			n, err := strconv.Atoi(value())
			if err != nil || n < 0 || n > 255 {
				p.errorf("exit code out of range (expected 0 to 255)")
				return 64
			}
			conflict = n
		case "--":
			break options
		default:
			p.Usage("unrecognized option '%s'", word)
			return 64
		}
	}
	if len(args) == 0 {
		p.Usage("not enough arguments")
		return 64
	}
	if len(args) == 1 {
		p.errorf("bad file descriptor: '%s'", args[0])
		return 64
	}
	file, cmd := args[0], args[1:]
	if cmd[0] == "-c" || cmd[0] == "--command" {
		if len(cmd) != 2 {
			p.errorf("%s requires exactly one command argument", cmd[0])
			return 64
		}
		cmd = []string{"/bin/sh", "-c", cmd[1]}
	}
	h, err := p.m.FS.open(p.User.cred(), p.abs(file), oRDONLY|oCREATE, 0o666&^*p.umask)
	if err == eIsDir {
		h, err = p.m.FS.open(p.User.cred(), p.abs(file), oRDONLY, 0)
	}
	if err != nil {
		p.errorf("cannot open lock file %s: %v", file, err)
		return 66
	}
	if !p.lock(h.n, exclusive, patience) {
		if p.self.ctx.Err() != nil {
			return 128 + int(SIGTERM)
		}
		return conflict
	}
	lock := newDesc(held{h})
	defer lock.release()
	c := p.forked(cmd...)
	if c == nil {
		return 71
	}
	if !c.exists() {
		c.self.Start(func() int { return 127 })
		p.errorf("failed to execute %s: %v", cmd[0], eNoEnt)
		return 69
	}
	if i := slices.Index(c.fds[3:], nil); !closes && i >= 0 {
		fds := c.fds
		fds[3+i] = lock
		c.keep(fds)
	}
	status, _ := c.call(p.self)
	return status
}

// lock waits for the lock of a file for the time patience. A negative patience means for ever.
func (p *Proc) lock(n *node, exclusive bool, patience time.Duration) bool {
	var late chan struct{}
	for {
		changed := p.m.FS.take(n, exclusive)
		if changed == nil {
			return true
		}
		if patience == 0 {
			return false
		}
		if patience > 0 && late == nil {
			late = make(chan struct{})
			t := &p.m.procs
			a := p.m.Clock.Set(patience, func() bool {
				t.mu.Lock()
				defer t.mu.Unlock()
				return p.self.awaited(0)
			}, func() { close(late) })
			defer p.m.Clock.Drop(a)
		}
		either := make(chan struct{})
		stop := make(chan struct{})
		go func() {
			select {
			case <-changed:
			case <-late:
			case <-stop:
			}
			close(either)
		}()
		err := p.self.block(either, false)
		close(stop)
		if err != nil {
			return false
		}
		select {
		case <-late:
			if p.m.FS.take(n, exclusive) == nil {
				return true
			}
			return false
		default:
		}
	}
}
