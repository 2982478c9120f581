package conflint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/target/lint"
)

// mutations are single faults in correct files, each with the only code that must report it, and the bytes at its place.
var mutations = []struct {
	file, old, new string
	severity       string
	code, at       string
}{
	// reading
	{"t1.conf", "dos_enable = false", "dos_enable", "error", "conf-syntax", "dos_enable"},
	{"t1.conf", "dos_enable = false", "dos enable = false", "error", "conf-syntax", "dos enable"},
	{"t1.conf", "dos_enable = false", "dos_\x00enable = false", "error", "conf-unreadable", "\x00"},
	{"t1.conf", "dos_enable = false", "dos_enable = fal\xffse", "error", "conf-unreadable", "\xff"},
	{"t1.conf", "dos_enable = false\n", "dos_enable = false\r", "error", "conf-unreadable", "\r"},
	{"t1.conf", "dos_enable", "pfc.roce.rx_enabled", "error", "conf-unknown-key", "pfc.roce.rx_enabled"},
	{"t1.conf", "traffic.cos_1.packet_priorities =", "traffic.cos_1.priority_source.8021p " +
		"=", "error", "conf-mixed-dialects", "traffic.cos_1.priority_source.8021p"},
	{"t1.conf", "dos_enable =", "priority_group.bulk.alias =", "error", "conf-foreign-key", "priority_group.bulk.alias"},
	{"t1.conf", "dos_enable = false", "pfc.roce.cable_length = 5", "error", "conf-foreign-key", "pfc.roce.cable_length"},
	{"t4.conf", "dos_enable = false", "ecn.port_group_list = []", "warning", "conf-foreign-key", "ecn.port_group_list"},
	{"t1.conf", "dos_enable = false", "pfc.roce.xoff_size = 19000", "warning", "conf-duplicate-key", "pfc.roce.xoff_size"},
	{"t1.conf", "dos_enable = false", "pfc.roce.xoff_size = 18000", "note", "conf-duplicate-key", "pfc.roce.xoff_size"},

	// values
	{"t1.conf", "source = 802.1p", "source = 8021p", "error", "conf-value", "8021p"},
	{"t1.conf", "source = 802.1p", "source = [802.1p]", "error", "conf-value", "[802.1p]"},
	{"t4.conf", "source_set = [802.1p,dscp]", "source_set = [802.1p,dscp,port]", "error", "conf-value", "port"},
	{"t1.conf", "roce.cos_list = [4]", "roce.cos_list = [4,8]", "error", "conf-value", "8"},
	{"t1.conf", "mark.cos_list = [4]", "mark.cos_list = 4", "error", "conf-value", "4"},
	{"t1.conf", "mark.cos_list = [4]", "mark.cos_list = [4,]", "error", "conf-value", "[4,]"},
	{"t1.conf", "mark.cos_list = [4]", "mark.cos_list = [4,é]", "error", "conf-value", "[4,é]"},
	{"t1.conf", "mark.cos_list = [4]", "mark.cos_list = [4-5]", "warning", "conf-value", "4-5"},
	{"t1.conf", "probability = 100", "probability = 101", "error", "conf-value", "101"},
	{"t1.conf", "dwrr", "wrr", "error", "conf-value", "wrr"},
	{"t1.conf", "xoff_size = 18000", "xoff_size = 18KB", "error", "conf-value", "18KB"},
	{"t1.conf", "tx_enable = true", "tx_enable = on", "error", "conf-value", "on"},
	{"t4.conf", "cos_4.priority_remark.8021p = [4]", "cos_4.priority_remark.8021p = [4,5]", "error", "conf-value", "[4,5]"},
	{"t4.conf", "remark_set = [802.1p]", "remark_set = [cos]", "note", "conf-value", "cos"},

	// groups and ports
	{"t1.conf", "pfc.port_group_list = [roce]", "pfc.port_group_list = [roce, edge]", "error", "conf-group-undefined", "edge"},
	{"t1.conf", "pfc.port_group_list = [roce]", "pfc.port_group_list = [rocf]", "error", "conf-group-undefined", "rocf"},
	{"t1.conf", "pfc.port_group_list = [roce]\n", "", "error", "conf-group-unlisted", "pfc.roce.cos_list"},
	{"t1.conf", "ecn.port_group_list = [mark]\n", "", "warning", "conf-group-unlisted", "ecn.mark.cos_list"},
	{"t1.conf", "ecn.port_group_list = [mark]", "ecn.port_group_list = []", "note", "conf-group-unlisted", "ecn.mark.cos_list"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4,swp31-swp32\n", "", "error", "conf-group-incomplete", "roce"},
	{"t1.conf", "pfc.roce.cos_list = [4]\n", "", "error", "conf-group-incomplete", "roce"},
	{"t1.conf", "pfc.roce.cos_list = [4]", "pfc.roce.cos_list = []", "warning", "conf-group-incomplete", "[]"},
	{"t1.conf", "pfc.roce.xon_delta = 2000\n", "", "warning", "conf-group-incomplete", "roce"},
	{"t1.conf", "ecn.mark.cos_list = [4]\n", "", "warning", "conf-group-incomplete", "mark"},
	{"q1", "pfc.default-global.rx_enable = true\n", "", "note", "conf-group-incomplete", "default-global"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4", "pfc.roce.port_set = swp1-4", "error", "conf-port", "swp1-4"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4", "pfc.roce.port_set = swp4-swp1", "error", "conf-port", "swp4-swp1"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4", "pfc.roce.port_set = bond1", "error", "conf-port", "bond1"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4,swp31-swp32", "pfc.roce.port_set = [swp1]", "warning", "conf-port", "[swp1]"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4", "pfc.roce.port_set = allports", "error", "conf-port", "allports"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4", "pfc.roce.port_set = swp2,swp1-swp4", "note", "conf-port-twice", "swp1-swp4"},
	{
		"t1.conf", "cut_through_enable = true", "link_pause.port_group_list = [p]\nlink_pause.p.port_set = swp9,swp2",
		"error", "conf-pfc-and-pause", "swp2",
	},
	{
		"q1", "pfc.port_group_list", "link_pause.port_group_list = [p]\nlink_pause.p.port_set = swp9\nlink_pause.p.tx_enable = " +
			"true\n" +
			"link_pause.p.rx_enable = true\npfc.port_group_list", "error", "conf-pfc-and-pause", "swp9",
	},

	{"t1-pause.conf", "hosts.port_set = swp1-swp4,", "hosts.port_set = swp6,", "error", "conf-port", "swp6"},

	// classes
	{"t1.conf", "[control, service, bulk]", "[control, bulk]", "error", "conf-priority-group", "priority_group.service.cos_list"},
	{"t1.conf", "[control, service, bulk]", "[control, service, bulk, gold]", "error", "conf-priority-group", "gold"},
	{"t1.conf", "priority_group.control.cos_list = [6,7]\n", "", "error", "conf-priority-group", "control"},
	{"q1", "priority_group_list = [bulk]", "priority_group_list = [bulk, service]", "error", "conf-priority-group", "service"},
	{"t1.conf", "bulk.cos_list = [0,1,2,3,5]", "bulk.cos_list = [0,1,2,3,5,7]", "error", "conf-cos-twice", "7"},
	{"t1.conf", "bulk.cos_list = [0,1,2,3,5]", "bulk.cos_list = [0,1,2,5]", "error", "conf-cos-missing", "[control, service, " +
		"bulk]"},
	{"t1.conf", "cos_0.packet_priorities = [0]", "cos_0.packet_priorities = [0,5]", "warning", "conf-value-twice", "5"},
	{"t1.conf", "cos_1.packet_priorities = [1]", "cos_1.packet_priorities = []", "warning", "conf-value-unmapped", "802.1p"},
	{"t1.conf", "cos_5.packet_priorities = [3,5]", "cos_5.packet_priorities = [5]", "warning", "conf-value-unmapped", "802.1p"},
	{"t4.conf", "cos_5.priority_source.8021p = [3,5]", "cos_5.priority_source.8021p = " +
		"[5]", "error", "conf-value-unmapped", "802.1p"},
	{"t1.conf", "cos_1.packet_priorities = [1]", "cos_1.packet_priorities = [26]", "error", "conf-value", "26"},
	{"t1-dscp.conf", "source = dscp", "source = 802.1p", "error", "conf-value", "8"},
	{"t1.conf", "roce.cos_list = [4]", "roce.cos_list = [3]", "error", "conf-pfc-unreachable", "[3]"},
	{"t3-preset", "traffic.packet_priority_source_set = [dscp]\n", "", "warning", "conf-pfc-unreachable", "3"},
	{"t1.conf", "[control, service, bulk]", "[control, Service, bulk]", "error", "conf-priority-group", "Service"},
	{"t1-nomap.conf", "roce.cos_list = [4]", "roce.cos_list = [3]", "warning", "conf-pfc-unreachable", "3"},
	{"t1-dscp.conf", "roce.cos_list = [4]", "roce.cos_list = [5]", "error", "conf-pfc-unreachable", "[5]"},
	{"t1-dscp.conf", "mark.cos_list = [4]", "mark.cos_list = [5]", "warning", "conf-pfc-unreachable", "5"},
	{"t3-ports.conf", "storage.cos_4.priority_source.8021p = [4]", "storage.cos_4.priority_source.8021p = " +
		"[]", "warning", "conf-value-unmapped", "802.1p"},
	{"t1.conf", "cos_4.packet_priorities = [4]\ntraffic.cos_5.packet_priorities = [3,5]", "cos_4.packet_priorities = " +
		"[3,4]\ntraffic.cos_5.packet_priorities = [5]", "warning", "conf-cos-moved", "3"},
	{
		"t1.conf", "cos_0.packet_priorities = [0]\ntraffic.cos_1.packet_priorities = [1]\ntraffic.cos_2.packet_priorities = " +
			"[2]\ntraffic.cos_3.packet_priorities = []\n" +
			"traffic.cos_4.packet_priorities = [4]",
		"cos_0.packet_priorities = []\ntraffic.cos_1.packet_priorities = [1]\ntraffic.cos_2.packet_priorities = " +
			"[2]\ntraffic.cos_3.packet_priorities = []\n" +
			"traffic.cos_4.packet_priorities = [0,4]", "warning", "conf-lossless-default", "0",
	},
	{"q1", "port_default_priority = 0", "port_default_priority = 3", "warning", "conf-lossless-default", "3"},

	{"t1.conf", "priority_group.bulk.weight = 16", "priority_group.bulk.weight = 200", "error", "conf-weights", "200"},
	{"t1.conf", "priority_group.bulk.weight = 16\n", "", "note", "conf-weights", "priority_group.bulk.cos_list"},
	{
		"t1-pause.conf", "priority_group.service.weight = 16\npriority_group.bulk.weight = 16", "priority_group.service.weight " +
			"= 0\npriority_group.bulk.weight = 0",
		"warning", "conf-weights", "0",
	},

	// lossless
	{"t1.conf", "tx_enable = true", "tx_enable = false", "error", "conf-pfc-half", "false"},
	{"t1.conf", "rx_enable = true", "rx_enable = FALSE", "warning", "conf-pfc-half", "FALSE"},
	{"t1.conf", "tx_enable = true\npfc.roce.rx_enable = true", "tx_enable = false\npfc.roce.rx_enable = " +
		"false", "error", "conf-pfc-half", "false"},
	{"t1.conf", "xoff_size = 18000", "xoff_size = 70000", "error", "conf-sizes", "70000"},
	{"t1.conf", "xoff_size = 18000", "xoff_size = 0", "error", "conf-sizes", "0"},
	{"t1.conf", "xon_delta = 2000", "xon_delta = 18001", "error", "conf-sizes", "18001"},
	{"t1.conf", "xon_delta = 2000", "xon_delta = 18000", "note", "conf-sizes", "18000"},
	{"t1.conf", "port_buffer_bytes = 70000", "port_buffer_bytes = 25000", "error", "conf-headroom", "25000"},
	{"t1.conf", "port_buffer_bytes = 70000", "port_buffer_bytes = 35000", "warning", "conf-headroom", "35000"},
	{"t1-pause.conf", "port_buffer_bytes = 70000", "port_buffer_bytes = 26000", "error", "conf-headroom", "26000"},
	{"t4.conf", "dos_enable = false", "pfc.roce.port_buffer_bytes = 42000\r\npfc.roce.xoff_size = " +
		"18000", "warning", "conf-headroom", "42000"},
	{"t1.conf", "port_buffer_bytes = 70000", "port_buffer_bytes = 7000000", "error", "conf-memory", "7000000"},
	{"q1", "global.cos_list = [3]", "global.cos_list = [3,4]", "note", "conf-lossless-many", "[3,4]"},
	{
		"t1.conf", "priority_group.service.weight = 16", "priority_group.service.weight = 0",
		"warning", "conf-lossless-strict", "4",
	},
	{
		"t1.conf", "control.cos_list = [6,7]\npriority_group.service.cos_list = [4]", "control.cos_list = " +
			"[7]\npriority_group.service.cos_list = [4,6]",
		"note", "conf-lossless-shared", "4",
	},

	// marking, queues, pools
	{"t1.conf", "max_threshold_bytes = 1536000", "max_threshold_bytes = 153599", "error", "conf-ecn-thresholds", "153599"},
	{"t1.conf", "min_threshold_bytes = 153600", "min_threshold_bytes = 0", "error", "conf-ecn-thresholds", "0"},
	{"t1.conf", "probability = 100", "probability = 0", "warning", "conf-ecn-thresholds", "0"},
	{
		"t1.conf", "min_threshold_bytes = 153600\necn.mark.max_threshold_bytes = 1536000", "min_threshold_bytes = " +
			"20000000\necn.mark.max_threshold_bytes = 21000000",
		"warning", "conf-ecn-thresholds", "20000000",
	},
	{"t1.conf", "max_threshold_bytes = 1536000", "max_threshold_bytes = 20000000", "warning", "conf-ecn-thresholds", "20000000"},
	{"t3-preset", "port_buffer_bytes = 70000", "port_buffer_bytes = 6000000", "error", "conf-memory", "6000000"},
	{"t1.conf", "ecn.mark.max_threshold_bytes = 1536000\n", "", "warning", "conf-ecn-thresholds", "ecn.mark.min_threshold_bytes"},
	{"t4.conf", "red_enable = false", "red_enable = true", "error", "conf-red-lossless", "true"},
	{"q1", "red_enable = false", "red_enable = true", "error", "conf-red-lossless", "true"},
	{"t4.conf", "egr_queue_0.bw_percent = 12", "egr_queue_0.bw_percent = 20", "error", "conf-bandwidth", "0"},
	{
		"t4.conf", "default_egress_sched.egr_queue_4.bw_percent = 24\r\n", "", "warning", "conf-bandwidth",
		"default_egress_sched.egr_queue_7.bw_percent",
	},
	{"q1", "egr_queue_3.bw_percent = 13", "egr_queue_3.bw_percent = 0", "warning", "conf-lossless-strict", "0"},
	{"q1", "ingress_service_pool.1.percent = 50.0", "ingress_service_pool.1.percent = 60.0", "error", "conf-pools", "60.0"},
	{"q1", "ingress_service_pool.1.percent = 50.0", "ingress_service_pool.1.percent = 0", "error", "conf-pools", "0"},
	{"q1", "ingress_service_pool.1.percent = 50.0\n", "", "error", "conf-pools", "1"},
	{"q1", "flow_control.ingress_service_pool = 1\n", "", "error", "conf-pools", "default-global"},
	{"q1", "flow_control.egress_service_pool = 1", "flow_control.egress_service_pool = 0", "warning", "conf-pools", "0"},
	{"t4.conf", "cos_4.priority_remark.8021p = [4]", "cos_4.priority_remark.8021p = [2]", "warning", "conf-remark", "2"},
	{"t1-pause.conf", "cut_through_enable = false", "cut_through_enable = true", "note", "conf-cut-through", "true"},
	{"q2", "pfc.default-global.port_set = allports", "pfc.default-global.port_set = swp2-swp9", "warning", "conf-watchdog", "swp1"},
	{"q1", "cos_egr_queue.cos_3.uc = 3", "cos_egr_queue.cos_3.uc = 0", "warning", "conf-lossless-shared", "0"},
	{"q1", "priority_group.bulk.id = 0", "priority_group.bulk.service_pool = 1", "error", "conf-pools", "1"},
	{
		"q2", "pfc.port_group_list", "pfc.default-global.port_buffer_bytes = 90000000\npfc.default-global.xoff_size = " +
			"18000\npfc.default-global.xon_delta = 0\npfc.port_group_list", "error", "conf-memory", "90000000",
	},
	{
		"t3-ports.conf", "remark.out.port_set = swp9-swp12\nremark.out.cos_1", "remark.out.port_set = swp4-swp12\nremark.out.cos_4",
		"warning", "conf-remark", "10",
	},
	{"t1-pause.conf", "tx_enable = true", "tx_enable = false", "warning", "conf-pfc-half", "false"},
	{
		"q1", "pfc.default-global.cos_list = [3]\npfc.default-global.port_set = allports\npfc.default-global.cable_length = " +
			"50\npfc.default-global.tx_enable = true", "pfc.default-global.port_set = allports\npfc.default-global.tx_enable = false",
		"warning", "conf-pfc-half", "false",
	},
	{
		"t1.conf", "xoff_size = 18000", "xoff_size = 18000\npfc.roce.xoff_size = 18000\npfc.roce.xoff_size = 18000",
		"note", "conf-duplicate-key", "pfc.roce.xoff_size",
	},
	{"t1-pause.conf", "cut_through_enable = false", "cut_through_enable = True", "note", "conf-cut-through", "True"},

	// together
	{
		"t1-dscp.conf", "control.cos_list = [6,7]\npriority_group.service.cos_list = [4]\npriority_group.bulk.cos_list = [0,1,2,3,5]",
		"control.cos_list = [7]\npriority_group.service.cos_list = [4]\npriority_group.bulk.cos_list = [0,1,2,3,5,6]",
		"warning", "conf-cnp-bulk", "48",
	},
	{"t4.conf", "cos_0.priority_source.dscp = [0,", "cos_0.priority_source.dscp = [0,26,", "error", "conf-value-twice", "26"},
	{"t1-dscp.conf", "cos_5.packet_priorities = []", "cos_5.packet_priorities = [48]", "warning", "conf-value-twice", "48"},
	{
		"t4.conf", "25,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63]\r\n" +
			"traffic.cos_1.priority_source.dscp = []\r\ntraffic.cos_2.priority_source.dscp = []\r\ntraffic.cos_3.priority_source.dscp = []\r\n" +
			"traffic.cos_4.priority_source.dscp = [26]",
		"25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63]\r\n" +
			"traffic.cos_1.priority_source.dscp = []\r\ntraffic.cos_2.priority_source.dscp = []\r\ntraffic.cos_3.priority_source.dscp = []\r\n" +
			"traffic.cos_4.priority_source.dscp = []",
		"warning", "conf-two-trusts", "4",
	},
	{
		"t4.conf", "dos_enable = false", "priority_group.control.weight = 0\r\npriority_group.service.weight = " +
			"16\r\npriority_group.bulk.weight = 16",
		"warning", "conf-two-schedulers", "default_egress_sched.egr_queue_0.bw_percent",
	},
	{"t1.conf", "priority_group.bulk.weight = 16", "priority_group.bulk.weight = 0", "warning", "conf-strict-above", "0"},
	{"t1.conf", "priority_group.service.weight = 16", "priority_group.service.weight = 1", "warning", "conf-weights", "1"},
	{"t1.conf", "xoff_size = 18000\npfc.roce.xon_delta = 2000", "xoff_size = 1500\npfc.roce.xon_delta = 500", "warning", "conf-sizes", "1500"},
	{"t1.conf", "xoff_size = 18000", "xoff_size = 9000", "warning", "conf-sizes", "9000"},
	{"t1.conf", "pfc.roce.port_buffer_bytes = 70000\n", "", "error", "conf-headroom", "roce"},
	{"t1.conf", "pfc.roce.port_buffer_bytes = 70000\npfc.roce.xoff_size = 18000\n", "", "warning", "conf-group-incomplete", "roce"},

	// one finding is enough
	{"t1.conf", "pfc.port_group_list", "PFC.port_group_list", "error", "conf-unknown-key", "PFC.port_group_list"},
	{"t1.conf", "pfc.roce.cos_list", "pfc.roce.Cos_List", "error", "conf-unknown-key", "pfc.roce.Cos_List"},
	{"t1.conf", "pfc.roce.port_set", "pcf.roce.port_set", "error", "conf-unknown-key", "pcf.roce.port_set"},
	{"t1.conf", "pfc.roce.port_set", "pfc.roec.port_set", "error", "conf-group-unlisted", "pfc.roec.port_set"},
	{"t3-preset", "traffic.packet_priority_source_set = [dscp]", "traffic.packet_priority_source_set = [DSCP]", "error", "conf-value", "DSCP"},
	{"q2", "pfc.default-global.port_set = allports", "pfc.default-global.port_set = bond0", "error", "conf-port", "bond0"},
	{"t3-preset", "xoff_size = 18000", "xoff = 18000", "error", "conf-unknown-key", "pfc.ROCE_PFC.xoff"},
	{"t0.conf", "lossless_flag = true", "lossless_flag = false", "error", "conf-group-incomplete", "false"},
	{"t1.conf", "cos_7.packet_priorities", "cos_8.packet_priorities", "error", "conf-unknown-key", "traffic.cos_8.packet_priorities"},
	{"t1.conf", "cos_7.packet_priorities", "cos_7.packet_priority", "error", "conf-unknown-key", "traffic.cos_7.packet_priority"},
	{"t1.conf", "pfc.roce.cos_list = [4]", "pfc.roce.cos_list = [4 5]", "error", "conf-value", "4 5"},
	{"t1.conf", "xoff_size = 18000", "xoff_size = 18,000", "error", "conf-value", "18,000"},
	{
		"t1.conf", "dos_enable = false", "ecn_red.port_group_list = [a]\necn_red.a.cos_list = [4]\necn_red.a.port_set = swp1",
		"error", "conf-foreign-key", "ecn_red.port_group_list",
	},
	{
		"t4.conf", "# headroom from the cable\r\n", "ecn.port_group_list = []\r\n",
		"warning", "conf-foreign-key", "ecn.port_group_list",
	},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4,swp31-swp32", "pfc.roce.port_set = swp1 - swp4", "error", "conf-port", "swp1 - swp4"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4,swp31-swp32", "pfc.roce.port_set = swp1s0-swp1s9", "error", "conf-port", "swp1s0-swp1s9"},
	{"t1.conf", "pfc.roce.port_set = swp1-swp4,swp31-swp32", "pfc.roce.port_set = SWP1", "error", "conf-port", "SWP1"},
	{
		"t1.conf", "pfc.roce.port_set = swp1-swp4,swp31-swp32", "pfc.roce.port_set = swp1-swp4000000000",
		"error", "conf-port", "swp1-swp4000000000",
	},
}

// Exactly the expected code reports each single fault, at the wrong bytes.
func TestMutations(t *testing.T) {
	for _, m := range mutations {
		t.Run(m.code+"/"+m.file+"/"+strings.ReplaceAll(m.new, "/", " "), func(t *testing.T) {
			files := mutate(t, m.file, m.old, m.new)
			found := conflint.Check(files).Diagnostics
			if len(found) == 0 { // a rule for every system reports it
				sound := map[string]bool{}
				for _, d := range targets.JudgeFiles(read(t, filepath.Join("testdata", "sound", m.file))).Diagnostics {
					sound[d.Code+d.Detail] = true
				}
				found = slices.DeleteFunc(targets.JudgeFiles(files).Diagnostics, func(d *diag.Diagnostic) bool { return sound[d.Code+d.Detail] })
			}
			require.Len(t, found, 1, "%v", found)
			first := found[0]
			require.Equal(t, m.code, first.Code, "%v", first)
			require.Equal(t, m.severity, first.Severity.String())
			i := slices.IndexFunc(files, func(f lint.File) bool { return f.Name == first.At.Filename })
			require.Equal(t, m.at, string(files[i].Data[first.At.Start.Byte:first.At.End.Byte]))
			require.Equal(t, first.At.Start.Line, bytes.Count(files[i].Data[:first.At.Start.Byte], []byte("\n"))+1)
		})
	}
}

// mutate returns the files of a correct case with one replacement in one file.
func mutate(t *testing.T, name, old, fresh string) []lint.File {
	t.Helper()
	path := filepath.Join("testdata", "sound", name)
	_, err := os.Stat(path)
	require.NoError(t, err)
	files := read(t, path)
	done := 0
	for i := range files {
		if n := bytes.Count(files[i].Data, []byte(old)); n > 0 {
			require.Zero(t, done, "%q is in two files", old)
			done = n
			files[i].Data = bytes.Replace(files[i].Data, []byte(old), []byte(fresh), 1)
		}
	}
	require.Positive(t, done, "%q is in no file", old)
	return files
}
