package ice

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

// Without a gap between traffic classes with PCP, and with one class for each priority with DSCP.
func TestValues(t *testing.T) {
	assert.Equal(t, `dcbx=host
dcqcn=on
dscp_prio0=0-7,24-25,27-31
dscp_prio1=8-9,11-15
dscp_prio2=16-23
dscp_prio3=26
dscp_prio4=32-39
dscp_prio5=40-47
dscp_prio6=10,48-55
dscp_prio7=56-63
ets_bw=40,0,0,60,0,0,0,0
ets_tc=0,1,2,3,4,5,6,7
ets_tsa=ets,ets,ets,ets,ets,ets,strict,ets
lldp_agent=off
mtu=9000
pause=off
pfc=0,0,0,1,0,0,0,0
roce=on
roce_mode=RoCE v2
should=dcqcn
tos=104
trust=dscp
`, value(t, device(t, true)))
	got := value(t, device(t, false))
	for _, line := range []string{
		"ets_bw=40,60,0,0,0,0,0,0\nets_tc=0,0,0,1,0,0,2,0\nets_tsa=ets,ets,strict,strict,strict,strict,strict,strict\n", "trust=pcp\n",
		"vlan=100\nvlan_map=0:3,2:3,4:3,6:3\n",
	} {
		assert.Contains(t, got, line)
	}
}

// A NIC that comes from the factory, with iWARP and the agent of its firmware, gets the settings in every shell. A second apply writes
// nothing, and leave is the identity.
func TestApply(t *testing.T) {
	for name, byDSCP := range map[string]bool{"DSCP": true, "PCP": false} {
		for shell := range hosttest.Shells {
			if shell == "interp" || byDSCP && shell == "mksh" || !byDSCP && shell != "mksh" && shell != "dash" {
				continue
			}
			t.Run(name+"/"+shell, func(t *testing.T) {
				h := newHost(t, device(t, byDSCP))
				h.shell = shell
				before, code := h.run("show", "ens1", "vlan=100")
				require.Zero(t, code)
				assert.Contains(t, before, "dcbx=firmware\n")
				assert.Contains(t, before, "iwarp=on\nlldp_agent=on\n")
				assert.Contains(t, before, "roce=off\n")
				out, code := h.run("apply", "ens1")
				require.Zero(t, code, out)
				assert.Empty(t, out)
				log := strings.Join(h.Log(), "\n")
				assert.Contains(t, log, "0000:03:00.0 devlink enable_iwarp 0\n0000:03:00.0 devlink enable_roce 1\nens1 fw-lldp-agent off\n"+
					"ens1 ethtool -A off off\n")
				assert.Contains(t, log, "\nens1 pfc 08")
				if byDSCP {
					assert.Equal(t, 8, strings.Count(log, "add dscp "), "only values whose priority is not the driver's own:\n%s", log)
					assert.Less(t, strings.LastIndex(log, "add dscp"), strings.Index(log, "ens1 ets"), "the map before the classes")
					assert.Less(t, strings.Index(log, "ens1 ets"), strings.Index(log, "ens1 pfc"), "the classes before PFC")
				}
				assert.Equal(t, "1", h.Read("fake/irdma/roce_dcqcn_enable"))
				assert.Equal(t, map[bool]string{true: "RoCE v2\n104", false: ""}[byDSCP], cma(h))
				out, code = h.run("check", "ens1")
				require.Zero(t, code, out)
				out, code = h.run("apply", "ens1")
				require.Zero(t, code, out)
				assert.Equal(t, log, strings.Join(h.Log(), "\n"), "nothing is left to do")

				out, code = h.run("leave", "ens1")
				require.Zero(t, code, out)
				after, code := h.run("show", "ens1", "vlan=100")
				require.Zero(t, code)
				assert.Equal(t, before, after)
				assert.False(t, h.Has("var/lib/rocec/rocec-host-ice/ens1.before"))
			})
		}
	}
}

// cma returns what RDMA-CM keeps of the device, if it was set.
func cma(h *host) string {
	if !h.Has("fake/cma-rocep3s0f0") {
		return ""
	}
	return h.Read("fake/cma-rocep3s0f0")
}

// The unmodified ethtool shows and sets the flag of the firmware's agent.
func TestRealEthtool(t *testing.T) {
	h := newHost(t, device(t, true))
	h.Real("ethtool", "")
	out, code := h.run("apply", "ens1")
	require.Zero(t, code, out)
	assert.Contains(t, h.Log(), "ens1 fw-lldp-agent off")
	out, code = h.run("check", "ens1")
	require.Zero(t, code, out)
	out, code = h.run("leave", "ens1")
	require.Zero(t, code, out)
	assert.True(t, h.Has("fake/ens1.lldp"))

	h = newHost(t, device(t, true))
	h.Real("ethtool", "ETHTOOLSHIM_FAULT=noperm ")
	out, code = h.run("apply", "ens1")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "lldp_agent is on, not off: Cannot set private flags: Operation not permitted")
}

// A map that another program has set is changed entry by entry: a deleted DSCP always comes back, and leave restores all 64 values.
func TestOtherMap(t *testing.T) {
	h := newHost(t, device(t, true))
	h.Remove("fake/ens1.lldp")
	dcb := machinetest.Need(t, "dcb")
	out := h.Sh("export " + strings.Join(h.Env, " ") + "; " + dcb + " app add dev ens1 dscp-prio 26:1 40:2 34:4 2>&1; " + dcb +
		" pfc set dev ens1 prio-pfc 1:on 2>&1")
	require.Empty(t, out)
	before, _ := h.run("show", "ens1")
	assert.Contains(t, before, "\ndscp_prio1=8-15,26\ndscp_prio2=16-23,40\n")
	out, code := h.run("apply", "ens1")
	require.Zero(t, code, out)
	out, code = h.run("check", "ens1")
	require.Zero(t, code, out)
	log := strings.Join(h.Log(), "\n")
	assert.Contains(t, log, "del dscp 26:1\nens1 add dscp 26:3\nens1 del dscp 40:2\nens1 add dscp 40:5\n")
	out, code = h.run("leave", "ens1")
	require.Zero(t, code, out)
	after, _ := h.run("show", "ens1")
	assert.Equal(t, before, after)
}

// The only entry of a map is replaced although the driver takes the classes and PFC away with the last entry.
func TestLastEntry(t *testing.T) {
	d := device(t, true)
	h := newHost(t, d)
	h.Remove("fake/ens1.lldp")
	file := "etc/rocec/host/ens1.conf"
	usual := "dscp_prio0=0-7,26\ndscp_prio1=8-15\ndscp_prio2=16-23\ndscp_prio3=24-25,27-31\ndscp_prio4=32-39\ndscp_prio5=40-47\n" +
		"dscp_prio6=48-55\ndscp_prio7=56-63\ntrust=dscp\npfc=0,0,0,1,0,0,0,0"
	h.Write(file, strings.Replace(strings.Replace(usual, "0-7,26", "0-7", 1), "24-25,27-31", "24-31", 1))
	out, code := h.run("apply", "ens1")
	require.Zero(t, code, out)
	assert.Contains(t, h.Log(), "ens1 add dscp 0:0", "one entry makes the port use DSCP")
	h.Write(file, strings.Replace(strings.Replace(usual, "0-7,26", "1-7", 1), "dscp_prio1=8-15", "dscp_prio1=0,8-15", 1))
	h.Write(file, strings.Replace(h.Read(file), "24-25,27-31", "24-31", 1))
	out, code = h.run("apply", "ens1")
	require.Zero(t, code, out)
	assert.True(t, strings.HasSuffix(strings.Join(h.Log(), "\n"), "ens1 del dscp 0:0\nens1 add dscp 0:1\nens1 pfc 08"), h.Log())
}

// Without the switch of devlink a NIC with iWARP stays as it is, and leave finds nothing to restore.
func TestLeaveWithIWARP(t *testing.T) {
	h := newHost(t, device(t, true))
	h.Command("devlink", "exit 1")
	h.Remove("sys/devices/0000:03:00.0/infiniband.off")
	h.RDMA("0000:03:00.0", "iwp3s0f0", "ens1")
	h.Write("sys/devices/0000:03:00.0/infiniband/iwp3s0f0/node_type", "4: RNIC")
	before, _ := h.run("show", "ens1")
	out, code := h.run("apply", "ens1")
	assert.Equal(t, 1, code)
	assert.NotContains(t, out, "no RDMA device appeared", "it has one")
	out, code = h.run("leave", "ens1")
	assert.Zero(t, code, out)
	after, _ := h.run("show", "ens1")
	assert.Equal(t, before, after)
}

// A folder of configfs that the other port of a bond removes, or that is not made, is never taken for a driver without the switch.
func TestFolderOfDCQCN(t *testing.T) {
	h := newHost(t, device(t, true))
	out, code := h.run("apply", "ens1")
	require.Zero(t, code, out)
	wrap("mkdir", `*/irdma/*)
	[ -e "$FAKE_DIR/once" ] || { : >"$FAKE_DIR/once"; exit 0; } ;;`)(h)
	out, _ = h.run("show", "ens1")
	assert.Contains(t, out, "dcqcn=on\n", "the folder is made again")
	h.Command("mkdir", "exit 1")
	out, _ = h.run("show", "ens1")
	assert.Contains(t, out, "dcqcn=unreadable: the folder of rocep3s0f0 in the configfs of irdma cannot be made\n")
}

// An obstacle is reported with its remedy, and never counts as success.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*host)
		want  string
	}{
		{"another driver", func(h *host) {
			h.Remove("sys/devices/0000:03:00.0/driver")
			h.Link("../../bus/pci/drivers/mlx5_core", "sys/devices/0000:03:00.0/driver")
		}, "the driver is mlx5_core, and these settings are for ice"},
		{"lldpad", func(h *host) { h.Write("fake/lldpad", "") }, "lldpad is active"},
		{"no tool", func(h *host) { h.Command("dcb", "exit 1") }, "dcb cannot read its priorities; install iproute2 5.15 or later"},
		{"four classes", func(h *host) { h.Env = append(h.Env, "DCBSHIM_CLASSES=4") }, "the port has 4 traffic classes"},
		{"a bond", func(h *host) {
			h.Remove("fake/ens1.lldp")
			h.Mkdir("sys/class/net/bond0")
			h.Link("../bond0", "sys/class/net/ens1/master")
		}, "the driver changes no priorities of a port in a bond; take ens1 out of the bond, apply, and put it back"},
		{"iWARP without devlink", func(h *host) {
			h.Command("devlink", "exit 1")
			h.Remove("sys/devices/0000:03:00.0/infiniband.off")
			h.RDMA("0000:03:00.0", "iwp3s0f0", "ens1")
			h.Write("sys/devices/0000:03:00.0/infiniband/iwp3s0f0/node_type", "4: RNIC")
		}, "the RDMA device runs iWARP, and devlink has no enable_roce (Linux 5.17); load irdma with roce_ena=1"},
		{"a firmware that keeps its agent", func(h *host) {
			h.Command("ethtool", `case $1 in --set*) exit 0 ;; --show*) echo "fw-lldp-agent: on" ;; *) printf 'RX: off\nTX: off\n' ;; esac`)
		}, "lldp_agent is on, not off"},
		{"no RDMA device", func(h *host) {
			h.Remove("sys/devices/0000:03:00.0/infiniband.off")
		}, "no RDMA device appeared in 1 s; is irdma loaded"},
		{"a setting of another family", func(h *host) {
			h.Write("etc/rocec/host/ens1.conf", "cable=7")
		}, "not a setting of this script: cable=7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, device(t, true))
			c.spoil(h)
			out, code := h.run("apply", "ens1")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, c.want)
		})
	}
}
