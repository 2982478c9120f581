package lab

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// Limits of one session.
const (
	sessionTime   = 15 * time.Minute
	sessionOutput = 64 << 20 // bytes to stdout and stderr together
)

// session is one command of one login, with everything it started.
type session struct {
	d      *Device
	ctx    context.Context
	cancel context.CancelFunc
	out    *gate

	mu    sync.Mutex
	pipes []*os.File
	over  bool
	wg    sync.WaitGroup
}

func newSession(ctx context.Context, d *Device) *session {
	ctx, cancel := context.WithTimeout(ctx, sessionTime)
	return &session{d: d, ctx: ctx, cancel: cancel, out: &gate{left: sessionOutput, full: cancel}}
}

// login is the process sshd or systemd would start for a user.
func (s *session) login(u *user, stdout, stderr io.Writer) *proc {
	umask := fs.FileMode(0o022)
	p := &proc{
		d: s.d, ses: s, user: u, dir: u.home, umask: &umask, pid: s.d.newPid(), env: map[string]string{},
		stdout: s.out.writer(stdout), stderr: s.out.writer(stderr),
	}
	search := userPath
	if u.uid == 0 {
		search = rootPath
	}
	p.become(u, search)
	return p
}

// run is what sshd does with the command of an exec request.
func (s *session) run(u *user, cmd string, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	s.d.asked(cmd)
	p := s.login(u, stdout, stderr)
	if stdin != nil {
		in, err := s.pipe(stdin)
		if err != nil {
			return 255
		}
		p.stdin = in
		stop := context.AfterFunc(s.ctx, func() { stdin.Close() }) // nobody reads what is still to come
		defer stop()
	}
	p.args = []string{"sh", "-c", cmd}
	return cmdSh(s.ctx, p)
}

// Run runs a command for a user as sshd would, without the wire: what it printed, and its exit status. It panics when the
// device has no such user.
func (d *Device) Run(ctx context.Context, user, cmd, stdin string) (stdout, stderr string, status int) {
	u, ok := d.users[user]
	if !ok {
		panic("lab: no user " + user + " on " + d.Name)
	}
	ses := newSession(ctx, d)
	var out, errs lockedBuffer
	status = ses.run(u, cmd, io.NopCloser(strings.NewReader(stdin)), &out, &errs)
	ses.end()
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

// String is what was written so far.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// pipe turns any reader into what the interpreter reads from.
func (s *session) pipe(r io.Reader) (*os.File, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		out.Close()
		in.Close()
		return nil, os.ErrClosed
	}
	s.pipes = append(s.pipes, out)
	s.wg.Go(func() {
		_, _ = io.Copy(in, r) // a reader that went away is the reader's business
		in.Close()
	})
	return out, nil
}

// end ends everything the session started, and waits for it.
func (s *session) end() {
	s.out.shut()
	s.cancel()
	s.mu.Lock()
	s.over = true
	for _, f := range s.pipes {
		f.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// gate lets the output of a session through until there is too much of it, or nobody listens any more.
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

var errTooMuch = errors.New("the lab sends no more than 64 MiB for one command")

// Write implements [io.Writer].
func (w gated) Write(b []byte) (int, error) {
	w.g.mu.Lock()
	if w.g.over {
		w.g.mu.Unlock()
		return 0, os.ErrClosed
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
