package device

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
)

// Held describes a run by the data that a device keeps of it, for a machine that did not start the run. Every value comes from the device
// and was checked: paths, hashes and numbers are valid and bounded. No value is a command.
type Held struct {
	Key     string // of run and device; empty: the run is over
	Digest  string // a hash of the run's part there; empty: an earlier rocec sent no hash
	About   deploy.About
	Note    deploy.Note       // zero: the device has no note of the run
	Changes []HeldChange      // in the order of the run's plan
	States  []HeldChange      // live states that were saved
	Steps   map[int]*HeldStep // by number
	Older   bool              // an earlier rocec wrote the data, without the live states that the run changes
}

// HeldChange is a file or live state of a run on a device.
type HeldChange struct {
	deploy.FileState
	Live   bool
	Mode   uint32 // 0: not reported
	Step   int    // the number of the step on the device; -1: no step, or an unknown one
	Before []byte // the content from before
	Kept   bool   // Before is valid: the device kept the content, or there was no file
}

// HeldStep describes a step of a run on a device.
type HeldStep struct {
	Time time.Duration
	Keep bool // the step also has an action for the confirm of the run
}

// Limits for the description of a run by a device.
const (
	mostChanges = 512
	mostBefore  = 32 << 20 // bytes of the contents from before the run
	atOnce      = 3        // contents that one command may print, because an answer has a size limit
)

// Held asks the device for all data that it keeps of a run. lock is the holder of the device's lock, which was read before.
func (d *Device) Held(ctx context.Context, run string, lock *deploy.Owner) (*Held, *deploy.Error) {
	if !deploy.ValidRun(run) {
		return nil, d.senseless(fmt.Errorf("%q is not the name of a run", run))
	}
	a, err := d.sections(ctx, "held "+run+"\n", stepsOf+1, "held", run)
	if err != nil {
		return nil, err
	}
	h, e := parseHeld(run, lock, a)
	if e != nil {
		return nil, d.senseless(e)
	}
	if err := d.before(ctx, run, h, a); err != nil {
		return nil, err
	}
	return h, nil
}

func (d *Device) senseless(err error) *deploy.Error {
	return &deploy.Error{
		Kind: deploy.Unreadable, Device: d.Of, Err: err,
		Detail: "the device's data of the run is not in the form that rocec writes: " + deploy.OneLine(err.Error()),
	}
}

// sections runs a script that prints the wanted number of sections. gate is the verb of the gate that does the same, and its arguments
// without the mark of the sections.
func (d *Device) sections(ctx context.Context, script string, want int, gate ...string) ([]answer, *deploy.Error) {
	if d.conn == nil {
		return nil, d.unconnected("")
	}
	ctx, cancel := context.WithTimeout(ctx, verbTime)
	defer cancel()
	mark := "rocec-" + rand.Text()
	out, err := d.asRoot(ctx, false, nil, byGate(slices.Insert(gate, 1, mark)...), scripts.Sections(scripts.Held(), mark, script))
	if err != nil {
		return nil, runError(d.Of, "", err)
	}
	answers, err := parseAnswers(out, mark)
	for _, a := range answers {
		if a.is == "foreign" {
			return nil, &deploy.Error{
				Kind: deploy.Permission, Device: d.Of,
				Detail: "users other than root may have changed " + deploy.OneLine(string(a.data)) + " or a file in it: remove it on the device",
			}
		}
	}
	if err == nil && len(answers) != want {
		err = fmt.Errorf("%d answers to %d questions", len(answers), want)
	}
	if err != nil {
		return nil, d.senseless(err)
	}
	return answers, nil
}

// The sections of held.sh, in their order.
const (
	inTxn = iota
	inBackup
	keyOf
	filesOf
	livesOf
	aboutOf
	noteOf
	filesKept
	livesKept
	aboutKept
	endedOf
	digestOf
	stepsOf
)

// parseHeld parses the sections of held.sh. Its error states why they are invalid.
func parseHeld(run string, lock *deploy.Owner, a []answer) (*Held, error) {
	for i, name := range []string{
		"txn-" + run, "backup/" + run, "key", "files", "lives", "about", "note", "backup/files", "backup/lives", "backup/about", "backup/ended",
		"digest",
	} {
		if i > inBackup && a[i].is != "file" && a[i].is != "absent" || a[i].is == "link" {
			return nil, fmt.Errorf("%s is not a plain file or folder", name)
		}
		if len(a[i].data) > MaxFile {
			return nil, fmt.Errorf("%s is larger than 1 MiB", name)
		}
	}
	h := &Held{Steps: map[int]*HeldStep{}}
	if err := h.key(run, lock, a); err != nil {
		return nil, err
	}
	if digest := strings.TrimSpace(string(a[digestOf].data)); scripts.ValidDigest(digest) {
		h.Digest = digest
	}
	at := aboutOf
	if a[at].is == "absent" {
		at = aboutKept
	}
	h.About = deploy.ParseAbout(string(a[at].data))
	h.Older = a[at].is == "absent"
	if lock != nil && lock.Txn == run {
		h.About.Owner = cmp.Or(lock.Who, h.About.Owner)
	}
	h.note(a)
	for line := range strings.Lines(string(a[stepsOf].data)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		n, err := strconv.Atoi(f[0])
		secs, err2 := strconv.Atoi(f[1])
		if err == nil && err2 == nil && n >= 0 && n < mostChanges && secs > 0 && secs <= int(time.Hour/time.Second)*24 {
			h.Steps[n] = &HeldStep{Time: time.Duration(secs) * time.Second, Keep: len(f) == 3}
		}
	}
	files, err := heldFiles(a)
	if err != nil {
		return nil, err
	}
	if h.States, err = heldStates(a); err != nil {
		return nil, err
	}
	return h, h.changes(string(a[at].data), files)
}

// key returns the key of the run on this device. The lock and the folder of the run must contain the same key.
func (h *Held) key(run string, lock *deploy.Owner, a []answer) error {
	h.Key = strings.TrimSpace(string(a[keyOf].data))
	if lock != nil && lock.Txn == run {
		if h.Key != "" && h.Key != lock.Key {
			return errors.New("its lock and its folder belong to two runs with the same name")
		}
		h.Key = lock.Key
	}
	held := a[inTxn].is != "absent" || lock != nil && lock.Txn == run
	if held && !(deploy.Run{Name: run, Key: h.Key}).Valid() {
		return errors.New("its key does not have the form of rocec's keys")
	}
	return nil
}

// note parses the note of the run, from the run's folder or from the file beside the backup.
func (h *Held) note(a []answer) {
	text := string(a[noteOf].data)
	if text == "" {
		_, text, _ = strings.Cut(string(a[endedOf].data), "\n")
	}
	if f := strings.Fields(text); len(f) == 3 {
		h.Note = deploy.Note{Tool: deploy.OneLine(f[0]), Intent: f[1], Holds: f[2]}
	}
}

// heldFiles parses the list of files of the run, "N BASE TARGET MODE PATH", or the list of its backup, which has no modes.
func heldFiles(a []answer) (out []HeldChange, err error) {
	list, fields := a[filesOf], 5
	if list.is == "absent" {
		list, fields = a[filesKept], 4
	}
	for line := range strings.Lines(string(list.data)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", fields)
		if len(f) != fields || f[0] != strconv.Itoa(len(out)) || len(out) == mostChanges {
			return nil, errors.New("the list of its files is invalid")
		}
		c := HeldChange{FileState: deploy.FileState{Base: f[1], Target: f[2], Path: f[fields-1]}, Step: -1}
		if fields == 5 {
			mode, err := strconv.ParseUint(f[3], 8, 32)
			if err != nil || mode > 0o777 {
				return nil, errors.New("the list of its files is invalid")
			}
			c.Mode = uint32(mode)
		}
		if err := c.valid(); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (c *HeldChange) valid() error {
	switch {
	case !commands.ValidPath(c.Path, c.Live):
		return fmt.Errorf("it names no path of rocec: %q", c.Path[:min(len(c.Path), 200)])
	case !commands.ValidSum(c.Base) || !commands.ValidSum(c.Target):
		return fmt.Errorf("it has no hash for %s", c.Path)
	}
	return nil
}

// heldStates parses the list of saved live states, "N NAME". Their hashes are computed from their content.
func heldStates(a []answer) (out []HeldChange, err error) {
	list := a[livesOf]
	if list.is == "absent" {
		list = a[livesKept]
	}
	for line := range strings.Lines(string(list.data)) {
		n, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if n != strconv.Itoa(len(out)) || len(out) == mostChanges || !commands.ValidPath(name, true) {
			return nil, errors.New("the list of its live states is invalid")
		}
		out = append(out, HeldChange{FileState: deploy.FileState{Path: name}, Live: true, Step: -1})
	}
	return out, nil
}

// changes puts files and live states in the order of the run's plan. Where the device has no such order, only the files are known.
func (h *Held) changes(about string, files []HeldChange) error {
	seen := 0
	for line := range strings.Lines(about) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
		if f[0] != "change" {
			continue
		}
		broken := errors.New("the list of its changes is invalid")
		switch {
		case len(h.Changes) == mostChanges:
			return broken
		case len(f) == 4 && f[1] == "file":
			step, err := strconv.Atoi(f[3])
			if f[2] != strconv.Itoa(seen) || seen >= len(files) || err != nil || step < -1 || step >= mostChanges {
				return broken
			}
			files[seen].Step = step
			h.Changes = append(h.Changes, files[seen])
			seen++
		case len(f) == 6 && f[1] == "live":
			c := HeldChange{FileState: deploy.FileState{Base: f[3], Target: f[4], Path: f[5]}, Live: true}
			step, err := strconv.Atoi(f[2])
			if c.Step = step; err != nil || step < -1 || step >= mostChanges {
				return broken
			}
			if err := c.valid(); err != nil {
				return err
			}
			h.Changes = append(h.Changes, c)
		default:
			return broken
		}
	}
	if seen == 0 {
		h.Changes = append(files, h.Changes...)
		return nil
	}
	if seen != len(files) {
		return errors.New("the list of its changes is invalid")
	}
	return nil
}

// before parses the contents from before the run. A missing content, or one with another hash than the run recorded, counts as not kept.
func (d *Device) before(ctx context.Context, run string, h *Held, a []answer) *deploy.Error {
	var asks []string
	var keep []func([]byte)
	total := 0
	ask := func(name string, kept func([]byte)) {
		asks, keep = append(asks, name), append(keep, kept)
	}
	backup, txn := deploy.StateDir+"/backup/"+run+"/", deploy.StateDir+"/txn-"+run+"/"
	n := 0
	for i := range h.Changes {
		c := &h.Changes[i]
		if c.Live {
			continue
		}
		if c.Kept = c.Base == deploy.Absent; c.Base != deploy.Absent && c.Base != c.Target {
			ask(backup+strconv.Itoa(n), c.keep)
		}
		n++
	}
	for i := range h.States {
		s := &h.States[i]
		name := backup + "live." + strconv.Itoa(i)
		if a[livesKept].is == "absent" {
			name = txn + "live/" + s.Path
		}
		ask(name, func(data []byte) {
			s.Base, s.Target = deploy.Sum(data), deploy.Sum(data)
			s.keep(data)
		})
	}
	for len(asks) > 0 {
		n := min(len(asks), atOnce)
		var script strings.Builder
		for _, name := range asks[:n] {
			script.WriteString("file " + scripts.Quote(name) + "\n")
		}
		answers, err := d.sections(ctx, script.String(), n, append([]string{"kept"}, asks[:n]...)...)
		if err != nil {
			return err
		}
		for i, a := range answers {
			if total += len(a.data); a.is == "file" && a.status == 0 && len(a.data) <= MaxFile && total <= mostBefore {
				keep[i](a.data)
			}
		}
		asks, keep = asks[n:], keep[n:]
	}
	for i := range h.Changes { // the earlier value of a live state is saved once
		if c := &h.Changes[i]; c.Live {
			if j := slices.IndexFunc(h.States, func(s HeldChange) bool { return s.Path == c.Path }); j >= 0 {
				c.keep(h.States[j].Before)
			}
		}
	}
	return nil
}

// keep stores a content as the one from before, if it has the expected hash.
func (c *HeldChange) keep(data []byte) {
	if deploy.Sum(data) == c.Base {
		c.Before, c.Kept = data, true
	}
}
