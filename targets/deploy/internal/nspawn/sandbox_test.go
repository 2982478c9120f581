//go:build linux

package nspawn

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/targets"
)

// families is a host with NICs of every family that rocec writes.
const families = `
fabric "three" { cable_length = "5m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
cos_group "storage" {
  cos      = 4
  lossless = true
}
cos_group "trial" {
  cos  = 1
  dscp = [8]
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["gpu[1-2]:ens1f0"]
}
roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  vlan      = 100
  members   = ["gpu[1-2]:ens2"]
}
roce "soft" {
  version   = 2
  cos_group = cos_group.trial
  members   = ["gpu[1-2]:eth1"]
}
switch "leaf" {
  names   = "leaf1"
  model   = "sn2700"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
  nic "ens2" { model = "connectx-3" }
  nic "eth1" { model = "soft-roce" }
}
link "first" {
  a = "gpu[1-2]:ens1f0"
  b = "leaf1:swp[1-2]"
}
link "second" {
  a     = "gpu[1-2]:ens2"
  b     = "leaf1:swp[3-4]"
  speed = "40G"
}
link "third" {
  a     = "gpu[1-2]:eth1"
  b     = "leaf1:swp[5-6]"
  speed = "10G"
}
`

// Actions of the scripts on a host, and actions that they never do. A shell in the sandbox of a unit tries each line.
var (
	allowed = []string{
		"echo 1 >/sys/class/net/ens1f0/mtu-of-test",
		"mkdir /sys/kernel/config/rdma_cm/of-test && rmdir /sys/kernel/config/rdma_cm/of-test",
		"mkdir -p /var/lib/rocec/of-test && echo tos=0 >/var/lib/rocec/of-test/ens1f0.before",
		"dcb pfc set dev ens1f0 prio-pfc 3:on",
		"ip link add of-test type veth && ip link set of-test up && ip address replace 192.0.2.1/24 dev of-test && ip link delete of-test",
		"ethtool -a ens1f0",
		"systemctl is-active --quiet nics.service",
		"cat /proc/net/dev /etc/rocec/host/ens1f0.conf",
		"python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM); socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)'",
	}
	denied = []string{
		"echo evil >/etc/rocec/host/ens1f0.conf",
		"echo evil >/usr/local/sbin/evil",
		"echo evil >/etc/systemd/system/evil.service",
		"ls /root/secret",
		"ls /tmp/of-others",
		"mount -t tmpfs none /mnt",
		"unshare -n true",
		"chroot / true",
		"touch /var/lib/suid && chmod 4755 /var/lib/suid",
		"chown 1000 /var/lib/rocec",
		"su nobody -s /bin/sh -c true",
		"python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)'",
	}
)

// TestSandbox runs the script of every family by its unit. The sandbox of the unit allows all actions of the scripts, and denies actions
// that they never do.
func TestSandbox(t *testing.T) {
	t.Parallel()
	Image(t)
	tree, ds := targets.Render(compilertest.Compile(t, families))
	require.False(t, ds.HasErrors(), "%v", ds)
	files := map[string]string{"/root/secret": "secret\n"}
	for _, d := range tree.Devices {
		for _, f := range d.Files {
			if d.Name != "gpu1" || f.Live != nil {
				continue
			}
			text, ds := f.Edit(nil)
			require.Empty(t, ds)
			files[f.Path] = string(text)
		}
	}
	const conf = "/etc/rocec/host/"
	files[conf+"ens1f0.conf"] = "dcbx=host\npfc=0,0,0,1,0,0,0,0\nroce_mode=RoCE v2\ntos=104\n"
	files[conf+"ens2.conf"] = "dcbx=host\npfc=0,0,0,0,1,0,0,0\nroce_mode=RoCE v2\ntos=104\n"
	files[conf+"eth1.conf"] = "rxe=on\n"
	// The kernel of a test has no Soft-RoCE. A folder of simulated files replaces the files that the script reads.
	files["/etc/systemd/system/rocec-host-rxe@.service.d/soft.conf"] = "[Service]\nEnvironment=ROCEC_ROOT=/run/nics/soft\n"
	files["/usr/local/lib/rocec-test/soft"] = `set -e
r=/run/nics/soft
mkdir -p $r/usr/sbin $r/sys/class/net/eth1 $r/sys/class/infiniband $r/sys/module/rdma_rxe $r/sys/kernel/config/rdma_cm $r/etc/rocec/host
echo 1500 >$r/sys/class/net/eth1/mtu
cp /etc/rocec/host/eth1.conf $r/etc/rocec/host
printf '#!/bin/sh\ncd $ROCEC_ROOT/sys/class/infiniband && mkdir rxe_eth1 && echo eth1 >rxe_eth1/parent\n' >$r/usr/sbin/rdma
chmod 755 $r/usr/sbin/rdma
`
	d := Start(t, Host, Options{
		Name: "gpu1", Files: files,
		Ports: []Port{{Name: "ens1f0", MTU: 1500}, {Name: "ens2", MTU: 1500}, {Name: "eth1", MTU: 1500}},
	})
	execute(t, d, `sh /usr/local/lib/rocec-test/soft
pci=$(readlink /sys/class/net/ens2/device)
ln -sfn ../../../../../bus/pci/drivers/mlx4_core /sys/class/net/ens2/device/driver
: "$pci"; : >/sys/class/net/ens1f0/mtu-of-test; mkdir -p /sys/kernel/config/rdma_cm; echo theirs >/tmp/of-others`)
	for _, of := range [][2]string{{"rocec-host", "ens1f0"}, {"rocec-host-mlx4", "ens2"}, {"rocec-host-rxe", "eth1"}} { // one try changes it
		unit, nic := of[0], of[1]
		full := unit + "@" + nic + ".service"
		out, err := d.Exec("systemctl start " + full)
		require.NoError(t, err, "%s\n%s", out, execute(t, d, "systemctl status --no-pager -l "+full+" || :"))
		out, err = d.Exec("systemctl reload " + full)
		require.NoError(t, err, "%s", out)
		if unit != "rocec-host-rxe" {
			assert.Empty(t, execute(t, d, unit+" check "+nic))
			assert.Contains(t, execute(t, d, "cat /var/lib/rocec/"+unit+"/"+nic+".before"), "pfc=0,0,0,0,0,0,0,0")
		}

		caps := execute(t, d, "systemctl show -p CapabilityBoundingSet "+full)
		assert.Equal(t, unit == "rocec-host", strings.Contains(caps, "cap_sys_admin"), caps)
		assert.Contains(t, caps, "cap_net_admin")
		assert.Contains(t, caps, "cap_sys_module", "which no container has")

		// The same sandbox, with a shell that tries each line.
		var try strings.Builder
		for _, line := range allowed {
			try.WriteString("( " + line + " ) >/run/nics/said 2>&1 || { echo \"allowed: " + line +
				"\"; cat /run/nics/said; }\n")
		}
		for _, line := range denied {
			try.WriteString("! ( " + line + " ) >/run/nics/said 2>&1 || echo \"denied: " + line + "\"\n")
		}
		try.WriteString("echo end\n")
		execute(t, d, "mkdir -p /run/systemd/system/"+full+".d; cat >/run/nics/try <<'END'\n"+try.String()+"END\n"+
			"printf '[Service]\\nExecStart=\\nStandardOutput=file:/run/nics/tried\\nExecStart=/bin/sh /run/nics/try\\n' "+
			">/run/systemd/system/"+full+".d/try.conf; systemctl daemon-reload; rm -f /run/nics/tried; systemctl restart "+full)
		assert.Equal(t, "end", execute(t, d, "cat /run/nics/tried; rm -r /run/nics/tried /run/systemd/system/"+full+".d"), full)
	}
	for _, line := range denied { // this proves nothing if the action is also denied without the sandbox
		execute(t, d, line)
	}
}
