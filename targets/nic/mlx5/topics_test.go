package mlx5

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/mlx5/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range Topics {
		assert.False(t, seen[topic.Code], topic.Code)
		seen[topic.Code] = true
		assert.Regexp(t, `^host-[a-z-]+$`, topic.Code)
		assert.NotRegexp(t, `[.:!]$`, topic.Summary)
	}
	assert.Equal(t, Topics, Target.Topics)
}

// TestJudge has, for every topic, a fabric with an error of that topic, and checks its place.
func TestJudge(t *testing.T) {
	prefix := netip.MustParsePrefix
	v6 := prefix("2001:db8:1111:2222:3333:4444:5555:6666/128")
	rules := func(rules ...ir.TrafficClass) func(*fabric, *ir.NIC) {
		return func(_ *fabric, n *ir.NIC) { n.TrafficClasses = rules }
	}
	stored := func(name string, value int) func(*fabric, *ir.NIC) {
		return func(_ *fabric, n *ir.NIC) { n.Parameters = parametersOf(t, nil, map[string]int{name: value}, "") }
	}
	reported := map[string]bool{}
	for _, c := range []struct {
		name   string
		change func(*fabric, *ir.NIC)
		code   string
		line   int
		detail string
	}{
		{"both trusts", func(f *fabric, n *ir.NIC) {
			in := f.v2()
			in.Name, in.Group, in.CNP = "second", f.storage, nil
			n.Intents = append(n.Intents, in)
		}, "host-mixed", 50, "is a member of training (RoCEv2, identified by DSCP) and of second (RoCEv2, identified by PCP)"},
		{"pcp to another cos", func(f *fabric, n *ir.NIC) {
			f.storage.PCP = []ir.Claim{{Value: 5, At: place(6)}}
			n.Intents = []*ir.Intent{f.v1()}
		}, "host-pcp", 6, "The cos group storage has cos 3 and does not claim PCP 3"},
		{"pcp of a marked group to another cos", func(f *fabric, n *ir.NIC) {
			in := f.v2()
			in.Group = &ir.CosGroup{Name: "lossy", Cos: 5, CosAt: place(6), PCP: []ir.Claim{{Value: 3}}, ECN: &ir.ECN{}}
			in.VLAN, n.Intents = 100, []*ir.Intent{in}
		}, "host-pcp", 6, "The cos group lossy has cos 5 and does not claim PCP 5"},
		{"two defaults", func(f *fabric, n *ir.NIC) {
			in := f.v2()
			in.Name, in.Group = "second", &ir.CosGroup{Name: "other", Cos: 5, DSCP: []ir.Claim{{Value: 34}}}
			n.Intents = append(n.Intents, in)
		}, "host-tos", 50, "state a type of service (136, which is DSCP 34 times 4)"},
		{"two groups by pcp", func(f *fabric, n *ir.NIC) {
			second := f.v1()
			second.Name, second.Group = "backup", &ir.CosGroup{Name: "backup", Cos: 5, PCP: []ir.Claim{{Value: 5}}}
			n.Intents = []*ir.Intent{f.v1(), second}
		}, "host-vlan", 50, "nvme (cos group storage, VLAN 100) and of backup (cos group backup, VLAN 100)"},
		{"two VLANs", func(f *fabric, n *ir.NIC) {
			second := f.v1()
			second.Name, second.VLAN = "backup", 200
			n.Intents = []*ir.Intent{f.v1(), second}
		}, "host-vlan", 50, "backup (cos group storage, VLAN 200)"},
		{"two groups by pcp under link pause", func(f *fabric, n *ir.NIC) {
			f.FlowControl = ir.Pause
			second := f.v2()
			second.Name, second.VLAN = "backup", 200
			second.Group = &ir.CosGroup{Name: "backup", Cos: 5, PCP: []ir.Claim{{Value: 5}}, ECN: &ir.ECN{}}
			first := f.v2()
			first.VLAN, first.Group = 100, f.storage
			n.Intents = []*ir.Intent{first, second}
		}, "host-vlan", 50, "traffic it sends for backup would not be marked"},
		{"source network", rules(ir.TrafficClass{TOS: 8, Src: prefix("192.0.2.0/24")}), "host-traffic-class", 50, "ignores the mask of a source"},
		{"IPv6 network", rules(ir.TrafficClass{TOS: 8, Dst: prefix("2001:db8::/32")}), "host-traffic-class", 50, "accepts no IPv6 network"},
		{"two versions", rules(ir.TrafficClass{TOS: 8, Src: prefix("192.0.2.1/32"), Dst: v6}), "host-traffic-class", 50, "different IP versions"},
		{"no address", rules(ir.TrafficClass{TOS: 8}), "host-traffic-class", 50, "neither src nor dst"},
		{"long line", rules(ir.TrafficClass{TOS: 8, Src: v6, Dst: v6}), "host-traffic-class", 50, "lines of up to 100 characters"},
		{"too many", func(_ *fabric, n *ir.NIC) {
			for i := range 41 {
				n.TrafficClasses = append(n.TrafficClasses, ir.TrafficClass{TOS: 8, Dst: prefix(fmt.Sprintf("192.0.2.%d/32", i))})
			}
		}, "host-traffic-class", 50, "has 41 traffic_class blocks, but the driver accepts 40"},
		{"DSCP of CNPs", stored("CNP_DSCP", 46), "host-parameter", 53, "states CNP_DSCP = 46, and the cos group cnp of CNPs has DSCP 48."},
		{"priority of CNPs", stored("CNP_802P_PRIO", 5), "host-parameter", 52, "and the cos group cnp of CNPs has cos 6."},
		{"no PFC", stored("NUM_OF_PFC", 0), "host-parameter", 65, "states NUM_OF_PFC = 0, and its cable has 1 lossless priority."},
		{"few classes", stored("NUM_OF_TC", 2), "host-parameter", 67, "states NUM_OF_TC = 2, and the fabric needs 7 traffic classes."},
		{"congestion control off", stored("ROCE_CC_PRIO_MASK", 239), "host-parameter", 70, "the fabric marks priority 4 by ECN"},
		{"RoCE off", stored("ROCE_CONTROL", 1), "host-parameter", 71, "= ROCE_DISABLE, and the NIC is a member of training, which needs RoCE."},
		{"rates", func(_ *fabric, n *ir.NIC) {
			n.Parameters = parametersOf(t, map[string]int{"rpg_min_rate": 9, "rpg_max_rate": 8}, nil, "")
		}, "host-parameter", 66, "states rpg_min_rate = 9, and rpg_max_rate = 8 is smaller."},
		{"stored rates", func(_ *fabric, n *ir.NIC) {
			n.Parameters = parametersOf(t, nil, map[string]int{"RPG_MIN_RATE": 9, "RPG_MAX_RATE": 8}, "")
		}, "host-parameter", 78, "states RPG_MIN_RATE = 9, and RPG_MAX_RATE = 8 is smaller."},
		{"no ECN", func(f *fabric, n *ir.NIC) {
			n.Intents[0].Group.ECN = nil
			n.Parameters = parametersOf(t, map[string]int{"rpg_ai_rate": 20}, nil, "")
		}, "host-parameter", 60, "no cos group of its intents has an ecn block"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFabric()
			f.groups(f.rest, f.storage, f.rdma, f.cnp)
			n := f.nic(t, "ens1f0", f.v2())
			c.change(f, n)
			files, ds := Target.Render(f.host("gpu1", n))
			require.Len(t, ds, 1)
			assert.Equal(t, c.code, ds[0].Code)
			assert.Contains(t, ds[0].Detail, c.detail)
			assert.Equal(t, c.line, ds[0].At.Start.Line)
			if ds[0].Severity == diag.Error {
				assert.Empty(t, files, "nothing is written while an error stands")
			} else {
				assert.NotEmpty(t, files)
			}
			reported[c.code] = true
		})
	}
	for _, topic := range Topics {
		assert.True(t, reported[topic.Code], topic.Code)
	}
}

// Values that agree with the fabric are accepted, and so is any value on a NIC without an intent.
func TestParametersThatAgree(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.storage, f.rdma, f.cnp)
	n := f.nic(t, "ens1f0", f.v2())
	n.Parameters = parametersOf(t, map[string]int{"rpg_min_rate": 9, "rpg_max_rate": 0}, map[string]int{
		"CNP_DSCP": 48, "CNP_802P_PRIO": 6, "NUM_OF_PFC": 1, "NUM_OF_TC": 0, "ROCE_CC_PRIO_MASK": 255, "ROCE_CONTROL": 2, "RPG_MIN_RATE": 9,
	}, "")
	_, ds := Target.Render(f.host("gpu1", n))
	assert.Empty(t, ds)
	idle := f.nic(t, "ens2f0")
	idle.Parameters = parametersOf(t, nil, map[string]int{"ROCE_CONTROL": 1, "NUM_OF_PFC": 0}, "")
	_, ds = Target.Render(f.host("gpu2", idle))
	assert.Empty(t, ds)
}

// A host that others set states parameters for its sheet, which must not contradict the rest of the sheet.
func TestParametersByHand(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.storage, f.rdma, f.cnp)
	n := f.nic(t, "ens1f0", f.v2())
	n.Parameters = parametersOf(t, nil, map[string]int{"ROCE_CC_PRIO_MASK": 239}, "")
	d := f.host("gpu1", n)
	d.ByHand = &ir.ByHand{DCQCN: true}
	ds := Target.ByHand(d)
	require.Len(t, ds, 1)
	assert.Equal(t, "host-parameter", ds[0].Code)
	d.ByHand.DCQCN = false
	assert.Empty(t, Target.ByHand(d), "the by_hand block says so")
}

func TestTwoIntentsWithStatedTOS(t *testing.T) {
	f := newFabric()
	other := &ir.CosGroup{Name: "other", Cos: 5, Lossless: true, DSCP: []ir.Claim{{Value: 34}}}
	f.groups(f.rest, f.rdma, other, f.cnp)
	second := f.v2()
	second.Name, second.Group = "second", other
	n := f.nic(t, "ens1f0", f.v2(), second)
	n.TOS = 136
	d := f.host("gpu1", n)
	conf := content(t, rendered(t, d)[3])
	assert.Contains(t, conf, "\ntos=136\n")
	assert.Contains(t, conf, "\ntraffic_class=off\n", "one class for all would take the second intent's traffic")
	assert.Contains(t, conf, "\npfc=0,0,0,0,1,1,0,0\n")
}

// TestTrustIsTheSwitches: the NIC trusts the same field as the switch. As in targets/cumulus, PCP identifies a RoCEv2 group without a DSCP,
// even if its CNPs claim a DSCP.
func TestTrustIsTheSwitches(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.storage, f.cnp)
	in := f.v2()
	in.Group, in.VLAN = f.storage, 100
	conf := content(t, rendered(t, f.host("gpu1", f.nic(t, "ens1f0", in)))[3])
	assert.Contains(t, conf, "\ntrust=pcp\n")
	assert.Contains(t, conf, "\nvlan_map=0:3,2:3,4:3,6:3\n")
}

// TestPauseOnlyWhereTheSwitchPauses: a NIC whose intents are all lossy does not send link pause, because the switch would ignore it.
func TestPauseOnlyWhereTheSwitchPauses(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	f.FlowControl = ir.Pause
	d := f.host("gpu1", f.nic(t, "ens1f0", f.v2()))
	assert.Contains(t, content(t, rendered(t, d)[3]), "\npause=on\n")
	f.rdma.Lossless = false
	for _, n := range d.Host.NICs {
		if n.Port != nil {
			n.Port.SetBuffers(nil)
		}
	}
	assert.Contains(t, content(t, rendered(t, d)[3]), "\npause=off\n")
}

func TestIdentity(t *testing.T) {
	d := fixtures(t)["both"]
	p := Target.Identity(d)[0]
	m := newMachine(t, d)
	assert.Empty(t, p.Judge([]byte("ens1f0 mlx5_core\nens2f0 mlx5_core\n")))
	for answer, want := range map[string]string{
		"ens1f0 mlx5_core\nens2f0 missing\n":   "both has no interface ens2f0, which is the NVIDIA ConnectX-5 in the fabric.",
		"ens1f0 mlx5_core\n":                   "both has no interface ens2f0",
		"ens1f0 none\nens2f0 mlx5_core\n":      "ens1f0 on both is a virtual interface",
		"ens1f0 bnxt_en\nens2f0 mlx5_core\n":   "ens1f0 on both has the driver bnxt_en; the NVIDIA ConnectX-5 has mlx5_core.",
		"ens1f0 \x1b[2J\nens2f0 mlx5_core\n":   "ens1f0 on both has the driver",
		"ens1f0x mlx5_core\nens2f0 mlx5_core":  "both has no interface ens1f0",
		"ens1f0 mlx5_core2\nens2f0 mlx5_core ": "mlx5_core2",
	} {
		wrong := p.Judge([]byte(answer))
		require.Len(t, wrong, 1, "%q", answer)
		assert.Contains(t, wrong[0], want)
		assert.NotContains(t, wrong[0], "\x1b")
	}
	assert.NotContains(t, p.Cmd, m.Root)
	assert.Equal(t, "ens1f0 mlx5_core\nens2f0 mlx5_core\n", m.Sh(strings.ReplaceAll(p.Cmd, "/sys/", m.Root+"/sys/")))
	m.Remove("sys/class/net/ens2f0")
	assert.Equal(t, "ens1f0 mlx5_core\nens2f0 missing\n", m.Sh(strings.ReplaceAll(p.Cmd, "/sys/", m.Root+"/sys/")))
}

func TestProbes(t *testing.T) {
	d := fixtures(t)["v2"]
	d.Host.NICs[0].IP = netip.MustParsePrefix("192.0.2.7/24")
	judge := map[string]func([]byte) []string{}
	for _, p := range Target.Probes(d) {
		judge[p.Name] = p.Judge
		assert.NotEmpty(t, p.Cmd)
		assert.True(t, p.Judge != nil || p.Samples != nil, p.Name)
	}
	gid := "gid mlx5_0 1 3 ens1f0 0000:0000:0000:0000:0000:ffff:c000:0207 RoCE v2\n"
	local := "gid mlx5_0 1 1 ens1f0 fe80:0000:0000:0000:0000:0000:0000:0001 RoCE v2\n"
	for _, c := range []struct{ probe, answer, want string }{
		{"lldpad", "inactive\n", ""},
		{"lldpad", "active\n", "lldpad runs on v2"},
		{"priorities of ens1f0", "", ""},
		{"priorities of ens1f0", "unreadable\n", "Neither dcb nor mlnx_qos can read the priorities of ens1f0 on v2"},
		{"MTU of ens1f0", "9000\n", ""},
		{"MTU of ens1f0", "1500\n", "ens1f0 on v2 has an MTU of 1500; the fabric says 9000."},
		{"GIDs of ens1f0", "", "no RDMA device belongs to it"},
		{"GIDs of ens1f0", local + gid, ""},
		{"GIDs of ens1f0", local, "has no GID of type RoCE v2, apart from link-local ones; the intent training needs one."},
		{"GIDs of ens1f0", strings.Replace(gid, "0207", "0208", 1), "has no GID of type RoCE v2 for 192.0.2.7"},
		{"links", "ens1f0 1\n", ""},
		{"links", "ens1f0 0\nens9 0\nx\n", "v2:ens1f0 has no link; the fabric cables it to leaf1:swp1."},
		{"links", "ens1f0 missing\n", "v2 has no interface ens1f0; the fabric cables it to leaf1:swp1."},
	} {
		require.Contains(t, judge, c.probe)
		wrong := judge[c.probe]([]byte(c.answer))
		if c.want == "" {
			assert.Empty(t, wrong, "%s: %q", c.probe, c.answer)
		} else if assert.Len(t, wrong, 1, "%s: %q", c.probe, c.answer) {
			assert.Contains(t, wrong[0], c.want)
		}
	}
}

func TestImage(t *testing.T) {
	names := func(img target.Image) (names []string) {
		for _, n := range img.Netdevs {
			names = append(names, n.Name)
		}
		return names
	}
	img := Target.Image(fixtures(t)["bond"])
	require.Equal(t, []string{"ens1f0", "ens1f1", "bond0", "eth0"}, names(img))
	assert.Equal(t, "0000:03:00.0", img.Netdevs[0].PCI)
	assert.Equal(t, "0000:03:00.1", img.Netdevs[1].PCI)
	assert.Equal(t, "bond0", img.Netdevs[1].Master)
	assert.Equal(t, "mlx5_bond_0", targettest.Sim[*sim.NICs](img.Sims).RDMA("ens1f1"))
	img = Target.Image(fixtures(t)["both"])
	require.Equal(t, []string{"ens1f0", "ens2f0", "ens1f0.100", "eth0"}, names(img))
	assert.Equal(t, "rocep4s0f0", targettest.Sim[*sim.NICs](img.Sims).RDMA("ens2f0"))
	assert.Equal(t, 9000, img.Netdevs[1].MTU)
	assert.Equal(t, target.Netdev{Name: "ens1f0.100", Parent: "ens1f0", VLAN: 100}, img.Netdevs[2])
	d := fixtures(t)["v2"]
	d.Host.NICs[0].Name = "eth0"
	assert.Equal(t, []string{"eth0"}, names(Target.Image(d)), "the NIC is no other interface of that name")
}

// TestCounters checks the message for each counter that has risen. A counter that the driver lacks gives no sample.
func TestCounters(t *testing.T) {
	d := fixtures(t)["v2"]
	probes := Target.Probes(d)
	i := slices.IndexFunc(probes, func(p target.Probe) bool { return p.Name == "counters of ens1f0" })
	for _, c := range []struct{ answer, want string }{ // each answer has the format of `ethtool -S` or of the command that reads files
		{"", ""},
		{"no stats available\n", ""},
		{"NIC statistics:\n     rx_prio4_pause: 17\n     rx_prio0_discards: 9\n", "rx_prio4_pause 17 frames"},
		{"     rx_prio4_discards: 3\n", "ens1f0 on v2 lost 3 packets of priority 4, which is lossless (rx_prio4_discards)."},
		{"     rx_prio4_buf_discard: 1\n", "ens1f0 on v2 lost 1 packet of priority 4, which is lossless (rx_prio4_buf_discard)."},
		{"     rx_prio4_cong_discard: 1000\n", "ens1f0 on v2 lost 1,000 packets of priority 4, which is lossless (rx_prio4_cong_discard)."},
		{
			"     rx_prio3_pause: 8\n",
			"ens1f0 on v2 received 8 PFC frames for priority 3, which is not lossless here: the switch port pauses another class (rx_prio3_pause).",
		},
		{
			"     tx_pause_storm_error_events: 2\n",
			"ens1f0 on v2 stopped pausing 2 times because the host did not take packets in time (tx_pause_storm_error_events).",
		},
		{"tx_pause_storm_warning_events: 4\n", "tx_pause_storm_warning_events 4 events"},
		{"np_cnp_sent: 5\nrp_cnp_handled: 6\n", "np_cnp_sent 5 packets|rp_cnp_handled 6 packets"},
		{"rp_cnp_ignored: 7\n", "ens1f0 on v2 ignored 7 CNPs, so its senders do not slow down for congestion (rp_cnp_ignored)."},
		{"out_of_sequence: 1\n", "ens1f0 on v2 received 1 packet out of sequence: packets were lost or reordered on the way (out_of_sequence)."},
		{"packet_seq_err: 2\n", "ens1f0 on v2 was asked 2 times to resend packets that did not arrive in order (packet_seq_err)."},
		{
			"implied_nak_seq_err: 1\n",
			"ens1f0 on v2 found 1 time that an answer was missing before a later one: packets were lost on the way (implied_nak_seq_err).",
		},
		{"local_ack_timeout_err: 1\n", "local_ack_timeout_err 1 events"},
		{"port_xmit_discards: 3\nport_xmit_packets: 9\nrx_prio4_packets: 9\n", "port_xmit_discards 3 packets"},
		{"rx_prio4_discards: 0\n", "ens1f0 on v2 lost 0 packets of priority 4, which is lossless (rx_prio4_discards)."},
		{"rx_prio9_discards: 1\nrx_prio: 1\nrx_prio4_discards: x\nrx_prio4_discards: -1\n:\n", ""},
	} {
		var said []string
		for _, s := range probes[i].Samples([]byte(c.answer)) {
			require.True(t, s.Counter && !s.Hard && s.On == "ens1f0", "%+v", s)
			if s.Says != nil {
				said = append(said, s.Says(s.Value))
			} else {
				said = append(said, fmt.Sprint(s.Name, " ", s.Value, " ", s.Unit))
			}
		}
		assert.Equal(t, c.want, strings.Join(said, "|"), "%q", c.answer)
	}
	unread := probes[i].Samples([]byte("unread 95\nrp_cnp_handled: 6\n"))
	require.Len(t, unread, 2)
	assert.Equal(t, "rp_cnp_handled", unread[0].Name)
	assert.Equal(t, "The counters of ens1f0 were not read: ethtool -S fails, with status 95. Whether lossless packets were dropped there "+
		"is not "+
		"known.", unread[1].Hint)
}

// The counters of an RDMA device are read from both directories, under any name of the device. Those of a RoCE LAG are read once.
func TestCounterFiles(t *testing.T) {
	d := fixtures(t)["bond"]
	m := newMachine(t, d)
	m.Remove("sys/class/infiniband")
	m.Write("sys/class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", "bond0")
	m.Write("sys/class/infiniband/mlx5_bond_0/ports/1/hw_counters/np_cnp_sent", "5")
	m.Write("sys/class/infiniband/mlx5_bond_0/ports/1/counters/port_xmit_discards", "6")
	m.Write("sys/class/infiniband/mlx5_7/ports/2/hw_counters/np_cnp_sent", "9")
	m.Write("sys/class/net/ens1f1/device/infiniband/mlx5_bond_0/x", "")
	var got []string
	for _, p := range Target.Probes(d) {
		if strings.HasPrefix(p.Name, "counters of") {
			for _, s := range p.Samples([]byte(m.Sh(strings.ReplaceAll(p.Cmd, "/sys/", m.Root+"/sys/")))) {
				got = append(got, fmt.Sprint(s.On, " ", s.Name, " ", s.Value))
			}
		}
	}
	assert.Equal(t, []string{
		"ens1f0 np_cnp_sent 5", "ens1f0 port_xmit_discards 6",
		"ens1f0 counters 0", "ens1f1 counters 0", // from ethtool, which does not know the interface
	}, got)
}
