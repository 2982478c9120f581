// Package journal keeps a [Log] of each run, on the machine that started it: who changed what, when and why, the step under way when a
// run died, and the content of files from before. People read it, and commands that continue a run; the state of a device is read from
// the device.
//
// It contains no commands. It keeps the names of steps, queries and checkers, from which rocec derives their commands again, and a hash
// of the command of a hook. A journal of an earlier rocec contains commands: it is read only as a history ([Header.Older]).
//
// A run is a file of JSON lines (0600), <run>.jsonl. It contains one [Header], a [Line] before and after every verb, one [Outcome] for
// each device, and a last line when the run has ended. The line before a verb is on the disk before the verb starts. The lines are a chain
// ([Proof]). Next to the file, the folder <run>/before/<device>/ keeps the content of files from before the run, under their whole paths.
// The file is locked while its run goes on: the lock distinguishes a live run from a dead one. Rocec refuses files and folders that another
// user could have written: see package safefile.
package journal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/chain"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Run is a run under way. Its methods are safe for concurrent use.
type Run struct {
	file   *os.File
	folder *safefile.Folder // the folder of all runs
	run    string
	now    func() time.Time
	listen func(Notice)

	mu      sync.Mutex
	err     error // the first error; nothing is written after it
	written int   // lines
	chain   chain.Chain

	flushing sync.Mutex
	flushed  int // lines that are on the disk
}

// Begin starts the journal of a run. It refuses the name of an existing run.
func (d *Dir) Begin(h Header, now func() time.Time) (*Run, error) {
	folder, err := safefile.MakeFolder(d.path, ownFolders)
	if err != nil {
		return nil, err
	}
	f, err := folder.OpenFile(fileOf(h.Run), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	h.Format, h.Prior = Format, prior(folder, h.Run)
	r := &Run{file: f, folder: folder, run: h.Run, now: now, listen: d.Listen}
	err = lock(f)
	if err == nil {
		_, err = r.write(entry{Begin: &h}, true)
	}
	if err := errors.Join(err, folder.Sync(".")); err != nil {
		return nil, errors.Join(err, folder.Remove(fileOf(h.Run)), r.Close())
	}
	return r, nil
}

// Reopen continues the journal of a run that died. It fails with [ErrAlive] while the process of the run is running.
func (d *Dir) Reopen(run string, now func() time.Time) (*Run, error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if err != nil {
		return nil, err
	}
	f, err := folder.OpenFile(fileOf(run), os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	r := &Run{file: f, folder: folder, run: run, now: now, listen: d.Listen}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if _, err := f.WriteString("\n"); err != nil { // after a line that was cut off
		return nil, errors.Join(err, r.Close())
	}
	lines, err := linesOf(folder, run)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.chain.Head = headOf(lines)
	return r, nil
}

// write appends a line, and returns the head of the journal: the SHA-256 of the line. With flush, it returns when the line is on the disk.
func (r *Run) write(e entry, flush bool) (head string, err error) {
	object, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	number, head, err := r.append(&e, object)
	if err == nil && flush {
		err = r.flush(number)
	}
	return head, err
}

// append writes the line of an entry, whose object is given, and returns its number and its SHA-256.
func (r *Run) append(e *entry, object []byte) (number int, head string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, "", r.err
	}
	after := r.chain.Head
	text := append(r.chain.Add(object, e.End != nil), '\n')
	writing(r.file, text)
	_, r.err = r.file.Write(text)
	r.written++
	if r.listen != nil && r.err == nil {
		n := noticeOf(e, r.now)
		n.Run, n.Head, n.After = r.run, r.chain.Head, after
		r.listen(n)
	}
	return r.written, r.chain.Head, r.err
}

// flush returns when a line is on the disk. It is a group commit: one write to the disk covers all lines that were written while the
// disk was busy.
func (r *Run) flush(line int) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	r.mu.Lock()
	written, err := r.written, r.err
	r.mu.Unlock()
	if err != nil || r.flushed >= line {
		return err
	}
	if err := r.file.Sync(); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.err = errors.Join(r.err, err)
		return r.err
	}
	r.flushed = written
	return nil
}

// Intent writes that a verb is about to start on a device, and returns the head of the journal. When it returns without error, the line
// is on the disk.
func (r *Run) Intent(device, verb string) (head string, err error) {
	return r.write(entry{Line: &Line{Time: r.now().UTC(), Device: device, Verb: verb}}, true)
}

// Adopt writes a header that replaces the first line. It is made from the reports of devices, for a run of another machine or an earlier
// rocec.
func (r *Run) Adopt(h Header) error {
	h.Format = Format
	_, err := r.write(entry{Adopt: &h}, true)
	return err
}

// Result writes the outcome of a verb. It is on the disk with the next line that is flushed: the state of a device is read from the
// device.
func (r *Run) Result(l Line) error {
	l.Time, l.Done = r.now().UTC(), true
	_, err := r.write(entry{Line: &l}, false)
	return err
}

// Hook writes that a hook is about to run, or has run. A line about the start is on the disk when Hook returns.
func (r *Run) Hook(h Hook) error {
	h.Time = r.now().UTC()
	_, err := r.write(entry{Hook: &h}, !h.Done)
	return err
}

// Outcome writes the outcome of a device. Like a Result, it is on the disk with the next line that is flushed.
func (r *Run) Outcome(o Outcome) error {
	o.Time = r.now().UTC()
	_, err := r.write(entry{Outcome: &o}, false)
	return err
}

// Finish ends the journal of a run that has ended, with a signature of its head if sign is not nil. It returns the first error.
func (r *Run) Finish(sign func(statement []byte) (armored []byte, err error)) error {
	at := r.now().UTC()
	head, err := r.write(entry{End: &at}, true)
	if err == nil && sign != nil {
		var armored []byte
		if armored, err = sign(Head{r.run, head}.Statement()); err == nil {
			_, err = r.write(entry{Signed: &Signed{Signature: string(armored)}}, true)
		}
	}
	return errors.Join(err, r.Close())
}

// Close closes the journal without its last line, as if the run had died.
func (r *Run) Close() error {
	unlock(r.file)
	return errors.Join(r.file.Close(), r.folder.Close())
}

// Abandon deletes the journal of a run that has not begun.
func (r *Run) Abandon() error {
	return errors.Join(r.folder.Remove(fileOf(r.run)), r.folder.RemoveAll(r.run), r.Close())
}

// KeepBefore keeps contents of files, and texts of live states, from before the run, each once, under its SHA-256. When it returns
// without error, they are on the disk.
func (r *Run) KeepBefore(contents [][]byte) error {
	if len(contents) == 0 {
		return nil
	}
	dir := path.Join(r.run, "before")
	if err := r.folder.MakeFolder(dir); err != nil {
		return err
	}
	for _, content := range contents {
		if err := r.keep(path.Join(dir, sum(content)), content); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return errors.Join(r.folder.Sync(dir), r.folder.Sync(r.run), r.folder.Sync("."))
}

func (r *Run) keep(name string, content []byte) error {
	f, err := r.folder.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if err != nil {
		return err
	}
	writing(f, content)
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
