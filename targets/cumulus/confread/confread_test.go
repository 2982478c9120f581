package confread

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

const (
	traffic  = "/etc/cumulus/datapath/traffic.conf"
	datapath = "/usr/lib/python2.7/dist-packages/cumulus/__chip_config/mlx/datapath.conf"
	features = grammar.FeaturesPath
	infra    = grammar.InfraPath
)

var spectrum = Chip{Known: true, Spectrum: true}

// understand reads files. Its arguments are paths and contents in turn.
func understand(release string, chip Chip, files ...string) *target.Understood {
	contents := map[string][]byte{}
	for i := 0; i < len(files); i += 2 {
		contents[files[i]] = []byte(files[i+1])
	}
	return Files(target.Identity{Release: release}, chip, contents).Understood()
}

// detail returns the detail of a port.
func detail(u *target.Understood, port string) ir.PortDetail {
	return u.Settings.Port(port).Detail.Get()
}

// rack43 is a whole traffic.conf of 4.3: parts of both maps, PFC and marking on some ports, a shaper, and settings of other features.
const rack43 = `# a rack
traffic.packet_priority_source_set = [802.1p, dscp]
traffic.packet_priority_remark_set = []
traffic.cos_0.priority_source.8021p = [0]
traffic.cos_4.priority_source.8021p = [3,4]
traffic.cos_0.priority_source.dscp = [0]
traffic.cos_4.priority_source.dscp = [26]
traffic.cos_6.priority_source.dscp = [48]
traffic.priority_group_list = [control, service, bulk]
priority_group.control.cos_list = [6,7]
priority_group.service.cos_list = [4]
priority_group.bulk.cos_list = [0,1,2,3,5]
priority_group.bulk.alias = "Bulk"
scheduling.algorithm = dwrr
priority_group.control.weight = 0
priority_group.service.weight = 32
priority_group.bulk.weight = 16
pfc.port_group_list = [roce]
pfc.roce.cos_list = [4]
pfc.roce.port_set = swp1-swp3,swp9s0-swp9s3
pfc.roce.port_buffer_bytes = 70000
pfc.roce.xoff_size = 18000
pfc.roce.xon_delta = 2000
pfc.roce.tx_enable = true
pfc.roce.rx_enable = TRUE
pfc.roce.cable_length = 30
pfc.old.cos_list = [5]
ecn_red.port_group_list = [roce]
ecn_red.roce.cos_list = [4]
ecn_red.roce.port_set = swp1-swp3,swp9s0-swp9s3
ecn_red.roce.ecn_enable = true
ecn_red.roce.red_enable = false
ecn_red.roce.min_threshold_bytes = 153600
ecn_red.roce.max_threshold_bytes = 1536000
ecn_red.roce.probability = 100
shaping.port_group_list = [slow]
shaping.slow.port_set = swp3
shaping.slow.egr_queue_4.shaper = [50000,100000]
shaping.slow.egr_queue_5.shaper = [0, 2147483647]
shaping.slow.port.shaper = 900000
cut_through_enable = true
dos_enable = false
hash_config.enable = true
hash_config.src_ip = true
`

func TestTrafficConf(t *testing.T) {
	u := understand("4.3.0", spectrum, traffic, rack43)
	require.True(t, u.Coverage.Whole(), "%v", u.Coverage.Not)
	assert.True(t, u.Coverage.RoCE())
	assert.Equal(t, ir.Stored, u.Settings.Moment)
	assert.Equal(t, ir.System{OS: ir.Of("cumulus"), Release: ir.Of("4.0 to 4.3")}, u.Settings.System)
	assert.Nil(t, u.Settings.Pools, "the memory file was not read")
	assert.Same(t, u.Settings.Port("swp1"), u.Settings.Port("swp9s3"))

	p, d := u.Settings.Port("swp1"), detail(u, "swp1")
	assert.Equal(t, ir.Trust{PCP: true, DSCP: true}, p.Trust)
	assert.Equal(t, []int8{4, 4, 6, -1}, []int8{p.DSCP[26], p.PCP[3], p.DSCP[48], p.DSCP[9]})
	assert.Equal(t, [3]uint8{1 << 4, 1 << 4, 1 << 4}, [3]uint8{p.Sends, p.Obeys, p.Marks})
	assert.Equal(t, 52000, p.Headroom)
	assert.Equal(t, [8]int8{0, 1, 2, 3, 4, 5, 6, 7}, d.Queue)
	assert.Equal(t, [8]int8{0, 0, 0, 0, 4, 0, 6, 6}, d.Group, "each group has the number of its lowest cos")
	assert.Equal(t, ir.GroupSettings{
		Buffer: ir.Of(70000), Xoff: ir.Of(18000), Xon: ir.Of(16000), Headroom: ir.Of(52000), Lossless: ir.Of(true),
	}, d.Groups[4])
	assert.Equal(t, ir.ByDefault(false), d.Groups[0].Lossless)
	assert.Equal(t, ir.QueueSettings{
		Strict: ir.Of(false), Share: ir.Of(32), MinRate: ir.ByDefault[int64](0), MaxRate: ir.ByDefault[int64](0), ECN: ir.Of(true),
		MarkMin: ir.Of(153600), MarkMax: ir.Of(1536000), Probability: ir.Of(100), Unmarkable: ir.Of(ir.Passed), Drop: ir.Of(false),
	}, d.Queues[4])
	assert.Equal(t, ir.Of(true), d.Queues[7].Strict)
	assert.False(t, d.Queues[7].Share.Known())
	assert.Equal(t, ir.ByDefault(false), d.Queues[7].ECN)
	assert.Equal(t, ir.Of(30), d.Cable)
	assert.Equal(t, [2]ir.Setting[bool]{ir.Of(false), ir.Of(false)}, [2]ir.Setting[bool]{d.RewriteDSCP, d.RewritePCP})
	assert.Equal(t, ir.ByDefault[int64](0), d.Shaper)
	assert.Equal(t, ir.ByDefault(ir.WatchdogOff), d.Watchdog.Action)

	slow := detail(u, "swp3")
	assert.Equal(t, ir.Of[int64](900_000_000), slow.Shaper)
	assert.Equal(t, ir.Of[int64](50_000_000), slow.Queues[4].MinRate)
	assert.Equal(t, ir.Of[int64](100_000_000), slow.Queues[4].MaxRate)
	assert.Equal(t, ir.Of[int64](0), slow.Queues[5].MaxRate, "the highest number means no limit")
	assert.Zero(t, u.Settings.Rest.Sends)

	assert.Equal(t, [2]int{5, 1}, [2]int{u.Coverage.Means[ir.FieldPauses], u.Coverage.Means[ir.FieldCable]})
	assert.Equal(t, 2, u.Coverage.Aside["the choice between equal paths"])
	assert.Equal(t, 1, u.Coverage.Aside["its group is in no list, so it is off"])
}

// The other dialects: 3.1 to 3.7 spell trust, maps and marking differently, and have no rows of queues.
func TestDialects(t *testing.T) {
	for _, tt := range []struct {
		name, release, shown, text string
		marks                      int8
	}{
		{"T1", "3.4.3", "3.1.1 to 3.4", `traffic.packet_priority_source = dscp
traffic.cos_4.packet_priorities = [26]
traffic.remark_packet_priority = none
ecn.port_group_list = [e]
ecn.e.cos_list = [4]
ecn.e.port_set = swp1
ecn.e.min_threshold_bytes = 40000
ecn.e.max_threshold_bytes = 200000
ecn.e.probability = 100
`, 4},
		{"T2", "3.4.3", "3.4", `traffic.packet_priority_source_set = [dscp]
traffic.cos_4.packet_priorities.dscp = [26]
traffic.remark_packet_priority = none
ecn.port_group_list = [e]
ecn.e.cos_list = [4]
ecn.e.port_set = swp1
`, 4},
		{"T3", "3.7.16", "3.5 to 3.7", `traffic.packet_priority_source_set = [dscp]
traffic.cos_4.priority_source.dscp = [26]
ecn.port_group_list = [e]
ecn.e.cos_list = [4]
ecn.e.port_set = swp1
`, 4},
	} {
		for _, release := range []string{tt.release, ""} {
			u := understand(release, spectrum, "leaf1-traffic.conf", tt.text)
			require.True(t, u.Coverage.Whole(), "%s: %v", tt.name, u.Coverage.Not)
			p, d := u.Settings.Port("swp1"), detail(u, "swp1")
			assert.Equal(t, int8(4), p.DSCP[26], tt.name)
			assert.Equal(t, ir.Trust{DSCP: true}, p.Trust, tt.name)
			assert.Equal(t, ir.Of(true), d.Queues[tt.marks].ECN, tt.name)
			assert.Equal(t, ir.ByDefault(false), d.Queues[tt.marks].Drop, tt.name)
			assert.Equal(t, ir.ByDefault(ir.Passed), d.Queues[tt.marks].Unmarkable, tt.name)
			assert.Equal(t, tt.shown, u.Settings.System.Release.Value, tt.name+" "+release)
			assert.Equal(t, strings.HasPrefix(tt.name, "T3"), !d.RewritePCP.Known(), "3.5 to 3.7 state no default")
		}
	}
	// Trident II drops packets that ask for no marks, an unknown chip may do so, and RED drops on all chips.
	ecn := "ecn.port_group_list = [e]\necn.e.cos_list = [4]\necn.e.port_set = swp1\necn.e.min_threshold_bytes = 5\n"
	d := detail(understand("3.4.3", Chip{Known: true, ECNDrops: true}, traffic, ecn), "swp1")
	assert.Equal(t, ir.ByDefault(ir.Dropped), d.Queues[4].Unmarkable)
	assert.Equal(t, ir.Of(5), d.Queues[4].DropMin)
	d = detail(understand("3.4.3", Chip{}, traffic, ecn), "swp1")
	assert.False(t, d.Queues[4].Unmarkable.Known() || d.Queues[4].Drop.Known())
	red := strings.ReplaceAll(ecn, "ecn.", "ecn_red.") + "ecn_red.e.red_enable = true\necn_red.e.max_threshold_bytes = 9\n"
	d = detail(understand("4.3.0", Chip{}, traffic, red), "swp1")
	assert.Equal(t, ir.Of(ir.Dropped), d.Queues[4].Unmarkable)
	assert.Equal(t, [2]ir.Setting[int]{ir.Of(5), ir.Of(9)}, [2]ir.Setting[int]{d.Queues[4].DropMin, d.Queues[4].DropMax})
}

const classes5 = `traffic.packet_priority_source_set = [dscp]
traffic.port_default_priority = 2
traffic.cos_3.priority_source.dscp = [26]
pfc.port_group_list = [default-global]
pfc.default-global.cos_list = [3]
pfc.default-global.port_set = allports
link_pause.port_group_list = [lp]
link_pause.lp.port_set = swp8
link_pause.lp.rx_enable = false
default_ecn_red_conf.egress_queue_list = [0]
default_ecn_red_conf.min_threshold_bytes = 150000
ecn_red.port_group_list = [m]
ecn_red.m.egress_queue_list = [3,0]
ecn_red.m.port_set = [swp1,swp2]
ecn_red.m.min_threshold_bytes = 1000
default_egress_sched.egr_queue_0.bw_percent = 50
default_egress_sched.egr_queue_6.bw_percent = 0
egress_sched.port_group_list = [e]
egress_sched.e.port_set = swp2
egress_sched.e.egr_queue_0.bw_percent = 70
pfc_watchdog.port_group_list = [w]
pfc_watchdog.w.port_set = swp1
`

const memory5 = `traffic.priority_group_list = [bulk, service1]
priority_group.bulk.cos_list = [0,1,2,3,4,5]
priority_group.service1.cos_list = [6,7]
priority_group.bulk.id = 0
priority_group.service1.id = 1
priority_group.bulk.service_pool = 0
priority_group.bulk.ingress_buffer.dynamic_quota = ALPHA_8
cos_egr_queue.cos_0.uc = 0
cos_egr_queue.cos_3.uc = 3
cos_egr_queue.cos_3.cpu = 3
ingress_service_pool.0.percent = 50.0
ingress_service_pool.1.percent = 33.4
ingress_service_pool.1.mode = 1
egress_service_pool.0.percent = 50.0
egress_service_pool.1.percent = 50.0
egress_service_pool.1.mode = 1
egress_service_pool.1.infinite_flag = TRUE
flow_control.ingress_service_pool = 1
flow_control.egress_service_pool = 1
port.service_pool.1.ingress_buffer.reserved = 0
port.service_pool.1.ingress_buffer.dynamic_quota = 5
port.service_pool.1.egress_buffer.uc.dynamic_quota = ALPHA_INFINITY
flow_control.ingress_buffer.dynamic_quota = ALPHA_1
egress_buffer.egr_queue_0.uc.service_pool = 0
egress_buffer.egr_queue_0.uc.dynamic_quota = ALPHA_16
egress_buffer.cos_1.mc.service_pool = 0
`

func TestQoSFiles(t *testing.T) {
	u := understand("5.9.1", Chip{}, features, classes5, infra, memory5)
	require.True(t, u.Coverage.Whole(), "%v", u.Coverage.Not)
	d := detail(u, "swp1")
	assert.Equal(t, ir.Of[int8](2), d.DefaultCos)
	assert.Equal(t, [8]int8{0, 0, 0, 3, 0, 0, 6, 6}, d.Group)
	assert.Equal(t, ir.GroupSettings{
		Limit: ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: -3}), Pool: ir.Of("ingress_service_pool.1"), Lossless: ir.Of(true),
	}, d.Groups[3], "sizes depend on speed and cable, and the port's quota is the smaller limit")
	assert.Equal(t, ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: 3}), d.Groups[0].Limit)
	assert.Equal(t, ir.Of(ir.Limit{}), d.Queues[3].Limit)
	assert.Equal(t, ir.Of("egress_service_pool.1"), d.Queues[3].Pool)
	assert.Equal(t, ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: 4}), d.Queues[0].Limit)
	assert.Equal(t, ir.Pool{Ingress: true, Percent: ir.Of(33), Mode: ir.Of(ir.PoolDynamic), Infinite: ir.ByDefault(false)},
		u.Settings.Pools["ingress_service_pool.1"])
	assert.Equal(t, ir.Pool{Egress: true, Percent: ir.Of(50), Mode: ir.Of(ir.PoolDynamic), Infinite: ir.Of(true)},
		u.Settings.Pools["egress_service_pool.1"])
	assert.Equal(t, ir.WatchdogSettings{Action: ir.Of(ir.WatchdogDrop), Watches: ir.Of[uint8](1 << 3)}, d.Watchdog)
	assert.Equal(t, ir.ByDefault(ir.WatchdogOff), detail(u, "swp5").Watchdog.Action)

	// Shares: a port's group overrides the profile of the switch, in which a queue without a share is served last.
	assert.Equal(t, ir.Of(50), d.Queues[0].Share)
	assert.Equal(t, ir.Of(true), d.Queues[6].Strict)
	assert.Equal(t, ir.ByDefault(0), d.Queues[2].Share)
	own := detail(u, "swp2")
	assert.Equal(t, ir.Of(70), own.Queues[0].Share)
	assert.False(t, own.Queues[6].Strict.Known(), "its group states no share")

	// The switch and a group mark the same queue: the manuals do not state which of them counts.
	assert.Equal(t, ir.Of(1000), d.Queues[3].MarkMin)
	assert.False(t, d.Queues[0].MarkMin.Known())
	assert.Equal(t, ir.Of(150000), detail(u, "swp5").Queues[0].MarkMin)
	assert.Equal(t, ir.ByDefault(ir.Passed), d.Queues[3].Unmarkable, "these releases run on Spectrum")

	// Link pause beside PFC: which buffer holds a class is not known.
	assert.Equal(t, [8]int8{-1, -1, -1, -1, -1, -1, -1, -1}, detail(u, "swp8").Group)
	assert.True(t, u.Settings.Port("swp8").LinkPause)

	// Without qos_infra.conf the queue of a class is unknown, and so are the classes of a marked queue.
	alone := understand("", Chip{}, features, classes5)
	assert.Equal(t, int8(-1), detail(alone, "swp1").Queue[3])
	assert.Zero(t, alone.Settings.Port("swp1").Marks)
	assert.Equal(t, ir.Of(true), understand("", Chip{}, infra, "egress_service_pool.1.infinite_flag = TRUE").
		Settings.Pools["egress_service_pool.1"].Infinite)
}

func TestDatapath(t *testing.T) {
	preset := `priority_group.control.id = 0
priority_group.service.id = 0
priority_group.bulk.id = 0
priority_group.bulk.service_pool = 0
priority_group.service.service_pool = 0
priority_group.control.service_pool = 0
priority_group.bulk.egress_buffer.uc.sp_dynamic_quota = 11
priority_group.bulk.egress_buffer.mc.sp_dynamic_quota = 9
ingress_service_pool.0.percent = 50.0
ingress_service_pool.0.mode = 1
egress_service_pool.0.mode = 1
ingress_service_pool.1.percent = 50.0
ingress_service_pool.1.mode = 1
flow_control.service_pool = 1
flow_control.ingress_buffer.dynamic_quota = 9
resilient_hash_active_timer = 120000
`
	u := understand("4.1.1", spectrum, traffic, strings.Replace(rack43, "shaping.port_group_list = [slow]", "", 1), datapath, preset)
	require.True(t, u.Coverage.Whole(), "%v", u.Coverage.Not)
	d := detail(u, "swp1")
	assert.Equal(t, [8]int8{0, 0, 0, 0, 4, 0, 0, 0}, d.Group, "groups with one number on the chip are one group")
	assert.Equal(t, ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: 1}), d.Groups[4].Limit)
	assert.Equal(t, ir.Of("ingress_service_pool.1"), d.Groups[4].Pool)
	assert.Equal(t, ir.Of("egress_service_pool.1"), d.Queues[4].Pool)
	assert.Equal(t, ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: 3}), d.Queues[0].Limit)

	broadcom := `priority_group.service.id = 2
priority_group.service.service_pool = 2
egress_service_pool.2.percent = 90.0
priority_group.service.ingress_buffer.shared_percent = 4.0
priority_group.service.unlimited_egress_buffer = true
priority_group.bulk.egress_buffer.uc.sp_percent = 45.0
cos_egr_queue.cos_4.uc = 4
dos.sip_eq_dip = true
`
	u = understand("3.7.16", Chip{Known: true}, traffic, strings.Replace(rack43, "shaping.", "# shaping.", -1),
		strings.Replace(datapath, "mlx", "bcm", 1), broadcom)
	d = detail(u, "swp1")
	assert.Equal(t, ir.Of("ingress_service_pool.2"), d.Groups[4].Pool)
	assert.Equal(t, ir.Of(ir.Limit{}), d.Queues[4].Limit)
	assert.Equal(t, ir.Of("egress_service_pool.2"), d.Queues[4].Pool)
	assert.Equal(t, 2, u.Coverage.Aside["a percentage of a Broadcom chip's memory, of which no manual states the base"])
}

// A mistake makes only the fields of its row unknown.
func TestSlips(t *testing.T) {
	without := func(from, to string) (*target.Understood, *ir.PortSettings) {
		require.Contains(t, rack43, from)
		u := understand("4.3.0", spectrum, traffic, strings.Replace(rack43, from, to, 1))
		require.NotEmpty(t, u.Coverage.Not, to)
		assert.Equal(t, int8(6), u.Settings.Port("swp1").DSCP[48], "the other rows are read")
		return u, u.Settings.Port("swp1")
	}
	for from, to := range map[string]string{
		"pfc.port_group_list = [roce]": "pfc.port_group_list = [roce", "pfc.roce.cos_list = [4]": "pfc.roce.cos_list = 4",
		"swp1-swp3,swp9s0-swp9s3\npfc.roce.port_buffer": "swp3-swp1\npfc.roce.port_buffer", "rx_enable = TRUE": "rx_enable = yes",
	} {
		_, p := without(from, to)
		assert.False(t, p.PausesKnown, to)
		assert.Equal(t, uint8(1<<4), p.Marks)
	}
	_, p := without("pfc.roce.xoff_size = 18000", "pfc.roce.xoff_size = 18k")
	assert.True(t, p.PausesKnown)
	assert.Zero(t, p.Headroom)
	assert.False(t, p.Detail.Get().Groups[4].Xoff.Known() || p.Detail.Get().Groups[4].Headroom.Known())
	assert.Equal(t, ir.Of(70000), p.Detail.Get().Groups[4].Buffer)
	_, p = without("traffic.cos_4.priority_source.dscp = [26]", "traffic.cos_4.priority_source.dscp = [26,99]")
	assert.Equal(t, int8(-1), p.DSCP[26])
	_, p = without("ecn_red.roce.cos_list = [4]", "ecn_red.roce.cos_list = [4,]")
	assert.Zero(t, p.Marks)
	assert.False(t, p.Detail.Get().Queues[2].ECN.Known())
	u, _ := without("priority_group.bulk.weight = 16", "priority_group.bulk.weight = heavy")
	assert.Equal(t, "the key does not take such a value", u.Coverage.Not[0].Why)
	assert.Equal(t, 17, u.Coverage.Not[0].At.Start.Line)
	_, p = without("traffic.packet_priority_source_set = [802.1p, dscp]", "traffic.packet_priority_source_set = [8021p]")
	assert.False(t, p.TrustKnown)
	without("dos_enable = false", "dos_enable\n")
	without("dos_enable = false", "pfc.roce.cos_9.x = 1")
	_, p = without("dos_enable = false", "default_ecn_red_conf.ecn_enable = true")
	assert.True(t, p.PausesKnown)
}

// Keys about which manuals and files in use disagree are unknown if the release is known; quotes change nothing.
func TestSpellings(t *testing.T) {
	ecn := "ecn.port_group_list = [e]\necn.e.cos_list = [4]\necn.e.port_set = \"swp1\"\n"
	marks := func(release, text string) ir.Setting[bool] {
		return detail(understand(release, spectrum, traffic, text), "swp1").Queues[4].ECN
	}
	assert.Equal(t, ir.Of(true), marks("4.1.1", ecn))
	assert.False(t, marks("4.3.0", ecn).Known())
	assert.False(t, detail(understand("5.9.1", spectrum, features, ecn), "swp1").Queues[4].ECN.Known())
	later := strings.NewReplacer("ecn", "ecn_red", "cos_list", "egress_queue_list").Replace(ecn)
	assert.Equal(t, ir.ByDefault(true), detail(understand("5.9.1", spectrum, features, later), "swp1").Queues[4].ECN)
	assert.Equal(t, ir.ByDefault(true), marks("3.1.2", strings.ReplaceAll(ecn, "ecn.", "ecn_red.")), "the file shows that the release "+
		"accepts it")

	u := understand("3.1.0", Chip{}, traffic, "priority_group.lossless.lossless_flag = true\npriority_group.lossless.cos_list = [4]\n")
	assert.False(t, u.Settings.Rest.PausesKnown, "one lossless group for all ports")
	u = understand("3.4.3", Chip{}, traffic, "traffic.cos_4.packet_priorities = [3]\n")
	assert.Equal(t, [2]int8{-1, -1}, [2]int8{u.Settings.Rest.PCP[3], u.Settings.Rest.DSCP[3]}, "which field is trusted is not known")
	assert.False(t, u.Settings.Rest.Detail.Get().DefaultCos.Known())
	u = understand("", Chip{}, traffic, strings.Replace(rack43, "[4]\npfc.roce.port_set", "[4,5]\npfc.roce.port_set", 1), datapath, "")
	assert.Equal(t, int8(4), detail(u, "swp1").Group[5], "the folder is of Spectrum")
}

// For a port in two groups, the pauses of both count. A value in which they differ is unknown.
func TestTwoGroups(t *testing.T) {
	more := rack43 + "pfc.roce2.cos_list = [4]\npfc.roce2.port_set = swp2\npfc.roce2.port_buffer_bytes = 70000\npfc.roce2.xoff_size = 9000\n"
	more = strings.Replace(more, "pfc.port_group_list = [roce]", "pfc.port_group_list = [roce, roce2]", 1)
	u := understand("4.3.0", spectrum, traffic, more)
	g := detail(u, "swp2").Groups[4]
	assert.Equal(t, ir.Of(70000), g.Buffer)
	assert.False(t, g.Xoff.Known())
	wide := strings.Replace(rack43, "pfc.roce.cos_list = [4]", "pfc.roce.cos_list = [4,5]", 1)
	assert.Equal(t, int8(4), detail(understand("4.3.0", spectrum, traffic, wide), "swp1").Group[5], "one group on Spectrum")
	assert.Equal(t, int8(-1), detail(understand("4.3.0", Chip{}, traffic, wide), "swp1").Group[5])
}

func TestWhere(t *testing.T) {
	u := understand("4.3.0", spectrum, traffic, rack43)
	for _, tt := range []struct {
		port  string
		f     ir.Field
		index int
		value string
	}{
		{"swp1", ir.FieldXoff, 4, "18000"},
		{"swp1", ir.FieldHeadroom, 4, "70000"},
		{"swp9s1", ir.FieldPauses, 4, "[4]"},
		{"swp1", ir.FieldDSCP, 48, "48"},
		{"swp1", ir.FieldPCP, 9, ""},
		{"swp1", ir.FieldTrust, -1, "[802.1p, dscp]"},
		{"swp3", ir.FieldMaxRate, 5, "[0, 2147483647]"},
		{"swp3", ir.FieldShaper, -1, "900000"},
		{"swp1", ir.FieldShare, 4, "32"},
		{"swp1", ir.FieldMarking, 4, "[4]"},
		{"swp1", ir.FieldShaper, -1, ""},
		{"swp7", ir.FieldXoff, 4, ""},
		{"swp1", ir.FieldXoff, 5, ""},
		{"swp1", ir.FieldMTU, -1, ""},
	} {
		at, ok := u.Where(tt.port, tt.f, tt.index)
		assert.Equal(t, tt.value != "", ok, "%+v", tt)
		if ok {
			assert.Equal(t, traffic, at.Filename)
			assert.Equal(t, tt.value, rack43[at.Start.Byte:at.End.Byte])
			assert.Equal(t, strings.Count(rack43[:at.Start.Byte], "\n")+1, at.Start.Line)
		}
	}
}

// TestChoose: one of several files is read, and the others are listed as unread.
func TestChoose(t *testing.T) {
	const idle = "the release does not read this file"
	u := understand("5.9.1", Chip{}, traffic, rack43, features, classes5, infra, memory5)
	assert.Equal(t, strings.Count(rack43, " = "), u.Coverage.Aside[idle])
	assert.True(t, u.Coverage.Whole())
	u = understand("", Chip{}, traffic, rack43, features, classes5)
	assert.Equal(t, strings.Count(rack43, " = "), u.Coverage.Aside[idle])
	u = understand("4.3.0", Chip{}, "backup", rack43)
	assert.True(t, u.Settings.Port("swp1").PausesKnown, "for an unknown name the content shows the kind of file")
	u = understand("", Chip{}, "backup", "a = 1\nb.c = 2\n")
	assert.Len(t, u.Coverage.Not, 2)
	assert.Nil(t, u.Settings.Rest)
	u = understand("", Chip{})
	assert.Zero(t, u.Coverage.Rows)
	assert.Nil(t, u.Settings.Port("swp1"))
	u = understand("4.3.0", Chip{}, traffic, strings.Repeat("#\n", grammar.MaxFile))
	assert.Equal(t, "the file is larger than 1 MiB", u.Coverage.Not[0].Why)
	assert.Nil(t, u.Settings.Rest)
	u = understand("4.3.0", Chip{}, traffic, "pfc.x.cos_list=[1]\npfc.x.cos_list=[2]\n")
	assert.Equal(t, 1, u.Coverage.Aside["a later line sets the same key"])
	u = understand("4.3.0", Chip{}, strings.Replace(datapath, "mlx", "bcm", 1), "egress_service_pool.0.percent = 1\n", datapath,
		"egress_service_pool.0.percent = 2\n")
	assert.Equal(t, ir.Of(1), u.Settings.Pools["egress_service_pool.0"].Percent)
	u = understand("4.3.0", spectrum, strings.Replace(datapath, "mlx", "bcm", 1), "egress_service_pool.0.percent = 1\n", datapath,
		"egress_service_pool.0.percent = 2\n")
	assert.Equal(t, ir.Of(2), u.Settings.Pools["egress_service_pool.0"].Percent)
}

// A range of whole ports contains the parts of split ports. A range that mixes whole and split ports is split into ports; one with ports
// beyond any switch is not.
func TestPorts(t *testing.T) {
	conf := "pfc.port_group_list = [a]\npfc.a.cos_list = [4]\npfc.a.port_set = "
	sends := func(ports []string, set, port string) bool {
		c := Files(target.Identity{Release: "4.3.0", Ports: ports}, spectrum, map[string][]byte{traffic: []byte(conf + set)})
		return c.Understood().Settings.Port(port).Sends != 0
	}
	assert.True(t, sends([]string{"swp1", "swp2s0", "swp2s1", "swp3"}, "swp1-swp3", "swp2s1"))
	assert.True(t, sends(nil, "swp1s2-swp3", "swp1s3"))
	assert.False(t, sends(nil, "swp1s2-swp3", "swp1s1"))
	assert.True(t, sends(nil, "swp1s2-swp3", "swp2"))
	far := understand("4.3.0", spectrum, traffic, conf+strings.Repeat("swp1-swp9999,", 40)+"swp1")
	assert.Nil(t, far.Settings.Rest)
	assert.False(t, far.Coverage.Whole())
}

// TestOrder: the order of lines, comments, unknown keys and blank lines do not change the result.
func TestOrder(t *testing.T) {
	rnd := rand.New(rand.NewSource(7))
	for _, f := range []struct{ release, path, text, more string }{
		{"4.3.0", traffic, rack43, ""}, {"", traffic, rack43, ""}, {"5.9.1", features, classes5, memory5}, {"", features, classes5, memory5},
	} {
		want := understand(f.release, spectrum, f.path, f.text, infra, f.more)
		for range 50 {
			lines := strings.Split(strings.TrimSuffix(f.text, "\n"), "\n")
			rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			for i := range lines {
				switch rnd.Intn(4) {
				case 0:
					lines[i] = strings.Replace(lines[i], " = ", "=", 1) + " # why"
				case 1:
					lines[i] += "\n# pfc.roce.xoff_size = 1\n\n"
				case 2:
					lines[i] += fmt.Sprintf("\nfuture.key_%d = x", i)
				}
			}
			got := understand(f.release, spectrum, f.path, strings.Join(lines, "\n"), infra, f.more)
			require.Equal(t, names(want.Settings), names(got.Settings))
			require.True(t, want.Settings.Equal(got.Settings))
			require.Equal(t, want.Settings.Pools, got.Settings.Pools)
			require.Equal(t, want.Coverage.Means, got.Coverage.Means)
		}
	}
}

func names(s *ir.Settings) []string { return slices.Sorted(maps.Keys(s.Ports)) }

// TestManyPorts: ten thousand ports have few different settings.
func TestManyPorts(t *testing.T) {
	text := strings.ReplaceAll(rack43, "swp1-swp3,swp9s0-swp9s3", "swp1-swp5000,swp5001-swp9999")
	u := understand("4.3.0", spectrum, traffic, text)
	require.True(t, u.Coverage.Whole())
	kinds := map[*ir.PortSettings]bool{}
	for _, p := range u.Settings.Ports {
		kinds[p] = true
	}
	assert.Len(t, u.Settings.Ports, 9999)
	assert.Len(t, kinds, 2)
}

func BenchmarkManyPorts(b *testing.B) {
	text := strings.ReplaceAll(rack43, "swp1-swp3,swp9s0-swp9s3", "swp1-swp5000,swp5001-swp9999")
	for b.Loop() {
		understand("4.3.0", spectrum, traffic, text)
	}
}

// damaged changes some bytes of a text.
func damaged(rnd *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + rnd.Intn(12) {
		b[rnd.Intn(len(b))] = "=.,[]-#\n09sx\x00\xff"[rnd.Intn(14)]
	}
	return string(b)
}

// FuzzUnderstand: for any bytes, the reader does not fail, returns the same result twice, and counts every row.
func FuzzUnderstand(f *testing.F) {
	f.Add(rack43, "a = 1")
	f.Add(classes5, memory5)
	f.Add("pfc.port_group_list = [g"+strings.Repeat(",g,h", 500)+"]\npfc.g.port_set = swp1-swp60000"+strings.Repeat(",swp1-swp4000", 900), "")
	f.Add("\xef\xbb\xbftraffic.packet_priority_source = dscp\r\n= 3\nx\x00y = \r", "ingress_service_pool.9.percent = 1e9\n")
	rnd := rand.New(rand.NewSource(3))
	for range 60 { // without -fuzz, a run also tries damaged files
		f.Add(damaged(rnd, rack43), damaged(rnd, memory5))
		f.Add(damaged(rnd, classes5), damaged(rnd, memory5))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, id := range []target.Identity{{}, {Release: "3.1.1"}, {Release: "4.3.0", Ports: []string{"swp1", "swp2s0"}}, {Release: "5.9.1"}} {
			for _, paths := range [][2]string{{traffic, datapath}, {features, infra}, {"x", "y"}} {
				contents := map[string][]byte{paths[0]: []byte(a), paths[1]: []byte(b)}
				u, again := Files(id, spectrum, contents).Understood(), Files(id, spectrum, contents).Understood()
				require.True(t, u.Settings.Equal(again.Settings))
				require.Equal(t, u.Settings.Pools, again.Settings.Pools)
				require.Equal(t, u.Coverage, again.Coverage)
				n := len(u.Coverage.Not)
				for _, of := range u.Coverage.Means {
					n += of
				}
				for _, of := range u.Coverage.Aside {
					n += of
				}
				require.Equal(t, u.Coverage.Rows, n)
				for _, field := range ir.Fields() {
					u.Where("swp1", field, 4)
				}
			}
		}
	})
}
