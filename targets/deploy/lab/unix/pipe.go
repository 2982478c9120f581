package unix

import (
	"io"
	"sync"
)

// PipeSize is the capacity of a pipe in bytes, as on Linux. A writer to a full pipe waits.
const PipeSize = 64 << 10

// Pipe is a bounded buffer between two goroutines. Pipelines of shells use pipes, and a connection to a device consists of two pipes.
// [net.Pipe] has no buffer and would block, because both sides of an SSH connection write first.
type Pipe struct {
	mu      sync.Mutex
	buf     []byte
	readers int           // number of open read ends; at 0 a write fails
	writers int           // number of open write ends; at 0 a read ends
	changed chan struct{} // closed when a field above changes; nil: no goroutine waits
}

// NewPipe makes an empty pipe with one read end and one write end.
func NewPipe() *Pipe { return &Pipe{readers: 1, writers: 1} }

// wake releases all waiting goroutines. It is called with p.mu held.
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

// Waiter waits until changed is closed, and returns an error if the wait was cancelled.
type Waiter func(changed <-chan struct{}) error

// Read reads the available bytes, at most len(b), and waits while there are none.
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

// Write writes all of b into the pipe, and waits while the pipe is full.
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

// Hold changes the numbers of read ends and write ends, each by 1, 0 or -1.
func (p *Pipe) Hold(readers, writers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers = max(p.readers+readers, 0)
	p.writers = max(p.writers+writers, 0)
	p.wake()
}
