// Package site has the [Worker] of one site of a team: the process that has the keys of the devices of the site.
//
// It reads the stream of the hub and folds it as every reader does (package teamqueue). It answers questions for parts of plans, does its
// share of the runs that persons submitted, and publishes signed statements about it. It trusts the hub with nothing: a wave begins when
// statements that the worker itself has verified say that all earlier waves are complete.
//
// Its folder has what it has verified (messages.jsonl), what it has said (outbox.jsonl), and how much of both the hub has. The record of a
// run is the journal of the machine. So the worker goes on without the hub, and after it was killed.
package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// Options are those of a worker.
type Options struct {
	Site    string
	State   string            // its folder
	Fabrics map[string]Source // by the name of the fabric
	Connect func() (*broker.Broker, error)
	Signers func() (*sshsig.Signers, error) // nil: those of the machine, by the policy of the site
	// Sign signs a message; nil: ssh-keygen does, with the key of the session.
	Sign    func(ctx context.Context, namespace string, message []byte) ([]byte, error)
	Session func(listen func(journal.Notice)) *session.Session // a new one for each use; its journals are those of the machine
	Change  session.ChangeOptions                              // for every change; Lab makes all devices simulated
	Rules   sequence.Rules
	Clock   device.Clock
	Log     *slog.Logger
}

// Source is where a site takes a fabric from.
type Source struct {
	Mirror string // folder of a git repository, bare or not
	Folder string // of the fabric in it; empty: its root
}

// Worker does the work of a site.
type Worker struct {
	o    Options
	book *book

	sizes map[string]int64 // of journals that the hub has; of send alone
	lab   sync.Mutex

	mu     sync.Mutex // guards the fields below
	queue  *teamqueue.Queue
	wake   chan struct{} // closed and replaced when something has changed
	hub    *broker.Broker
	asks   []*broker.Message
	newest string               // SHA-256 of the newest message
	alive  map[string]time.Time // when the hub last heard each site; nil: not known
	status Status
}

// Status is the state of a worker for people.
type Status struct {
	Connected bool
	Trouble   string // why the worker does not use the hub; empty: it uses it
	Waits     map[string]string
}

// The times of a worker.
const (
	retryTime = time.Second      // until the next attempt to reach the hub
	beatTime  = 10 * time.Second // between signs of life
)

// New opens the folder of a site. It refuses a folder that another worker uses.
func New(o Options) (*Worker, error) {
	if !statement.Token(o.Site) {
		return nil, fmt.Errorf("%q is no name of a site: letters, digits, \"-\" and \"_\"", o.Site)
	}
	o.signByFiles()
	signers, err := o.Signers()
	if err != nil {
		return nil, err
	}
	w := &Worker{o: o, queue: teamqueue.New(signers), wake: make(chan struct{}), sizes: map[string]int64{}}
	w.status.Waits = map[string]string{}
	if w.book, err = openBook(filepath.Join(o.State, "team"), o.Clock.Now()); err != nil {
		return nil, err
	}
	for _, m := range w.book.messages {
		if err := w.queue.Take(m); err != nil { // a signer has left since
			o.Log.Warn("a message is not used any more", "number", m.Number, "why", err)
		}
		w.newest = statement.Sum(m.Data)
	}
	w.book.messages = nil
	for i := range w.book.said {
		if st, err := statement.Parse([]byte(w.book.said[i].Text)); err == nil {
			_ = w.queue.Own(st) // an earlier epoch changes nothing
		}
	}
	return w, nil
}

// signByFiles makes the worker use the allowed signers and the key of the machine where the options do not state others.
func (o *Options) signByFiles() {
	if o.Signers == nil {
		o.Signers = func() (*sshsig.Signers, error) {
			r, err := session.Rights(o.Session(nil), false)
			if err != nil {
				return nil, err
			}
			signers, _, err := r.Signers()
			return signers, err
		}
	}
	if o.Sign == nil {
		o.Sign = func(ctx context.Context, namespace string, message []byte) ([]byte, error) {
			r, err := session.Rights(o.Session(nil), false)
			if err != nil {
				return nil, err
			}
			return r.Sign(ctx, namespace, message)
		}
	}
}

// Run works until ctx ends, or the disk fails.
func (w *Worker) Run(ctx context.Context) error {
	defer w.book.close()
	if err := w.recover(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	each := func(do func(context.Context) error) {
		all.Go(func() {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		})
	}
	each(w.follow)
	each(w.send)
	each(w.answer)
	for fabric := range w.o.Fabrics {
		each(func(ctx context.Context) error { return w.work(ctx, fabric) })
	}
	all.Wait()
	if w.hub != nil {
		w.hub.Close()
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Status returns the state of the worker.
func (w *Worker) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.status
	out.Connected = w.hub != nil && w.hub.Connected()
	out.Waits = map[string]string{}
	maps.Copy(out.Waits, w.status.Waits)
	return out
}

// changed wakes all who wait. The caller holds the lock.
func (w *Worker) changed() {
	close(w.wake)
	w.wake = make(chan struct{})
}

// sleep waits until something has changed, or a time has passed.
func (w *Worker) sleep(ctx context.Context, wake <-chan struct{}, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wake:
	case <-w.o.Clock.Wait(d):
	}
	return nil
}

// follow reads the stream, and connects again when the hub was away.
func (w *Worker) follow(ctx context.Context) error {
	var filters []broker.Subject
	for fabric := range w.o.Fabrics {
		for _, kind := range teamqueue.Kinds {
			filters = append(filters, broker.Subject{Kind: kind, Fabric: fabric})
		}
		filters = append(filters, broker.Subject{Kind: broker.Ask, Fabric: fabric, Site: w.o.Site})
	}
	for ctx.Err() == nil {
		err := w.followOnce(ctx, filters)
		if disk := (*diskError)(nil); errors.As(err, &disk) {
			return disk
		}
		if ctx.Err() == nil {
			w.o.Log.Warn("the hub is away", "error", err)
		}
		w.mu.Lock()
		wake := make(chan struct{})
		w.mu.Unlock()
		_ = w.sleep(ctx, wake, retryTime)
	}
	return nil
}

func (w *Worker) followOnce(ctx context.Context, filters []broker.Subject) error {
	w.mu.Lock()
	b, last := w.hub, w.queue.Last()
	w.mu.Unlock()
	if b == nil {
		var err error
		if b, err = w.o.Connect(); err != nil {
			return err
		}
		w.mu.Lock()
		w.hub = b
		w.mu.Unlock()
	}
	if err := w.checkStore(ctx, b); err != nil {
		return err
	}
	return b.Follow(ctx, max(last, 1), filters, func(m *broker.Message) error {
		if m.Number == last { // it is there to be compared
			return w.sameLast(m)
		}
		return w.take(m)
	}, nil)
}

// checkStore refuses a store that has fewer messages than this site has seen.
func (w *Worker) checkStore(ctx context.Context, b *broker.Broker) error {
	w.mu.Lock()
	last := w.queue.Last() // before the hub is asked: messages may come meanwhile
	w.mu.Unlock()
	there, err := b.Last(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.Trouble = ""
	if there < last {
		return w.olderStore(fmt.Sprintf("it ends with message %d, and this site has seen message %d", there, last))
	}
	return nil
}

// sameLast refuses a store whose message with the last number is not the one that this site has seen.
func (w *Worker) sameLast(m *broker.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.newest == statement.Sum(m.Data) {
		return nil
	}
	return w.olderStore(fmt.Sprintf("its message %d is not the one that this site has seen", m.Number))
}

// olderStore keeps why the worker does not use the hub. The caller holds the lock.
func (w *Worker) olderStore(why string) error {
	w.status.Trouble = "the store of the hub is older than what this site has seen: " + why + ". The site uses no message of the store. " +
		"rocecd rebuild publishes the records of the site again"
	return errors.New(w.status.Trouble)
}

// take folds a message, and keeps it on the disk if it is verified.
func (w *Worker) take(m *broker.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.Kind == broker.Ask {
		if len(w.asks) < mostAsks {
			w.asks = append(w.asks, m)
			w.changed()
		}
		return nil
	}
	if m.Number > w.queue.Last() {
		w.newest = statement.Sum(m.Data)
	}
	if err := w.queue.Take(m); err != nil {
		w.o.Log.Warn("a message changes nothing", "number", m.Number, "subject", m.Filter(), "why", err)
		return nil
	}
	if err := w.book.keep(m); err != nil {
		return err
	}
	w.changed()
	return nil
}

// mostAsks bounds the questions that wait.
const mostAsks = 20

// say signs a statement about a run, and keeps it for the hub. When say returns, the disk and the queue have it.
func (w *Worker) say(ctx context.Context, r *teamqueue.TeamRun, st statement.Statement) error {
	st.Fabric, st.Run, st.Digest, st.Site = r.Fabric, r.Name, r.Digest, w.o.Site
	signed, err := w.signed(ctx, &st, nil)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.book.speak(broker.Subject{Kind: broker.Wave, Fabric: r.Fabric, Run: r.Name, Site: w.o.Site}, &st, signed); err != nil {
		return err
	}
	if err := w.queue.Own(&st); err != nil { // the run has gone on in another epoch
		w.o.Log.Warn("a statement of this site changes nothing", "run", r.Name, "why", err)
	}
	w.changed()
	return nil
}

// useLab waits until no other part of the worker uses the lab of the site: simulated devices have one user at a time.
func (w *Worker) useLab() (end func()) {
	if w.o.Change.Lab == "" {
		return func() {}
	}
	w.lab.Lock()
	return w.lab.Unlock
}

// isAway reports whether a site is away. The caller holds the lock.
func (w *Worker) isAway(site string) bool {
	if w.alive == nil || site == w.o.Site {
		return false
	}
	_, alive := w.alive[site]
	return !alive
}
