package mlx4

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/mlx5/mlx5test"
)

// host simulates a host by a tree for its /sys, /proc and /etc. Its card has two ports, ens1 and ens1d1, which are one PCI function
// with one RDMA device. It runs the real dcb over the shim of mlx5test, and small replacements for the other commands.
type host struct {
	t    *testing.T
	root string
	env  []string
}

const values = `dcbx=host
ets_bw=50,0,0,0,50,0,0,0
ets_tc=0,0,0,0,4,0,0,0
ets_tsa=ets,strict,strict,strict,ets,strict,strict,strict
mtu=4200
pause=off
pfc=0,0,0,0,1,0,0,0
roce_mode=IB/RoCE v1
vlan=100
vlan_map=0:4,2:4,4:4,6:4
`

func newHost(t *testing.T) *host {
	h := &host{t: t, root: t.TempDir()}
	so := filepath.Join(h.root, "dcbshim.so")
	for _, name := range []string{"gcc", "/usr/include/stdio.h", "/usr/include/libmnl/libmnl.h", "dash", "dcb"} {
		machinetest.Need(t, name)
	}
	require.NoError(t, mlx5test.Build(so, mlx5test.DCBShim))
	h.env = []string{
		"ROCEC_ROOT=" + h.root, "ROCEC_WAIT=1", "FAKE_DIR=" + h.path("fake"), "DCBSHIM_DIR=" + h.path("fake"), "LD_PRELOAD=" + so,
		"PATH=/usr/bin:/bin",
	}
	for _, name := range []string{"ip", "modprobe", "systemctl"} {
		b, err := os.ReadFile("../mlx5/testdata/bin/" + name)
		require.NoError(t, err)
		h.write("usr/sbin/"+name, string(b))
	}
	h.write("usr/sbin/ethtool", mlx5test.Ethtool)
	h.write("usr/sbin/sleep", "#!/bin/sh\n")
	// The device keeps the defaults of both ports.
	h.write("usr/sbin/mkdir", `#!/bin/sh
[ "$1" != -p ] || exec /bin/mkdir -p "$2"
/bin/mkdir "$1" && cp -r "$FAKE_DIR/ports" "$1"
`)
	h.write("usr/sbin/rmdir", `#!/bin/sh
case $1 in */rdma_cm/*) rm -r "$FAKE_DIR/ports" && mv "$1/ports" "$FAKE_DIR" ;; esac
/bin/rmdir "$1"
`)
	for _, port := range []string{"1", "2"} {
		h.write("fake/ports/"+port+"/default_roce_mode", "RoCE v2\n")
		h.write("fake/ports/"+port+"/default_roce_tos", "0\n")
		h.write("sys/devices/0000:03:00.0/infiniband/mlx4_0/ports/"+port+"/state", "4: ACTIVE\n")
	}
	h.write("sys/bus/pci/drivers/mlx4_core/.keep", "")
	h.write("sys/kernel/config/.keep", "")
	h.link("../../bus/pci/drivers/mlx4_core", "sys/devices/0000:03:00.0/driver")
	h.link("../../devices/0000:03:00.0/infiniband/mlx4_0", "sys/class/infiniband/mlx4_0")
	for i, name := range []string{"ens1", "ens1d1"} {
		h.write("sys/class/net/"+name+"/mtu", "4200\n")
		h.write("sys/class/net/"+name+"/dev_port", string(rune('0'+i))+"\n")
		h.link("../../../devices/0000:03:00.0", "sys/class/net/"+name+"/device")
		h.write("sys/class/net/"+name+".100/mtu", "4200\n")
		h.write("etc/rocec/host/"+name+".conf", values)
	}
	return h
}

func (h *host) path(path string) string { return filepath.Join(h.root, path) }

func (h *host) write(path, text string) {
	require.NoError(h.t, os.MkdirAll(filepath.Dir(h.path(path)), 0o755))
	require.NoError(h.t, os.WriteFile(h.path(path), []byte(text), 0o755))
}

func (h *host) link(to, path string) {
	require.NoError(h.t, os.MkdirAll(filepath.Dir(h.path(path)), 0o755))
	require.NoError(h.t, os.Symlink(to, h.path(path)))
}

func (h *host) read(path string) string {
	b, err := os.ReadFile(h.path(path))
	require.NoError(h.t, err)
	return strings.TrimSuffix(string(b), "\n")
}

// run runs a verb of the script from stdin, in the shell of Debian. It returns the text of both outputs, and the status.
func (h *host) run(args ...string) (string, int) {
	cmd := exec.Command(machinetest.Need(h.t, "dash"), append([]string{"-s", "--"}, args...)...)
	cmd.Env = h.env
	cmd.Stdin = bytes.NewReader(family.Script())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(h.t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// Each port of a card has its own priorities and its own RDMA-CM defaults, and a second apply writes nothing.
func TestBothPorts(t *testing.T) {
	h := newHost(t)
	out, code := h.run("apply", "ens1d1")
	require.Zero(t, code, out)
	assert.Equal(t, "IB/RoCE v1", h.read("fake/ports/2/default_roce_mode"))
	assert.Equal(t, "RoCE v2", h.read("fake/ports/1/default_roce_mode"), "of the other port")
	out, code = h.run("apply", "ens1")
	require.Zero(t, code, out)
	assert.Equal(t, "IB/RoCE v1", h.read("fake/ports/1/default_roce_mode"))
	log := h.read("fake/log")
	for _, name := range []string{"ens1", "ens1d1"} {
		assert.Contains(t, log, name+" ethtool -A off off")
		assert.Contains(t, log, name+" pfc 10")
		assert.Equal(t, "0:4 2:4 4:4 6:4", h.read("fake/"+name+".100"))
		out, code = h.run("apply", name)
		require.Zero(t, code, out)
		out, code = h.run("check", name)
		require.Zero(t, code, out)
	}
	assert.Equal(t, log, h.read("fake/log"), "nothing is left to do")

	out, code = h.run("show", "ens1")
	require.Zero(t, code)
	assert.NotContains(t, out, "trust=")
	assert.NotContains(t, out, "dscp_prio")

	out, code = h.run("leave", "ens1d1")
	require.Zero(t, code, out)
	assert.Equal(t, "RoCE v2", h.read("fake/ports/2/default_roce_mode"))
	out, _ = h.run("show", "ens1d1")
	assert.Contains(t, out, "pause=on\npfc=0,0,0,0,0,0,0,0\n", "as it was before")
	_, code = h.run("check", "ens1")
	assert.Zero(t, code, "the other port keeps its settings")
}

// An obstacle is reported with its remedy, and never counts as success.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*host)
		want  string
	}{
		{"another driver", func(h *host) {
			require.NoError(h.t, os.Remove(h.path("sys/devices/0000:03:00.0/driver")))
			h.link("../../bus/pci/drivers/mlx5_core", "sys/devices/0000:03:00.0/driver")
		}, "the driver is mlx5_core, and these settings are for mlx4_core"},
		{"lldpad", func(h *host) { h.write("fake/lldpad", "") }, "lldpad is active"},
		{"no tool", func(h *host) { h.write("usr/sbin/dcb", "#!/bin/sh\nexit 1\n") }, "neither dcb (iproute2) nor mlnx_qos"},
		{"a DSCP map", func(h *host) { h.write("etc/rocec/host/ens1.conf", values+"trust=dscp\n") }, "not a setting of this script: trust=dscp"},
		{"no RDMA device", func(h *host) {
			require.NoError(h.t, os.RemoveAll(h.path("sys/devices/0000:03:00.0/infiniband")))
		}, "no RDMA device appeared in 1 s; is mlx4_ib loaded"},
		{"a version that does not take", func(h *host) {
			h.write("usr/sbin/rmdir", "#!/bin/sh\nrm -r \"$1\"\n")
			h.write("sys/module/mlx4_core/parameters/roce_mode", "2\n")
		}, "roce_mode is RoCE v2, not IB/RoCE v1\nrocec-host-mlx4: ens1: the vendor's driver has the parameter roce_mode, for all cards of " +
			"the host; it is 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			c.spoil(h)
			out, code := h.run("apply", "ens1")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, c.want)
		})
	}
}
