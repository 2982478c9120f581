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
			m.env = append(m.env, "FAKE_OLD=1")
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
				in = map[string]func(m *machine, args ...string) result{"interp": shells["interp"]}
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

func applyTwice(t *testing.T, m *machine, d *ir.Device, run func(*machine, ...string) result) {
	before := m.snapshot()
	for _, n := range nic.Of(d, Driver) {
		for _, verb := range []string{"show", "gids"} {
			r := run(m, showArgs(t, d, n.Name, verb)...)
			require.Zero(t, r.code, r.err)
			require.Empty(t, r.err)
		}
		if len(n.Intents) > 0 {
			r := run(m, "check", n.Name)
			require.Equal(t, 1, r.code, r.err)
			require.Contains(t, r.out, "dcbx is firmware, not host\n")
		}
	}
	require.Empty(t, m.changed(before), "looking changed something")

	for _, n := range nic.Of(d, Driver) {
		r := run(m, "apply", n.Name)
		require.Zero(t, r.code, r.err)
		noDrift(t, m, d, n, run)
	}
	if d.Fabric.FlowControl == ir.PFC {
		carrying := 0
		for _, n := range nic.Of(d, Driver) {
			if len(n.Carries()) > 0 {
				carrying++
			}
		}
		assert.Equal(t, carrying, m.bounces(), "%v", m.log())
	}

	settled := m.snapshot()
	for _, n := range nic.Of(d, Driver) {
		r := run(m, "apply", n.Name)
		require.Zero(t, r.code, r.err)
		r = run(m, "check", n.Name)
		require.Zero(t, r.code, r.out+r.err)
		require.Empty(t, r.out)
	}
	require.Empty(t, m.changed(settled), "the second apply wrote something")
}

// noDrift requires that the state of a NIC needs no change.
func noDrift(t *testing.T, m *machine, d *ir.Device, n *ir.NIC, run func(*machine, ...string) result) {
	r := run(m, showArgs(t, d, n.Name, "show")...)
	require.Zero(t, r.code, r.err)
	state := stateOf(t, d, n.Name)
	want, _ := state.Edit([]byte(r.out))
	require.Equal(t, string(want), r.out)
	if len(n.Carries()) > 0 {
		require.Contains(t, r.out, "\npfc=0,0,0,")
	}
}

// TestFinalState checks the simulated machine itself, not the output of the script.
func TestFinalState(t *testing.T) {
	t.Parallel()
	all := fixtures(t)
	d := all["v2"]
	m := newMachine(t, d).ofed()
	run := shells["interp"]
	r := run(m, "apply", "ens1f0")
	require.Zero(t, r.code, r.err)
	assert.Empty(t, r.err)
	assert.Equal(t, "off off", m.read("fake/pause-ens1f0"))
	assert.Equal(t, "1", m.read("sys/class/net/ens1f0/ecn/roce_np/enable/4"))
	assert.Equal(t, "1", m.read("sys/class/net/ens1f0/ecn/roce_rp/enable/4"))
	assert.Equal(t, "0", m.read("sys/class/net/ens1f0/ecn/roce_np/enable/3"), "not ours")
	assert.Equal(t, "48", m.read("sys/class/net/ens1f0/ecn/roce_np/cnp_dscp"))
	assert.Equal(t, "6", m.read("sys/class/net/ens1f0/ecn/roce_np/cnp_802p_prio"))
	assert.Equal(t, "RoCE v2\n104", m.read("fake/cma-rocep3s0f0"))
	assert.False(t, m.has("sys/kernel/config/rdma_cm/rocep3s0f0"), "the directory would keep rdma_cm in use")
	assert.Equal(t, []string{"104"}, m.trafficClass.writes)
	log := m.log()
	assert.Equal(t, []string{"modprobe rdma_cm", "ens1f0 ethtool -A off off"}, log[:2], "pause goes first")
	assert.Less(t, slices.Index(log, "ens1f0 ets"), slices.Index(log, "ens1f0 add dscp 26:4"))
	assert.Less(t, slices.Index(log, "ens1f0 add dscp 26:4"), slices.Index(log, "ens1f0 pfc 10, link bounced"))

	d = all["options"]
	m = newMachine(t, d).ofed()
	m.write("sys/class/net/enp3s0f0np0/settings/vf_roce", "")
	m.trafficClass.global = "106"
	m.trafficClass.rules = []string{"src_ip=203.0.113.1,tclass=8"}
	r = run(m, "apply", "enp3s0f0np0")
	assert.Equal(t, 1, r.code, "a virtual function that is not there cannot be set")
	assert.Contains(t, r.err, "vf_roce_0 is missing, not off\n")
	assert.Contains(t, m.read("var/lib/rocec/rocec-host/enp3s0f0np0.before"), "ttl=0\n", "what it held before is kept")
	assert.Equal(t, "32", m.read("sys/class/infiniband/rocep3s0f0/ttl/1/ttl"))
	assert.Equal(t, []string{
		"-1", "tclass=-1,src_ip=203.0.113.1", "tclass=8,dst_ip6=2001:db8::1",
		"tclass=16,src_ip=192.0.2.7,dst_ip=198.51.100.0/24",
	}, m.trafficClass.writes)
	devlink := filepath.Join(m.root, "usr/sbin/devlink")
	require.NoError(t, os.Rename(devlink, devlink+"-later"))
	r = run(m, "apply", "enp3s0f1np1")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.err, "roce is off after a reload, not off", "the switch alone has no effect")
	require.NoError(t, os.Rename(devlink+"-later", devlink))
	r = run(m, "apply", "enp3s0f1np1")
	require.Zero(t, r.code, r.err)
	assert.Contains(t, m.log(), "devlink reload 0000:04:00.0")
	assert.Equal(t, "0", m.read("sys/class/net/enp3s0f1np1/device/roce_enable"))

	d = all["v1"]
	m = newMachine(t, d).inbox()
	r = shells["dash"](m, "apply", "ens1f0")
	require.Zero(t, r.code, r.err)
	assert.Equal(t, "0:3 2:3 4:3 6:3", m.read("fake/ens1f0.100"))
	assert.Equal(t, "IB/RoCE v1\n0", m.read("fake/cma-rocep3s0f0"))

	d = all["bond"]
	m = newMachine(t, d).inbox()
	for _, slave := range []string{"ens1f0", "ens1f1"} {
		r = shells["dash"](m, "apply", slave)
		require.Zero(t, r.code, r.err)
	}
	assert.Equal(t, "RoCE v2\n104", m.read("fake/cma-mlx5_bond_0"))
	assert.Contains(t, m.log(), "ens1f1 pfc 10, link bounced", "every port of a bond has a PFC mask of its own")
}

// TestRepair spoils single settings of a host that matches the fabric. apply must repair each with one write.
func TestRepair(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	m := newMachine(t, d).inbox()
	run := shells["dash"]
	require.Zero(t, run(m, "apply", "ens1f0").code)
	dcb := func(args ...string) {
		cmd := exec.Command(machinetest.Need(t, "dcb"), args...)
		cmd.Env = m.env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for _, c := range []struct {
		name  string
		spoil func()
		want  string // output of check
		log   string // the write that repairs it
	}{
		{"pause", func() { m.write("fake/pause-ens1f0", "on on") }, "pause is on, not off", "ens1f0 ethtool -A off off"},
		{"one direction", func() { m.write("fake/pause-ens1f0", "off on") }, "pause is tx, not off", "ens1f0 ethtool -A off off"},
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
		{"tos", func() { m.write("fake/cma-rocep3s0f0", "RoCE v2\n0") }, "tos is 0, not 104", ""},
		{"mode of CNPs", func() { m.write(cnpParams+"np_cnp_prio_mode", "1") }, "cnp_prio is mode 1, not 6", ""},
	} {
		c.spoil()
		r := run(m, "check", "ens1f0")
		assert.Contains(t, r.out, c.want, c.name)
		lines := len(m.log())
		r = run(m, "apply", "ens1f0")
		require.Zero(t, r.code, r.err)
		writes := m.log()[lines:]
		if c.log != "" {
			assert.Equal(t, []string{c.log}, writes, c.name)
		} else {
			assert.Empty(t, writes, c.name)
		}
		assert.Zero(t, run(m, "check", "ens1f0").code, c.name)
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
		if m.has("sys/class/net/ens1f0/ecn") {
			number = "sys/class/net/ens1f0/ecn/roce_np/cnp_802p_prio"
		}
		m.write(number, "6")
		m.write(cnpParams+"np_cnp_prio_mode", "1")
		run := shells["dash"]
		assert.Contains(t, run(m, showArgs(t, d, "ens1f0", "show")...).out, "\ncnp_prio=mode 1\n", name)
		assert.Contains(t, run(m, "check", "ens1f0").out, "cnp_prio is mode 1, not 6\n", name)
		r := run(m, "apply", "ens1f0")
		require.Zero(t, r.code, r.err)
		assert.Equal(t, "6", m.read(number), name)
		assert.Equal(t, "0", m.read(cnpParams+"np_cnp_prio_mode"), name)
		r = run(m, "leave", "ens1f0")
		assert.Zero(t, r.code, r.err)
		assert.Equal(t, "1", m.read(cnpParams+"np_cnp_prio_mode"), "%s: what the NIC held before", name)

		m.write(number, "6")
		m.remove(cnpParams + "np_cnp_prio_mode")
		assert.Contains(t, run(m, showArgs(t, d, "ens1f0", "show")...).out, "\ncnp_prio=6\n", name)
	}
	m := newMachine(t, d).inbox()
	const values = "etc/rocec/host/ens1f0.conf"
	m.write(values, strings.Replace(m.read(values), "cnp_prio=6", "cnp_prio=mode 1", 1))
	assert.NotZero(t, shells["dash"](m, "apply", "ens1f0").code, "no fabric says that")
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
		{"no value file", func(m *machine) { m.remove("etc/rocec/host/ens1f0.conf") }, nil, "/etc/rocec/host/ens1f0.conf is not there", 1},
		{"another driver", func(m *machine) {
			m.remove("sys/devices/0000:03:00.0/driver")
			m.link("../../bus/pci/drivers/bnxt_en", "sys/devices/0000:03:00.0/driver")
		}, nil, "the driver is bnxt_en, and these settings are for mlx5_core", 1},
		{"a virtual interface", func(m *machine) { m.remove("sys/devices/0000:03:00.0/driver") }, nil, "the driver is none", 1},
		{"lldpad", func(m *machine) { m.write("fake/lldpad", "") }, nil, "lldpad is active and would overwrite these settings", 1},
		{"no tool", func(m *machine) { m.command("dcb", "exit 1") }, nil, "neither dcb (iproute2) nor mlnx_qos can read its priorities", 1},
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
				before := m.snapshot()
				r := run(m, args...)
				assert.Equal(t, c.code, r.code, r.err)
				assert.Contains(t, r.err, c.want)
				assert.Empty(t, m.changed(before))
			})
		}
	}
}

// TestValueFile: a line that rocec would not write stops apply and check, and is never executed. show ignores the line.
func TestValueFile(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	m := newMachine(t, d).inbox()
	conf := m.read("etc/rocec/host/ens1f0.conf")
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
		m.write("etc/rocec/host/ens1f0.conf", body+"\n"+line)
		before := m.snapshot()
		for shell, verb := range map[string]string{"dash": "apply", "interp": "check"} {
			r := shells[shell](m, verb, "ens1f0")
			assert.Equal(t, 1, r.code, "%s: %s", shell, line)
			assert.Contains(t, r.err, "/etc/rocec/host/ens1f0.conf: ", "%s: %s", shell, line)
		}
		assert.Empty(t, m.changed(before), line)
	}
	r := shells["dash"](m, "show", "ens1f0")
	assert.Zero(t, r.code, r.err)
}

// TestFailures: a write without effect gives one clear line and exit status 1, and the script still writes the other settings.
func TestFailures(t *testing.T) {
	for _, shell := range []string{"dash", "interp"} {
		run := shells[shell]
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			d := fixtures(t)["v2"]
			m := newMachine(t, d).inbox()
			m.command("ethtool", "case $1 in -a) printf 'RX: on\\nTX: on\\n' ;; *) echo 'netlink error: Operation not permitted' >&2; exit 1 ;; "+
				"esac")
			r := run(m, "apply", "ens1f0")
			assert.Equal(t, 1, r.code)
			assert.Contains(t, r.err, "rocec-host: ens1f0: pause is on, not off: netlink error: Operation not permitted\n")
			assert.Equal(t, 1, m.bounces(), "PFC is on nevertheless")

			m = newMachine(t, d).inbox()
			m.command("ethtool", "printf 'RX: on\\nTX: on\\n'") // exits 0 and does nothing
			r = run(m, "apply", "ens1f0")
			assert.Equal(t, 1, r.code)
			assert.Contains(t, r.err, "rocec-host: ens1f0: pause is on, not off\n")

			m = newMachine(t, d).inbox()
			m.command("dcb", "[ \"$2\" != show ] || exit 1\n[ \"$1\" = -N ] || exit 1") // prints only the DSCP map
			r = run(m, "apply", "ens1f0")
			assert.Equal(t, 1, r.code)
			assert.Contains(t, r.err, "rocec-host: ens1f0: pfc cannot be set here: unsupported: dcb does not tell it\n")

			m = newMachine(t, d).inbox()
			m.remove("sys/devices/0000:03:00.0/infiniband")
			m.remove("sys/class/infiniband/rocep3s0f0")
			m.command("sleep", `echo "$1" >>"$FAKE_DIR/slept"`)
			r = run(m, "apply", "ens1f0")
			assert.Equal(t, 1, r.code)
			assert.Contains(t, r.err, "no RDMA device appeared in 2 s")
			assert.Equal(t, "1\n1", m.read("fake/slept"), "it waits second by second, and not forever")
			assert.Equal(t, 1, m.bounces(), "PFC does not wait for RDMA")

			m = newMachine(t, d).inbox()
			m.write("sys/class/net/ens1f0/mtu", "1500")
			r = run(m, "apply", "ens1f0")
			assert.Equal(t, 1, r.code, "the network configuration may come later, and did not")
			assert.Equal(t, 1, m.bounces(), "all else is set")
			assert.Contains(t, r.err, "mtu is 1500, the fabric says 9000: change the network configuration of this host")
			assert.Equal(t, "1500", m.read("sys/class/net/ens1f0/mtu"), "never changed")
			r = run(m, "check", "ens1f0")
			assert.Equal(t, 1, r.code)
			assert.Equal(t, "mtu is 1500, not 9000\n", r.out)

			d = fixtures(t)["v1"]
			m = newMachine(t, d).inbox()
			m.remove("sys/class/net/ens1f0.100")
			m.command("sleep", ":")
			r = run(m, "apply", "ens1f0")
			assert.Equal(t, 1, r.code)
			assert.Contains(t, r.err, "vlan_map is missing, not 0:3,2:3,4:3,6:3: no interface of VLAN 100 on ens1f0; make it in the network "+
				"configuration of this host\n")
		})
	}
}

// TestLateDevices: at boot, RDMA devices and VLAN interfaces appear after the netdev.
func TestLateDevices(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v1"]
	m := newMachine(t, d).inbox()
	m.remove("sys/class/net/ens1f0.100")
	require.NoError(t, os.Rename(m.path("sys/devices/0000:03:00.0/infiniband"), m.path("later")))
	m.command("sleep", `if [ -e "$ROCEC_ROOT/later" ]; then
	mv "$ROCEC_ROOT/later" "$ROCEC_ROOT/sys/devices/0000:03:00.0/infiniband"
else
	/bin/mkdir -p "$ROCEC_ROOT/proc/net/vlan"
	printf 'VLAN Dev name    | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\nstorage        | 100  | ens1f0\nother | 100 | eth0\n' >"$ROCEC_ROOT/proc/net/vlan/config"
fi`)
	r := shells["dash"](m, "apply", "ens1f0")
	require.Zero(t, r.code, r.err)
	assert.Equal(t, "0:3 2:3 4:3 6:3", m.read("fake/storage"), "a VLAN interface may have any name")
}

func TestGIDs(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["bond"]
	m := newMachine(t, d)
	for shell, run := range shells {
		r := run(m, showArgs(t, d, "ens1f1", "gids")...)
		assert.Zero(t, r.code, shell)
		assert.Equal(t, "at ens1f1 mlx5_bond_0\n"+
			"gid mlx5_bond_0 1 0 bond0 fe80:0000:0000:0000:5054:00ff:fe12:3456 IB/RoCE v1\n"+
			"gid mlx5_bond_0 1 1 bond0 0000:0000:0000:0000:0000:ffff:c000:0207 RoCE v2\n", r.out, shell)
	}
}

// TestCommands checks that the script uses only the commands of the package documentation. A host may lack any other command, and the
// simulation has no others.
func TestCommands(t *testing.T) {
	// commands
	allowed := strings.Fields("dcb mlnx_qos devlink ethtool ip systemctl modprobe mkdir rmdir rm readlink sleep sort sha256sum stat od " +
		": [ break continue exit false printf read return set shift") // builtins
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
	m.write(knob, "0")
	m.env = append(m.env, "ROCEC_WAIT=0")
	require.Zero(t, m.exec("dash", []string{"apply", "ens1f0"}).code, "it was off only after a reload")
	assert.Contains(t, m.read("var/lib/rocec/rocec-host/ens1f0.before"), "\nroce=off\n")
	m.write(knob, "0")
	m.remove("var/lib/rocec/rocec-host/ens1f0.before")
	m.remove("sys/class/infiniband/rocep3s0f0")
	m.remove("sys/class/net/ens1f0/device/infiniband")
	require.NotZero(t, m.exec("dash", []string{"apply", "ens1f0"}).code, "the device does not come here")
	assert.Equal(t, "1", m.read(knob))
	assert.Contains(t, m.read("var/lib/rocec/rocec-host/ens1f0.before"), "\nroce=off\n")
	r := m.exec("dash", []string{"leave", "ens1f0"})
	assert.Equal(t, "0", m.read(knob), r.err)
}
