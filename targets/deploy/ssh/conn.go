package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/target"
)

// maxStderr is the largest number of bytes that are kept from the end of a command's stderr.
const maxStderr = 64 << 10

// conn is a target.Conn. It runs commands on one device, one at a time.
type conn struct {
	link *link
	max  int
	turn chan struct{} // contains one token while a command runs
}

func newConn(lk *link, max int) *conn { return &conn{link: lk, max: max, turn: make(chan struct{}, 1)} }

// Close ends the connection and cuts off running commands.
func (c *conn) Close() error {
	c.link.end(errClosed)
	return nil
}

// HostKey implements [target.Conn].
func (c *conn) HostKey() string { return c.link.key }

// Run runs a command. Commands of one connection wait for each other. If ctx ends first, Run closes the connection, because only that
// reliably ends the command. In this case it is unknown whether the command finished, and the error is [ErrLost].
func (c *conn) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-c.link.dead:
		return nil, c.link.lost("before the command was started")
	case <-ctx.Done():
		return nil, fmt.Errorf("the command was not started: %w", context.Cause(ctx))
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the command was not started: %w", context.Cause(ctx))
	}

	full := make(chan struct{})
	closed := sync.OnceFunc(func() { close(full) })
	r := &run{
		out: capped{max: c.max, overflow: closed}, err: tail{max: c.max, overflow: closed}, full: full,
		done: make(chan error, 1), session: make(chan *ssh.Session, 1),
	}
	go func() { r.done <- r.do(c.link.client, cmd, stdin) }()
	select {
	case err := <-r.done:
		return r.result(c, err)
	case <-r.full:
		return nil, r.overflow(c)
	case <-c.link.dead:
		return nil, c.link.lost(during)
	case <-ctx.Done():
		why := context.Cause(ctx)
		c.link.end(why)
		return nil, failure(ErrLost, why, "the connection to %s was closed %s: %s", c.link.login, during, cause(why))
	}
}

const during = "while a command ran; whether it ran to its end is not known"

// run is one running command.
type run struct {
	out     capped
	err     tail
	full    chan struct{} // closed when the command has printed too much on stdout or stderr
	session chan *ssh.Session
	done    chan error
}

// errNoSession is the error for a session or command that the server refused. No command ran.
type errNoSession struct{ error }

func (e errNoSession) Unwrap() error { return e.error }

// do runs the command. It may block until the connection ends.
func (r *run) do(client *ssh.Client, cmd string, stdin []byte) error {
	s, err := client.NewSession()
	if err != nil {
		return errNoSession{err}
	}
	defer s.Close()
	r.session <- s
	s.Stdout, s.Stderr = &r.out, &r.err
	in, err := s.StdinPipe()
	if err != nil {
		return errNoSession{err}
	}
	if err := s.Start(cmd); err != nil {
		return errNoSession{err}
	}
	// Separate from Wait, because a command may succeed without reading all of its input.
	go func() {
		_, _ = in.Write(stdin)
		_ = in.Close()
	}()
	return s.Wait()
}

// result returns the error for the end of a command.
func (r *run) result(c *conn, err error) ([]byte, error) {
	var exit *ssh.ExitError
	var missing *ssh.ExitMissingError
	var refused errNoSession
	var open *ssh.OpenChannelError
	select {
	case <-r.full: // the command may end before the overflow is seen
		return nil, r.overflow(c)
	default:
	}
	switch {
	case err == nil:
		return r.out.bytes(), nil
	case errors.As(err, &exit):
		stderr := r.err.String()
		if exit.Signal() != "" && strings.TrimSpace(stderr) == "" {
			stderr = "killed by signal " + exit.Signal()
		}
		return r.out.bytes(), &target.ExitError{Status: exit.ExitStatus(), Stderr: stderr}
	case errors.As(err, &missing):
		return nil, failure(ErrLost, err, "the connection to %s was lost %s: the other side closed it", c.link.login, during)
	case errors.As(err, &open):
		return nil, fmt.Errorf("%s refuses to run a command: %s", c.link.login, said(open.Message))
	case errors.As(err, &refused) && strings.HasPrefix(err.Error(), "ssh: command ") && strings.HasSuffix(err.Error(), " failed"):
		return nil, fmt.Errorf("%s refuses to run commands for %q", c.link.login, c.link.login.user)
	case errors.As(err, &refused):
		return nil, failure(ErrLost, err, "the connection to %s was lost before the command was started: %s", c.link.login, cause(err))
	}
	return nil, failure(ErrLost, err, "the connection to %s was lost %s: %s", c.link.login, during, cause(err))
}

// overflow cuts off a command that prints too much. It closes the session, because without a reader the command would wait for ever.
func (r *run) overflow(c *conn) error {
	go (<-r.session).Close()
	return failure(ErrOutput, nil, "a command on %s printed more than %d bytes and was cut off", c.link.login, c.max)
}

// capped keeps at most max bytes, and calls overflow if there are more.
type capped struct {
	max      int
	overflow func()

	mu   sync.Mutex
	buf  bytes.Buffer
	over bool
}

func (b *capped) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || b.buf.Len()+len(p) > b.max {
		b.over = true
		b.overflow()
		return 0, ErrOutput
	}
	return b.buf.Write(p)
}

// ReadFrom implements io.ReaderFrom. Without it, io.Copy allocates 32 KiB for each stream of each command.
func (b *capped) ReadFrom(r io.Reader) (int64, error) { return copyBy(b, r, 4<<10) }

// bytes returns the kept output. It is called after all writes.
func (b *capped) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Bytes()
}

// copyBy copies with a buffer of the given size.
func copyBy(w io.Writer, r io.Reader, size int) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, r, make([]byte, size)) // hides ReadFrom
}

// tail keeps the last maxStderr bytes, and calls overflow if there were more than max.
type tail struct {
	max      int // 0: no limit
	overflow func()

	mu    sync.Mutex
	buf   []byte
	total int
}

func (b *tail) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total += len(p)
	if b.max > 0 && b.total > b.max {
		b.overflow()
		return 0, ErrOutput
	}
	b.buf = append(b.buf, p...)
	if len(b.buf) > 2*maxStderr {
		b.buf = append(b.buf[:0], b.buf[len(b.buf)-maxStderr:]...)
	}
	return len(p), nil
}

// ReadFrom implements io.ReaderFrom. Most commands print nothing there.
func (b *tail) ReadFrom(r io.Reader) (int64, error) { return copyBy(b, r, 512) }

// String returns the kept text. If text was dropped, its first line states that.
func (b *tail) String() string {
	text := b.end()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total <= maxStderr {
		return text
	}
	note := fmt.Sprintf("(of %d bytes on stderr, these are the last)\n", b.total)
	return note + text[len(note):]
}

// end returns the kept text in order.
func (b *tail) end() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.buf[max(0, len(b.buf)-maxStderr):])
}
