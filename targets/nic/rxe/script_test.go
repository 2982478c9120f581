package rxe

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
)

// host is a tree that stands for the /sys, /proc and /etc of a host with the interface eth1, and small stand-ins for commands. Those for
// RDMA-CM are mlx5's.
type host struct {
	t    *testing.T
	root string
}

const values = "mtu=4200\nroce_mode=RoCE v2\nrxe=on\nshould=traffic_class\ntos=104\ntraffic_class=104\n"

func newHost(t *testing.T) *host {
	h := &host{t, t.TempDir()}
	for _, name := range []string{"mkdir", "rmdir", "ip"} {
		b, err := os.ReadFile("../mlx5/testdata/bin/" + name)
		require.NoError(t, err)
		h.write("usr/sbin/"+name, string(b))
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
	// udev renames what it can: the device is never called as it was asked for.
	h.write("usr/sbin/rdma", `#!/bin/sh
echo "rdma $*" >>"$FAKE_DIR/log"
class=$ROCEC_ROOT/sys/class/infiniband
case $* in
'link add rxe_eth1 type rxe netdev eth1')
	[ ! -e "$FAKE_DIR/old" ] || { echo 'Object "add" is unknown' >&2; exit 1; }
	/bin/mkdir -p "$class/rocex1" && echo eth1 >"$class/rocex1/parent"
	;;
'link delete '*) rm -r "$class/$3" ;;
*) exit 64 ;;
esac
`)
	h.write("usr/sbin/sleep", "#!/bin/sh\n")
	h.write("sys/class/net/eth1/mtu", "4200\n")
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

// read gives a file; empty where there is none.
func (h *host) read(path string) string {
	b, err := os.ReadFile(filepath.Join(h.root, path))
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(h.t, err)
	}
	return strings.TrimSuffix(string(b), "\n")
}

// run runs a verb of the script from stdin, in the shell of Debian; it gives what it printed to both outputs, and its status.
func (h *host) run(args ...string) (string, int) {
	cmd := exec.Command("dash", append([]string{"-s", "--"}, args...)...)
	cmd.Env = []string{"ROCEC_ROOT=" + h.root, "ROCEC_WAIT=1", "FAKE_DIR=" + filepath.Join(h.root, "fake"), "PATH=/usr/bin:/bin"}
	cmd.Stdin = bytes.NewReader(family.Script)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(h.t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// good applies, and wants the second apply to write nothing.
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

// The device is made, found by its parent whatever it is called, and goes with the NIC.
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

	require.NoError(t, os.RemoveAll(filepath.Join(h.root, "sys/class/infiniband/rocex1"))) // the host has started anew
	out, code = h.run("check", "eth1")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "rxe is off, not on\n")
	h.good()

	out, code = h.run("leave", "eth1")
	assert.Zero(t, code, out)
	assert.True(t, strings.HasSuffix(h.read("fake/log"), "\nrdma link delete rocex1"))
	assert.Empty(t, h.read("var/lib/rocec/rocec-host-rxe/eth1.before"))
}

// A device that somebody made by another name is used, and stays.
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

// What is in the way is said, with what to do, and nothing is green.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*host)
		want  string
	}{
		{"a VLAN interface", func(h *host) { h.write("proc/net/vlan/eth1", "") }, "it is a VLAN interface, and rdma_rxe takes none"},
		{"a kernel without it", func(h *host) { h.write("fake/rhel10", "") }, "rxe is off, not on: modprobe: FATAL: Module rdma_rxe not found. " +
			"the kernel of this host has no module rdma_rxe (that of RHEL 10 has none)"},
		{"an old tool", func(h *host) { h.write("fake/old", "") }, "install iproute2 5.1 or later"},
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

// Kernels before the tool's way take the interface by a parameter of the module.
func TestOldKernel(t *testing.T) {
	h := newHost(t)
	h.write("fake/old", "")
	h.write("sys/module/rdma_rxe/parameters/add", "")
	h.write("usr/sbin/sleep", "#!/bin/sh\n"+ // the kernel's doing
		"/bin/mkdir -p \"$ROCEC_ROOT/sys/class/infiniband/rxe0\"\n"+
		"cp \"$ROCEC_ROOT/sys/module/rdma_rxe/parameters/add\" \"$ROCEC_ROOT/sys/class/infiniband/rxe0/parent\"\n")
	out, code := h.run("apply", "eth1")
	assert.Zero(t, code, out)
	assert.Equal(t, "eth1", h.read("sys/class/infiniband/rxe0/parent"))
}
