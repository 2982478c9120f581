package pages

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy/device"
)

// FeedOptions are those of a feed.
type FeedOptions struct {
	Connect func() (*broker.Broker, error)
	Signers func() (*sshsig.Signers, error) // of the machine: what they did not sign changes nothing
	Clock   device.Clock
	Log     *slog.Logger
}

// Feed is a [TeamSource] that follows a hub.
type Feed struct {
	o FeedOptions

	mu      sync.Mutex // guards the fields below
	queue   *teamqueue.Queue
	board   *teamlook.Board
	alive   map[string]time.Time
	whole   bool // each site had the time to send a sign of life
	trouble string
}

// The times of a feed.
const (
	retryTime = time.Second
	aliveTime = 10 * time.Second
)

// NewFeed returns a feed that has read nothing.
func NewFeed(o FeedOptions) *Feed {
	return &Feed{
		o: o, trouble: "the hub has not been read yet", queue: teamqueue.New(nil), board: teamlook.NewBoard(nil),
	}
}

// Run reads the hub until ctx ends. It logs a reason once, and not at each attempt.
func (f *Feed) Run(ctx context.Context) {
	logged, since := "", time.Time{}
	for ctx.Err() == nil {
		err := f.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if f.Trouble() == "" || since.IsZero() { // it had reached the hub
			logged, since = "", f.o.Clock.Now()
		}
		if text := fmt.Sprint(err); text != logged {
			logged = text
			f.o.Log.Warn("the pages are older than the hub", "error", err)
		}
		f.set(nil, false, fmt.Sprintf("since %s: %v", since.UTC().Format(time.RFC3339), err))
		select {
		case <-ctx.Done():
		case <-f.o.Clock.Wait(retryTime):
		}
	}
}

// set replaces what is known of the hub itself.
func (f *Feed) set(alive map[string]time.Time, whole bool, trouble string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alive, f.whole, f.trouble = alive, whole, trouble
}

// once follows the hub until the connection is lost. It reads the stream from its beginning: the store may be another one.
func (f *Feed) once(ctx context.Context) error {
	signers, err := f.o.Signers()
	if err != nil {
		return err
	}
	b, err := f.o.Connect()
	if err != nil {
		return err
	}
	defer b.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	filters := []broker.Subject{{Kind: broker.Look}}
	for _, kind := range teamqueue.Kinds {
		filters = append(filters, broker.Subject{Kind: kind})
	}
	queue, board, read := teamqueue.New(signers), teamlook.NewBoard(signers), false
	var beats sync.WaitGroup
	defer beats.Wait()
	defer cancel(nil)
	err = b.Follow(ctx, 1, filters, func(m *broker.Message) error {
		if read {
			f.mu.Lock()
			defer f.mu.Unlock()
		}
		if m.Kind == broker.Look {
			if err := board.Take(m); err != nil {
				f.o.Log.Warn("a look changes nothing", "number", m.Number, "why", err)
			}
			return nil
		}
		_ = queue.Take(m) // the queue keeps the reason
		return nil
	}, func() {
		read = true
		f.mu.Lock()
		f.queue, f.board = queue, board
		f.mu.Unlock()
		beats.Go(func() { f.beats(ctx, b, cancel) })
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// errLost ends the following of a hub.
var errLost = errors.New("the connection to the hub is lost")

// trust makes the allowed signers of now judge the messages.
func (f *Feed) trust() error {
	signers, err := f.o.Signers()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.queue.Trusts(signers) {
		f.queue.Trust(signers)
		f.board.Trust(signers)
	}
	return nil
}

// beats asks for the signs of life of the sites, and notices that the hub is away or the allowed signers have changed. The hub is there
// when it has answered with the stream and with the signs of life.
func (f *Feed) beats(ctx context.Context, b *broker.Broker, end context.CancelCauseFunc) {
	since, asked := f.o.Clock.Now(), time.Time{}
	for ctx.Err() == nil {
		now := f.o.Clock.Now()
		if !b.Connected() {
			end(errLost)
			return
		}
		if err := f.trust(); err != nil {
			end(err)
			return
		}
		if now.Sub(asked) >= aliveTime {
			alive, err := b.Alive(ctx)
			if err != nil {
				end(err)
				return
			}
			asked = now
			f.set(alive, now.Sub(since) >= broker.AliveFor, "")
		}
		select {
		case <-ctx.Done():
		case <-f.o.Clock.Wait(retryTime):
		}
	}
}

// Now returns the time.
func (f *Feed) Now() time.Time { return f.o.Clock.Now() }

// Read calls use with the queue and the looks.
func (f *Feed) Read(use func(q *teamqueue.Queue, looks []teamlook.SiteLook)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	use(f.queue, f.board.Entries())
}

// Alive returns when the hub last heard each site, and whether the others are away.
func (f *Feed) Alive() (heard map[string]time.Time, whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.alive), f.whole
}

// Trouble returns why the feed may be older than the hub; empty: it is current.
func (f *Feed) Trouble() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trouble
}
