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

// gates limit the number of concurrent logins, at one server and through one jump host. sshd drops connections at random when more than
// MaxStartups of them have not logged in yet. A jump host should keep room for other users.
type gates struct {
	at, through int

	mu  sync.Mutex
	all map[turn]chan struct{}
}

// turn is a semaphore that a login waits for: a few logins have it at a time.
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

// The numbers of tries, the first included. triesRefused is for a closed port, such as that of a starting server. triesDropped is for a
// server that drops connections before the login, such as an overloaded one.
const (
	triesRefused = 4
	triesDropped = 10
)

// The pause between two tries doubles from the first to the longest. Half of it is random, so that clients that were dropped together do
// not return together. Ten tries take about 13 s.
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
