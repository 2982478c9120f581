package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Archive has the records that a site keeps of its work for a team. Reading it changes nothing, so a worker may use the folder meanwhile.
type Archive struct {
	Last     uint64 // number of the newest message that the site has verified
	messages []teamqueue.Accepted
	said     []saying
	runs     map[string]*way
}

// ReadArchive reads the records in the state of a site.
func ReadArchive(state string) (*Archive, error) {
	dir := filepath.Join(state, "team")
	folder, err := safefile.OpenFolder(dir, ownFolders)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no records of a site", state)
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	k := &Archive{}
	read := func(name string, use func(line []byte) error) error {
		f, err := folder.OpenFile(name, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = eachLine(f, use)
		return err
	}
	if err := read(inFile, func(line []byte) error {
		m := teamqueue.Accepted{}
		err := json.Unmarshal(line, &m)
		k.messages, k.Last = append(k.messages, m), max(k.Last, m.Number)
		return err
	}); err != nil {
		return nil, err
	}
	if err := read(outFile, func(line []byte) error {
		var s saying
		err := json.Unmarshal(line, &s)
		k.said = append(k.said, s)
		return err
	}); err != nil {
		return nil, err
	}
	text, err := folder.ReadFile(cursorFile, maxCursor)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	var c cursor
	err = errors.Join(err, json.Unmarshal(text, &c))
	k.runs = c.Runs
	return k, err
}

// Published counts what a hub got again.
type Published struct{ Records, Statements, Lines int }

// Publish gives a hub again what the site has kept: the messages of persons as records, then its own statements, then the lines of its
// journals. The hub may have some of them before the records of their runs, where readers refuse them, so it stores all again. A reader for
// whom a message is the second one changes nothing by it.
func (k *Archive) Publish(ctx context.Context, o *Options, b *broker.Broker) (p Published, err error) {
	w := &Worker{o: *o}
	w.o.signByFiles()
	last, err := b.Last(ctx)
	if err != nil {
		return p, err
	}
	again := fmt.Sprint("@", last) // part of each id
	if p.Records, err = k.records(ctx, w, b, again); err != nil {
		return p, err
	}
	for i := range k.said {
		s := &k.said[i]
		if s.Subject.Kind != broker.Wave {
			continue
		}
		if _, err := b.Publish(ctx, s.Subject, s.ID+again, s.Data); err != nil {
			return p, err
		}
		p.Statements++
	}
	dir, err := w.o.Session(nil).Journals()
	if err != nil {
		return p, err
	}
	for _, local := range slices.Sorted(maps.Keys(k.runs)) {
		notices, _, err := dir.Notices(local, 0)
		if errors.Is(err, fs.ErrNotExist) { // the run did not begin
			continue
		}
		if err != nil {
			return p, err
		}
		for i := range notices {
			if err := w.publishLine(ctx, b, k.runs[local], local, again, &teamqueue.Event{Line: i + 1, Notice: notices[i]}); err != nil {
				return p, err
			}
			p.Lines++
		}
	}
	return p, nil
}

// records publishes the messages of persons, in the order of their numbers.
func (k *Archive) records(ctx context.Context, w *Worker, b *broker.Broker, again string) (n int, err error) {
	of := map[uint64]*broker.Message{}
	for _, m := range k.messages {
		switch {
		case m.Vouched != "": // that site has it
		case m.Kind == broker.Submit, m.Kind == broker.Say:
			of[m.Number] = m.Message
		case m.Kind == broker.Record:
			accepted := func(*sshsig.Signature) (string, error) { return statement.SitePrincipal(m.Site), nil }
			if m, err := teamqueue.OpenRecord(m.Message, accepted); err == nil {
				of[m.Number] = m
			}
		}
	}
	for _, number := range slices.Sorted(maps.Keys(of)) {
		m := of[number]
		body, err := teamqueue.Record(m)
		if err != nil {
			return n, err
		}
		st := statement.Statement{Verb: statement.Recorded, Fabric: m.Fabric, Run: m.Run}
		signed, err := w.signed(ctx, &st, body)
		if err != nil {
			return n, err
		}
		data, err := json.Marshal(signed)
		if err != nil {
			return n, err
		}
		to := broker.Subject{Kind: broker.Record, Fabric: m.Fabric, Site: w.o.Site}
		if _, err := b.Publish(ctx, to, fmt.Sprintf("%s/record/%d%s", w.o.Site, number, again), data); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
