package rollout_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

const runFolder = boxtest.State + "/txn-txn-1"

// hold applies a change that stays unconfirmed and in use.
func (b box) hold(t testing.TB) *deploy.Plan {
	p := b.plan(t)
	b.is(t, b.applyWith(t, p, holdFor(time.Hour)), deploy.Unconfirmed, "", "")
	return p
}

// somebody starts a process that is unrelated to rocec. done is closed at its end.
func somebody(t testing.TB) (pid int, done chan struct{}) {
	c := exec.Command("sleep", "600")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, c.Start())
	done = make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Wait()
	}()
	t.Cleanup(func() { _ = c.Process.Kill(); <-done })
	return c.Process.Pid, done
}

// link returns a connection to the device.
func (b box) link(t testing.TB) *device.Device {
	d := device.New(b.Dev, b.Dial, nil, device.Clock(fast))
	t.Cleanup(d.Close)
	require.Nil(t, d.Connect(t.Context(), ""))
	return d
}

// The PID of a commit, a timer or a first command now belongs to an unrelated process. rocec neither waits for that process nor ends it.
func numberOfAnother(t testing.TB, b box) {
	for _, goal := range []txn.Goal{txn.Keep, txn.Back} {
		p := b.hold(t)
		require.NoFileExists(t, b.Root+runFolder+"/pid", "the commit is over")
		pid, done := somebody(t)
		b.Write(runFolder+"/pid", fmt.Sprintln(pid, 4711))
		b.Write(runFolder+"/working", fmt.Sprintln(pid, 4711))
		b.Write(runFolder+"/timer", fmt.Sprintln(pid, 4711))
		r := b.resume(t, p, goal)
		require.Contains(t, []deploy.Outcome{deploy.Applied, deploy.Restored}, r.Outcome, b.said(r))
		select {
		case <-done:
			require.Fail(t, "an unrelated process was ended")
		case <-time.After(100 * time.Millisecond):
		}
		b.Kill() // the timer whose number was replaced
		b.Write("/etc/app/conf", boxtest.OldConf)
	}
	pid, _ := somebody(t)
	b.lock(t, "txn txn-0\nkey abcd\n")
	b.Write(boxtest.State+"/lock/pid", fmt.Sprintln(pid, strings.TrimSpace(b.Read("/run/boot_id")), 4711))
	require.Nil(t, b.unlock(t, &deploy.Owner{Txn: "txn-0", Key: "abcd"}))
}

// Two of three files can never be restored; the third is restored. After a temporary error the undo is tried again.
func oneFileStuck(t testing.TB, b box) {
	b.Systemd()
	for _, name := range []string{"/etc/app/one", "/etc/app/two"} {
		b.Write(name, boxtest.OldConf)
		f := boxtest.ConfFile(b.Root+name, "green")
		f.Activate = b.Dev.Files[0].Activate
		b.Dev.Files = append(b.Dev.Files, f)
	}
	p := b.hold(t)
	reloads := strings.Count(b.Read("/run/reloads"), "reload")
	b.Stub("mv", `case "$*" in *" "*/app/conf | *" "*/app/one) echo "mv: cannot move: Operation not permitted" >&2; exit 1 ;; esac; exec /bin/mv "$@"`)
	r := b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Unknown, "", "The earlier content could not be put back into /etc/app/conf, /etc/app/one.")
	require.NotNil(t, r.Undo)
	require.Contains(t, b.said(r), "After this is corrected, run rocec rollback txn-1 --target leaf01")
	for _, name := range []string{"/etc/app/conf", "/etc/app/one"} {
		require.Contains(t, b.said(r), "cannot restore "+name)
		require.Equal(t, boxtest.NewConf, b.Read(name))
	}
	require.Equal(t, boxtest.OldConf, b.Read("/etc/app/two"))
	require.Equal(t, reloads+1, strings.Count(b.Read("/run/reloads"), "reload"), "the old content is put to use")
	require.Equal(t, []string{deploy.HoldsNew, deploy.HoldsNew, deploy.HoldsOld},
		[]string{r.Files[0].Holds, r.Files[1].Holds, r.Files[2].Holds})

	b = newBoxLike(t, b)
	b.Systemd()
	p = b.hold(t)
	b.Stub("mv", `case "$*" in *" "*/app/conf) if mkdir `+b.Root+
		`/run/once 2>/dev/null; then echo "mv: I/O error" >&2; exit 1; fi ;; esac; exec /bin/mv "$@"`)
	r = b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Restored, "", "")
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
	b.bare(t)

	b = newBoxLike(t, b)
	b.Systemd()
	p = b.hold(t)
	b.Stub("mv", `case "$*" in *" "*/app/conf) echo "mv: cannot move: Operation not permitted" >&2; exit 1 ;; esac; exec /bin/mv "$@"`)
	b.is(t, b.resume(t, p, txn.Back), deploy.Unknown, "", "cannot restore /etc/app/conf")
	require.Equal(t, "reload\n", b.Read("/run/reloads"), "nothing is back")
}

// A person gives the lock to another run while the first run prepares.
func lockLostInPrepare(t testing.TB, b box) {
	b.Dev.Files[0].Precheck = "printf 'txn txn-9\\nkey abcd\\n' >" + boxtest.State + "/lock/owner; echo 7 >" + boxtest.State +
		"/lock/pid; exit 3"
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Refused, deploy.Rejected, "")
	require.Equal(t, "txn txn-9\nkey abcd\n", b.Read(boxtest.State+"/lock/owner"))
	require.Equal(t, "7\n", b.Read(boxtest.State+"/lock/pid"))
	require.NoDirExists(t, b.Root+runFolder)
}

func unlockWhilePreparing(t testing.TB, b box) {
	b.Dev.Files[0].Precheck = "echo >" + b.Root + "/run/checking; while [ ! -e " + b.Root + "/run/go ]; do sleep 0.1; done"
	p := b.plan(t)
	var err *deploy.Error
	var wg sync.WaitGroup
	wg.Go(func() {
		b.seen("/run/checking")
		o := deploy.ParseOwner(b.Read(boxtest.State + "/lock/owner"))
		err = b.unlock(t, o)
		b.Write("/run/go", "x")
	})
	r := b.applyWith(t, p)
	wg.Wait()
	require.NotNil(t, err)
	require.Equal(t, deploy.Locked, err.Kind)
	require.Contains(t, err.Detail, "still running on the device: the first command of run txn-1 has not ended")
	b.is(t, r, deploy.Applied, "", "")
	b.bare(t)
}

// Another run begins and a person runs unlock while the first run is confirmed, but not yet on the disk.
func takenWhileConfirming(t testing.TB, b box) {
	b.Systemd()
	x := b.Root + runFolder
	b.Stub("sync", `[ "$1" != --help ] || { echo --file-system; exit; }
[ -e `+x+`/state.confirmed ] || exit 0
if mkdir `+b.Root+`/run/flushing 2>/dev/null; then while [ ! -e `+b.Root+`/run/go ]; do sleep 0.1; done; fi`)
	p := b.plan(t)
	var second *deploy.Result
	var refused *deploy.Error
	var wg sync.WaitGroup
	r := b.applyWith(t, p, at("confirm", func() {
		wg.Go(func() {
			defer b.Write("/run/go", "x")
			b.seen("/run/flushing")
			refused = b.unlock(t, deploy.ParseOwner(b.Read(boxtest.State+"/lock/owner")))
			second = b.applyWith(t, p, func(o *rollout.ApplyOptions) { o.Run = deploy.Run{Name: "txn-2", Key: "abcd", Owner: "bob@ws9"} })
		})
	}))
	wg.Wait()
	require.NotNil(t, refused)
	require.Contains(t, refused.Detail, "a command of run txn-1 has not ended")
	b.is(t, second, deploy.Refused, deploy.Locked, "locked by alice@ws7")
	b.is(t, r, deploy.Applied, "", "")
	b.wholly(t, r)
	b.bare(t)
}

// Another run begins after the device has gone back by itself, and before this result is on the disk.
func takenWhileUndoing(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.Stub("sync", `[ "$1" != --help ] || { echo --file-system; exit; }
[ -e `+b.Root+runFolder+`/state.undone ] || exit 0
if mkdir `+b.Root+`/run/flushing 2>/dev/null; then while [ ! -e `+b.Root+`/run/go ]; do sleep 0.1; done; fi`)
	var wg sync.WaitGroup
	wg.Go(b.Fire)
	b.seen("/run/flushing")
	r := b.applyWith(t, b.plan(t), func(o *rollout.ApplyOptions) { o.Run = deploy.Run{Name: "txn-2", Key: "abcd", Owner: "bob@ws9"} })
	b.Write("/run/go", "x")
	wg.Wait()
	b.is(t, r, deploy.Refused, deploy.Locked, "locked by alice@ws7")
	b.is(t, b.resume(t, p, txn.Keep), deploy.Reverted, "", "by itself")
	b.bare(t)
}

// seen waits until a file or folder exists.
func (b box) seen(path string) {
	for {
		if _, err := os.Stat(b.Root + path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A handmade mark states that the run is undone, and the files show that it is not.
func twoMarks(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.Write(runFolder+"/state.undone", "")
	r := b.resume(t, p, txn.Keep)
	b.is(t, r, deploy.Unknown, "", "/etc/app/conf: the new content")

	b = newBoxLike(t, b)
	b.Systemd()
	p = b.hold(t)
	b.Fire()
	b.Write("/etc/app/conf", handConf) // after the device has gone back
	r = b.resume(t, p, txn.Keep)
	b.is(t, r, deploy.Conflict, "", "Another person or program changed /etc/app/conf")
}

// If files in the folder of the run have more lines than rocec writes, rocec does not treat the lines as reports of the device.
func linesInAFile(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.Write(runFolder+"/by", "timer\nmark confirmed\n")
	b.Write(runFolder+"/step.00/in-use", "x\nmark confirmed\nloaded\n")
	b.Write(runFolder+"/why", "rocec-fail stale\nmark confirmed\n")
	require.NoError(t, os.Mkdir(b.Root+runFolder+"/step.0\nmark confirmed", 0o700))
	b.Write(runFolder+"/step.0\nmark confirmed/begun", "")
	r, err := b.link(t).State(t.Context(), testRun, device.NewChange(p.Devices[0]))
	require.Nil(t, err)
	require.Equal(t, txn.Loaded, r.Mark)
	require.True(t, r.Self)
}

func counterWithZero(t testing.TB, b box) {
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State, 0o700))
	b.Write(boxtest.State+"/counter", "009\n")
	b.is(t, b.applyWith(t, b.plan(t)), deploy.Applied, "", "")
	require.Equal(t, "10\n", b.Read(boxtest.State+"/counter"))
	b.bare(t)
}

// The error of a commit is one long line, and the answer of the commit is lost.
func longReason(t testing.TB, b box) {
	b.Systemd()
	long := b.Slowed(time.Second)
	b.step(func(s *target.Step) {
		s.Timeout, s.Loaded = long, &target.Query{Cmd: "cd " + b.Root + "; ! grep -q green etc/app/conf || { printf %0900d 0; exit 1; }"}
	})
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	r := b.resume(t, p, txn.Keep)
	b.is(t, r, deploy.Restored, deploy.Activation, "failed: 000000")
}

// namesake returns another device of the fabric that is the same machine.
func (b box) namesake() *target.Tree {
	two := *b.Dev
	two.Name = b.Dev.Name + "-again"
	two.Files = append([]target.File(nil), b.Dev.Files...)
	two.Files[0] = boxtest.ConfFile(b.Root+"/etc/app/conf", "blue")
	two.Files[1] = boxtest.ConfFile("daemon/conf", "blue")
	two.Files[1].Live = b.Dev.Files[1].Live
	two.Files[0].Activate, two.Files[1].Activate = b.Dev.Files[0].Activate, b.Dev.Files[1].Activate
	return &target.Tree{Devices: []*target.Device{b.Dev, &two}}
}

func (b box) both(t testing.TB, more ...func(*rollout.ApplyOptions)) (*deploy.Plan, *deploy.Results) {
	tree := b.namesake()
	p := deploy.Diff(tree, rollout.Observe(t.Context(), b.Dial, tree, rollout.ObserveOptions{Probes: rollout.Every}))
	rep, err := rollout.Apply(t.Context(), b.Dial, p, options(append(more, func(o *rollout.ApplyOptions) { o.MaxFailures = 2 })...))
	require.NoError(t, err)
	return p, rep
}

// Two devices of the fabric are one machine. The second device is refused, and the first one goes on unaffected.
func oneMachine(t testing.TB, b box) {
	b.Systemd()
	_, rep := b.both(t)
	outcome := map[deploy.Outcome]*deploy.Result{}
	for _, r := range rep.Devices {
		outcome[r.Outcome] = r
	}
	require.Len(t, outcome, 2)
	require.NotNil(t, outcome[deploy.Applied], outcomes(rep))
	b.is(t, outcome[deploy.Refused], deploy.Refused, deploy.Locked, "both lead to the same machine")
	require.Equal(t, "reload\n", b.Read("/run/reloads"))
	b.bare(t)

	b = newBoxLike(t, b)
	b.Systemd()
	p, rep := b.both(t, holdFor(time.Hour), func(o *rollout.ApplyOptions) { o.Parallel = 1 })
	require.Equal(t, "unconfirmed refused", outcomes(rep))
	require.Len(t, b.Timers(), 1)
	p.Devices = p.Devices[:1]
	r := b.resume(t, p, txn.Keep)
	b.is(t, r, deploy.Applied, "", "")
	b.wholly(t, r)
	b.bare(t)
}

// The first run has gone back by itself, and no command has read this result yet. The second run does not remove the result.
func oneMachineUndone(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.Fire()
	b.undone(t)
	tree := b.namesake()
	tree.Devices = tree.Devices[1:]
	second := deploy.Diff(tree, rollout.Observe(t.Context(), b.Dial, tree, rollout.ObserveOptions{Probes: rollout.Every}))
	b.is(t, b.applyWith(t, second), deploy.Refused, deploy.Locked, "both lead to the same machine")
	b.is(t, b.resume(t, p, txn.Keep), deploy.Reverted, "", "by itself")
	b.bare(t)
}
