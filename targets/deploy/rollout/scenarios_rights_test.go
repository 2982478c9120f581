package rollout_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/target"
)

// stranger is a user of the device who is not root.
const stranger = 4711

// give sets the owner, group and mode of a file of the box.
func (b box) give(t testing.TB, path string, uid, gid int, mode uint32) {
	t.Helper()
	require.NoError(t, os.Chown(b.Root+path, uid, gid))
	require.NoError(t, syscall.Chmod(b.Root+path, mode)) // with setuid, setgid and the sticky bit
}

// rights returns the owner and mode of a file of the box, and its inode.
func (b box) rights(t testing.TB, path string) (deploy.Rights, uint64) {
	t.Helper()
	var st syscall.Stat_t
	require.NoError(t, syscall.Lstat(b.Root+path, &st))
	return deploy.Rights{UID: st.Uid, GID: st.Gid, Mode: st.Mode & 0o7777}, st.Ino
}

// settled sets the box to the wanted content.
func (b box) settled() {
	b.Write("/etc/app/conf", boxtest.NewConf)
	b.Write("/run/loaded", boxtest.NewConf)
}

// The test uses a file of each owner and mode, with the wanted content and with another content. The plan names the rights of users other
// than root. The apply replaces the file, and restarts nothing if only the rights change. The next plan is empty.
func rightsOfFiles(t testing.TB, b box) {
	for _, same := range []bool{true, false} {
		for i, own := range [][2]int{{0, 0}, {0, 5}, {stranger, 0}, {stranger, stranger}} {
			for j, mode := range []uint32{0o644, 0o640, 0o664, 0o646, 0o777, 0o4755, 0o1644, 0o2660} {
				if !*whole && (same && (i+j)%2 != 0 || !same && (i+j)%8 != 0) { // fewer where the content differs, too
					continue
				}
				what := fmt.Sprint(same, own, fmt.Sprintf(" %04o", mode))
				b.Write("/etc/app/conf", boxtest.OldConf)
				b.Write("/run/loaded", boxtest.OldConf)
				b.Write("/run/reloads", "")
				if same {
					b.settled()
				}
				b.give(t, "/etc/app/conf", own[0], own[1], mode)
				was, inode := b.rights(t, "/etc/app/conf")
				p := b.plan(t)
				if same && was == was.OfFile() {
					require.True(t, p.Empty(), what)
					continue
				}
				require.NotEmpty(t, p.Devices[0].Changes, what)
				c := p.Devices[0].Changes[0]
				require.Equal(t, same, c.OnlyRights(), what)
				if was != was.OfFile() {
					require.Equal(t, []deploy.RightsChange{{Path: b.Root + "/etc/app/conf", Before: was, After: was.OfFile()}}, c.Rights, what)
				}
				if (i+j)%4 != 0 || !*whole && same == ((i+j)%8 == 0) { // an apply for each owner and for each mode
					continue
				}
				require.Equal(t, deploy.Applied, b.applyWith(t, p).Outcome, what)
				now, fresh := b.rights(t, "/etc/app/conf")
				require.Equal(t, deploy.Rights{Mode: mode &^ 0o7022}, now, what)
				require.NotEqual(t, inode, fresh, what)
				b.holds(t, boxtest.NewConf, boxtest.NewConf)
				require.Equal(t, same, b.Read("/run/reloads") == "", what)
				require.True(t, b.plan(t).Empty(), what)
				b.bare(t)
			}
		}
	}
}

// A program of another user has the file open for writing. Its writes reach neither the file of the run nor the file of the undo.
func rightsOpenFile(t testing.TB, b box) {
	for _, c := range []struct {
		name  string
		fails bool
		want  string
	}{{"kept", false, boxtest.NewConf}, {"undone", true, boxtest.OldConf}} {
		b.Write("/etc/app/conf", boxtest.OldConf)
		b.Write("/run/loaded", boxtest.OldConf)
		b.give(t, "/etc/app/conf", stranger, stranger, 0o777)
		open, err := os.OpenFile(b.Root+"/etc/app/conf", os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		require.NoError(t, os.Link(b.Root+"/etc/app/conf", b.Root+"/run/other"+c.name)) // another way to the same file
		if c.fails {
			b.Daemon(`echo evil >>run/other` + c.name + `; grep -q red etc/app/conf || exit 1`)
		}
		want := deploy.Applied
		if c.fails {
			want = deploy.Restored
		}
		b.is(t, b.applyWith(t, b.plan(t)), want, "", "")
		_, err = open.WriteString("evil = 1\n")
		require.NoError(t, err)
		require.NoError(t, open.Close())
		require.Equal(t, c.want, b.Read("/etc/app/conf"), c.name)
		now, _ := b.rights(t, "/etc/app/conf")
		require.Equal(t, deploy.Rights{Mode: 0o755}, now, c.name)
	}
}

// If a run only made root the owner of a file, the undo does not change the file. The backup does not restore owner and mode.
func rightsUndone(t testing.TB, b box) {
	edits := b.Edits
	script := boxtest.ConfFile(b.Root+"/etc/app/script", "green")
	script.Mode = 0o755
	b.Dev.Files = append([]target.File{script}, b.Dev.Files...)
	b.Write("/etc/app/script", "colour = green\n")
	for _, linked := range []bool{true, false} {
		b.give(t, "/etc/app/script", stranger, stranger, 0o777)
		b.give(t, "/etc/app/conf", stranger, stranger, 0o666)
		if !linked { // the copy beside the file is lost, so the undo uses the backup
			b.Edits = append(slices.Clone(edits), boxtest.Edit{Old: `	back
	refusals base`, New: `	rm -f ` + b.Root + `/etc/app/.rocec-*.old
	back
	refusals base`})
		}
		b.Daemon(`grep -q red etc/app/conf || exit 1`)
		p := b.plan(t)
		require.True(t, p.Devices[0].Changes[0].OnlyRights())
		b.is(t, b.applyWith(t, p), deploy.Restored, deploy.Activation, "")
		b.holds(t, boxtest.OldConf, boxtest.OldConf)
		now, _ := b.rights(t, "/etc/app/script")
		require.Equal(t, deploy.Rights{Mode: 0o755}, now)
		now, _ = b.rights(t, "/etc/app/conf")
		require.Equal(t, deploy.Rights{Mode: 0o644}, now)
		b.bare(t)
	}
}

// Another user edits the file between the last comparison and the rename. The edit is restored in a file that root owns.
func rightsEdited(t testing.TB, b box) {
	edits := b.Edits
	for _, same := range []bool{true, false} {
		b.Edits = append(slices.Clone(edits), boxtest.Edit{
			Old: `	ln -T "$path" "$tmp.prev" 2>/dev/null`,
			New: `	echo evil >"$path"; ln -T "$path" "$tmp.prev" 2>/dev/null`,
		})
		b.Write("/etc/app/conf", boxtest.OldConf)
		if same {
			b.settled()
		}
		b.give(t, "/etc/app/conf", stranger, stranger, 0o777)
		b.is(t, b.applyWith(t, b.plan(t)), deploy.Conflict, "", "")
		require.Equal(t, "evil\n", b.Read("/etc/app/conf"))
		now, _ := b.rights(t, "/etc/app/conf")
		require.Equal(t, deploy.Rights{Mode: 0o755}, now)
		require.NoError(t, os.RemoveAll(b.Root+boxtest.State))
	}
}

// Root becomes the owner of rocec's folders before anything is written into them. In folders of the system, rocec writes no file that
// other users could replace. A link in place of the upload is not followed.
func rightsOfFolders(t testing.TB, b box) {
	own := boxtest.ConfFile("/etc/rocec/host/a.conf", "green") // the box moves the path below its root
	own.Mode = 0o644
	b.Dev.Files = []target.File{own}
	require.NoError(t, os.MkdirAll(b.Root+"/etc/rocec/host", 0o755))
	for i, c := range []struct {
		own  [2]int
		mode uint32
	}{{[2]int{stranger, stranger}, 0o755}, {[2]int{0, 0}, 0o777}, {[2]int{0, stranger}, 0o775}, {[2]int{0, 0}, 0o1777}} {
		for j, folder := range []string{"/etc/rocec", "/etc/rocec/host"} {
			if !*whole && (i+j)%2 != 0 {
				continue
			}
			what := fmt.Sprint(folder, c)
			b.Write("/etc/rocec/host/a.conf", "colour = green\n")
			require.NoError(t, os.Symlink(b.Root+"/victim", b.Root+"/etc/rocec/host/.rocec-txn-1-0.new"))
			b.give(t, folder, c.own[0], c.own[1], c.mode)
			p := b.plan(t)
			require.Len(t, p.Devices[0].Changes, 1, what)
			require.Contains(t, fmt.Sprint(p.Devices[0].Changes[0].RightsKeys()), " of "+folder, what)
			b.is(t, b.applyWith(t, p), deploy.Applied, "", "")
			now, _ := b.rights(t, folder)
			require.Equal(t, deploy.Rights{Mode: c.mode &^ 0o022}, now, what)
			require.NoFileExists(t, b.Root+"/victim", what)
			require.True(t, b.plan(t).Empty(), what)
			b.give(t, folder, 0, 0, 0o755)
		}
	}

	system := boxtest.ConfFile(b.Root+"/opt/sbin/tool", "green")
	b.Dev.Files = []target.File{system}
	require.NoError(t, os.MkdirAll(b.Root+"/opt/sbin", 0o755))
	for _, c := range []struct {
		folder   string
		uid, gid int
		mode     uint32
		refused  bool
		says     string
	}{
		{"/opt/sbin", stranger, 0, 0o755, true, "warning"},
		{"/opt/sbin", 0, 0, 0o777, true, "warning"},
		{"/opt/sbin", 0, 0, 0o1777, true, "warning"},
		{"/opt", stranger, 0, 0o755, true, "warning"},
		{"/opt", 0, 0, 0o757, true, "warning"},
		{"/opt", 0, 0, 0o1777, false, ""},           // in a sticky folder only root may replace root's files
		{"/opt/sbin", 0, 50, 0o2775, false, "note"}, // as on Debian
		{"/opt/sbin", 0, 50, 0o755, false, ""},
	} {
		what := fmt.Sprintf("%s %d:%d %o", c.folder, c.uid, c.gid, c.mode)
		b.give(t, c.folder, c.uid, c.gid, c.mode)
		p := b.plan(t)
		found := diag.List{}
		for _, w := range p.Devices[0].Watched {
			found = append(found, w.Found...)
		}
		if c.says == "" {
			require.Empty(t, found, what)
		} else {
			require.Len(t, found, 1, what)
			require.Equal(t, c.says, found[0].Severity.String(), what)
			require.Contains(t, found[0].Detail, b.Root+c.folder, what)
		}
		r := b.applyWith(t, p)
		if c.refused {
			b.is(t, r, deploy.Refused, deploy.Permission, "others than root may put files into "+c.folder)
			require.NoFileExists(t, b.Root+"/opt/sbin/tool", what)
		} else {
			b.is(t, r, deploy.Applied, "", "")
			require.NoError(t, os.Remove(b.Root+"/opt/sbin/tool"))
		}
		b.bare(t)
		b.give(t, c.folder, 0, 0, 0o755)
	}
}

// rocec's state on the device is data. If only a mode lets other users write, the apply removes that right. A file that other users own
// stops the apply.
func rightsOfState(t testing.TB, b box) {
	b.is(t, b.applyWith(t, b.plan(t)), deploy.Applied, "", "")
	require.NoError(t, os.Mkdir(b.Root+boxtest.State+"/rocec-host", 0o755))
	b.Write(boxtest.State+"/rocec-host/ens1f0.before", "tos=0\n")
	paths := []string{
		boxtest.State, boxtest.State + "/backup", boxtest.State + "/backup/txn-1", boxtest.State + "/original", boxtest.State + "/counter",
		boxtest.State + "/rocec-host", boxtest.State + "/rocec-host/ens1f0.before",
	}
	was := map[string]deploy.Rights{}
	var want []string
	for _, path := range paths {
		was[path], _ = b.rights(t, path)
		b.give(t, path, 0, 0, was[path].Mode|0o022)
		want = append(want, "mode of "+path)
	}
	p := b.plan(t)
	require.Len(t, p.Devices[0].Changes, 1)
	c := p.Devices[0].Changes[0]
	require.True(t, c.OnlyRights())
	require.False(t, c.Replaces())
	var keys []string
	for _, k := range c.RightsKeys() {
		keys = append(keys, k.Key)
	}
	require.ElementsMatch(t, want, keys)
	_, inode := b.rights(t, "/etc/app/conf")
	b.is(t, b.applyWith(t, p), deploy.Applied, "", "")
	for _, path := range paths {
		now, _ := b.rights(t, path)
		require.Equal(t, was[path].Mode, now.Mode, path)
	}
	_, still := b.rights(t, "/etc/app/conf")
	require.Equal(t, inode, still, "the file that carries the change stays")
	require.True(t, b.plan(t).Empty())

	b.Write("/etc/app/conf", boxtest.OldConf)
	for _, path := range paths {
		b.give(t, path, stranger, 0, was[path].Mode)
		p = b.plan(t)
		require.Contains(t, fmt.Sprint(p.Devices[0].Watched[0].Found[0].Detail), "may have changed "+path+" ")
		b.is(t, b.applyWith(t, p), deploy.Refused, deploy.Permission, path+" does not belong to root")
		b.holds(t, boxtest.OldConf, boxtest.NewConf)
		b.give(t, path, 0, 0, was[path].Mode)
	}
}

// rightsOfRuns makes the folder of a run that another user may have filled. No verb executes a file of that folder.
func rightsOfRuns(t testing.TB, b box) {
	x := boxtest.State + "/txn-txn-1"
	plant := func(spoil string) {
		require.NoError(t, os.RemoveAll(b.Root+boxtest.State))
		require.NoError(t, os.RemoveAll(b.Root+"/elsewhere"))
		require.NoError(t, os.MkdirAll(b.Root+x+"/step.00", 0o700))
		require.NoError(t, os.Chmod(b.Root+boxtest.State, 0o755))
		for _, name := range []string{"/run", "/state.confirmed", "/step.00/cmd"} {
			require.NoError(t, os.WriteFile(b.Root+x+name, []byte("echo run >>"+b.Root+"/executed\n"), 0o600))
		}
		b.lock(t, "txn txn-1\nkey abcd\nowner bob@ws9\nsince 2026-11-21T06:00:00Z\n")
		switch spoil {
		case "owner":
			b.give(t, x, stranger, 0, 0o700)
		case "folder":
			b.give(t, x, 0, 0, 0o703)
		case "group":
			b.give(t, x, 0, 0, 0o720)
		case "sticky":
			b.give(t, x, 0, 0, 0o1777)
		case "link":
			require.NoError(t, os.Rename(b.Root+x, b.Root+"/elsewhere"))
			require.NoError(t, os.Symlink(b.Root+"/elsewhere", b.Root+x))
		default:
			b.give(t, x+spoil, stranger, 0, 0o600)
		}
	}
	run := deploy.Run{Name: "txn-1", Key: "abcd", Keys: map[string]string{"leaf01": "abcd"}}
	what := device.NewChange(b.plan(t).Devices[0])
	verbs := map[string]func(d *device.Device) *deploy.Error{
		"sweep": func(d *device.Device) *deploy.Error { return d.Sweep(t.Context(), "txn-1", "bob") },
		"unlock": func(d *device.Device) *deploy.Error {
			return d.Unlock(t.Context(), deploy.ParseOwner("txn txn-1\nkey abcd\n"), "bob")
		},
		"undo":    func(d *device.Device) *deploy.Error { _, err := d.Undo(t.Context(), run, what); return err },
		"confirm": func(d *device.Device) *deploy.Error { _, err := d.Confirm(t.Context(), run, what); return err },
		"release": func(d *device.Device) *deploy.Error { _, err := d.Release(t.Context(), run, what); return err },
		"extend": func(d *device.Device) *deploy.Error {
			_, err := d.Extend(t.Context(), run, what, time.Hour)
			return err
		},
		"state": func(d *device.Device) *deploy.Error { _, err := d.State(t.Context(), run, what); return err },
		"commit": func(d *device.Device) *deploy.Error {
			_, _, err := d.Commit(t.Context(), run, what, device.Timers{})
			return err
		},
		"held":  func(d *device.Device) *deploy.Error { _, err := d.Held(t.Context(), "txn-1", nil); return err },
		"begin": func(d *device.Device) *deploy.Error { return d.Prepare(t.Context(), run, what, device.Timers{}) },
		"begin of another": func(d *device.Device) *deploy.Error {
			return d.Prepare(t.Context(), deploy.Run{Name: "txn-2", Key: "ef01"}, what, device.Timers{})
		},
		"begin without a lock": func(d *device.Device) *deploy.Error {
			require.NoError(t, os.RemoveAll(b.Root+boxtest.State+"/lock"))
			return d.Prepare(t.Context(), deploy.Run{Name: "txn-2", Key: "ef01"}, what, device.Timers{})
		},
	}
	for _, spoil := range []string{"owner", "folder", "group", "sticky", "/run", "/step.00/cmd", "link"} {
		for name, verb := range verbs {
			if spoil == "link" && strings.Contains(name, "without") { // a link does not count as a run
				continue
			}
			plant(spoil)
			d := b.link(t)
			err := verb(d)
			require.NoFileExists(t, b.Root+"/executed", "%s %s", name, spoil)
			if spoil == "/step.00/cmd" && name == "held" { // the read skips its content
				continue
			}
			require.NotNil(t, err, "%s %s", name, spoil)
			if spoil != "link" || name != "begin" {
				require.Equal(t, deploy.Permission, err.Kind, "%s %s: %s", name, spoil, err.Detail)
				require.Contains(t, err.Detail, "remove it on the device", "%s %s", name, spoil)
			}
		}
	}
}

// The folder of marks is in memory. A mark in a folder that others can write does not count.
func rightsOfMarks(t testing.TB, b box) {
	require.NoError(t, os.MkdirAll(b.Root+"/run/rocec", 0o755))
	for _, c := range []struct {
		uid  int
		mode uint32
	}{{stranger, 0o755}, {0, 0o777}} {
		b.give(t, "/run/rocec", c.uid, 0, c.mode)
		require.NoError(t, os.Symlink(b.Root+"/victim", b.Root+"/run/rocec/mark.new"))
		_, err := b.link(t).Mark(t.Context(), testRun, time.Hour, "")
		require.NotNil(t, err)
		require.Equal(t, deploy.Permission, err.Kind)
		require.NoFileExists(t, b.Root+"/victim")
		require.NoError(t, os.Remove(b.Root+"/run/rocec/mark.new"))
	}
	left, err := filepath.Glob(b.Root + "/run/rocec/mark*")
	require.NoError(t, err)
	require.Empty(t, left)
}

// A plan was saved before users other than root could change a file. Its apply does not correct these rights, because the plan did not
// show them.
func rightsAfterThePlan(t testing.TB, b box) {
	b.settled()
	var file strings.Builder
	require.NoError(t, deploy.SavePlan(&file, b.plan(t), deploy.Meta{}))
	saved, err := deploy.LoadPlan(strings.NewReader(file.String()))
	require.NoError(t, err)
	require.NoError(t, b.plan(t).Matches(saved))
	b.give(t, "/etc/app/conf", stranger, 0, 0o777)
	require.ErrorContains(t, b.plan(t).Matches(saved), "owner or mode of "+b.Root+"/etc/app/conf changed on the device")
}
