package lab

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/target"
)

func open(t *testing.T, dir string, tree *target.Tree) *Lab {
	t.Helper()
	l, err := Open(dir, tree, "a test")
	require.NoError(t, err)
	return l
}

// reopened calls do on host01 of a lab, closes the lab, opens it again, and returns host01.
func reopened(t *testing.T, do func(*Device)) (*Lab, *Device) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	l := open(t, dir, testTree())
	do(l.Device("host01"))
	require.NoError(t, l.Close())
	l = open(t, dir, testTree())
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l, l.Device("host01")
}

func TestKept(t *testing.T) {
	var id string
	l, d := reopened(t, func(d *Device) {
		id = root(t, d, "cat /proc/sys/kernel/random/boot_id")
		root(t, d, `echo 3 >/etc/toy; systemctl restart toy; toy set 5; mkdir /sys/toy/a; echo x >/run/x
			mkdir -p -m 700 /keep/deep; echo y >/keep/y; ln /keep/y /keep/z
			ln -s nowhere /keep/link; chmod 600 /etc/hostname; rm /usr/bin/cut; echo new >>/etc/passwd; systemctl disable toy
			ip link set dev ens1f0 mtu 4000; ethtool -A ens1f0 rx off tx off
			ip link add link ens1f0 name ens1f0.77 type vlan id 77 egress-qos-map 0:4; ip link del ens1f0.100
			systemd-run --on-active=500 --unit=dead touch /dead; sleep 60`)
		d.SetCounter("ens1f0", "drops", 7)
	})
	require.Equal(t, id, root(t, d, "cat /proc/sys/kernel/random/boot_id"), "it was not switched off")
	require.Equal(t, "5\n3\nx\ny\ny\n", root(t, d, "toy get; cat /etc/toy /run/x /keep/y /keep/z; test -e /sys/toy/a/number"))
	require.Equal(t, "700\n2\n600\nnowhere\n",
		root(t, d, "stat -c %a /keep/deep; stat -c %h /keep/z; stat -c %a /etc/hostname; readlink /keep/link"))
	require.Equal(t, 127, sh(t, d, "root", "cut").status)
	require.Equal(t, "4000\n",
		root(t, d, "cat /sys/class/net/ens1f0/mtu; test ! -e /sys/class/net/ens1f0.100; test -e /sys/class/net/ens1f0.77; grep -q ens1f0.77 "+
			"/proc/net/vlan/config"))
	require.Contains(t, root(t, d, "ethtool -a ens1f0"), "RX:\t\toff")
	require.Contains(t, root(t, d, "toy mtu ens1f0"), " 7\n")
	require.Equal(t, "active\n", root(t, d, "systemctl is-active dead.timer; systemctl is-enabled toy >/dev/null || true"))
	require.Equal(t, "2026-01-01T00:01", root(t, d, "date -u +%Y-%m-%dT%H:%M")[:16], "time stood still")
	d.Pass(439 * time.Second)
	require.Equal(t, 1, sh(t, d, "root", "test -e /dead").status)
	d.Pass(2 * time.Second)
	require.Eventually(t, func() bool { return sh(t, d, "root", "test -e /dead").status == 0 }, 10*time.Minute, time.Millisecond)
	d.Reboot()
	require.Equal(t, "inactive\n", sh(t, d, "root", "systemctl is-active toy").out, "it is disabled")
	require.Equal(t, 1, sh(t, l.Device("leaf01"), "admin", "test -e /keep").status)
}

// TestKeptProcesses: closing a lab waits for a running command, and a sleeping shell continues its sleep later.
func TestKeptProcesses(t *testing.T) {
	_, d := reopened(t, func(d *Device) {
		root(t, d, `setsid sh -c 'i=0; while [ $i -lt 50 ]; do sleep 1; i=$((i+1)); done; echo $i >/ended' >/dev/null 2>&1 & `)
		root(t, d, `cd /tmp; setsid sh -c 'say() { echo "$1 $x $2 $(pwd)" >/said; }; set -u; x="a b"; export x
			trap "echo end >/end" EXIT; sleep 1000; sh -c "say 2>/dev/null || echo \"\$x\" >/env"; say woke "$1"; exit 3' sh arg >/dev/null 2>&1 & echo $! >/pid
			until [ -n "$(cat /pid)" ] && kill -0 -$(cat /pid); do sleep 0.1; done 2>/dev/null; sleep 400`)
	})
	require.Equal(t, "50\n", root(t, d, "cat /ended"))
	root(t, d, "kill -0 $(cat /pid); test ! -e /said; sleep 500; test ! -e /said")
	require.Equal(t, "woke a b arg /tmp\na b\nend\n", root(t, d, "sleep 101; cat /said /env /end"))
	require.Equal(t, 1, sh(t, d, "root", "kill -0 $(cat /pid)").status)
}

// TestChangedHardware: a device with a new interface or another system keeps its disk and boots again.
func TestChangedHardware(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, testTree())
	d := l.Device("host01")
	root(t, d, "echo mine >/etc/mine; rm /etc/os-release; toy set 5; touch /run/x; ip link set dev ens1f0 mtu 4000; systemd-run "+
		"--on-active=500 touch /dead")
	old, err := l.Device("leaf01").ReadFile("/etc/os-release")
	require.NoError(t, err)
	l.Device("leaf01").WriteFile("/etc/mine", []byte("mine\n"), 0o644)
	root(t, l.Device("leaf01"), "touch /touched")
	require.NoError(t, l.Close())

	changed := testTree()
	for _, td := range changed.Devices {
		plain := *td.Target
		td.Target = &plain
		image := plain.Image
		plain.Image = func(d *ir.Device) target.Image {
			img := image(d)
			img.Netdevs = append(img.Netdevs, target.Netdev{Name: "new0"})
			img.Files = maps.Clone(img.Files)
			img.Files["/etc/os-release"] = "NAME=\"another\"\n"
			return img
		}
	}
	l = open(t, dir, changed)
	d = l.Device("host01")
	require.Equal(t, "mine\n0\n9000\n0002\n", root(t, d, "cat /etc/mine; toy get; cat /sys/class/net/ens1f0/mtu; "+
		"tail -c 5 /proc/sys/kernel/random/boot_id; test -e /sys/class/net/new0; test ! -e /run/x; test ! -e /etc/os-release"))
	require.Equal(t, string(old), root(t, l.Device("leaf01"), "cat /etc/os-release; cat /etc/mine >/dev/null"),
		"the installed release is the old one")
	require.NoError(t, l.Close())

	l = open(t, dir, testTree())
	require.Equal(t, "mine\n0003\n", root(t, l.Device("host01"), "cat /etc/mine; tail -c 5 /proc/sys/kernel/random/boot_id"))
	require.NoError(t, l.Close())
}

// TestFolder: the owners of a lab's folder, and its content.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, testTree())
	key, host := l.public.Marshal(), l.Login("host01").HostKey
	_, err := Open(dir, testTree(), "another")
	var inUse *InUse
	require.ErrorAs(t, err, &inUse)
	require.Equal(t, "a test", inUse.By)
	require.ErrorAs(t, Reset(dir, "another"), &inUse)
	root(t, l.Device("host01"), "touch /x")
	root(t, l.Device("leaf01"), "cat /etc/hostname")
	require.NoError(t, l.Close())

	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		i, err := e.Info()
		require.NoError(t, err)
		require.True(t, path == dir || i.Mode().Perm()&0o077 == 0, path)
		if !e.IsDir() {
			files = append(files, strings.TrimPrefix(path, dir+"/"))
			require.Less(t, i.Size(), int64(4096), "%s: the difference, compressed", path)
		}
		return nil
	}))
	require.Len(t, files, 4, "%v", files)
	require.Contains(t, files, "devices/host01", "a device that is as new is not kept")

	l = open(t, dir, testTree())
	require.Equal(t, key, l.public.Marshal())
	require.Equal(t, host, l.Login("host01").HostKey)
	require.NoError(t, l.Close())

	require.NoError(t, Reset(dir, "a test"))
	require.NoError(t, Reset(dir, "a test"))
	l = open(t, dir, testTree())
	require.Equal(t, 1, sh(t, l.Device("host01"), "root", "test -e /x").status)
	require.NotEqual(t, key, l.public.Marshal())
	require.NoError(t, l.Close())

	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "thesis"), nil, 0o600))
	_, err = Open(other, testTree(), "a test")
	require.ErrorContains(t, err, `is not the folder of a lab: it holds "thesis"`)
	require.Error(t, Reset(other, "a test"))
	require.FileExists(t, filepath.Join(other, "thesis"))
}

// TestHostileFolder: for any content of a lab's folder, nothing outside of the folder is read or written, and the result is an error.
func TestHostileFolder(t *testing.T) {
	outside := t.TempDir()
	canary := filepath.Join(outside, "canary")
	for name, plant := range map[string]func(t *testing.T, dir string){
		"lock is a link": func(t *testing.T, dir string) { require.NoError(t, os.Symlink(canary, filepath.Join(dir, "lock"))) },
		"manifest is a link": func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink(canary, filepath.Join(dir, manifestFile)))
		},
		"devices is a link": func(t *testing.T, dir string) { require.NoError(t, os.Symlink(outside, filepath.Join(dir, "devices"))) },
		"devices is a file": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "devices"), nil, 0o600))
		},
		"device is a link": func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(filepath.Join(dir, "devices"), 0o700))
			require.NoError(t, os.Symlink(canary, filepath.Join(dir, "devices", "host01")))
		},
		"device is a folder": func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "devices", "host01"), 0o700))
		},
		"device is nothing": func(t *testing.T, dir string) { fileAt(t, filepath.Join(dir, "devices"), "host01", nil) },
		"manifest is empty": func(t *testing.T, dir string) { fileAt(t, dir, manifestFile, nil) },
		"manifest is odd":   func(t *testing.T, dir string) { fileAt(t, dir, manifestFile, []byte(`{"rocec_lab":1,"seed":"AA=="}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(canary, []byte("untouched"), 0o600))
			dir := t.TempDir()
			plant(t, dir)
			l, err := Open(dir, testTree(), "a test")
			if err == nil {
				var d *Device
				if d, err = l.Find("host01"); err == nil {
					root(t, d, "touch /x")
				}
				if end := l.Close(); err == nil {
					err = end
				}
			}
			require.Error(t, err)
			data, err := os.ReadFile(canary)
			require.NoError(t, err)
			require.Equal(t, "untouched", string(data))
			entries, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, entries, 1)
		})
	}
}

// Opening a lab removes an incomplete file of an earlier process. If the file is a link, its target stays.
func TestHalfWritten(t *testing.T) {
	canary, dir := filepath.Join(t.TempDir(), "canary"), t.TempDir()
	require.NoError(t, os.WriteFile(canary, []byte("untouched"), 0o600))
	require.NoError(t, os.Symlink(canary, filepath.Join(dir, safefile.Temporary+"devices-host01")))
	fileAt(t, dir, safefile.Temporary+"0123", []byte("half"))
	l := open(t, dir, testTree())
	root(t, l.Device("host01"), "touch /x")
	require.NoError(t, l.Close())
	left, err := filepath.Glob(filepath.Join(dir, safefile.Temporary+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
	data, err := os.ReadFile(canary)
	require.NoError(t, err)
	require.Equal(t, "untouched", string(data))
}

func fileAt(t *testing.T, dir, name string, data []byte) {
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
}

// FuzzRestore: no readable record makes the lab panic; the result is a device or an error.
func FuzzRestore(f *testing.F) {
	d := NewDevice(testTree().Devices[1])
	run := func(cmd string) { d.Run(f.Context(), "root", cmd, "") }
	run("echo 3 >/etc/toy; systemctl restart toy; mkdir -p /sys/toy/a /d/e; echo x >/run/x; ln /etc/toy /d/z; rm -r /home")
	run("ip link add link ens1f0 name ens1f0.77 type vlan id 77")
	run("systemd-run --on-active=500 touch /dead; setsid sh -c 'sleep 1000; touch /x' >/dev/null 2>&1 & until kill -0 -$!; do sleep 0.1; done")
	d.machine.Settle()
	seed, err := json.Marshal(d.record(d.disk))
	require.NoError(f, err)
	d.shut()
	f.Add(seed)
	for _, edit := range [][3]string{ // old text, new text, part of the error
		{`"Mode":420`, `"Mode":2147484013`, `"/etc/toy" is the same file as none`},
		{`"/etc/toy"`, `"/etc/../toy"`, `"/etc/../toy" is not a path`},
		{`"/etc/toy"`, `"/proc/uptime"`, `"/proc/uptime" has no folder`},
		{`"/etc/toy"`, `"/etc/hostname/x"`, `"/etc/hostname/x" has no folder`},
		{`"Number":3`, `"Number":30`, `toy is in no state it can be in`},
		{`"Clock":`, `"Clock":-`, `a time is out of range`},
		{`"Next":1`, `"Next":100`, `cannot go on`},
		{`"VLAN":77`, `"VLAN":0`, `the interface "ens1f0.77" cannot be`},
		{`"Args":["touch","/dead"]`, `"Args":[]`, `a timer has nothing to run`},
		{`"Boots":1`, `"Boots":0`, `a number is out of range`},
		{`"MTU":9000`, `"MTU":1`, `the interface "ens1f0" has an MTU of 1`},
		{`"User":"root"`, `"User":"nobody"`, `cannot go on`},
		{`"Kept":{`, `"Kept":{"x":null,`, `<nil>`},
		{`"toy":{`, `"y":{`, `toy is missing`},
		{`"Made":["/sys/toy/a"]`, `"Made":["/etc/x","/sys/toy/ab"]`, `"/sys/toy/ab": No such device`},
		{`"Same":"/d/z"`, `"Same":"/"`, `"/etc/toy" is the same file as none`},
		{`"Same":"/d/z"`, `"Same":"/nope"`, `"/etc/toy" is the same file as none`},
		{`"Gone":["/home"`, `"Gone":["/","..","","/home"`, `<nil>`},
		{`"Script":"sleep`, `"Script":"((`, `cannot go on`},
		{`"PID":`, `"PID":-`, `cannot go on`},
	} {
		mutant := strings.Replace(string(seed), edit[0], edit[1], 1)
		require.NotEqual(f, string(seed), mutant, "%q is not in the record", edit[0])
		var r record
		if json.Unmarshal([]byte(mutant), &r) == nil {
			d, err := restore(testTree().Devices[1], &r, d.disk)
			if err == nil {
				d.shut()
			}
			require.Contains(f, fmt.Sprint(err), edit[2], "%s", edit[1])
		}
		f.Add([]byte(mutant))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r record
		if json.Unmarshal(data, &r) != nil {
			return
		}
		td := testTree().Devices[1]
		d, err := restore(td, &r, td.Target.Image(td.Source).Files)
		if err != nil {
			return
		}
		d.Run(t.Context(), "root", "ls -l / /etc /run /d; cat /etc/* /sys/toy/*/number; toy get", "")
		d.Run(t.Context(), "root", "ip -d link show; systemctl is-active toy; ethtool -a ens1f0", "")
		d.PowerCut()
		d.shut()
	})
}
