package lab

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// testTree is a tree with a switch that has a first user, and a host with a NIC and a VLAN.
func testTree() *target.Tree {
	sw := &target.Target{User: "admin", Image: func(*ir.Device) target.Image {
		return target.Image{
			Files:   map[string]string{"/etc/os-release": "ID=switch\n"},
			Netdevs: []target.Netdev{{Name: "swp2"}, {Name: "swp1", Counters: []string{"drops"}}, {Name: "eth0"}},
		}
	}}
	host := &target.Target{Image: func(*ir.Device) target.Image {
		return target.Image{
			Files:    map[string]string{"/etc/os-release": "ID=debian\n"},
			Services: []string{"ssh.service"},
			Netdevs: []target.Netdev{
				{Name: "eth0"},
				{Name: "ens1f0.100", Parent: "ens1f0", VLAN: 100},
				{
					Name: "ens1f0", PCI: "0000:03:00.0", Driver: "fast", Firmware: "7.1", MTU: 9000, SpeedMbps: 100000, Pause: true,
					Counters: []string{"drops"},
				},
			},
			Modules: []string{"fast"},
			Sims:    []target.Sim{&toy{}},
		}
	}}
	return &target.Tree{Devices: []*target.Device{
		{Name: "leaf01", Role: target.Switch, Target: sw},
		{Name: "host01", Role: target.Host, Target: host},
	}}
}

func switchDevice() *Device { return NewDevice(testTree().Devices[0]) }
func hostDevice() *Device   { return NewDevice(testTree().Devices[1]) }

// result is the result of a command.
type result struct {
	out, err string
	status   int
}

// sh runs a command on a device like sshd, but without a network connection.
func sh(t *testing.T, d *Device, user, cmd string, stdin ...string) result {
	t.Helper()
	out, errs, status := d.Run(context.Background(), user, cmd, strings.Join(stdin, ""))
	return result{out, errs, status}
}

// root runs a command that must succeed and returns its output.
func root(t *testing.T, d *Device, cmd string, stdin ...string) string {
	t.Helper()
	r := sh(t, d, "root", cmd, stdin...)
	require.Equal(t, 0, r.status, "%s\n%s%s", cmd, r.out, r.err)
	return r.out
}

func TestSmoke(t *testing.T) {
	d := hostDevice()
	require.Equal(t, "hello\n", root(t, d, "echo hello"))
	require.Equal(t, "ens1f0\neth0\n", root(t, d, "ls /sys/class/net | grep -v 100"))
	require.Equal(t, "abc", root(t, d, "cat > /etc/x; cat /etc/x", "abc"))
}
