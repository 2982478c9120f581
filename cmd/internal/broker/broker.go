// Package broker carries the messages of a team: a [Broker] publishes them to a stream of NATS JetStream, and reads them in their order.
//
// The server is not trusted: the stream orders messages and keeps them, and each reader verifies what they say (package statement). The
// number of a message in the stream is the epoch of the work that it starts.
//
// Tests run nats-server 2.14 and 2.15. Acknowledged messages are on the disk of a server with sync_interval: always (nats-server#7564).
// Kills that meet changes of a cluster have lost acknowledged messages even so (nats-server#7545), so the record of a run is the journal of
// each site, and not the stream.
package broker

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Stream is the name of the stream.
const Stream = "ROCEC"

// Bounds of messages and of waiting.
const (
	MaxMessage = 24 << 20           // bytes: the plan of 5,000 devices has about 8 MiB, and JSON encodes it as base64
	MaxPayload = MaxMessage + 4<<10 // a message with its headers, as a server counts it
	answerTime = 10 * time.Second
)

// Where names a server and how to reach it.
type Where struct {
	URL   string // nats://127.0.0.1:4222 or tls://hub:7422
	Creds string // file with the JWT and the key of a user; empty: none
	CA    string // file with the certificates that sign the server's; empty: those of the system
	Name  string // of the connection, for the server's list
}

// Broker is a connection to the stream.
type Broker struct {
	conn *nats.Conn
	js   jetstream.JetStream
	url  string

	publishing sync.Mutex // one at a time

	mu      sync.Mutex
	waiting context.CancelCauseFunc // ends what waits for the server; nil: nothing waits
}

// Message is a message of the stream.
type Message struct {
	Subject
	Number uint64 // in the stream
	At     time.Time
	Data   []byte
}

// Open connects to a server. The connection comes back by itself when it was lost: notice hears of both, and may be nil.
func Open(w Where, notice func(lost error)) (*Broker, error) {
	b := &Broker{url: w.URL}
	o := []nats.Option{
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refuse(b, err) }),
		nats.Name(w.Name), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second), nats.Timeout(answerTime),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(3), nats.ReconnectBufSize(-1), nats.NoEcho(),
		nats.IgnoreAuthErrorAbort(), // credentials that were renewed are in the same file
	}
	if w.Creds != "" {
		o = append(o, nats.UserCredentials(w.Creds))
	}
	if w.CA != "" {
		text, err := os.ReadFile(w.CA)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s contains no certificate", w.CA)
		}
		o = append(o, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}))
	}
	o = append(o, nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
		lose(b)
		if notice != nil {
			notice(cmp.Or(err, errors.New("the connection was closed")))
		}
	}))
	if notice != nil {
		o = append(o, nats.ReconnectHandler(func(*nats.Conn) { notice(nil) }))
	}
	var err error
	if b.conn, err = nats.Connect(w.URL, o...); err != nil {
		return nil, told(w.URL, err)
	}
	if b.js, err = jetstream.New(b.conn); err != nil {
		b.conn.Close()
		return nil, told(w.URL, err)
	}
	return b, nil
}

// waits does what a server answers, one at a time, until the server refuses the message or the connection is lost.
func waits(ctx context.Context, b *Broker, do func(ctx context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	b.publishing.Lock()
	defer b.publishing.Unlock()
	set := func(to context.CancelCauseFunc) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.waiting = to
	}
	set(end)
	err := do(ctx)
	set(nil)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrRole):
		return ErrRole
	case errors.Is(cause, errLost) && err != nil:
		return fmt.Errorf("the hub %s does not answer: %w", b.url, errLost)
	}
	return told(b.url, err)
}

// refuse ends the wait for an answer that never comes: the server refuses the message, and reports that apart. One message at a time waits
// for its answer, so the report is about that one.
func refuse(b *Broker, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil && errors.Is(err, nats.ErrPermissionViolation) {
		b.waiting(ErrRole)
	}
}

// lose ends the wait for an answer: it is lost with the connection.
func lose(b *Broker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		b.waiting(errLost)
	}
}

// errLost is why a wait ends whose connection was lost.
var errLost = errors.New("the connection was lost")

// ErrRole is the error if the credentials do not allow a message.
var ErrRole = errors.New("the credentials (--creds) do not allow this: a reader submits nothing, a site speaks for itself alone, and " +
	"rocecd serve --nats needs the role hub")

// Refused reports whether an error says that the credentials are of no use.
func Refused(err error) bool {
	return errors.Is(err, ErrRole) || errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrAuthRevoked)
}

// Close ends the connection.
func (b *Broker) Close() { b.conn.Close() }

// Connected reports whether the server answers now.
func (b *Broker) Connected() bool { return b.conn.IsConnected() }

// Reconnects returns how often the connection came back. Behind it may be another server with another store.
func (b *Broker) Reconnects() uint64 { return b.conn.Stats().Reconnects }

// Limits bound what the stream keeps.
type Limits struct {
	Bytes    int64
	Age      time.Duration
	Replicas int
}

// Make makes the stream, or sets the limits of the present one. Only the hub calls it. A full stream refuses messages and loses none.
func (b *Broker) Make(ctx context.Context, l Limits) error {
	return makeStream(ctx, b, jetstream.StreamConfig{
		Name: Stream, Subjects: []string{root + ".>"}, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy,
		Discard: jetstream.DiscardNew, MaxBytes: l.Bytes, MaxAge: l.Age, MaxMsgSize: MaxPayload, Replicas: max(l.Replicas, 1),
		Duplicates: min(24*time.Hour, l.Age), DenyDelete: true,
	})
}

func makeStream(ctx context.Context, b *Broker, is jetstream.StreamConfig) error {
	return waits(ctx, b, func(ctx context.Context) error {
		_, err := b.js.CreateOrUpdateStream(ctx, is)
		return err
	})
}

// Advance makes the numbers of the stream go on above a number, and drops all messages below. The sites have what counts, and publish it
// again. It refuses a number below the one of the newest message. Only the hub calls it.
func (b *Broker) Advance(ctx context.Context, above uint64) (dropped uint64, err error) {
	s, err := b.js.Stream(ctx, Stream)
	if err != nil {
		return 0, told(b.url, err)
	}
	state := s.CachedInfo().State
	switch {
	case above < state.LastSeq:
		return 0, fmt.Errorf("the store ends with message %d, so its numbers cannot go on above %d", state.LastSeq, above)
	case above > mostNumber:
		return 0, fmt.Errorf("no store has %d messages", above)
	}
	return state.Msgs, told(b.url, s.Purge(ctx, jetstream.WithPurgeSequence(above+1)))
}

// mostNumber bounds the numbers of messages.
const mostNumber = 1 << 48

// AliveStream is the name of the stream with the newest sign of life of each site.
const AliveStream = "ROCEC_ALIVE"

// AliveSubject returns the subject of the signs of life of a site; empty: of all sites.
func AliveSubject(site string) string {
	return alive + cmp.Or(site, "*")
}

// alive is the first token of the subjects of signs of life.
const alive = "rocec-alive."

// AliveFor is how long a sign of life is good.
const AliveFor = 30 * time.Second

// MakeAlive makes the stream of the signs of life. It is in memory: a hub that starts again hears the sites within seconds. A single server
// that starts again has lost it.
func (b *Broker) MakeAlive(ctx context.Context, replicas int) error {
	return makeStream(ctx, b, jetstream.StreamConfig{
		Name: AliveStream, Subjects: []string{AliveSubject("")}, Storage: jetstream.MemoryStorage, MaxMsgsPerSubject: 1,
		MaxAge: AliveFor, MaxMsgSize: 64, Discard: jetstream.DiscardOld, Replicas: max(replicas, 1),
	})
}

// Beat sends a sign of life of a site, without an answer.
func (b *Broker) Beat(site string) error { return told(b.url, b.conn.Publish(AliveSubject(site), nil)) }

// Alive returns when the hub last heard each site, by the clock of the hub. A site that is missing is away for 30 s or longer. The hub may
// lie about it: what waits for a site only says more with it.
func (b *Broker) Alive(ctx context.Context) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	c, err := b.js.OrderedConsumer(ctx, AliveStream, jetstream.OrderedConsumerConfig{
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubjects:    []string{AliveSubject("")},
		InactiveThreshold: idleTime,
	})
	if err != nil {
		return nil, unheard(told(b.url, err))
	}
	defer b.forget(AliveStream, c)
	batch, err := c.FetchNoWait(mostSites)
	if err != nil {
		return nil, told(b.url, err)
	}
	for m := range batch.Messages() {
		if meta, err := m.Metadata(); err == nil {
			out[strings.TrimPrefix(m.Subject(), alive)] = meta.Timestamp
		}
	}
	return out, told(b.url, batch.Error())
}

// Away returns which sites are away: the hub has not heard them for 30 s or longer. It is not known for a hub that has just started.
func (b *Broker) Away(ctx context.Context) (away func(site string) bool, err error) {
	of, err := b.js.Stream(ctx, AliveStream)
	if err != nil {
		return nil, unheard(told(b.url, err))
	}
	if info := of.CachedInfo(); info.TimeStamp.Sub(info.Created) < AliveFor {
		return nil, errors.New("the hub has listened for less than 30 s")
	}
	heard, err := b.Alive(ctx)
	if err != nil {
		return nil, err
	}
	return func(site string) bool {
		_, alive := heard[site]
		return !alive
	}, nil
}

// unheard returns the error of a reader of the signs of life, whose stream is another one than that of the messages.
func unheard(err error) error {
	if errors.Is(err, ErrNoStream) {
		return errors.New("the hub has no stream for signs of life of sites: rocecd serve makes it within seconds")
	}
	return err
}

// mostSites bounds the sites of a team.
const mostSites = 1000

// full are the codes of the server for a store that keeps no message: too few resources, a full account, and a full stream or disk.
var full = []jetstream.ErrorCode{10023, 10047, 10077}

// ErrFull is the error of Publish if the stream keeps no more messages.
var ErrFull = errors.New("the store of the hub is full: give it more bytes, or a shorter age (rocecd serve --store-bytes, --store-age)")

// ErrNoStream is in the error of a server that answers and has no stream of rocec.
var ErrNoStream = errors.New("no stream")

// Publish appends a message, and returns its number when the server has stored it. A message with the id of a stored one is not stored
// again.
func (b *Broker) Publish(ctx context.Context, s Subject, id string, data []byte) (number uint64, err error) {
	if len(data) > MaxMessage {
		return 0, fmt.Errorf("a message of %d bytes is larger than %d MiB", len(data), MaxMessage>>20)
	}
	name := s.Name()
	err = waits(ctx, b, func(ctx context.Context) error {
		ack, err := b.js.Publish(ctx, name, data, jetstream.WithMsgID(id))
		if err == nil {
			number = ack.Sequence
		}
		return err
	})
	return number, err
}

// Last returns the number of the newest message of the stream; 0: it has no message.
func (b *Broker) Last(ctx context.Context) (uint64, error) {
	s, err := b.js.Stream(ctx, Stream)
	if err != nil {
		return 0, told(b.url, err)
	}
	n := s.CachedInfo().State.LastSeq
	return n, possible(b.url, n)
}

// possible refuses a number that no store reaches. A reader that kept it would use no later store.
func possible(url string, number uint64) error {
	if number <= mostNumber {
		return nil
	}
	return fmt.Errorf("the store of the hub %s has the message %d, and no store has so many: it is damaged or hostile. Stop the hub, remove "+
		"its store, start it, and give it what the sites have kept (rocecd rebuild)", url, number)
}

// Follow calls use for each message that a filter matches, from a number on, in their order. It waits for new ones until ctx ends, or use
// returns an error. It leaves out messages with a subject that rocec does not have. caught, if it is not nil, is called once,
// when all messages that were there at the beginning have been used.
func (b *Broker) Follow(ctx context.Context, from uint64, filters []Subject, use func(*Message) error, caught func()) error {
	end, err := b.Last(ctx)
	if err != nil {
		return err
	}
	c := jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1), InactiveThreshold: idleTime,
	}
	for _, f := range filters {
		c.FilterSubjects = append(c.FilterSubjects, f.Filter())
	}
	consumer, err := b.js.OrderedConsumer(ctx, Stream, c)
	if err != nil {
		return told(b.url, err)
	}
	defer b.forget(Stream, consumer)
	it, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(200, 2*MaxPayload))
	if err != nil {
		return told(b.url, err)
	}
	stop := context.AfterFunc(ctx, it.Stop)
	defer stop()
	defer it.Stop()
	info, err := consumer.Info(ctx)
	if err != nil {
		return told(b.url, err)
	}
	left := info.NumPending
	if left == 0 || end == 0 {
		left = 0
		if caught != nil {
			caught()
		}
	}
	for {
		m, err := it.Next()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return told(b.url, err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return told(b.url, err)
		}
		if err := possible(b.url, meta.Sequence.Stream); err != nil {
			return err
		}
		if subject, err := ParseSubject(m.Subject()); err == nil {
			if err := use(&Message{subject, meta.Sequence.Stream, meta.Timestamp, m.Data()}); err != nil {
				return err
			}
		}
		if left > 0 {
			if left--; left == 0 && caught != nil {
				caught()
			}
		}
	}
}

// idleTime is how long a server keeps the place of a reader that has gone away.
const idleTime = 30 * time.Second

// forget makes the server forget the place of a reader: it keeps a limited number of them.
func (b *Broker) forget(stream string, c jetstream.Consumer) {
	if info := c.CachedInfo(); info != nil && b.conn.IsConnected() {
		ctx, cancel := context.WithTimeout(context.Background(), answerTime)
		defer cancel()
		_ = b.js.DeleteConsumer(ctx, stream, info.Name) // else it ends after idleTime
	}
}

// errCaught ends a Follow that has used all messages.
var errCaught = errors.New("all messages were read")

// Read is [Broker.Follow] for the messages that are there now.
func (b *Broker) Read(ctx context.Context, from uint64, filters []Subject, use func(*Message) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := b.Follow(ctx, from, filters, use, func() { cancel(errCaught) })
	if errors.Is(context.Cause(ctx), errCaught) {
		return nil
	}
	return err
}

// told returns an error of the server as a person reads it.
func told(url string, err error) error {
	of := (*jetstream.APIError)(nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &of) && of.ErrorCode == jetstream.JSErrCodeStreamNotFound, errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("%s has %w %s: it is no hub of rocec, or its store is lost. rocecd serve makes the stream", url, ErrNoStream, Stream)
	case Refused(err):
		return fmt.Errorf("the hub %s refuses the credentials (--creds), which are of another hub, revoked, or over: %w. See, on the hub: "+
			"rocecd keys list", url, err)
	case errors.As(err, &of) && slices.Contains(full, of.ErrorCode):
		return ErrFull
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout),
		errors.Is(err, nats.ErrReconnectBufExceeded):
		return fmt.Errorf("the hub %s does not answer", url)
	}
	return fmt.Errorf("the hub %s: %w", url, err)
}
