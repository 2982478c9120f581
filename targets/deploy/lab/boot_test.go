package lab

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDetached: what has a session of its own outlives the login that started it, and nothing else does.
func TestDetached(t *testing.T) {
	d := hostDevice()
	root(t, d, "setsid sh -c 'sleep 300; echo fired >/fired' >/dev/null 2>&1 & echo $! >/pid; exit 0")
	root(t, d, "kill -0 $(cat /pid)")
	procs := func() int {
		d.procs.mu.Lock()
		defer d.procs.mu.Unlock()
		return len(d.procs.byPid)
	}
	require.Eventually(t, func() bool { return procs() == 2 }, 10*time.Minute, time.Millisecond, "the detached shell and its sleep")
	_, err := d.ReadFile("/fired")
	require.Error(t, err)

	// Time that a command sleeps while somebody waits for it runs down the switch.
	require.Equal(t, "\n", root(t, d, "sleep 200; cat /fired 2>/dev/null; echo"))
	require.Equal(t, "fired\n", root(t, d, "sleep 101; cat /fired"))
	require.Equal(t, 1, sh(t, d, "root", "kill -0 $(cat /pid)").status)

	root(t, d, "setsid sh -c 'sleep 120; echo again >/fired' >/dev/null 2>&1 & echo $! >/pid; "+
		"until kill -0 -$!; do sleep 0.1; done 2>/dev/null")
	d.Pass(110 * time.Second)
	require.Equal(t, "fired\n", root(t, d, "cat /fired"))
	root(t, d, "kill -TERM -$(cat /pid)")
	d.Pass(time.Hour)
	require.Equal(t, "fired\n", root(t, d, "cat /fired"), "it was killed with its group")
}

// TestWaitingForDetached: whoever waits for a process passes its sleeps as his own.
func TestWaitingForDetached(t *testing.T) {
	d := hostDevice()
	before := time.Now()
	require.Equal(t, "done 4\n2026-01-01T01:00:00Z\n",
		root(t, d, "setsid sh -c 'sleep 3600; exit 4' & wait $!; echo done $?; date -u +%Y-%m-%dT%H:%M:%SZ"))
	require.Less(t, time.Since(before), time.Hour)
}

// TestLostConnection: what somebody waited for gets SIGHUP; what ignores it goes on, and what is in the background.
func TestLostConnection(t *testing.T) {
	d := hostDevice()
	for script, left := range map[string]int{
		"trap 'echo hup >/hup; exit 3' HUP; while :; do sleep 1000; done": 0,
		"sleep 1001 | cat": 0, "nohup sleep 1002": 1, "trap '' HUP; sleep 1003": 2, "sleep 1004 & wait": 1, "setsid -w sleep 1005": 1,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan int)
		go func() {
			_, _, status := d.Run(ctx, "root", script, "")
			done <- status
		}()
		running := func() int {
			d.procs.mu.Lock()
			defer d.procs.mu.Unlock()
			return len(d.procs.byPid)
		}
		began := func() bool { return strings.Contains(strings.Join(d.Programs(), "\n"), "sleep 100") }
		require.Eventually(t, began, 10*time.Minute, time.Millisecond)
		cancel()
		require.Equal(t, 143, <-done)
		require.Eventually(t, func() bool { return running() == left }, 10*time.Minute, time.Millisecond, script)
		d.PowerCut()
		d.mu.Lock()
		d.programs = nil
		d.mu.Unlock()
	}
	require.Equal(t, "hup\n", root(t, d, "cat /hup"))
}

const bootUnit = `[Unit]
DefaultDependencies=no
After=local-fs.target
Before=toy.service late.service
ConditionPathExists=/etc/undo

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo 7 >/etc/toy; echo undo $(cat /proc/uptime | cut -d . -f 1) >>/order'
`

// TestReboot: what is on the disk stays, the rest is as after power on, and units start in their order.
func TestReboot(t *testing.T) {
	for name, restart := range map[string]func(*Device){"reboot": (*Device).Reboot, "power cut": (*Device).PowerCut} {
		t.Run(name, func(t *testing.T) {
			d := hostDevice()
			id := root(t, d, "cat /proc/sys/kernel/random/boot_id")
			root(t, d, `echo 3 >/etc/toy; systemctl restart toy; toy set 5; mkdir /sys/toy/a; echo x >/run/x
				mkdir -p /keep; echo y >/keep/y; ln /keep/y /keep/z
				ip link set dev ens1f0 mtu 4000; ethtool -A ens1f0 rx off tx off; ip link add link ens1f0 name ens1f0.77 type vlan id 77
				systemd-run --on-active=500 --unit=dead touch /dead; setsid sleep 1000 >/dev/null 2>&1 & sleep 60`)
			d.WriteFile("/etc/systemd/system/undo-boot.service", []byte(bootUnit), 0o644)
			d.WriteFile("/etc/systemd/system/late.service", []byte("[Unit]\nAfter=toy.service\n[Service]\nType=oneshot\n"+
				"RemainAfterExit=yes\nExecStart=/bin/sh -c 'echo late $(toy get) >>/order'\n"+
				"ExecStop=/bin/sh -c 'echo stop >>/order'\n[Install]\nWantedBy=multi-user.target\n"), 0o644)
			d.WriteFile("/etc/systemd/system/x@.service", []byte(strings.ReplaceAll(echoUnit, "/log", "/order")), 0o644)
			root(t, d, "systemctl daemon-reload; systemctl enable late x@ens1f0 x@nope; systemctl start late; touch /etc/undo; "+
				"mkdir -p /etc/systemd/system/multi-user.target.wants; "+
				"ln -s /etc/systemd/system/undo-boot.service /etc/systemd/system/multi-user.target.wants/undo-boot.service")
			restart(d)
			stopped := ""
			if name == "reboot" {
				stopped = "stop\n"
			}
			require.Equal(t, "late 5\n"+stopped+"undo 0\nlate 7\nstart ens1f0\n", root(t, d, "cat /order"),
				"before the daemon, which takes what it wrote")
			require.NotEqual(t, id, root(t, d, "cat /proc/sys/kernel/random/boot_id"))
			require.Equal(t, "7\n", root(t, d, "toy get; test ! -e /sys/toy/a; test ! -e /run/x"))
			require.Equal(t, "y\ny\n2\n", root(t, d, "cat /keep/y /keep/z; stat -c %h /keep/z"))
			require.Equal(t, "9000\n", root(t, d, "cat /sys/class/net/ens1f0/mtu; test ! -e /sys/class/net/ens1f0.77"))
			require.Contains(t, root(t, d, "ethtool -a ens1f0"), "RX:\t\ton")
			require.Equal(t, "inactive\n", sh(t, d, "root", "systemctl is-active dead.timer").out)
			d.Pass(time.Hour)
			require.Equal(t, 1, sh(t, d, "root", "test -e /dead").status, "a timer does not outlive the system it was armed on")
		})
	}
}

// TestSlowBoot: what units sleep while a device starts goes by at once, for whoever waits until it is up.
func TestSlowBoot(t *testing.T) {
	d := hostDevice()
	d.WriteFile("/etc/systemd/system/slow.service", []byte("[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sleep 1000\n"+
		"[Install]\nWantedBy=multi-user.target\n"), 0o644)
	root(t, d, "systemctl daemon-reload; systemctl enable slow")
	d.PowerCut()
	require.Equal(t, "active\n", root(t, d, "systemctl is-active slow"))
	up, err := strconv.ParseFloat(strings.Fields(root(t, d, "cat /proc/uptime"))[0], 64)
	require.NoError(t, err)
	require.GreaterOrEqual(t, up, 1000.0)
}

// TestRebootCommand: it ends whoever asked for it, with his connection.
func TestRebootCommand(t *testing.T) {
	l := start(t, testTree())
	c := dial(t, l, "host01")
	s, err := c.NewSession()
	require.NoError(t, err)
	require.Error(t, s.Run("echo x >/run/x; reboot; echo never >/never"))
	require.Eventually(t, func() bool {
		c, err := tryDial(l, "host01", l.Key())
		if err != nil {
			return false // it is off
		}
		defer c.Close()
		s, err := c.NewSession()
		return err == nil && s.Run("test ! -e /run/x && test ! -e /never && grep -q 0002$ /proc/sys/kernel/random/boot_id") == nil
	}, 10*time.Minute, time.Millisecond)
	require.Equal(t, 1, sh(t, l.Device("leaf01"), "admin", "/usr/sbin/reboot").status)
}

// TestDaemons: a service that stays, its process, and what systemctl shows of it, in the order systemd has.
func TestDaemons(t *testing.T) {
	d := hostDevice()
	d.WriteFile("/etc/systemd/system/d.service", []byte("[Service]\nExecStart=/bin/sh -c 'while :; do sleep 10; done'\n"), 0o644)
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

// TestOldSystemd: systemd 215 has no timers for commands, and --value came with 230.
func TestOldSystemd(t *testing.T) {
	d := hostDevice()
	d.image.Systemd = 215
	require.Contains(t, sh(t, d, "root", "systemd-run --on-active=5 true").err, "unrecognized option '--on-active=5'")
	require.Contains(t, sh(t, d, "root", "systemctl show --value -p Id toy").err, "unrecognized option '--value'")
	require.Equal(t, "Id=toy.service\n", root(t, d, "systemctl show -p Id -p NRestarts toy"))
}
