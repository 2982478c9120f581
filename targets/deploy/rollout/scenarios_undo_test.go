package rollout_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// A device whose systemd-run is missing or has no timers runs the undo by a separate process.
func withoutSystemd(t testing.TB, b box) {
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p, func(o *rollout.ApplyOptions) { o.DeadMan = time.Second })
	require.Eventually(t, func() bool {
		return b.Read(boxtest.State+"/txn-txn-1/state.undone") != "-" && b.Read("/run/loaded") == boxtest.OldConf
	},
		10*time.Minute, 50*time.Millisecond)
	b.undone(t)
	require.Eventually(t, func() bool { return len(b.AtWork()) == 0 }, 10*time.Minute, 20*time.Millisecond) // it holds its lock that long
	b.again(t)
}

// undone waits until the mark of a run is undone.
func (b box) undone(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := os.Stat(b.Root + boxtest.State + "/txn-txn-1/state.undone")
		return err == nil
	}, 10*time.Minute, 20*time.Millisecond)
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
}

// The controller dies when the change is in use. The device undoes the change.
func controllerDies(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Unknown, deploy.Unreachable, "The device undoes the change by itself within")
	b.holds(t, boxtest.NewConf, boxtest.NewConf)
	require.Len(t, b.Timers(), 1)
	b.Fire()
	b.undone(t)
	require.Empty(t, b.Timers())
	require.NoFileExists(t, b.Root+"/etc/systemd/system/rocec-undo-txn-1.service")
	r = b.resume(t, p, txn.Keep)
	b.is(t, r, deploy.Reverted, "", "by itself")
	b.bare(t)
	b.again(t)
}

// The power fails when the change is in use and not confirmed. The change is undone before the daemon reads the file again.
func powerCut(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	r := b.applyWith(t, p, at("confirm", func() { b.PowerCut() }))
	b.is(t, r, deploy.Reverted, "", "restarted (reboot or power cut) before the change was confirmed")
	b.wholly(t, r)
	require.Equal(t, "reload\n", b.Read("/run/reloads"), "at boot the daemon reads the file anyway")
	b.bare(t)
}

func powerCutAtWork(t testing.TB, b box) {
	b.Systemd()
	r := b.cutAtWork(t, b.plan(t), func() { b.Daemon(""); b.PowerCut() })
	b.is(t, r, deploy.Reverted, "", "by itself")
	b.wholly(t, r)
	b.bare(t)
}

// All processes of rocec on the device are killed, and the controller is dead. The timer is left, and undoes the change.
func killedAtWork(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	r := b.cutAtWork(t, p, func() { b.Die(); b.Kill() })
	b.is(t, r, deploy.Unknown, deploy.Unreachable, "")
	require.Equal(t, boxtest.NewConf, b.Read("/etc/app/conf"))
	b.Daemon("")
	require.Len(t, b.Timers(), 1)
	b.Fire()
	b.undone(t)
	b.again(t)
}

func timerBeforeConfirm(t testing.TB, b box) {
	b.Systemd()
	r := b.applyWith(t, b.plan(t), at("confirm", func() { b.Fire() }))
	b.is(t, r, deploy.Reverted, "", "by itself, because the change was not confirmed in time")
	b.wholly(t, r)
	b.bare(t)
}

// The timer fires although the run is confirmed, because it had already started when the confirm stopped it.
func timerAfterConfirm(t testing.TB, b box) {
	b.Systemd()
	b.Stub("systemctl", "exit 0") // stops nothing
	r := b.applyWith(t, b.plan(t), at("release", func() { b.Fire() }))
	b.is(t, r, deploy.Applied, "", "")
	b.holds(t, boxtest.NewConf, boxtest.NewConf)
	require.Empty(t, b.Left())
}

func bootAfterConfirm(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" confirm asked", true)
	b.applyWith(t, p)
	b.PowerCut()
	b.holds(t, boxtest.NewConf, boxtest.NewConf)
	require.NoFileExists(t, b.Root+"/etc/systemd/system/rocec-undo-txn-1.service")
	r := b.resume(t, p, txn.Keep)
	b.is(t, r, deploy.Applied, "", "")
	b.bare(t)
}

// The timer fires while a person undoes the run. The undos run one after the other, and the step is undone once.
func undoneTwice(t testing.TB, b box) {
	b.Systemd()
	b.step(func(s *target.Step) {
		s.Undo = &target.Query{Cmd: "cd " + b.Root + "; echo begin >>run/undos; sleep 1; cat etc/app/conf >run/loaded; echo end >>run/undos"}
	})
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	var wg sync.WaitGroup
	wg.Go(func() { b.Fire() })
	r := b.resume(t, p, txn.Back)
	wg.Wait()
	require.Contains(t, []deploy.Outcome{deploy.Restored, deploy.Reverted}, r.Outcome, b.said(r))
	require.Equal(t, "begin\nend\n", b.Read("/run/undos"))
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
	b.bare(t)
}

func editedAfterCommit(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	b.Write("/etc/app/conf", handConf)
	b.Fire()
	r := b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Conflict, "", "Another person or program changed /etc/app/conf meanwhile, so it was left alone")
	require.Equal(t, handConf, b.Read("/etc/app/conf"))
	require.Equal(t, "reload\n", b.Read("/run/reloads"), "the content of the other writer is not put to use")

	b = newBoxLike(t, b) // or another program removed the file
	b.Systemd()
	p = b.hold(t)
	require.NoError(t, os.Remove(b.Root+"/etc/app/conf"))
	b.is(t, b.resume(t, p, txn.Back), deploy.Conflict, "", "Another person or program changed /etc/app/conf meanwhile, so it was left alone")
	require.NoFileExists(t, b.Root+"/etc/app/conf")

	b = newBoxLike(t, b) // also if another file is restored
	b.Systemd()
	b.Write("/etc/app/two", boxtest.OldConf)
	two := boxtest.ConfFile(b.Root+"/etc/app/two", "green")
	two.Activate = b.Dev.Files[0].Activate
	b.Dev.Files = append(b.Dev.Files, two)
	p = b.hold(t)
	b.Write("/etc/app/conf", handConf)
	b.is(t, b.resume(t, p, txn.Back), deploy.Conflict, "", "Another person or program changed /etc/app/conf meanwhile")
	require.Equal(t, boxtest.OldConf, b.Read("/etc/app/two"))
	require.Equal(t, "reload\n", b.Read("/run/reloads"))
}

// Another program writes between the last comparison of the undo and its rename, into a file that the run changed and into a file that
// the run made. The undo may also be killed directly after the rename, and go on later.
func editedAtUndo(t testing.TB, b box) {
	edit := "printf '" + strings.ReplaceAll(handConf, "\n", `\n`) + "'"
	link := `case $3 in *.undone) ` + edit + ` >"$2.hand"; /bin/mv "$2.hand" "$2" ;; esac; exec /bin/ln "$@"`
	b.Systemd()
	p := b.hold(t)
	b.Stub("ln", link)
	b.is(t, b.resume(t, p, txn.Back), deploy.Conflict, "", "Another person or program changed /etc/app/conf meanwhile, so it was left alone")
	require.Equal(t, handConf, b.Read("/etc/app/conf"))

	b = newBoxLike(t, b)
	b.Systemd()
	p = b.hold(t)
	b.Stub("ln", link)
	b.Stub("mv", `/bin/mv "$@"; case $2 in *.old) kill -9 $PPID ;; esac`)
	b.is(t, b.resume(t, p, txn.Back), deploy.Conflict, "", "Another person or program changed /etc/app/conf meanwhile, so it was left alone")
	require.Equal(t, handConf, b.Read("/etc/app/conf"))

	b = newBoxLike(t, b)
	b.Systemd()
	b.extra()
	p = b.hold(t)
	b.Stub("mv", `case $3 in *.undone) echo theirs >"$2" ;; esac; exec /bin/mv "$@"`)
	b.is(t, b.resume(t, p, txn.Back), deploy.Conflict, "",
		"Another person or program changed /etc/app.d/extra meanwhile, so it was left alone")
	require.Equal(t, "theirs\n", b.Read("/etc/app.d/extra"))
	require.Equal(t, boxtest.OldConf, b.Read("/etc/app/conf"))
}

// The link to the old content beside the file is missing, so the undo uses the backup.
func oldContentGone(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	require.NoError(t, os.Remove(b.Root+"/etc/app/.rocec-txn-1-0.old"))
	b.Fire()
	b.undone(t)
	b.again(t)
}

// unlock removes a lock, like the verb unlock.
func (b box) unlock(t testing.TB, o *deploy.Owner) *deploy.Error {
	d := device.New(b.Dev, b.Dial, nil, device.Clock(fast))
	defer d.Close()
	require.Nil(t, d.Connect(t.Context(), "unlock"))
	return d.Unlock(t.Context(), o, "bob@ws2, process 7")
}

func liveStateBack(t testing.TB, b box) {
	b.Systemd()
	b.step(func(s *target.Step) {
		s.Undo = &target.Query{
			Cmd: `cat >` + b.Root + `/run/stdin; cat "$ROCEC_LIVE"/daemon/conf >` + b.Root + `/run/loaded; echo "$ROCEC_WHY" >>` + b.Root +
				`/run/why`,
			Stdin: []byte("tool"),
		}
	})
	b.Write("/run/loaded", handConf)
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	b.Fire()
	require.Equal(t, boxtest.OldConf, b.Read("/etc/app/conf"))
	require.Equal(t, handConf, b.Read("/run/loaded"), "the old content of the daemon, not that of the file")
	require.Equal(t, "tool", b.Read("/run/stdin"))
	require.Equal(t, "timer\n", b.Read("/run/why"))
	b.again(t)
}

// Lock and folder are removed, but not on the disk, so they may exist again after a power cut.
func releaseNotFlushed(t testing.TB, b box) {
	b.Systemd()
	r := b.applyWith(t, b.plan(t), at("release", func() {
		b.Stub("sync", `case $*: in */rocec:) echo 'sync: Read-only file system' >&2; exit 1 ;; esac; exec /bin/sync "$@"`)
	}))
	b.is(t, r, deploy.Applied, "", "On the device may remain: ")
	require.NotNil(t, r.Cleanup, b.said(r))
	require.Equal(t, deploy.Disk, r.Cleanup.Kind)
	require.Contains(t, r.Left, deploy.StateDir+"/lock")
	require.Empty(t, b.Left())
}

// No command removes a run that may still need an undo.
func releaseArmed(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	b.Dead, b.Fault = false, nil
	for _, mark := range []string{"loaded", "armed", "undoing"} {
		d := device.New(b.Dev, b.Dial, nil, device.Clock(fast))
		require.Nil(t, d.Connect(t.Context(), "release"))
		_, refused := d.Release(t.Context(), testRun, device.NewChange(p.Devices[0]))
		require.NotNil(t, refused, mark)
		require.Contains(t, refused.Detail, "confirm or undo it first")
		h := b.plan(t).Devices[0]
		require.Equal(t, mark, h.Lock.Mark.String())
		err := b.unlock(t, h.Lock)
		require.NotNil(t, err)
		require.Equal(t, deploy.Locked, err.Kind)
		next := map[string]string{"loaded": "armed", "armed": "undoing"}[mark]
		if next != "" {
			require.NoError(t, os.Rename(b.Root+boxtest.State+"/txn-txn-1/state."+mark, b.Root+boxtest.State+"/txn-txn-1/state."+next))
		}
	}
	r := b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Restored, "", "")
	b.bare(t)
}

// The timer fires while the daemon reloads. The daemon would continue with the content that it has read.
func timerAtWork(t testing.TB, b box) {
	b.Systemd()
	r := b.cutAtWork(t, b.plan(t), func() {
		b.Daemon("")
		b.Fire()
	})
	b.is(t, r, deploy.Reverted, "", "by itself")
	b.wholly(t, r)
	require.Empty(t, b.AtWork(), "the commands at work were ended")
	require.NoFileExists(t, b.Root+"/run/late")
	b.bare(t)
}

// The timer fires between two queries whether the content is in use. The commit does not arm another timer.
func timerWhileSettling(t testing.TB, b box) {
	b.Systemd()
	b.step(func(s *target.Step) {
		s.Loaded = &target.Query{Cmd: "cd " + b.Root + "/run; echo by${ROCEC_WHY-} >>asked; [ -e go ] && echo " + target.Loaded}
	})
	var wg sync.WaitGroup
	var then, later int // queries of the commit; the queries of the undo have its reason
	wg.Go(func() {
		for b.Read("/run/asked") == "" {
			time.Sleep(5 * time.Millisecond)
		}
		wg.Go(b.Fire)
		for len(b.undoing(t)) == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		// The undo queries after it has ended the commit. If it cannot end the commit, it never queries.
		for end := time.Now().Add(time.Minute); !strings.Contains(b.Read("/run/asked"), "bytimer\n") && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		then = strings.Count(b.Read("/run/asked"), "by\n")
		time.Sleep(2500 * time.Millisecond)
		later = strings.Count(b.Read("/run/asked"), "by\n")
		b.Write("/run/go", "x")
	})
	r := b.applyWith(t, b.plan(t))
	wg.Wait()
	require.Equal(t, then, later, "the commit was ended")
	b.is(t, r, deploy.Reverted, "", "by itself")
	b.wholly(t, r)
	b.bare(t)
}

// undoing returns the mark file of a run that is being undone, if any.
func (b box) undoing(t testing.TB) []string {
	marks, err := filepath.Glob(b.Root + boxtest.State + "/txn-txn-1/state.undo*")
	require.NoError(t, err)
	return marks
}

// Removing the boot unit fails at the confirm, and succeeds a moment later.
func unitStays(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.Stub("rm", `case $2 in */rocec-undo-*) if mkdir `+b.Root+
		`/run/once 2>/dev/null; then echo "rm: Operation not permitted" >&2; exit 1; fi ;; esac
exec /bin/rm "$@"`)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Applied, "", "")
	require.DirExists(t, b.Root+"/run/once")
	b.wholly(t, r)
	b.bare(t)
}
