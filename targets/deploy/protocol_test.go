package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// One thing goes wrong at a time, between plan and apply or under way; the table says what becomes of the device.
func TestProtocol(t *testing.T) {
	const byHand = "# by hand, later\ncolour = red\n"
	for _, c := range []struct {
		name     string
		breaks   func(b *box)
		outcome  Outcome
		kind     Kind
		says     string // in error and detail
		conf     string // what the file holds; empty: what the outcome says
		loaded   string
		reloads  int
		timeouts time.Duration
	}{
		{
			name: "stale", breaks: func(b *box) { b.write("/etc/app/conf", byHand) },
			outcome: Refused, kind: Stale, says: "changed after the plan was made: /etc/app/conf", conf: byHand,
		},
		{
			name: "vanished", breaks: func(b *box) { require.NoError(b.t, os.Remove(b.root+"/etc/app/conf")) },
			outcome: Refused, kind: Stale, says: "/etc/app/conf", conf: "-",
		},
		{name: "link", breaks: func(b *box) {
			require.NoError(b.t, os.Rename(b.root+"/etc/app/conf", b.root+"/etc/app/real"))
			require.NoError(b.t, os.Symlink("real", b.root+"/etc/app/conf"))
		}, outcome: Refused, kind: Stale, says: "/etc/app/conf"},
		{
			name: "locked", breaks: func(b *box) {
				require.NoError(b.t, os.MkdirAll(b.root+stateDir+"/lock", 0o700))
				b.write(stateDir+"/lock/owner", "txn txn-0\nowner bob@ws9, process 7\nsince 2026-11-21T06:00:00Z\n")
			}, outcome: Refused, kind: Locked,
			says: "locked by bob@ws9, process 7 since 2026-11-21T06:00:00Z (transaction txn-0). If that run is gone, remove its lock on the device: sudo rm -r /var/lib/rocec/lock",
		},
		{name: "locked by a dead beginner", breaks: func(b *box) {
			require.NoError(b.t, os.MkdirAll(b.root+stateDir+"/lock", 0o700))
		}, outcome: Refused, kind: Locked, says: "locked by somebody whose name is not in the lock. If that run is gone"},
		{name: "upload cut short", breaks: func(b *box) {
			b.mangle = func(stdin []byte) []byte { return stdin[:len(stdin)/2] }
		}, outcome: Refused, kind: Unreachable, says: "did not arrive as it was sent"},
		{
			name: "no space", breaks: func(b *box) {
				b.stub("df", `echo "Filesystem 1024-blocks Used Available Capacity Mounted on"; echo "/dev/sda1 100 99 1 99% /"`)
			},
			outcome: Refused, kind: Disk, says: "no space left: /etc/app has 1 KiB free, 64 KiB are needed",
		},
		{
			name: "checker refuses", breaks: func(b *box) {
				b.dev.Files[0].Precheck = `grep -q green "$1" || exit 0; echo "line 2: no green here"; exit 3`
			},
			outcome: Refused, kind: Rejected, says: "precheck: line 2: no green here",
		},
		{
			name: "checker accepts", breaks: func(b *box) { b.dev.Files[0].Precheck = `grep -q green "$1"` },
			outcome: Applied, reloads: 1,
		},
		{
			name: "activation fails", breaks: func(b *box) { b.daemon("grep -q green etc/app/conf && { echo no green; exit 4; }") },
			outcome: Restored, kind: Activation, says: "failed: exit status 4. no green", reloads: 1,
		},
		{name: "activation hangs", breaks: func(b *box) {
			b.dev.Files[0].Activate.Timeout = time.Second
			b.dev.Files[1].Activate.Timeout = time.Second
			b.daemon("grep -q green etc/app/conf && sleep 60")
		}, outcome: Restored, kind: Activation, says: "failed: it did not end within 1 seconds.", reloads: 1},
		{name: "never settles", breaks: func(b *box) {
			b.dev.Files[0].Activate.Check = "cd " + b.root + "; ! grep green run/loaded"
			b.dev.Files[1].Activate.Check = b.dev.Files[0].Activate.Check
		}, outcome: Restored, kind: Activation, says: "settle: `cd ; ! grep green run/loaded` failed: colour = green", reloads: 2},
		{name: "settles late", breaks: func(b *box) {
			b.dev.Files[0].Activate.Check = "cd " + b.root + "; echo >>run/asked; test $(wc -l <run/asked) -gt 3"
			b.dev.Files[1].Activate.Check = b.dev.Files[0].Activate.Check
		}, outcome: Applied, reloads: 1},
		{name: "another thing was loaded", breaks: func(b *box) {
			b.daemon("if grep -q green etc/app/conf; then echo colour = blue >run/loaded; echo reload >>run/reloads; exit; fi")
		}, outcome: Restored, kind: Activation, says: "verify: daemon/conf is not as written: colour is blue, not green", reloads: 2},
		{
			name: "back does not work either", breaks: func(b *box) { b.daemon("echo out of order; exit 5") },
			outcome: Unknown, kind: Activation, says: "Going back failed: activate: `/bin/reload` failed: exit status 5. out of order. The content from before is in /var/lib/rocec/backup/txn-1",
			conf: oldConf, loaded: oldConf,
		},
		{name: "edited while going forward", breaks: func(b *box) {
			b.daemon("grep -q green etc/app/conf && { echo '" + strings.TrimSpace(byHand) + "' >etc/app/conf; exit 6; }")
		}, outcome: Unknown, kind: Activation, says: "Going back failed: restore: somebody else changed it meanwhile, so it was left alone: /etc/app/conf", conf: byHand, loaded: oldConf},
		{name: "lines of others edited meanwhile", breaks: func(b *box) {
			b.daemon("echo 'depth = 3' >>etc/app/conf")
		}, outcome: Applied, conf: newConf + "depth = 3\n", loaded: newConf + "depth = 3\n", reloads: 1},
		{name: "no sudo", breaks: func(b *box) {
			b.stub("id", "echo 1000")
			b.stub("sudo", `[ "$1 $2 $3" = "-n sh -c" ] || exit 99; echo "sudo: a password is required" >&2; exit 1`)
		}, outcome: Refused, kind: Permission, says: "may not become root without a password (sudo: a password is required)"},
		{name: "sudo", breaks: func(b *box) {
			b.stub("id", "echo 1000")
			b.stub("sudo", `[ "$1" = -n ] && shift && exec "$@"`)
		}, outcome: Applied, reloads: 1},
		{
			name: "lock taken away", breaks: func(b *box) { b.daemon("rm -r " + b.root + stateDir + "/lock; exit 7") },
			outcome: Unknown, kind: Activation, says: "is no longer held by transaction txn-1: there is no lock", conf: newConf, loaded: oldConf,
		},
		{
			name: "killed while locking", breaks: func(b *box) { b.stub("date", "kill -9 $PPID") },
			outcome: Refused, kind: Unreachable, says: "lock: the device could not run rocec's command: Killed",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBox(t, "leaf01")
				p := b.plan()
				require.Equal(t, StatusChange, p.Devices[0].Status)
				c.breaks(b)
				r := b.apply(p)
				said := strings.ReplaceAll(fmt.Sprintf("%v %s", r.Err, r.Detail), b.root, "")
				t.Log(r.Outcome, said)
				require.Equal(t, c.outcome, r.Outcome, said)
				if r.Err != nil {
					require.Equal(t, c.kind, r.Err.Kind, said)
				}
				require.Contains(t, said, c.says)
				switch {
				case c.conf == "-":
					require.NoFileExists(t, b.root+"/etc/app/conf")
				case c.conf != "":
					require.Equal(t, c.conf, b.read("/etc/app/conf"))
				default:
					b.wholly(r)
				}
				if c.loaded != "" {
					require.Equal(t, c.loaded, b.read("/run/loaded"))
				}
				require.Equal(t, c.reloads, strings.Count(b.read("/run/reloads"), "reload\n"))
				if c.kind != Locked && c.outcome != Unknown && c.kind != Unreachable {
					require.Empty(t, b.left())
				}
			})
		})
	}
}

// What cannot be reached or asked before anything begins.
func TestApplyCannotDial(t *testing.T) {
	b := newBox(t, "leaf01")
	p := b.plan()
	for kind, err := range map[Kind]error{
		Login:       fmt.Errorf("x: %w", &target.LoginError{Err: errors.New("host key is another")}),
		Unreachable: errors.New("no route to host"),
	} {
		rep, e := Apply(t.Context(), func(context.Context, *target.Device) (target.Conn, error) { return nil, err }, p, ApplyOptions{Clock: realTime, Txn: "txn-1"})
		require.NoError(t, e)
		require.Equal(t, Refused, rep.Devices[0].Outcome)
		require.Equal(t, kind, rep.Devices[0].Err.Kind)
		require.Equal(t, string(kind), rep.Devices[0].Err.Diagnostic().Code)
		require.False(t, rep.Touched())
	}
	_, err := Apply(t.Context(), b.dial, p, ApplyOptions{Clock: realTime, Txn: "../x"})
	require.Error(t, err)
	_, err = Apply(t.Context(), b.dial, p, ApplyOptions{Txn: "txn-1"})
	require.ErrorContains(t, err, "no clock")
}

// How long a step may take to settle goes by the clock of the options: here one that runs only while it is waited for.
func TestClock(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.dev.Files = b.dev.Files[:1]
	b.dev.Files[0].Activate = target.Step{Cmd: b.root + "/bin/reload", Check: "false", Timeout: 7 * time.Second}
	now := time.Unix(0, 0)
	var waits []time.Duration
	rep, err := Apply(t.Context(), b.dial, b.plan(), ApplyOptions{Txn: "txn-1", Clock: Clock{
		Now: func() time.Time { return now },
		Wait: func(d time.Duration) <-chan time.Time {
			now = now.Add(d)
			waits = append(waits, d)
			return time.After(0)
		},
	}})
	require.NoError(t, err)
	require.Equal(t, Activation, rep.Devices[0].Err.Kind)
	require.Equal(t, slices.Repeat([]time.Duration{settleEvery}, 14), waits, "seven seconds forwards, and seven back")
}

// A run dies right after the renames and its lock is taken away by hand: the next plan does not call the device the
// same, and the next apply puts to use what lies there and sweeps up.
func TestDeadRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBox(t, "leaf01")
		b.dev.Files = b.dev.Files[:1] // no live state would give it away
		b.fault = func(_ int, cmd string) *connFault {
			if strings.Contains(cmd, quote(commitVerb)) {
				return &connFault{after: true, forGood: true}
			}
			return nil
		}
		r := b.apply(b.plan())
		require.Equal(t, Unknown, r.Outcome)
		require.Equal(t, newConf, b.read("/etc/app/conf"))
		require.Equal(t, oldConf, b.read("/run/loaded"))
		b.dead, b.fault = false, nil

		p := b.plan()
		require.Equal(t, "txn-1", p.Devices[0].Lock.Txn)
		require.Equal(t, Locked, b.apply(p).Err.Kind)
		require.NoError(t, os.RemoveAll(b.root+stateDir+"/lock"))

		p = b.plan()
		require.Equal(t, StatusChange, p.Devices[0].Status)
		require.Equal(t, Activate, p.Devices[0].Changes[0].Action)
		require.Equal(t, []string{"the daemon reloads"}, p.Devices[0].Disrupts)
		require.NotEmpty(t, b.left())
		r = b.apply(p)
		require.Equal(t, Applied, r.Outcome, "%v", r.Err)
		require.Equal(t, newConf, b.read("/run/loaded"))
		require.Empty(t, b.left())
		require.True(t, b.plan().Empty())
	})
}

// Files that were not there, a folder that was not there, and a file that goes away.
func TestCreateAndDelete(t *testing.T) {
	t.Parallel()
	wide := func(t *testing.T) *box {
		b := newBox(t, "gpu1")
		extra := confFile(b.root+"/etc/app.d/deep/extra", "green")
		extra.Mode = 0o755
		gone := target.File{Path: b.root + "/etc/app/gone", Edit: func([]byte) ([]byte, diag.List) { return nil, nil }}
		b.write("/etc/app/gone", "x\n")
		b.dev.Files = append(b.dev.Files, extra, gone)
		return b
	}
	t.Run("forward", func(t *testing.T) {
		b := wide(t)
		p := b.plan()
		require.Equal(t, Create, p.Devices[0].Changes[2].Action)
		require.Equal(t, Delete, p.Devices[0].Changes[3].Action)
		r := b.apply(p)
		require.Equal(t, Applied, r.Outcome, "%v", r.Err)
		b.wholly(r)
		require.Equal(t, "colour = green\n", b.read("/etc/app.d/deep/extra"))
		st, err := os.Stat(b.root + "/etc/app.d/deep/extra")
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o755), st.Mode().Perm())
		require.NoFileExists(t, b.root+"/etc/app/gone")
		require.Empty(t, b.left())
		require.True(t, b.plan().Empty())
	})
	t.Run("back", func(t *testing.T) {
		b := wide(t)
		p := b.plan()
		b.daemon("grep -q green etc/app/conf && exit 4")
		r := b.apply(p)
		require.Equal(t, Restored, r.Outcome, "%v %s", r.Err, r.Detail)
		b.wholly(r)
		require.NoFileExists(t, b.root+"/etc/app.d/deep/extra")
		require.Equal(t, "x\n", b.read("/etc/app/gone"))
		require.Empty(t, b.left())
	})
	// The renames stop half way.
	for at := 1; at <= 2; at++ {
		t.Run(fmt.Sprint("half way ", at), func(t *testing.T) {
			b := wide(t)
			p := b.plan()
			b.stub("mv", fmt.Sprintf(`case $3 in
*/pending) ;;
*) echo >>%s/run/mv; if [ $(wc -l <%[1]s/run/mv) -eq %d ]; then echo "mv: Input/output error" >&2; exit 1; fi ;;
esac
exec /bin/mv "$@"`, b.root, at))
			r := b.apply(p)
			require.Contains(t, []Outcome{Refused, Restored}, r.Outcome, "%v %s", r.Err, r.Detail)
			b.wholly(r)
			require.NoFileExists(t, b.root+"/etc/app.d/deep/extra")
			require.Equal(t, "x\n", b.read("/etc/app/gone"))
			require.Empty(t, b.left())
			require.Empty(t, b.read("/run/reloads"), "nothing new was in use, so going back disrupts nothing")
		})
	}
}

// A step of files that are gone again is not run again: its command belongs to them.
func TestGoingBackFromCreated(t *testing.T) {
	t.Parallel()
	b := newBox(t, "gpu1")
	require.NoError(t, os.Remove(b.root+"/etc/app/conf"))
	b.write("/run/loaded", "colour = green\n")
	p := b.plan()
	require.Len(t, p.Devices[0].Changes, 1)
	b.daemon("exit 4")
	r := b.apply(p)
	require.Equal(t, Restored, r.Outcome, "%v %s", r.Err, r.Detail)
	require.NoFileExists(t, b.root+"/etc/app/conf")

	b.write("/run/loaded", "colour = red\n")
	p = b.plan()
	require.Len(t, p.Devices[0].Changes, 2)
	b.daemon("echo colour = blue >run/loaded; exit 4")
	r = b.apply(p)
	require.Equal(t, Unknown, r.Outcome)
	require.Contains(t, r.Detail, "daemon/conf is not as it was before: colour is blue, not red")
}

func TestBackupsArePruned(t *testing.T) {
	b := newBox(t, "leaf01")
	for i := range keepBackups + 2 {
		require.NoError(t, os.MkdirAll(fmt.Sprintf("%s%s/backup/run-%02d", b.root, stateDir, i), 0o700))
	}
	b.write(stateDir+"/backup/run-11/0", "x\n")
	require.Equal(t, Applied, b.apply(b.plan()).Outcome)
	names, err := filepath.Glob(b.root + stateDir + "/backup/*")
	require.NoError(t, err)
	require.Len(t, names, keepBackups)
	require.Equal(t, "run-03", filepath.Base(names[0]))
	require.Equal(t, "txn-1", filepath.Base(names[9]))
}
