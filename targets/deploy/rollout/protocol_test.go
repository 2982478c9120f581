package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// TestProtocol: one error happens at a time, between plan and apply or during the apply. The table contains the result for the device.
// The scenarios cover more errors.
func TestProtocol(t *testing.T) {
	machinetest.Long(t)
	const byHand = "# by hand, later\ncolour = red\n"
	for _, c := range []struct {
		name    string
		breaks  func(b box)
		outcome deploy.Outcome
		kind    deploy.Kind
		says    string // text in error and detail
		conf    string // the content of the file; empty: the content that follows from the outcome
		loaded  string
		reloads int
		left    bool
	}{
		{
			name: "vanished", breaks: func(b box) { require.NoError(t, os.Remove(b.Root+"/etc/app/conf")) },
			outcome: deploy.Refused, kind: deploy.Stale, says: "/etc/app/conf", conf: "-",
		},
		{name: "link", breaks: func(b box) {
			require.NoError(t, os.Rename(b.Root+"/etc/app/conf", b.Root+"/etc/app/real"))
			require.NoError(t, os.Symlink("real", b.Root+"/etc/app/conf"))
		}, outcome: deploy.Refused, kind: deploy.Stale, says: "/etc/app/conf"},
		{
			name: "checker accepts", breaks: func(b box) { b.Dev.Files[0].Precheck = `grep -q green "$1"` },
			outcome: deploy.Applied, reloads: 1,
		},
		{
			name: "another thing was loaded", breaks: func(b box) {
				b.Daemon("if grep -q green etc/app/conf; then echo colour = blue >run/loaded; echo reload >>run/reloads; exit; fi")
			}, outcome: deploy.Restored, kind: deploy.Activation, says: "verify: daemon/conf is not as written: colour is blue, not green",
			reloads: 2,
		},
		{
			name: "back does not work either", breaks: func(b box) { b.Daemon("echo out of order; exit 5") },
			outcome: deploy.Unknown, kind: deploy.Activation, says: "restore: `/bin/reload` failed: exit status 5. out of order",
			conf: boxtest.OldConf, loaded: boxtest.OldConf,
		},
		{
			name: "edited while going forward", breaks: func(b box) {
				b.Daemon("grep -q green etc/app/conf && { echo '" + strings.TrimSpace(byHand) + "' >etc/app/conf; exit 6; }")
			}, outcome: deploy.Conflict, kind: deploy.Activation,
			says: "Another person or program changed /etc/app/conf meanwhile, so it was left alone",
			conf: byHand, loaded: boxtest.OldConf,
		},
		{name: "lines of others edited meanwhile", breaks: func(b box) {
			b.Daemon("echo 'depth = 3' >>etc/app/conf")
		}, outcome: deploy.Applied, conf: boxtest.NewConf + "depth = 3\n", loaded: boxtest.NewConf + "depth = 3\n", reloads: 1},
		{name: "no sudo", breaks: func(b box) {
			b.Stub("id", "echo 1000")
			b.Stub("sudo", `[ "$1 $2 $3" = "-n sh -c" ] || exit 99; echo "sudo: a password is required" >&2; exit 1`)
		}, outcome: deploy.Refused, kind: deploy.Permission, says: "may not become root without a password (sudo: a password is required)"},
		{name: "sudo", breaks: func(b box) {
			b.Stub("id", `[ -n "${AS_ROOT:-}" ] && echo 0 || echo 1000`)
			b.Stub("sudo", `[ "$1" = -n ] && shift && AS_ROOT=yes exec "$@"`)
		}, outcome: deploy.Applied, reloads: 1},
		{
			name: "lock taken away", breaks: func(b box) { b.Daemon("rm -r " + b.Root + boxtest.State + "/lock; exit 7") },
			outcome: deploy.Unknown, kind: deploy.Activation, says: "exit status 7", conf: boxtest.OldConf, loaded: boxtest.OldConf,
		},
		{
			name: "killed while locking", breaks: func(b box) { b.Stub("date", "kill -9 $PPID") },
			outcome: deploy.Refused, kind: deploy.Disk, says: "cannot write /var/lib/rocec/lock/owner",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, "leaf01")
			p := b.plan(t)
			require.Equal(t, deploy.StatusChange, p.Devices[0].Status)
			c.breaks(b)
			r := b.apply(t, p)
			said := b.said(r)
			t.Log(r.Outcome, said)
			require.Equal(t, c.outcome, r.Outcome, said)
			if r.Err != nil {
				require.Equal(t, c.kind, r.Err.Kind, said)
			}
			require.Contains(t, said, c.says)
			switch {
			case c.conf == "-":
				require.NoFileExists(t, b.Root+"/etc/app/conf")
			case c.conf != "":
				require.Equal(t, c.conf, b.Read("/etc/app/conf"))
			case !c.left:
				b.wholly(t, r)
			}
			if c.loaded != "" {
				require.Equal(t, c.loaded, b.Read("/run/loaded"))
			}
			require.Equal(t, c.reloads, strings.Count(b.Read("/run/reloads"), "reload\n"))
			if c.kind != deploy.Locked && c.outcome != deploy.Unknown && c.kind != deploy.Unreachable && !c.left {
				left := b.Left()
				if c.outcome == deploy.Conflict { // the content of the other writer may not be in use
					require.Equal(t, []string{boxtest.State + "/pending"}, left)
					left = nil
				}
				require.Empty(t, left)
			}
		})
	}
}

// Devices that cannot be reached or asked before the run begins.
func TestApplyCannotDial(t *testing.T) {
	b := newBox(t, "leaf01")
	p := b.plan(t)
	for kind, err := range map[deploy.Kind]error{
		deploy.Login:       fmt.Errorf("x: %w", &target.LoginError{Err: errors.New("host key is another")}),
		deploy.Unreachable: errors.New("no route to host"),
	} {
		rep, e := rollout.Apply(t.Context(), func(context.Context, *target.Device) (target.Conn, error) { return nil, err }, p,
			rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak})
		require.NoError(t, e)
		require.Equal(t, deploy.Refused, rep.Devices[0].Outcome)
		require.Equal(t, kind, rep.Devices[0].Err.Kind)
		require.Equal(t, string(kind), rep.Devices[0].Err.Diagnostic().Code)
		require.False(t, rep.Touched())
	}
	_, err := rollout.Apply(t.Context(), b.Dial, p, rollout.ApplyOptions{Clock: realTime, Run: deploy.Run{Name: "../x", Key: "abcd"}})
	require.Error(t, err)
	_, err = rollout.Apply(t.Context(), b.Dial, p, rollout.ApplyOptions{Run: testRun})
	require.ErrorContains(t, err, "no clock")
}

// TestDeadRun: a run dies directly after the commit. The device undoes the change by itself, and the next apply can change the device
// without a manual cleanup.
func TestDeadRun(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	b := newBox(t, "leaf01")
	lost := false
	b.Fault = func(_ int, cmd string) *boxtest.Fault {
		if lost = lost || strings.HasSuffix(cmd, " commit"); lost {
			return &boxtest.Fault{After: true, ForGood: true}
		}
		return nil
	}
	rep, err := rollout.Apply(t.Context(), b.Dial, b.plan(t), rollout.ApplyOptions{
		Clock: realTime, Run: testRun, Soak: noSoak, DeadMan: b.Slowed(5 * time.Second), Reconnect: time.Millisecond,
	})
	require.NoError(t, err)
	r := rep.Devices[0]
	require.Equal(t, deploy.Unknown, r.Outcome)
	require.NotEmpty(t, r.Until)
	require.Equal(t, boxtest.NewConf, b.Read("/etc/app/conf"))
	b.Dead, b.Fault = false, nil

	p := b.plan(t)
	require.Equal(t, "txn-1", p.Devices[0].Lock.Txn)
	require.Equal(t, txn.Loaded, p.Devices[0].Lock.Mark)
	other := rollout.ApplyOptions{Clock: realTime, Run: deploy.Run{Name: "txn-2", Key: "abcd"}, Soak: noSoak}
	b.Write("/etc/app/conf", boxtest.OldConf) // so that the plan has a change
	p = b.plan(t)
	rep, err = rollout.Apply(t.Context(), b.Dial, p, other)
	require.NoError(t, err)
	require.Equal(t, deploy.Locked, rep.Devices[0].Err.Kind)
	require.Contains(t, rep.Devices[0].Err.Detail, "rocec confirm txn-1; go back: rocec rollback txn-1")

	b.Write("/etc/app/conf", boxtest.NewConf)
	require.Eventually(t, func() bool { return b.Read("/run/loaded") == boxtest.OldConf }, 10*time.Minute, 50*time.Millisecond,
		"the device undoes it by itself")
	require.Equal(t, boxtest.OldConf, b.Read("/etc/app/conf"))
	require.Eventually(t, func() bool { return b.plan(t).Devices[0].Lock.Mark == txn.Undone }, 10*time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool { return len(b.AtWork()) == 0 }, 10*time.Minute, 50*time.Millisecond, "the undo ends after its mark")
	rep, err = rollout.Apply(t.Context(), b.Dial, b.plan(t), other)
	require.NoError(t, err)
	require.Equal(t, deploy.Applied, rep.Devices[0].Outcome, "%v", rep.Devices[0].Err)
	require.Empty(t, b.Left())
	require.True(t, b.plan(t).Empty())
}

// New files, a new folder, and a removed file. A scenario covers their undo.
func TestCreateAndDelete(t *testing.T) {
	t.Parallel()
	b := newBox(t, "gpu1")
	extra := boxtest.ConfFile(b.Root+"/etc/app.d/deep/extra", "green")
	extra.Mode = 0o755
	gone := target.File{Path: b.Root + "/etc/app/gone", Edit: func([]byte) ([]byte, diag.List) { return nil, nil }}
	b.Write("/etc/app/gone", "x\n")
	b.Dev.Files = append(b.Dev.Files, extra, gone)
	p := b.plan(t)
	require.Equal(t, deploy.Create, p.Devices[0].Changes[2].Action)
	require.Equal(t, deploy.Delete, p.Devices[0].Changes[3].Action)
	r := b.apply(t, p)
	require.Equal(t, deploy.Applied, r.Outcome, b.said(r))
	b.wholly(t, r)
	require.Equal(t, "colour = green\n", b.Read("/etc/app.d/deep/extra"))
	st, err := os.Stat(b.Root + "/etc/app.d/deep/extra")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), st.Mode().Perm())
	st, err = os.Stat(b.Root + "/etc/app.d/deep")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), st.Mode().Perm(), "a new folder is for everybody to read")
	require.NoFileExists(t, b.Root+"/etc/app/gone")
	require.Empty(t, b.Left())
	require.True(t, b.plan(t).Empty())
}

// If the undo removes the files of a step, the step's command does not run again, because it belongs to the files. The step's own undo
// runs, with the earlier live state.
func TestGoingBackFromCreated(t *testing.T) {
	t.Parallel()
	b := newBox(t, "gpu1")
	require.NoError(t, os.Remove(b.Root+"/etc/app/conf"))
	b.Write("/run/loaded", "colour = green\n")
	p := b.plan(t)
	require.Len(t, p.Devices[0].Changes, 1)
	b.Daemon("exit 4")
	r := b.apply(t, p)
	require.Equal(t, deploy.Restored, r.Outcome, b.said(r))
	require.NoFileExists(t, b.Root+"/etc/app/conf")

	b.Write("/run/loaded", "colour = red\n")
	b.step(func(s *target.Step) {
		s.Undo = &target.Query{Cmd: `cat >` + b.Root + `/run/stdin; cat "$ROCEC_LIVE"/daemon/conf >` + b.Root +
			`/run/loaded; echo "$ROCEC_WHY" >` + b.Root + `/run/why`, Stdin: []byte("tool")}
	})
	p = b.plan(t)
	require.Len(t, p.Devices[0].Changes, 2)
	b.Daemon("echo colour = blue >run/loaded; exit 4")
	r = b.apply(t, p)
	require.Equal(t, deploy.Restored, r.Outcome, b.said(r))
	require.Equal(t, "colour = red\n", b.Read("/run/loaded"))
	require.Equal(t, "tool", b.Read("/run/stdin"))
	require.Equal(t, "body\n", b.Read("/run/why"))
}

// The last ten backups by a counter stay. Files that are not backups of rocec are not changed, and the original is never removed.
func TestBackups(t *testing.T) {
	t.Parallel()
	if !*whole {
		t.Skip("a dozen runs: make test-long; the scenario has a device with a dozen backups")
	}
	b := newBox(t, "leaf01")
	foreign := []string{"Mine", "a b", "..x", "run-of-somebody", "link"}
	for _, name := range foreign[:4] {
		require.NoError(t, os.MkdirAll(b.Root+boxtest.State+"/backup/"+name, 0o700))
	}
	require.NoError(t, os.Symlink("/etc", b.Root+boxtest.State+"/backup/link"))
	for i := range 11 {
		b.Write("/etc/app/conf", fmt.Sprintf("# %d\ncolour = red\n", i))
		rep, err := rollout.Apply(t.Context(), b.Dial, b.plan(t), rollout.ApplyOptions{
			Clock: realTime, Run: deploy.Run{Name: fmt.Sprintf("txn-%d", 20-i), Key: "abcd"}, Soak: noSoak, // names that sort in the opposite order
		})
		require.NoError(t, err)
		require.Equal(t, deploy.Applied, rep.Devices[0].Outcome)
	}
	var kept []string
	for i := range 20 {
		if name := fmt.Sprintf("txn-%d", i+1); b.Read(boxtest.State+"/backup/"+name+"/files") != "" {
			kept = append(kept, name)
		}
	}
	require.Equal(t, []string{"txn-10", "txn-11", "txn-12", "txn-13", "txn-14", "txn-15", "txn-16", "txn-17", "txn-18", "txn-19"}, kept)
	for _, name := range foreign {
		_, err := os.Lstat(b.Root + boxtest.State + "/backup/" + name)
		require.NoError(t, err, name)
	}
	require.Equal(t, "# 0\ncolour = red\n", b.Read(boxtest.State+"/original/file"+b.Root+"/etc/app/conf"))
}

// A backup by an earlier rocec, which stored no originals, counts as the original.
func TestOriginalOfOlderRuns(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	old := boxtest.State + "/backup/20260101t000000z-aaaa"
	require.NoError(t, os.MkdirAll(b.Root+old, 0o700))
	b.Write(old+"/0", "by hand\n")
	b.Write(old+"/files", fmt.Sprintf("0 %s %s %s\n", sha("by hand\n"), sha("x"), b.Root+"/etc/app/conf"))
	require.Equal(t, deploy.Applied, b.apply(t, b.plan(t)).Outcome)
	require.Equal(t, "by hand\n", b.Read(boxtest.State+"/original/file"+b.Root+"/etc/app/conf"))
}
