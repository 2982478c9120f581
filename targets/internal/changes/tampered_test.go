package changes

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// written is a switch with the contents that rocec writes.
type written struct {
	tree  *target.Tree
	files [][]byte
}

// writtenBy returns the switch of a fabric after an apply on a factory-new device.
func writtenBy(t *testing.T, hcl string) *written {
	t.Helper()
	tree := switchOf(t, hcl)
	w := &written{tree: tree}
	plan := labtest.New(t, tree).Plan(t)
	require.Nil(t, plan.Err)
	after := map[string][]byte{}
	for _, c := range plan.Changes {
		after[c.Path] = c.After
	}
	for i := range tree.Devices[0].Files {
		path := tree.Devices[0].Files[i].Path
		require.Contains(t, after, path)
		w.files = append(w.files, after[path])
	}
	return w
}

// judged plans and verifies the switch with some contents, after the given number of runs.
func (w *written) judged(runs int, files [][]byte) *rollout.Health {
	h := &deploy.Have{Device: w.tree.Devices[0], Count: runs}
	for _, data := range files {
		h.Files = append(h.Files, deploy.Content{Data: data})
	}
	plan := deploy.Diff(w.tree, &deploy.Observed{Devices: []*deploy.Have{h}})
	return &rollout.Health{Drift: plan.Devices[0]}
}

// with returns the contents with texts replaced, old and new in turn; an empty old text means the end of the last file. ok reports whether
// each text was found.
func (w *written) with(change ...string) (files [][]byte, ok bool) {
	files, ok = slices.Clone(w.files), true
	for i := 0; i+1 < len(change); i += 2 {
		found := false
		for k, data := range files {
			switch {
			case change[i] == "" && k == len(files)-1:
				files[k], found = append(slices.Clip(data), change[i+1]...), true
			case change[i] != "" && strings.Contains(string(data), change[i]):
				files[k], found = []byte(strings.ReplaceAll(string(data), change[i], change[i+1])), true
			}
		}
		ok = ok && found
	}
	return files, ok
}

// The systems whose switches are tampered with.
var spellings = []struct{ name, hcl string }{
	{"files", judgetest.Rack(`version = "4.1.0"`)},
	{"pair", judgetest.Rack("version = \"5.9.1\"\n  config = \"files\"")},
	{"nvue", judgetest.Rack(`version = "5.9.1"`)},
	{"sonic", judgetest.SONiCRack("202505")},
}

// tampering is a change of one field by another person, in the spelling of each system. A single text is the reason why the system has no
// such field.
type tampering struct {
	field ir.Field
	by    [4][]string
}

func none(why string) []string { return []string{why} }

const (
	fixed    = "the system has it fixed"
	notHere  = "the files of this release do not spell it"
	ofNIC    = "it is a field of NICs"
	computed = "the switch computes it"
	asked    = "verify and plan ask the port itself (package seen)"
)

var tamperings = []tampering{
	{ir.FieldTrust, [4][]string{
		{"source_set = [dscp]", "source_set = [802.1p]"},
		{"source_set = [dscp]", "source_set = [802.1p]"},
		{"trust: l3", "trust: l2"},
		{"PORT_QOS_MAP|Ethernet0 dscp_to_tc_map \"ROCEC\"\n", ""},
	}},
	{ir.FieldDSCP, [4][]string{
		{"cos_3.priority_source.dscp = [26]", "cos_3.priority_source.dscp = []", "dscp = [24,25,", "dscp = [24,25,26,"},
		{"cos_3.priority_source.dscp = [26]", "cos_3.priority_source.dscp = []", "dscp = [24,25,", "dscp = [24,25,26,"},
		{"'26':\n              switch-priority: 3", "'26':\n              switch-priority: 4"},
		{"DSCP_TO_TC_MAP|ROCEC 26 \"3\"", "DSCP_TO_TC_MAP|ROCEC 26 \"0\""},
	}},
	{ir.FieldPCP, [4][]string{
		{"cos_3.priority_source.8021p = [3]", "cos_3.priority_source.8021p = []"},
		{"cos_3.priority_source.8021p = [3]", "cos_3.priority_source.8021p = []"},
		{"pcp:\n            '0':\n              switch-priority: 0", "pcp:\n            '0':\n              switch-priority: 3"},
		{"", "PORT_QOS_MAP|Ethernet0 dot1p_to_tc_map \"P\"\nDOT1P_TO_TC_MAP|P 0 \"3\"\n"},
	}},
	{ir.FieldDefaultCos, [4][]string{
		none(notHere), {"port_default_priority = 0", "port_default_priority = 3"}, {"port-default-sp: 0", "port-default-sp: 3"}, none(fixed),
	}},
	{ir.FieldQueue, [4][]string{
		none(fixed),
		{"cos_egr_queue.cos_3.uc = 3", "cos_egr_queue.cos_3.uc = 0"},
		{"'3':\n              traffic-class: 3", "'3':\n              traffic-class: 0"},
		{"TC_TO_QUEUE_MAP|ROCEC 3 \"3\"", "TC_TO_QUEUE_MAP|ROCEC 3 \"0\""},
	}},
	{ir.FieldGroup, [4][]string{
		{"service.cos_list = [3]", "service.cos_list = [3,4]", "[0,1,2,4,5]", "[0,1,2,5]"},
		none(fixed), none(fixed),
		{"TC_TO_PRIORITY_GROUP_MAP|ROCEC 3 \"3\"", "TC_TO_PRIORITY_GROUP_MAP|ROCEC 3 \"0\""},
	}},
	{ir.FieldPauses, [4][]string{
		{"roce_pfc.cos_list = [3]", "roce_pfc.cos_list = [3,4]"},
		{"roce_pfc.tx_enable = true", "roce_pfc.tx_enable = false"},
		{"tx: enable", "tx: disable"},
		{"Ethernet0 pfc_enable \"3\"", "Ethernet0 pfc_enable \"4\""},
	}},
	{ir.FieldLinkPause, [4][]string{
		{"", "link_pause.port_group_list = [p]\nlink_pause.p.port_set = swp1\nlink_pause.p.port_buffer_bytes = 70000\n" +
			"link_pause.p.xoff_size = 18000\nlink_pause.p.xon_delta = 2000\nlink_pause.p.rx_enable = true\nlink_pause.p.tx_enable = true\n"},
		{"", "link_pause.port_group_list = [p]\nlink_pause.p.port_set = swp1\nlink_pause.p.port_buffer_bytes = 70000\n" +
			"link_pause.p.xoff_size = 18000\nlink_pause.p.xon_delta = 2000\nlink_pause.p.rx_enable = true\nlink_pause.p.tx_enable = true\n"},
		{
			"          pfc:\n            profile: rocec-5m", "          link-pause:\n            profile: p\n          pfc:\n            " +
				"profile: rocec-5m",
			"      pfc:\n        rocec-5m:", "      link-pause:\n        p:\n          rx: enable\n          tx: enable\n      pfc:\n        " +
				"rocec-5m:",
		},
		none("CONFIG_DB cannot set link pause"),
	}},
	{ir.FieldAsymmetricPFC, [4][]string{none(notHere), none(notHere), none(notHere), {"", "PORT|Ethernet0 pfc_asym \"on\"\n"}}},
	{ir.FieldRewrite, [4][]string{
		{"priority_remark_set = []", "priority_remark_set = [dscp]"},
		{"priority_remark_set = []", "priority_remark_set = [dscp]"},
		{
			"          pfc:\n            profile: rocec-5m", "          pfc:\n            profile: rocec-5m\n          remark:\n            " +
				"profile: r",
			"      traffic-pool:", "      remark:\n        r:\n          rewrite: l3\n          switch-priority:\n            " +
				"'3':\n              dscp: 10\n      traffic-pool:",
		},
		{"", "PORT_QOS_MAP|Ethernet0 tc_to_dscp_map \"R\"\nTC_TO_DSCP_MAP|R 3 \"10\"\n"},
	}},
	{ir.FieldShaper, [4][]string{
		{"", "shaping.port_group_list = [s]\nshaping.s.port_set = swp1\nshaping.s.port.shaper = 900000\n"},
		{"", "shaping.port_group_list = [s]\nshaping.s.port_set = swp1\nshaping.s.port.shaper = 900000\n"},
		{"          egress-scheduler:\n            profile: rocec-egress", "          egress-scheduler:\n            profile: rocec-egress\n" +
			"          egress-shaper:\n            profile: s", "      mapping:", "      egress-shaper:\n        s:\n          " +
			"port-max-rate: 900000\n      mapping:"},
		{"", "PORT_QOS_MAP|Ethernet0 scheduler \"S\"\nSCHEDULER|S pir \"12500\"\n"},
	}},
	{ir.FieldWatchdog, [4][]string{
		none(notHere), none("every watchdog there drops, like that of the other spellings"),
		{"            state: enable", "            " +
			"state: disable"},
		{"PFC_WD|Ethernet0 action \"drop\"", "PFC_WD|Ethernet0 action \"alert\""},
	}},
	{ir.FieldSpeed, [4][]string{
		none(notHere), none(notHere), none(asked),
		{"PORT|Ethernet0 speed \"100000\"", "PORT|Ethernet0 speed \"40000\""},
	}},
	{ir.FieldCable, [4][]string{
		{"cable_length = 3", "cable_length = 1"},
		{"cable_length = 3", "cable_length = 1"},
		{"cable-length: 5", "cable-length: 1"},
		{"CABLE_LENGTH|AZURE Ethernet0 \"5m\"", "CABLE_LENGTH|AZURE Ethernet0 \"40m\""},
	}},
	{ir.FieldMTU, [4][]string{
		none(notHere), none(notHere), none(asked), none(asked),
	}},
	{ir.FieldBuffer, [4][]string{
		{"port_buffer_bytes = 126000", "port_buffer_bytes = 100000"},
		{"port_buffer_bytes = 126000", "port_buffer_bytes = 100000"},
		{"          cable-length: 5", "          cable-length: 5\n          port-buffer: 30000\n          xoff-threshold: 18000"},
		{"BUFFER_PG|Ethernet0|3 profile \"pg_lossless_100000_5m_profile\"", "BUFFER_PG|Ethernet0|3 profile \"P\"\n" +
			"BUFFER_PROFILE|P pool \"ingress_lossless_pool\"\nBUFFER_PROFILE|P size \"20000\"\nBUFFER_PROFILE|P xoff \"5000\"\n" +
			"BUFFER_PROFILE|P xon \"15000\"\nBUFFER_PROFILE|P dynamic_th \"0\""},
	}},
	{ir.FieldXoff, [4][]string{
		{"xoff_size = 18000", "xoff_size = 80000"},
		{"xoff_size = 18000", "xoff_size = 80000"},
		{"          cable-length: 5", "          cable-length: 5\n          port-buffer: 90000\n          xoff-threshold: 80000"},
		none(computed),
	}},
	{ir.FieldXon, [4][]string{
		{"xon_delta = 2016", "xon_delta = 0"},
		{"xon_delta = 2016", "xon_delta = 0"},
		{"          cable-length: 5", "          cable-length: 5\n          port-buffer: 126000\n          xoff-threshold: 18000\n        " +
			"  xon-threshold: 18000"},
		{"BUFFER_PG|Ethernet0|3 profile \"pg_lossless_100000_5m_profile\"", "BUFFER_PG|Ethernet0|3 profile \"P\"\n" +
			"BUFFER_PROFILE|P pool \"ingress_lossless_pool\"\nBUFFER_PROFILE|P size \"53248\"\nBUFFER_PROFILE|P xoff \"33792\"\n" +
			"BUFFER_PROFILE|P xon \"0\"\nBUFFER_PROFILE|P dynamic_th \"0\""},
	}},
	{ir.FieldHeadroom, [4][]string{
		{"port_buffer_bytes = 126000", "port_buffer_bytes = 125000"},
		{"port_buffer_bytes = 126000", "port_buffer_bytes = 125000"},
		{"          cable-length: 5", "          cable-length: 5\n          port-buffer: 30000\n          xoff-threshold: 18000"},
		{"BUFFER_PG|Ethernet0|3 profile \"pg_lossless_100000_5m_profile\"", "BUFFER_PG|Ethernet0|3 profile \"P\"\n" +
			"BUFFER_PROFILE|P pool \"ingress_lossless_pool\"\nBUFFER_PROFILE|P size \"53248\"\nBUFFER_PROFILE|P xoff \"30000\"\n" +
			"BUFFER_PROFILE|P xon \"19456\"\nBUFFER_PROFILE|P dynamic_th \"0\""},
	}},
	{ir.FieldGroupLimit, [4][]string{
		none(notHere),
		{"flow_control.ingress_buffer.dynamic_quota = ALPHA_1", "flow_control.ingress_buffer.dynamic_quota = ALPHA_0"},
		{"    qos:\n      congestion", "    qos:\n      advance-buffer-config:\n        default-global:\n          ingress-lossless-buffer:\n" +
			"            shared-alpha: alpha_0\n      congestion"},
		{"BUFFER_PG|Ethernet0|3 profile \"pg_lossless_100000_5m_profile\"", "BUFFER_PG|Ethernet0|3 profile \"P\"\n" +
			"BUFFER_PROFILE|P pool \"ingress_lossless_pool\"\nBUFFER_PROFILE|P size \"53248\"\nBUFFER_PROFILE|P xoff \"33792\"\n" +
			"BUFFER_PROFILE|P xon \"19456\"\nBUFFER_PROFILE|P dynamic_th \"-8\""},
	}},
	{ir.FieldGroupPool, [4][]string{
		none(notHere),
		{"flow_control.ingress_service_pool = 1", "flow_control.ingress_service_pool = 0"},
		none(fixed),
		{"BUFFER_PG|Ethernet0|3 profile \"pg_lossless_100000_5m_profile\"", "BUFFER_PG|Ethernet0|3 profile \"P\"\n" +
			"BUFFER_PROFILE|P pool \"egress_lossy_pool\"\nBUFFER_PROFILE|P size \"53248\"\nBUFFER_PROFILE|P xoff \"33792\"\n" +
			"BUFFER_PROFILE|P xon \"19456\"\nBUFFER_PROFILE|P dynamic_th \"0\""},
	}},
	{ir.FieldStrict, [4][]string{
		{"service.weight = 16", "service.weight = 0"},
		{"egr_queue_3.bw_percent = 50", "egr_queue_3.bw_percent = 0"},
		{"bw-percent: 50\n              mode: dwrr", "mode: strict"},
		{"SCHEDULER|ROCEC-3 type \"DWRR\"", "SCHEDULER|ROCEC-3 type \"STRICT\""},
	}},
	{ir.FieldShare, [4][]string{
		{"service.weight = 16", "service.weight = 1"},
		{"egr_queue_3.bw_percent = 50", "egr_queue_3.bw_percent = 1"},
		{"bw-percent: 50", "bw-percent: 1"},
		{"SCHEDULER|ROCEC-3 weight \"50\"", "SCHEDULER|ROCEC-3 weight \"1\""},
	}},
	{ir.FieldMinRate, [4][]string{
		{"", "shaping.port_group_list = [s]\nshaping.s.port_set = swp1\nshaping.s.egr_queue_0.shaper = [90000000,100000000]\n"},
		{"", "shaping.port_group_list = [s]\nshaping.s.port_set = swp1\nshaping.s.egr_queue_0.shaper = [90000000,100000000]\n"},
		{"          egress-scheduler:\n            profile: rocec-egress", "          egress-scheduler:\n            profile: rocec-egress\n" +
			"          egress-shaper:\n            profile: s", "      mapping:", "      egress-shaper:\n        s:\n          " +
			"traffic-class:\n            '0':\n              min-rate: 90000000\n      mapping:"},
		{"", "SCHEDULER|ROCEC-0 cir \"11250000000\"\n"},
	}},
	{ir.FieldMaxRate, [4][]string{
		{"", "shaping.port_group_list = [s]\nshaping.s.port_set = swp1\nshaping.s.egr_queue_3.shaper = [0,900000]\n"},
		{"", "shaping.port_group_list = [s]\nshaping.s.port_set = swp1\nshaping.s.egr_queue_3.shaper = [0,900000]\n"},
		{"          egress-scheduler:\n            profile: rocec-egress", "          egress-scheduler:\n            profile: rocec-egress\n" +
			"          egress-shaper:\n            profile: s", "      mapping:", "      egress-shaper:\n        s:\n          " +
			"traffic-class:\n            '3':\n              max-rate: 900000\n      mapping:"},
		{"", "SCHEDULER|ROCEC-3 pir \"12500\"\n"},
	}},
	{ir.FieldMarking, [4][]string{
		{"min_threshold_bytes = 156672", "min_threshold_bytes = 800000"},
		{"min_threshold_bytes = 156672", "min_threshold_bytes = 800000"},
		{"min-threshold: 156672", "min-threshold: 800000"},
		{"green_min_threshold \"156672\"", "green_min_threshold \"800000\""},
	}},
	{ir.FieldUnmarkable, [4][]string{
		{"red_enable = false", "red_enable = true"},
		{"red_enable = false", "red_enable = true"},
		{"red: disable", "red: enable"},
		{"wred_green_enable \"true\"", "wred_green_enable \"false\""},
	}},
	{ir.FieldDrop, [4][]string{
		{"red_enable = false", "red_enable = true", "ecn_enable = true", "ecn_enable = false"},
		{"red_enable = false", "red_enable = true", "ecn_enable = true", "ecn_enable = false"},
		{"red: disable", "red: enable", "ecn: enable", "ecn: disable"},
		{"ecn \"ecn_all\"", "ecn \"ecn_none\""},
	}},
	{ir.FieldQueueLimit, [4][]string{
		none(notHere),
		{"flow_control.egress_buffer.dynamic_quota = ALPHA_INFINITY", "flow_control.egress_buffer.dynamic_quota = ALPHA_1_64"},
		{"    qos:\n      congestion", "    qos:\n      advance-buffer-config:\n        default-global:\n          egress-lossless-buffer:\n" +
			"            shared-alpha: alpha_1_64\n      congestion"},
		{"egress_lossless_profile dynamic_th \"7\"", "egress_lossless_profile dynamic_th \"-6\""},
	}},
	{ir.FieldQueuePool, [4][]string{
		none(notHere),
		{"flow_control.egress_service_pool = 1", "flow_control.egress_service_pool = 0"},
		none(fixed),
		{"egress_lossless_profile pool \"egress_lossless_pool\"", "egress_lossless_profile pool \"egress_lossy_pool\""},
	}},
	{ir.FieldPool, [4][]string{
		none(notHere),
		{"ingress_service_pool.1.percent = 50.0", "ingress_service_pool.1.percent = 1.0"},
		{"default-lossless:\n          memory-percent: 50", "default-lossless:\n          memory-percent: 5"},
		{"egress_lossless_pool mode \"dynamic\"", "egress_lossless_pool mode \"static\""},
	}},
	{ir.FieldSystem, [4][]string{none(notHere), none(notHere), none(notHere), none("the probes of its identity ask the hardware")}},
	{ir.FieldPreset, [4][]string{none(notHere), none(notHere), {"    qos:\n      congestion", "    qos:\n      roce:\n        enable: " +
		"on\n      congestion"}, none(notHere)}},
	{ir.FieldStamps, [4][]string{none(ofNIC), none(ofNIC), none(ofNIC), none(ofNIC)}},
	{ir.FieldVLANMap, [4][]string{none(ofNIC), none(ofNIC), none(ofNIC), none(ofNIC)}},
}

// TestTampered: rocec sees a value that another person changes on a switch that rocec has written, in every field. plan changes or reports
// the value, and verify fails.
func TestTampered(t *testing.T) {
	fields := map[ir.Field]bool{}
	for _, c := range tamperings {
		fields[c.field] = true
	}
	for _, f := range ir.Fields() {
		assert.True(t, fields[f], "%s has no tampering", f)
	}
	for i, s := range spellings {
		w := writtenBy(t, s.hcl)
		h := w.judged(1, w.files)
		require.True(t, h.Sound(), "%s: %v", s.name, h.Drift.Watched)
		for _, c := range tamperings {
			change := c.by[i]
			if len(change) == 1 {
				continue
			}
			t.Run(s.name+" "+c.field.String(), func(t *testing.T) {
				files, ok := w.with(change...)
				require.True(t, ok, "the content has no %q", change)
				h := w.judged(1, files)
				assert.False(t, h.Sound(), "%s", h.Drift.Status)
			})
		}
	}
}

// TestOutcomes: a switch that rocec has never written is "other and sound" if its differences do not affect lossless traffic; otherwise
// verify names them. On a switch that rocec has written, every difference counts.
func TestOutcomes(t *testing.T) {
	const sound = ""
	for i, cases := range [][]struct {
		why    string
		change []string
	}{
		{
			{sound, []string{"port_buffer_bytes = 126000", "port_buffer_bytes = 122000"}},
			{"At swp1, headroom is 82,000 B, and not 108,000 B.", []string{"port_buffer_bytes = 126000", "port_buffer_bytes = 100000"}},
			{sound, []string{"port_buffer_bytes = 126000", "port_buffer_bytes = 150000"}},
			{sound, []string{"min_threshold_bytes = 156672", "min_threshold_bytes = 150000"}},
			{sound, []string{"service.weight = 16", "service.weight = 32"}},
			{sound, []string{"cos_5.priority_source.dscp = [40,", "cos_5.priority_source.dscp = [", "dscp = [8", "dscp = [40,8"}},
			{"At swp1, DSCP 26 is put in cos 4, and not in 3.", tamperings[1].by[0]},
			{"At swp1, DSCP is not trusted.", tamperings[0].by[0]},
			{"At swp1, PFC is on for cos 3-4, and the fabric has it for cos 3.", []string{"roce_pfc.cos_list = [3]", "roce_pfc.cos_list = [3,4]"}},
			{"At swp1, pauses are sent for no cos, and in the fabric for cos 3.", []string{"tx_enable = true", "tx_enable = false"}},
			{"At swp1, cos 3 is not marked.", []string{"ecn_enable = true", "ecn_enable = false"}},
		},
		{
			{sound, []string{"egr_queue_3.bw_percent = 50", "egr_queue_3.bw_percent = 40"}},
			{"[conf-throttled]", append(tamperings[10].by[1], "bw_percent = 50", "bw_percent = 40")},
		},
		{
			{sound, []string{"bw-percent: 50", "bw-percent: 40"}},
			{sound, []string{"cable-length: 5", "cable-length: 50"}},
			{"At swp1, headroom is for a cable of 1 m, and not of 5 m.", []string{"cable-length: 5", "cable-length: 1"}},
			{"At swp1, DSCP is not trusted.", []string{"trust: l3", "trust: l2"}},
		},
		{
			{sound, []string{`ROCEC-3 weight "50"`, `ROCEC-3 weight "40"`}},
			{sound, []string{`green_min_threshold "156672"`, `green_min_threshold "150000"`}},
			{"At Ethernet0, pauses are sent for no cos, and in the fabric for cos 3.", []string{
				`Ethernet0 pfc_enable "3"`, `Ethernet0 pfc_enable "4"`,
			}},
			{"[conf-lossless-strict]", []string{`ROCEC-3 type "DWRR"`, `ROCEC-3 type "STRICT"`}},
		},
	} {
		w := writtenBy(t, spellings[i].hcl)
		for _, c := range cases {
			files, ok := w.with(c.change...)
			require.True(t, ok, "%s has no %q", spellings[i].name, c.change)
			h := w.judged(0, files)
			require.False(t, h.Sound(), "%s %q", spellings[i].name, c.change)
			why := h.Drift.Unsound()
			if c.why == sound {
				assert.Empty(t, why, "%s %q", spellings[i].name, c.change)
			} else {
				assert.Contains(t, why, c.why, "%s %q", spellings[i].name, c.change)
			}
			assert.Equal(t, c.why == sound, h.Other(), "%s %q", spellings[i].name, c.change)
			assert.False(t, w.judged(1, files).Other(), "rocec has written it")
			assert.False(t, w.judged(-1, files).Other(), "it is unknown whether rocec has written it")
		}
	}
}
