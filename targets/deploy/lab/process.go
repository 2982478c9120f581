package lab

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// signal is a signal's number, as Linux on x86 has them.
type signal int

const (
	sigHUP  signal = 1
	sigINT  signal = 2
	sigKILL signal = 9
	sigPIPE signal = 13
	sigTERM signal = 15
)

// signals are those that can be sent, with their names, and what a shell says of a child that died by one.
var signals = []signalRow{
	{1, "HUP", "Hangup", false},
	{2, "INT", "", false},
	{3, "QUIT", "Quit", false},
	{4, "ILL", "Illegal instruction", false},
	{6, "ABRT", "Aborted", false},
	{9, "KILL", "Killed", false},
	{10, "USR1", "User defined signal 1", false},
	{11, "SEGV", "Segmentation fault", false},
	{12, "USR2", "User defined signal 2", false},
	{13, "PIPE", "", false},
	{14, "ALRM", "Alarm clock", false},
	{15, "TERM", "Terminated", false},
	{17, "CHLD", "", true},
	{18, "CONT", "", true},
}

type signalRow struct {
	signal
	name, said string
	harmless   bool // it ends nobody
}

// signalOf finds a signal by its number; nil: it cannot be sent.
func signalOf(sig signal) *signalRow {
	if i := slices.IndexFunc(signals, func(s signalRow) bool { return s.signal == sig }); i >= 0 {
		return &signals[i]
	}
	return nil
}

// sigset is a set of signals, bit by bit.
type sigset uint32

func (s sigset) has(sig signal) bool { return s&(1<<sig) != 0 }

// killed is why a process had to end.
type killed struct{ signal }

// Error implements error.
func (killed) Error() string { return "killed" }

var (
	errPowerOff    = killed{sigKILL}
	errInterrupted = errors.New("interrupted by a signal")
)

// maxProcesses bounds what runs on a device at one time.
const maxProcesses = 1000

// processes is the process table of a device.
type processes struct {
	mu    sync.Mutex
	last  int // the highest number given
	byPid map[int]*process
	ended sync.WaitGroup
}

// process is an entry of the process table: a running program or a shell, each in a goroutine of its own.
type process struct {
	d              *Device
	pid, pgid, sid int // its number, group and session
	ctx            context.Context
	cancel         context.CancelCauseFunc
	fds            descriptors // open as long as it runs
	done           chan struct{}
	status         int    // once done is closed
	by             killed // the signal that ended it, once done is closed; the zero value: none

	// What follows is guarded by the table's lock.
	uid     int
	ignored sigset
	caught  sigset        // those a trap waits for
	pending sigset        // those that arrived for a trap
	trapped chan struct{} // holds one token while any is pending
	behind  bool          // in the background of its session
	client  bool          // somebody outside of the device waits for it
	waiters []*process    // processes that wait for it
	asleep  *alarm        // of sleep
	shell   *shell        // of a shell that runs a script; nil: it is none
	child   *process      // it runs in the foreground
}

// newPid numbers something as processes are.
func (d *Device) newPid() int {
	d.procs.mu.Lock()
	defer d.procs.mu.Unlock()
	d.procs.last++
	return d.procs.last
}

// fork makes a process; parent is who makes it, nil for the kernel. It is nil when the device is off or has too many.
func (d *Device) fork(parent *process, uid int) *process {
	t := &d.procs
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.off || len(t.byPid) >= maxProcesses {
		return nil
	}
	t.last++
	p := &process{d: d, pid: t.last, pgid: t.last, sid: t.last, uid: uid, done: make(chan struct{}), trapped: make(chan struct{}, 1)}
	if parent != nil {
		p.pgid, p.sid, p.ignored, p.behind = parent.pgid, parent.sid, parent.ignored, parent.behind
	}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	t.byPid[p.pid] = p
	t.ended.Add(1)
	return p
}

// causeOf is the signal that ended a process, if one did. It is asked after done is closed.
func causeOf(p *process) (killed, bool) { return p.by, p.by.signal != 0 }

// start runs a process; run returns its exit status.
func (p *process) start(run func() int) {
	p.d.clock.work(1)
	go func() {
		status := run()
		var k killed
		if errors.As(context.Cause(p.ctx), &k) {
			status, p.by = 128+int(k.signal), k
		}
		p.fds.release()
		t := &p.d.procs
		t.mu.Lock()
		p.status = status
		delete(t.byPid, p.pid)
		t.mu.Unlock()
		p.cancel(nil)
		p.d.clock.work(-1) // before anybody sees the end: whoever does may ask whether the device is idle
		close(p.done)
		t.ended.Done()
	}()
}

// block waits until ch is closed, or until the process must end or, where that matters, got a signal it has a trap for.
func (p *process) block(ch <-chan struct{}, interruptible bool) error {
	select {
	case <-ch:
		return nil
	default:
	}
	var trapped chan struct{}
	if interruptible {
		trapped = p.trapped
	}
	p.d.clock.work(-1)
	defer p.d.clock.work(1)
	select {
	case <-ch:
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	case <-trapped:
		trapped <- struct{}{}
		return errInterrupted
	}
}

// waiter is block for pipes.
func (p *process) waiter() waiter {
	return func(changed <-chan struct{}) error { return p.block(changed, false) }
}

// await waits for another process and returns its status. While it does, whoever waits for p waits for that one, too.
func (p *process) await(q *process, foreground, interruptible bool) (int, error) {
	t := &p.d.procs
	t.mu.Lock()
	q.waiters = append(q.waiters, p)
	if foreground {
		p.child = q
	}
	t.mu.Unlock()
	err := p.block(q.done, interruptible)
	t.mu.Lock()
	q.waiters = slices.DeleteFunc(q.waiters, func(w *process) bool { return w == p })
	if foreground {
		p.child = nil
	}
	t.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return q.status, nil
}

// awaited reports whether somebody outside waits for a process, through whatever processes. It is called with the
// table's lock held.
func (p *process) awaited(depth int) bool {
	if p.client {
		return true
	}
	return depth < maxProcesses && slices.ContainsFunc(p.waiters, func(w *process) bool { return w.awaited(depth + 1) })
}

// sleep lets d of the device's time pass.
func (p *process) sleep(d time.Duration) error { return p.sleepThen(d, func() {}) }

// sleepThen is sleep, and says when it has begun.
func (p *process) sleepThen(d time.Duration, begun func()) error {
	t := &p.d.procs
	rung := make(chan struct{})
	a := p.d.clock.set(d, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return p.awaited(0)
	}, func() { close(rung) })
	t.mu.Lock()
	p.asleep = a
	t.mu.Unlock()
	begun()
	err := p.block(rung, false)
	t.mu.Lock()
	p.asleep = nil
	t.mu.Unlock()
	p.d.clock.drop(a)
	return err
}

// kill sends a signal. It is called with the table's lock held.
func (p *process) kill(sig signal) {
	row := signalOf(sig)
	switch {
	case sig != sigKILL && (p.ignored.has(sig) || row == nil || row.harmless && !p.caught.has(sig)):
	case sig != sigKILL && p.caught.has(sig):
		p.pending |= 1 << sig
		select {
		case p.trapped <- struct{}{}:
		default:
		}
	default:
		p.cancel(killed{sig})
	}
}

// kill sends a signal to a process, or to every one of group -pid, for a user; 0 only looks whether it could.
func (d *Device) kill(uid, pid int, sig signal) error {
	d.procs.mu.Lock()
	defer d.procs.mu.Unlock()
	found, may := false, false
	for _, p := range d.procs.byPid {
		if p.pid != pid && p.pgid != -pid {
			continue
		}
		found = true
		if uid != 0 && uid != p.uid {
			continue
		}
		may = true
		if sig != 0 {
			p.kill(sig)
		}
	}
	switch {
	case !found:
		return errNoProcess
	case !may:
		return ePerm
	}
	return nil
}

const errNoProcess errno = "No such process"

// hangUp is what a lost connection does to what somebody waited for at its other end. What runs in the background goes on,
// as it does under sshd where there is no terminal.
func (d *Device) hangUp(sid int) {
	d.procs.mu.Lock()
	defer d.procs.mu.Unlock()
	for _, p := range d.procs.byPid {
		if p.sid == sid && !p.behind {
			p.kill(sigHUP)
		}
	}
}

// toBackground notes that a process runs in the background of its session.
func (d *Device) toBackground(p *process) {
	d.procs.mu.Lock()
	defer d.procs.mu.Unlock()
	p.behind = true
}

// forsake notes that nobody outside waits for a process any more.
func (d *Device) forsake(p *process) {
	d.procs.mu.Lock()
	defer d.procs.mu.Unlock()
	p.client = false
}

// endAll ends every process, and waits for them.
func (d *Device) endAll() {
	d.procs.mu.Lock()
	for _, p := range d.procs.byPid {
		p.cancel(errPowerOff)
	}
	d.procs.mu.Unlock()
	d.procs.ended.Wait()
}
