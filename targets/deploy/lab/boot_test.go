package lab

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const bootUnit = `[Unit]
DefaultDependencies=no
After=local-fs.target
Before=toy.service late.service
ConditionPathExists=/etc/undo

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo 7 >/etc/toy; echo undo $(cat /proc/uptime | cut -d . -f 1) >>/order'
`

const echoUnit = `[Unit]
BindsTo=sys-subsystem-net-devices-%i.device

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo "start %I" >>/order'

[Install]
WantedBy=sys-subsystem-net-devices-%i.device
`

// TestReboot: the disk stays, all other state is as after a power-on, and units start in their order.
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
			d.WriteFile("/etc/systemd/system/x@.service", []byte(echoUnit), 0o644)
			root(t, d, "systemctl daemon-reload; systemctl enable late x@ens1f0 x@nope; systemctl start late; touch /etc/undo; "+
				"mkdir -p /etc/systemd/system/multi-user.target.wants; "+
				"ln -s /etc/systemd/system/undo-boot.service /etc/systemd/system/multi-user.target.wants/undo-boot.service")
			restart(d)
			stopped := ""
			if name == "reboot" {
				stopped = "stop\n"
			}
			require.Equal(t, "late 5\n"+stopped+"undo 0\nlate 7\nstart ens1f0\n", root(t, d, "cat /order"),
				"before the daemon, which takes its output")
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

// TestSlowBoot: sleeps of units during a start take no real time for a client that waits until the device is up.
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

// TestRebootCommand: the command reboot ends its caller and the caller's connection.
func TestRebootCommand(t *testing.T) {
	l := start(t, testTree())
	c := dial(t, l, "host01")
	s, err := c.NewSession()
	require.NoError(t, err)
	require.Error(t, s.Run("echo x >/run/x; reboot; echo never >/never"))
	require.Eventually(t, func() bool {
		c, err := tryDial(l, "host01", l.Key())
		if err != nil {
			return false // the device is off
		}
		defer c.Close()
		s, err := c.NewSession()
		return err == nil && s.Run("test ! -e /run/x && test ! -e /never && grep -q 0002$ /proc/sys/kernel/random/boot_id") == nil
	}, 10*time.Minute, time.Millisecond)
	require.Equal(t, 1, sh(t, l.Device("leaf01"), "admin", "/usr/sbin/reboot").status)
}
