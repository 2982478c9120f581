package lab

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// wire is one end of a connection inside the process.
type wire struct {
	in, out *unix.Pipe
	name    string // address of the device at the remote or local end

	once    sync.Once
	closed  chan struct{}
	readBy  deadline
	writeBy deadline
}

// newWire makes a connection. Bytes that are written to one end can be read from the other end.
func newWire(name string) (near, far *wire) {
	a, b := unix.NewPipe(), unix.NewPipe()
	near = &wire{in: a, out: b, name: name, closed: make(chan struct{})}
	far = &wire{in: b, out: a, name: name, closed: make(chan struct{})}
	return near, far
}

// Read implements [net.Conn].
func (w *wire) Read(b []byte) (int, error) {
	n, err := w.in.Read(b, w.waiter(&w.readBy))
	if err == io.EOF && w.isClosed() {
		err = net.ErrClosed
	}
	return n, err
}

// Write implements [net.Conn].
func (w *wire) Write(b []byte) (int, error) {
	n, err := w.out.Write(b, w.waiter(&w.writeBy))
	switch {
	case err != unix.EPIPE:
		return n, err
	case w.isClosed():
		return n, net.ErrClosed
	}
	return n, syscall.EPIPE
}

func (w *wire) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}

// waiter waits until the connection is closed or its deadline has passed.
func (w *wire) waiter(by *deadline) unix.Waiter {
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

// Close implements [net.Conn]. The other end can still read the data that was written before.
func (w *wire) Close() error {
	w.once.Do(func() {
		close(w.closed)
		w.in.Hold(-1, 0)
		w.out.Hold(0, -1)
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

// deadline is a time after which reads or writes fail.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	over  chan struct{} // closed at the deadline
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.timer.Stop() {
		d.over = nil // the channel was closed, or is about to be closed
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
