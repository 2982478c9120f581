package unix

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// host returns a running machine with the users root and admin and two additional folders.
func host(hooks ...Hooks) *Machine {
	m := New(System{
		Name: "host01", Users: Users([]string{"admin"}), Memory: []string{"/run/lock"},
		Folders: []string{"/etc", "/home", "/tmp", "/var/lib", "/usr/bin", "/usr/sbin", "/usr/lib"},
	}, 0, append(hooks, Hooks{})[0])
	m.PlantOn(m.FS)
	m.PowerOn(0)
	m.FS.Lock()
	defer m.FS.Unlock()
	m.PlantKernel("id")
	return m
}

// result is the result of a command.
type result struct {
	out, err string
	status   int
}

// sh runs a command on a machine like sshd, but without a network connection.
func sh(t *testing.T, m *Machine, user, cmd string, stdin ...string) result {
	t.Helper()
	out, errs, status := m.Run(context.Background(), user, cmd, strings.Join(stdin, ""))
	return result{out, errs, status}
}

// root runs a command that must succeed and returns its output.
func root(t *testing.T, m *Machine, cmd string, stdin ...string) string {
	t.Helper()
	r := sh(t, m, "root", cmd, stdin...)
	require.Equal(t, 0, r.status, "%s\n%s%s", cmd, r.out, r.err)
	return r.out
}

func TestDeviceAnswersForItself(t *testing.T) {
	d := host()
	require.Equal(t, "/root\n/root\n", root(t, d, "echo ~; echo $HOME"))
	require.Equal(t, "/root /root/x ~nobody ~nobody/y\n", root(t, d, "echo ~root ~root/x ~nobody ~nobody/y"))
	require.Equal(t, "/root\n", root(t, d, "echo ~root | cat"))
	require.Equal(t, "host01\n", root(t, d, "cat /etc/hostname"))
	require.Equal(t, "bin dev etc home lib proc root sbin sys tmp usr var run",
		strings.Join(strings.Fields(root(t, d, "cd /; echo bin dev etc home lib proc root sbin sys tmp usr var run")), " "))
	require.Equal(t, "/bin /dev /etc /home /lib /proc /root /run /sbin /sys /tmp /usr /var\n", root(t, d, "echo /*"))
	require.Equal(t, "/usr/bin\n", root(t, d, "cd /bin; pwd -P"))
	require.Equal(t, "x\n", root(t, d, "echo x >/tmp/x; cat /tmp/x"))
	require.Equal(t, "HOME=/root\nLOGNAME=root\nPATH="+rootPath+"\nSHELL=/bin/sh\nUSER=root\n", root(t, d, "env"))
	a, b := root(t, d, "echo $$"), root(t, d, "echo $$")
	require.NotEqual(t, a, b, "two sessions are two processes")
}

func TestSudo(t *testing.T) {
	allowed := true
	d := host(Hooks{MaySudo: func() bool { return allowed }})
	require.Equal(t, result{"admin 1000 /home/admin\n", "", 0}, sh(t, d, "admin", "echo $(id -un) $(id -u) $HOME"))
	require.Equal(t, result{"root 0 /root\n", "", 0}, sh(t, d, "admin", "sudo -n sh -c 'echo $(id -un) $(id -u) $HOME'"))
	require.Equal(t, 2, sh(t, d, "admin", "echo x >/etc/x").status)
	require.Equal(t, result{"", "cat: /root/x: Permission denied\n", 1}, sh(t, d, "admin", "cat /root/x"))
	require.Equal(t, result{"", "touch: cannot touch '/etc/x': Permission denied\n", 1}, sh(t, d, "admin", "touch /etc/x"))
	require.Equal(t, result{"", "chmod: changing permissions of '/etc/hostname': Operation not permitted\n", 1},
		sh(t, d, "admin", "chmod 666 /etc/hostname"))
	require.Equal(t, result{"from stdin", "", 0}, sh(t, d, "admin", "sudo -n tee /etc/x", "from stdin"))
	require.Equal(t, "640 0 0\n", root(t, d, "chmod 640 /etc/x; stat -c '%a %u %g' /etc/x"))
	require.Equal(t, 1, sh(t, d, "admin", "cat /etc/x").status)
	root(t, d, "chown admin:admin /etc/x")
	require.Equal(t, result{"from stdin", "", 0}, sh(t, d, "admin", "cat /etc/x"))
	allowed = false
	require.Equal(t, result{"", "sudo: a password is required\n", 1}, sh(t, d, "admin", "sudo -n true"))
}

func TestSleepTakesNoTime(t *testing.T) {
	d := host()
	before := time.Now()
	require.Equal(t, "2026-01-01T01:00:00Z\n", root(t, d, "sleep 3600; date -u +%Y-%m-%dT%H:%M:%SZ"))
	require.Less(t, time.Since(before), time.Hour)
	require.Equal(t, 124, sh(t, d, "root", "timeout 5 sleep 10").status)
	require.Equal(t, 124, sh(t, d, "root", "timeout 5 sh -c 'while :; do sleep 1; done'").status)
	require.Equal(t, 0, sh(t, d, "root", "timeout 5 sh -c 'sleep 2; sleep 2'").status)
	require.Equal(t, 124, sh(t, d, "root", "timeout 100 timeout 3 sh -c 'sleep 4'").status)
}

// TestBounds tries to exhaust the resources of the machine.
func TestBounds(t *testing.T) {
	d := host()
	r := sh(t, d, "root", "f() { f; }; f; echo not reached")
	require.NotEqual(t, 0, r.status)
	require.Contains(t, r.err, "nested too deeply")

	require.Equal(t, 2, sh(t, d, "root", strings.Repeat("#", maxScript+1)).status)
	for open, close := range map[string]string{"(": ")", "{ ": ";}", "$(": ")", "if ": ":; then :; fi ", "! ": "", "`": ""} {
		for _, n := range []int{1000, maxScript/(len(open)+len(close)) - 2} {
			script := strings.Repeat(open, n) + "true" + strings.Repeat(close, n)
			r := sh(t, d, "root", script) // the script must end, with any result
			require.True(t, n == 1000 || r.status == 2, "%d times %q: %d", n, open, r.status)
		}
	}

	r = sh(t, d, "root", "yes() { while :; do echo yyyyyyyyyyyyyyyy; done; }; yes | head -c 10")
	require.Equal(t, "yyyyyyyyyy", r.out)

	r = sh(t, d, "root", "x=0123456789012345; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do x=$x$x; done; while :; do printf %s "+
		"\"$x\" >>/big || exit 3; done")
	require.Equal(t, 3, r.status)
	require.Contains(t, r.err, "I/O error")
	require.LessOrEqual(t, d.FS.used, DiskSize)
}

// A daemon replaces the whole text of a file, and the disk's free space changes by the difference.
func TestWriteText(t *testing.T) {
	m := host()
	write := func(text string) int {
		m.FS.Lock()
		defer m.FS.Unlock()
		m.FS.WriteText("/etc/alarm/first", text)
		return m.FS.used
	}
	used := write("first")
	require.Equal(t, used-len("irst"), write("1"))
	require.Equal(t, "1", root(t, m, "cat /etc/alarm/first"))
	require.Empty(t, m.FS.Changes())
}
