//go:build linux

package matrix

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// broken is the error of a broken promise.
type broken struct {
	promise promise
	why     string
}

func (b *broken) Error() string { return string(b.promise) + ": " + b.why }

func breaks(p promise, format string, args ...any) error {
	return &broken{p, fmt.Sprintf(format, args...)}
}

// promise is a promise that an oracle checks. It is a column of the tables, which counts the cells that broke the promise.
type promise string

// The promises, by the names of their columns.
const (
	noHalfState promise = "half-states"
	trueReport  promise = "untrue reports"
	noShell     promise = "shells needed"
)

var promises = []promise{noHalfState, trueReport, noShell}

// cell is a running experiment.
type cell struct {
	ref    *reference
	d      *nspawn.Device
	o      *operator
	fault  *fault
	at     moment // the moment of the fault
	edit   string // SHA-256 of the edit of another user; empty: no edit
	others []side // contents that other operators apply
	back   bool   // the command is an undo, so the old content is the wanted one
	held   bool   // the run waits to be confirmed

	journalled bool // rocec was killed after its last write
}

// goal returns the content that rocec should establish.
func (c *cell) goal() *side {
	if c.back {
		return &c.ref.old
	}
	return &c.ref.new
}

// whole checks that a device at rest has and uses one complete content. It returns that content.
func (c *cell) whole(h *holds) (end string, err error) {
	r := c.ref
	if err := r.full(h, c.contents()...); err != nil {
		return "", breaks(noHalfState, "%v\n%s", err, h)
	}
	if c.edit != "" {
		if h.files[r.edited] == c.edit {
			return "edited", nil // a person decides which content the device uses
		}
		if !c.inWindow() {
			return "", breaks(noHalfState, "the edit of another user in %s is lost\n%s", r.edited, h)
		}
	}
	sides := map[string]*side{"old": &r.old, "new": &r.new}
	for i := range c.others {
		sides["the other's"] = &c.others[i]
	}
	for end, s := range sides {
		if !h.is(s) {
			continue
		}
		if !h.uses(s) && !slices.Contains(undecided, h.mark) {
			return "", breaks(noHalfState, "it holds the %s content and uses something else%s\n%s", end, h.unlike(s), h)
		}
		if h.open() {
			return "", breaks(noHalfState, "it holds the %s content and is %s for ever\n%s", end, h.mark, h)
		}
		if slices.Contains(undecided, h.mark) && end != "old" {
			return "said " + h.mark, nil
		}
		return end, nil
	}
	if slices.Contains(undecided, h.mark) {
		return "said " + h.mark, nil
	}
	return "", breaks(noHalfState, "some files are old and some new\n%s", h)
}

// inWindow reports whether the fault was an edit by rename directly before rocec's rename. docs/apply.md excludes this case from the
// promise.
func (c *cell) inWindow() bool {
	return c.fault.renames && c.at.Args[0] == "mv" && c.at.Args[len(c.at.Args)-1] == c.ref.edited
}

// undecided lists the marks of a device that could not go back.
var undecided = []string{"conflict", "failed"}

// contents returns the contents that others wrote.
func (c *cell) contents() []string {
	all := c.edits()
	for _, s := range c.others {
		for _, sum := range s.files {
			all = append(all, sum)
		}
	}
	return all
}

func (c *cell) edits() []string {
	if c.edit == "" {
		return nil
	}
	return []string{c.edit}
}

// judge compares the report of rocec with the state of the device at the end of rocec.
func (c *cell) judge(r *ran, h *holds) error {
	ref, target := c.ref, c.goal()
	untrue := func(format string, args ...any) error {
		return breaks(trueReport, "%s\n%s%s", fmt.Sprintf(format, args...), r, h)
	}
	f, err := r.fate()
	if err != nil {
		return untrue("%v", err)
	}
	touched := len(h.left) > 0 || !h.is(&ref.old) || !h.uses(&ref.old)
	if f == nil {
		switch {
		case r.status == 0 && h.is(target): // there was nothing to do
		case r.status == 0:
			return untrue("it said nothing of the device, and ended well")
		case touched && c.edit == "" && len(c.others) == 0 && r.status != exitKilled:
			return untrue("it said nothing of a device that it had touched")
		}
		return nil
	}
	good := slices.Contains([]string{"applied", "unchanged", "unconfirmed"}, f.Outcome)
	if c.back {
		good = slices.Contains([]string{"applied", "restored", "reverted", "not-started", "unchanged"}, f.Outcome)
	}
	var unnamed []string
	for _, l := range h.left {
		if !strings.HasPrefix(l, "/var/lib/rocec/pending") &&
			!slices.ContainsFunc(f.Result.Left, func(named string) bool { return covers(named, l) }) {
			unnamed = append(unnamed, l)
		}
	}
	own := func() bool { return len(c.others) == 0 && c.edit == "" }
	late := c.edit != "" && c.at.checked
	switch f.Outcome {
	case "applied":
		switch {
		case h.open():
			return untrue("applied, and the run is %s", h.mark)
		case own() && !h.is(target) || c.edit != "" && !late && !h.is(target):
			return untrue("applied, and the device holds something else")
		case own() && !h.uses(target):
			return untrue("applied, and the device uses something else")
		case len(c.others) > 0 && !c.at.kept:
			return untrue("applied, and another operator applied meanwhile")
		}
	case "unconfirmed":
		if own() && (h.mark != "loaded" || !h.is(&ref.new)) {
			return untrue("unconfirmed, and the run is %s", h.mark)
		}
	case "restored", "reverted":
		if own() && (!h.is(&ref.old) || !h.uses(&ref.old)) || h.open() {
			return untrue("%s, and the device does not hold and use what was there before", f.Outcome)
		}
		if h.dcbx != ref.old.dcbx && !strings.Contains(f.Detail, "DCBX stays with the host") {
			return untrue("%s, and DCBX is not what it was before", f.Outcome)
		}
	case "refused", "not-started":
		if !c.back && own() && (!h.is(&ref.old) || !h.uses(&ref.old)) || h.open() {
			return untrue("%s, and the device was changed", f.Outcome)
		}
	case "conflict":
		if own() {
			return untrue("conflict, and no other user changed a file")
		}
	case "unknown":
		if !strings.Contains(f.Detail, "rocec resume "+f.Run) && !strings.Contains(f.Detail, "rocec rollback "+f.Run) {
			return untrue("unknown, and it does not say how to go on")
		}
		if r.status != exitIncomplete && r.status != exitInterrupted {
			return untrue("unknown, and the exit status is %d", r.status)
		}
		return nil // the outcome promises no more
	default:
		return untrue("there is no such outcome")
	}
	if len(unnamed) > 0 && f.Outcome != "unconfirmed" {
		return untrue("left behind and not named: %v", unnamed)
	}
	if good != (r.status == 0) && len(f.Result.Left) == 0 && r.status != exitInterrupted {
		return untrue("%s, and the exit status is %d", f.Outcome, r.status)
	}
	was, is := ref.old.files, ref.new.files
	if c.back && f.Outcome == "applied" { // the content from before the undone run
		was, is = is, was
	}
	for _, file := range f.Result.Files {
		have := h.files[file.Path]
		true := map[string]bool{
			"old": have == was[file.Path], "new": have == is[file.Path],
			"other": have != was[file.Path] && have != is[file.Path], "unknown": true,
		}[file.Holds]
		if !true && own() {
			return untrue("it says that %s holds the content %q", file.Path, file.Holds)
		}
	}
	return nil
}

// The exit statuses of rocec that an oracle checks.
const (
	exitKilled      = -1
	exitMachines    = 3
	exitIncomplete  = 4
	exitLocked      = 5
	exitInterrupted = 130
)

// covers reports whether a name of a report covers a path: the path itself, a folder above it, or a pattern that matches it.
func covers(named, path string) bool {
	if prefix, ok := strings.CutSuffix(named, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	// The name of the boot unit also covers the link that starts the unit.
	return path == named || strings.HasPrefix(path, named+"/") || strings.HasSuffix(path, ".service") &&
		strings.HasSuffix(named, path[strings.LastIndexByte(path, '/'):])
}

// untouched reports whether the device has the old content or the content of another operator, and nothing of this run.
func (c *cell) untouched(h *holds) bool {
	return h.is(&c.ref.old) || slices.ContainsFunc(c.others, func(s side) bool { return h.is(&s) })
}

// goOn acts like a person without a shell on the device: it resumes the dead run, removes a lock, and applies again. At the end the
// device must have and use the new content, without leftovers.
func (c *cell) goOn(ctx context.Context) error {
	need := func(format string, args ...any) error { return breaks(noShell, format, args...) }
	runs, err := c.o.runNames()
	if err != nil {
		return err
	}
	c.back = c.held
	var said []string
	for _, run := range runs {
		r, err := c.o.run(ctx, c.resume(run)...)
		if err != nil {
			return err
		}
		said = append(said, r.String())
		if !strings.HasPrefix(r.out, "{") {
			continue // there was nothing to do
		}
		h, err := look(c.d, c.ref.paths)
		if err != nil {
			return err
		}
		if f, err := r.fate(); err == nil && f != nil && f.Outcome == "not-started" && r.status == 0 && c.untouched(h) {
			continue // the run had not begun: there was nothing to do
		}
		if err := c.judge(r, h); err != nil {
			return err
		}
	}
	h, err := look(c.d, c.ref.paths)
	if err != nil {
		return err
	}
	if len(h.left) > 0 {
		r, err := c.o.run(ctx, c.o.unlock()...)
		if err != nil {
			return err
		}
		said = append(said, r.String())
		if r.status != 0 {
			return need("unlock does not help\n%s%s", strings.Join(said, ""), h)
		}
	}
	c.back = false
	r, err := c.o.run(ctx, c.o.apply("--soak", "0s")...)
	if err != nil {
		return err
	}
	said = append(said, r.String())
	if r.status != 0 {
		h, err := look(c.d, c.ref.paths)
		return need("the next apply fails (%v)\n%s%s", err, strings.Join(said, ""), h)
	}
	want := &c.ref.new
	if c.edit != "" {
		want = &c.ref.over
	}
	if r, err = c.o.run(ctx, c.o.plan()...); err != nil {
		return err
	}
	for end := time.Now().Add(c.d.Slowed(5 * time.Second)); ; time.Sleep(100 * time.Millisecond) { // stopped processes take time to end
		if h, err = look(c.d, c.ref.paths); err != nil || len(h.left)+len(h.busy) == 0 || time.Now().After(end) {
			break
		}
	}
	switch {
	case err != nil:
		return err
	case r.status != 0:
		return need("the plan is not empty after the next apply\n%s%s", strings.Join(said, ""), r)
	case !h.is(want) || !h.uses(want):
		return need("the next apply does not bring the new content to use\n%s%s", strings.Join(said, ""), h)
	case len(h.left)+len(h.busy) > 0:
		return need("something is left after the next apply\n%s%s", strings.Join(said, ""), h)
	}
	return nil
}

// resume returns the command that resumes a run.
func (c *cell) resume(run string) []string {
	if c.held {
		return c.rollback(run)
	}
	return []string{"resume", "--format", "json", run}
}

func (c *cell) rollback(run string) []string {
	return []string{"rollback", "--auto-approve", "--format", "json", "--soak", "0s", run}
}
