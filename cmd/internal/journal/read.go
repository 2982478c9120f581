package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/chain"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Log is a run as recorded in its journal.
type Log struct {
	Header
	Lines    []Line
	Ran      []Hook             // hooks, as they began and ended
	Outcomes map[string]Outcome // by device: the first closed outcome, or else the last one
	Ended    *time.Time         // nil: not ended
	Signed   []Signed           // at each end of the run for which the person had named a key
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
	head := ""
	for line := range linesIn(f) {
		l.add(line, head)
		head = chain.Sum(line)
	}
	if l.Run != run || !deploy.ValidRun(run) { // the name becomes a path, and is printed in messages and commands
		return nil, fmt.Errorf("%s does not begin as a journal does", f.Name())
	}
	return l, nil
}

// add adds a line. before is the SHA-256 of the line before.
func (l *Log) add(text []byte, before string) {
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
	case e.Signed != nil:
		e.Signed.Head = before
		l.Signed = append(l.Signed, *e.Signed)
	default:
		l.Damaged++
	}
}

// linesIn returns the lines of a journal that are not empty. It ends where the file cannot be read any further.
func linesIn(f *os.File) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		in := bufio.NewReader(io.LimitReader(f, maxLog))
		for {
			text, err := in.ReadBytes('\n')
			if text = bytes.TrimSpace(text); len(text) > 0 && !yield(text) || err != nil {
				return
			}
		}
	}
}

// linesOf returns the lines of the journal of a run.
func linesOf(folder *safefile.Folder, run string) ([][]byte, error) {
	f, err := folder.Open(fileOf(run))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return slices.Collect(linesIn(f)), nil
}

// headOf returns the SHA-256 of the last line; empty: the journal has no line.
func headOf(lines [][]byte) string {
	if len(lines) == 0 {
		return ""
	}
	return chain.Sum(lines[len(lines)-1])
}

// prior returns the head of the run that was begun last in a folder, apart from one run; nil: the folder has no other. A run of one line
// may still be abandoned.
func prior(folder *safefile.Folder, but string) *Head {
	runs, err := names(folder)
	if err != nil {
		return nil
	}
	for _, run := range slices.Backward(runs) {
		if run == but {
			continue
		}
		if lines, err := linesOf(folder, run); err == nil && len(lines) > 1 {
			return &Head{run, headOf(lines)}
		}
	}
	return nil
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
	return before(folder, run, hash)
}

func before(folder *safefile.Folder, run, hash string) ([]byte, error) {
	name := path.Join(run, "before", hash)
	if path.Base(name) != hash {
		return nil, fmt.Errorf("%q is not a hash", hash)
	}
	content, err := folder.ReadFile(name, maxBefore)
	if errors.Is(err, fs.ErrNotExist) { // a person has copied the journal without its folder
		return nil, fmt.Errorf("%s is missing. It belongs to the journal, which names it: copy the folder %s from the machine "+
			"that has the whole run into %s", diag.Escape(filepath.Join(run, "before", hash)), diag.Escape(run), diag.Escape(folder.Path()))
	}
	if err == nil && sum(content) != hash {
		err = fmt.Errorf("%s has changed since the run kept it", filepath.Join(folder.Path(), run, "before", hash))
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

// Names returns the names of all runs in the folder, the oldest first.
func (d *Dir) Names() ([]string, error) {
	folder, err := safefile.OpenFolder(d.path, ownFolders)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return names(folder)
}

func names(folder *safefile.Folder) ([]string, error) {
	files, err := folder.ReadDir()
	var out []string
	for _, f := range files {
		if run, ok := strings.CutSuffix(f.Name(), ".jsonl"); ok && !f.IsDir() {
			out = append(out, run)
		}
	}
	return out, err
}
