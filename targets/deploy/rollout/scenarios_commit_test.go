package rollout_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

func applied(t testing.TB, b box) {
	b.Systemd()
	require.NoError(t, os.Chmod(b.Root+"/etc/app/conf", 0o604))
	p := b.plan(t)
	armed := false
	unit := "/etc/systemd/system/rocec-undo-txn-1.service"
	r := b.applyWith(t, p, func(o *rollout.ApplyOptions) {
		o.Event = func(e rollout.Event) {
			switch {
			case e.State != rollout.Begin:
			case e.Step == "confirm":
				require.Equal(t, []string{"rocec-undo-txn-1-2.timer"}, b.Timers(), "the first timer makes way for the second")
				require.Equal(t, os.FileMode(0o644), b.mode(t, unit))
				require.Equal(t, os.FileMode(0o711), b.mode(t, boxtest.State+"/txn-txn-1"))
				b.closed(t, boxtest.State+"/txn-txn-1", "boot", "deadline")
				require.Equal(t, os.FileMode(0o700), b.mode(t, boxtest.State+"/backup"))
				require.Equal(t, os.FileMode(0o700), b.mode(t, boxtest.State+"/original"))
				armed = true
			case e.Step == "release":
				require.Empty(t, b.Timers(), "a confirmed change is not undone")
				require.NoFileExists(t, b.Root+unit)
			}
		}
	})
	b.is(t, r, deploy.Applied, "", "")
	require.True(t, armed)
	b.wholly(t, r)
	b.bare(t)
	require.Equal(t, os.FileMode(0o604), b.mode(t, "/etc/app/conf"))
	require.Equal(t, os.FileMode(0o755), b.mode(t, boxtest.State))
	require.Equal(t, "reload\n", b.Read("/run/reloads"))
	require.Equal(t, boxtest.OldConf, b.Read(boxtest.State+"/backup/txn-1/0"))
	require.Equal(t, boxtest.OldConf, b.Read(boxtest.State+"/original/file"+b.Root+"/etc/app/conf"))
	require.True(t, b.plan(t).Empty())
}

func slipped(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.Stub("ln", `/bin/ln "$@" || exit; case $3 in *.prev) printf '`+strings.ReplaceAll(handConf, "\n", `\n`)+`' >"$2" ;; esac`)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Conflict, deploy.Stale, "another person or program changed it meanwhile, so it was left alone: /etc/app/conf")
	b.holds(t, handConf, boxtest.OldConf)
	require.Empty(t, b.Read("/run/reloads"))
	require.Empty(t, b.Timers())
}

func activationFails(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.Daemon("grep -q green etc/app/conf && { cat etc/app/conf >run/loaded; echo no green; exit 4; }")
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Restored, deploy.Activation, "failed: exit status 4. no green")
	b.wholly(t, r)
	require.Equal(t, "reload\n", b.Read("/run/reloads"), "the step goes back once")
	require.True(t, r.Used)
	b.bare(t)
}

func hangs(t testing.TB, b box) {
	b.Systemd()
	long := b.Slowed(time.Second)
	b.step(func(s *target.Step) { s.Timeout = long })
	p := b.plan(t)
	b.Daemon("grep -q green etc/app/conf && sleep 60")
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Restored, deploy.Activation, fmt.Sprintf("failed: it did not end within %.0f seconds.", long.Seconds()))
	b.wholly(t, r)
	b.bare(t)
}

func neverLoaded(t testing.TB, b box) {
	b.Systemd()
	long := b.Slowed(time.Second)
	b.step(func(s *target.Step) {
		s.Timeout, s.Loaded = long, &target.Query{Cmd: "cd " + b.Root + "; ! grep green run/loaded"}
	})
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Restored, deploy.Activation, "settle: `cd ; ! grep green run/loaded` failed: colour = green")
	require.Equal(t, 2, strings.Count(b.Read("/run/reloads"), "reload\n"))
	b.wholly(t, r)
	b.bare(t)
}

func settlesLate(t testing.TB, b box) {
	b.step(func(s *target.Step) {
		s.Loaded = &target.Query{Cmd: "cd " + b.Root + "; echo >>run/asked; test $(wc -l <run/asked) -gt 1 && echo " + target.Loaded}
	})
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Applied, "", "")
	require.Equal(t, deploy.UseYes, r.Files[0].InUse)
	b.bare(t)
}

// The session of the commit is killed while the daemon reloads. The commit goes on.
func sessionKilled(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.Daemon("[ -e run/begun ] || { echo >run/begun; until [ -e run/go ]; do sleep 0.05; done; }")
	var wg sync.WaitGroup
	wg.Go(func() {
		for b.Read("/run/begun") == "" {
			time.Sleep(5 * time.Millisecond)
		}
		b.KillSession()
		b.Write("/run/go", "x")
	})
	r := b.applyWith(t, p)
	wg.Wait()
	b.is(t, r, deploy.Applied, "", "")
	require.Equal(t, "reload\n", b.Read("/run/reloads"))
	b.wholly(t, r)
	b.bare(t)
}

// The commit arrives twice, the second time while the first is running.
func askedTwice(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.Daemon("sleep 2")
	b.Stub("sync", `[ "$1" = --help ] && echo --file-system || sleep 0.2`) // so that the second commit comes before the first one is armed
	twice := false
	b.Fault = func(_ int, cmd string) *boxtest.Fault {
		if strings.HasSuffix(cmd, " commit") && !twice {
			twice = true
			return &boxtest.Fault{Twice: true}
		}
		return nil
	}
	r := b.applyWith(t, p, at("confirm", func() {
		require.Len(t, b.Timers(), 1)
		require.FileExists(t, b.Root+"/etc/systemd/system/rocec-undo-txn-1.service")
	}))
	b.is(t, r, deploy.Applied, "", "")
	require.True(t, twice)
	require.Equal(t, "reload\n", b.Read("/run/reloads"))
	b.wholly(t, r)
	b.bare(t)
}

// cutAtWork cuts the power of a device during the daemon's reload, so that no process is left.
func (b box) cutAtWork(t testing.TB, p *deploy.Plan, cut func()) *deploy.Result {
	b.Daemon("if grep -q green etc/app/conf; then echo >run/begun; sleep 50; echo >run/late; fi")
	var wg sync.WaitGroup
	wg.Go(func() {
		for b.Read("/run/begun") == "" {
			time.Sleep(5 * time.Millisecond)
		}
		cut()
	})
	defer wg.Wait()
	return b.applyWith(t, p)
}

// flushed checks the order of the flushes: content before its name, and names before the mark that relies on them. Only a real power cut
// would show the effect of a missing flush.
func flushed(t testing.TB, b box) {
	b.Stub("sync", `[ "$1" != --help ] || { echo --file-system; exit; }
for f; do echo "$f"; done >>`+b.Root+`/run/flushed`)
	var marks string
	o := func(o *rollout.ApplyOptions) {
		o.Event = func(e rollout.Event) {
			if e.State == rollout.Done && strings.Contains("prepare activate confirm restore release", e.Step) {
				marks += e.Step + ":\n" + b.Read("/run/flushed")
				b.Write("/run/flushed", "")
			}
		}
	}
	b.step(func(s *target.Step) {
		s.Undo = &target.Query{Cmd: "cat " + b.Root + "/etc/app/conf >" + b.Root + "/run/loaded"}
	})
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State+"/backup/run-1", 0o700)) // a file that the release removes
	for name, text := range map[string]string{
		"backup/run-1/counter": "1\n", "backup/run-1/files": "", "backup/run-1/digest": "x\n", "counter": "12\n",
	} {
		b.Write(boxtest.State+"/"+name, text)
	}
	b.applyWith(t, b.plan(t), o)
	b.Write("/etc/app/conf", boxtest.OldConf)
	b.Daemon("exit 4")
	b.applyWith(t, b.plan(t), o)
	b.Daemon("")
	mark := func(step string) {
		marks += step + ":\n" + b.Read("/run/flushed")
		b.Write("/run/flushed", "")
	}

	b.Systemd()
	b.leaves(" commit", true)
	b.applyWith(t, b.plan(t))
	mark("left alone")
	require.NoError(t, os.Remove(b.Root+"/etc/app/.rocec-txn-1-0.old"))
	b.Fire()
	mark("timer, and the link to the old content is gone")
	b.Dead, b.Fault = false, nil
	p := b.plan(t)
	b.Stub("ln", `/bin/ln "$@" || exit; case $3 in *.prev) printf 'colour = blue\n' >"$2" ;; esac`)
	b.applyWith(t, p)
	mark("edited at the rename")
	text := strings.ReplaceAll(marks, b.Root, "")
	text = strings.ReplaceAll(text, boxtest.State, "STATE")
	golden, err := os.ReadFile("testdata/flushed.txt")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("testdata/flushed.txt", []byte(text), 0o644))
		return
	}
	require.Equal(t, string(golden), text)
}

func created(t testing.TB, b box) {
	b.extra()
	p := b.plan(t)
	b.leaves(" commit", true)
	b.Systemd()
	b.applyWith(t, p)
	require.Equal(t, "colour = green\n", b.Read("/etc/app.d/extra"))
	require.Equal(t, os.FileMode(0o755), b.mode(t, "/etc/app.d/extra"))
	require.Equal(t, os.FileMode(0o755), b.mode(t, "/etc/app.d"))
	b.Fire()
	b.undone(t)
	require.NoFileExists(t, b.Root+"/etc/app.d/extra")
	b.again(t)

	b = newBoxLike(t, b)
	b.extra()
	p = b.plan(t)
	b.Stub("ln", `case $3 in */extra) echo theirs >"$3" ;; esac
exec /bin/ln "$@"`)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Conflict, "", "")
	require.Equal(t, "theirs\n", b.Read("/etc/app.d/extra"))
}

func deleted(t testing.TB, b box) {
	b.Systemd()
	b.Write("/etc/app/gone", "x\n")
	b.Dev.Files = append(b.Dev.Files, gone(b.Root+"/etc/app/gone"))
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	require.NoFileExists(t, b.Root+"/etc/app/gone")
	b.Fire()
	b.undone(t)
	require.Equal(t, "x\n", b.Read("/etc/app/gone"))
	b.again(t)
	require.NoFileExists(t, b.Root+"/etc/app/gone")
}

// The list of files that may not be in use exists only while there are such files.
func pending(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	require.Equal(t, b.Root+"/etc/app/conf\n", b.Read(boxtest.State+"/pending"))
	b.Fire()
	b.again(t)
	b.Write(boxtest.State+"/pending", "/etc/elsewhere\n") // of a run whose files are still not in use
	b.Write("/etc/app/conf", boxtest.OldConf)
	p = b.plan(t)
	r := b.applyWith(t, p, at("activate", func() { b.Write("/etc/app/conf", handConf) }))
	b.is(t, r, deploy.Refused, deploy.Stale, "")
	require.Equal(t, "/etc/elsewhere\n", b.Read(boxtest.State+"/pending"))
}

// The step fails after the leader has died. The device goes back at once, and does not wait for its timer.
func failsAlone(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.Daemon("grep -q green etc/app/conf && exit 4")
	b.leaves(" commit", true)
	b.applyWith(t, p)
	b.undone(t)
	require.Empty(t, b.Timers())
	b.Daemon("")
	b.again(t)
}

// The commit dies between the rename and the step.
func killedBeforeStep(t testing.TB, b box) {
	b.Systemd()
	require.NoError(t, os.Mkdir(b.Root+boxtest.State, 0o700))
	p := b.plan(t)
	b.Stub("sync", `[ "$1" != --help ] || { echo --file-system; exit; }
cd `+b.Root+boxtest.State+`/txn-txn-1 2>/dev/null || exit 0
case $1 in */etc/app) if [ -e state.armed ] && mkdir ../../killed 2>/dev/null; then read -r pid since <pid; kill -s KILL -- "-$pid"; fi ;; esac`)
	b.Write(boxtest.State+"/pending", "/etc/elsewhere\n") // of a run whose files are still not in use
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Restored, deploy.Activation, "")
	require.Empty(t, b.Read("/run/reloads"), "it never used the new content")
	require.Equal(t, "/etc/elsewhere\n", b.Read(boxtest.State+"/pending"))
	require.NoError(t, os.Remove(b.Root+boxtest.State+"/pending"))
	b.wholly(t, r)
	b.bare(t)
}

// If the undo removes the files of a step, the step does not run again, because its command belongs to the files.
func stepOfCreated(t testing.TB, b box) {
	require.NoError(t, os.Remove(b.Root+"/etc/app/conf"))
	b.Write("/run/loaded", "colour = green\n")
	p := b.plan(t)
	b.Daemon("echo try >>run/tries; exit 4")
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Restored, deploy.Activation, "")
	require.NoFileExists(t, b.Root+"/etc/app/conf")
	require.Equal(t, "try\n", b.Read("/run/tries"))
}

// keeps adds a step with a command that runs when the change is kept. The command writes its input to /run/kept, with the mark of the
// run.
func keeps(b box, more string) {
	b.step(func(s *target.Step) {
		s.Keep = "cd " + b.Root + "; ls var/lib/rocec/txn-*/state.* | sed 's/.*state.//' >>run/kept; [ -d \"$ROCEC_STEP\" ] || exit 3; " + more
	})
}

func keptAtConfirm(t testing.TB, b box) {
	b.Systemd()
	keeps(b, "")
	p := b.plan(t)
	r := b.applyWith(t, p, at("confirm", func() { require.NoFileExists(t, b.Root+"/run/kept") }))
	b.is(t, r, deploy.Applied, "", "")
	require.Equal(t, "loaded\n", b.Read("/run/kept"), "while the undo is armed, once")
	b.wholly(t, r)
	b.bare(t)
}

func notToBeKept(t testing.TB, b box) {
	b.Systemd()
	keeps(b, "echo it went back; exit 3")
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Restored, deploy.Activation, "exit status 3. it went back")
	b.wholly(t, r)
	require.True(t, r.Used)
	b.bare(t)
}

// The timer fires while the keep command of the step runs. The undo comes after the command, and wins.
func undoneWhileKept(t testing.TB, b box) {
	b.Systemd()
	keeps(b, "sh var/lib/rocec/txn-*/run undo timer >/dev/null 2>&1 & sleep 1; ls var/lib/rocec/txn-*/state.undoing 2>/dev/null && exit 4; "+
		"echo whole >>run/kept")
	r := b.applyWith(t, b.plan(t))
	require.Equal(t, "loaded\nwhole\n", b.Read("/run/kept"), "no undo ends it")
	require.Contains(t, []deploy.Outcome{deploy.Reverted, deploy.Applied}, r.Outcome, "one of the two wins the mark")
	b.wholly(t, r)
	b.bare(t)
}

// closed checks that only root can read the files and folders in a folder, except those with the progress of a run.
func (b box) closed(t testing.TB, folder string, open ...string) {
	t.Helper()
	entries, err := os.ReadDir(b.Root + folder)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		if slices.Contains(open, e.Name()) {
			require.Equal(t, os.FileMode(0o644), info.Mode().Perm(), e.Name())
		} else {
			require.Zero(t, info.Mode().Perm()&0o077, e.Name())
		}
	}
}
