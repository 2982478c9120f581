package rollout_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

func stale(t testing.TB, b box) {
	p := b.plan(t)
	b.Write("/etc/app/conf", handConf)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Stale, "prepare: changed after the plan was made: /etc/app/conf")
	b.holds(t, handConf, boxtest.OldConf)
	b.bare(t)
	require.NoDirExists(t, b.Root+boxtest.State+"/backup/txn-1")

	b = newBoxLike(t, b)
	b.extra()
	p = b.plan(t)
	require.NoError(t, os.Mkdir(b.Root+"/etc/app.d", 0o755))
	b.Write("/etc/app.d/extra", "theirs\n")
	r = b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Stale, "prepare: changed after the plan was made: /etc/app.d/extra")
	b.bare(t)
}

// The controller dies while the device refuses the run. The device itself removes the begun run.
func staleAlone(t testing.TB, b box) {
	p := b.plan(t)
	b.Write("/etc/app/conf", handConf)
	b.leaves(" alice@ws7", true)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Unreachable, "may remain")
	b.holds(t, handConf, boxtest.OldConf)
	b.bare(t)
}

// The controller dies while the device refuses the commit. No undo is armed without a change.
func editedAlone(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p, at("activate", func() { b.Write("/etc/app/conf", handConf) }))
	b.holds(t, handConf, boxtest.OldConf)
	require.Empty(t, b.Timers())
	require.NoFileExists(t, b.Root+"/etc/systemd/system/rocec-undo-txn-1.service")
	b.resume(t, p, txn.Back)
	b.bare(t)
}

func editedAfterPrepare(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	r := b.applyWith(t, p, at("activate", func() { b.Write("/etc/app/conf", handConf) }))
	b.is(t, r, deploy.Refused, deploy.Stale, "activate: changed after the plan was made: /etc/app/conf")
	b.holds(t, handConf, boxtest.OldConf)
	require.Empty(t, b.Read("/run/reloads"))
	b.bare(t)
}

func uploadChanged(t testing.TB, b box) {
	p := b.plan(t)
	r := b.applyWith(t, p, at("activate", func() { b.Write("/etc/app/.rocec-txn-1-0.new", "half") }))
	b.is(t, r, deploy.Refused, deploy.Unreachable, "the upload beside /etc/app/conf is not what was sent")
	b.wholly(t, r)
	b.bare(t)
}

func truncated(t testing.TB, b box) {
	p := b.plan(t)
	b.Mangle = func(up []byte) []byte { return up[:len(up)/2] }
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Unreachable, "did not arrive as it was sent")
	b.wholly(t, r)
	b.bare(t)
}

// The last items of prepare are cut off, as by a session that ends. The cut is in the middle of an item, or between two items.
func cutPayload(t testing.TB, b box) {
	for _, cut := range []int{2, len("end 0\n"), len("later 120\n120\nend 0\n")} {
		p := b.plan(t)
		b.Cut = cut
		r := b.applyWith(t, p)
		b.Cut = 0
		b.is(t, r, deploy.Refused, "", "did not arrive whole")
		b.wholly(t, r)
		b.bare(t)
	}
}

func checkerRefuses(t testing.TB, b box) {
	b.Dev.Files[0].Precheck = `grep -q green "$1" || exit 0; echo "line 2: no green here"; exit 3`
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Refused, deploy.Rejected, "prepare: line 2: no green here")
	b.wholly(t, r)
	b.bare(t)
}

func noSpace(t testing.TB, b box) {
	p := b.plan(t)
	b.Stub("df", `echo "Filesystem 1024-blocks Used Available Capacity Mounted on"; echo "/dev/sda1 100 99 1 99% /"`)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Disk, "no space left: /etc/app has 1 KiB free, 64 KiB are needed")
	b.bare(t)
}

func plantedLinks(t testing.TB, b box) {
	require.NoError(t, os.MkdirAll(b.Root+"/elsewhere", 0o755))
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State, 0o700))
	for _, name := range []string{"lock", "backup", "original", "txn-txn-1"} {
		link := b.Root + boxtest.State + "/" + name
		require.NoError(t, os.Symlink(b.Root+"/elsewhere", link))
		r := b.applyWith(t, b.plan(t))
		b.is(t, r, deploy.Refused, deploy.Permission, boxtest.State+"/"+name+" is not a folder of rocec")
		require.NoError(t, os.Remove(link))
	}
	b.Write("/somebody", "mine\n")
	for _, name := range []string{"counter", "pending"} {
		link := b.Root + boxtest.State + "/" + name
		require.NoError(t, os.Symlink(b.Root+"/somebody", link))
		b.is(t, b.applyWith(t, b.plan(t)), deploy.Refused, deploy.Permission, boxtest.State+"/"+name+" is not a file of rocec")
		require.Equal(t, "mine\n", b.Read("/somebody"))
		require.NoError(t, os.Remove(link))
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(b.Root, "/"), "/")
	for _, name := range []string{"original/file", "original/file/" + first} {
		link := b.Root + boxtest.State + "/" + name
		require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o700))
		require.NoError(t, os.Symlink(b.Root+"/elsewhere", link))
		b.is(t, b.applyWith(t, b.plan(t)), deploy.Refused, deploy.Permission, boxtest.State+"/"+name+" is not a folder of rocec")
		require.NoError(t, os.Remove(link))
	}
	require.NoError(t, os.RemoveAll(b.Root+boxtest.State))
	require.NoError(t, os.Symlink(b.Root+"/elsewhere", b.Root+boxtest.State))
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Refused, deploy.Permission, boxtest.State+" is not a folder of rocec")
	there, err := os.ReadDir(b.Root + "/elsewhere")
	require.NoError(t, err)
	require.Empty(t, there)
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
}

func folderOfSomebody(t testing.TB, b box) {
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State, 0o777))
	require.NoError(t, os.Chown(b.Root+boxtest.State, stranger, stranger))
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Refused, deploy.Permission, boxtest.State+" does not belong to root")
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
}

func (b box) lock(t testing.TB, owner string) {
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State+"/lock", 0o700))
	if owner != "" {
		b.Write(boxtest.State+"/lock/owner", owner)
	}
}

func locked(t testing.TB, b box) {
	for owner, advice := range map[string]string{
		"txn txn-0\nkey abcd\nowner bob@ws9, process 7\nsince 2026-11-21T06:00:00Z\n": ". If that run is over, remove its lock: " +
			"rocec resume --abandon --run txn-0 leaf01",
		// A run of the same name.
		"txn txn-1\nkey ffff\nowner bob@ws9, process 7\nsince 2026-11-21T06:00:00Z\n": "",
	} {
		b.lock(t, owner)
		r := b.applyWith(t, b.plan(t))
		b.is(t, r, deploy.Refused, deploy.Locked, "locked by bob@ws9, process 7, run "+deploy.ParseOwner(owner).Txn+
			", since 2026-11-21T06:00:00Z"+advice)
		b.holds(t, boxtest.OldConf, boxtest.OldConf)
		require.Equal(t, owner, b.Read(boxtest.State+"/lock/owner"))
	}
}

func lockWithoutName(t testing.TB, b box) {
	b.lock(t, "")
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Refused, deploy.Locked, "locked by a run whose name is not in the lock. If that run is over")
	require.Empty(t, r.Left)
	b.holds(t, boxtest.OldConf, boxtest.OldConf)

	b.Stub("sleep", `printf 'txn txn-0\nkey abcd\nowner bob@ws9\n' >`+b.Root+boxtest.State+`/lock/owner`) // it was about to do so
	b.is(t, b.applyWith(t, b.plan(t)), deploy.Refused, deploy.Locked, "locked by bob@ws9")
}

// Another run gives the lock back between the attempt to take it and the look at its owner. It is no fault of the disk.
func lockGivenBack(t testing.TB, b box) {
	b.Stub("mkdir", `case "$*" in
*/lock) if ! [ -e '`+b.Root+`/tried' ]; then
	: >'`+b.Root+`/tried'
	echo "mkdir: cannot create directory: File exists" >&2
	exit 1
fi ;;
esac
PATH=/usr/bin:/bin exec mkdir "$@"`)
	r := b.applyWith(t, b.plan(t))
	require.FileExists(t, b.Root+"/tried")
	require.Equal(t, deploy.Applied, r.Outcome, "%v", r.Err)
}

// The power is cut before the name in the lock is on the disk. The owner of the lock is unknown, and the device was not locked before.
func lockLostItsName(t testing.TB, b box) {
	p := b.plan(t)
	cut := false
	b.Fault = func(int, string) *boxtest.Fault {
		if !cut {
			return nil
		}
		cut = false
		b.lock(t, "")
		return &boxtest.Fault{}
	}
	r := b.applyWith(t, p, at("prepare", func() { cut = true }))
	b.is(t, r, deploy.Refused, deploy.Unreachable, "")
	require.Equal(t, []string{deploy.StateDir + "/lock"}, r.Left)
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
}

// The lock belongs to another run when the commit comes, because a person has changed it by hand.
func lockLost(t testing.TB, b box) {
	p := b.plan(t)
	r := b.applyWith(t, p, at("activate", func() { b.lock(t, "txn txn-9\nkey abcd\n") }))
	b.is(t, r, deploy.Refused, deploy.Locked, "no longer held by run txn-1: txn-9 abcd")
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
	require.Contains(t, b.Read(boxtest.State+"/lock/owner"), "txn-9", "a run removes no lock but its own")
}

// A run that was confirmed or undone by the device has left its lock. The next run removes the lock.
func endedBefore(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	b.applyWith(t, p)
	b.Fire()
	b.undone(t)
	b.again(t)
}

func armedThere(t testing.TB, b box) {
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State+"/txn-other-1", 0o700))
	for mark, says := range map[string]string{
		"armed": "rocec resume other-1", "loaded": "rocec confirm other-1; go back: rocec rollback other-1", "undoing": "rocec resume other-1",
	} {
		b.Write(boxtest.State+"/txn-other-1/state."+mark, "")
		r := b.applyWith(t, b.plan(t))
		b.is(t, r, deploy.Refused, deploy.Locked, says)
		require.NoDirExists(t, b.Root+boxtest.State+"/lock")
		b.holds(t, boxtest.OldConf, boxtest.OldConf)
		p := b.plan(t)
		b.leaves(" alice@ws7", true)
		b.applyWith(t, p)
		require.NoDirExists(t, b.Root+boxtest.State+"/lock", "also where the controller dies")
		b.Dead, b.Fault = false, nil
		require.NoError(t, os.Remove(b.Root+boxtest.State+"/txn-other-1/state."+mark))
	}
}

// The files of a run without a lock are removed, including marks that another program wrote. A link with the name of such a folder is not
// followed.
func deadRun(t testing.TB, b box) {
	for _, name := range []string{"txn-other-1", "txn-other-2"} {
		require.NoError(t, os.MkdirAll(b.Root+boxtest.State+"/"+name, 0o700))
	}
	b.Write(boxtest.State+"/txn-other-1/state.prepared", "")
	b.Write(boxtest.State+"/txn-other-2/state.of-somebody", "")
	b.Write("/etc/app/.rocec-other-1-0.new", "x")
	require.NoError(t, os.Mkdir(b.Root+"/elsewhere", 0o755))
	b.Write("/elsewhere/mine", "x")
	link := b.Root + boxtest.State + "/txn-other-3"
	require.NoError(t, os.Symlink(b.Root+"/elsewhere", link))
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Applied, "", "")
	require.Equal(t, "x", b.Read("/elsewhere/mine"))
	require.NoError(t, os.Remove(link))
	b.bare(t)
}

func backups(t testing.TB, b box) {
	foreign := []string{"Mine", "a b", "run-of-somebody"}
	for _, name := range foreign {
		require.NoError(t, os.MkdirAll(b.Root+boxtest.State+"/backup/"+name, 0o700))
		b.Write(boxtest.State+"/backup/"+name+"/0", "x")
	}
	b.Write(boxtest.State+"/backup/Mine/files", "x")
	require.NoError(t, os.Symlink(b.Root+"/bin", b.Root+boxtest.State+"/backup/link"))
	for i := range 12 {
		dir := fmt.Sprintf("%s/backup/run-%02d", boxtest.State, 20-i) // names that sort in the opposite order
		require.NoError(t, os.MkdirAll(b.Root+dir, 0o700))
		b.Write(dir+"/counter", fmt.Sprintln(i+1))
		b.Write(dir+"/digest", sha(dir)+"\n")
		b.Write(dir+"/0", fmt.Sprintln("colour", i))
		b.Write(dir+"/files", fmt.Sprintf("0 %s %s %s\n", sha(fmt.Sprintln("colour", i)), sha("x"), b.Root+"/etc/app/conf"))
	}
	b.Write(boxtest.State+"/counter", "12\n")
	b.Write(boxtest.State+"/digests", strings.Repeat("run-00 "+sha("x")+"\n", 2000)+"run-01 "+sha("y")+"\n")
	r := b.applyWith(t, b.plan(t))
	b.is(t, r, deploy.Applied, "", "")
	kept, err := filepath.Glob(b.Root + boxtest.State + "/backup/run-[0-9]*")
	require.NoError(t, err)
	require.Len(t, kept, 9)
	require.DirExists(t, b.Root+boxtest.State+"/backup/run-09", "the latest of them by the counter")
	digests := b.Read(boxtest.State + "/digests")
	require.Equal(t, 1000, strings.Count(digests, "\n"), "the last thousand hashes are kept")
	require.Contains(t, digests, "\nrun-01 "+sha("y")+"\n")
	for i := range 3 {
		dir := fmt.Sprintf("%s/backup/run-%02d", boxtest.State, 20-i)
		require.Contains(t, digests, fmt.Sprintf("\nrun-%02d %s\n", 20-i, sha(dir)))
	}
	for _, name := range foreign {
		require.FileExists(t, b.Root+boxtest.State+"/backup/"+name+"/0")
	}
	require.FileExists(t, b.Root+boxtest.State+"/backup/link/reload")
	require.Equal(t, "colour 11\n", b.Read(boxtest.State+"/original/file"+b.Root+"/etc/app/conf"), "the first backup by its name")
	require.Equal(t, "13\n", b.Read(boxtest.State+"/backup/txn-1/counter"))
}

func openFolder(t testing.TB, b box) {
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State, 0o755))
	for _, mode := range []os.FileMode{0o777, 0o700} {
		b.Write("/etc/app/conf", boxtest.OldConf)
		require.NoError(t, os.Chmod(b.Root+boxtest.State, mode))
		b.is(t, b.applyWith(t, b.plan(t)), deploy.Applied, "", "")
		require.Equal(t, os.FileMode(0o755), b.mode(t, boxtest.State))
	}
}

// The disk accepts the lock's folder, and not the name in the lock.
func lockNotWritten(t testing.TB, b box) {
	p := b.plan(t)
	b.Stub("cat", `case $(readlink /proc/$$/fd/1) in */lock/owner) exit ;; esac
exec /bin/cat "$@"`)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Disk, "lock/owner: it does not hold what was written")
	b.bare(t)
}

func owner(t testing.TB, b box) {
	b.Stub("chown", "echo \"$1\" >>"+b.Root+"/run/owners")
	b.is(t, b.applyWith(t, b.plan(t)), deploy.Applied, "", "")
	require.Equal(t, "0:0\n", b.Read("/run/owners"))
}

func editedAtBackup(t testing.TB, b box) {
	p := b.plan(t)
	b.Stub("cp", `/bin/cp "$@"; for last; do :; done; case $last in */backup/*/0) echo more >>"$last" ;; esac`)
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Stale, "prepare: changed after the plan was made")
	b.bare(t)
}

func originalOfTheFirst(t testing.TB, b box) {
	b.is(t, b.applyWith(t, b.plan(t)), deploy.Applied, "", "")
	require.NoError(t, os.RemoveAll(b.Root+boxtest.State+"/backup"))
	b.Write("/etc/app/conf", strings.ReplaceAll(boxtest.OldConf, "red", "blue"))
	b.again(t)
	require.Equal(t, boxtest.OldConf, b.Read(boxtest.State+"/original/file"+b.Root+"/etc/app/conf"))
}

// A run that changed nothing leaves no backup, because no command would ever remove it.
func failsAfterBackup(t testing.TB, b box) {
	b.step(func(s *target.Step) { s.Undo = &target.Query{Cmd: "true"} })
	p := b.plan(t)
	require.NoError(t, os.Remove(b.Root+"/run/loaded"))
	r := b.applyWith(t, p)
	b.is(t, r, deploy.Refused, deploy.Disk, "daemon/conf cannot be read")
	b.bare(t)
	require.NoDirExists(t, b.Root+boxtest.State+"/backup/txn-1")
}

// A commit that comes during the release of the run does nothing.
func commitAfterRelease(t testing.TB, b box) {
	b.Systemd()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x := b.Root + boxtest.State + "/txn-txn-1"
	rep, err := rollout.Apply(ctx, b.Dial, b.plan(t), options(at("prepare", cancel), func(o *rollout.ApplyOptions) {
		b.Stub("rm", `if [ -f `+x+`/released ] && [ -f `+b.Root+`/etc/app/.rocec-txn-1-0.new ] && mkdir `+b.Root+
			`/run/late 2>/dev/null; then sh `+x+`/run commit; fi
exec /bin/rm "$@"`)
	}))
	require.NoError(t, err)
	b.is(t, rep.Devices[0], deploy.NotStarted, "", "")
	require.DirExists(t, b.Root+"/run/late")
	b.holds(t, boxtest.OldConf, boxtest.OldConf)
	b.bare(t)
}

// A second operator begins after the prepare of the first one. The error names the first operator, whose run goes on.
func secondOperator(t testing.TB, b box) {
	p := b.plan(t)
	var second *deploy.Result
	r := b.applyWith(t, p, at("activate", func() {
		second = b.applyWith(t, p, func(o *rollout.ApplyOptions) { o.Run = deploy.Run{Name: "txn-2", Key: "abcd", Owner: "bob@ws9"} })
	}))
	b.is(t, second, deploy.Refused, deploy.Locked, "locked by alice@ws7")
	b.is(t, r, deploy.Applied, "", "")
	require.Equal(t, "reload\n", b.Read("/run/reloads"))
	b.bare(t)
}
