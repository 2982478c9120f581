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
	"github.com/rocec/rocec/cmd/rocecd/internal/looking"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/safefile"
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

	VerifyEvery time.Duration // between looks at the devices of the site; 0: it does not look

	Clock device.Clock
	Log   *slog.Logger
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

	watches []*looking.Watch // of its devices, one for each fabric
	sizes   map[string]int64 // of journals that the hub has; of send alone
	lab     sync.Mutex

	mu     sync.Mutex // guards the fields below
	queue  *teamqueue.Queue
	wake   chan struct{} // closed and replaced when something has changed
	hub    *broker.Broker
	asks   []*broker.Message
	newest string               // SHA-256 of the newest message
	there  uint64               // number of the newest message of the hub
	alive  map[string]time.Time // when the hub last heard each site; nil: not known
	status Status
	cut    context.CancelFunc // ends the reading of the stream, which begins again with a comparison; nil: nothing is read
	same   bool               // the store has been compared since the connection is there
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
	made := o.Session
	o.Session = func(listen func(journal.Notice)) *session.Session {
		s := made(listen)
		s.OfSite = o.Site
		return s
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
	w.queue.Now = o.Clock.Now
	for _, m := range w.book.messages {
		if err := w.queue.Again(&m); err != nil {
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
	if o.VerifyEvery > 0 {
		for fabric := range o.Fabrics {
			w.watches = append(w.watches, looking.New(watching(w, fabric)))
		}
	}
	return w, nil
}

// watching returns the options of the watch of a fabric.
func watching(w *Worker, fabric string) looking.Options {
	of := w.o.Fabrics[fabric]
	return looking.Options{
		Site: w.o.Site, State: w.o.State, Fabric: fabric, Mirror: of.Mirror, Folder: of.Folder, Every: w.o.VerifyEvery,
		Lab: w.o.Change.Lab, Parallel: w.o.Change.Parallel, Clock: w.o.Clock, Log: w.o.Log, Lock: w.useLab, Sign: w.signed, Plain: plain,
		Session: func() *session.Session { return w.o.Session(nil) },
		Busy: func() string {
			w.mu.Lock()
			defer w.mu.Unlock()
			if j := w.next(fabric); j != nil {
				return j.Name
			}
			return ""
		},
	}
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
	each(func(ctx context.Context) error { return watchSigners(ctx, w) })
	for fabric := range w.o.Fabrics {
		each(func(ctx context.Context) error { return w.work(ctx, fabric) })
	}
	for _, l := range w.watches {
		each(l.Run)
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
	for said := ""; ctx.Err() == nil; {
		err := w.followOnce(ctx, filters)
		if disk := (*diskError)(nil); errors.As(err, &disk) {
			return disk
		}
		w.mu.Lock()
		if w.same { // the hub was there
			said = ""
		}
		w.cut, w.same = nil, false
		w.mu.Unlock()
		if text := fmt.Sprint(err); ctx.Err() == nil && !errors.Is(err, context.Canceled) && text != said { // not each second
			said = text
			w.o.Log.Warn("the site does not read the hub", "error", err)
		}
		_ = w.sleep(ctx, nil, retryTime)
	}
	return nil
}

// compared records that the store of the hub is the one that this site knows.
func (w *Worker) compared() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.same, w.status.Trouble = true, ""
	w.changed()
}

// again makes the worker compare the store anew.
func (w *Worker) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.same = false; w.cut != nil {
		w.cut()
	}
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.cut = cancel
	w.mu.Unlock()
	return b.Follow(ctx, max(last, 1), filters, func(m *broker.Message) error {
		if m.Number == last { // it is there to be compared
			return w.sameLast(m)
		}
		return w.take(m)
	}, w.compared)
}

// checkStore refuses a store that has fewer messages than this site has seen.
func (w *Worker) checkStore(ctx context.Context, b *broker.Broker) error {
	w.mu.Lock()
	last := w.queue.Last() // before the hub is asked: messages may come meanwhile
	w.mu.Unlock()
	there, err := b.Last(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, broker.ErrNoStream) { // it was deleted, maybe while this site reads it
		w.status.Trouble = err.Error()
		if w.cut != nil {
			w.cut()
		}
	}
	if err != nil {
		return err
	}
	w.there = there
	if there < last {
		return w.olderStore(fmt.Sprintf("it ends with message %d, and this site has seen message %d", there, last), last)
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
	why := fmt.Sprintf("its message %d is not the one that this site has seen, and it ends with message %d", m.Number, max(m.Number, w.there))
	return w.olderStore(why, max(m.Number, w.there))
}

// olderStore keeps why the worker does not use the hub. above is a number that neither has. The caller holds the lock.
func (w *Worker) olderStore(why string, above uint64) error {
	w.status.Trouble = fmt.Sprintf("the store of the hub is older than what this site has seen: %s. The site uses no message of the store. "+
		"rocecd rebuild --after %d on the hub, and then rocecd rebuild on each site, publish the records again", why, above)
	return errors.New(w.status.Trouble)
}

// take folds a message, and keeps it on the disk if it is verified.
func (w *Worker) take(m *broker.Message) error {
	signers, err := w.o.Signers()
	if err != nil { // the site reads the message again when the file is there
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.Kind == broker.Ask {
		if len(w.asks) < mostAsks {
			w.asks = append(w.asks, m)
			w.changed()
		}
		return nil
	}
	if err := trust(w, signers); err != nil {
		return err
	}
	if m.Number > w.queue.Last() {
		w.newest = statement.Sum(m.Data)
	}
	now, err := w.queue.Accept(m)
	if err != nil {
		w.o.Log.Warn("a message changes nothing", "number", m.Number, "subject", m.Filter(), "why", err)
		return nil
	}
	if err := w.book.keep(now); err != nil {
		return err
	}
	w.changed()
	return nil
}

// trust makes signers judge the messages, and keeps those that count now. The caller holds the lock.
func trust(w *Worker, signers *sshsig.Signers) error {
	if w.queue.Trusts(signers) {
		return nil
	}
	now := w.queue.Trust(signers)
	w.o.Log.Info("the site uses other allowed signers", "signers", signers.Len(), "messages that count now", len(now))
	w.changed()
	return w.book.keep(now)
}

// watchSigners notices that the allowed signers have changed, also while no message comes.
func watchSigners(ctx context.Context, w *Worker) error {
	for w.sleep(ctx, nil, retryTime) == nil {
		signers, err := w.o.Signers()
		if err != nil { // follow states it with the next message
			continue
		}
		w.mu.Lock()
		err = trust(w, signers)
		w.mu.Unlock()
		if err != nil {
			return err
		}
	}
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

// readyFile is written to see whether the journals can be.
const readyFile = ".ready"

// Writable returns why the journals of the machine cannot be written.
func (w *Worker) Writable() error {
	dir, err := w.o.Session(nil).Journals()
	if err != nil {
		return err
	}
	folder, err := safefile.MakeFolder(dir.Path(), ownFolders)
	if err != nil {
		return fmt.Errorf("the journals of the site cannot be written: %w", err)
	}
	defer folder.Close()
	if err := folder.WriteFile(readyFile, []byte("rocecd\n")); err != nil {
		return fmt.Errorf("the journals of the site cannot be written: %w", err)
	}
	return nil
}
