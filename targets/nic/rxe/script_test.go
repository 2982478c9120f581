package rxe

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

// host simulates a host with the interface eth1 by a directory tree for its /sys, /proc and /etc. It runs the real rdma with the shim of
// mlx5test, and small replacements for the other commands. The replacements for RDMA-CM are those of hosttest.
type host struct {
	t     *testing.T
	root  string
	fault string // the fault of rdma's requests, by its name in the shim
}

// shim builds the library for rdma once.
var shim = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "shim")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	so := filepath.Join(dir, "rdmashim.so")
	if err := hosttest.Build(so, hosttest.RDMAShim); err != nil {
		return nil, err
	}
	return os.ReadFile(so)
})

const values = "mtu=4200\nroce_mode=RoCE v2\nrxe=on\nshould=traffic_class\ntos=104\ntraffic_class=104\n"

func newHost(t *testing.T) *host {
	h := &host{t: t, root: t.TempDir()}
	for _, name := range []string{"mkdir", "rmdir", "ip"} {
		h.write("usr/sbin/"+name, hosttest.Replacement(name))
	}
	h.write("usr/sbin/modprobe", `#!/bin/sh
echo "modprobe $1" >>"$FAKE_DIR/log"
case $1 in
rdma_cm) /bin/mkdir -p "$ROCEC_ROOT/sys/kernel/config/rdma_cm" ;;
rdma_rxe)
	[ ! -e "$FAKE_DIR/rhel10" ] && /bin/mkdir -p "$ROCEC_ROOT/sys/module/rdma_rxe" ||
		{ echo "modprobe: FATAL: Module rdma_rxe not found." >&2; exit 1; } ;;
esac
`)
	for _, name := range []string{"gcc", "/usr/include/stdio.h", "/usr/include/libmnl/libmnl.h"} {
		machinetest.Need(t, name)
	}
	rdma := machinetest.Need(t, "rdma")
	so, err := shim()
	require.NoError(t, err)
	h.write("rdmashim.so", string(so))
	// udev may rename a device, so its name differs from the requested one.
	h.write("usr/sbin/rdma", "#!/bin/sh\n"+
		"RDMASHIM_DIR=$FAKE_DIR RDMASHIM_UDEV=rocex1 LD_PRELOAD=$ROCEC_ROOT/rdmashim.so exec "+rdma+" \"$@\"\n")
	h.write("usr/sbin/sleep", "#!/bin/sh\n")
	h.write("sys/class/net/eth1/mtu", "4200\n")
	h.write("sys/class/infiniband/.keep", "")
	h.write("sys/kernel/config/.keep", "")
	h.write("fake/.keep", "")
	h.write("etc/rocec/host/eth1.conf", values)
	return h
}

func (h *host) write(path, text string) {
	path = filepath.Join(h.root, path)
	require.NoError(h.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(h.t, os.WriteFile(path, []byte(text), 0o755))
}

// read returns the content of a file; empty if it is missing.
func (h *host) read(path string) string {
	b, err := os.ReadFile(filepath.Join(h.root, path))
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(h.t, err)
	}
	return strings.TrimSuffix(string(b), "\n")
}

// run runs a verb of the script from stdin, in the shell of Debian. It returns the text of both outputs, and the status.
func (h *host) run(args ...string) (string, int) {
	cmd := exec.Command(machinetest.Need(h.t, "dash"), append([]string{"-s", "--"}, args...)...)
	cmd.Stdin = bytes.NewReader(family.Script())
	return h.exec(cmd)
}

// exec runs a command on the host, and returns the text of both outputs, and the status.
func (h *host) exec(cmd *exec.Cmd) (string, int) {
	cmd.Env = []string{
		"ROCEC_ROOT=" + h.root, "ROCEC_WAIT=1", "FAKE_DIR=" + filepath.Join(h.root, "fake"), "RDMASHIM_FAULT=" + h.fault, "PATH=/usr/bin:/bin",
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(h.t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// good runs apply, and requires that a second apply writes nothing.
func (h *host) good() {
	out, code := h.run("apply", "eth1")
	require.Zero(h.t, code, out)
	log := h.read("fake/log")
	out, code = h.run("apply", "eth1")
	require.Zero(h.t, code, out)
	out, code = h.run("check", "eth1")
	require.Zero(h.t, code, out)
	require.Equal(h.t, log, h.read("fake/log"), "nothing is left to do")
}

// The script creates the device, finds it by its parent under any name, and removes it with the NIC.
func TestMakesAndLeaves(t *testing.T) {
	h := newHost(t)
	out, code := h.run("show", "eth1")
	assert.Zero(t, code)
	assert.Contains(t, out, "roce_mode=unread\nrxe=off\ntos=unread\ntraffic_class=unsupported")
	assert.Empty(t, h.read("fake/log"), "looking changes nothing")
	h.good()
	assert.Equal(t, "modprobe rdma_cm\nmodprobe rdma_rxe\nrdma link add rxe_eth1 type rxe netdev eth1", h.read("fake/log"))
	assert.Equal(t, "RoCE v2\n104", h.read("fake/cma-rocex1"))
	assert.Contains(t, h.read("var/lib/rocec/rocec-host-rxe/eth1.before"), "\nrxe=off")

	require.NoError(t, os.RemoveAll(filepath.Join(h.root, "sys/class/infiniband/rocex1"))) // the host was rebooted
	out, code = h.run("check", "eth1")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "rxe is off, not on\n")
	h.good()

	out, code = h.run("leave", "eth1")
	assert.Zero(t, code, out)
	assert.True(t, strings.HasSuffix(h.read("fake/log"), "\nrdma link delete rocex1"))
	assert.Empty(t, h.read("var/lib/rocec/rocec-host-rxe/eth1.before"))
}

// An existing device with another name is used, and is not removed.
func TestUsesWhatIsThere(t *testing.T) {
	h := newHost(t)
	h.write("sys/class/infiniband/other/parent", "eth0\n")
	h.write("sys/class/infiniband/theirs/parent", "eth1\n")
	h.good()
	assert.Equal(t, "modprobe rdma_cm", h.read("fake/log"))
	assert.Equal(t, "RoCE v2\n104", h.read("fake/cma-theirs"))
	out, code := h.run("leave", "eth1")
	assert.Zero(t, code, out)
	assert.Equal(t, "eth1", h.read("sys/class/infiniband/theirs/parent"))
	assert.Equal(t, "RoCE v2\n0", h.read("fake/cma-theirs"), "its defaults are as they were")
}

const advice = "rdma of iproute2 makes it; install iproute2 5.2 or later, where it is missing"

// An obstacle is reported with its remedy, and never counts as success.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*host)
		want  string
	}{
		{"a VLAN interface", func(h *host) { h.write("proc/net/vlan/eth1", "") }, "it is a VLAN interface, and rdma_rxe takes none"},
		{"a kernel without it", func(h *host) { h.write("fake/rhel10", "") }, "rxe is off, not on: modprobe: FATAL: Module rdma_rxe not found. " +
			"the kernel of this host has no module rdma_rxe (that of RHEL 10 has none)"},
		{"an old tool", func(h *host) {
			h.write("usr/sbin/rdma", "#!/bin/sh\necho \"Unknown link command '$2'.\" >&2\n")
		}, "install iproute2 5.2 or later"},
		{"not root", func(h *host) { h.fault = "noperm" }, "rxe is off, not on: error: Operation not permitted " + advice},
		{"an old kernel without parameters", func(h *host) { h.fault = "nolink" }, "rxe is off, not on: error: Invalid argument " + advice},
		{"a kernel without RDMA", func(h *host) { h.fault = "nosocket" }, "rxe is off, not on: Failed to open NETLINK_RDMA socket " + advice},
		{"a module that is not loaded after all", func(h *host) {
			h.write("usr/sbin/modprobe", "#!/bin/sh\n")
		}, "rxe is off, not on: error: Invalid argument " + advice},
		{"no effect", func(h *host) { h.fault = "ignored" }, "rxe is off, not on: " + advice},
		{"another MTU", func(h *host) { h.write("sys/class/net/eth1/mtu", "1500\n") }, "mtu is 1500, the fabric says 4200"},
		{"a setting of other NICs", func(h *host) {
			h.write("etc/rocec/host/eth1.conf", values+"pfc=0,0,0,0,1,0,0,0\n")
		}, "not a setting of this script: pfc="},
		{"a wish that cannot be", func(h *host) {
			h.write("etc/rocec/host/eth1.conf", strings.Replace(values, "should=traffic_class\n", "", 1))
		}, "traffic_class cannot be set here: unsupported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			c.spoil(h)
			out, code := h.run("apply", "eth1")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, c.want)
		})
	}
}

// If the device cannot be removed, the script reports it and keeps the earlier settings for the next leave.
func TestStays(t *testing.T) {
	for fault, want := range map[string]string{
		"noperm":   "rxe is on, not off: error: Operation not permitted\n",
		"nosocket": "rxe is on, not off: Failed to open NETLINK_RDMA socket\n",
		"ignored":  "rxe is on, not off\n",
	} {
		t.Run(fault, func(t *testing.T) {
			h := newHost(t)
			h.good()
			h.fault = fault
			out, code := h.run("leave", "eth1")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, want)
			assert.Equal(t, "eth1", h.read("sys/class/infiniband/rocex1/parent"))
			h.fault = ""
			out, code = h.run("leave", "eth1")
			assert.Zero(t, code, out)
			assert.NoDirExists(t, filepath.Join(h.root, "sys/class/infiniband/rocex1"))
		})
	}
}

// If another program creates the device at the same time, the request of rdma fails and the device exists.
func TestRaced(t *testing.T) {
	h := newHost(t)
	h.fault = "raced"
	h.good()
	assert.Equal(t, "eth1", h.read("sys/class/infiniband/rocex1/parent"))
}

// TestRefused checks the tool's errors for requests that break the kernel's rules. The script sends no such requests.
func TestRefused(t *testing.T) {
	h := newHost(t)
	h.write("sys/module/rdma_rxe/.keep", "")
	h.write("sys/class/net/eth0/mtu", "1500\n")
	h.write("sys/class/net/eth0.100/mtu", "1500\n")
	h.write("proc/net/vlan/eth0.100", "")
	h.write("sys/class/infiniband/theirs/parent", "eth1\n")
	h.write("sys/class/infiniband/mlx5_0/node_type", "1: CA\n")
	for request, want := range map[string]string{
		"link add a type rxe netdev eth0.100":  "error: Operation not permitted\n",
		"link add a type rxe netdev eth1":      "error: File exists\n",
		"link add theirs type rxe netdev eth0": "error: Too many open files in system\n",
		"link add a type rxe netdev eth2":      "error: No such device\n",
		"link add a type siw netdev eth0":      "error: Invalid argument\n",
		"link delete a":                        "Wrong device name - a\n",
		"link delete mlx5_0":                   "error: Invalid argument\n",
	} {
		out, code := h.exec(exec.Command(filepath.Join(h.root, "usr/sbin/rdma"), strings.Fields(request)...))
		assert.Equal(t, want, out, request)
		assert.Equal(t, 1, code, request)
	}
}

// Old kernels do not support "rdma link add". There the script writes the interface to a parameter of the module.
func TestOldKernel(t *testing.T) {
	h := newHost(t)
	h.fault = "nolink"
	h.write("sys/module/rdma_rxe/parameters/add", "")
	h.write("usr/sbin/sleep", "#!/bin/sh\n"+ // simulates the kernel
		"/bin/mkdir -p \"$ROCEC_ROOT/sys/class/infiniband/rxe0\"\n"+
		"cp \"$ROCEC_ROOT/sys/module/rdma_rxe/parameters/add\" \"$ROCEC_ROOT/sys/class/infiniband/rxe0/parent\"\n")
	out, code := h.run("apply", "eth1")
	assert.Zero(t, code, out)
	assert.Equal(t, "eth1", h.read("sys/class/infiniband/rxe0/parent"))
}

// An old rdma exits 0 for unknown words. The script then uses the parameter of the module.
func TestOldTool(t *testing.T) {
	h := newHost(t)
	h.write("usr/sbin/rdma", "#!/bin/sh\necho \"Unknown link command '$2'.\" >&2\n")
	h.write("sys/module/rdma_rxe/parameters/add", "")
	h.write("usr/sbin/sleep", "#!/bin/sh\n"+ // simulates the kernel
		"/bin/mkdir -p \"$ROCEC_ROOT/sys/class/infiniband/rxe0\"\n"+
		"cp \"$ROCEC_ROOT/sys/module/rdma_rxe/parameters/add\" \"$ROCEC_ROOT/sys/class/infiniband/rxe0/parent\"\n")
	out, code := h.run("apply", "eth1")
	assert.Zero(t, code, out)
	assert.Equal(t, "eth1", h.read("sys/class/infiniband/rxe0/parent"))
	h.write("sys/module/rdma_rxe/parameters/remove", "")
	out, code = h.run("leave", "eth1")
	assert.Equal(t, "rxe0", h.read("sys/module/rdma_rxe/parameters/remove"), "%s %d", out, code)
}
