package site

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// book is the folder of a worker. A line that it has written is on the disk. The caller holds the lock of the worker.
type book struct {
	folder   *safefile.Folder
	lock     *os.File
	in, out  *os.File
	messages []*broker.Message // that were read when the book was opened
	said     []saying          // all that the site has said
	cursor   cursor
}

// saying is a statement of the site, or its answer to a question.
type saying struct {
	ID      string          `json:"id"` // of the message
	Subject broker.Subject  `json:"subject"`
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data"`
}

// cursor is the progress of the hub.
type cursor struct {
	Said int             `json:"said"` // sayings
	Runs map[string]*way `json:"runs"` // lines of journals, by the name of the run in the journal
}

// way is how far the hub has a journal.
type way struct {
	Fabric string `json:"fabric"`
	Run    string `json:"run"` // of the team
	Lines  int    `json:"lines"`
}

// diskError is the error for a folder that cannot be written. The worker ends with it: without its record it may begin nothing.
type diskError struct{ err error }

func (e *diskError) Error() string {
	return fmt.Sprintf("the folder of the site cannot be written: %v. The site begins nothing", e.err)
}
func (e *diskError) Unwrap() error { return e.err }

func onDisk(err error) error {
	if err == nil {
		return nil
	}
	return &diskError{err}
}

// ownFolders is how many of the last elements of a path below the state are rocec's own.
const ownFolders = 2

// cursorFile has the cursor.
const cursorFile = "cursor.json"

// The bounds of files, and for how long a message of a run that is over is kept: no plan is valid for longer.
const (
	maxBook   = 4 << 30
	maxCursor = 64 << 20
	keepTime  = 90 * 24 * time.Hour
)

// openBook opens the folder, and makes it.
func openBook(dir string, now time.Time) (_ *book, err error) {
	folder, err := safefile.MakeFolder(dir, ownFolders)
	if err != nil {
		return nil, onDisk(err)
	}
	b := &book{folder: folder, cursor: cursor{Runs: map[string]*way{}}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.lock, err = folder.OpenFile("lock", os.O_CREATE|os.O_RDWR); err != nil {
		return nil, onDisk(err)
	}
	if err := syscall.Flock(int(b.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("another rocecd works for this site in %s", dir)
	} else if err != nil {
		return nil, onDisk(err)
	}
	if text, err := folder.ReadFile(cursorFile, maxCursor); err == nil {
		if err := json.Unmarshal(text, &b.cursor); err != nil {
			return nil, fmt.Errorf("%s in %s: %w", cursorFile, dir, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, onDisk(err)
	}
	if b.cursor.Runs == nil {
		b.cursor.Runs = map[string]*way{}
	}
	if b.in, err = b.open("messages.jsonl", func(line []byte) error {
		m := &broker.Message{}
		if err := json.Unmarshal(line, m); err != nil {
			return err
		}
		if now.Sub(m.At) < keepTime {
			b.messages = append(b.messages, m)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	b.out, err = b.open("outbox.jsonl", func(line []byte) error {
		var s saying
		err := json.Unmarshal(line, &s)
		b.said = append(b.said, s)
		return err
	})
	return b, err
}

// open reads the lines of a file, and returns it for appending. It cuts off a last line that a kill has cut short.
func (b *book) open(name string, use func(line []byte) error) (*os.File, error) {
	f, err := b.folder.OpenFile(name, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, onDisk(err)
	}
	whole := int64(0)
	in := bufio.NewReader(io.LimitReader(f, maxBook))
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		if err := use(bytes.TrimSpace(line)); err != nil {
			return nil, errors.Join(fmt.Errorf("line %d of %s: %w", n, name, err), f.Close())
		}
		whole += int64(len(line))
	}
	if err := f.Truncate(whole); err != nil {
		return nil, errors.Join(onDisk(err), f.Close())
	}
	if _, err := f.Seek(whole, io.SeekStart); err != nil {
		return nil, errors.Join(onDisk(err), f.Close())
	}
	return f, nil
}

// add appends an object as a line, which is on the disk when add returns. After a failure the file has no part of the line.
func add(f *os.File, object any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return onDisk(err)
	}
	if _, err = f.Write(append(text, '\n')); err == nil {
		err = f.Sync()
	}
	if err != nil {
		_, seek := f.Seek(at, io.SeekStart)
		return onDisk(errors.Join(err, f.Truncate(at), seek))
	}
	return nil
}

// keep keeps a verified message.
func (b *book) keep(m *broker.Message) error { return add(b.in, m) }

// speak keeps a statement of the site for the hub.
func (b *book) speak(to broker.Subject, st *statement.Statement, signed *statement.Signed) error {
	data, err := json.Marshal(signed)
	if err != nil {
		return err
	}
	s := saying{ID: st.Nonce, Subject: to, Text: signed.Text, Data: data}
	if err := add(b.out, s); err != nil {
		return err
	}
	b.said = append(b.said, s)
	return nil
}

// sent keeps how much the hub has.
func (b *book) sent() error {
	text, err := json.Marshal(b.cursor)
	if err != nil {
		return err
	}
	return onDisk(b.folder.WriteFile(cursorFile, append(text, '\n')))
}

func (b *book) close() {
	if b.lock != nil { // a process that is just being forked still has the descriptor
		_ = syscall.Flock(int(b.lock.Fd()), syscall.LOCK_UN)
	}
	for _, f := range []*os.File{b.in, b.out, b.lock} {
		if f != nil {
			f.Close() //nolint:errcheck // every line is on the disk already
		}
	}
	b.folder.Close() //nolint:errcheck // as above
}
