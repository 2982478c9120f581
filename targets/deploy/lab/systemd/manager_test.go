package systemd

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// host returns a machine with systemd, an interface and two simulated services.
func host(options Options) (*unix.Machine, *Manager) {
	options.Interfaces = func() []string { return []string{"ens1f0"} }
	machine := unix.New(unix.System{
		Name: "host01", Users: unix.Users(nil), Folders: []string{"/etc/systemd/system", "/usr/bin", "/usr/lib"},
	}, 0, unix.Hooks{})
	m := New(machine, options)
	machine.Install(m.Programs())
	machine.PlantOn(machine.FS)
	machine.PowerOn(0)
	machine.FS.Lock()
	machine.PlantKernel("id")
	machine.FS.Unlock()
	m.Add("ssh.service", nil)
	m.Add("toy.service", func() error { return nil })
	m.Boot()
	return machine, m
}

// result is the result of a command.
type result struct {
	out, err string
	status   int
}

// sh runs a command on a machine like sshd, but without a network connection.
func sh(t *testing.T, m *unix.Machine, user, cmd string, stdin ...string) result {
	t.Helper()
	out, errs, status := m.Run(context.Background(), user, cmd, strings.Join(stdin, ""))
	return result{out, errs, status}
}

// root runs a command that must succeed and returns its output.
func root(t *testing.T, m *unix.Machine, cmd string, stdin ...string) string {
	t.Helper()
	r := sh(t, m, "root", cmd, stdin...)
	require.Equal(t, 0, r.status, "%s\n%s%s", cmd, r.out, r.err)
	return r.out
}

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
	d, _ := host(Options{})
	ctl := func(args string) result { return sh(t, d, "root", "systemctl "+args) }
	require.Equal(t, result{"", "Failed to start x.service: Unit x.service not found.\n", 5}, ctl("start x"))
	require.Equal(t, result{"inactive\n", "", 3}, ctl("is-active x"))

	d.FS.PlantFile("/etc/systemd/system/x@.service", []byte(echoUnit), 0o644)
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

	d.FS.PlantFile("/etc/systemd/system/x@.service", []byte(strings.ReplaceAll(echoUnit, "/fail", "/never")), 0o644)
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
	d, m := host(Options{})
	root(t, d, "systemd-run --on-active=100 --unit=undo --timer-property=AccuracySec=100ms /bin/sh -c 'echo undone >/state'")
	require.Equal(t, "active\n", root(t, d, "systemctl is-active undo.timer"))
	require.Equal(t, 1, sh(t, d, "root", "systemd-run --on-active=100 --unit=undo true").status, "there is one of that name")
	m.Elapse()
	require.Equal(t, "undone\n", root(t, d, "cat /state"))

	root(t, d, "rm /state; systemd-run --on-active=100 --unit=undo touch /state; systemctl stop undo.timer")
	m.Elapse()
	require.Equal(t, 1, sh(t, d, "root", "test -e /state").status, "stopped in time")

	root(t, d, "systemd-run --on-active=0.01 --unit=soon touch /soon")
	require.Eventually(t, func() bool { _, err := d.FS.ReadFile("/soon"); return err == nil }, 10*time.Minute, time.Millisecond)
}

// TestDaemons: a service whose process keeps running, and its properties in systemctl show, in the order of systemd.
func TestDaemons(t *testing.T) {
	d, _ := host(Options{})
	d.FS.PlantFile("/etc/systemd/system/d.service", []byte("[Service]\nExecStart=/bin/sh -c 'while :; do sleep 10; done'\n"), 0o644)
	require.Equal(t, "active\nrunning\n", root(t, d, "systemctl start d; systemctl is-active d; systemctl show --value -p SubState d"))
	root(t, d, "kill -0 $(systemctl show --value -p MainPID d)")
	shown := strings.Split(root(t, d, "systemctl stop d; sleep 5; systemctl restart toy; "+
		"systemctl show -p ActiveState,ActiveEnterTimestampMonotonic -p NRestarts toy"), "\n")
	require.Len(t, shown, 4)
	require.Equal(t, []string{"NRestarts=0", "ActiveState=active"}, shown[:2])
	require.Regexp(t, `^ActiveEnterTimestampMonotonic=5\d{6}$`, shown[2])
	one := root(t, d, "systemctl show --value -p MainPID toy")
	require.NotEqual(t, one, root(t, d, "systemctl restart toy; systemctl show --value -p MainPID toy"))
	require.Equal(t, "inactive\n0\n", sh(t, d, "root", "systemctl is-active d; systemctl show --value -p MainPID d").out)
	root(t, d, "systemctl start d; kill -KILL $(systemctl show --value -p MainPID d)")
	require.Eventually(t, func() bool { return sh(t, d, "root", "systemctl is-failed d").out == "failed\n" }, 10*time.Minute, time.Millisecond)

	root(t, d, "systemd-run --quiet --collect --unit=job sh -c 'sleep 100; echo ran >/ran'; systemctl is-active --quiet job.service")
	require.Equal(t, 1, sh(t, d, "root", "test -e /ran").status, "it runs beside")
	require.Equal(t, "ran\n", root(t, d, "until [ -s /ran ]; do sleep 10; done; cat /ran"))
	require.Equal(t, 3, sh(t, d, "root", "systemd-run --quiet --wait sh -c 'exit 3'").status)
}

// TestOldSystemd: systemd 215 has no timers for commands. Version 230 added --value.
func TestOldSystemd(t *testing.T) {
	d, _ := host(Options{Version: 215})
	require.Contains(t, sh(t, d, "root", "systemd-run --on-active=5 true").err, "unrecognized option '--on-active=5'")
	require.Contains(t, sh(t, d, "root", "systemctl show --value -p Id toy").err, "unrecognized option '--value'")
	require.Equal(t, "Id=toy.service\n", root(t, d, "systemctl show -p Id -p NRestarts toy"))
}
