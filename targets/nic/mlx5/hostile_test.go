package mlx5

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/nic/hosttest"
)

// evil is a text that a careless script executes.
const evil = hosttest.Evil

// tools contains the tools that the script reads, with the pattern of the arguments.
var tools = map[string]string{
	"dcb": "*show*", "ethtool": "-a*", "ip": "*show*", "devlink": "*show*", "mlnx_qos": "*", "mstconfig": "*",
}

// TestHostileTools replaces the output of the tools by hostile text. The script must end, must execute no part of the text, and must report
// every required setting.
func TestHostileTools(t *testing.T) {
	d := matrixHosts(t)["vlan"]
	nth := 0
	for _, c := range hosttest.Hostile() {
		some := rotate(nth)
		if c.Executes() {
			some = hosttest.Shells
		}
		for shell, run := range some {
			t.Run(c.Name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				m := newMachine(t, d).inbox()
				m.Env = append(m.Env, "ROCEC_WAIT=0")
				for tool, reads := range tools {
					m.Command(tool, "case $* in\n"+reads+") "+c.Commands+"\n;;\nesac\nexit 0") // a write exits 0 and does nothing
				}
				apply, check := run(m.Machine, "apply", "ens1f0"), run(m.Machine, "check", "ens1f0")
				show := run(m.Machine, showArgs(t, d, "ens1f0", "show")...)
				assert.Equal(t, 1, apply.Code, "%.300s", apply.Err)
				assert.Equal(t, 1, check.Code, "%.300s", check.Err)
				assert.Zero(t, show.Code, "%.300s", show.Err)
				assert.Contains(t, apply.Err, "rocec-host: ens1f0: ")
				for _, key := range []string{"dcbx", "ets_tc", "pause", "pfc", "vlan_map"} {
					assert.Contains(t, "\n"+check.Out, "\n"+key+" is ")
				}
				assert.False(t, m.Has("owned"), "a text was executed")
				assert.Less(t, len(apply.Err)+len(check.Out)+len(show.Out), 1<<20)
			})
		}
		nth++
	}
}

// TestHostileFiles does the same as TestHostileTools for files of the kernel.
func TestHostileFiles(t *testing.T) {
	d := matrixHosts(t)["rules"]
	for i, text := range hosttest.HostileFiles {
		some := rotate(i)
		if text == evil {
			some = hosttest.Shells
		}
		for shell, run := range some {
			t.Run(fmt.Sprintf("%d/%s", i, shell), func(t *testing.T) {
				t.Parallel()
				m := newMachine(t, d).ofed()
				m.Env = append(m.Env, "ROCEC_WAIT=0")
				m.trafficClass = nil
				for _, glob := range []string{
					"sys/class/net/*/ecn/*/*/*", "sys/class/net/*/ecn/*/cnp*", "sys/class/net/*/settings/*", "sys/class/net/*/mtu",
					"sys/class/net/*/device/roce_enable", "sys/class/infiniband/*/t*/1/*", "sys/class/infiniband/*/ports/1/gid*/*",
				} {
					for _, file := range m.Glob(glob) {
						if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
							require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
						}
					}
				}
				check, show := run(m.Machine, "check", "ens1f0"), run(m.Machine, showArgs(t, d, "ens1f0", "show")...)
				assert.Equal(t, 1, check.Code, "%.300s", check.Err)
				assert.Zero(t, show.Code, "%.300s", show.Err)
				if shell == "dash" {
					assert.Zero(t, run(m.Machine, "gids", "ens1f0").Code)
				}
				for _, key := range []string{"mtu", "ttl", "cnp_dscp", "vf_roce_0"} {
					assert.Contains(t, check.Out, key+" is ")
				}
				assert.Equal(t, 1, run(m.Machine, "apply", "ens1f0").Code)
				assert.False(t, m.Has("owned"), "a text was executed")
			})
		}
	}
}

// TestHostileValueFile: any foreign text in the value file is reported, and is never executed.
func TestHostileValueFile(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	for i, line := range []string{
		"pfc=" + strings.Repeat("0,", 5_000) + "0", "traffic_rules=" + strings.Repeat("dst_ip=192.0.2.1,tclass=4 ", 1_000) + "x",
		strings.Repeat("x", 100_000), strings.Repeat("unknown=1\n", 500), "tos=" + strings.Repeat("9", 10_000), "tos=" + evil,
		"dscp_prio3=" + evil, "dscp_prio3=1-" + evil, "cable=$(touch owned)", "mtu=9000`touch owned`", "ets_bw=" + evil + ",0,0,0,0,0,0,0",
		"vf_roce_" + evil + "=on", "vlan=a[$(touch owned)]", "vlan_ip=1.2.3.4/a[$(touch${IFS}owned)]", "\x00\x1b]0;x\a", "should=$(touch owned)",
	} {
		for shell, run := range rotate(i, "interp") { // TestValueFile covers the interpreter
			m := newMachine(t, d).inbox()
			m.Write("etc/rocec/host/ens1f0.conf", line)
			before := m.Snapshot()
			for _, verb := range []string{"apply", "check"} {
				r := run(m.Machine, verb, "ens1f0")
				assert.Equal(t, 1, r.Code, "%s: %.100q: %.200s", shell, line, r.Err)
				assert.Contains(t, r.Err, "/etc/rocec/host/ens1f0.conf: not a setting of this script: ", "%s: %.100q", shell, line)
			}
			assert.Zero(t, run(m.Machine, "show", "ens1f0").Code)
			assert.Empty(t, m.Changed(before), "%s: %.100q", shell, line)
		}
	}
}

// TestRenamedDevice: rdma-core may rename an RDMA device. The script looks up the name, so a new name between plan and apply is harmless.
// If the name changes during the write, the script reports the setting as failed.
func TestRenamedDevice(t *testing.T) {
	t.Parallel()
	d := matrixHosts(t)["v1"]
	const at = "sys/devices/0000:03:00.0/infiniband/"
	for i, when := range []string{"before", "meanwhile"} {
		for shell, run := range rotate(i) {
			m := newMachine(t, d).inbox()
			m.Env = append(m.Env, "ROCEC_WAIT=0")
			require.Contains(t, run(m.Machine, showArgs(t, d, "ens1f0", "show")...).Out, "roce_mode=unread\n")
			if when == "before" {
				require.NoError(t, os.Rename(m.Path(at+"rocep3s0f0"), m.Path(at+"mlx5_0")))
				m.Remove("sys/class/infiniband/rocep3s0f0")
				m.Link("../../devices/0000:03:00.0/infiniband/mlx5_0", "sys/class/infiniband/mlx5_0")
				r := run(m.Machine, "apply", "ens1f0")
				require.Zero(t, r.Code, r.Err)
				assert.Equal(t, "IB/RoCE v1\n96", m.Read("fake/cma-mlx5_0"), shell)
				continue
			}
			m.wrap("mkdir", `*/rdma_cm/*) [ ! -e "$ROCEC_ROOT/sys/class/infiniband/rocep3s0f0" ] || [ ! -e "$FAKE_DIR/twice" ] ||
	mv "$ROCEC_ROOT/sys/class/infiniband/rocep3s0f0" "$ROCEC_ROOT/sys/class/infiniband/mlx5_0"
: >"$FAKE_DIR/twice" ;;`)
			r := run(m.Machine, "apply", "ens1f0")
			assert.Equal(t, 1, r.Code, shell)
			assert.Contains(t, r.Err, "rocec-host: ens1f0: roce_mode is unread, not IB/RoCE v1", shell)
			assert.Equal(t, 1, run(m.Machine, "check", "ens1f0").Code)
		}
	}
}

// TestOnePCIPath: two interfaces of one PCI function, each with a value file, would undo each other's settings.
func TestOnePCIPath(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["both"]
	for i, name := range []string{"ens1f0", "ens2f0"} {
		other := map[string]string{"ens1f0": "ens2f0", "ens2f0": "ens1f0"}[name]
		for shell, run := range rotate(2 + i) {
			m := newMachine(t, d).inbox()
			m.Remove("sys/class/net/ens2f0/device")
			m.Link("../../../devices/0000:03:00.0", "sys/class/net/ens2f0/device")
			before := m.Snapshot()
			r := run(m.Machine, "apply", name)
			assert.Equal(t, 1, r.Code, shell)
			assert.Equal(t, fmt.Sprintf("rocec-host: %s: %s has a value file, too, and is the same PCI function (0000:03:00.0); "+
				"leave one of the two in the fabric\n", name, other), r.Err, shell)
			assert.Empty(t, m.Changed(before), shell)
		}
	}
}
