package unix

import (
	"errors"
	"io"
	"sync"
)

// stream is an open file, pipe or session behind a file descriptor. Its methods get the reading or writing process, because the process
// may have to wait, and may be killed while it waits.
type stream interface {
	read(p *Process, b []byte) (int, error)
	write(p *Process, b []byte) (int, error)
	close()
}

// desc is an open file. Descriptors of several processes may share it. It is closed with the last descriptor.
type desc struct {
	stream
	mu   sync.Mutex
	refs int
}

func newDesc(s stream) *desc { return &desc{stream: s, refs: 1} }

// hold adds a user. A nil desc is a closed descriptor.
func (d *desc) hold() *desc {
	if d != nil {
		d.mu.Lock()
		d.refs++
		d.mu.Unlock()
	}
	return d
}

// release removes a user.
func (d *desc) release() {
	if d == nil {
		return
	}
	d.mu.Lock()
	d.refs--
	last := d.refs == 0
	d.mu.Unlock()
	if last {
		d.close()
	}
}

// descriptors maps numbers to the open files of a process.
type descriptors [10]*desc

func (f *descriptors) hold() {
	for _, d := range f {
		d.hold()
	}
}

func (f *descriptors) release() {
	for _, d := range f {
		d.release()
	}
}

const eBadF errno = "Bad file descriptor"

// fd is a descriptor that a process uses.
type fd struct {
	p *Process
	d *desc
}

// Read implements [io.Reader]. A closed descriptor has nothing to read.
func (f fd) Read(b []byte) (int, error) {
	if f.d == nil {
		return 0, io.EOF
	}
	return f.d.read(f.p, b)
}

// Write implements [io.Writer].
func (f fd) Write(b []byte) (int, error) {
	if f.d == nil {
		return 0, eBadF
	}
	return f.d.write(f.p, b)
}

// Close implements [io.Closer]. The descriptor stays open for its process.
func (fd) Close() error { return nil }

// pipeEnd is one end of a pipe.
type pipeEnd struct {
	*Pipe
	reads bool
}

func (e pipeEnd) read(p *Process, b []byte) (int, error) {
	if !e.reads {
		return 0, eBadF
	}
	return e.Pipe.Read(b, p.waiter())
}

func (e pipeEnd) write(p *Process, b []byte) (int, error) {
	if e.reads {
		return 0, eBadF
	}
	return e.Pipe.Write(b, p.waiter())
}

func (e pipeEnd) close() {
	if e.reads {
		e.Hold(-1, 0)
	} else {
		e.Hold(0, -1)
	}
}

func (h *handle) read(_ *Process, b []byte) (int, error)  { return h.Read(b) }
func (h *handle) write(_ *Process, b []byte) (int, error) { return h.Write(b) }
func (h *handle) close()                                  {}

// text is a here-document.
type text struct {
	mu   sync.Mutex
	left string
}

func (t *text) read(_ *Process, b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left == "" {
		return 0, io.EOF
	}
	n := copy(b, t.left)
	t.left = t.left[n:]
	return n, nil
}

func (*text) write(*Process, []byte) (int, error) { return 0, eBadF }
func (*text) close()                              {}

// collector keeps its input until every writer has closed it.
type collector struct {
	mu   sync.Mutex
	b    []byte
	over chan struct{}
}

func newCollector() *collector { return &collector{over: make(chan struct{})} }

func (c *collector) read(*Process, []byte) (int, error) { return 0, eBadF }

func (c *collector) write(_ *Process, b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.b)+len(b) > sessionOutput {
		return 0, eNoMem
	}
	c.b = append(c.b, b...)
	return len(b), nil
}

func (c *collector) close() { close(c.over) }

// discard is a journal without a reader.
type discard struct{}

func (discard) read(*Process, []byte) (int, error)      { return 0, io.EOF }
func (discard) write(_ *Process, b []byte) (int, error) { return len(b), nil }
func (discard) close()                                  {}

// client is the remote side of a session: the standard streams of the login user.
type client struct {
	in  *Pipe // filled with the client's input; nil: there is no input
	out io.Writer
}

func (c *client) read(p *Process, b []byte) (int, error) {
	if c.in == nil {
		return 0, io.EOF
	}
	return c.in.Read(b, p.waiter())
}

func (c *client) write(_ *Process, b []byte) (int, error) { return c.out.Write(b) }
func (c *client) close()                                  {}

var errTooMuch = errors.New("the lab sends no more than 64 MiB for one command")

// sessionOutput bounds the output of one session: the bytes of stdout and stderr together.
const sessionOutput = 64 << 20
