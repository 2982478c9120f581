package unix

import (
	"io"
	"sync"
)

// PipeSize is how many bytes a pipe holds before its writer waits, as Linux has it.
const PipeSize = 64 << 10

// Pipe is a bounded buffer between two goroutines. It carries the pipelines of shells and, two of them back to back, a connection to a
// device. [net.Pipe] has no buffer, so it would block: both sides of an SSH connection write first.
type Pipe struct {
	mu      sync.Mutex
	buf     []byte
	readers int           // open ends to read from; without any, a write fails
	writers int           // open ends to write to; without any, a read ends
	changed chan struct{} // closed when a field above changes; nil: no goroutine waits
}

// NewPipe makes an empty pipe with one end to read from and one to write to.
func NewPipe() *Pipe { return &Pipe{readers: 1, writers: 1} }

// wake releases everybody who waits. It is called with p.mu held.
func (p *Pipe) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// changes returns the channel to wait for. It is called with p.mu held.
func (p *Pipe) changes() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// Waiter waits until changed is closed, and returns an error when the wait was given up.
type Waiter func(changed <-chan struct{}) error

// Read takes the available bytes, at most len(b), and waits while there are none.
func (p *Pipe) Read(b []byte, wait Waiter) (int, error) {
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

// Write puts all of b into the pipe, and waits while there is no room.
func (p *Pipe) Write(b []byte, wait Waiter) (n int, err error) {
	for {
		p.mu.Lock()
		if p.readers == 0 || p.writers == 0 {
			p.mu.Unlock()
			return n, EPIPE
		}
		if room := PipeSize - len(p.buf); room > 0 && len(b) > 0 {
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

// Hold adds (1) or takes away (-1) an end to read from and one to write to.
func (p *Pipe) Hold(readers, writers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers = max(p.readers+readers, 0)
	p.writers = max(p.writers+writers, 0)
	p.wake()
}
