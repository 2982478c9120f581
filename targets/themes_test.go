package targets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/targets/target/targettest"
	"github.com/rocec/rocec/validate/settings"
)

// theme is a mistake in settings that harms lossless traffic, with a configuration of each system in which it is found.
type theme struct {
	what  string
	cells [len(systems)]cell
}

// The systems of the table, each with a sound file of testdata/themes to which the mistakes are added.
var systems = [...]string{"traffic.conf", "startup.yaml", "config_db.json"}

// cell is a sound configuration with one change, and the code of the finding, or the reason why a configuration of the system cannot have
// the mistake.
type cell struct {
	change []string // the old text, and its replacement
	code   string
	cannot string
}

func found(code string, change ...string) cell { return cell{change: change, code: code} }
func cannot(why string) cell                   { return cell{cannot: why} }

const (
	ownQueues  = "a queue has the number of its cos there; qos_infra.conf of 4.4 and later can give it another"
	ownBuffers = "limits of queues and groups are in datapath.conf there, and in qos_infra.conf"
	noStatic   = "its pools have one kind of limit"
	itsMask    = "its watchdog watches the priorities with PFC, and drops"
)

// themes is the table theme x system x code.
var themes = []theme{
	{"headroom below what still arrives", [...]cell{
		found("conf-headroom", "port_buffer_bytes = 70000", "port_buffer_bytes = 23000"),
		found("conf-headroom", "cable-length: 5", "cable-length: 5\n          port-buffer: 23000\n          xoff-threshold: 18000"),
		found("conf-headroom", `"xoff": "35840"`, `"xoff": "2000"`),
	}},
	{"headroom below the published size", [...]cell{
		cannot("no file states the speed of a port"),
		found("conf-headroom", "cable-length: 5", "cable-length: 5\n          port-buffer: 40000\n          xoff-threshold: 18000"),
		found("conf-headroom", `"xoff": "35840"`, `"xoff": "20000"`),
	}},
	{"a cable of 0 m", [...]cell{
		found("conf-headroom", "port_buffer_bytes = 70000", "port_buffer_bytes = 18500"),
		found("conf-nvue-value", "cable-length: 5", "cable-length: 0"),
		found("conf-cable-zero", `"5m"`, `"0m"`),
	}},
	{"a cable that the headroom is not for", [...]cell{
		found("conf-headroom", "pfc.roce.xoff_size", "pfc.roce.cable_length = 1000\npfc.roce.xoff_size"),
		found("conf-headroom", "cable-length: 5", "cable-length: 100000"),
		found("conf-headroom", `"5m"`, `"1000m"`),
	}},
	{"headroom that is not reserved", [...]cell{
		cannot("a group of pfc has its buffer for itself"),
		cannot("headroom is the buffer less xoff-threshold, or that of the pool"),
		found("conf-headroom", `"size": "54272"`, `"size": "20000"`, `,
      "xoff": "4000000"`, ""),
	}},
	{"a pause ends where it begins", [...]cell{
		found("conf-sizes", "xon_delta = 4000", "xon_delta = 0"),
		cannot("a pause ends xon-threshold bytes below xoff-threshold; 0 is refused"),
		cannot("a group asks for a pause by its part of a pool, which is no number"),
	}},
	{"WRED drops lossless packets", [...]cell{
		found("conf-red-lossless", "red_enable = false", "red_enable = true"),
		found("conf-red-lossless", "ecn: enable", "ecn: disable", "red: disable", "red: enable"),
		found("conf-red-lossless", `"ecn": "ecn_all"`, `"ecn": "ecn_none"`),
	}},
	{"a lossless queue marks nothing", [...]cell{
		found("conf-unmarked", "ecn_enable = true", "ecn_enable = false"),
		found("conf-unmarked", "ecn: enable", "ecn: disable"),
		found("conf-unmarked", `,
      "wred_profile": "ROCE"`, ""),
	}},
	{"marking is not switched on", [...]cell{
		found("conf-unmarked", "ecn_enable = true", "ecn_enable = false"),
		found("conf-unmarked", "ecn: enable", "ecn: disable"),
		found("conf-unmarked", `,
      "wred_green_enable": "true"`, ""),
	}},
	{"marking ends below where it begins", [...]cell{
		found("conf-ecn-thresholds", "max_threshold_bytes = 1500000", "max_threshold_bytes = 100000"),
		found("conf-ecn-thresholds", "max-threshold: 1500000", "max-threshold: 100000"),
		found("conf-ecn-thresholds", `"green_max_threshold": "1500000"`, `"green_max_threshold": "100000"`),
	}},
	{"marking has the probability 0", [...]cell{
		found("conf-ecn-thresholds", "probability = 100", "probability = 0"),
		found("conf-ecn-thresholds", "probability: 100", "probability: 0"),
		found("conf-ecn-thresholds", `"green_drop_probability": "100"`, `"green_drop_probability": "0"`),
	}},
	{"marking has no thresholds", [...]cell{
		found("conf-ecn-thresholds", "= 150000\n", "= 0\n", "= 1500000\n", "= 0\n"),
		cannot("a class without thresholds has those of the system, and 0 is refused"),
		found("conf-ecn-thresholds", `
      "green_max_threshold": "1500000",
      "green_min_threshold": "150000",`, ""),
	}},
	{"WRED is switched off", [...]cell{
		cannot("ecn_enable alone decides"),
		cannot("ecn alone decides"),
		found("conf-unmarked", `"wred_green_enable": "true"`, `"wred_green_enable": "false"`),
	}},
	{"marking begins above the memory", [...]cell{
		found("conf-ecn-thresholds", "= 150000\n", "= 90000000\n", "= 1500000\n", "= 99000000\n"),
		found("conf-ecn-thresholds", "-threshold: 150000\n", "-threshold: 90000000\n", "-threshold: 1500000\n", "-threshold: 99000000\n"),
		found("conf-ecn-thresholds", `"150000"`, `"90000000"`, `"1500000"`, `"99000000"`),
	}},
	{"marking begins after pauses", [...]cell{
		cannot(ownBuffers),
		found("conf-ecn-thresholds", "shared-alpha: alpha_1\n", "shared-alpha: alpha_1_128\n", "-threshold: 150000\n", "-threshold: 800000\n"),
		found("conf-ecn-thresholds", `"dynamic_th": "0"`, `"dynamic_th": "-8"`),
	}},
	{"a lossless queue is limited", [...]cell{
		cannot(ownBuffers),
		found("conf-egress-limited", "alpha_infinity", "alpha_1_8"),
		found("conf-egress-limited", `"dynamic_th": "7"`, `"dynamic_th": "-3"`),
	}},
	{"a limit is not of the kind of its pool", [...]cell{
		cannot(ownBuffers),
		cannot(noStatic),
		found("conf-pools", `"mode": "dynamic",
      "size": "34000000"`, `"mode": "static",
      "size": "34000000"`),
	}},
	{"shared headroom below that of one port", [...]cell{
		cannot(ownBuffers),
		cannot("no path states its size"),
		found("conf-pools", `"xoff": "4000000"`, `"xoff": "20000"`),
	}},
	{"a pool has no memory", [...]cell{
		cannot(ownBuffers),
		found("conf-nvue-pool", "default-lossless:\n          memory-percent: 50", "default-lossless:\n          memory-percent: 0"),
		cannot("the model of a pool wants a size, and the dynamic buffer model computes it"),
	}},
	{"lossy traffic is in a lossless buffer", [...]cell{
		found("conf-lossless-shared", "service.cos_list = [4]", "service.cos_list = [0,4]", "[0,1,2,3,5]", "[1,2,3,5]"),
		cannot("a lossless priority has a group of its own"),
		found("conf-lossless-shared", `"6": "0",
      "7": "0"
`, `"6": "3",
      "7": "0"
`),
	}},
	{"unmarked traffic is lossless", [...]cell{
		found("conf-lossless-default", "dscp = [26]", "dscp = [0,26]", "dscp = [0,1,", "dscp = [1,"),
		found("conf-lossless-default", "port-default-sp: 0", "port-default-sp: 3"),
		found("conf-lossless-default", `"0": "0",
      "1": "0",
      "2": "0",
      "3": "0",
      "4": "0",
      "5": "0",
      "6": "0",
      "7": "0",
      "8"`, `"0": "3",
      "1": "0",
      "2": "0",
      "3": "0",
      "4": "0",
      "5": "0",
      "6": "0",
      "7": "0",
      "8"`),
	}},
	{"a class with PFC has no lossless buffer", [...]cell{
		cannot("a group of pfc has a buffer, of the size that it states or of the cable"),
		cannot("a profile of pfc has a buffer"),
		found("conf-sonic-lossless", `{
      "profile": "pg_lossless_100000_5m_profile"`, `{
      "profile": "ingress_lossy_profile"`),
	}},
	{"a class with PFC is reached by no packet", [...]cell{
		found("conf-pfc-unreachable", "dscp = [26]", "dscp = []", "dscp = [0,1,", "dscp = [26,0,1,"),
		found("conf-pfc-unreachable", "trust: l3", "trust: port"),
		found("conf-pfc-unreachable", `"26": "3"`, `"26": "0"`),
	}},
	{"a port with PFC trusts another field than the others", [...]cell{
		found("conf-pfc-unreachable", "pfc.port_group_list = [roce]", "source.port_group_list = [old]\nsource.old.port_set = swp1\n"+
			"source.old.packet_priority_source_set = [802.1p]\nsource.old.cos_0.priority_source.8021p = [0,1,2,3,4,5,6,7]\n"+
			"pfc.port_group_list = [roce]"),
		found("conf-pfc-unreachable", "      swp1-2:\n", "      swp3:\n        qos:\n          mapping:\n            profile: old\n          "+
			"pfc:\n            profile: roce\n      swp1-2:\n", "      mapping:\n        roce:\n", "      mapping:\n        old:\n          "+
			"trust: l2\n          pcp:\n            '3':\n              switch-priority: 0\n        roce:\n"),
		found("conf-pfc-unreachable", `"DSCP_TO_TC_MAP": {`, `"DSCP_TO_TC_MAP": {
    "OLD": {"0": "0", "24": "0", "26": "0", "48": "6"},`, `"Ethernet4": {
      "dscp_to_tc_map": "ROCE"`, `"Ethernet4": {
      "dscp_to_tc_map": "OLD"`),
	}},
	{"lossless traffic has strict priority", [...]cell{
		found("conf-lossless-strict", "egr_queue_4.bw_percent = 38", "egr_queue_4.bw_percent = 0"),
		found("conf-lossless-strict", "'3':\n              bw-percent: 50\n              mode: dwrr", "'3':\n              mode: strict"),
		found("conf-lossless-strict", `"type": "DWRR",
      "weight": "50"`, `"type": "STRICT"`),
	}},
	{"lossless traffic has no share", [...]cell{
		found("conf-bandwidth", "default_egress_sched.egr_queue_4.bw_percent = 38\n", ""),
		found("conf-nvue-shares", "'3':\n              bw-percent: 50", "'3':\n              bw-percent: 0"),
		found("conf-sonic-value", `"weight": "50"`, `"weight": "0"`),
	}},
	{"a shaper holds a lossless port", [...]cell{
		found("conf-throttled", "slow.port_set = swp9", "slow.port_set = swp1"),
		found("conf-throttled", "          mapping:\n            profile: roce", "          egress-shaper:\n            profile: slow\n   "+
			"       mapping:\n"+
			"            profile: roce", "      mapping:\n        roce:\n          dscp", "      egress-shaper:\n        slow:\n          "+
			"port-max-rate: 900000\n"+
			"      mapping:\n        roce:\n          dscp"),
		found("conf-throttled", `"pfcwd_sw_enable": "3",`, `"pfcwd_sw_enable": "3",
      "scheduler": "slow",`, `"SCHEDULER": {`, `"SCHEDULER": {
    "slow": {"pir": "12500000"},`),
	}},
	{"a rate holds a lossless queue", [...]cell{
		found("conf-throttled", "slow.port_set = swp9", "slow.port_set = swp1", "shaping.slow.port.shaper = 900000\n", ""),
		found("conf-throttled", "          mapping:\n            profile: roce", "          egress-shaper:\n            profile: slow\n   "+
			"       mapping:\n"+
			"            profile: roce", "      mapping:\n        roce:\n          dscp", "      egress-shaper:\n        slow:\n          "+
			"traffic-class:\n"+
			"            '3':\n              max-rate: 900000\n      mapping:\n        roce:\n          dscp"),
		found("conf-throttled", `"type": "DWRR",`, `"type": "DWRR",
      "pir": "12500000",`),
	}},
	{"a queue is promised more than its limit", [...]cell{
		found("conf-shaper", "slow.port_set = swp9", "slow.port_set = swp1", "shaping.slow.port.shaper = 900000\n",
			"shaping.slow.egr_queue_1.shaper = [200000, 100000]\n"),
		found("conf-shaper", "          mapping:\n            profile: roce", "          egress-shaper:\n            profile: slow\n   "+
			"       mapping:\n"+
			"            profile: roce", "      mapping:\n        roce:\n          dscp", "      egress-shaper:\n        slow:\n          "+
			"traffic-class:\n"+
			"            '1':\n              max-rate: 100000\n              min-rate: 200000\n      mapping:\n        roce:\n          dscp"),
		found("conf-shaper", `"type": "DWRR",`, `"type": "DWRR",
      "cir": "25000000",
      "pir": "12500000",`),
	}},
	{"the watchdog only reports", [...]cell{
		cannot("4.1 has no watchdog; later ones drop"),
		cannot(itsMask),
		found("conf-watchdog-idle", `"action": "drop"`, `"action": "alert"`),
	}},
	{"the watchdog watches nothing", [...]cell{
		cannot("4.1 has no watchdog"),
		cannot(itsMask),
		found("conf-watchdog-idle", `      "pfcwd_sw_enable": "3",
`, ""),
	}},
	{"the watchdog watches other priorities", [...]cell{
		cannot("4.1 has no watchdog"),
		cannot(itsMask),
		found("conf-sonic-watchdog", `"pfcwd_sw_enable": "3"`, `"pfcwd_sw_enable": "4"`),
	}},
	{"PFC is asymmetric", [...]cell{
		cannot("no key does so"),
		cannot("no path does so"),
		found("conf-pfc-asymmetric", `"pfc_asym": "off"`, `"pfc_asym": "on"`),
	}},
	{"PFC goes one way", [...]cell{
		found("conf-pfc-half", "tx_enable = true", "tx_enable = false"),
		found("conf-nvue-pause", "tx: enable", "tx: disable"),
		cannot("pfc_enable is both ways"),
	}},
	{"link pause is beside PFC", [...]cell{
		found("conf-pfc-and-pause", "pfc.port_group_list = [roce]", "link_pause.port_group_list = [all]\nlink_pause.all.port_set = swp1-swp4\n"+
			"link_pause.all.port_buffer_bytes = 70000\nlink_pause.all.xoff_size = 18000\nlink_pause.all.xon_delta = 4000\n"+
			"link_pause.all.rx_enable = true\nlink_pause.all.tx_enable = true\npfc.port_group_list = [roce]"),
		found("conf-nvue-pause", "          mapping:\n            profile: roce", "          link-pause:\n            profile: all\n      "+
			"    mapping:\n"+
			"            profile: roce", "      mapping:\n        roce:\n          dscp", "      link-pause:\n        all:\n          rx: enable\n"+
			"          tx: enable\n      mapping:\n        roce:\n          dscp"),
		cannot("CONFIG_DB cannot set link pause"),
	}},
	{"notifications have no cos", [...]cell{
		found("conf-value-unmapped", "dscp = [48]", "dscp = []"),
		cannot("a DSCP that a map leaves out has the one of the factory's map"),
		found("conf-value-unmapped", `"48": "6",
      `, ""),
	}},
	{"notifications wait behind unmarked traffic", [...]cell{
		found("conf-cnp-bulk", "dscp = [48]", "dscp = []", "[0,1,2,3,4,5,6,7,", "[48,0,1,2,3,4,5,6,7,"),
		found("conf-cnp-bulk", "switch-priority: 6", "switch-priority: 0"),
		found("conf-cnp-bulk", `"48": "6"`, `"48": "0"`),
	}},
	{"the field that tells the class is written anew", [...]cell{
		found("conf-remark", "priority_remark_set = []", "priority_remark_set = [dscp]\ntraffic.cos_4.priority_remark.dscp = [10]"),
		found("conf-remark", "          mapping:\n            profile: roce", "          mapping:\n            profile: roce\n          "+
			"remark:\n"+
			"            profile: out", "      traffic-pool:", "      remark:\n        out:\n          rewrite: l3\n          switch-priority:\n"+
			"            '3':\n              dscp: 10\n      traffic-pool:"),
		found("conf-remark", `"tc_to_queue_map": "ROCE"`, `"tc_to_dscp_map": "OUT",
      "tc_to_queue_map": "ROCE"`, `"TC_TO_QUEUE_MAP": {`, `"TC_TO_DSCP_MAP": {"OUT": {"3": "10"}},
  "TC_TO_QUEUE_MAP": {`),
	}},
	{"a group that is declared is in no list", [...]cell{
		found("conf-group-unlisted", "pfc.port_group_list = [roce]", "pfc.port_group_list = []"),
		found("conf-nvue-profile", "          pfc:\n            profile: roce", "          pfc:\n            profile: rocee"),
		found("conf-unmarked", `,
      "wred_profile": "ROCE"`, ""),
	}},
}

// TestThemes: each theme is found on each system that can have it, in a configuration without other findings.
func TestThemes(t *testing.T) {
	for i, name := range systems {
		data, err := os.ReadFile(filepath.Join("testdata", "themes", name))
		require.NoError(t, err)
		sound := targets.JudgeFiles([]lint.File{{Name: name, Data: data}})
		require.Empty(t, sound.Diagnostics, name)
		require.Empty(t, sound.Files[0].Why, name)
		for _, theme := range themes {
			c := theme.cells[i]
			t.Run(theme.what+" "+name, func(t *testing.T) {
				if c.cannot != "" {
					require.Empty(t, c.change)
					return
				}
				text := string(data)
				for k := 0; k < len(c.change); k += 2 {
					require.True(t, strings.Contains(text, c.change[k]) || k > 0, "the file has no %q", c.change[k])
					text = strings.ReplaceAll(text, c.change[k], c.change[k+1])
				}
				require.NotEqual(t, string(data), text)
				r := targets.JudgeFiles([]lint.File{{Name: name, Data: []byte(text)}})
				var codes []string
				for _, d := range r.Diagnostics {
					codes = append(codes, d.Code)
				}
				assert.True(t, slices.ContainsFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == c.code && d.At.Start.Line > 0 }),
					"%s is not found: %v", c.code, codes)
			})
		}
	}
}

// TestManyPorts: the rules judge a switch with 10,000 different ports in bounded time.
func TestManyPorts(t *testing.T) {
	s := &ir.Settings{Ports: map[string]*ir.PortSettings{}}
	for i := range 10_000 {
		p, d := ir.UnknownPort(), ir.UnknownDetail()
		p.PausesKnown, p.Sends, p.Obeys = true, 1<<3, 1<<3
		d.Cable, d.Speed, d.Queue[3], d.Group[3] = ir.Of(i), ir.Of[int64](100e9), 3, 3
		d.Groups[3] = ir.GroupSettings{Headroom: ir.Of(i), Lossless: ir.Of(true)}
		d.Queues[3] = ir.QueueSettings{Strict: ir.Of(true), Drop: ir.Of(true), ECN: ir.Of(false)}
		p.Detail = ir.NewDetail(d)
		s.Ports[fmt.Sprintf("swp%d", i)] = &p
	}
	var found lint.Findings
	took := targettest.ProcessorTime(t, func() { settings.Judge(&settings.Reading{Settings: s}, &found) })
	assert.Less(t, took, time.Second)
	assert.NotEmpty(t, found.Close())
}
