package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy/device"
)

// Hub is a connection to the hub of a team. [broker.Broker] is one.
type Hub interface {
	Connected() bool
	Last(ctx context.Context) (uint64, error)
	Read(ctx context.Context, from uint64, filters []broker.Subject, use func(*broker.Message) error) error
	Follow(ctx context.Context, from uint64, filters []broker.Subject, use func(*broker.Message) error, caught func()) error
	Away(ctx context.Context) (away func(site string) bool, err error)
}

// Stream is the ledger of the runs of a team. It verifies each message by the signers of this machine, and trusts the hub with nothing.
type Stream struct {
	Hub     Hub
	Signers *sshsig.Signers
	Reread  func() (*sshsig.Signers, error) // reads the signers again, for a verb that takes long; nil: they stay
	Clock   device.Clock
	Fabric  string // empty: all fabrics
}

var _ Ledger = &Stream{}

// Bounds of one verb. Messages that change nothing do not count, as the queue keeps none of them, and neither do lines of journals.
const (
	mostBack     = 1_000_000 // numbers of messages before the newest one
	mostMessages = 200_000
	mostBytes    = 512 << 20
)

// Reading is the queue of a team as it was read.
type Reading struct {
	Queue   *teamqueue.Queue
	After   uint64 // the last message that was not read; 0: all were
	Newest  uint64 // number of the newest message of the stream
	Away    func(site string) bool
	AwayWhy error // why it is not known which sites are away
}

// filters returns the subjects of messages about runs.
func (s *Stream) filters() (out []broker.Subject) {
	for _, kind := range teamqueue.Kinds {
		out = append(out, broker.Subject{Kind: kind, Fabric: s.Fabric})
	}
	return out
}

// bounds returns a function that refuses messages beyond the bounds. It gets the messages that the queue took. So an operator without a
// key does not use the bounds up.
func bounds() func(*broker.Message) error {
	count, bytes := 0, 0
	return func(m *broker.Message) error {
		if count, bytes = count+1, bytes+len(m.Data); count > mostMessages || bytes > mostBytes {
			return fmt.Errorf("the store of the hub has more than %d messages about runs, or more than %d MiB of them, and a verb reads no more: "+
				"the hub keeps less with a shorter age (rocecd serve --store-age)", mostMessages, mostBytes>>20)
		}
		return nil
	}
}

// Read reads the queue.
func (s *Stream) Read(ctx context.Context) (*Reading, error) {
	out := &Reading{Queue: teamqueue.New(s.Signers)}
	var err error
	if out.Newest, err = s.Hub.Last(ctx); err != nil {
		return nil, err
	}
	if out.Newest > mostBack {
		out.After = out.Newest - mostBack
	}
	within := bounds()
	err = s.Hub.Read(ctx, out.After+1, s.filters(), func(m *broker.Message) error {
		if out.Queue.Take(m) != nil { // the queue counts it
			return nil
		}
		return within(m)
	})
	if err != nil {
		return nil, err
	}
	out.Away, out.AwayWhy = s.Hub.Away(ctx)
	return out, nil
}

// list returns the list of a reading with the runs that keep accepts, the newest first.
func (s *Stream) list(r *Reading, keep func(*at, *teamqueue.TeamRun, *RunSummary) bool) *List {
	dropped := r.Queue.Dropped
	out := &List{Runs: []RunSummary{}, Ignored: dropped.Unsigned + dropped.Unfit, Unsigned: dropped.Unsigned, After: r.After}
	q := &at{r.Queue, s.Clock.Now(), r.Away}
	for _, t := range slices.Backward(r.Queue.Runs(s.Fabric)) {
		if one := q.run(t); keep(q, t, &one) {
			out.Runs = append(out.Runs, one)
		}
	}
	for _, one := range r.Queue.Rejected {
		out.Rejected = append(out.Rejected, Message{one.Number, bound(one.What), bound(one.Why)})
	}
	return out
}

// List returns the runs of a reading.
func (s *Stream) List(r *Reading) *List {
	return s.list(r, func(*at, *teamqueue.TeamRun, *RunSummary) bool { return true })
}

// Runs reads the queue.
func (s *Stream) Runs(ctx context.Context) (*List, error) {
	r, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	return s.List(r), nil
}

// Device reads the queue, and returns the runs whose waves have a device.
func (s *Stream) Device(ctx context.Context, device string) (*List, error) {
	r, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	return s.list(r, func(q *at, t *teamqueue.TeamRun, one *RunSummary) bool {
		one.Outcome = q.outcome(t, device)
		return one.Outcome != ""
	}), nil
}
