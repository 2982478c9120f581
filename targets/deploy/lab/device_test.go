package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRevokedSudo(t *testing.T) {
	d := switchDevice()
	require.Equal(t, 0, sh(t, d, "admin", "sudo -n true").status)
	require.Equal(t, 127, sh(t, d, "admin", "modprobe x").status, "sbin is not on a user's path")
	d.RevokeSudo()
	require.Equal(t, result{"", "sudo: a password is required\n", 1}, sh(t, d, "admin", "sudo -n true"))
}

// TestFailWrites tries every kind of change.
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
	root(t, d, "mv /f /g; ln /g /h; cat /h") // none of these commands needs space
}
