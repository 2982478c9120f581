package lab

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// pipeSize is how many bytes a pipe holds before its writer waits, as Linux has it.
const pipeSize = 64 << 10

// pipe is a bounded buffer between two goroutines. It carries the pipelines of shells and, two of them back to back, a
// connection to a device. [net.Pipe], which has no buffer, cannot: both sides of an SSH connection write first.
type pipe struct {
	mu      sync.Mutex
	buf     []byte
	readers int           // open ends to read from; without any, a write fails
	writers int           // open ends to write to; without any, a read ends
	changed chan struct{} // closed when anything above changes; nil: nobody waits
}

func newPipe() *pipe { return &pipe{readers: 1, writers: 1} }

// wake releases everybody who waits. It is called with p.mu held.
func (p *pipe) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// changes is what to wait for. It is called with p.mu held.
func (p *pipe) changes() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// waiter waits until changed is closed, and returns an error when the wait was given up.
type waiter func(changed <-chan struct{}) error

// read takes what there is, at most len(b) bytes, and waits while there is nothing.
func (p *pipe) read(b []byte, wait waiter) (int, error) {
	for {
		p.mu.Lock()
		if len(p.buf) > 0 {
			n := copy(b, p.buf)
			if p.buf = p.buf[n:]; len(p.buf) == 0 {
				p.buf = nil
			}
			p.wake()
			p.mu.Unlock()
			return n, nil
		}
		if p.writers == 0 || p.readers == 0 {
			p.mu.Unlock()
			return 0, io.EOF
		}
		changed := p.changes()
		p.mu.Unlock()
		if err := wait(changed); err != nil {
			return 0, err
		}
	}
}

// write puts all of b into the pipe, and waits while there is no room.
func (p *pipe) write(b []byte, wait waiter) (n int, err error) {
	for {
		p.mu.Lock()
		if p.readers == 0 || p.writers == 0 {
			p.mu.Unlock()
			return n, syscall.EPIPE
		}
		if room := pipeSize - len(p.buf); room > 0 && len(b) > 0 {
			k := min(room, len(b))
			p.buf = append(p.buf, b[:k]...)
			b, n = b[k:], n+k
			p.wake()
		}
		if len(b) == 0 {
			p.mu.Unlock()
			return n, nil
		}
		changed := p.changes()
		p.mu.Unlock()
		if err := wait(changed); err != nil {
			return n, err
		}
	}
}

// hold adds (1) or takes away (-1) an end to read from and one to write to.
func (p *pipe) hold(readers, writers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers = max(p.readers+readers, 0)
	p.writers = max(p.writers+writers, 0)
	p.wake()
}

// wire is one end of a connection inside the process.
type wire struct {
	in, out *pipe
	name    string // of the device at the far or near end

	once    sync.Once
	closed  chan struct{}
	readBy  deadline
	writeBy deadline
}

// newWire makes a connection; what is written to one end is read from the other.
func newWire(name string) (near, far *wire) {
	a, b := newPipe(), newPipe()
	near = &wire{in: a, out: b, name: name, closed: make(chan struct{})}
	far = &wire{in: b, out: a, name: name, closed: make(chan struct{})}
	return near, far
}

// Read implements [net.Conn].
func (w *wire) Read(b []byte) (int, error) {
	n, err := w.in.read(b, w.waiter(&w.readBy))
	if err == io.EOF && w.isClosed() {
		err = net.ErrClosed
	}
	return n, err
}

// Write implements [net.Conn].
func (w *wire) Write(b []byte) (int, error) {
	n, err := w.out.write(b, w.waiter(&w.writeBy))
	if err == syscall.EPIPE && w.isClosed() {
		err = net.ErrClosed
	}
	return n, err
}

func (w *wire) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}

// waiter gives up when the connection is closed or its deadline has passed.
func (w *wire) waiter(by *deadline) waiter {
	return func(changed <-chan struct{}) error {
		passed := by.passed()
		select {
		case <-changed:
			return nil
		case <-w.closed:
			return net.ErrClosed
		case <-passed:
			return os.ErrDeadlineExceeded
		}
	}
}

// Close implements [net.Conn]. What was written before is still read at the other end.
func (w *wire) Close() error {
	w.once.Do(func() {
		close(w.closed)
		w.in.hold(-1, 0)
		w.out.hold(0, -1)
	})
	return nil
}

// SetDeadline implements [net.Conn].
func (w *wire) SetDeadline(t time.Time) error {
	w.readBy.set(t)
	w.writeBy.set(t)
	return nil
}

// SetReadDeadline implements [net.Conn].
func (w *wire) SetReadDeadline(t time.Time) error { w.readBy.set(t); return nil }

// SetWriteDeadline implements [net.Conn].
func (w *wire) SetWriteDeadline(t time.Time) error { w.writeBy.set(t); return nil }

// LocalAddr implements [net.Conn].
func (w *wire) LocalAddr() net.Addr { return wireAddr(w.name) }

// RemoteAddr implements [net.Conn].
func (w *wire) RemoteAddr() net.Addr { return wireAddr(w.name) }

// wireAddr is the address of a device of the lab.
type wireAddr string

// Network implements [net.Addr].
func (wireAddr) Network() string { return "lab" }

// String implements [net.Addr].
func (a wireAddr) String() string { return net.JoinHostPort(string(a), "22") }

// deadline is a moment after which reads or writes fail.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	over  chan struct{} // closed when the moment has come
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.timer.Stop() {
		d.over = nil // it was closed, or is about to be
	}
	d.timer = nil
	if t.IsZero() {
		return
	}
	over := make(chan struct{})
	d.over = over
	d.timer = time.AfterFunc(time.Until(t), func() { close(over) })
}

func (d *deadline) passed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.over
}
