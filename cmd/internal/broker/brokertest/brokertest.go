// Package brokertest has a [Hub] in memory for tests: it orders and keeps messages as the stream of a real hub does.
package brokertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
)

// Hub is a hub in memory. Its methods are safe for concurrent use.
type Hub struct {
	Now func() time.Time

	mu       sync.Mutex
	messages []*broker.Message
	ids      map[string]uint64
	wake     chan struct{}
	down     bool
	refuses  error
	away     map[string]bool
	unknown  bool
}

// New returns an empty hub.
func New(now func() time.Time) *Hub {
	return &Hub{Now: now, ids: map[string]uint64{}, wake: make(chan struct{}), away: map[string]bool{}}
}

// Refuse makes the hub refuse all further messages; nil: it takes them again.
func (h *Hub) Refuse(why error) { h.set(func() { h.refuses = why }) }

// Down takes the hub away, or brings it back.
func (h *Hub) Down(down bool) { h.set(func() { h.down = down }) }

// SetAway makes sites away, and all others there.
func (h *Hub) SetAway(sites ...string) {
	h.set(func() {
		h.away, h.unknown = map[string]bool{}, false
		for _, s := range sites {
			h.away[s] = true
		}
	})
}

// Young makes the hub not know which sites are away.
func (h *Hub) Young() { h.set(func() { h.unknown = true }) }

// Forget loses the messages after a number, as a store of yesterday does.
func (h *Hub) Forget(after uint64) { h.set(func() { h.messages = h.messages[:after] }) }

func (h *Hub) set(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
	close(h.wake)
	h.wake = make(chan struct{})
}

var errDown = errors.New("the hub memory does not answer")

// Connected reports whether the hub answers.
func (h *Hub) Connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.down
}

// Publish appends a message.
func (h *Hub) Publish(_ context.Context, s broker.Subject, id string, data []byte) (number uint64, err error) {
	h.set(func() {
		switch {
		case h.down:
			err = errDown
		case h.refuses != nil:
			err = h.refuses
		case h.ids[id] != 0:
			number = h.ids[id]
		default:
			of, broken := broker.ParseSubject(s.Name())
			if err = broken; err == nil {
				number = uint64(len(h.messages) + 1)
				h.messages = append(h.messages, &broker.Message{Subject: of, Number: number, At: h.Now(), Data: slices.Clone(data)})
				h.ids[id] = number
			}
		}
	})
	return number, err
}

// Last returns the number of the newest message.
func (h *Hub) Last(context.Context) (uint64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down {
		return 0, errDown
	}
	return uint64(len(h.messages)), nil
}

// Away returns which sites are away.
func (h *Hub) Away(context.Context) (func(string) bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down || h.unknown {
		return nil, errors.New("the hub has listened for less than 30 s")
	}
	return func(site string) bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.away[site]
	}, nil
}

// Read reads the messages that are there now.
func (h *Hub) Read(ctx context.Context, from uint64, filters []broker.Subject, use func(*broker.Message) error) error {
	last, err := h.Last(ctx)
	for n := max(from, 1); err == nil && n <= last; n++ {
		err = h.use(n, filters, use)
	}
	return err
}

// Follow reads messages as they come.
func (h *Hub) Follow(ctx context.Context, from uint64, filters []broker.Subject, use func(*broker.Message) error, caught func()) error {
	last, err := h.Last(ctx)
	if err != nil {
		return err
	}
	for n := max(from, 1); ; {
		if n > last && caught != nil {
			caught()
			caught = nil
		}
		h.mu.Lock()
		there, wake, down := n <= uint64(len(h.messages)), h.wake, h.down
		h.mu.Unlock()
		switch {
		case down:
			return errDown
		case there:
			if err := h.use(n, filters, use); err != nil {
				return err
			}
			n++
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		}
	}
}

// use uses the message of a number, if a filter matches it.
func (h *Hub) use(n uint64, filters []broker.Subject, use func(*broker.Message) error) error {
	h.mu.Lock()
	m := h.messages[n-1]
	h.mu.Unlock()
	if !slices.ContainsFunc(filters, func(f broker.Subject) bool { return matches(f.Filter(), m.Name()) }) {
		return nil
	}
	return use(m)
}

// matches compares a filter with a subject as a server does.
func matches(filter, name string) bool {
	of, is := strings.Split(filter, "."), strings.Split(name, ".")
	if len(of) != len(is) {
		return false
	}
	for i := range of {
		if of[i] != "*" && of[i] != is[i] {
			return false
		}
	}
	return true
}
