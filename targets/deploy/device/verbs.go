package device

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Unnamed stands for the run of a lock that contains no name. Its holder died, or the power was cut, before the name was on the disk.
const Unnamed = "?"

// Report is the state of a run that a device reports.
type Report struct {
	txn.Device
	Lock     string         // name and key of the run that holds the lock; empty: the lock is free; Unnamed
	Rebooted bool           // since the commit
	By       string         // who undid it: "timer", "boot", "asked", or "body", the commit itself; empty: not undone
	Ended    txn.Mark       // for a run without a folder: its last mark; Absent: the device has not kept the mark
	Until    time.Duration  // time until the device undoes the change by itself; 0: it does not
	Files    []string       // by file of the change: its SHA-256, or "absent", "link", "special", "unreadable"
	Began    []bool         // by step: the step has begun
	InUse    map[int]string // by step that is seen to be loaded: the text that the device reported
	Left     []string       // temporary files
	Why      *deploy.Error  // why the commit had to be undone; nil: no reason
	Unwhy    *deploy.Error  // why the undo failed; nil: it did not fail
	Notes    []string       // the output of an undo that worked
	Refuses  map[int]string // by restored file: why the vendor's checker refuses it
	Backup   bool           // the device has a backup of the whole content from before the run
	Acts     []deploy.Act   // verbs that people ran for the run on the device, each verb once
}

// failures maps the words that the scripts print to kinds of errors.
var failures = map[string]deploy.Kind{
	"read-only":   deploy.Disk,
	"no-space":    deploy.Disk,
	"failed":      deploy.Disk,
	"permission":  deploy.Permission,
	"foreign":     deploy.Permission,
	"locked":      deploy.Locked,
	"marked":      deploy.Locked,
	"lost-lock":   deploy.Locked,
	"armed":       deploy.Locked,
	"working":     deploy.Locked,
	"given":       deploy.Journal,
	"stale":       deploy.Stale,
	"conflict":    deploy.Stale,
	"truncated":   deploy.Unreachable,
	"rejected":    deploy.Rejected,
	"activation":  deploy.Activation,
	"unsettled":   deploy.Activation,
	"unconfirmed": deploy.Activation,
	"gone":        deploy.Stale,
	"unsigned":    deploy.Permission,
	"gate":        deploy.Permission,
}

// Prepare takes the lock and writes everything that the run needs beside the files. If Prepare fails, it removes everything again, except
// the files that the error names.
func (d *Device) Prepare(ctx context.Context, run deploy.Run, c *Change, t Timers) *deploy.Error {
	here := d.here(run)
	begin, stdin := scripts.Begin(here.Name, here.Key), payload(d, here, c, t)
	_, err := d.verb(ctx, "prepare", byGate("prepare"), begin, stdin, 2*time.Minute, c, run.Owner)
	if err != nil && err.Holder != nil && err.Holder.Txn == run.Name {
		err.Detail = fmt.Sprintf("locked by %s, for another device of the fabric: both lead to the same machine. Correct the address of one.",
			err.Holder)
	}
	return err
}

// here returns the run with the key for this device. The key derives from run and device. So if two devices of the fabric are one
// machine, the second one treats the lock of the first like the lock of another run.
func (d *Device) here(run deploy.Run) deploy.Run {
	run.About.Head = d.Head
	run.Key = keyOn(run, d.Of.Name)
	return run
}

// Commit puts the new content in place and to use, and reads the device. If that fails, Commit restores the old content. It may be called
// again after a lost connection: a commit that has begun goes on, and Commit waits for it.
func (d *Device) Commit(ctx context.Context, run deploy.Run, c *Change, t Timers) (*Report, *deploy.Have, *deploy.Error) {
	return d.and(ctx, "activate", run, c, "commit", t.First+c.Work())
}

// Check returns the state of the run on the device, and reads the device with samples.
func (d *Device) Check(ctx context.Context, run deploy.Run, c *Change) (*Report, *deploy.Have, *deploy.Error) {
	return d.and(ctx, "verify", run, c, "state", 0)
}

// Confirm keeps the change: the device no longer undoes it by itself.
func (d *Device) Confirm(ctx context.Context, run deploy.Run, c *Change) (*Report, *deploy.Error) {
	return d.call(ctx, "confirm", run, c, "confirm", c.Keeping())
}

// Extend sets the time, from now on, after which the device undoes the change by itself.
func (d *Device) Extend(ctx context.Context, run deploy.Run, c *Change, by time.Duration) (*Report, *deploy.Error) {
	here, wait := d.here(run), strconv.Itoa(seconds(by))
	out, err := d.verb(ctx, "confirm", byGate("extend", here.Name, here.Key, c.digest(), wait), calling(here, c), nil, 0, c, "extend", wait)
	if out == nil {
		return nil, err
	}
	return d.report(run, c, out), err
}

// Undo restores the old content and puts it to use.
func (d *Device) Undo(ctx context.Context, run deploy.Run, c *Change) (*Report, *deploy.Error) {
	return d.call(ctx, "restore", run, c, "undo", c.Work()+c.judging()+time.Minute)
}

// Release removes the lock, and the files that only a running change needs.
func (d *Device) Release(ctx context.Context, run deploy.Run, c *Change) (*Report, *deploy.Error) {
	return d.call(ctx, "release", run, c, "release", 0)
}

// State returns the state of the run on the device.
func (d *Device) State(ctx context.Context, run deploy.Run, c *Change) (*Report, *deploy.Error) {
	return d.call(ctx, "state", run, c, "state", 0)
}

// Unlock removes the lock of a run that is over, and the files of the run. It refuses while the run is neither kept nor undone, and when
// another run holds the lock.
func (d *Device) Unlock(ctx context.Context, holder *deploy.Owner, who string) *deploy.Error {
	held := Unnamed
	if holder.Txn != "" {
		held = strings.TrimSuffix(holder.Txn+" "+holder.Key, " ")
	}
	who = deploy.OneLine(who)
	_, err := d.verb(ctx, "unlock", byGate("unlock", held, who), scripts.Unlock(), nil, 0, nil, held, who)
	return err
}

// call runs a verb of the run's script.
func (d *Device) call(ctx context.Context, step string, run deploy.Run, c *Change, verb string, more time.Duration) (
	*Report, *deploy.Error,
) {
	here := d.here(run)
	out, err := d.verb(ctx, step, byGate("call", here.Name, here.Key, c.digest(), verb, run.Actor(), d.Head), calling(here, c), nil, more, c,
		verb, "asked", run.Actor(), d.Head)
	if out == nil {
		return nil, err
	}
	return d.report(run, c, out), err
}

// and runs a verb and then reads the device, in one command.
func (d *Device) and(ctx context.Context, step string, run deploy.Run, c *Change, verb string, more time.Duration) (
	*Report, *deploy.Have, *deploy.Error,
) {
	q := ask(d.Of, Want{Probes: true})
	ctx, cancel := context.WithTimeout(ctx, verbTime+more)
	defer cancel()
	if d.conn == nil {
		return nil, nil, d.unconnected(step)
	}
	arg, stdin := q.send()
	here := d.here(run)
	gate := gateAndRead("call", here.Name, here.Key, c.digest(), verb, run.Actor(), d.Head)
	out, err := d.asRoot(ctx, false, stdin, gate, verbAndRead, calling(here, c), arg, verb)
	if err != nil {
		lines, e := d.failure(step, c, out, err)
		if lines == nil {
			return nil, nil, e
		}
		return d.report(run, c, lines), nil, e
	}
	said, read, ok := strings.Cut(string(out), "\nOK\n")
	if !ok {
		return nil, nil, d.cutShort(step)
	}
	h := d.answered(ctx, q, []byte(read))
	if h.Err != nil {
		h.Err.Step = step
		return nil, nil, h.Err
	}
	return d.report(run, c, stateLines(strings.Split(said, "\n"))), h, nil
}

// verb runs one script, or gate on a device with a gate. more is added to the time limit of a verb. The returned lines describe the state.
// They may come together with an error, if the device reported both.
func (d *Device) verb(ctx context.Context, step, gate, script string, stdin []byte, more time.Duration, c *Change, args ...string) (
	[]string, *deploy.Error,
) {
	if d.conn == nil {
		return nil, d.unconnected(step)
	}
	ctx, cancel := context.WithTimeout(ctx, verbTime+more)
	defer cancel()
	out, err := d.asRoot(ctx, false, stdin, gate, script, args...)
	if err != nil {
		return d.failure(step, c, out, err)
	}
	lines := strings.Split(string(out), "\n")
	if n := len(lines); n < 2 || lines[n-1] != "" || lines[n-2] != "OK" {
		return nil, d.cutShort(step)
	}
	return stateLines(lines[:len(lines)-2]), nil
}

func (d *Device) unconnected(step string) *deploy.Error {
	return &deploy.Error{Kind: deploy.Unreachable, Device: d.Of, Step: step, Lost: true, Detail: "there is no connection"}
}

func (d *Device) cutShort(step string) *deploy.Error {
	return &deploy.Error{Kind: deploy.Unreachable, Device: d.Of, Step: step, Lost: true, Detail: "the device's answer breaks off"}
}

// stateLines are the lines that follow the line "state".
func stateLines(lines []string) []string {
	for i, l := range lines {
		if l == "state" {
			return lines[i+1:]
		}
	}
	return []string{}
}

// failure returns why a verb failed: the words of the script, or the error of a command that did not reach the script. It also returns
// the state, if the device reported it.
func (d *Device) failure(step string, c *Change, out []byte, err error) ([]string, *deploy.Error) {
	exit, ok := errors.AsType[*target.ExitError](err)
	if !ok {
		return nil, runError(d.Of, step, err)
	}
	var state []string // the state, if the device reported it
	lines := strings.Split(string(out), "\n")
	if n := len(lines); n >= 2 && lines[n-2] == "OK" {
		state = stateLines(lines[:n-2])
	}
	e := d.said(step, c, exit.Stderr)
	switch {
	case e != nil:
		e.Err = err
	case state != nil:
		e = runError(d.Of, step, err)
		e.Kind = deploy.Activation
	default: // the script was killed or did not start: only the device knows
		e = runError(d.Of, step, err)
		e.Lost = e.Kind == deploy.Unreachable
	}
	return state, e
}

// said returns the first failure that a script reported, or nil if not found.
func (d *Device) said(step string, c *Change, text string) *deploy.Error {
	_, text, ok := strings.Cut("\n"+text, "\nrocec-fail ")
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "\nrocec-fail ")
	word, text, _ := strings.Cut(text, "\n")
	word, nth, _ := strings.Cut(strings.TrimSpace(word), " ")
	kind, known := failures[word]
	if !known {
		return nil
	}
	e := &deploy.Error{Kind: kind, Device: d.Of, Step: step, Detail: deploy.OneLine(text)}
	switch word {
	case "locked", "marked":
		e.Holder = deploy.ParseOwner(text)
		e.Holder.Beside = word == "marked"
		e.Detail = e.Holder.Holds(d.Of.Name) + " " + e.Holder.GoOn(d.Of.Name)
	case "armed":
		e.Detail = "its change is neither kept nor undone: " + e.Detail
	case "working":
		e.Detail = "it is still running on the device: " + e.Detail
	case "given":
		e.Detail, e.None = notGiven(strings.TrimSpace(text), nth), nth == "none"
	case "stale":
		e.Detail = "changed after the plan was made: " + e.Detail + ". Plan again to see what changed."
	case "conflict":
		e.Detail = "another person or program changed it meanwhile, so it was left alone: " + e.Detail
	case "unsigned":
		e.Detail = "its gate refuses the order: " + e.Detail
	case "gate":
		e.Detail = "its gate refuses the command: " + e.Detail
	case "read-only":
		e.Detail = "the file system is read-only: " + e.Detail
	case "no-space":
		e.Detail = "no space left: " + e.Detail
	case "activation", "unsettled":
		if i, err := strconv.Atoi(nth); err == nil && c != nil && i >= 0 && i < len(c.Steps) {
			cmd := c.Steps[i].Cmd
			if word == "unsettled" && c.Steps[i].Loaded != nil {
				cmd = c.Steps[i].Loaded.Cmd
				e.Step = "settle"
			}
			if e.Detail == "" {
				e.Detail = "it printed nothing"
			}
			e.Detail = fmt.Sprintf("`%s` failed: %s", brief(cmd), e.Detail)
		}
	}
	return e
}

// brief shortens a command for use in a sentence: to its beginning, or to the comment in its first line.
func brief(cmd string) string {
	const most = 100
	if first, _, _ := strings.Cut(cmd, "\n"); strings.HasPrefix(first, "# ") {
		cmd = first[2:]
	}
	cmd = deploy.OneLine(cmd)
	if len(cmd) > most {
		cmd = strings.ToValidUTF8(cmd[:most], "") + "…"
	}
	return cmd
}

// report parses the state that a device reported. It ignores invalid parts.
func (d *Device) report(run deploy.Run, c *Change, lines []string) *Report {
	r := &Report{InUse: map[int]string{}, Refuses: map[int]string{}}
	var why, unwhy string
	if c != nil {
		r.Files, r.Began = make([]string, len(c.Files)), make([]bool, len(c.Steps))
	}
	for _, l := range lines {
		key, value, _ := strings.Cut(l, " ")
		switch key {
		case "lock":
			r.Lock = value
			r.Device.Lock = txn.Theirs
			switch value {
			case "":
				r.Device.Lock = txn.Free
			case run.Name + " " + d.here(run).Key:
				r.Device.Lock = txn.Ours
			}
		case "mark":
			r.Mark, _ = txn.ParseMark(value)
		case "busy":
			r.Busy = true
		case "rebooted":
			r.Rebooted = true
		case "by":
			r.By, r.Self = deploy.OneLine(value), value == deploy.ByTimer || value == deploy.ByBoot
		case "ended":
			mark, by, _ := strings.Cut(value, " ")
			r.Ended, _ = txn.ParseMark(mark)
			r.By = deploy.OneLine(by)
		case "until":
			if n, err := strconv.Atoi(value); err == nil {
				r.Until = time.Duration(max(n, 1)) * time.Second
			}
		case "file":
			if n, sum, ok := strings.Cut(value, " "); ok {
				if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(r.Files) {
					r.Files[i] = sum
				}
			}
		case "begun":
			if i, err := strconv.Atoi(value); err == nil && i >= 0 && i < len(r.Began) {
				r.Began[i] = true
			}
		case "use":
			if n, what, ok := strings.Cut(value, " "); ok {
				if i, err := strconv.Atoi(n); err == nil {
					r.InUse[i] = what
				}
			}
		case "left":
			r.Left = append(r.Left, deploy.OneLine(value))
		case "why":
			why += value + "\n"
		case "unwhy":
			unwhy += value + "\n"
		case "backup":
			r.Backup = value == "yes"
		case "refuses":
			n, text, _ := strings.Cut(value, " ")
			if i, err := strconv.Atoi(n); err == nil {
				r.Refuses[i] = deploy.OneLine(r.Refuses[i] + " " + text)
			}
		case "who":
			if act := deploy.ParseAct(value); act.Who != "" {
				r.Acts = append(r.Acts, act)
			} else if n := len(r.Acts); n > 0 {
				r.Acts[n-1].ParseHead(value)
			}
		case "notes":
			r.Notes = append(r.Notes, deploy.OneLine(value))
		}
	}
	r.Why, r.Unwhy = d.said("activate", c, why), d.said("restore", c, unwhy)
	return r
}

// Sweep removes the files of a run without a lock. It refuses while the run is neither kept nor undone.
func (d *Device) Sweep(ctx context.Context, run, who string) *deploy.Error {
	if !deploy.ValidRun(run) {
		return &deploy.Error{Kind: deploy.Stale, Device: d.Of, Step: "unlock", Detail: "this is not the name of a run: " + deploy.OneLine(run)}
	}
	who = deploy.OneLine(who)
	_, err := d.verb(ctx, "unlock", byGate("sweep", run, who), scripts.Sweep(run), nil, 0, nil, who)
	return err
}

// calling returns the script that resumes a run by a verb. The script fails unless the run on the device has the digest of the change; nil:
// the digest is not known.
func calling(run deploy.Run, c *Change) string {
	return scripts.Call(run.Name, run.Key, c.digest())
}
