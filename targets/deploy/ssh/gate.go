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

// gates limit the number of concurrent logins, at one server and through one jump host. sshd drops connections at random if more than
// MaxStartups connections have not logged in yet. A jump host should stay usable for other users.
type gates struct {
	at, through int

	mu  sync.Mutex
	all map[turn]chan struct{}
}

// turn is a semaphore for logins, which a few logins can hold at a time.
type turn struct {
	server  string
	through bool // for a jump host
}

func newGates(at, through int) *gates {
	return &gates{at: at, through: through, all: make(map[turn]chan struct{})}
}

// enter acquires the semaphore; leave releases it.
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

// The numbers of tries, including the first. triesRefused is for a closed port, for example while the server starts. triesDropped is for
// a server that drops connections before the login, for example an overloaded server.
const (
	triesRefused = 4
	triesDropped = 10
)

// The pause between two tries doubles up to the longest pause. Half of each pause is random, so that clients that were dropped together
// do not return together. Ten tries take about 13 s.
const (
	pauseFirst   = 200 * time.Millisecond
	pauseLongest = 2 * time.Second
)

// tries returns the number of tries for a connection that fails with err.
func tries(err error) int {
	switch {
	case errors.Is(err, ErrConfig), errors.Is(err, ErrHostKey), errors.Is(err, ErrLogin), errors.Is(err, ErrForbidden),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return 1
	case errors.Is(err, syscall.ECONNREFUSED):
		return triesRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF):
		return triesDropped
	}
	return 1
}

// pauseBefore returns the pause before a try. The first try is number 1.
func pauseBefore(try int) time.Duration {
	pause := pauseFirst
	for range try - 2 {
		pause = min(2*pause, pauseLongest)
	}
	return pause/2 + rand.N(pause)
}
