package mlx5

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// card returns the probe for the card of fixture v2: a ConnectX-5 where priority 4 is lossless and ECN-marked, and CNPs have DSCP 48.
func card(t testing.TB) target.Probe {
	for _, p := range Target.Probes(fixtures(t)["v2"]) {
		if p.Name == "card of ens1f0" {
			return p
		}
	}
	t.Fatal("no probe")
	return target.Probe{}
}

func TestJudgeCard(t *testing.T) {
	p := card(t)
	for _, c := range []struct{ answer, want string }{
		{"", ""},
		{"vendor 0x15b3\ndevice 0x1017\n", ""},
		{"vendor 0x15b3\ndevice 0x1019\n", ""}, // the Ex
		{"vendor 0x15b3\ndevice 0x1021\n", "ens1f0 on v2 is a ConnectX-7; the fabric says ConnectX-5."},
		{"vendor 0x8086\ndevice 0x1021\n", ""},
		{"vendor 0x15b3\ndevice 0x1018\n", ""}, // a virtual function
		{"nv.LINK_TYPE_P1 ETH(2)\nnv.ROCE_CONTROL ROCE_ENABLE(2)\nnv.NUM_OF_PFC_P1 8\nnv.ROCE_CC_PRIO_MASK_P1 255\nnv.CNP_DSCP_P1 48\n", ""},
		{"nv.LINK_TYPE_P1 IB(1)\n", "sets the port to IB(1), not to Ethernet"},
		{"pci 0000:03:00.1\nnv.LINK_TYPE_P1 IB(1)\nnv.LINK_TYPE_P2 ETH(2)\n", ""},
		{"nv.ROCE_CONTROL ROCE_DISABLE(1)\n", "has RoCE switched off (ROCE_CONTROL)"},
		{"nv.ROCE_CONTROL DEVICE_DEFAULT(0)\n", ""},
		{"nv.NUM_OF_PFC_P1 0\n", "supports 0 lossless priorities (NUM_OF_PFC); the fabric has 1."},
		{"nv.ROCE_CC_PRIO_MASK_P1 239\n", "turns congestion control off for priority 4 (ROCE_CC_PRIO_MASK)"},
		{"ecn sysfs\nnv.ROCE_CC_PRIO_MASK_P1 239\n", ""}, // the driver has its own switches
		{"nv.NUM_OF_TC_P1 _8_TCs(0)\nnv.CNP_802P_PRIO_P1 6\n", ""},
		{"nv.NUM_OF_TC_P1 _2_TCs(2)\n", "has 2 traffic classes (NUM_OF_TC); the fabric needs 7."},
		{"nv.CNP_802P_PRIO_P1 5\n", "sends CNPs with priority 5 (CNP_802P_PRIO)"},
		{"dcqcn.np_cnp_dscp 48\nnv.CNP_802P_PRIO_P1 5\n", ""},
		{"nv.NUM_OF_PLANES_P1 2\nnext.NUM_OF_PLANES_P1 4\n", ""}, // shown only
		{"nv.CNP_DSCP_P1 46\n", "sends CNPs with DSCP 46 (CNP_DSCP)"},
		{"dcqcn.np_cnp_dscp 48\nnv.CNP_DSCP_P1 46\n", ""}, // the value in use is compared as a setting
		{"nv.ROCE_CC_PRIO_MASK_P1 Array[0..3]\nnv.LINK_TYPE_P1 \x1b[2J\nnv.NUM_OF_PFC_P1 -\n", ""},
	} {
		wrong := p.Judge([]byte(c.answer))
		if c.want == "" {
			assert.Empty(t, wrong, c.answer)
		} else if assert.Len(t, wrong, 1, c.answer) {
			assert.Contains(t, wrong[0], c.want)
		}
	}
}

// Every model of the driver is in the table of PCI IDs. The table also contains newer models, which rocec does not write.
func TestPCIIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pciIDs {
		require.False(t, seen[p.id], p.id)
		seen[p.id] = true
		require.Equal(t, strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(p.title, " Ex"), " ", "-")), p.model)
	}
	for _, m := range Driver.Models {
		_, model := cardModel(nic.Facts{"vendor": maker, "device": pciID(m)})
		require.Equal(t, m.Name, model)
	}
}

// The answer contains the output of the host's tools unchanged, and omits tools that are not installed.
func TestCardTools(t *testing.T) {
	m := newMachine(t, fixtures(t)["v2"])
	m.Write("sys/class/net/ens1f0/device/vendor", "0x15b3")
	m.Write("sys/class/net/ens1f0/device/device", "0x1017")
	m.Write(cnpParams+"np_cnp_dscp", "48")
	m.Write(cnpParams+"np_cnp_prio_mode", "0")
	tool := func(name, text string) {
		require.NoError(t, os.WriteFile(m.Path("usr/sbin/"+name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	p := card(t)
	facts := func() map[string]string {
		out := map[string]string{}
		cmd := strings.NewReplacer("/sys/", m.Root+"/sys/").Replace("PATH=" + m.Root + "/usr/sbin:/usr/bin:/bin\n" + p.Cmd)
		for _, s := range p.Samples([]byte(m.Sh(cmd))) {
			require.Equal(t, "ens1f0", s.On)
			out[s.Name] = s.Fact + s.Hint
		}
		return out
	}
	assert.Equal(t, map[string]string{
		"model": "ConnectX-5", "driver": "mlx5_core, of the kernel", "dcqcn.np_cnp_dscp": "48", "dcqcn.np_cnp_prio_mode": "0",
		"pfc-prevention-tout": "8000",
	}, facts())
	m.Remove(cnpParams + "np_cnp_prio_mode")
	assert.Contains(t, facts()["mode of CNPs"], "The priority of CNPs may have no effect on ens1f0 of v2")
	m.Write(cnpParams+"np_cnp_prio_mode", "1")
	tool("ofed_info", "echo MLNX_OFED_LINUX-24.07-0.6.1.0:")
	tool("lldptool", "echo willing=yes")
	tool("ethtool", "echo 'pfc-prevention-tout: 65535'")
	tool("mstconfig", `[ "$*" = "-d 0000:03:00.0 -e query" ] || exit 3
cat <<'END'

Device #1:
----------

Device type:    ConnectX5
Configurations:                              Default         Current         Next Boot
*        LINK_TYPE_P1                        IB(1)           ETH(2)          ETH(2)
         LLDP_NB_DCBX_P1                     False(0)        True(1)         False(0)
         SRIOV_EN                            False(0)        True(1)         True(1)
The '*' shows parameters with next value different from default/current value.
END`)
	assert.Equal(t, map[string]string{
		"model": "ConnectX-5", "driver": "mlx5_core, MLNX_OFED_LINUX-24.07-0.6.1.0", "dcqcn.np_cnp_dscp": "48",
		"dcqcn.np_cnp_prio_mode": "1", "pfc-prevention-tout": "65535",
		"lldpad.willing": "yes", "next.LLDP_NB_DCBX_P1": "False(0)", "nv.LINK_TYPE_P1": "ETH(2)", "nv.LLDP_NB_DCBX_P1": "True(1)",
		"firmware LLDP": "The firmware of ens1f0 on v2 runs DCBX (LLDP_NB_DCBX) until the host takes over, and may accept PFC from " +
			"the switch: set LLDP_NB_DCBX_P1 and _P2 to 0 with mlxconfig.",
		"next reset": "What the card of ens1f0 of v2 stores takes effect at its next reset: LLDP_NB_DCBX is True(1), and False(0) after it.",
	}, facts())
}

// TestParameterHints: values of DCQCN that are not the firmware's, in the spelling of either driver, and stall prevention that is off. A
// value that the fabric states, an unknown value and the mark of CNPs give no hint.
func TestParameterHints(t *testing.T) {
	hints := func(d *ir.Device, answer string) string {
		var all []string
		for _, p := range Target.Probes(d) {
			if p.Name != "card of ens1f0" {
				continue
			}
			for _, s := range p.Samples([]byte(answer)) {
				if s.Name == "changed DCQCN" || s.Name == "stall prevention" || s.Name == "next reset" {
					all = append(all, s.Hint)
				}
			}
		}
		return strings.Join(all, "\n")
	}
	d := fixtures(t)["v2"]
	for _, quiet := range []string{
		"dcqcn.rp_ai_rate 5\ndcqcn.rp_clamp_tgt_rate_ati 1\ndcqcn.np_min_time_between_cnps 99\n", "dcqcn.rpg_ai_rate 5\n",
		"dcqcn.rp_ai_rate -\n", "dcqcn.np_cnp_dscp 3\n", "dcqcn.unknown 7\n", "pfc-prevention-tout 100\n", "",
	} {
		assert.Empty(t, hints(d, quiet), quiet)
	}
	for _, answer := range []string{
		"dcqcn.rp_ai_rate 20\ndcqcn.rp_clamp_tgt_rate_ati 0\n", "dcqcn.rpg_ai_rate 20\ndcqcn.clamp_tgt_rate_after_time_inc 0\n",
	} {
		assert.Contains(t, hints(d, answer), "DCQCN of ens1f0 of v2 has other values than the firmware (in parentheses): "+
			"clamp_tgt_rate_after_time_inc is 0 (1), rpg_ai_rate is 20 (5).", answer)
	}
	assert.Contains(t, hints(d, "pfc-prevention-tout 0\n"), "Stall prevention of ens1f0 of v2 is off")
	assert.Contains(t, hints(d, "pci 0000:03:00.0\nnv.CNP_DSCP_P1 46\nnext.CNP_DSCP_P1 48\nnext.CNP_DSCP_P2 1\n"),
		"CNP_DSCP is 46, and 48 after it.")
	d.Host.NICs[0].Parameters = parametersOf(t, map[string]int{"rpg_ai_rate": 20}, nil, "off")
	assert.Empty(t, hints(d, "dcqcn.rp_ai_rate 20\npfc-prevention-tout 0\n"))
	d = fixtures(t)["v1"] // without ECN nothing slows down
	assert.Empty(t, hints(d, "dcqcn.rp_ai_rate 20\n"))
}

// parametersOf returns parameters of a nic block by their names.
func parametersOf(t testing.TB, dcqcn, stored map[string]int, stall string) *ir.NICParameters {
	set := func(table []*ir.NICParameter, values map[string]int) (out []ir.SetParameter) {
		for i, p := range table {
			if v, is := values[p.Name]; is {
				out = append(out, ir.SetParameter{NICParameter: p, Value: v, At: place(50 + i)})
			}
		}
		require.Len(t, out, len(values))
		return out
	}
	p := &ir.NICParameters{DCQCN: set(parameters().DCQCN, dcqcn), NVRAM: set(parameters().NVRAM, stored)}
	if stall != "" {
		v, ok := parameters().Stall.Read(stall)
		require.True(t, ok)
		p.Stall = &ir.SetParameter{NICParameter: parameters().Stall, Value: v, At: place(49)}
	}
	return p
}

// A card without congestion control sets no ECN bits. A switch that drops packets it cannot mark then drops its lossless packets.
func TestJudgeCardBesideDrops(t *testing.T) {
	const answer = "nv.ROCE_CC_PRIO_MASK_P1 239\n"
	d := fixtures(t)["v2"]
	wrong := func() string {
		for _, p := range Target.Probes(d) {
			if p.Name == "card of ens1f0" {
				return strings.Join(p.Judge([]byte(answer)), "\n")
			}
		}
		t.Fatal("no probe")
		return ""
	}
	group := d.Fabric.CosGroups[slices.IndexFunc(d.Fabric.CosGroups, func(g *ir.CosGroup) bool { return g.Cos == 4 })]
	group.ECN = &ir.ECN{}
	tor := &ir.Device{Name: "tor1", Fabric: d.Fabric, Switch: &ir.Switch{}}
	d.Fabric.Devices = append(d.Fabric.Devices, tor)
	assert.True(t, strings.HasSuffix(wrong(), "which the fabric marks by ECN."), wrong())
	tor.Switch.Can.Drops = "its queues drop"
	assert.Contains(t, wrong(), "marks by ECN, and without ECN bits lossless packets are lost at tor1: its queues drop.")
	group.Lossless = false
	assert.True(t, strings.HasSuffix(wrong(), "which the fabric marks by ECN."), wrong())
}
