package ssh

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"
)

// gates limit how many logins are under way at once: at one server, as sshd drops connections at random where more than its MaxStartups
// have not logged in yet, and through one jump host, which is to have room for others.
type gates struct {
	at, through int

	mu  sync.Mutex
	all map[turn]chan struct{}
}

// turn is what a login waits for: one of a few at a time.
type turn struct {
	server  string
	through bool // on the way to another
}

func newGates(at, through int) *gates {
	return &gates{at: at, through: through, all: make(map[turn]chan struct{})}
}

// enter waits for a turn; leave ends it.
func (g *gates) enter(ctx context.Context, of turn) (leave func(), err error) {
	g.mu.Lock()
	gate := g.all[of]
	if gate == nil {
		size := g.at
		if of.through {
			size = g.through
		}
		gate = make(chan struct{}, size)
		g.all[of] = gate
	}
	g.mu.Unlock()
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// How often one connects, first try included: where the port is closed, as while a server starts, and where the server drops
// connections before it asks for a login, as one does that is overloaded.
const (
	triesRefused = 4
	triesDropped = 10
)

// The pause between two tries doubles from the first to the longest, half of it at random so that those who were dropped
// together do not come back together. Ten tries take about 13 s.
const (
	pauseFirst   = 200 * time.Millisecond
	pauseLongest = 2 * time.Second
)

// tries returns how often to connect when it ends in err.
func tries(err error) int {
	switch {
	case errors.Is(err, ErrConfig), errors.Is(err, ErrHostKey), errors.Is(err, ErrLogin),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return 1
	case errors.Is(err, syscall.ECONNREFUSED):
		return triesRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF):
		return triesDropped
	}
	return 1
}

// pauseBefore returns how long to wait before a try; the first is 1.
func pauseBefore(try int) time.Duration {
	pause := pauseFirst
	for range try - 2 {
		pause = min(2*pause, pauseLongest)
	}
	return pause/2 + rand.N(pause)
}
