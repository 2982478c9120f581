package unix

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Signal is the number of a signal, as on Linux on x86.
type Signal int

const (
	sigHUP  Signal = 1
	sigINT  Signal = 2
	sigKILL Signal = 9
	sigPIPE Signal = 13
	SIGTERM Signal = 15
)

// signals lists the supported signals with their names. text is the shell's message about a child that a signal ended.
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
	Signal
	name, said string
	harmless   bool // the signal ends no process
}

// signalOf finds a signal by its number; nil: not supported.
func signalOf(sig Signal) *signalRow {
	if i := slices.IndexFunc(signals, func(s signalRow) bool { return s.Signal == sig }); i >= 0 {
		return &signals[i]
	}
	return nil
}

// sigset is a set of signals, as a bit mask.
type sigset uint32

func (s sigset) has(sig Signal) bool { return s&(1<<sig) != 0 }

// killed is the error of a process that a signal ends.
type killed struct{ Signal }

// Error implements error.
func (killed) Error() string { return "killed" }

var (
	errPowerOff    = killed{sigKILL}
	ErrInterrupted = errors.New("interrupted by a signal")
)

// maxProcesses bounds the number of processes on a device at one time.
const maxProcesses = 1000

// processes is the process table of a device.
type processes struct {
	mu    sync.Mutex
	last  int // the highest assigned number
	byPid map[int]*Process
	ended sync.WaitGroup
}

// Process is an entry of the process table: a running program or a shell, each in its own goroutine.
type Process struct {
	m              *Machine
	pid, pgid, sid int // numbers of the process, its group and its session
	ctx            context.Context
	cancel         context.CancelCauseFunc
	fds            descriptors // open while the process runs
	done           chan struct{}
	status         int    // valid once done is closed
	by             killed // the signal that ended the process, valid once done is closed; zero: none

	// The fields below are guarded by the table's lock.
	uid     int
	ignored sigset
	caught  sigset        // signals with a trap
	pending sigset        // arrived signals with a trap
	trapped chan struct{} // holds one token while any is pending
	behind  bool          // in the background of its session
	client  bool          // a client outside of the device waits for it
	waiters []*Process    // processes that wait for it
	asleep  *Alarm        // of sleep
	shell   script        // for a shell that runs a script; nil: not a shell
	child   *Process      // a process that runs in the foreground
}

// NewPID returns a new number from the numbers of processes.
func (m *Machine) NewPID() int {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	m.procs.last++
	return m.procs.last
}

// fork makes a process. parent is the process that forks, or nil for the kernel. fork returns nil if the device is off or has too many
// processes.
func (m *Machine) fork(parent *Process, uid int) *Process {
	t := &m.procs
	t.mu.Lock()
	defer t.mu.Unlock()
	if m.off || len(t.byPid) >= maxProcesses {
		return nil
	}
	t.last++
	p := &Process{m: m, pid: t.last, pgid: t.last, sid: t.last, uid: uid, done: make(chan struct{}), trapped: make(chan struct{}, 1)}
	if parent != nil {
		p.pgid, p.sid, p.ignored, p.behind = parent.pgid, parent.sid, parent.ignored, parent.behind
	}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	t.byPid[p.pid] = p
	t.ended.Add(1)
	return p
}

// RunAwaited runs a process of root, and waits for it like a client, so its sleeps take no real time. Without power it does nothing.
func (m *Machine) RunAwaited(run func(self *Process)) {
	self := m.fork(nil, 0)
	if self == nil {
		return
	}
	self.client = true
	self.Start(func() int {
		run(self)
		return 0
	})
	<-self.done
}

// causeOf returns the signal that ended a process, if any. It is called after done is closed.
func causeOf(p *Process) (killed, bool) { return p.by, p.by.Signal != 0 }

// ID returns the number of the process.
func (p *Process) ID() int { return p.pid }

// Ended returns a channel that is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.done }

// Status returns the exit status of the process. It is called after Ended is closed.
func (p *Process) Status() int { return p.status }

// Terminated reports whether SIGTERM ended the process. It is called after Ended is closed.
func (p *Process) Terminated() bool { return p.by.Signal == SIGTERM }

// Killed returns a channel that is closed when the process must end.
func (p *Process) Killed() <-chan struct{} { return p.ctx.Done() }

// Start runs a process. run does its work and returns the exit status.
func (p *Process) Start(run func() int) {
	p.m.Clock.Work(1)
	go func() {
		status := run()
		var k killed
		if errors.As(context.Cause(p.ctx), &k) {
			status, p.by = 128+int(k.Signal), k
		}
		p.fds.release()
		t := &p.m.procs
		t.mu.Lock()
		p.status = status
		delete(t.byPid, p.pid)
		t.mu.Unlock()
		p.cancel(nil)
		p.m.Clock.Work(-1) // before the end is visible: a waiting process may then ask whether the device is idle
		close(p.done)
		t.ended.Done()
	}()
}

// block waits until ch is closed, or until the process must end. If interruptible is set, a signal with a trap also ends the wait.
func (p *Process) block(ch <-chan struct{}, interruptible bool) error {
	select {
	case <-ch:
		return nil
	default:
	}
	var trapped chan struct{}
	if interruptible {
		trapped = p.trapped
	}
	p.m.Clock.Work(-1)
	defer p.m.Clock.Work(1)
	select {
	case <-ch:
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	case <-trapped:
		trapped <- struct{}{}
		return ErrInterrupted
	}
}

// waiter returns block in the form that pipes use.
func (p *Process) waiter() Waiter {
	return func(changed <-chan struct{}) error { return p.block(changed, false) }
}

// Await waits for another process and returns its status. Meanwhile a client that waits for p also waits for the other process.
func (p *Process) Await(q *Process, foreground, interruptible bool) (int, error) {
	t := &p.m.procs
	t.mu.Lock()
	q.waiters = append(q.waiters, p)
	if foreground {
		p.child = q
	}
	t.mu.Unlock()
	err := p.block(q.done, interruptible)
	t.mu.Lock()
	q.waiters = slices.DeleteFunc(q.waiters, func(w *Process) bool { return w == p })
	if foreground {
		p.child = nil
	}
	t.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return q.status, nil
}

// awaited reports whether a client outside waits for a process, directly or through others. It is called with the table's lock held.
func (p *Process) awaited(depth int) bool {
	if p.client {
		return true
	}
	return depth < maxProcesses && slices.ContainsFunc(p.waiters, func(w *Process) bool { return w.awaited(depth + 1) })
}

// sleep waits until d has passed on the device's clock.
func (p *Process) sleep(d time.Duration) error { return p.sleepThen(d, func() {}) }

// sleepThen is like sleep, and calls begun after the sleep has begun.
func (p *Process) sleepThen(d time.Duration, begun func()) error {
	t := &p.m.procs
	rung := make(chan struct{})
	a := p.m.Clock.Set(d, func() bool {
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
	p.m.Clock.Drop(a)
	return err
}

// kill sends a signal. It is called with the table's lock held.
func (p *Process) kill(sig Signal) {
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

// Kill sends a signal for a user to a process, or to every process of group -pid. The signal 0 only checks whether sending is possible.
func (m *Machine) Kill(uid, pid int, sig Signal) error {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	found, may := false, false
	for _, p := range m.procs.byPid {
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

// hangUp sends SIGHUP to the foreground processes of a session whose connection was lost. Background processes go on, as under sshd
// without a terminal.
func (m *Machine) hangUp(sid int) {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	for _, p := range m.procs.byPid {
		if p.sid == sid && !p.behind {
			p.kill(sigHUP)
		}
	}
}

// toBackground records that a process runs in the background of its session.
func (m *Machine) toBackground(p *Process) {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	p.behind = true
}

// forsake records that no client outside waits for a process any more.
func (m *Machine) forsake(p *Process) {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	p.client = false
}

// EndAll ends every process, and waits for them.
func (m *Machine) EndAll() {
	m.procs.mu.Lock()
	for _, p := range m.procs.byPid {
		p.cancel(errPowerOff)
	}
	m.procs.mu.Unlock()
	m.procs.ended.Wait()
}

// signalNamed finds a signal by name or number.
func signalNamed(s string) (Signal, bool) {
	n, err := strconv.Atoi(s)
	i := slices.IndexFunc(signals, func(r signalRow) bool {
		return err == nil && int(r.Signal) == n || r.name == strings.TrimPrefix(s, "SIG")
	})
	if i < 0 {
		return 0, false
	}
	return signals[i].Signal, true
}

// script is the process table's interface of a shell that runs a script. Its methods are called with the table's lock held.
type script interface {
	// sleeping returns the alarm of a process that only sleeps, if its command is a separate statement of the script. Otherwise it
	// returns nil.
	sleeping(p *Process) *Alarm
	// saved returns the rest of the script. It is valid while sleeping returns an alarm.
	saved(p *Process) SavedShell
}

// sleeping returns the alarm of a process that only sleeps, from its script; nil: the process does something else. It is called with the
// table's lock held.
func (p *Process) sleeping() *Alarm {
	if p.shell == nil {
		return nil
	}
	return p.shell.sleeping(p)
}

// SavedShell is the saved state of a shell whose script sleeps, such as a dead-man's switch on a device without timers.
type SavedShell struct {
	PID, PGID, SID int
	User           string
	Ignored        sigset
	Dir            string
	Umask          fs.FileMode
	Name           string
	Script         string
	Next           int           // the command after the sleep
	Left           time.Duration // remaining time of the sleep; during saving, the time of its end
	Params         []string
	Vars           map[string]savedVariable
	Traps          map[string]string
	Options        string
}

type savedVariable struct {
	Value              string
	Exported, Readonly bool
}
