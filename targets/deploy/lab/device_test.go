package lab

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const echoUnit = `[Unit]
Description=test %I
BindsTo=sys-subsystem-net-devices-%i.device

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo "start %I" >>/log; test ! -e /fail'
ExecReload=-/bin/false
ExecReload=/bin/sh -c "echo reload >>/log"
ExecStop=/bin/sh -c 'echo stop >>/log'

[Install]
WantedBy=sys-subsystem-net-devices-%i.device
`

func TestSystemctl(t *testing.T) {
	d := hostDevice()
	ctl := func(args string) result { return sh(t, d, "root", "systemctl "+args) }
	require.Equal(t, result{"", "Failed to start x.service: Unit x.service not found.\n", 5}, ctl("start x"))
	require.Equal(t, result{"inactive\n", "", 3}, ctl("is-active x"))

	d.WriteFile("/etc/systemd/system/x@.service", []byte(echoUnit), 0o644)
	require.Equal(t, result{"disabled\n", "", 1}, ctl("is-enabled x@ens1f0"))
	r := ctl("enable x@ens1f0.service")
	require.Equal(t, 0, r.status)
	const link = "/etc/systemd/system/sys-subsystem-net-devices-ens1f0.device.wants/x@ens1f0.service"
	require.Equal(t, "Created symlink "+link+" -> /etc/systemd/system/x@.service.\n", r.err)
	require.Equal(t, result{"enabled\n", "", 0}, ctl("is-enabled x@ens1f0"))
	require.Equal(t, "/etc/systemd/system/x@.service\n", root(t, d, "readlink "+link))

	require.Equal(t, result{}, ctl("start x@ens1f0"))
	require.Equal(t, result{}, ctl("start x@ens1f0"), "active already")
	require.Equal(t, result{"active\n", "", 0}, ctl("is-active x@ens1f0"))
	require.Equal(t, result{}, ctl("is-active --quiet x@ens1f0"))
	require.Equal(t, result{}, ctl("restart x@ens1f0"))
	require.Equal(t, result{}, ctl("reload-or-restart x@ens1f0"))
	require.Equal(t, result{}, ctl("stop x@ens1f0"))
	require.Equal(t, "start ens1f0\nstop\nstart ens1f0\nreload\nstop\n", root(t, d, "cat /log"))
	require.Equal(t, 1, ctl("reload x@ens1f0").status, "not active")

	require.Equal(t, result{"", "A dependency job for x@nope.service failed. See 'journalctl -xe' for details.\n", 1}, ctl("start x@nope"))
	root(t, d, "touch /fail")
	r = ctl("start x@ens1f0")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.err, "Job for x@ens1f0.service failed because the control process exited with error code.")
	require.Equal(t, result{"failed\n", "", 3}, ctl("is-active x@ens1f0"))
	require.Equal(t, result{"failed\n", "", 0}, ctl("is-failed x@ens1f0"))

	d.WriteFile("/etc/systemd/system/x@.service", []byte(strings.ReplaceAll(echoUnit, "/fail", "/never")), 0o644)
	r = ctl("start x@ens1f0")
	require.Equal(t, 1, r.status, "the manager still has the old file")
	require.Contains(t, r.err, "changed on disk. Run 'systemctl daemon-reload'")
	require.Equal(t, result{}, ctl("daemon-reload"))
	require.Equal(t, result{}, ctl("start x@ens1f0"))

	r = ctl("disable --now x@ens1f0")
	require.Equal(t, 0, r.status)
	require.Equal(t, result{"inactive\n", "", 3}, ctl("is-active x@ens1f0"))
	require.Equal(t, 1, sh(t, d, "root", "test -h "+link).status)
	require.Equal(t, "LoadState=not-found\n", ctl("show -p LoadState nope").out)
	require.Equal(t, "inactive\n", ctl("show --value -p ActiveState x@ens1f0").out)
	require.Equal(t, 1, ctl("frob x").status)
}

func TestTransientTimer(t *testing.T) {
	d := hostDevice()
	root(t, d, "systemd-run --on-active=100 --unit=undo --timer-property=AccuracySec=100ms /bin/sh -c 'echo undone >/state'")
	require.Equal(t, "active\n", root(t, d, "systemctl is-active undo.timer"))
	require.Equal(t, 1, sh(t, d, "root", "systemd-run --on-active=100 --unit=undo true").status, "there is one of that name")
	d.Elapse()
	require.Equal(t, "undone\n", root(t, d, "cat /state"))

	root(t, d, "rm /state; systemd-run --on-active=100 --unit=undo touch /state; systemctl stop undo.timer")
	d.Elapse()
	require.Equal(t, 1, sh(t, d, "root", "test -e /state").status, "stopped in time")

	root(t, d, "systemd-run --on-active=0.01 --unit=soon touch /soon")
	require.Eventually(t, func() bool { _, err := d.ReadFile("/soon"); return err == nil }, 10*time.Minute, time.Millisecond)
}

func TestSudo(t *testing.T) {
	d := switchDevice()
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
	require.Equal(t, 127, sh(t, switchDevice(), "admin", "modprobe x").status, "sbin is not on a user's path")
	d.RevokeSudo()
	require.Equal(t, result{"", "sudo: a password is required\n", 1}, sh(t, d, "admin", "sudo -n true"))
}

// TestFailWrites goes through everything that changes anything.
func TestFailWrites(t *testing.T) {
	changes := []string{
		"echo x >/etc/x", "echo x >>/etc/hostname", "touch /etc/x", "mkdir /d", "mkdir -p /d/e", "rmdir /home", "rm /etc/hostname",
		"rm -rf /etc/systemd",
		"mv /etc/hostname /etc/h", "cp /etc/hostname /etc/h", "ln /etc/hostname /etc/h", "ln -s a /etc/h", "chmod 600 /etc/hostname",
		"chown root /etc/hostname",
		"echo x | tee /etc/x", "systemctl restart ssh", "systemctl daemon-reload", "systemctl stop ssh",
		"systemd-run --on-active=5 true",
		"ethtool -A ens1f0 rx off", "ip link set dev ens1f0 mtu 1500", "ip link add link ens1f0 name v type vlan id 5",
		"toy set 5", "echo 1 >/sys/class/net/ens1f0/toy", "echo 9000 >/sys/class/net/ens1f0/mtu",
	}
	for _, cmd := range changes {
		d := hostDevice()
		d.FailWrites()
		require.NotEqual(t, 0, sh(t, d, "root", cmd).status, cmd)
		require.NotEmpty(t, d.Writes(), "%s: a try is remembered", cmd)
		d.AllowWrites()
		require.Equal(t, 0, sh(t, d, "root", cmd).status, cmd)
	}
	d := hostDevice()
	d.FailWrites()
	root(t, d, "echo x >/dev/null; cat /etc/hostname | sort >/dev/null 2>&1; toy get; ethtool -a ens1f0; systemctl is-active ssh || true; "+
		"sync /etc/hostname; test ! -w /etc/hostname")
	require.Empty(t, d.Writes(), "reading is not a change")
	require.Equal(t, result{"", "sh: cannot create /x: Read-only file system\n", 2}, sh(t, d, "root", "echo x >/x"))
}

func TestFaults(t *testing.T) {
	d := hostDevice()
	d.Break("sha256sum", 1, "sha256sum: Input/output error\n")
	require.Equal(t, result{"", "sha256sum: Input/output error\n", 1}, sh(t, d, "root", "sha256sum /etc/hostname"))
	d.Repair()
	root(t, d, "sha256sum /etc/hostname")
	require.Contains(t, d.Programs(), "sha256sum /etc/hostname")
	require.Contains(t, d.Commands(), "sha256sum /etc/hostname")

	d.FillDisk(3)
	require.Equal(t, result{"", "cat: write error: No space left on device\n", 1}, sh(t, d, "root", "cat >/f", "four"))
	require.Equal(t, "0\n", root(t, d, "df -Pk / | tail -n 1 | tr -s ' ' | cut -d ' ' -f 4"))
	root(t, d, "rm /f; cat >/f", "abc")
	root(t, d, "mv /f /g; ln /g /h; cat /h") // none of which needs room
}

func TestSleepTakesNoTime(t *testing.T) {
	d := hostDevice()
	before := time.Now()
	require.Equal(t, "2026-01-01T01:00:00Z\n", root(t, d, "sleep 3600; date -u +%Y-%m-%dT%H:%M:%SZ"))
	require.Less(t, time.Since(before), time.Hour)
	require.Equal(t, 124, sh(t, d, "root", "timeout 5 sleep 10").status)
	require.Equal(t, 124, sh(t, d, "root", "timeout 5 sh -c 'while :; do sleep 1; done'").status)
	require.Equal(t, 0, sh(t, d, "root", "timeout 5 sh -c 'sleep 2; sleep 2'").status)
	require.Equal(t, 124, sh(t, d, "root", "timeout 100 timeout 3 sh -c 'sleep 4'").status)
}
