package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/rocec/rocec/targets/target"
)

// command is what a program does; it returns the exit status.
type command func(context.Context, *proc) int

// user is one row of a device's user database.
type user struct {
	name     string
	uid, gid int
	home     string
}

func (u *user) cred() cred { return cred{u.uid, u.gid} }

// proc is one running program of a device.
type proc struct {
	d      *Device
	self   *process
	shell  *shell // that started it; nil for the login shell
	user   *user
	args   []string
	dir    string
	env    map[string]string // exported variables
	path   string            // PATH, exported or not
	umask  *fs.FileMode      // of the shell it belongs to
	fds    descriptors
	stdin  fd // descriptors 0 to 2
	stdout io.Writer
	stderr io.Writer
	broken error // the first failed write to stdout
}

// setFds gives the program its descriptors.
func (p *proc) setFds(fds descriptors) {
	p.fds = fds
	p.stdin, p.stdout, p.stderr = fd{p.self, fds[0]}, fd{p.self, fds[1]}, fd{p.self, fds[2]}
}

// sigpipe is the status of a program whose reader went away.
const sigpipe = 141

// name is what the program calls itself in messages.
func (p *proc) name() string { return path.Base(p.args[0]) }

// errorf writes a message under the program's name.
func (p *proc) errorf(format string, args ...any) {
	fmt.Fprintf(p.stderr, p.name()+": "+format+"\n", args...)
}

// fail is errorf and the status of most failures.
func (p *proc) fail(format string, args ...any) int {
	p.errorf(format, args...)
	return 1
}

// usage is the complaint of a coreutils program about its arguments.
func (p *proc) usage(format string, args ...any) int {
	p.errorf(format, args...)
	fmt.Fprintf(p.stderr, "Try '%s --help' for more information.\n", p.name())
	return 1
}

// print writes to stdout; a program that goes on after a failed write learns of it from [proc.done].
func (p *proc) print(s string) {
	if s == "" {
		return
	}
	if _, err := io.WriteString(p.stdout, s); err != nil && p.broken == nil {
		p.broken = err
	}
}

func (p *proc) printf(format string, args ...any) { p.print(fmt.Sprintf(format, args...)) }

// done is the exit status of a program that wrote to stdout.
func (p *proc) done(status int) int {
	switch {
	case p.broken == nil:
		return status
	case errors.Is(p.broken, syscall.EPIPE), errors.Is(p.broken, os.ErrClosed):
		return sigpipe
	}
	return p.fail("write error: %v", p.broken)
}

// readAll reads stdin to its end.
func (p *proc) readAll() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(p.stdin, diskSize+1))
	if err != nil {
		return nil, eIO
	}
	if len(data) > diskSize {
		return nil, eNoMem
	}
	return data, nil
}

// abs makes a path absolute.
func (p *proc) abs(file string) string { return absolute(p.dir, file) }

// open opens a file; the standard streams have names too.
func (p *proc) open(file string, flag int, perm fs.FileMode) (io.ReadWriteCloser, error) {
	d, err := p.openDesc(file, flag, perm)
	if err != nil {
		return nil, err
	}
	return openFile{fd{p.self, d}}, nil
}

// openFile is a file that a program has opened for itself.
type openFile struct{ fd }

// Close implements [io.Closer].
func (f openFile) Close() error {
	f.d.release()
	return nil
}

// openDesc is open for a descriptor.
func (p *proc) openDesc(file string, flag int, perm fs.FileMode) (*desc, error) {
	abs := p.abs(file)
	n := -1
	switch abs {
	case "/dev/stdin":
		n = 0
	case "/dev/stdout":
		n = 1
	case "/dev/stderr":
		n = 2
	default:
		if digit, ok := strings.CutPrefix(abs, "/dev/fd/"); ok && len(digit) == 1 && digit[0] >= '0' && digit[0] <= '9' {
			n = int(digit[0] - '0')
		}
	}
	if n >= 0 {
		if p.fds[n] == nil {
			return nil, eNoEnt
		}
		return p.fds[n].hold(), nil
	}
	h, err := p.d.fs.open(p.user.cred(), abs, flag, perm&^*p.umask)
	if err != nil {
		return nil, err
	}
	return newDesc(h), nil
}

// reader opens an operand of a filter: a file, or stdin for "-".
func (p *proc) reader(file string) (io.ReadCloser, error) {
	if file == "-" {
		return p.stdin, nil
	}
	return p.open(file, os.O_RDONLY, 0)
}

// input reads an operand of a filter: a file, or stdin for "-".
func (p *proc) input(file string) ([]byte, error) {
	if file == "-" {
		return p.readAll()
	}
	h, err := p.open(file, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	return io.ReadAll(h)
}

// readAll reads a file with somebody's rights.
func (f *fileSystem) readAll(c cred, file string) ([]byte, error) {
	h, err := f.open(c, file, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(h)
}

// look finds a file on PATH that is not a directory and grants want.
func (p *proc) look(name string, want fs.FileMode) (string, bool) {
	for dir := range strings.SplitSeq(p.path, ":") {
		file := absolute(absolute(p.dir, dir), name)
		if i, err := p.d.fs.stat(p.user.cred(), file, true); err == nil && !i.IsDir() && i.may(p.user.cred(), want) {
			return file, true
		}
	}
	return "", false
}

// exec runs args as a program of the device, as execvp(3) and the shell's messages about it.
func (p *proc) exec() int {
	name := p.args[0]
	file := name
	if !strings.Contains(name, "/") {
		found, ok := p.look(name, 1)
		if !ok {
			return p.shellError(127, "not found")
		}
		file = found
	}
	file = p.abs(file)
	i, err := p.d.fs.stat(p.user.cred(), file, true)
	switch {
	case err == eNoEnt:
		return p.shellError(127, "not found")
	case err != nil:
		return p.shellError(126, err.Error())
	case i.IsDir(), !i.may(p.user.cred(), 1):
		return p.shellError(126, string(eAcces))
	}
	p.d.ran(p.args)
	if b := p.d.breakage(p.args); b != nil {
		io.WriteString(p.stderr, b.stderr)
		return b.status
	}
	if p.self.ctx.Err() != nil {
		return 128 + int(sigTERM)
	}
	p.shell = nil
	if i.program != nil {
		return i.program(p.self.ctx, p)
	}
	script, err := p.d.fs.readAll(p.user.cred(), file)
	if err != nil {
		return p.shellError(126, err.Error())
	}
	if line, _, _ := strings.Cut(string(script), "\n"); strings.HasPrefix(line, "#!") {
		with := strings.Fields(line[2:])
		if len(with) == 0 || path.Base(with[0]) != "sh" {
			return p.shellError(126, "the lab runs scripts of sh only")
		}
		p.args = slices.Concat(with, []string{file}, p.args[1:])
		return cmdSh(p.self.ctx, p)
	}
	return runScript(p, file, string(script), p.args[1:], "")
}

func (p *proc) shellError(status int, reason string) int {
	who := "sh"
	if p.shell != nil {
		who = p.shell.name
	}
	fmt.Fprintf(p.stderr, "%s: %s: %s\n", who, p.args[0], reason)
	return status
}

// with is the same program with other arguments, to be executed in its place.
func (p *proc) with(args ...string) *proc {
	c := *p
	c.args = args
	c.env = maps.Clone(p.env)
	umask := *p.umask
	c.umask = &umask
	return &c
}

// forked is a child of the program with other arguments; nil: there are too many processes.
func (p *proc) forked(args ...string) *proc {
	c := p.with(args...)
	if c.self = p.d.fork(p.self, p.user.uid); c.self == nil {
		p.errorf("cannot fork: Resource temporarily unavailable")
		return nil
	}
	c.keep(p.fds)
	return c
}

// keep gives a forked program descriptors, and keeps them open as long as it runs.
func (p *proc) keep(fds descriptors) {
	fds.hold()
	p.self.fds.release()
	p.self.fds = fds
	p.setFds(fds)
}

// run executes a forked program.
func (p *proc) run() { p.self.start(p.exec) }

// call runs a forked program and waits for it; not ok: the caller was killed meanwhile.
func (p *proc) call(parent *process) (status int, ok bool) {
	p.run()
	status, err := parent.await(p.self, true, false)
	return status, err == nil
}

// become changes the user and what login sets with it.
func (p *proc) become(u *user, searchPath string) {
	p.d.procs.mu.Lock()
	p.self.uid = u.uid
	p.d.procs.mu.Unlock()
	p.user = u
	p.path = searchPath
	p.env["PATH"], p.env["HOME"], p.env["USER"], p.env["LOGNAME"] = searchPath, u.home, u.name, u.name
	p.env["SHELL"] = "/bin/sh"
}

// flags parses options as [target.Getopt] does, and complains as coreutils do.
func (p *proc) flags(spec string, long map[string]byte) (set map[byte][]string, rest []string, ok bool) {
	set, rest, complaint := target.Getopt(p.args[1:], spec, long)
	if complaint != "" {
		p.usage("%s", complaint)
		return nil, nil, false
	}
	return set, rest, true
}

// last returns the value of the last occurrence of an option.
func last(set map[byte][]string, c byte) (string, bool) {
	v := set[c]
	if len(v) == 0 {
		return "", false
	}
	return v[len(v)-1], true
}
