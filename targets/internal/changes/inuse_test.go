package changes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// inUse returns a rack whose switch has the given lines, with cables of one speed and length.
func inUse(switchLines, speed, length, ecn string) string {
	return strings.NewReplacer("sn3700", "sn4700", "connectx-6dx", "connectx-7", `"100G"`, `"`+speed+`"`, `"3m"`, `"`+length+`"`,
		"ecn {}", "ecn {"+ecn+"}").Replace(judgetest.Rack(switchLines))
}

// TestPresetInUse: a switch whose owner has set the vendor's preset keeps it at every speed, unless the fabric states other values; then a
// person decides. verify lists only differences that affect lossless traffic.
func TestPresetInUse(t *testing.T) {
	const (
		on     = "- set:\n    qos:\n      roce: {}\n"
		owner  = "      congestion-control:\n        default-global:\n          traffic-class:\n            '3':\n"
		sound  = ""
		stated = "\n    min = 200000\n  "
	)
	for _, c := range []struct {
		name, preset, speed, length, ecn, tree string

		refused string // why plan refuses the switch; empty: it only adds watchdogs
		note    string // part of the note of plan and verify
		unsound string // why the switch is not sound; empty: it is sound
	}{
		{"25G", "", "25G", "3m", "", on, "", "from 46080 to 460800 bytes with 100 %; the preset marks classes 0 and 3 from 150000", sound},
		{"100G", "", "100G", "3m", "", on, "", "from 156672 to 1566720 bytes with 100 %; the preset marks classes 0 and 3 from 150000", sound},
		{"400G", "", "400G", "3m", "", on, "", "from 617472 to 6174720 bytes with 100 %; the preset marks classes 0 and 3 from 150000", sound},
		{"the preset's numbers", "", "100G", "3m", "\n    min = 150000\n    max = 1500000\n    probability = 100\n  ", on, "", "", sound},
		{
			"a stated number", "", "100G", "3m", stated, on, `with preset = "keep" the preset stays as it is`, "",
			"At swp1, min of ECN of cos 3 is 150000, and the fabric states 200000.",
		},
		{"a stated number, kept", "keep", "100G", "3m", stated, on, "", "from 200000 to 2000000 bytes", sound},
		{"kept at 25G", "keep", "25G", "3m", "", on, "", "from 46080 to 460800 bytes", sound},
		{
			"longer cables", "", "100G", "150m", "", on, "Cables are up to 150 m long; the preset keeps headroom for 100 m.", "",
			"At swp1, headroom is for a cable of 100 m, and not of 150 m.",
		},
		{
			"longer cables, kept", "keep", "100G", "150m", "", on, `has preset = "keep". Differences: Cables are up to 150 m long`, "",
			"At swp1, headroom is for a cable of 100 m, and not of 150 m.",
		},
		{
			"a longer preset", "", "100G", "150m", "", "- set:\n    qos:\n      roce:\n        enable: 'on'\n        cable-length: 200\n", "",
			"the preset marks classes 0 and 3", sound,
		},
		{
			"numbers of the owner", "", "400G", "3m", "\n    min = 617472\n  ", on + owner + "              ecn: enable\n" +
				"              min-threshold: 617472\n              max-threshold: 6174720\n", "", "", sound,
		},
		{
			"other numbers of the owner", "", "400G", "3m", "\n    min = 617472\n  ", on + owner + "              ecn: enable\n" +
				"              min-threshold: 700000\n              max-threshold: 6174720\n", "has min-threshold 700000, but the fabric has 617472.", "",
			"At swp1, min of ECN of cos 3 is 700000, and the fabric states 617472.",
		},
		{
			"a lossy preset", "keep", "100G", "3m", "", "- set:\n    qos:\n      roce:\n        mode: lossy\n", "which pauses nothing", "",
			"At swp1, PFC is on for no cos, and the fabric has it for cos 3.",
		},
		{
			"no marks", "", "100G", "3m", "", on + owner + "              ecn: disable\n", "does not mark", "", "At swp1, cos 3 is not marked.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := `version = "5.9.1"`
			if c.preset != "" {
				lines += "\n  preset = \"" + c.preset + "\""
			}
			w := &written{tree: switchOf(t, inUse(lines, c.speed, c.length, c.ecn))}
			h := w.judged(0, [][]byte{[]byte(c.tree)})
			d := h.Drift
			assert.Equal(t, c.unsound, d.Unsound())
			assert.Equal(t, c.unsound == sound, h.Other())
			if c.refused != "" {
				require.Equal(t, deploy.StatusRefused, d.Status)
				assert.Equal(t, "nvue-preset", d.Err.Code)
				assert.Contains(t, d.Err.Detail, c.refused)
				assert.NotNil(t, d.Old, "it was read")
				return
			}
			require.Equal(t, deploy.StatusChange, d.Status, "%v", d.Err)
			for _, k := range d.Changes[0].Keys {
				assert.Regexp(t, `^interface\.swp[1-3]\.qos\.pfc-watchdog\.state$`, k.Key)
			}
			assert.Equal(t, []string{"packets may be lost for a moment (NVUE applies a revision)"}, d.Disrupts, "no buffer changes")
			require.Len(t, d.Effects, 1)
			assert.Equal(t, "PFC watchdog begins (drop) on swp[1-3] (3 ports)", d.Effects[0].String())
			var notes strings.Builder
			for _, note := range d.Diags {
				notes.WriteString(note.Detail)
			}
			if c.note == "" {
				assert.Empty(t, notes.String())
				assert.Empty(t, d.Changes[0].Says)
				return
			}
			assert.Contains(t, notes.String(), c.note)
			assert.Contains(t, strings.Join(d.Changes[0].Says, "\n"), c.note)
		})
	}
}

// byHand returns a traffic.conf of 4.3 that a person wrote, with other port groups.
const byHand = `# written by hand
traffic.packet_priority_source_set = [dscp]
traffic.packet_priority_remark_set = []
traffic.cos_0.priority_source.dscp = [0,1,2,3,4,5,6,7]
traffic.cos_1.priority_source.dscp = [8,9,10,11,12,13,14,15]
traffic.cos_2.priority_source.dscp = [16,17,18,19,20,21,22,23]
traffic.cos_3.priority_source.dscp = [24,25,26,27,28,29,30,31]
traffic.cos_4.priority_source.dscp = [32,33,34,35,36,37,38,39]
traffic.cos_5.priority_source.dscp = [40,41,42,43,44,45,46,47]
traffic.cos_6.priority_source.dscp = [48,49,50,51,52,53,54,55]
traffic.cos_7.priority_source.dscp = [56,57,58,59,60,61,62,63]
traffic.priority_group_list = [control, service, bulk]
priority_group.control.cos_list = [6,7]
priority_group.service.cos_list = [3]
priority_group.bulk.cos_list = [0,1,2,4,5]
pfc.port_group_list = [storage]
pfc.storage.cos_list = [3]
pfc.storage.port_set = swp1-swp3
pfc.storage.port_buffer_bytes = 90000
pfc.storage.xoff_size = 18000
pfc.storage.xon_delta = 2000
pfc.storage.tx_enable = true
pfc.storage.rx_enable = true
pfc.storage.cable_length = 5
ecn_red.port_group_list = [marks]
ecn_red.marks.cos_list = [3]
ecn_red.marks.port_set = swp1-swp3
ecn_red.marks.ecn_enable = true
ecn_red.marks.red_enable = false
ecn_red.marks.min_threshold_bytes = 150000
ecn_red.marks.max_threshold_bytes = 1500000
ecn_red.marks.probability = 100
scheduling.algorithm = dwrr
priority_group.control.weight = 0
priority_group.service.weight = 32
priority_group.bulk.weight = 32
`

// TestByHandInUse: a traffic.conf with port groups of others is sound if its settings have the meaning of the fabric. A number that the
// fabric states must not differ.
func TestByHandInUse(t *testing.T) {
	rack := strings.Replace(judgetest.Rack(`version = "4.3.0"`), "sn3700", "sn2700", 1)
	rack = strings.ReplaceAll(rack, "connectx-6dx", "connectx-5")
	for _, c := range []struct{ name, old, new, fabricOld, fabricNew, unsound string }{
		{"as it is", "", "", "", "", ""},
		{"Ansible writes it", "# written by hand", "# Ansible managed", "", "", ""},
		{"a stated threshold", "", "", "ecn {}", "ecn { min = 160000 }", "At swp1, min of ECN of cos 3 is 150000, and the fabric states 160000."},
		{"the stated threshold", "", "", "ecn {}", "ecn { min = 150000 }", ""},
		{
			"stated sizes", "", "", "ecn {}", "ecn {}\n  pfc {\n    buffer = 92000\n    xoff = 18000\n  }",
			"At swp1, headroom is 72000 B, and the fabric states sizes with 74000 B.",
		},
		{"the stated sizes", "", "", "ecn {}", "ecn {}\n  pfc {\n    buffer = 90000\n    xoff = 18000\n  }", ""},
		{
			"a stated weight", "", "", "ecn {}", "ecn {}\n  weight = 70",
			"At swp1, the share of cos 3 does not have the weight that the fabric states.",
		},
		{"a stated weight, of which it has more", "service.weight = 32", "service.weight = 90", "ecn {}", "ecn {}\n  weight = 40", ""},
		{"other shares of the rest", "bulk.weight = 32", "bulk.weight = 31", "ecn {}", "ecn {}\n  weight = 50", ""},
		{
			"notifications that are not strict", "control.weight = 0", "control.weight = 32", "", "",
			"At swp1, cos 6 is not strict, and the fabric states that it is.",
		},
		{"less headroom", "bytes = 90000", "bytes = 80000", "", "", "At swp1, headroom is 62,000 B, and not 72,288 B."},
		{
			"a port in no group", "port_set = swp1-swp3", "port_set = swp1-swp2", "", "",
			"At swp3, PFC is on for no cos, and the fabric has it for cos 3.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &written{tree: switchOf(t, strings.Replace(rack, c.fabricOld, c.fabricNew, 1))}
			text := strings.Replace(byHand, c.old, c.new, 1)
			h := w.judged(0, [][]byte{[]byte(text)})
			require.Equal(t, deploy.StatusChange, h.Drift.Status, "%v", h.Drift.Err)
			assert.Equal(t, c.unsound, h.Drift.Unsound())
			assert.Equal(t, c.unsound == "", h.Other(), "%v", h.Drift.Watched)
			assert.False(t, w.judged(1, [][]byte{[]byte(text)}).Other(), "rocec has written it")
			for _, e := range h.Drift.Effects {
				assert.False(t, c.name == "as it is" && e.Kind == deploy.SharesChange, "equal proportions have the same effect")
			}
		})
	}
}

// TestTemplateInUse: on a switch with the template of its hwsku, a fabric with the same meaning changes no class. rocec changes thresholds
// of marking, but not pools, buffer profiles or objects of the template.
func TestTemplateInUse(t *testing.T) {
	hcl := strings.NewReplacer("[26]", "[3]", "strict = true", "").Replace(judgetest.SONiCRack("202505"))
	second := `
cos_group "nvme" {
  cos      = 4
  dscp     = [4]
  lossless = true
  ecn {}
}
roce "nvme" {
  version   = 2
  cos_group = cos_group.nvme
  cnp       = cos_group.cnp
  members   = [host.store]
}
`
	b := bySONiC(t, hcl+second)
	var all strings.Builder
	for n := range 32 {
		fmt.Fprintf(&all, " %d", 4*n)
	}
	b.Root(t, "config qos reload --no-dynamic-buffer; for p in"+all.String()+"; do config interface shutdown Ethernet$p; "+
		"config interface startup Ethernet$p; done; config save -y")
	p := b.Plan(t)
	require.Equal(t, deploy.StatusChange, p.Status, "%v", p.Err)
	h := rollout.Health{Drift: p}
	assert.Empty(t, p.Unsound())
	assert.True(t, h.Other(), "%v", p.Watched)
	for _, e := range p.Effects {
		assert.Greater(t, e.Kind.Order(), deploy.TrustChanges.Order(), "%s", e)
	}
	for _, k := range p.Changes[0].Keys {
		assert.NotRegexp(t, `^BUFFER_PO|^BUFFER_PROF`, k.Key)
		if strings.Contains(k.Key, ".AZURE") {
			assert.Regexp(t, `^WRED_PROFILE\.AZURE_LOSSLESS\.green_|^CABLE_LENGTH\.AZURE\.`, k.Key)
		}
	}

	// DSCP 26 is lossless by common practice, but lossy in the template.
	b.Tree = switchOf(t, judgetest.SONiCRack("202505"))
	p = b.Plan(t)
	assert.Contains(t, p.Unsound(), "PFC is on for cos 3-4, and the fabric has it for cos 3.")
	var says []string
	for _, e := range p.Effects {
		says = append(says, e.What())
	}
	assert.Contains(t, strings.Join(says, "\n"), "DSCP 26 moves to queue 3")
}

// ownerSets sets a NIC to the wanted values of the rack's fabric, without rocec.
const ownerSets = `set -e
ethtool -A ens1f0 rx off tx off
dcb dcbx set dev ens1f0 host ieee
dcb pfc set dev ens1f0 prio-pfc all:off 3:on
dcb pfc set dev ens1f0 delay 3
dcb ets set dev ens1f0 willing off tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3 6:6
dcb app flush dev ens1f0 dscp-prio
for v in 0 1 2 3 4 5 6 7 24 25 27 28 29 30 31; do dcb app add dev ens1f0 dscp-prio $v:0; done
dcb app add dev ens1f0 dscp-prio 26:3
n=8
while [ $n -lt 64 ]; do
	[ $n -ge 24 ] && [ $n -lt 32 ] || dcb app add dev ens1f0 dscp-prio $n:$((n / 8))
	n=$((n + 1))
done
dev=$(ls /sys/class/infiniband)
mkdir /sys/kernel/config/rdma_cm/$dev
echo 104 >/sys/kernel/config/rdma_cm/$dev/ports/1/default_roce_tos
rmdir /sys/kernel/config/rdma_cm/$dev
` + cnpPriority + "\n"

// cnpPriority sets the priority of CNPs, and the mode in which it applies.
const (
	cnpParams   = "/sys/kernel/debug/mlx5/$(ls /sys/kernel/debug/mlx5)/cc_params/"
	cnpPriority = "echo 6 >" + cnpParams + "np_cnp_prio"
)

// TestNICInUse: a NIC with every wanted value and no files of rocec is sound. A plan announces that the NIC's link bounces only if its PFC
// mask changes.
func TestNICInUse(t *testing.T) {
	tree := judgetest.First(t, judgetest.Tree(t, judgetest.Rack(`version = "5.9.1"`)), target.Host)
	b := labtest.New(t, tree)
	const bounces = "the link of ens1f0 bounces when the PFC mask changes"
	assert.Equal(t, []string{bounces}, b.Plan(t).Disrupts, "from the factory")
	b.Root(t, ownerSets)
	for _, c := range []struct {
		set      string
		disrupts []string
		unsound  string
	}{
		{"true", nil, ""},
		{"dcb pfc set dev ens1f0 delay 7", nil, "nic/ens1f0 differs from the fabric."},
		{"dcb pfc set dev ens1f0 delay 3 prio-pfc 4:on", []string{bounces}, "nic/ens1f0 differs from the fabric."},
		{"dcb pfc set dev ens1f0 prio-pfc 4:off", nil, ""},
		{"echo 1 >" + cnpParams + "np_cnp_prio_mode", nil, "nic/ens1f0 differs from the fabric."},
		{cnpPriority, nil, ""},
	} {
		b.Root(t, c.set)
		p := b.Plan(t)
		require.Equal(t, deploy.StatusChange, p.Status, "%v", p.Err)
		assert.Equal(t, c.disrupts, p.Disrupts, c.set)
		assert.Equal(t, c.unsound, p.Unsound(), c.set)
		for i := range p.Changes {
			_, outage := p.Noticed(&p.Changes[i].File.Activate)
			assert.Equal(t, c.disrupts == nil, outage.Hitless(), c.set)
		}
		v := rollout.Verify(t.Context(), b.Dial, b.Tree, rollout.VerifyOptions{Clock: labtest.Hurried()})
		assert.Equal(t, c.unsound == "", v.Devices[0].Other(), "%s: %v", c.set, v.Devices[0].Probes)
	}
	assert.Equal(t, deploy.Applied, labtest.Apply(t, b.Tree, b.Dial).Devices[0].Outcome)
	assert.Equal(t, deploy.StatusSame, b.Plan(t).Status)
}
