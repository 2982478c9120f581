// Package auditlog sends the events of runs to a central record. A [Feed] takes the lines of journals as they are written, and never makes
// a run wait: its queue is bounded, and a goroutine writes to the socket, with deadlines. Where the queue is full, events are dropped and
// counted. The journal on the disk is the record. An event has the head of the journal, and nothing that a secret could be in.
package auditlog

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
)

// Feed sends events to one central record. Its methods may be called at the same time.
type Feed struct {
	to     URL
	sender Sender
	limits limits

	mu    sync.Mutex
	queue chan event
	gap   int // events that were dropped since the last one in the queue
	tally Tally
	over  bool // nothing is added

	stop  context.CancelFunc // the goroutine writes nothing more
	tried chan struct{}      // closed when the first connection was made, or failed
	first error              // of the first connection
	done  chan struct{}      // closed when the goroutine has ended

	conn net.Conn  // of the goroutine; nil: none
	last time.Time // when the goroutine began to make it
}

// Tally is what became of the events of a feed.
type Tally struct {
	Events  int
	Dropped int   // these the record did not get
	Err     error // the last one of the socket
}

// limits are those of a feed.
type limits struct {
	queue    int
	deadline time.Duration // of a connection, and of a write
	retry    time.Duration // from one connection to the next
	closing  time.Duration // until the queue is empty at the end
}

// The limits of every feed. A run of 5,000 devices has about 100,000 events.
const (
	maxQueue = 10_000
	deadline = 5 * time.Second
	retry    = time.Second
	closing  = 3 * time.Second
)

// Open starts a feed. It does not wait for the connection: see [Feed.Reached].
func Open(to URL, s Sender) *Feed {
	return open(to, s, limits{queue: maxQueue, deadline: deadline, retry: retry, closing: closing})
}

func open(to URL, s Sender, l limits) *Feed {
	ctx, stop := context.WithCancel(context.Background())
	f := &Feed{
		to: to, sender: s, limits: l, queue: make(chan event, l.queue), stop: stop, tried: make(chan struct{}), done: make(chan struct{}),
	}
	go f.run(ctx)
	return f
}

// Reached waits for the first connection, and returns its error. A datagram is not answered: a record behind one counts as reached.
func (f *Feed) Reached() error {
	<-f.tried
	return f.first
}

// Add takes a line of a journal. It never waits.
func (f *Feed) Add(n journal.Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tally.Events++
	room := cap(f.queue) - len(f.queue)
	if f.over || room == 0 || f.gap > 0 && room == 1 {
		f.gap++
		f.tally.Dropped++
		return
	}
	if f.gap > 0 { // the event has the place of the dropped ones
		f.queue <- event{Notice: journal.Notice{Event: "dropped", Time: n.Time, Run: n.Run}, Dropped: f.gap}
		f.gap = 0
	}
	f.queue <- event{Notice: n}
}

// Close waits a few seconds for the queue to become empty, and ends the feed. It returns what became of the events.
func (f *Feed) Close() Tally {
	f.mu.Lock()
	if !f.over {
		f.over = true
		close(f.queue)
	}
	f.mu.Unlock()
	defer f.stop()
	select {
	case <-f.done:
	case <-time.After(f.limits.closing):
		f.stop()
		<-f.done
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tally
}

// run is the goroutine of the feed.
func (f *Feed) run(ctx context.Context) {
	defer close(f.done)
	f.first = f.connect(ctx)
	close(f.tried)
	for e := range f.queue {
		f.send(ctx, &e)
	}
	f.mu.Lock()
	last := event{Notice: journal.Notice{Event: "dropped", Time: time.Now().UTC()}, Dropped: f.gap}
	f.mu.Unlock()
	if last.Dropped > 0 {
		f.send(ctx, &last)
	}
	if f.conn != nil {
		f.fail(f.conn.Close())
	}
}

// send writes an event, and makes connections until the socket has taken it. It counts the event as dropped if the feed ends before.
func (f *Feed) send(ctx context.Context, e *event) {
	if ctx.Err() != nil {
		f.lose(e)
		return
	}
	text := f.to.form(e, f.sender)
	for !f.write(ctx, text) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(f.last.Add(f.limits.retry))):
		}
		if ctx.Err() != nil {
			f.lose(e)
			return
		}
		f.connect(ctx) //nolint:errcheck // it is kept for the tally
	}
}

// lose counts an event that the record will not get.
func (f *Feed) lose(e *event) {
	if e.Dropped > 0 {
		return // these are counted
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tally.Dropped++
}

// fail keeps an error for the tally. A connection that this end has closed is no error.
func (f *Feed) fail(err error) {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tally.Err = err
}

// connect makes a connection in the place of the one before.
func (f *Feed) connect(ctx context.Context) error {
	f.last = time.Now()
	within, cancel := context.WithTimeout(ctx, f.limits.deadline)
	defer cancel()
	conn, err := f.to.dial(within)
	if err != nil {
		if ctx.Err() == nil { // the end of the feed is no error
			f.fail(err)
		}
		return err
	}
	f.conn = conn
	if f.to.stream() {
		go func() { // the next write finds a connection that the other end has closed
			_, err := io.Copy(io.Discard, conn)
			if err == nil {
				err = errors.New("the other end closed the connection")
			}
			conn.Close()
			f.fail(err)
		}()
	}
	return nil
}

// write writes an event, and reports whether the socket took it.
func (f *Feed) write(ctx context.Context, text []byte) bool {
	conn := f.conn
	if conn == nil || ctx.Err() != nil {
		return false
	}
	err := conn.SetWriteDeadline(time.Now().Add(f.limits.deadline))
	if err == nil {
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		_, err = conn.Write(text)
		stop()
	}
	if err == nil {
		return true
	}
	f.fail(err)
	conn.Close()
	f.conn = nil
	return false
}
