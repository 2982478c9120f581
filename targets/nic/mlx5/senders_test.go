package mlx5

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// sent returns the answers of a host as lines, from its state and from an answer of the probe on senders; "": the probe did not run.
func sent(t *testing.T, d *ir.Device, state, answer string) (lines []string) {
	var facts [][2]string
	for _, p := range Target.Probes(d) {
		if p.Name == "senders of ens1f0" && answer != "" {
			require.True(t, p.Slow, "only verify reads it")
			for _, s := range p.Samples([]byte(answer)) {
				facts = append(facts, [2]string{s.Name, s.Fact})
			}
		}
	}
	read := func(path string) []byte {
		if state == "" || !strings.HasPrefix(path, "nic/") {
			return nil
		}
		return []byte(state)
	}
	for _, s := range Target.Sent(Target, d, read, func(string) [][2]string { return facts }) {
		line := fmt.Sprintf("%s %s %s: %s", s.Sender, strings.Join(s.NICs, ","), s.State, s.Detail)
		if len(s.Settings) > 0 {
			line += " " + s.Settings[0]
		}
		if len(s.Pod) > 0 {
			line += " " + strings.Join(s.Pod, " ")
		}
		lines = append(lines, line)
	}
	return lines
}

// TestSent: each sender holds, escapes or is not known, by the values that were read: a value of the host that differs from the fabric's
// changes the answer, and a missing value is never a match.
func TestSent(t *testing.T) {
	v2, v1 := fixtures(t)["v2"], fixtures(t)["v1"]
	whole := content(t, rendered(t, v2)[4])
	require.Contains(t, whole, "tos=104\n")
	require.Contains(t, whole, "trust=dscp\n")
	with := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(whole) }
	const (
		gpu  = "gpu ens1f0 unknown: Only each program knows the mark of the queue pairs that its GPU uses. NCCL_IB_TC=104"
		pods = "container ens1f0 unknown: Containers share the RDMA devices of the host, and the defaults of a device reach them, too. Only " +
			"the pod knows the marks of its programs. NCCL_IB_TC=104"
	)
	assert.Equal(t, []string{
		"rdma-cm ens1f0 holds: default_roce_tos is 104: DSCP 26 has priority 4.",
		"verbs ens1f0 holds: traffic_class is 104: DSCP 26 has priority 4.",
		gpu,
		"vf ens1f0 escapes: Virtual functions 0-1: default_roce_tos is 0, traffic_class is 104. NCCL_IB_TC=104",
		pods,
	}, sent(t, v2, whole, "netns Y\nvf 0\ndev 0 0 104\nvf 1\ndev 1 0 104\n"))

	for _, c := range []struct {
		name, state, answer string
		nth                 int
		want                string
	}{
		{"a default of 0", with("tos=104", "tos=0"), "", 0, "escapes: default_roce_tos is 0: DSCP 0 has priority 0, and training has 4."},
		{"another class", with("traffic_class=104", "traffic_class=192"), "", 1, "escapes: traffic_class is 192: DSCP 48 has priority 6,"},
		{"106 has the same DSCP", with("tos=104", "tos=106"), "", 0, "holds: default_roce_tos is 106: DSCP 26 has priority 4."},
		{
			"another map on the NIC", with("dscp_prio4=26", "dscp_prio4=none", "dscp_prio0=", "dscp_prio0=26,"), "", 0,
			"escapes: default_roce_tos is 104: DSCP 26 has priority 0",
		},
		{"a NIC that trusts PCP", with("trust=dscp", "trust=pcp"), "", 0, "escapes: default_roce_tos is 104: DSCP 26 has priority 0"},
		{
			"an unknown map", with("trust=dscp", "trust=unreadable: no"), "", 0,
			"unknown: default_roce_tos is 104, and the priority of DSCP 26 was not read.",
		},
		{"no folder in configfs", with("tos=104", "tos=unread"), "", 0, `unknown: default_roce_tos has no value to read: it is "unread".`},
		{"refused", with("tos=104", "tos=unreadable: root only\x1b"), "", 0, `unknown: default_roce_tos cannot be read: root only\x1b.`},
		{"nothing read", "", "", 0, "unknown: default_roce_tos was not read."},
		{
			"the driver of Linux", with("traffic_class=104", "traffic_class=unsupported: no"), "", 1,
			"unknown: Only each program knows its mark; packets without a mark have DSCP 0, which is priority 0. NCCL_IB_TC=104",
		},
		{"no probe", whole, "", 3, "unknown: The RDMA devices of virtual functions were not read."},
		{"a virtual machine", whole, "netns Y\nvf 0\n", 3, "unknown: Virtual functions 0: the host shows no RDMA device."},
		{"all defaults", whole, "vf 0\ndev 0 104 104\n", 3, "holds: Virtual functions 0: default_roce_tos is 104, traffic_class is 104."},
		{"one default", whole, "vf 0\ndev 0 104 off\n", 3, "unknown: Virtual functions 0: default_roce_tos is 104, traffic_class is off."},
		{"an old kernel", whole, "\n", 3, "container ens1f0 unknown: It is not known whether containers share the RDMA devices"},
		{"no virtual functions", whole, "netns N\n", 3, "container ens1f0 unknown: Containers have RDMA devices of their own"},
	} {
		assert.Contains(t, sent(t, v2, c.state, c.answer)[c.nth], c.want, c.name)
	}

	v1State := content(t, rendered(t, v1)[4])
	require.Contains(t, v1State, "vlan_map=0:3,2:3,4:3,6:3\n")
	got := sent(t, v1, v1State, "netns Y\nvf 0\ndev 0 - -\nip 0 link/ether x, vlan 100, qos 3, trust off\n")
	assert.Equal(t, "rdma-cm ens1f0 holds: The VLAN interface gives all socket priorities of RDMA-CM the PCP 3.", got[0])
	assert.Equal(t, `vf ens1f0 unknown: Virtual functions 0: default_roce_tos is not known, traffic_class is not known, and the host gives `+
		`packets VLAN 100 with priority 3. NCCL_IB_SL=3 "vlan": 100 "vlanQoS": 3`, got[3])
	cm := func(old, next string) string { return sent(t, v1, strings.Replace(v1State, old, next, 1), "")[0] }
	assert.Contains(t, cm("2:3", "2:0"), "escapes: The VLAN interface gives socket priority 2 the PCP 0")
	assert.Contains(t, cm("vlan_map=", "x="), "unknown: The map of the VLAN interface was not read.")
}

// TestSentTogether: NICs of a host with the same answer share it.
func TestSentTogether(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	in := f.v2()
	d := f.host("h", f.nic(t, "ens1f0", in), f.nic(t, "ens2f0", in))
	got := sent(t, d, content(t, rendered(t, d)[5]), "")
	assert.Contains(t, got, "rdma-cm ens1f0,ens2f0 holds: default_roce_tos is 104: DSCP 26 has priority 4.")
}
