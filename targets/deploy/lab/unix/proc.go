package unix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// Command is the function of a program. It returns the exit status.
type Command func(context.Context, *Proc) int

// User is one row of a device's user database.
type User struct {
	Name     string
	uid, gid int
	home     string
}

func (u *User) cred() Cred { return Cred{u.uid, u.gid} }

// invoker identifies the shell that started a program.
type invoker interface {
	scriptName() string           // name in its messages
	hasFunction(name string) bool // line of the script
}

// Proc is a running program of a machine.
type Proc struct {
	m      *Machine
	self   *Process
	shell  invoker // the shell that started the program; nil for the login shell
	User   *User
	Args   []string
	dir    string
	env    map[string]string // exported variables
	path   string            // PATH, exported or not
	umask  *fs.FileMode      // variables of its shell
	fds    descriptors
	stdin  fd // descriptors 0 to 2
	stdout io.Writer
	Stderr io.Writer
	broken error // the first failed write to stdout
}

// setFds sets the descriptors of the program.
func (p *Proc) setFds(fds descriptors) {
	p.fds = fds
	p.stdin, p.stdout, p.Stderr = fd{p.self, fds[0]}, fd{p.self, fds[1]}, fd{p.self, fds[2]}
}

// sigpipe is the exit status of a program whose reader has closed the pipe.
const sigpipe = 141

// name returns the program's name for its messages.
func (p *Proc) name() string { return path.Base(p.Args[0]) }

// errorf writes a message that begins with the program's name.
func (p *Proc) errorf(format string, args ...any) {
	fmt.Fprintf(p.Stderr, p.name()+": "+format+"\n", args...)
}

// Fail writes a message like errorf, and returns the exit status of most failures.
func (p *Proc) Fail(format string, args ...any) int {
	p.errorf(format, args...)
	return 1
}

// Usage writes the error message of a coreutils program about its arguments.
func (p *Proc) Usage(format string, args ...any) int {
	p.errorf(format, args...)
	fmt.Fprintf(p.Stderr, "Try '%s --help' for more information.\n", p.name())
	return 1
}

// Print writes to stdout. It does not report a failed write; [Proc.Done] does.
func (p *Proc) Print(s string) {
	if s == "" {
		return
	}
	if _, err := io.WriteString(p.stdout, s); err != nil && p.broken == nil {
		p.broken = err
	}
}

// Printf is like Print, with a format.
func (p *Proc) Printf(format string, args ...any) { p.Print(fmt.Sprintf(format, args...)) }

// Done returns the exit status of a program that has written to stdout.
func (p *Proc) Done(status int) int {
	switch {
	case p.broken == nil:
		return status
	case errors.Is(p.broken, EPIPE), errors.Is(p.broken, fs.ErrClosed):
		return sigpipe
	}
	return p.Fail("write error: %v", p.broken)
}

// readAll reads stdin to its end.
func (p *Proc) readAll() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(p.stdin, DiskSize+1))
	if err != nil {
		return nil, eIO
	}
	if len(data) > DiskSize {
		return nil, eNoMem
	}
	return data, nil
}

// abs makes a path absolute.
func (p *Proc) abs(file string) string { return absolute(p.dir, file) }

// open opens a file. The standard streams have names, too.
func (p *Proc) open(file string, flag int, perm fs.FileMode) (io.ReadWriteCloser, error) {
	d, err := p.openDesc(file, flag, perm)
	if err != nil {
		return nil, err
	}
	return openFile{fd{p.self, d}}, nil
}

// openFile is a file that only the opening program uses.
type openFile struct{ fd }

// Close implements [io.Closer].
func (f openFile) Close() error {
	f.d.release()
	return nil
}

// openDesc is like open, but returns a descriptor.
func (p *Proc) openDesc(file string, flag int, perm fs.FileMode) (*desc, error) {
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
	h, err := p.m.FS.open(p.User.cred(), abs, flag, perm&^*p.umask)
	if err != nil {
		return nil, err
	}
	return newDesc(h), nil
}

// reader opens an operand of a filter: a file, or stdin for "-".
func (p *Proc) reader(file string) (io.ReadCloser, error) {
	if file == "-" {
		return p.stdin, nil
	}
	return p.open(file, oRDONLY, 0)
}

// Input reads an operand of a filter: a file, or stdin for "-".
func (p *Proc) Input(file string) ([]byte, error) {
	if file == "-" {
		return p.readAll()
	}
	h, err := p.open(file, oRDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	return io.ReadAll(h)
}

// readAll reads a file with the rights of a user.
func (f *FileSystem) readAll(c Cred, file string) ([]byte, error) {
	h, err := f.open(c, file, oRDONLY, 0)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(h)
}

// look finds a file on PATH that is not a directory and for which the user has the rights want.
func (p *Proc) look(name string, want fs.FileMode) (string, bool) {
	for dir := range strings.SplitSeq(p.path, ":") {
		file := absolute(absolute(p.dir, dir), name)
		if i, err := p.m.FS.Stat(p.User.cred(), file, true); err == nil && !i.IsDir() && i.may(p.User.cred(), want) {
			return file, true
		}
	}
	return "", false
}

// Exec runs args as a program of the device, like execvp(3). Errors have the shell's messages.
func (p *Proc) Exec() int {
	name := p.Args[0]
	file := name
	if !strings.Contains(name, "/") {
		found, ok := p.look(name, 1)
		if !ok {
			return p.shellError(127, "not found")
		}
		file = found
	}
	file = p.abs(file)
	i, err := p.m.FS.Stat(p.User.cred(), file, true)
	switch {
	case err == eNoEnt:
		return p.shellError(127, "not found")
	case err != nil:
		return p.shellError(126, err.Error())
	case i.IsDir(), !i.may(p.User.cred(), 1):
		return p.shellError(126, string(eAcces))
	}
	if broken := p.m.ran(p.Args); broken != nil {
		io.WriteString(p.Stderr, broken.Stderr)
		return broken.Status
	}
	if p.self.ctx.Err() != nil {
		return 128 + int(SIGTERM)
	}
	p.shell = nil
	if i.program != nil {
		return i.program(p.self.ctx, p)
	}
	script, err := p.m.FS.readAll(p.User.cred(), file)
	if err != nil {
		return p.shellError(126, err.Error())
	}
	if line, _, _ := strings.Cut(string(script), "\n"); strings.HasPrefix(line, "#!") {
		with := strings.Fields(line[2:])
		if len(with) == 0 || path.Base(with[0]) != "sh" {
			return p.shellError(126, "the lab runs scripts of sh only")
		}
		p.Args = slices.Concat(with, []string{file}, p.Args[1:])
		return p.m.sh(p.self.ctx, p)
	}
	return p.m.script(p, file, string(script), p.Args[1:], "")
}

func (p *Proc) shellError(status int, reason string) int {
	who := "sh"
	if p.shell != nil {
		who = p.shell.scriptName()
	}
	fmt.Fprintf(p.Stderr, "%s: %s: %s\n", who, p.Args[0], reason)
	return status
}

// with returns the same process with other arguments, for an exec.
func (p *Proc) with(args ...string) *Proc {
	c := *p
	c.Args = args
	c.env = maps.Clone(p.env)
	umask := *p.umask
	c.umask = &umask
	return &c
}

// forked returns a child of the program with other arguments; nil: there are too many processes.
func (p *Proc) forked(args ...string) *Proc {
	c := p.with(args...)
	if c.self = p.m.fork(p.self, p.User.uid); c.self == nil {
		p.errorf("cannot fork: Resource temporarily unavailable")
		return nil
	}
	c.keep(p.fds)
	return c
}

// keep passes descriptors to a forked program, and keeps them open while the program runs.
func (p *Proc) keep(fds descriptors) {
	fds.hold()
	p.self.fds.release()
	p.self.fds = fds
	p.setFds(fds)
}

// Process returns the process that runs the program.
func (p *Proc) Process() *Process { return p.self }

// IsRoot reports whether root runs the program.
func (p *Proc) IsRoot() bool { return p.User.uid == 0 }

// Run executes a forked program.
func (p *Proc) Run() { p.self.Start(p.Exec) }

// call runs a forked program and waits for it. ok is false if the caller was killed meanwhile.
func (p *Proc) call(parent *Process) (status int, ok bool) {
	p.Run()
	status, err := parent.Await(p.self, true, false)
	return status, err == nil
}

// become changes the user and the variables that a login sets.
func (p *Proc) become(u *User, searchPath string) {
	p.m.procs.mu.Lock()
	p.self.uid = u.uid
	p.m.procs.mu.Unlock()
	p.User = u
	p.path = searchPath
	p.env["PATH"], p.env["HOME"], p.env["USER"], p.env["LOGNAME"] = searchPath, u.home, u.Name, u.Name
	p.env["SHELL"] = "/bin/sh"
}

// Flags parses options like [target.Getopt], and prints errors like coreutils.
func (p *Proc) Flags(spec string, long map[string]byte) (set map[byte][]string, rest []string, ok bool) {
	set, rest, complaint := target.Getopt(p.Args[1:], spec, long)
	if complaint != "" {
		p.Usage("%s", complaint)
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

// FailPlain writes a message without the program's name, like systemctl.
func (p *Proc) FailPlain(status int, format string, args ...any) int {
	fmt.Fprintf(p.Stderr, format+"\n", args...)
	return status
}

// Change records a change of something that is not a file, and reports whether it is allowed. It is called with the lock of the file
// system held.
func (p *Proc) Change() error { return p.m.FS.Change(p.name() + " " + strings.Join(p.Args[1:], " ")) }

// Locked runs do under the lock of the device's kernel, and writes its output afterwards, because stdout may be a file of the same
// device.
func (p *Proc) Locked(do func(*Proc) int) int {
	var out, errs bytes.Buffer
	c := *p
	c.stdout, c.Stderr = &out, &errs
	status := func() int {
		p.m.FS.mu.Lock()
		defer p.m.FS.mu.Unlock()
		return do(&c)
	}()
	_, _ = p.Stderr.Write(errs.Bytes())
	p.Print(out.String())
	return p.Done(status)
}

// AwaitEnd waits until the process is killed, and returns its status.
func (p *Proc) AwaitEnd() int {
	<-p.self.ctx.Done()
	return 128 + int(sigKILL)
}

// Debian's values of PATH: of sshd for root, of sshd for other users, and of sudo.
const (
	rootPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	userPath = "/usr/local/bin:/usr/bin:/bin:/usr/games"
)

func openReason(err error) string {
	if err == eNoEnt {
		return "No such file"
	}
	return err.Error()
}
