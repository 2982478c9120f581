package rollout_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// noGreen is a checker that refuses the content from before.
const noGreen = `grep -q green "$1" || { echo "line 2: no green here"; exit 3; }`

const refusedBack = "The vendor's checker refused /etc/app/conf when it was back in place: line 2: no green here."

// everyWay lists who undoes a held change: the failing run, the operator, the timer or the boot.
var everyWay = []string{"body", "asked", deploy.ByTimer, deploy.ByBoot}

// waysBack undoes a change on one device in each of these ways, and passes each result to judge.
func (b box) waysBack(t testing.TB, ways []string, judge func(b box, why string, r *deploy.Result)) {
	t.Helper()
	for _, why := range ways {
		n := newBoxLike(t, b)
		n.Dev.Files = b.filesOf(n)
		n.Systemd()
		if why == "body" {
			p := n.plan(t)
			n.Daemon("grep -q green etc/app/conf && exit 4")
			judge(n, why, n.applyWith(t, p))
			continue
		}
		p := n.hold(t)
		switch why {
		case deploy.ByTimer:
			n.Fire()
		case deploy.ByBoot:
			n.PowerCut()
		}
		judge(n, why, n.resume(t, p, txn.Back))
	}
}

// filesOf returns the files of b, with their paths and commands below the root of n.
func (b box) filesOf(n box) []target.File {
	files := make([]target.File, len(b.Dev.Files))
	moved := func(s string) string { return strings.ReplaceAll(s, b.Root, n.Root) }
	query := func(q *target.Query) *target.Query {
		if q == nil {
			return nil
		}
		return &target.Query{Cmd: moved(q.Cmd), Stdin: q.Stdin}
	}
	s := b.Dev.Files[0].Activate
	s.Cmd, s.Loaded, s.Undo = moved(s.Cmd), query(s.Loaded), query(s.Undo)
	for i, f := range b.Dev.Files {
		f.Path, f.Precheck, f.Live, f.Activate = moved(f.Path), moved(f.Precheck), query(f.Live), s
		files[i] = f
	}
	return files
}

// The vendor's checker checks the old content of a file after the other old files are in place, too. Its refusal does not stop the undo.
func oldRefused(t testing.TB, b box) {
	b.Dev.Files[0].Precheck = noGreen
	b.waysBack(t, []string{"body", deploy.ByTimer}, func(n box, why string, r *deploy.Result) {
		want := deploy.Restored
		if why == deploy.ByTimer {
			want = deploy.Reverted
		}
		n.is(t, r, want, "", refusedBack)
		require.Equal(t, "line 2: no green here", r.Files[0].Refused, why)
		n.holds(t, boxtest.OldConf, boxtest.OldConf)
		n.bare(t)
	})

	n := newBoxLike(t, b) // a later run removed the lock; the device has kept the checker's output
	n.Dev.Files = b.filesOf(n)
	n.Systemd()
	p := n.hold(t)
	n.Fire()
	n.undone(t)
	n.again(t)
	n.is(t, n.resume(t, p, txn.Keep), deploy.Reverted, "", refusedBack)

	n = newBoxLike(t, b)
	n.Systemd()
	n.Write("/etc/app/two", boxtest.OldConf)
	two := boxtest.ConfFile(n.Root+"/etc/app/two", "green")
	two.Activate = n.Dev.Files[0].Activate
	n.Dev.Files = append(n.Dev.Files, two)
	n.Dev.Files[0].Precheck = "cat " + n.Root + "/etc/app/two >>" + n.Root + "/run/beside"
	p = n.hold(t)
	n.is(t, n.resume(t, p, txn.Back), deploy.Restored, "", "")
	require.Equal(t, boxtest.OldConf+boxtest.OldConf, n.Read("/run/beside"), "before both go forward, and when both are back")
}

// A rollback of a kept run writes content that the checker refuses, and reports that.
func keptGoesBack(t testing.TB, b box) {
	for _, was := range []bool{true, false} {
		n := newBoxLike(t, b)
		n.Systemd()
		n.Write("/etc/app/conf", boxtest.NewConf)
		n.Write("/run/loaded", boxtest.NewConf)
		for i, path := range []string{n.Root + "/etc/app/conf", "daemon/conf"} {
			f := boxtest.ConfFile(path, "red")
			f.Activate, f.Live, f.WasThere = n.Dev.Files[i].Activate, n.Dev.Files[i].Live, was
			n.Dev.Files[i] = f
		}
		n.Dev.Files[0].Precheck = noGreen
		r := n.applyWith(t, n.plan(t))
		if !was {
			n.is(t, r, deploy.Refused, deploy.Rejected, "line 2: no green here")
			continue
		}
		n.is(t, r, deploy.Applied, "", refusedBack)
		n.holds(t, boxtest.OldConf, boxtest.OldConf)
		n.bare(t)
	}
}

// After an undo, a device reports whether it uses the old content. Its report about the new content does not count.
func inUseBack(t testing.TB, b box) {
	b.waysBack(t, everyWay, func(n box, why string, r *deploy.Result) {
		require.Equal(t, []string{deploy.UseYes, deploy.UseYes}, []string{r.InUse, r.Files[0].InUse}, why)
		require.Contains(t, n.said(r), "The device uses it.", why)
	})
	b.step(func(s *target.Step) { // a reload without a confirmation that the content is in use
		s.Loaded = &target.Query{Cmd: "echo '" + target.NotReadable + "'"}
	})
	b.waysBack(t, []string{"body", deploy.ByTimer}, func(n box, why string, r *deploy.Result) {
		require.Equal(t, []string{deploy.UseUnknown, deploy.UseUnknown}, []string{r.InUse, r.Files[0].InUse}, why)
		require.Contains(t, n.said(r), " is unknown (not readable on this release).", why)
		require.NotContains(t, n.said(r), "uses it.", why)
	})
	b.step(func(s *target.Step) { // a separate undo command: rocec compares the live state with the earlier live state
		s.Loaded = &target.Query{Cmd: "grep -q green " + b.Root + "/run/loaded && echo " + target.Loaded}
		s.Undo = &target.Query{Cmd: "cp " + b.Root + "/etc/app/conf " + b.Root + "/run/loaded"}
	})
	b.waysBack(t, []string{"asked", deploy.ByBoot}, func(n box, why string, r *deploy.Result) {
		require.Equal(t, deploy.UseYes, r.Files[0].InUse, why)
		require.Contains(t, n.said(r), "The device uses it.", why)
	})
	b.step(func(s *target.Step) { s.Undo = &target.Query{Cmd: "true"} }) // an undo command that restores nothing
	// In the other ways the daemon never loaded the new content, or has read the old content at boot.
	b.waysBack(t, []string{"asked", deploy.ByTimer}, func(n box, why string, r *deploy.Result) {
		require.Equal(t, []string{deploy.UseUnknown, deploy.UseUnknown}, []string{r.InUse, r.Files[0].InUse}, why)
		require.Contains(t, n.said(r), "Whether the device uses it is unknown.", why)
	})
}

// If the daemon does not load the old files, the result reports that they are back in place and that their use is unknown.
func backNotTaken(t testing.TB, b box) {
	b.Systemd()
	b.step(func(s *target.Step) {
		s.Timeout, s.Loaded = time.Second, &target.Query{Cmd: "cd " + b.Root + "; grep -q green run/loaded && echo " + target.Loaded}
	})
	p := b.hold(t)
	r := b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Unknown, "", "The earlier content is back in place. Whether the device uses it is unknown.")
	require.NotContains(t, b.said(r), "could not be put back")
	require.Contains(t, b.said(r), "The content from before is in /var/lib/rocec/backup/txn-1 on the device.")
	require.Equal(t, "rocec rollback txn-1 --target leaf01", r.Next())
	b.holds(t, boxtest.OldConf, boxtest.OldConf)

	b = newBoxLike(t, b) // the result does not name a removed backup
	b.Systemd()
	p = b.hold(t)
	b.Write("/etc/app/conf", handConf)
	require.NoError(t, os.Remove(b.Root+boxtest.State+"/backup/txn-1/0"))
	r = b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Conflict, "", "Another person or program changed /etc/app/conf")
	require.NotContains(t, b.said(r), "backup/txn-1")
	require.False(t, r.Backup)
}

// When one step cannot go back, the other steps still do.
func stepsGoBackEach(t testing.TB, b box) {
	b.Systemd()
	b.Write("/etc/app/two", boxtest.OldConf)
	two := boxtest.ConfFile(b.Root+"/etc/app/two", "green")
	two.Activate = target.Step{Cmd: "cat " + b.Root + "/etc/app/two >" + b.Root + "/run/two", Soak: time.Millisecond}
	b.Dev.Files = append(b.Dev.Files, two)
	p := b.hold(t)
	require.Equal(t, boxtest.NewConf, b.Read("/run/two"))
	b.Daemon("echo out of order; exit 5")
	r := b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Unknown, "", "out of order")
	require.Equal(t, boxtest.OldConf, b.Read("/run/two"))
	require.Contains(t, b.said(r), "The earlier content is back in place. Whether the device uses it is unknown.")
}

// Another machine answers in place of a device with a held change. The result claims nothing about that change.
func swapped(t testing.TB, n box) {
	n.Systemd()
	p := n.hold(t)
	n.Kill()
	for _, dir := range []string{boxtest.State, "/etc/systemd/system"} {
		require.NoError(t, os.RemoveAll(n.Root+dir))
	}
	require.NoError(t, os.MkdirAll(n.Root+"/etc/systemd/system", 0o755))
	n.Write("/run/boot_id", "boot-2\n")
	for _, c := range []struct {
		mark txn.Mark
		conf string
		want deploy.Outcome
	}{
		{txn.Armed, boxtest.OldConf, deploy.Unknown},
		{txn.Loaded, boxtest.OldConf, deploy.Unknown},
		{txn.Loaded, boxtest.NewConf, deploy.Unknown},
		{txn.Undoing, boxtest.OldConf, deploy.Unknown},
		{txn.Confirmed, boxtest.OldConf, deploy.Unknown},
		{txn.Confirmed, boxtest.NewConf, deploy.Applied},
		{txn.Prepared, boxtest.OldConf, deploy.NotStarted},
	} {
		n.Write("/etc/app/conf", c.conf)
		for _, goal := range []txn.Goal{txn.Keep, txn.Hold, txn.Back} {
			rep, err := rollout.Resume(t.Context(), n.Dial, p, goal, options(func(o *rollout.ApplyOptions) {
				o.Marks = map[string]txn.Mark{n.Dev.Name: c.mark}
			}))
			require.NoError(t, err)
			r := rep.Devices[0]
			n.is(t, r, c.want, "", "")
			require.Equal(t, c.want == deploy.Unknown, r.Bare)
			if !r.Bare {
				continue
			}
			require.Contains(t, n.said(r), "The device has nothing of the run: no folder, no lock, no backup.")
			require.Contains(t, n.said(r), "the device was replaced or installed anew")
			require.NotContains(t, n.said(r), "back in place")
			require.NotContains(t, n.said(r), "put back")
			require.NotContains(t, n.said(r), boxtest.State+"/backup")
			require.Equal(t, "rocec plan --target "+n.Dev.Name, r.Next())
		}
	}
}

// The check fails, and the connection is lost before the undo. A later run undoes the change unless a person confirms it.
func givenUp(t testing.TB, b box) {
	b.Systemd()
	p := b.plan(t)
	b.leaves(" undo asked", false)
	r := b.applyWith(t, p, at("verify", func() { b.Write("/etc/app/conf", handConf) }))
	b.is(t, r, deploy.Unknown, "", "When the device answers, run rocec rollback txn-1 --target leaf01")
	require.True(t, r.Back)

	for _, c := range []struct {
		mark     txn.Mark
		together bool // a person confirms
		want     deploy.Outcome
	}{{txn.Undoing, false, deploy.Restored}, {txn.Undoing, true, deploy.Applied}, {txn.Loaded, false, deploy.Applied}} {
		n := newBoxLike(t, b)
		n.Systemd()
		p := n.plan(t)
		n.leaves(" undo asked", false)
		r := n.applyWith(t, p, at("verify", func() { n.Write("/run/loaded", handConf) }))
		n.is(t, r, deploy.Unknown, "", "rocec rollback txn-1")
		n.Dead, n.Fault = false, nil
		rep, err := rollout.Resume(t.Context(), n.Dial, p, txn.Keep, options(func(o *rollout.ApplyOptions) {
			o.Marks, o.Together = map[string]txn.Mark{n.Dev.Name: c.mark}, c.together
		}))
		require.NoError(t, err)
		n.is(t, rep.Devices[0], c.want, "", "")
	}

	b = newBoxLike(t, b) // only the answer to the commit is lost
	b.Systemd()
	p = b.plan(t)
	b.leaves(" commit", true)
	r = b.applyWith(t, p)
	b.is(t, r, deploy.Unknown, "", "When the device answers, run rocec resume txn-1")
	require.False(t, r.Back)
}
