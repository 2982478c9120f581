package sim_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/nic/hosttest"
	"github.com/rocec/rocec/targets/nic/mlx5/sim"
	nicsim "github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// boot returns a host with one ConnectX-5 and another interface.
func boot(nic, other string) *lab.Device {
	return lab.NewDevice(&target.Device{Name: "host01", Role: target.Host, Target: &target.Target{Image: func(*ir.Device) target.Image {
		nics := sim.New([]nicsim.NIC{{
			Netdev: target.Netdev{Name: nic, Driver: "mlx5_core", PCI: "0000:03:00.0", MTU: 9000, SpeedMbps: 100000}, RDMA: "mlx5_0",
		}})
		return target.Image{Netdevs: append(nics.Netdevs(), target.Netdev{Name: other}), Modules: sim.Modules, Sims: []target.Sim{nics}}
	}}})
}

// result contains the outputs and the exit status of a command.
type result struct {
	out, err string
	status   int
}

// sh runs a command as root.
func sh(t *testing.T, d *lab.Device, cmd string, stdin ...string) result {
	t.Helper()
	out, errs, status := d.Run(t.Context(), "root", cmd, strings.Join(stdin, ""))
	return result{out, errs, status}
}

// root runs a command that must succeed and returns what it printed.
func root(t *testing.T, d *lab.Device, cmd string, stdin ...string) string {
	t.Helper()
	r := sh(t, d, cmd, stdin...)
	require.Equal(t, 0, r.status, "%s\n%s%s", cmd, r.out, r.err)
	return r.out
}

// dcbCommands run in order on one NIC, in the simulated dcb and in the real dcb of iproute2 6.1 over a simulated kernel interface.
var dcbCommands = []string{
	"dcbx set dev e host ieee", "dcbx show dev e", "-j dcbx show dev e",
	"pfc show dev e", "-j pfc show dev e", "-s pfc show dev e", "-s -j pfc show dev e",
	"ets show dev e", "-j ets show dev e", "app show dev e", "-j app show dev e",
	"app add dev e dscp-prio 26:3 48:6 0:0 10:1", "app show dev e", "-N app show dev e", "-jN app show dev e", "-j app show dev e",
	"app show dev e dscp-prio",
	"pfc show dev e prio-pfc delay", "pfc show dev e -s", "pfc show dev e requests",
	"pfc set dev e prio-pfc 9:on", "pfc set dev e prio-pfc 3:yes", "pfc set dev e prio-pfc x:on", "pfc set dev e prio-pfc",
	"pfc set dev e delay x", "pfc set dev e delay 70000", "pfc set dev e delay 1000", "pfc set dev e delay 0x10", "pfc show dev e delay",
	"pfc set dev e prio-pfc all:off 3:on", "pfc show dev e", "pfc set dev e prio-pfc all:on 3:off delay 9", "pfc show dev e",
	"-j pfc set dev e prio-pfc 3:on",
	"pfc set dev e", "pfc set dev e bogus", "pfc show dev e bogus", "pfc set dev e macsec-bypass foo", "pfc s dev e",
	"ets set dev e prio-tc 0:0", "ets set dev e tc-tsa 0:foo", "ets set dev e",
	"ets set dev e willing off tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3 6:6", "ets show dev e",
	"-j ets show dev e",
	"ets show dev e tc-bw prio-tc", "-j ets show dev e tc-bw", "ets set dev e tc-bw 0:40", "ets set dev e tc-bw 0:101",
	"ets set dev e tc-bw 0:300",
	"ets set dev e tc-bw 9:1", "ets set dev e willing foo", "ets set dev e pg-bw 0:1", "ets set dev e tc-tsa all:strict tc-bw all:0",
	"ets show dev e tc-bw",
	"ets set dev e reco-tc-bw 0:10",
	"app add dev e dscp-prio 99:3", "app replace dev e dscp-prio 99:3", "app add dev e dscp-prio 26:9", "app add dev e dscp-prio 26:x",
	"app add dev e dscp-prio AF31:4", "app add dev e dscp-prio cs7:7", "app add dev e dscp-prio 0x1a:3", "app add dev e dscp-prio default:2",
	"app show dev e",
	"app add dev e ethtype-prio 0x8915:3", "app add dev e ethtype-prio 5:3", "app add dev e dgram-port-prio 0:3",
	"app add dev e dgram-port-prio 4791:3",
	"app add dev e default-prio x", "app add dev e default-prio", "app add dev e default-prio 3",
	"app del dev e dscp-prio 26:1", "app del dev e dscp-prio 26:3", "app del dev e dscp-prio 26:3", "app add dev e dscp-prio 26:3",
	"app replace dev e dscp-prio 26:5", "-N app show dev e", "app replace dev e dscp-prio 26:5", "app replace dev e dscp-prio 30:1",
	"-N app show dev e",
	"app add dev e", "app add dev e help", "app add dev e dscp-prio foo", "app add dev e dscp-prio 26:3 foo", "app flush dev e foo",
	"app flush dev e dscp-prio", "app show dev e", "app add dev e dscp-prio all:3", "-N app show dev e", "app flush dev e",
	"-j app show dev e", "app flush dev e",
	"dcbx set dev e foo", "dcbx set dev e cee", "dcbx set dev e lld-managed", "dcbx set dev e", "dcbx show dev e foo", "dcbx show dev e",
	"pfc show dev veth0", "-j pfc show dev veth0", "pfc set dev veth0 prio-pfc 3:on", "app add dev veth0 dscp-prio 26:3",
	"app replace dev veth0 dscp-prio 26:3",
	"pfc show dev", "pfc show dev averyveryverylongname", "pfc frob", "frob", "pfc", "pfc show", "pfc show e", "", "-V", "help",
}

// TestDcbAgainstTheRealOne compares stdout and status byte for byte, and stderr without the help texts.
func TestDcbAgainstTheRealOne(t *testing.T) {
	for _, name := range []string{"gcc", "/usr/include/stdio.h", "/usr/include/libmnl/libmnl.h"} {
		machinetest.Need(t, name)
	}
	dcb := machinetest.Need(t, "dcb")
	version, err := exec.Command(dcb, "-V").Output()
	require.NoError(t, err)
	require.Contains(t, string(version), "iproute2-6.1.", "the lab's dcb is that of 6.1")
	dir := t.TempDir()
	so := filepath.Join(dir, "shim.so")
	require.NoError(t, hosttest.Build(so, hosttest.DCBShim))

	d := boot("e", "veth0") // the shim accepts these names
	for i, line := range dcbCommands {
		cmd := exec.Command(dcb, strings.Fields(line)...)
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+so, "DCBSHIM_DIR="+dir, "LC_ALL=C")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		got := sh(t, d, "dcb "+line)
		require.Equal(t, stdout.String(), got.out, "%d: dcb %s: stdout", i, line)
		require.Equal(t, cmd.ProcessState.ExitCode(), got.status, "%d: dcb %s: status", i, line)
		require.Equal(t, withoutHelp(stderr.String()), withoutHelp(got.err), "%d: dcb %s: stderr", i, line)
	}
}

// withoutHelp returns the text before a help text.
func withoutHelp(s string) string {
	s, _, _ = strings.Cut(s, "Usage:")
	return s
}

func TestNIC(t *testing.T) {
	d := boot("ens1f0", "eth0")
	require.Equal(t, "cee ieee \n", root(t, d, "dcb dcbx show dev ens1f0"), "the firmware controls a fresh NIC")
	root(t, d, "dcb pfc set dev ens1f0 prio-pfc 3:on; dcb pfc set dev ens1f0 prio-pfc 3:on; dcb pfc set dev ens1f0 delay 20")
	require.Equal(t, 1, targettest.Sim[*sim.NICs](d.Sims()).Flaps("ens1f0"), "only a change of the mask bounces the link")

	root(t, d, "ethtool -A ens1f0 rx off tx off")
	require.Equal(t, "RX:\t\toff\nTX:\t\toff\n", root(t, d, "ethtool -a ens1f0 | grep X:"))
	require.Contains(t, root(t, d, "ethtool -S ens1f0"), "     rx_prio3_discards: 0\n")
	d.SetCounter("ens1f0", "tx_prio3_pause", 9)
	require.Contains(t, root(t, d, "dcb -s pfc show dev ens1f0"), "requests 0:0 1:0 2:0 3:9 ")

	const cma = "/sys/kernel/config/rdma_cm"
	require.Equal(t, result{"", "mkdir: cannot create directory '" + cma + "/mlx5_9': No such device\n", 1}, sh(t, d, "mkdir "+cma+"/mlx5_9"))
	root(t, d, "mkdir -p "+cma+"/mlx5_0 && cd "+cma+"/mlx5_0/ports/1 && echo 'IB/RoCE v1' >default_roce_mode && echo 106 >default_roce_tos")
	require.Equal(t, 1, sh(t, d, "cd "+cma+"/mlx5_0/ports/1; echo 'RoCE v1' >default_roce_mode").status, "not the kernel's spelling")
	require.Equal(t, 1, sh(t, d, "cd "+cma+"/mlx5_0/ports/1; printf 'RoCE v2\\n\\n' >default_roce_mode").status, "one newline is allowed")
	require.Equal(t, 1, sh(t, d, "echo 256 >"+cma+"/mlx5_0/ports/1/default_roce_tos").status)
	root(t, d, "rmdir "+cma+"/mlx5_0; mkdir "+cma+"/mlx5_0")
	require.Equal(t, "IB/RoCE v1\n106\n", root(t, d, "cat "+cma+"/mlx5_0/ports/1/*"), "the values are the device's, not the directory's")

	require.Equal(t, "0000:03:00.0 mlx5_core mlx5_0\n", root(t, d,
		`a=$(readlink /sys/class/net/ens1f0/device); b=$(readlink /sys/class/net/ens1f0/device/driver); for i in /sys/class/net/ens1f0/device/infiniband/*; do echo ${a##*/} ${b##*/} ${i##*/}; done`))
	require.Equal(t, 1, sh(t, d, "cat /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/5").status, "an empty slot")
	require.Equal(t, "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n", root(t, d, "rdma link show"))

	root(t, d, "modprobe rdma_cm; modprobe mlx5_core")
}

// TestFailWrites: on a device that fails writes, a command that changes a NIC fails, and the attempt is recorded.
func TestFailWrites(t *testing.T) {
	for _, cmd := range []string{
		"dcb pfc set dev ens1f0 prio-pfc 3:on", "dcb app add dev ens1f0 dscp-prio 26:3", "dcb dcbx set dev ens1f0 host",
		"mlnx_qos -i ens1f0 -f 1,1,1,1,1,1,1,1", "echo 1 >/sys/class/net/ens1f0/ecn/roce_np/enable/3",
	} {
		d := boot("ens1f0", "eth0")
		targettest.Sim[*sim.NICs](d.Sims()).VendorDriver(0)
		d.FailWrites()
		require.NotEqual(t, 0, sh(t, d, cmd).status, cmd)
		require.NotEmpty(t, d.Writes(), "%s: a try is remembered", cmd)
		d.AllowWrites()
		require.Equal(t, 0, sh(t, d, cmd).status, cmd)
	}
	d := boot("ens1f0", "eth0")
	d.FailWrites()
	root(t, d, "dcb pfc show dev ens1f0; rdma link show")
	root(t, d, "mkdir /sys/kernel/config/rdma_cm/mlx5_0; rmdir /sys/kernel/config/rdma_cm/mlx5_0")
	require.Empty(t, d.Writes(), "reading is not a change, also through a folder that the kernel makes")
}

func TestVendorDriver(t *testing.T) {
	d := boot("ens1f0", "eth0")
	require.Equal(t, 127, sh(t, d, "mlnx_qos -i ens1f0").status, "the kernel's driver comes without it")
	targettest.Sim[*sim.NICs](d.Sims()).VendorDriver(2)
	root(t, d, "mlnx_qos -i ens1f0 -d os --trust dscp --pfc 0,0,0,1,0,0,0,0")
	root(t, d, "mlnx_qos -i ens1f0 --dscp2prio set,26,4 -s ets,strict,strict,ets,strict,strict,strict,strict -t 50,0,0,50,0,0,0,0 -p "+
		"0,1,2,3,4,5,6,7 --cable_len=20")
	want := "DCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n" +
		"\tprio:0 dscp:00,01,02,03,04,05,06,07,\n\tprio:1 dscp:08,09,10,11,12,13,14,15,\n\tprio:2 dscp:16,17,18,19,20,21,22,23,\n" +
		"\tprio:3 dscp:24,25,27,28,29,30,31,\n\tprio:4 dscp:26,32,33,34,35,36,37,38,\n\tprio:4 dscp:39,\n\tprio:5 " +
		"dscp:40,41,42,43,44,45,46,47,\n" +
		"\tprio:6 dscp:48,49,50,51,52,53,54,55,\n\tprio:7 dscp:56,57,58,59,60,61,62,63,\n" +
		"Receive buffer size (bytes): 262016,0,0,0,0,0,0,0,max_buffer_size=262016\nCable len: 20\n" +
		"PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \n\tbuffer      0   0 " +
		"  0   0   0   0   0   0   \n"
	got := root(t, d, "mlnx_qos -i ens1f0")
	require.Equal(t, want, got[:strings.Index(got, "tc: 0")])
	require.Contains(t, got, "tc: 0 ratelimit: unlimited, tsa: ets, bw: 50%\n\t priority:  0\n")
	require.Contains(t, got, "tc: 6 ratelimit: unlimited, tsa: strict\n\t priority:  6\n")
	require.Contains(t, root(t, d, "dcb -N app show dev ens1f0"), " 26:4 ", "one NIC, whatever tool asks")

	for cmd, status := range map[string]int{
		"mlnx_qos": 1, "mlnx_qos -i nope": 1, "mlnx_qos -i ens1f0 --frob": 2, "mlnx_qos -i ens1f0 -f 1,1": 1, "mlnx_qos -i ens1f0 -f": 2,
		"mlnx_qos -i ens1f0 --trust pcp --dscp2prio set,1,1": 1, "mlnx_qos -i ens1f0 --dscp2prio set,64,1": 1,
		"mlnx_qos -i ens1f0 -t 50,50,0,50,0,0,0,0": 1, "mlnx_qos -i ens1f0 --pf 0,0,0,0,0,0,0,0": 0,
		"mlnx_qos -i ens1f0 --buffer_size 100,1000000": 1,
	} {
		require.Equal(t, status, sh(t, d, cmd).status, cmd)
	}
	require.Equal(t, "0\n", root(t, d, "mlnx_qos -i ens1f0 -P 3"))
	require.Contains(t, root(t, d, "mlnx_qos -i ens1f0 --trust pcp"), "Priority trust state: pcp\nReceive")

	const net, ib = "/sys/class/net/ens1f0", "/sys/class/infiniband/mlx5_0"
	root(t, d, "echo 0 >"+net+"/ecn/roce_np/enable/3; echo 26 >"+net+"/ecn/roce_np/cnp_dscp; echo 0 >"+net+"/device/roce_enable; echo '1 0' >"+
		net+"/settings/vf_roce")
	require.Equal(t, "0\n26\n0\nvf_num 0: 1\nvf_num 1: 0\n",
		root(t, d, "cd "+net+"; cat ecn/roce_np/enable/3 ecn/roce_np/cnp_dscp device/roce_enable settings/vf_roce"))
	class := ib + "/tc/1/traffic_class"
	require.Empty(t, root(t, d, "cat "+class))
	root(t, d, "echo 106 >"+class+"; echo tclass=16,src_ip=1.1.1.2,dst_ip=1.1.1.0/24 >"+class)
	require.Equal(t, "Global tclass=106\nsrc_ip=1.1.1.2,dst_ip=1.1.1.0/24,tclass=16\n", root(t, d, "cat "+class))
	root(t, d, "echo -1 >"+class+"; echo tclass=-1,src_ip=1.1.1.2,dst_ip=1.1.1.0/24 >"+class)
	require.Empty(t, root(t, d, "cat "+class))
	require.Equal(t, 1, sh(t, d, "echo 256 >"+class).status)
	require.Equal(t, "64\n", root(t, d, "echo 64 >"+ib+"/ttl/1/ttl; cat "+ib+"/ttl/1/ttl"))
}

// The test covers the buffers of mlx5: 100G, 20 m and MTU 9000 need 68224 bytes where PFC is on.
func TestLosslessBufferNeedsRoom(t *testing.T) {
	d := boot("ens1f0", "eth0")
	root(t, d, "dcb pfc set dev ens1f0 prio-pfc 3:on delay 20")
	require.Equal(t, result{"", "Attribute write: Cannot allocate memory\n", 1},
		sh(t, d, "dcb buffer set dev ens1f0 prio-buffer 3:1 buffer-size 0:100000 1:68223"))
	root(t, d, "dcb buffer set dev ens1f0 prio-buffer 3:1 buffer-size 0:100000 1:68224")
	require.Equal(t, `{"prio_buffer":[0,0,0,1,0,0,0,0],"buffer_size":[100000,68224,0,0,0,0,0,0],"total_size":262016}`+"\n",
		root(t, d, "dcb -j buffer show dev ens1f0"))
}
