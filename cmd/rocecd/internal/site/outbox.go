package site

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
)

// signed returns a statement of the site, as it travels.
func (w *Worker) signed(ctx context.Context, st *statement.Statement, body []byte) (*statement.Signed, error) {
	st.Site, st.At, st.Nonce = w.o.Site, w.o.Clock.Now().UTC().Truncate(time.Second), rand.Text()
	return statement.Make(st, body, func(namespace string, message []byte) ([]byte, error) {
		return w.o.Sign(context.WithoutCancel(ctx), namespace, message)
	})
}

// send publishes what the site has said and the lines of its journals, in their order, until the hub has all. It also sends the signs of
// life, and asks for those of the other sites.
func (w *Worker) send(ctx context.Context) error {
	var beat, since time.Time
	was, times := false, uint64(0) // there, and how often it came back
	for ctx.Err() == nil {
		w.mu.Lock()
		b, wake := w.hub, w.wake
		w.mu.Unlock()
		there := b != nil && b.Connected()
		if there && times != b.Reconnects() {
			was, times = false, b.Reconnects()
			w.again()
		}
		if there && (!was || w.o.Clock.Now().Sub(beat) >= beatTime) { // the hub may have another store when it is back
			beat = w.o.Clock.Now()
			if !was {
				since = beat
			}
			w.beat(ctx, b, beat.Sub(since) >= broker.AliveFor)
		}
		if was && !there { // which sites are away is not known any more
			w.setAlive(nil)
		}
		was = there
		w.mu.Lock()
		same := w.same && w.status.Trouble == ""
		w.mu.Unlock()
		if there && same {
			err := errors.Join(w.sendSaid(ctx, b), w.sendEvents(ctx, b))
			for _, l := range w.watches {
				err = errors.Join(err, l.Send(ctx, b))
			}
			if disk := (*diskError)(nil); errors.As(err, &disk) {
				return disk
			}
			if err != nil && ctx.Err() == nil {
				w.o.Log.Warn("the hub does not take a message", "error", err)
				wake = nil // not at once
			}
		}
		if err := w.sleep(ctx, wake, retryTime); err != nil {
			return nil //nolint:nilerr // the worker ends
		}
	}
	return nil
}

// beat sends a sign of life, and reads those of the others if all of them have had the time to send one since the hub is there.
func (w *Worker) beat(ctx context.Context, b *broker.Broker, known bool) {
	alive, err := map[string]time.Time(nil), w.checkStore(ctx, b)
	if err == nil {
		err = b.Beat(w.o.Site)
	}
	if err == nil && known {
		alive, err = b.Alive(ctx)
	}
	if err != nil && ctx.Err() == nil {
		w.o.Log.Info("it is not known which sites are away", "error", err)
		alive = nil
	}
	w.setAlive(alive)
}

func (w *Worker) setAlive(alive map[string]time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alive = alive
}

// sendSaid publishes the statements that the hub does not have.
func (w *Worker) sendSaid(ctx context.Context, b *broker.Broker) error {
	for {
		w.mu.Lock()
		n := w.book.cursor.Said
		var s *saying
		if n < len(w.book.said) {
			s = &w.book.said[n]
		}
		w.mu.Unlock()
		if s == nil {
			return nil
		}
		if _, err := b.Publish(ctx, s.Subject, s.ID, s.Data); err != nil {
			return err
		}
		w.mu.Lock()
		w.book.said[n].Data = nil
		w.book.cursor.Said++
		err := w.book.sent()
		if err == nil && w.book.grown() {
			err = w.book.shorten(w.o.Clock.Now())
		}
		w.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// noteRun makes the lines of a run of the journal travel.
func (w *Worker) noteRun(local string, fabric, run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.book.cursor.Runs[local] == nil {
		w.book.cursor.Runs[local] = &way{Fabric: fabric, Run: run}
	}
	w.changed()
}

// sendEvents publishes the lines of journals that the hub does not have. The hub may get a line twice, with the same id.
func (w *Worker) sendEvents(ctx context.Context, b *broker.Broker) error {
	dir, err := w.o.Session(nil).Journals()
	if err != nil {
		return err
	}
	w.mu.Lock()
	runs := slices.Sorted(maps.Keys(w.book.cursor.Runs))
	w.mu.Unlock()
	for _, local := range runs {
		w.mu.Lock()
		at := *w.book.cursor.Runs[local]
		w.mu.Unlock()
		size, err := dir.Size(local)
		if errors.Is(err, fs.ErrNotExist) || err == nil && w.sizes[local] == size { // it did not begin, or has no new line
			continue
		}
		if err != nil {
			return err
		}
		notices, lines, err := dir.Notices(local, at.Lines)
		if err != nil {
			return err
		}
		first := lines - len(notices) + 1
		for i := range notices {
			if err := w.publishLine(ctx, b, &at, local, "", &teamqueue.Event{Line: first + i, Notice: notices[i]}); err != nil {
				return errors.Join(err, w.reached(local, first+i-1))
			}
		}
		if len(notices) > 0 {
			if err := w.reached(local, lines); err != nil {
				return err
			}
		}
		w.sizes[local] = size
	}
	return nil
}

// publishLine publishes a line of a journal. The hub stores it once, or again with another end of its id.
func (w *Worker) publishLine(ctx context.Context, b *broker.Broker, of *way, local, again string, line *teamqueue.Event) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	to := broker.Subject{Kind: broker.Event, Fabric: of.Fabric, Run: of.Run, Site: w.o.Site}
	_, err = b.Publish(ctx, to, fmt.Sprintf("%s/%s/%d%s", w.o.Site, local, line.Line, again), data)
	return err
}

// reached keeps how far the hub has a journal.
func (w *Worker) reached(local string, lines int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.book.cursor.Runs[local].Lines = lines
	return w.book.sent()
}

// ofTeam returns the runs of the journals that do a share of this site, the oldest first.
func (w *Worker) ofTeam() ([]*journal.Log, error) {
	_, logs, _, err := w.o.Session(nil).ReadRuns()
	logs = slices.DeleteFunc(logs, func(l *journal.Log) bool { return l.Team == nil || l.Team.Site != w.o.Site })
	slices.Reverse(logs)
	return logs, err
}
