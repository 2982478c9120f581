// Package journal keeps a [Log] of each run, on the machine that led it: who changed what, when and why, what was about to be done when
// the run died, and the content of files from before. It serves people, and runs that continue another; the state of a device is read
// from the device.
//
// It contains no command. It keeps the names of steps, queries and checkers, from which rocec makes them again, and for a hook a hash
// of the command that the person named. A journal of an earlier rocec, which kept commands, is read as a history alone
// ([Header.Older]).
//
// A run is a file of JSON lines (0600), <run>.jsonl. It contains one [Header], a [Line] before and after every verb, one [Outcome] for
// each device, and a last line when the run has ended. The line before a verb is on the disk before the verb starts. Next to the file,
// the folder <run>/before/<device>/ keeps the content of files from before the run, under their whole paths. The file is locked while
// its run goes on: the lock distinguishes a live run from a dead one. Files and folders that another user could have written are
// refused: see package safefile.
package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Format is the version of the header: since 2 it holds no commands.
const Format = 2

// Header is the first line of a run.
type Header struct {
	Format   int       `json:"format,omitempty"` // set as it is written
	Run      string    `json:"run"`
	Key      string    `json:"key"`                 // that tells it from another run of the same name, on the devices too
	Owner    string    `json:"owner"`               // "alice@ws7, process 4711"
	Host     string    `json:"host"`                // the machine
	PID      int       `json:"pid"`                 // the process
	Began    time.Time `json:"began"`               // UTC
	Tool     string    `json:"tool"`                // version of rocec
	Message  string    `json:"message,omitempty"`   // why, from -m
	Commit   string    `json:"commit,omitempty"`    // of the repository the fabric lies in; "+" at its end: with changes
	Fabric   string    `json:"fabric"`              // the fabric's folder, absolute
	Name     string    `json:"name"`                // of the fabric
	Vars     []string  `json:"vars,omitempty"`      // of --var
	VarFiles []string  `json:"var_files,omitempty"` // of --var-file, absolute
	Targets  []string  `json:"targets,omitempty"`   // of --target
	Lab      string    `json:"lab,omitempty"`       // the lab's folder, if it was a rehearsal
	Undoes   string    `json:"undoes,omitempty"`    // of a rollback: the run it goes back from
	Hold     string    `json:"hold,omitempty"`      // of --confirm: how long it waits to be confirmed
	Hooks    *Hooks    `json:"hook_sums,omitempty"` // of --drain and --undrain
	Devices  []Device  `json:"devices"`             // those that change
	Left     []Left    `json:"left,omitempty"`      // devices of the plan that stayed as they were
	Removes  []string  `json:"removes,omitempty"`   // of remove: the hosts that are to hold nothing any more
	Steps    []Made    `json:"steps"`               // that put files to use, each once
	Queries  []Made    `json:"queries,omitempty"`   // that read live states, each once
	Checks   []Made    `json:"checkers,omitempty"`  // the vendor's checkers of files, each once

	Adopted *Adoption `json:"adopted,omitempty"` // its devices told what is here: others started the run, or an earlier rocec
}

// Adoption is how a run that another machine or user started came into this journal.
type Adoption struct {
	By      string    `json:"by"`                // who took it up, "bob@ws2, process 12"
	At      time.Time `json:"at"`                // UTC
	Unasked []Left    `json:"unasked,omitempty"` // devices of which it is not known whether they hold the run
	Devices []string  `json:"devices,omitempty"` // all that the run is for; none: they do not tell
	Absent  []string  `json:"absent,omitempty"`  // devices of the run that hold nothing of it
	Hooks   bool      `json:"hooks,omitempty"`   // it had programs that take traffic off devices and put it back
}

// Device is one device a run changes, with all that is needed to reach it and to go on or back without its fabric.
type Device struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	About   string `json:"about"`
	At      Place  `json:"at"` // the line that declares it
	Login   Login  `json:"login"`
	Wave    int    `json:"wave,omitempty"`   // from 1
	Changes []File `json:"changes"`          // in the order they are written
	States  []File `json:"states,omitempty"` // live states that its steps may change

	// These are of a run that another machine started.
	Key    string `json:"key,omitempty"`    // of run and device; empty: it follows from the key of the run
	Tool   string `json:"tool,omitempty"`   // version of rocec that the run noted on the device
	Intent string `json:"intent,omitempty"` // what the device was meant to do, as a hash
	Holds  string `json:"holds,omitempty"`  // what it was to hold, as a hash
	Digest string `json:"digest,omitempty"` // what the run does there, as a hash that the device told
	Told   bool   `json:"-"`                // it is as the device has just told it
}

// Left is a device that was to change and stayed as it was.
type Left struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Place is where a device is declared.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Login is how a device is reached; empty members are left to ~/.ssh/config.
type Login struct {
	Address string `json:"address,omitempty"`
	Port    int    `json:"port,omitempty"`
	User    string `json:"user,omitempty"`
	Jump    string `json:"jump,omitempty"`
	HostKey string `json:"host_key,omitempty"`

	Transport string `json:"transport,omitempty"`
}

// File is one file or live state: its SHA-256 before and after, or "absent".
type File struct {
	Path   string `json:"path"`
	Query  *int   `json:"query,omitempty"` // of a live state: the number of the query that reads it
	Check  *int   `json:"check,omitempty"` // the number of the vendor's checker of it; absent: there is none
	Mode   uint32 `json:"mode,omitempty"`
	Base   string `json:"base,omitempty"`
	Target string `json:"target,omitempty"`
	Step   int    `json:"step"`           // the number of the step that puts it to use
	Lost   string `json:"lost,omitempty"` // why this machine cannot put back what was there before; empty: it can
}

// Made is a step, a query or a checker: its name, and the SHA-256 of its commands as the rocec that wrote the journal made them.
type Made struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Older reports whether an earlier rocec wrote the header: that one kept commands, which rocec does not run.
func (h *Header) Older() bool { return h.Format < Format }

// Newer reports whether a later rocec wrote the header: what it means may be another thing than this one reads.
func (h *Header) Newer() bool { return h.Format > Format }

// Line is a verb that is about to be done to a device, or was.
type Line struct {
	Time   time.Time `json:"time"`
	Device string    `json:"device"`
	Verb   string    `json:"verb"`
	Done   bool      `json:"done,omitempty"`
	Result string    `json:"result,omitempty"` // ok, refused, lost, dead
	Mark   string    `json:"mark,omitempty"`   // how far the run came there
	Detail string    `json:"detail,omitempty"`
}

// Hooks are the programs that take traffic off the devices of a wave and put it back, each as a SHA-256 of its arguments ([HookSum]). To
// run one again the person names it again.
type Hooks struct {
	Drain   string `json:"drain,omitempty"` // empty: there is none
	Undrain string `json:"undrain,omitempty"`
}

// HookSum returns the SHA-256 of a program and its arguments; empty without a program.
func HookSum(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return sum([]byte(strings.Join(argv, "\x00")))
}

// Hook is a hook that is about to run for a wave, or did.
type Hook struct {
	Time   time.Time `json:"time"`
	Hook   string    `json:"hook"` // drain, undrain
	Wave   int       `json:"wave"` // from 1
	Done   bool      `json:"done,omitempty"`
	Detail string    `json:"detail,omitempty"` // why it failed
}

// Outcome is what became of a device.
type Outcome struct {
	Time    time.Time       `json:"time"`
	Device  string          `json:"device"`
	Outcome string          `json:"outcome"`
	Detail  string          `json:"detail,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

// entry is a line of the file: exactly one of its members is set.
type entry struct {
	Begin   *Header    `json:"begin,omitempty"`
	Adopt   *Header    `json:"adopt,omitempty"` // what devices told later, in the place of the first line
	Line    *Line      `json:"line,omitempty"`
	Hook    *Hook      `json:"hook,omitempty"`
	Outcome *Outcome   `json:"outcome,omitempty"`
	End     *time.Time `json:"end,omitempty"`
}

// Dir is the folder of all runs.
type Dir struct{ path string }

// ownFolders is how many of the last elements of the folder's path are rocec's own: the state folder, and the one of runs.
const ownFolders = 2

// Open names the folder, which need not be there yet. The folder above it is rocec's own, too.
func Open(path string) *Dir { return &Dir{path: path} }

// Path is the folder.
func (d *Dir) Path() string { return d.path }

// Run is a run under way. Its methods may be called at the same time.
type Run struct {
	file   *os.File
	folder *safefile.Folder // of all runs
	run    string
	now    func() time.Time

	mu      sync.Mutex
	err     error // the first; nothing is written after it
	written int   // lines

	flushing sync.Mutex
	flushed  int // lines that are on the disk
}

// fileOf is the file of a run in the folder of all runs.
func fileOf(run string) string { return run + ".jsonl" }

// Begin starts the journal of a run. It refuses a name that is there already.
func (d *Dir) Begin(h Header, now func() time.Time) (*Run, error) {
	folder, err := safefile.MakeFolder(d.path, ownFolders)
	if err != nil {
		return nil, err
	}
	f, err := folder.OpenFile(fileOf(h.Run), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	h.Format = Format
	r := &Run{file: f, folder: folder, run: h.Run, now: now}
	if err := errors.Join(lock(f), r.write(entry{Begin: &h}, true), folder.Sync(".")); err != nil {
		return nil, errors.Join(err, folder.Remove(fileOf(h.Run)), r.Close())
	}
	return r, nil
}

// Reopen goes on with the journal of a run that died. It fails with [ErrAlive] while the run goes on elsewhere.
func (d *Dir) Reopen(run string, now func() time.Time) (*Run, error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if err != nil {
		return nil, err
	}
	f, err := folder.OpenFile(fileOf(run), os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	r := &Run{file: f, folder: folder, run: run, now: now}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if _, err := f.WriteString("\n"); err != nil { // after a line that was cut off
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// write appends a line; flush makes sure it is on the disk.
func (r *Run) write(e entry, flush bool) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line, err := r.append(append(text, '\n'))
	if err != nil || !flush {
		return err
	}
	return r.flush(line)
}

// append writes a line, and returns its number.
func (r *Run) append(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	writing(r.file, text)
	_, r.err = r.file.Write(text)
	r.written++
	return r.written, r.err
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

// Intent writes that a verb is about to be done to a device. When it returns without error, the line is on the disk.
func (r *Run) Intent(device, verb string) error {
	return r.write(entry{Line: &Line{Time: r.now().UTC(), Device: device, Verb: verb}}, true)
}

// Adopt writes what the devices of a run told that another machine started, or an earlier rocec here: it takes the place of the first line.
func (r *Run) Adopt(h Header) error {
	h.Format = Format
	return r.write(entry{Adopt: &h}, true)
}

// Result writes the outcome of a verb. It is on the disk with the next line that is flushed: the state of a device is read from the
// device.
func (r *Run) Result(l Line) error {
	l.Time, l.Done = r.now().UTC(), true
	return r.write(entry{Line: &l}, false)
}

// Hook writes that a hook is about to run, on the disk when it returns, or that it did.
func (r *Run) Hook(h Hook) error {
	h.Time = r.now().UTC()
	return r.write(entry{Hook: &h}, !h.Done)
}

// Outcome writes what became of a device. It is on the disk with the next line that is flushed, as a Result is.
func (r *Run) Outcome(o Outcome) error {
	o.Time = r.now().UTC()
	return r.write(entry{Outcome: &o}, false)
}

// Finish ends the journal of a run that has ended. Its error is the first of all.
func (r *Run) Finish() error {
	at := r.now().UTC()
	return errors.Join(r.write(entry{End: &at}, true), r.Close())
}

// Close leaves the journal without its end, as a run that is cut off does.
func (r *Run) Close() error {
	unlock(r.file)
	return errors.Join(r.file.Close(), r.folder.Close())
}

// Abandon takes the journal of a run away that has not begun.
func (r *Run) Abandon() error {
	return errors.Join(r.folder.Remove(fileOf(r.run)), r.folder.RemoveAll(r.run), r.Close())
}

// KeepBefore keeps contents of files, and texts of live states, from before the run: each once, under its SHA-256. When it returns
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

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

// Log is a run as its journal tells it.
type Log struct {
	Header
	Lines    []Line
	Ran      []Hook             // hooks, as they began and ended
	Outcomes map[string]Outcome // by device: the last one, or the first that is closed
	Ended    *time.Time         // nil: it has not ended
	Alive    bool               // its process still goes on
	Damaged  int                // lines that could not be read: cut off, or changed by hand
}

// Bounds of reading: of a journal, and of a content beside it. No device has a file or a live state as large.
const (
	maxLog    = 256 << 20
	maxBefore = 64 << 20
)

// Read reads the journal of a run. Lines that make no sense are counted and passed over; without a first line there is an error.
func (d *Dir) Read(run string) (*Log, error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return read(folder, run)
}

func read(folder *safefile.Folder, run string) (*Log, error) {
	f, err := folder.Open(fileOf(run))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l := &Log{Outcomes: map[string]Outcome{}, Alive: locked(f)}
	in := bufio.NewReader(io.LimitReader(f, maxLog))
	for {
		text, err := in.ReadBytes('\n')
		if text = bytes.TrimSpace(text); len(text) > 0 {
			l.add(text)
		}
		if err != nil {
			break
		}
	}
	if l.Run != run || !deploy.ValidRun(run) { // a name becomes a path, and a word of messages and commands
		return nil, fmt.Errorf("%s does not begin as a journal does", f.Name())
	}
	return l, nil
}

func (l *Log) add(text []byte) {
	var e entry
	switch err := json.Unmarshal(text, &e); {
	case err != nil:
		l.Damaged++
	case e.Begin != nil && l.Run == "":
		l.Header = *e.Begin
	case e.Adopt != nil && (l.Adopted != nil || l.Older()) && e.Adopt.Run == l.Run:
		l.Header = *e.Adopt
	case e.Line != nil:
		l.Lines = append(l.Lines, *e.Line)
		if !closed(l.Outcomes[e.Line.Device].Outcome) {
			delete(l.Outcomes, e.Line.Device) // the run was gone on with, there
		}
		l.Ended = nil
	case e.Hook != nil:
		l.Ran = append(l.Ran, *e.Hook)
		l.Ended = nil
	case e.Outcome != nil:
		if was := l.Outcomes[e.Outcome.Device].Outcome; !closed(was) || was == e.Outcome.Outcome {
			l.Outcomes[e.Outcome.Device] = *e.Outcome
		}
		l.Ended = nil
	case e.End != nil:
		l.Ended = e.End
	default:
		l.Damaged++
	}
}

// closed reports whether an outcome is the last word on a device. What is asked later, when other runs may have changed the device,
// does not rewrite the history.
func closed(outcome string) bool {
	switch outcome {
	case "", "unknown", "unconfirmed":
		return false
	}
	return true
}

// Unreadable is a journal that is not used, and why.
type Unreadable struct {
	Name string // of the file
	Err  error
}

// Refused returns the error by which owner, mode or a link refuses the journal; nil: it is damaged.
func (u *Unreadable) Refused() error {
	if r, ok := errors.AsType[*safefile.Refused](u.Err); ok {
		return r
	}
	return nil
}

// Runs reads every journal, the newest first. Those that cannot be read are named.
func (d *Dir) Runs() (runs []*Log, unreadable []Unreadable, err error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	files, err := folder.ReadDir()
	for _, f := range slices.Backward(files) {
		run, ok := strings.CutSuffix(f.Name(), ".jsonl")
		if !ok || f.IsDir() {
			continue
		}
		l, err := read(folder, run)
		if err != nil {
			unreadable = append(unreadable, Unreadable{f.Name(), err})
			continue
		}
		runs = append(runs, l)
	}
	slices.SortStableFunc(runs, func(a, b *Log) int { return b.Began.Compare(a.Began) }) // their names tell seconds
	return runs, unreadable, err
}

// Before gives a content from before a run, by its SHA-256. It is an error where that is not there, or is another one by now.
func (d *Dir) Before(run, hash string) ([]byte, error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	name := path.Join(run, "before", hash)
	if path.Base(name) != hash {
		return nil, fmt.Errorf("%q is not a hash", hash)
	}
	content, err := folder.ReadFile(name, maxBefore)
	if errors.Is(err, fs.ErrNotExist) { // a person has copied the journal alone
		return nil, fmt.Errorf("%s is not there. The journal names it, and it is kept beside the journal: copy the folder %s from the machine "+
			"that has the whole run into %s", diag.Escape(filepath.Join(run, "before", hash)), diag.Escape(run), diag.Escape(d.path))
	}
	if err == nil && sum(content) != hash {
		err = fmt.Errorf("%s is not what the run kept", filepath.Join(d.path, run, "before", hash))
	}
	return content, err
}

// Drained gives the waves whose traffic a hook has taken off, or may have, and none has put back.
func (l *Log) Drained() []int {
	open := map[int]bool{}
	for _, h := range l.Ran {
		open[h.Wave] = h.Hook == "drain" || !h.Done || h.Detail != ""
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(open)), func(wave int) bool { return !open[wave] })
}
