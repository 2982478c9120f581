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
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// book is the folder of a worker. A line that it has written is on the disk. The caller holds the lock of the worker.
type book struct {
	folder   *safefile.Folder
	lock     *os.File
	in, out  *os.File
	messages []teamqueue.Accepted // that were read when the book was opened
	said     []saying             // what the site has said
	cursor   cursor
	size     int64 // of the outbox when it was shortened
}

// saying is a statement of the site, or its answer to a question.
type saying struct {
	ID      string          `json:"id"` // of the message
	Subject broker.Subject  `json:"subject"`
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data"` // empty in memory when the hub has it
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

// The files with the messages that the site has verified, and with its own ones.
const (
	inFile  = "messages.jsonl"
	outFile = "outbox.jsonl"
)

// The bounds of files, and for how long lines are kept: no plan is valid for longer than keepTime, and no question for answerTime.
const (
	maxBook    = 4 << 30
	maxCursor  = 64 << 20
	keepTime   = 90 * 24 * time.Hour
	answerTime = time.Hour
	mostGrowth = 1 << 20 // bytes of the outbox until it is shortened again
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
	return b, errors.Join(b.openIn(now), b.openOut(now))
}

// openIn opens the file with the messages, and leaves the old ones out. The last one stays: it has the number that the site has seen.
func (b *book) openIn(now time.Time) (err error) {
	old := map[int]bool{}
	all := 0
	b.in, err = b.open(inFile, func(line []byte) error {
		m := teamqueue.Accepted{}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if n := len(b.messages); n > 0 && now.Sub(b.messages[n-1].At) >= keepTime {
			b.messages = b.messages[:n-1]
			old[all-1] = true
		}
		all++
		b.messages = append(b.messages, m)
		return nil
	})
	if err != nil || len(old) == 0 {
		return err
	}
	b.in, err = b.replace(b.in, inFile, func(n int) bool { return !old[n] })
	return err
}

// openOut opens the file with the sayings.
func (b *book) openOut(now time.Time) (err error) {
	b.out, err = b.open(outFile, func(line []byte) error {
		var s saying
		err := json.Unmarshal(line, &s)
		b.said = append(b.said, s)
		return err
	})
	if err != nil {
		return err
	}
	for i := range min(b.cursor.Said, len(b.said)) {
		b.said[i].Data = nil
	}
	return b.shorten(now)
}

// shorten leaves out old statements, and answers to questions that are over, where the hub has them. The cursor comes first: a site that is
// killed in between sends lines again, which the hub has.
func (b *book) shorten(now time.Time) error {
	var kept []saying
	needed := make([]bool, len(b.said))
	sent := 0
	for i := range b.said {
		if needed[i] = i >= b.cursor.Said || b.said[i].needed(now); needed[i] {
			kept = append(kept, b.said[i])
		} else {
			sent++
		}
	}
	if sent > 0 {
		b.cursor.Said -= sent
		if err := b.sent(); err != nil {
			return err
		}
		var err error
		if b.out, err = b.replace(b.out, outFile, func(n int) bool { return needed[n] }); err != nil {
			return err
		}
		b.said = kept
	}
	info, err := b.out.Stat()
	if err == nil {
		b.size = info.Size()
	}
	return onDisk(err)
}

// needed reports whether the site needs a saying that the hub has.
func (s *saying) needed(now time.Time) bool {
	st, err := statement.Parse([]byte(s.Text))
	if err != nil {
		return false
	}
	if st.Verb == statement.Share {
		return now.Sub(st.At) < answerTime
	}
	return now.Sub(st.At) < keepTime
}

// grown reports whether the outbox has grown so much that shorten is worth its time.
func (b *book) grown() bool {
	info, err := b.out.Stat()
	return err == nil && b.cursor.Said == len(b.said) && info.Size() > 2*b.size+mostGrowth
}

// replace writes a file again with the lines that are needed, and returns it for appending. It closes f.
func (b *book) replace(f *os.File, name string, needed func(n int) bool) (*os.File, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return f, onDisk(err)
	}
	var text bytes.Buffer
	n := 0
	if _, err := eachLine(f, func(line []byte) error {
		if needed(n) {
			text.Write(line)
			text.WriteByte('\n')
		}
		n++
		return nil
	}); err != nil {
		return f, err
	}
	if err := b.folder.WriteFile(name, text.Bytes()); err != nil {
		return f, onDisk(err)
	}
	f.Close() //nolint:errcheck // every line is on the disk already
	return b.open(name, func([]byte) error { return nil })
}

// open reads the lines of a file, and returns it for appending. It cuts off a last line that a kill has cut short.
func (b *book) open(name string, use func(line []byte) error) (*os.File, error) {
	f, err := b.folder.OpenFile(name, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, onDisk(err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, errors.Join(onDisk(err), f.Close())
	case info.Size() > maxBook:
		return nil, errors.Join(fmt.Errorf("%s has %d bytes, which is more than %d GiB", name, info.Size(), maxBook>>30), f.Close())
	}
	whole, err := eachLine(f, use)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	if err := f.Truncate(whole); err != nil {
		return nil, errors.Join(onDisk(err), f.Close())
	}
	if _, err := f.Seek(whole, io.SeekStart); err != nil {
		return nil, errors.Join(onDisk(err), f.Close())
	}
	return f, nil
}

// eachLine uses each whole line of a file, and returns their bytes.
func eachLine(f io.Reader, use func(line []byte) error) (whole int64, err error) {
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return whole, nil
		case err != nil:
			return whole, onDisk(err)
		}
		if err := use(bytes.TrimSpace(line)); err != nil {
			return whole, fmt.Errorf("line %d: %w", n, err)
		}
		whole += int64(len(line))
	}
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

// keep keeps verified messages with their authors.
func (b *book) keep(messages []teamqueue.Accepted) (err error) {
	for i := 0; i < len(messages) && err == nil; i++ {
		err = add(b.in, &messages[i])
	}
	return err
}

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
