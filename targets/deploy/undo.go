package deploy

import (
	"context"
	"fmt"
	"strings"
)

// end brings a transaction that failed to its end: it takes away what was only prepared, or goes back, and says what
// the device holds now.
func (t *transaction) end(ctx context.Context, r *Result, why *Error) {
	r.Err = why
	if why == errInterrupted {
		r.Err = nil
	}
	switch {
	case why.lost && t.at < committing:
		r.Outcome, r.Detail = Refused, "Nothing was changed."+t.remains()
	case t.gone:
		r.Outcome, r.Detail = Unknown, t.mayHold()
	case t.at == unlocked && why != errInterrupted:
		r.Outcome, r.Detail = Refused, "Nothing was changed."
	case t.at < committing:
		r.Outcome, r.Detail = Refused, "Nothing was changed."
		if why == errInterrupted {
			r.Outcome = NotStarted
		}
		if t.at == preparing {
			r.Detail += t.release(ctx)
		}
	default:
		t.undo(ctx, r)
	}
}

// undo goes back. A connection lost on the way is opened once more; going back may be repeated.
func (t *transaction) undo(ctx context.Context, r *Result) {
	t.back = true
	for i := range t.steps {
		t.steps[i].ran = false
	}
	err := t.goBack(ctx)
	if err != nil && err.lost {
		if _, e := t.again(ctx); e == nil {
			err = t.goBack(ctx)
		}
	}
	switch {
	case err == nil && t.early:
		r.Outcome = Refused
		r.Detail = "Nothing was changed." + t.release(ctx)
	case err == nil && t.began:
		r.Outcome = Restored
		r.Detail = "What was there before is back in place and in use." + t.release(ctx)
	case err == nil:
		r.Outcome = Restored
		r.Detail = "What was there before is back in place; the device never used anything else." + t.release(ctx)
	case err.lost:
		r.Outcome = Unknown
		r.Detail = fmt.Sprintf("Going back failed: %s. %s", err.Detail, t.mayHold())
	default:
		r.Outcome = Unknown
		r.Detail = fmt.Sprintf("Going back failed: %s: %s. The content from before is in %s/backup/%s on the device; its file "+
			"`files` lists number, content before and after (SHA-256), and path.", err.Step, err.Detail, stateDir, t.txn)
		t.pending = true // whatever lies there may not be in use
		r.Detail += t.release(ctx)
	}
}

// goBack restores the files, puts them to use where the new ones may have been, and looks whether that worked.
func (t *transaction) goBack(ctx context.Context) *Error {
	if len(t.files) > 0 {
		if err := t.step("restore", func() *Error {
			_, err := t.verb(ctx, "restore", restoreVerb, nil, 0, fileArgs(t.files)...)
			return err
		}); err != nil {
			return err
		}
	}
	if t.began {
		for i := range t.steps {
			if !t.steps[i].undoes() {
				continue
			}
			if err := t.use(ctx, i, len(t.steps)+i); err != nil {
				return err
			}
		}
	}
	return t.step("verify", func() *Error { return t.readBack(ctx) })
}

// release takes away the temporary files and the lock. What stays when that fails is returned as a sentence, with a
// space before it; the settings are as they should be all the same.
func (t *transaction) release(ctx context.Context) string {
	pending := "none"
	if t.pending && !t.applied {
		pending = "keep"
	}
	t.at = releasing
	release := func() *Error {
		_, err := t.verb(ctx, "release", releaseVerb, nil, 0,
			append([]string{pending, fmt.Sprint(keepBackups)}, fileArgs(t.files)...)...)
		return err
	}
	err := t.step("release", release)
	if err != nil && err.lost {
		switch p, e := t.again(ctx); {
		case e != nil:
		case p.lock != t.txn:
			return "" // it was released, only the answer was lost
		default:
			if err = t.step("release", release); err != nil && err.Kind == Locked {
				return "" // released meanwhile, by the command that was on its way
			}
		}
	}
	switch {
	case err == nil:
		return ""
	case err.Kind == Locked:
		return " Somebody else removed the lock meanwhile; the next apply sweeps away the temporary files."
	}
	return fmt.Sprintf(" Cleaning up failed (%s).", err.Detail) + t.remains()
}

// remains says what a device that cannot be asked any more may keep.
func (t *transaction) remains() string {
	if t.at == unlocked {
		return fmt.Sprintf(" The lock %s/lock may remain, held by transaction %s; then remove it on the device: sudo rm -r %[1]s/lock.",
			stateDir, t.txn)
	}
	return fmt.Sprintf(" The lock %s/lock of transaction %s remains; remove it on the device: sudo rm -r %[1]s/lock. The next "+
		"apply sweeps away the temporary files (.rocec-%[2]s-*) beside those it was to change.", stateDir, t.txn)
}

// mayHold says what a device may hold when the connection was lost for good after the renames were asked for.
func (t *transaction) mayHold() string {
	var paths []string
	for _, c := range t.files {
		paths = append(paths, c.Path)
	}
	files := strings.Join(paths, ", ")
	var b strings.Builder
	b.WriteString("The connection broke and nothing could be brought to its end. ")
	switch {
	case len(t.files) == 0:
		b.WriteString("No file was to change; it is not known whether the settings did.")
	case t.at == committing || t.back:
		fmt.Fprintf(&b, "It is not known which of these hold the content from before and which the new one, each of them in full: %s.", files)
	default:
		fmt.Fprintf(&b, "The new content is in place in %s; it is not known whether the device uses it.", files)
	}
	if len(t.files) > 0 {
		fmt.Fprintf(&b, " The content from before is in %s/backup/%s on the device.", stateDir, t.txn)
	}
	b.WriteString(t.remains())
	b.WriteString(" When the device answers, `rocec plan` shows what is there, and what was put in place and may not be in use.")
	return b.String()
}
