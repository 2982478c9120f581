package mlx5

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

// showArgs returns the arguments of a verb of the script, as in the command that reads the NIC's live state.
func showArgs(t testing.TB, d *ir.Device, nic, verb string) []string {
	cmd := stateOf(t, d, nic).Live.Cmd
	args := strings.Fields(cmd)[3:]
	args[0] = verb
	return args
}

// TestApply changes hosts from the factory settings to the fabric's settings, with every driver and tool. Each case runs in one of the
// shells, in turn; with -whole, in all of them. The state then has no drift, and a second apply writes nothing.
func TestApply(t *testing.T) {
	hosts := fixtures(t)
	nth := 0
	for _, c := range []struct {
		name    string
		prepare func(*machine) *machine
		shells  []string // nil: all, in turn
		hosts   []string
	}{
		{"inbox driver", (*machine).inbox, nil, []string{"v2", "v1", "both", "bond", "pause"}},
		{"mlnx_qos", func(m *machine) *machine { return m.inbox().mlnxQos() }, nil, []string{"both"}},
		{"old mlnx_qos", func(m *machine) *machine {
			m.Env = append(m.Env, "FAKE_OLD=1")
			return m.inbox().mlnxQos()
		}, nil, []string{"v2"}},
		{"MLNX_OFED", (*machine).ofed, []string{"interp"}, []string{"v2", "bond", "options"}}, // no plain file is like traffic_class
		{"CNPs by the firmware", (*machine).lockedDown, nil, []string{"v2"}},
	} {
		if testing.Short() {
			c.hosts = c.hosts[:1]
		}
		for _, host := range c.hosts {
			in := rotate(nth)
			if c.shells != nil {
				in = map[string]hosttest.Shell{"interp": hosttest.Shells["interp"]}
			} else {
				nth++
			}
			for shell, run := range in {
				t.Run(c.name+"/"+shell+"/"+host, func(t *testing.T) {
					t.Parallel()
					applyTwice(t, c.prepare(newMachine(t, hosts[host])), hosts[host], run)
				})
			}
		}
	}
}

func applyTwice(t *testing.T, m *machine, d *ir.Device, run hosttest.Shell) {
	before := m.Snapshot()
	for _, n := range nic.Of(d, Driver) {
		for _, verb := range []string{"show", "gids"} {
			r := run(m.Machine, showArgs(t, d, n.Name, verb)...)
			require.Zero(t, r.Code, r.Err)
			require.Empty(t, r.Err)
		}
		if len(n.Intents) > 0 {
			r := run(m.Machine, "check", n.Name)
			require.Equal(t, 1, r.Code, r.Err)
			require.Contains(t, r.Out, "dcbx is firmware, not host\n")
		}
	}
	require.Empty(t, m.Changed(before), "looking changed something")

	for _, n := range nic.Of(d, Driver) {
		r := run(m.Machine, "apply", n.Name)
		require.Zero(t, r.Code, r.Err)
		noDrift(t, m, d, n, run)
	}
	if d.Fabric.FlowControl == ir.PFC {
		carrying := 0
		for _, n := range nic.Of(d, Driver) {
			if len(n.Carries()) > 0 {
				carrying++
			}
		}
		assert.Equal(t, carrying, m.Bounces(), "%v", m.Log())
	}

	settled := m.Snapshot()
	for _, n := range nic.Of(d, Driver) {
		r := run(m.Machine, "apply", n.Name)
		require.Zero(t, r.Code, r.Err)
		r = run(m.Machine, "check", n.Name)
		require.Zero(t, r.Code, r.Out+r.Err)
		require.Empty(t, r.Out)
	}
	require.Empty(t, m.Changed(settled), "the second apply wrote something")
}

// noDrift requires that the state of a NIC needs no change.
func noDrift(t *testing.T, m *machine, d *ir.Device, n *ir.NIC, run hosttest.Shell) {
	r := run(m.Machine, showArgs(t, d, n.Name, "show")...)
	require.Zero(t, r.Code, r.Err)
	state := stateOf(t, d, n.Name)
	want, _ := state.Edit([]byte(r.Out))
	require.Equal(t, string(want), r.Out)
	if len(n.Carries()) > 0 {
		require.Contains(t, r.Out, "\npfc=0,0,0,")
	}
}

// TestFinalState checks the simulated machine itself, not the output of the script.
func TestFinalState(t *testing.T) {
	t.Parallel()
	all := fixtures(t)
	d := all["v2"]
	m := newMachine(t, d).ofed()
	run := hosttest.Shells["interp"]
	r := run(m.Machine, "apply", "ens1f0")
	require.Zero(t, r.Code, r.Err)
	assert.Empty(t, r.Err)
	assert.Equal(t, "off off", m.Read("fake/pause-ens1f0"))
	assert.Equal(t, "1", m.Read("sys/class/net/ens1f0/ecn/roce_np/enable/4"))
	assert.Equal(t, "1", m.Read("sys/class/net/ens1f0/ecn/roce_rp/enable/4"))
	assert.Equal(t, "0", m.Read("sys/class/net/ens1f0/ecn/roce_np/enable/3"), "not ours")
	assert.Equal(t, "48", m.Read("sys/class/net/ens1f0/ecn/roce_np/cnp_dscp"))
	assert.Equal(t, "6", m.Read("sys/class/net/ens1f0/ecn/roce_np/cnp_802p_prio"))
	assert.Equal(t, "RoCE v2\n104", m.Read("fake/cma-rocep3s0f0"))
	assert.False(t, m.Has("sys/kernel/config/rdma_cm/rocep3s0f0"), "the directory would keep rdma_cm in use")
	assert.Equal(t, []string{"104"}, m.trafficClass.writes)
	log := m.Log()
	assert.Equal(t, []string{"modprobe rdma_cm", "ens1f0 ethtool -A off off"}, log[:2], "pause goes first")
	assert.Less(t, slices.Index(log, "ens1f0 ets"), slices.Index(log, "ens1f0 add dscp 26:4"))
	assert.Less(t, slices.Index(log, "ens1f0 add dscp 26:4"), slices.Index(log, "ens1f0 pfc 10, link bounced"))

	d = all["options"]
	m = newMachine(t, d).ofed()
	m.Write("sys/class/net/enp3s0f0np0/settings/vf_roce", "")
	m.trafficClass.global = "106"
	m.trafficClass.rules = []string{"src_ip=203.0.113.1,tclass=8"}
	r = run(m.Machine, "apply", "enp3s0f0np0")
	assert.Equal(t, 1, r.Code, "a virtual function that is not there cannot be set")
	assert.Contains(t, r.Err, "vf_roce_0 is missing, not off\n")
	assert.Contains(t, m.Read("var/lib/rocec/rocec-host/enp3s0f0np0.before"), "ttl=0\n", "what it held before is kept")
	assert.Equal(t, "32", m.Read("sys/class/infiniband/rocep3s0f0/ttl/1/ttl"))
	assert.Equal(t, []string{
		"-1", "tclass=-1,src_ip=203.0.113.1", "tclass=8,dst_ip6=2001:db8::1",
		"tclass=16,src_ip=192.0.2.7,dst_ip=198.51.100.0/24",
	}, m.trafficClass.writes)
	devlink := filepath.Join(m.Root, "usr/sbin/devlink")
	require.NoError(t, os.Rename(devlink, devlink+"-later"))
	r = run(m.Machine, "apply", "enp3s0f1np1")
	assert.Equal(t, 1, r.Code)
	assert.Contains(t, r.Err, "roce is off after a reload, not off", "the switch alone has no effect")
	require.NoError(t, os.Rename(devlink+"-later", devlink))
	r = run(m.Machine, "apply", "enp3s0f1np1")
	require.Zero(t, r.Code, r.Err)
	assert.Contains(t, m.Log(), "devlink reload 0000:04:00.0")
	assert.Equal(t, "0", m.Read("sys/class/net/enp3s0f1np1/device/roce_enable"))

	d = all["v1"]
	m = newMachine(t, d).inbox()
	r = hosttest.Shells["dash"](m.Machine, "apply", "ens1f0")
	require.Zero(t, r.Code, r.Err)
	assert.Equal(t, "0:3 2:3 4:3 6:3", m.Read("fake/ens1f0.100"))
	assert.Equal(t, "IB/RoCE v1\n0", m.Read("fake/cma-rocep3s0f0"))

	d = all["bond"]
	m = newMachine(t, d).inbox()
	for _, slave := range []string{"ens1f0", "ens1f1"} {
		r = hosttest.Shells["dash"](m.Machine, "apply", slave)
		require.Zero(t, r.Code, r.Err)
	}
	assert.Equal(t, "RoCE v2\n104", m.Read("fake/cma-mlx5_bond_0"))
	assert.Contains(t, m.Log(), "ens1f1 pfc 10, link bounced", "every port of a bond has a PFC mask of its own")
}

// TestRepair spoils single settings of a host that matches the fabric. apply must repair each with one write.
func TestRepair(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	m := newMachine(t, d).inbox()
	run := hosttest.Shells["dash"]
	require.Zero(t, run(m.Machine, "apply", "ens1f0").Code)
	dcb := func(args ...string) {
		cmd := exec.Command(machinetest.Need(t, "dcb"), args...)
		cmd.Env = m.Env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for _, c := range []struct {
		name  string
		spoil func()
		want  string // output of check
		log   string // the write that repairs it
	}{
		{"pause", func() { m.Write("fake/pause-ens1f0", "on on") }, "pause is on, not off", "ens1f0 ethtool -A off off"},
		{"one direction", func() { m.Write("fake/pause-ens1f0", "off on") }, "pause is tx, not off", "ens1f0 ethtool -A off off"},
		{
			"pfc", func() { dcb("pfc", "set", "dev", "ens1f0", "prio-pfc", "3:on", "4:off") },
			"pfc is 0,0,0,1,0,0,0,0, not 0,0,0,0,1,0,0,0", "ens1f0 pfc 10, link bounced",
		},
		{"cable", func() { dcb("pfc", "set", "dev", "ens1f0", "delay", "100") }, "cable is 100, not 3", "ens1f0 pfc delay 3"},
		{
			"one DSCP", func() { dcb("app", "add", "dev", "ens1f0", "dscp-prio", "26:3") },
			"dscp_prio3 is 24-31, not 24-25,27-31\ndscp_prio4 is none, not 26", "ens1f0 add dscp 26:4",
		},
		{"ets", func() {
			dcb("ets", "set", "dev", "ens1f0", "tc-tsa", "all:strict", "tc-bw", "all:0", "prio-tc", "all:0")
		}, "ets_bw is 0,0,0,0,0,0,0,0, not 40,0,0,0,60,0,0,0", "ens1f0 ets"},
		{"dcbx", func() { dcb("dcbx", "set", "dev", "ens1f0", "host", "cee") }, "", ""},
		{"tos", func() { m.Write("fake/cma-rocep3s0f0", "RoCE v2\n0") }, "tos is 0, not 104", ""},
		{"mode of CNPs", func() { m.Write(cnpParams+"np_cnp_prio_mode", "1") }, "cnp_prio is mode 1, not 6", ""},
	} {
		c.spoil()
		r := run(m.Machine, "check", "ens1f0")
		assert.Contains(t, r.Out, c.want, c.name)
		lines := len(m.Log())
		r = run(m.Machine, "apply", "ens1f0")
		require.Zero(t, r.Code, r.Err)
		writes := m.Log()[lines:]
		if c.log != "" {
			assert.Equal(t, []string{c.log}, writes, c.name)
		} else {
			assert.Empty(t, writes, c.name)
		}
		assert.Zero(t, run(m.Machine, "check", "ens1f0").Code, c.name)
	}
}

// cnpParams is the debugfs directory with the CNP settings of ens1f0.
const cnpParams = "sys/kernel/debug/mlx5/0000:03:00.0/cc_params/"

// TestCNPMode: the priority of CNPs applies only in mode 0. A NIC in another mode therefore differs even if the priority is the wanted one.
// A write of the priority also corrects the mode, and leave restores the mode. If the mode cannot be read, only the priority is compared.
func TestCNPMode(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	for name, prepare := range map[string]func(*machine) *machine{
		"kernel's driver": (*machine).inbox,
		"vendor's driver": func(m *machine) *machine { return m.ofed().inbox() },
	} {
		m := prepare(newMachine(t, d))
		number := cnpParams + "np_cnp_prio"
		if m.Has("sys/class/net/ens1f0/ecn") {
			number = "sys/class/net/ens1f0/ecn/roce_np/cnp_802p_prio"
		}
		m.Write(number, "6")
		m.Write(cnpParams+"np_cnp_prio_mode", "1")
		run := hosttest.Shells["dash"]
		assert.Contains(t, run(m.Machine, showArgs(t, d, "ens1f0", "show")...).Out, "\ncnp_prio=mode 1\n", name)
		assert.Contains(t, run(m.Machine, "check", "ens1f0").Out, "cnp_prio is mode 1, not 6\n", name)
		r := run(m.Machine, "apply", "ens1f0")
		require.Zero(t, r.Code, r.Err)
		assert.Equal(t, "6", m.Read(number), name)
		assert.Equal(t, "0", m.Read(cnpParams+"np_cnp_prio_mode"), name)
		r = run(m.Machine, "leave", "ens1f0")
		assert.Zero(t, r.Code, r.Err)
		assert.Equal(t, "1", m.Read(cnpParams+"np_cnp_prio_mode"), "%s: what the NIC held before", name)

		m.Write(number, "6")
		m.Remove(cnpParams + "np_cnp_prio_mode")
		assert.Contains(t, run(m.Machine, showArgs(t, d, "ens1f0", "show")...).Out, "\ncnp_prio=6\n", name)
	}
	m := newMachine(t, d).inbox()
	const values = "etc/rocec/host/ens1f0.conf"
	m.Write(values, strings.Replace(m.Read(values), "cnp_prio=6", "cnp_prio=mode 1", 1))
	assert.NotZero(t, hosttest.Shells["dash"](m.Machine, "apply", "ens1f0").Code, "no fabric says that")
}

// TestRefusals covers the errors that stop the script before its first write.
func TestRefusals(t *testing.T) {
	d := fixtures(t)["v2"]
	for i, c := range []struct {
		name  string
		spoil func(*machine)
		args  []string
		want  string
		code  int
	}{
		{"no such interface", nil, []string{"apply", "ens9"}, "rocec-host: ens9: there is no such interface\n", 1},
		{"no value file", func(m *machine) { m.Remove("etc/rocec/host/ens1f0.conf") }, nil, "/etc/rocec/host/ens1f0.conf is not there", 1},
		{"another driver", func(m *machine) {
			m.Remove("sys/devices/0000:03:00.0/driver")
			m.Link("../../bus/pci/drivers/bnxt_en", "sys/devices/0000:03:00.0/driver")
		}, nil, "the driver is bnxt_en, and these settings are for mlx5_core", 1},
		{"a virtual interface", func(m *machine) { m.Remove("sys/devices/0000:03:00.0/driver") }, nil, "the driver is none", 1},
		{"lldpad", func(m *machine) { m.Write("fake/lldpad", "") }, nil, "lldpad is active and would overwrite these settings", 1},
		{"no tool", func(m *machine) { m.Command("dcb", "exit 1") }, nil, "neither dcb (iproute2) nor mlnx_qos can read its priorities", 1},
		{"no verb", nil, []string{}, "usage: rocec-host", 64},
		{"unknown verb", nil, []string{"destroy", "ens1f0"}, "usage: rocec-host", 64},
		{"no interface", nil, []string{"apply"}, "usage: rocec-host", 64},
		{"a path", nil, []string{"show", "../../etc"}, "usage: rocec-host", 64},
		{"too many", nil, []string{"apply", "ens1f0", "pfc=1"}, "usage: rocec-host", 64},
	} {
		for shell, run := range rotate(i) {
			t.Run(c.name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				m := newMachine(t, d).inbox()
				if c.spoil != nil {
					c.spoil(m)
				}
				args := c.args
				if args == nil {
					args = []string{"apply", "ens1f0"}
				}
				before := m.Snapshot()
				r := run(m.Machine, args...)
				assert.Equal(t, c.code, r.Code, r.Err)
				assert.Contains(t, r.Err, c.want)
				assert.Empty(t, m.Changed(before))
			})
		}
	}
}

// TestValueFile: a line that rocec would not write stops apply and check, and is never executed. show ignores the line.
func TestValueFile(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	m := newMachine(t, d).inbox()
	conf := m.Read("etc/rocec/host/ens1f0.conf")
	for _, line := range []string{
		"pfc=0,0,0,0,1,0,0", "pfc=0,0,0,0,2,0,0,0", "pfc=0,0,0,0,1,0,0,0,0", "pfc=,0,0,0,1,0,0,0,0", "pfc=", "pfc",
		"ets_bw=101,0,0,0,0,0,0,0", "ets_tsa=ets,strict,vendor,ets,ets,ets,ets,ets", "ets_tc=8,0,0,0,0,0,0,0",
		"tos=256", "tos=-1", "tos=1e3", "tos=0x10", "tos= 1", "ttl=1000000000000000000000",
		"roce_mode=v2", "roce_mode=RoCE v2 ", "trust=both", "dcbx=firmware", "pause=rx",
		"dscp_prio0=64", "dscp_prio0=5-3", "dscp_prio0=1,,2", "dscp_prio0=1-2-3", "dscp_prio8=1", "dscp_prio0=",
		"ecn_np_prio8=on", "ecn_np_prio1=1", "vlan=4095", "vlan=0", "vlan_map=0:8,2:4,4:4,6:4", "vlan_map=1:4",
		"traffic_rules=tclass=3", "traffic_rules=dst_ip=1.2.3.4", "traffic_rules=dst_ip=1.2.3.4,tclass=256",
		"traffic_rules=dst_ip=$(touch owned),tclass=2", "traffic_rules=dst_ip=*,tclass=2",
		"bond=../../x", "bond=a b", "bond=0123456789abcdef", "vf_roce_=on", "vf_roce_x=on", "vf_roce_1=yes",
		"cable=0", "cable=1000", "mtu=10", "unknown=1", "=1", "x", "; touch owned", "$(touch owned)=1", "`touch owned`",
		"mtu=9000", // there already
	} {
		body := conf
		if key, _, _ := strings.Cut(line, "="); line != "mtu=9000" && key != "" {
			body = ""
			for l := range strings.Lines(conf) {
				if !strings.HasPrefix(l, key+"=") {
					body += l
				}
			}
		}
		m.Write("etc/rocec/host/ens1f0.conf", body+"\n"+line)
		before := m.Snapshot()
		for shell, verb := range map[string]string{"dash": "apply", "interp": "check"} {
			r := hosttest.Shells[shell](m.Machine, verb, "ens1f0")
			assert.Equal(t, 1, r.Code, "%s: %s", shell, line)
			assert.Contains(t, r.Err, "/etc/rocec/host/ens1f0.conf: ", "%s: %s", shell, line)
		}
		assert.Empty(t, m.Changed(before), line)
	}
	r := hosttest.Shells["dash"](m.Machine, "show", "ens1f0")
	assert.Zero(t, r.Code, r.Err)
}

// TestFailures: a write without effect gives one clear line and exit status 1, and the script still writes the other settings.
func TestFailures(t *testing.T) {
	for _, shell := range []string{"dash", "interp"} {
		run := hosttest.Shells[shell]
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			d := fixtures(t)["v2"]
			m := newMachine(t, d).inbox()
			m.Command("ethtool", "case $1 in -a) printf 'RX: on\\nTX: on\\n' ;; *) echo 'netlink error: Operation not permitted' >&2; exit 1 ;; "+
				"esac")
			r := run(m.Machine, "apply", "ens1f0")
			assert.Equal(t, 1, r.Code)
			assert.Contains(t, r.Err, "rocec-host: ens1f0: pause is on, not off: netlink error: Operation not permitted\n")
			assert.Equal(t, 1, m.Bounces(), "PFC is on nevertheless")

			m = newMachine(t, d).inbox()
			m.Command("ethtool", "printf 'RX: on\\nTX: on\\n'") // exits 0 and does nothing
			r = run(m.Machine, "apply", "ens1f0")
			assert.Equal(t, 1, r.Code)
			assert.Contains(t, r.Err, "rocec-host: ens1f0: pause is on, not off\n")

			m = newMachine(t, d).inbox()
			m.Command("dcb", "[ \"$2\" != show ] || exit 1\n[ \"$1\" = -N ] || exit 1") // prints only the DSCP map
			r = run(m.Machine, "apply", "ens1f0")
			assert.Equal(t, 1, r.Code)
			assert.Contains(t, r.Err, "rocec-host: ens1f0: pfc cannot be set here: unsupported: dcb does not tell it\n")

			m = newMachine(t, d).inbox()
			m.Remove("sys/devices/0000:03:00.0/infiniband")
			m.Remove("sys/class/infiniband/rocep3s0f0")
			m.Command("sleep", `echo "$1" >>"$FAKE_DIR/slept"`)
			r = run(m.Machine, "apply", "ens1f0")
			assert.Equal(t, 1, r.Code)
			assert.Contains(t, r.Err, "no RDMA device appeared in 2 s")
			assert.Equal(t, "1\n1", m.Read("fake/slept"), "it waits second by second, and not forever")
			assert.Equal(t, 1, m.Bounces(), "PFC does not wait for RDMA")

			m = newMachine(t, d).inbox()
			m.Write("sys/class/net/ens1f0/mtu", "1500")
			r = run(m.Machine, "apply", "ens1f0")
			assert.Equal(t, 1, r.Code, "the network configuration may come later, and did not")
			assert.Equal(t, 1, m.Bounces(), "all else is set")
			assert.Contains(t, r.Err, "mtu is 1500, the fabric says 9000: change the network configuration of this host")
			assert.Equal(t, "1500", m.Read("sys/class/net/ens1f0/mtu"), "never changed")
			r = run(m.Machine, "check", "ens1f0")
			assert.Equal(t, 1, r.Code)
			assert.Equal(t, "mtu is 1500, not 9000\n", r.Out)

			d = fixtures(t)["v1"]
			m = newMachine(t, d).inbox()
			m.Remove("sys/class/net/ens1f0.100")
			m.Command("sleep", ":")
			r = run(m.Machine, "apply", "ens1f0")
			assert.Equal(t, 1, r.Code)
			assert.Contains(t, r.Err, "vlan_map is missing, not 0:3,2:3,4:3,6:3: no interface of VLAN 100 on ens1f0; make it in the network "+
				"configuration of this host\n")
		})
	}
}

// TestLateDevices: at boot, RDMA devices and VLAN interfaces appear after the netdev.
func TestLateDevices(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v1"]
	m := newMachine(t, d).inbox()
	m.Remove("sys/class/net/ens1f0.100")
	require.NoError(t, os.Rename(m.Path("sys/devices/0000:03:00.0/infiniband"), m.Path("later")))
	m.Command("sleep", `if [ -e "$ROCEC_ROOT/later" ]; then
	mv "$ROCEC_ROOT/later" "$ROCEC_ROOT/sys/devices/0000:03:00.0/infiniband"
else
	/bin/mkdir -p "$ROCEC_ROOT/proc/net/vlan"
	printf 'VLAN Dev name    | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\nstorage        | 100  | ens1f0\nother | 100 | eth0\n' >"$ROCEC_ROOT/proc/net/vlan/config"
fi`)
	r := hosttest.Shells["dash"](m.Machine, "apply", "ens1f0")
	require.Zero(t, r.Code, r.Err)
	assert.Equal(t, "0:3 2:3 4:3 6:3", m.Read("fake/storage"), "a VLAN interface may have any name")
}

func TestGIDs(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["bond"]
	m := newMachine(t, d)
	for shell, run := range hosttest.Shells {
		r := run(m.Machine, showArgs(t, d, "ens1f1", "gids")...)
		assert.Zero(t, r.Code, shell)
		assert.Equal(t, "at ens1f1 mlx5_bond_0\n"+
			"gid mlx5_bond_0 1 0 bond0 fe80:0000:0000:0000:5054:00ff:fe12:3456 IB/RoCE v1\n"+
			"gid mlx5_bond_0 1 1 bond0 0000:0000:0000:0000:0000:ffff:c000:0207 RoCE v2\n", r.Out, shell)
	}
}

// TestCommands checks that the script uses only the commands of the package documentation. A host may lack any other command, and the
// simulation has no others.
func TestCommands(t *testing.T) {
	// commands
	allowed := strings.Fields("dcb mlnx_qos devlink ethtool ip systemctl modprobe mkdir rmdir rm readlink sleep sort sha256sum stat od " +
		": [ break command continue exit false printf read return set shift") // builtins
	prog, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(bytes.NewReader(script()), "rocec-host")
	require.NoError(t, err)
	used := map[string]bool{}
	syntax.Walk(prog, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			allowed = append(allowed, n.Name.Value)
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() != "" {
				used[n.Args[0].Lit()] = true
				if n.Args[0].Lit() == "ask" {
					used[n.Args[1].Lit()] = true
				}
			}
		case *syntax.TestClause, *syntax.ExtGlob, *syntax.ArithmCmd, *syntax.LetClause:
			t.Errorf("%s: not POSIX: %T", n.Pos(), n)
		}
		return true
	})
	assert.True(t, used["dcb"] && used["emit"], "the walk saw nothing")
	delete(used, "") // the name is a variable
	for name := range used {
		assert.Contains(t, allowed, name)
	}
	assert.NotContains(t, string(script()), "eval")
	for line := range strings.Lines(string(script())) {
		assert.NotRegexp(t, `\[ (! )?-[^edznf ]`, line, "the interpreter asks only whether files exist")
		assert.LessOrEqual(t, len(line), 130)
	}
}

// TestUnit passes the unit to systemd, with the script at the path that the unit states.
func TestUnit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	at := func(p string, b []byte, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, p)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, p), b, mode))
	}
	exe := filepath.Join(root, "rocec-host")
	at("rocec-host", script(), 0o755)
	unit, _ := rendered(t, fixtures(t)["v2"])[1].Edit(nil)
	here := bytes.ReplaceAll(unit, []byte("/usr/local/sbin/rocec-host"), []byte(exe))
	require.NotEqual(t, unit, here)
	at("rocec-host@.service", here, 0o644)
	for _, name := range []string{"ens1f0", "roce-0", "enp1s0f0np0.100"} {
		link := filepath.Join(root, strings.TrimSuffix(strings.TrimPrefix(family.Unit(name), "/"), ""))
		require.NoError(t, os.Symlink("rocec-host@.service", link))
		out, err := exec.Command(machinetest.Need(t, "systemd-analyze"), "verify", "--man=no", link).CombinedOutput()
		assert.NoError(t, err, "%s", out)
		assert.NotContains(t, string(out), "rocec-host", "%s", out)

		out, err = exec.Command(machinetest.Need(t, "systemd-escape"), "--template=rocec-host@.service", name).Output()
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(string(out)), family.Unit(name))
	}
}

// leave knows that the NIC's RoCE was off before rocec, and switches it off again.
func TestLeaveRoCEOff(t *testing.T) {
	t.Parallel()
	m := newMachine(t, fixtures(t)["v2"]).ofed()
	const knob = "sys/class/net/ens1f0/device/roce_enable"
	m.Write(knob, "0")
	m.Env = append(m.Env, "ROCEC_WAIT=0")
	require.Zero(t, m.Exec("dash", []string{"apply", "ens1f0"}).Code, "it was off only after a reload")
	assert.Contains(t, m.Read("var/lib/rocec/rocec-host/ens1f0.before"), "\nroce=off\n")
	m.Write(knob, "0")
	m.Remove("var/lib/rocec/rocec-host/ens1f0.before")
	m.Remove("sys/class/infiniband/rocep3s0f0")
	m.Remove("sys/class/net/ens1f0/device/infiniband")
	require.NotZero(t, m.Exec("dash", []string{"apply", "ens1f0"}).Code, "the device does not come here")
	assert.Equal(t, "1", m.Read(knob))
	assert.Contains(t, m.Read("var/lib/rocec/rocec-host/ens1f0.before"), "\nroce=off\n")
	r := m.Exec("dash", []string{"leave", "ens1f0"})
	assert.Equal(t, "0", m.Read(knob), r.Err)
}
