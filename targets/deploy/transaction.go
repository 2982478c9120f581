package deploy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// stage is how far a transaction came, as far as this side knows. What a lost connection may have left behind depends
// on nothing else.
type stage int

const (
	unlocked   stage = iota // the lock was asked for
	preparing               // ours is the lock; nothing is changed
	committing              // the renames were asked for
	activating              // the files are in place
	releasing               // all is as it should be, forwards or backwards
)

// transaction changes one device, or leaves it as it was:
//
//	lock - check - upload - precheck - backup - commit - activate - settle - verify - release
//	                                                  \      |        |       /
//	                                                   restore - activate - verify - release
//
// A lost connection is opened again once in each direction; then the device itself says how far it came.
type transaction struct {
	session
	plan    *DevicePlan
	files   []*Change // those of files, for the verbs
	steps   []step    // what puts them to use, each once
	at      stage
	began   bool // a step was sent, so the device may use the new content
	back    bool // going back
	early   bool // the connection broke before the first rename
	gone    bool // the device did not answer again
	applied bool // it came to its end, going forward
	pending bool // an earlier apply left files not in use
	emit    func(step string, s State, detail string)
	stop    func() bool // the person interrupted
}

// step is a Step and the changes it puts to use.
type step struct {
	target.Step
	changes []*Change
	ran     bool
}

// errInterrupted ends a transaction that had not changed anything when the person interrupted.
var errInterrupted = &Error{Detail: "interrupted"}

// newSteps lists the steps of the changes, equal ones once, in the order of the files.
func newSteps(cs []*Change) []step {
	var steps []step
	for _, c := range cs {
		s := c.File.Activate
		if s.Cmd == "" && s.Check == "" {
			continue
		}
		i := slices.IndexFunc(steps, func(have step) bool { return have.Step == s })
		if i < 0 {
			i = len(steps)
			steps = append(steps, step{Step: s})
		}
		steps[i].changes = append(steps[i].changes, c)
	}
	return steps
}

func (s *step) timeout() time.Duration { return cmp.Or(s.Timeout, stepTime) }

// undoes tells whether running the step again puts the content from before to use: a file that was there before is
// there again. A step of files that are gone again has nothing to work on.
func (s *step) undoes() bool {
	return slices.ContainsFunc(s.changes, func(c *Change) bool { return c.writes() && c.Base != absent })
}

// run does it all and says what the device holds now.
func (t *transaction) run(ctx context.Context) *Result {
	r := &Result{Device: t.dev}
	if err := t.step("connect", func() *Error { return t.connect(ctx) }); err != nil {
		r.Outcome, r.Err, r.Detail = Refused, err, "Nothing was changed."
		return r
	}
	defer t.close()
	err := t.forward(ctx)
	if err != nil && err.lost {
		err = t.resume(ctx, err)
	}
	if err == nil {
		t.applied = true
		r.Outcome, r.Detail = Applied, t.release(ctx)
		return r
	}
	t.end(ctx, r, err)
	return r
}

// forward goes from the lock to the last look.
func (t *transaction) forward(ctx context.Context) *Error {
	for _, s := range []struct {
		name string
		do   func(context.Context) *Error
	}{
		{"lock", t.lock}, {"check", t.check}, {"upload", t.upload}, {"precheck", t.precheck}, {"backup", t.backup},
	} {
		if t.stop() {
			return errInterrupted
		}
		if err := t.step(s.name, func() *Error { return s.do(ctx) }); err != nil {
			return err
		}
	}
	if t.stop() {
		return errInterrupted
	}
	if err := t.commit(ctx); err != nil {
		return err
	}
	return t.finish(ctx)
}

// step reports a step around doing it.
func (t *transaction) step(name string, do func() *Error) *Error {
	t.emit(name, Begin, "")
	err := do()
	if err != nil {
		t.emit(name, Fail, err.Detail)
		return err
	}
	t.emit(name, Done, "")
	return nil
}

func (t *transaction) lock(ctx context.Context) *Error {
	_, err := t.verb(ctx, "lock", lockVerb, nil, 0, t.owner)
	if err == nil {
		t.at = preparing
	}
	return err
}

func (t *transaction) check(ctx context.Context) *Error {
	need := 64 << 10
	for _, c := range t.files {
		if c.writes() {
			need += len(c.Before) + len(c.After)
		}
	}
	_, err := t.verb(ctx, "check", checkVerb, nil, 0, append([]string{strconv.Itoa(need >> 10)}, fileArgs(t.files)...)...)
	return err
}

func (t *transaction) upload(ctx context.Context) *Error {
	for i, c := range t.files {
		if !c.writes() || c.After == nil {
			continue
		}
		mode := strconv.FormatUint(uint64(cmp.Or(c.File.Mode.Perm(), 0o644)), 8)
		if _, err := t.verb(ctx, "upload", uploadVerb, c.After, 0, strconv.Itoa(i), c.Path, mode, c.Target); err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) precheck(ctx context.Context) *Error {
	for i, c := range t.files {
		if !c.writes() || c.After == nil || c.File.Precheck == "" {
			continue
		}
		if _, err := t.verb(ctx, "precheck", precheckVerb, nil, time.Minute, strconv.Itoa(i), c.Path, c.File.Precheck); err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) backup(ctx context.Context) *Error {
	if len(t.files) == 0 {
		return nil
	}
	_, err := t.verb(ctx, "backup", backupVerb, nil, 0, fileArgs(t.files)...)
	return err
}

func (t *transaction) commit(ctx context.Context) *Error {
	if len(t.files) > 0 {
		t.at = committing
		if err := t.step("commit", func() *Error {
			_, err := t.verb(ctx, "commit", commitVerb, nil, 0, fileArgs(t.files)...)
			return err
		}); err != nil {
			if !err.lost && t.untouched(ctx, err) {
				t.at = preparing
			}
			return err
		}
	}
	t.at = activating
	return nil
}

// untouched tells whether a commit that failed did so before its first rename.
func (t *transaction) untouched(ctx context.Context, err *Error) bool {
	if exit, ok := errors.AsType[*target.ExitError](err.Err); ok && exit.Status == 1 {
		return true
	}
	p, e := t.state(ctx, 0, t.files)
	return e == nil && p.holds(t.files, base)
}

// finish puts the files to use and looks whether that worked. It may be called again after a lost connection: steps
// that ran do not run again.
func (t *transaction) finish(ctx context.Context) *Error {
	for i := range t.steps {
		if err := t.use(ctx, i, i); err != nil {
			return err
		}
	}
	return t.step("verify", func() *Error { return t.readBack(ctx) })
}

// use runs step i, unless it ran, and waits until its Check succeeds. n is its number in the device's notes.
func (t *transaction) use(ctx context.Context, i, n int) *Error {
	s := &t.steps[i]
	start := t.clock.Now()
	if s.Cmd != "" && !s.ran {
		t.began = true
		if err := t.step("activate", func() *Error {
			_, err := t.verb(ctx, "activate", activateVerb, nil, s.timeout(), strconv.Itoa(n), seconds(s.timeout()), s.Cmd)
			return t.about(err, s.Cmd)
		}); err != nil {
			return err
		}
		s.ran = true
	}
	if s.Check == "" {
		return nil
	}
	return t.step("settle", func() *Error {
		for {
			left := max(s.timeout()-t.since(start), time.Second)
			_, err := t.verb(ctx, "settle", settledVerb, nil, left, seconds(left), s.Check)
			if err == nil || err.Kind != Activation || t.since(start) >= s.timeout() {
				return t.about(err, s.Check)
			}
			<-t.clock.Wait(settleEvery)
		}
	})
}

// since is the time that has passed.
func (t *transaction) since(start time.Time) time.Duration { return t.clock.Now().Sub(start) }

// seconds spells a duration for timeout(1), where 0 would mean for ever.
func seconds(d time.Duration) string { return strconv.Itoa(max(1, int(d.Seconds()))) }

// about names the command an Activation error is about.
func (t *transaction) about(err *Error, cmd string) *Error {
	if err != nil && err.Kind == Activation {
		err.Detail = oneLine(fmt.Sprintf("`%s` failed: %s", cmd, cmp.Or(err.Detail, "it printed nothing")))
	}
	return err
}

// again opens a lost connection again and asks the device how far it came.
func (t *transaction) again(ctx context.Context) (p *progress, err *Error) {
	err = t.step("reconnect", func() (e *Error) {
		p, e = t.reconnect(ctx, len(t.steps), t.files)
		return e
	})
	return p, err
}

// resume goes on after a lost connection where the files are in place, and otherwise returns the error that ends the
// transaction.
func (t *transaction) resume(ctx context.Context, lost *Error) *Error {
	p, err := t.again(ctx)
	if err != nil {
		t.gone = true
		return lost
	}
	if p.lock == "" && t.at == unlocked {
		<-t.clock.Wait(settleEvery) // the command may only now come to take it
		if again, err := t.state(ctx, len(t.steps), t.files); err == nil {
			p = again
		}
	}
	if p.lock != t.txn {
		if t.at > unlocked {
			lost.Detail += fmt.Sprintf("; meanwhile somebody else removed the lock of transaction %s", t.txn)
		}
		t.gone = t.at > unlocked // nothing of it is ours any more
		lost.lost = t.gone || p.lock == ownerless
		return lost
	}
	lost.lost = false
	switch {
	case t.at < committing:
		t.at = preparing // the lock was taken, if only its answer was lost
		return lost
	case t.at == committing && !p.holds(t.files, wants):
		// Also when not one rename was seen: the command may still run there, so it takes going back to be sure.
		t.early = p.holds(t.files, base)
		return lost
	}
	t.at = activating
	for i := range t.steps {
		if s := &t.steps[i]; s.Cmd != "" && !s.ran {
			if err := t.outcome(ctx, p, i); err != nil {
				return err
			}
		}
	}
	return t.finish(ctx)
}

// outcome finds out whether step i ran when its answer was lost, and waits for it when it still runs.
func (t *transaction) outcome(ctx context.Context, p *progress, i int) *Error {
	s := &t.steps[i]
	for start := t.clock.Now(); p.steps[i] == "begun" && t.since(start) < s.timeout()+verbTime; {
		<-t.clock.Wait(settleEvery)
		var err *Error
		if p, err = t.state(ctx, len(t.steps), t.files); err != nil {
			return err
		}
	}
	switch p.steps[i] {
	case "none":
		return nil
	case "0":
		s.ran = true
		return nil
	case "begun":
		return t.about(&Error{Kind: Activation, Device: t.dev, Step: "activate", Detail: "it did not end in time"}, s.Cmd)
	}
	return t.about(&Error{Kind: Activation, Device: t.dev, Step: "activate", Detail: "exit status " + oneLine(p.steps[i])}, s.Cmd)
}

// readBack reads the device once more, by the same reader as the plan, and compares: going forward with what the tree
// wants, going back with what was there before.
func (t *transaction) readBack(ctx context.Context) *Error {
	ctx, cancel := context.WithTimeout(ctx, observeTime)
	defer cancel()
	h := (&reader{conn: t.conn, dev: t.dev}).read(ctx, false)
	if h.Err != nil {
		h.Err.Step = "verify"
		return h.Err
	}
	var wrong []string
	for i := range t.dev.Files {
		f, c := &t.dev.Files[i], h.Files[i]
		j := slices.IndexFunc(t.plan.Changes, func(c *Change) bool { return c.File == f })
		if j < 0 && (f.Live == nil || t.back) {
			continue
		}
		switch {
		case c.Reason != "":
			wrong = append(wrong, f.Path+": "+c.Reason)
		case t.back && sum(c.Data) != t.plan.Changes[j].Base:
			wrong = append(wrong, f.Path+" is not as it was before"+differences(f, c.Data, t.plan.Changes[j].Before))
		case !t.back:
			after, ds := f.Edit(c.Data)
			if ds.HasErrors() {
				wrong = append(wrong, f.Path+": "+firstError(ds))
			} else if sum(after) != sum(c.Data) {
				wrong = append(wrong, f.Path+" is not as written"+differences(f, c.Data, after))
			}
		}
	}
	if len(wrong) > 0 {
		return &Error{Kind: Activation, Device: t.dev, Step: "verify", Detail: oneLine(strings.Join(wrong, "; "))}
	}
	return nil
}

// differences says in which keys content differs from what it should be: ": cos is 3, not 4".
func differences(f *target.File, is, should []byte) string {
	c := change(f, FileState{Path: f.Path, Base: sum(is), Target: sum(should)}, is, should)
	var parts []string
	for _, k := range c.Keys {
		switch k.Action {
		case Create:
			parts = append(parts, k.Key+" is missing")
		case Delete:
			parts = append(parts, k.Key+" is there")
		default:
			parts = append(parts, fmt.Sprintf("%s is %s, not %s", k.Key, k.Before, k.After))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
