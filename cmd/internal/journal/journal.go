// Package journal keeps a [Log] of each run, on the machine that started it: who changed what, when and why, the step under way when a
// run died, and the content of files from before. People read it, and commands that continue a run; the state of a device is read from
// the device.
//
// It contains no commands. It keeps the names of steps, queries and checkers, from which rocec derives their commands again, and a hash
// of the command of a hook. A journal of an earlier rocec contains commands: it is read only as a history ([Header.Older]).
//
// A run is a file of JSON lines (0600), <run>.jsonl. It contains one [Header], a [Line] before and after every verb, one [Outcome] for
// each device, and a last line when the run has ended. The line before a verb is on the disk before the verb starts. Next to the file,
// the folder <run>/before/<device>/ keeps the content of files from before the run, under their full paths. The file is locked while its
// run goes on: the lock distinguishes a live run from a dead one. Rocec refuses files and folders that another user could have written:
// see package safefile.
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

// Format is the version of the header. Since version 2 it contains no commands.
const Format = 2

// Header is the first line of a run.
type Header struct {
	Format   int       `json:"format,omitempty"` // set when the header is written
	Run      string    `json:"run"`
	Key      string    `json:"key"`                 // distinguishes runs with the same name, also on devices
	Owner    string    `json:"owner"`               // "alice@ws7, process 4711"
	Host     string    `json:"host"`                // the machine
	PID      int       `json:"pid"`                 // the process
	Began    time.Time `json:"began"`               // UTC
	Tool     string    `json:"tool"`                // version of rocec
	Message  string    `json:"message,omitempty"`   // reason, from -m
	Commit   string    `json:"commit,omitempty"`    // of the fabric's repository; "+" at the end: with uncommitted changes
	Fabric   string    `json:"fabric"`              // the fabric's folder, absolute
	Name     string    `json:"name"`                // of the fabric
	Vars     []string  `json:"vars,omitempty"`      // of --var
	VarFiles []string  `json:"var_files,omitempty"` // of --var-file, absolute
	Targets  []string  `json:"targets,omitempty"`   // of --target
	Lab      string    `json:"lab,omitempty"`       // the lab's folder, if it was a rehearsal
	Undoes   string    `json:"undoes,omitempty"`    // of a rollback: the run that it undoes
	Hold     string    `json:"hold,omitempty"`      // of --confirm: how long devices wait to be confirmed
	Hooks    *Hooks    `json:"hook_sums,omitempty"` // of --drain and --undrain
	Devices  []Device  `json:"devices"`             // devices that change
	Left     []Left    `json:"left,omitempty"`      // devices of the plan that were not changed
	Removes  []string  `json:"removes,omitempty"`   // of --remove: the hosts that are set back
	Steps    []Made    `json:"steps"`               // that activate files, each once
	Queries  []Made    `json:"queries,omitempty"`   // that read live states, each once
	Checks   []Made    `json:"checkers,omitempty"`  // the vendor's checkers of files, each once

	Adopted *Adoption `json:"adopted,omitempty"` // the content is from its devices: the run is from another machine, user or rocec
}

// Adoption states how a run that another machine or user started came into this journal.
type Adoption struct {
	By      string    `json:"by"`                // who adopted it, "bob@ws2, process 12"
	At      time.Time `json:"at"`                // UTC
	Unasked []Left    `json:"unasked,omitempty"` // devices that may have the run, but could not be asked
	Devices []string  `json:"devices,omitempty"` // all devices of the run; empty: unknown
	Absent  []string  `json:"absent,omitempty"`  // devices of the run without a trace of it
	Hooks   bool      `json:"hooks,omitempty"`   // the run had --drain or --undrain
}

// Device is one device that a run changes, with all data to reach it and to resume or undo the run without the fabric.
type Device struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	About   string `json:"about"`
	At      Place  `json:"at"` // the line that declares it
	Login   Login  `json:"login"`
	Wave    int    `json:"wave,omitempty"`   // from 1
	Changes []File `json:"changes"`          // in the order of writing
	States  []File `json:"states,omitempty"` // live states that its steps may change

	// These are set for a run that another machine started.
	Key    string `json:"key,omitempty"`    // of run and device; empty: derived from the key of the run
	Tool   string `json:"tool,omitempty"`   // version of rocec that the run recorded on the device
	Intent string `json:"intent,omitempty"` // hash of the intent of the device
	Holds  string `json:"holds,omitempty"`  // hash of the wanted content
	Digest string `json:"digest,omitempty"` // hash of the steps there, as the device reports it
	Told   bool   `json:"-"`                // the device has just reported this
}

// Left is a device that should change but was not changed.
type Left struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Place is the place where a device is declared.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Login contains the SSH parameters of a device; ~/.ssh/config decides about empty members.
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
	Query  *int   `json:"query,omitempty"` // the number of the query that reads a live state
	Check  *int   `json:"check,omitempty"` // the number of the vendor's checker; absent: none
	Mode   uint32 `json:"mode,omitempty"`
	Base   string `json:"base,omitempty"`
	Target string `json:"target,omitempty"`
	Step   int    `json:"step"`           // the number of the step that activates it
	Lost   string `json:"lost,omitempty"` // why this machine cannot restore it; empty: it can
}

// Made is a step, a query or a checker: its name, and the SHA-256 of its commands in the rocec that wrote the journal.
type Made struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Older reports whether an earlier rocec wrote the header. It kept commands, which rocec does not run.
func (h *Header) Older() bool { return h.Format < Format }

// Newer reports whether a later rocec wrote the header, whose meaning may have changed.
func (h *Header) Newer() bool { return h.Format > Format }

// Line records a verb on a device: before it starts, or with Done after it has ended.
type Line struct {
	Time   time.Time `json:"time"`
	Device string    `json:"device"`
	Verb   string    `json:"verb"`
	Done   bool      `json:"done,omitempty"`
	Result string    `json:"result,omitempty"` // ok, refused, lost, dead
	Mark   string    `json:"mark,omitempty"`   // how far the run came on the device
	Detail string    `json:"detail,omitempty"`
}

// Hooks contains the SHA-256 of the --drain and --undrain programs with their arguments ([HookSum]). To run a program again, the person
// must name it again.
type Hooks struct {
	Drain   string `json:"drain,omitempty"` // empty: none
	Undrain string `json:"undrain,omitempty"`
}

// HookSum returns the SHA-256 of a program and its arguments; empty without a program.
func HookSum(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return sum([]byte(strings.Join(argv, "\x00")))
}

// Hook records a hook for a wave: before it runs, or with Done after it has run.
type Hook struct {
	Time   time.Time `json:"time"`
	Hook   string    `json:"hook"` // drain, undrain
	Wave   int       `json:"wave"` // from 1
	Done   bool      `json:"done,omitempty"`
	Detail string    `json:"detail,omitempty"` // error; empty: success
}

// Outcome is the outcome of a run on a device.
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
	Adopt   *Header    `json:"adopt,omitempty"` // replaces the first line by reports of devices
	Line    *Line      `json:"line,omitempty"`
	Hook    *Hook      `json:"hook,omitempty"`
	Outcome *Outcome   `json:"outcome,omitempty"`
	End     *time.Time `json:"end,omitempty"`
}

// Dir is the folder of all runs.
type Dir struct{ path string }

// ownFolders is the number of last elements in the folder's path that rocec creates: the state folder, and the folder of runs.
const ownFolders = 2

// Open returns the folder of runs, which need not exist. Rocec also creates the folder above it.
func Open(path string) *Dir { return &Dir{path: path} }

// Path returns the path of the folder.
func (d *Dir) Path() string { return d.path }

// Run is a run under way. Its methods are safe for concurrent use.
type Run struct {
	file   *os.File
	folder *safefile.Folder // the folder of all runs
	run    string
	now    func() time.Time

	mu      sync.Mutex
	err     error // the first error; nothing is written after it
	written int   // lines

	flushing sync.Mutex
	flushed  int // lines that are on the disk
}

// fileOf returns the name of the file of a run.
func fileOf(run string) string { return run + ".jsonl" }

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
	h.Format = Format
	r := &Run{file: f, folder: folder, run: h.Run, now: now}
	if err := errors.Join(lock(f), r.write(entry{Begin: &h}, true), folder.Sync(".")); err != nil {
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
	r := &Run{file: f, folder: folder, run: run, now: now}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if _, err := f.WriteString("\n"); err != nil { // after a line that was cut off
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// write appends a line; with flush, it returns when the line is on the disk.
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

// Intent writes that a verb is about to start on a device. When it returns without error, the line is on the disk.
func (r *Run) Intent(device, verb string) error {
	return r.write(entry{Line: &Line{Time: r.now().UTC(), Device: device, Verb: verb}}, true)
}

// Adopt writes a header that replaces the first line. It is made from the reports of devices, for a run of another machine or an earlier
// rocec.
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

// Hook writes that a hook is about to run, or has run. A line about the start is on the disk when Hook returns.
func (r *Run) Hook(h Hook) error {
	h.Time = r.now().UTC()
	return r.write(entry{Hook: &h}, !h.Done)
}

// Outcome writes the outcome of a device. Like a Result, it is on the disk with the next line that is flushed.
func (r *Run) Outcome(o Outcome) error {
	o.Time = r.now().UTC()
	return r.write(entry{Outcome: &o}, false)
}

// Finish ends the journal of a run that has ended. It returns the first error of the journal.
func (r *Run) Finish() error {
	at := r.now().UTC()
	return errors.Join(r.write(entry{End: &at}, true), r.Close())
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

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

// Log is a run as recorded in its journal.
type Log struct {
	Header
	Lines    []Line
	Ran      []Hook             // hooks, as they began and ended
	Outcomes map[string]Outcome // by device: the first closed outcome, or else the last one
	Ended    *time.Time         // nil: not ended
	Alive    bool               // its process is still running
	Damaged  int                // lines that could not be read: cut off, or changed by hand
}

// Limits of reading a journal, and a content beside it. Files and live states of devices are smaller.
const (
	maxLog    = 256 << 20
	maxBefore = 64 << 20
)

// Read reads the journal of a run. Invalid lines are counted and skipped; a missing first line is an error.
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
	if l.Run != run || !deploy.ValidRun(run) { // the name becomes a path, and is printed in messages and commands
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
			delete(l.Outcomes, e.Line.Device) // the run was continued on the device
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

// closed reports whether an outcome of a device is final. Other runs may change the device later, so later answers do not change the
// history.
func closed(outcome string) bool {
	switch outcome {
	case "", "unknown", "unconfirmed":
		return false
	}
	return true
}

// Unreadable is a journal that is not used, with the reason.
type Unreadable struct {
	Name string // of the file
	Err  error
}

// Refused returns the error if the journal was refused because of its owner, mode or a link; nil: it is damaged.
func (u *Unreadable) Refused() error {
	if r, ok := errors.AsType[*safefile.Refused](u.Err); ok {
		return r
	}
	return nil
}

// Runs returns every run, newest first, and the journals that cannot be read.
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
	slices.SortStableFunc(runs, func(a, b *Log) int { return b.Began.Compare(a.Began) }) // names are only exact to the second
	return runs, unreadable, err
}

// Before returns a content from before a run, by its SHA-256. It fails if the content is missing or has changed.
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
	if errors.Is(err, fs.ErrNotExist) { // a person has copied the journal without its folder
		return nil, fmt.Errorf("%s is missing. It belongs to the journal, which names it: copy the folder %s from the machine "+
			"that has the whole run into %s", diag.Escape(filepath.Join(run, "before", hash)), diag.Escape(run), diag.Escape(d.path))
	}
	if err == nil && sum(content) != hash {
		err = fmt.Errorf("%s has changed since the run kept it", filepath.Join(d.path, run, "before", hash))
	}
	return content, err
}

// Drained returns the waves that a hook has drained, or may have drained, and whose traffic no hook has put back.
func (l *Log) Drained() []int {
	open := map[int]bool{}
	for _, h := range l.Ran {
		open[h.Wave] = h.Hook == "drain" || !h.Done || h.Detail != ""
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(open)), func(wave int) bool { return !open[wave] })
}
