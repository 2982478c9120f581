package unix

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"time"
)

// sessionTime is the time limit of one session.
const sessionTime = 15 * time.Minute

// login makes the process that sshd or systemd would start for a user, in a separate session; nil: the device is off, or has too many
// processes. The process reads from in and writes to out and errs.
func (m *Machine) login(u *User, in, out, errs stream) *Proc {
	self := m.fork(nil, u.uid)
	if self == nil {
		return nil
	}
	umask := fs.FileMode(0o022)
	p := &Proc{m: m, self: self, User: u, dir: u.home, umask: &umask, env: map[string]string{}}
	self.fds = descriptors{newDesc(in), newDesc(out), newDesc(errs)}
	p.setFds(self.fds)
	search := userPath
	if u.uid == 0 {
		search = rootPath
	}
	p.become(u, search)
	return p
}

// detached is like login without a client: stdin is empty, and the output is dropped.
func (m *Machine) detached(u *User) *Proc { return m.login(u, discard{}, discard{}, discard{}) }

// Daemon makes a detached process of root for a command, without starting it; nil: the machine is off, or has too many processes.
func (m *Machine) Daemon(args []string, env map[string]string) *Proc {
	p := m.detached(m.Users["root"])
	if p == nil {
		return nil
	}
	maps.Copy(p.env, env)
	p.dir, p.Args = "/", args
	return p
}

// session runs the command of a login, and returns its exit status. When ctx ends, the client has disconnected, and the processes that it
// waited for get SIGHUP. Processes in the background, or in separate sessions, go on.
func (m *Machine) session(ctx context.Context, u *User, stdin io.ReadCloser, stdout, stderr io.Writer, run func(*Proc) int) int {
	ctx, cancel := context.WithTimeout(ctx, sessionTime)
	defer cancel()
	out := &gate{left: sessionOutput, full: cancel}
	defer out.shut()
	in := &client{}
	if stdin != nil {
		in.in = NewPipe()
		go func() {
			_, _ = io.Copy(feed{ctx, in.in}, stdin) // a closed reader is not an error of the session
			in.in.Hold(0, -1)
		}()
		defer in.in.Hold(-1, 0)
		defer context.AfterFunc(ctx, func() { stdin.Close() })() // the rest of the input has no reader
	}
	p := m.login(u, in, &client{out: out.writer(stdout)}, &client{out: out.writer(stderr)})
	if p == nil {
		return 255
	}
	p.self.client = true
	p.self.Start(func() int { return run(p) })
	status := 143
	select {
	case <-p.self.done:
		status = p.self.status
	case <-ctx.Done():
		m.forsake(p.self)
		m.hangUp(p.self.pid)
	}
	return status
}

// Exec runs the command of an exec request, as sshd does.
func (m *Machine) Exec(ctx context.Context, u *User, cmd string, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	return m.session(ctx, u, stdin, stdout, stderr, func(p *Proc) int {
		p.Args = []string{"sh", "-c", cmd}
		return m.sh(p.self.ctx, p)
	})
}

// feed writes the input of a client.
type feed struct {
	ctx context.Context
	to  *Pipe
}

// Write implements [io.Writer].
func (f feed) Write(b []byte) (int, error) {
	return f.to.Write(b, func(changed <-chan struct{}) error {
		select {
		case <-changed:
			return nil
		case <-f.ctx.Done():
			return f.ctx.Err()
		}
	})
}

// Run runs a command for a user like sshd, but without a network connection. It returns the output and the exit status. It panics if the
// device has no such user.
func (m *Machine) Run(ctx context.Context, user, cmd, stdin string) (stdout, stderr string, status int) {
	u, ok := m.Users[user]
	if !ok {
		panic("lab: no user " + user + " on " + m.Name)
	}
	var out, errs lockedBuffer
	status = m.Exec(ctx, u, cmd, io.NopCloser(strings.NewReader(stdin)), &out, &errs)
	return out.String(), errs.String(), status
}

// lockedBuffer takes the output of jobs that run at the same time, as an SSH channel does. A job in the background may
// be about to write when its session ends.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements [io.Writer].
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns the text that was written so far.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// gate passes on the output of a session until it is too long or the client has disconnected.
type gate struct {
	mu   sync.Mutex
	left int
	full func()
	over bool
}

type gated struct {
	g *gate
	w io.Writer
}

func (g *gate) writer(w io.Writer) io.Writer { return gated{g, w} }

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
}

// Write implements [io.Writer].
func (w gated) Write(b []byte) (int, error) {
	w.g.mu.Lock()
	if w.g.over {
		w.g.mu.Unlock()
		return 0, fs.ErrClosed
	}
	w.g.left -= len(b)
	over := w.g.left < 0
	w.g.mu.Unlock()
	if over {
		w.g.full()
		return 0, errTooMuch
	}
	return w.w.Write(b)
}
