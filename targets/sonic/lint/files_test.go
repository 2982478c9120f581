package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/sonic/lint"
	target "github.com/rocec/rocec/targets/target/lint"
)

// sound is a configuration of a switch of two ports that is lossless.
const sound = `{
"DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0",
  "buffer_model": "traditional"}},
"VERSIONS": {"DATABASE": {"VERSION": "version_202505_01"}},
"PORT": {
  "Ethernet0": {"lanes": "0,1,2,3", "alias": "etp1", "speed": "100000", "mtu": "9100", "admin_status": "up"},
  "Ethernet4": {"lanes": "4,5,6,7", "alias": "etp2", "speed": "100000", "mtu": "9100", "admin_status": "up"}},
"DSCP_TO_TC_MAP": {"AZURE": {"0": "0",
  "26": "3", "34": "4", "48": "6"}},
"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4", "6": "0"}},
"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4", "6": "6"}},
"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"0": "0", "3": "3", "4": "4", "6": "6"}},
"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3", "4": "4"}},
"SCHEDULER": {"s": {"type": "DWRR", "weight": "14"}},
"WRED_PROFILE": {"AZURE_LOSSLESS": {"wred_green_enable": "true", "ecn": "ecn_all",
  "green_min_threshold": "1048576", "green_max_threshold": "2097152", "green_drop_probability": "5"}},
"QUEUE": {
  "Ethernet0|3": {"scheduler": "s", "wred_profile": "AZURE_LOSSLESS"},
  "Ethernet0|4": {"scheduler": "s", "wred_profile": "AZURE_LOSSLESS"},
  "Ethernet4|3-4": {"scheduler": "s", "wred_profile": "AZURE_LOSSLESS"}},
"PORT_QOS_MAP": {
  "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE",
    "pfc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE",
    "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"},
  "Ethernet4": {"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE",
    "pfc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}},
"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m",
  "Ethernet4": "5m"}},
"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"},
  "Ethernet0": {"action": "drop", "detection_time": "200", "restoration_time": "200"}},
"BUFFER_POOL": {
  "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "9000000"},
  "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "13945824"}},
"BUFFER_PROFILE": {
  "pg_lossless_100000_5m_profile": {"pool": "ingress_lossless_pool", "size": "49152", "xon": "19456",
    "xoff": "29696", "dynamic_th": "0"},
  "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"}},
"BUFFER_PG": {
  "Ethernet0|3-4": {"profile": "pg_lossless_100000_5m_profile"},
  "Ethernet4|3-4": {"profile": "pg_lossless_100000_5m_profile"}},
"BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "egress_lossless_profile"}}
}
`

// TestFiles: each case is the sound configuration with one change, and lists all findings with their lines.
func TestFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		change []string // old and new texts, each replaced everywhere
		want   []string // severity, code, and a part of the line
	}{
		{"as it is", nil, nil},
		{"NULL in the traditional model", []string{`"profile": "pg_lossless_100000_5m_profile"`, `"profile": "NULL"`}, []string{
			`error conf-sonic-lossless "Ethernet0|3-4"`,
		}},
		{
			"the dynamic model", []string{
				`"profile": "pg_lossless_100000_5m_profile"`, `"profile": "NULL"`, `traditional`, `dynamic`, `dynamic", "size": "9000000"`, `dynamic"`,
				`  "pg_lossless_100000_5m_profile": {"pool": "ingress_lossless_pool", "size": "49152", "xon": "19456",
    "xoff": "29696", "dynamic_th": "0"},
`, "",
			}, nil,
		},
		{"dynamic, with traditional rows", []string{`traditional`, `dynamic`}, []string{
			`warning conf-sonic-buffers "ingress_lossless_pool": {`, `warning conf-sonic-buffers "pg_lossless_100000_5m_profile": {`,
		}},
		{
			"dynamic, on a chip that has no such model", []string{
				`"buffer_model": "traditional"`, `"buffer_model": "dynamic"`, "x86_64-mlnx_msn2700-r0", "x86_64-dellemc_s5232f_c3538-r0",
				`, "size": "9000000"`, "",
				"pg_lossless_100000_5m_profile", "own",
			}, []string{`warning conf-sonic-buffers "buffer_model": "dynamic"`},
		},
		{
			"another queue",
			[]string{`TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3"`, `TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "1"`},
			[]string{
				`error conf-sonic-queue "TC_TO_QUEUE_MAP"`,
			},
		},
		{"another queue is stopped", []string{`TO_QUEUE": {"AZURE": {"0": "0", "3": "3"`, `TO_QUEUE": {"AZURE": {"0": "0", "3": "1"`}, []string{
			`error conf-sonic-queue "MAP_PFC_PRIORITY_TO_QUEUE"`,
		}},
		{"another queue, and pauses stop it", []string{
			`"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3"`, `"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "1"`,
			`TO_QUEUE": {"AZURE": {"0": "0", "3": "3"`, `TO_QUEUE": {"AZURE": {"0": "0", "3": "1"`,
		}, nil},
		{"another queue, and no map of pauses", []string{
			`"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3"`, `"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "1"`,
			`"pfc_to_queue_map": "AZURE",`, ``,
		}, []string{`warning conf-sonic-queue "TC_TO_QUEUE_MAP"`}},
		{"no queue", []string{`"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3",`, `"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0",`}, []string{
			`warning conf-sonic-queue "TC_TO_QUEUE_MAP"`,
		}},
		{"groups are swapped", []string{`GROUP_MAP": {"AZURE": {"3": "3", "4": "4"}`, `GROUP_MAP": {"AZURE": {"3": "4", "4": "3"}`}, []string{
			`error conf-sonic-lossless "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"`, `error conf-sonic-lossless "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"`,
		}},
		{"no map to groups", []string{`"tc_to_pg_map": "AZURE",`, ``}, []string{`warning conf-sonic-lossless "pfc_enable"`}},
		{"no map of DSCP", []string{`"dscp_to_tc_map": "AZURE",`, ``}, []string{`error conf-sonic-map "pfc_enable"`}},
		{"no map of DSCP but that of the switch", []string{
			`"dscp_to_tc_map": "AZURE",`, ``, `"PORT_QOS_MAP": {`, `"PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "AZURE"},`,
		}, nil},
		{"no map to queues", []string{`"tc_to_queue_map": "AZURE",`, ``}, []string{`error conf-sonic-queue "pfc_enable"`}},
		{"a class without a queue", []string{`"48": "6"`, `"48": "9"`}, []string{`warning conf-sonic-map "48": "9"`}},
		{"DSCP 64", []string{`"48": "6"`, `"64": "6"`}, []string{`error conf-sonic-field "64"`}},
		{"a list of priorities", []string{`    "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"`, `    "pfc_enable": ["3", "4"]`}, []string{
			`error conf-sonic-value "pfc_enable": [`,
		}},
		{"a list of classes", []string{`"48": "6"`, `"48": ["6"]`}, []string{`error conf-sonic-value "48": [`}},
		{"no length", []string{`{"Ethernet0": "5m"`, `{"Ethernet0": "0m"`}, []string{
			`error conf-cable-zero "0m"`, `error conf-headroom "xoff": "29696"`, // of the other port
		}},
		{"a longer cable", []string{`{"Ethernet0": "5m"`, `{"Ethernet0": "40m"`}, []string{`warning conf-sonic-buffers "Ethernet0|3-4"`}},
		{"a cable too long for the headroom", []string{`{"Ethernet0": "5m"`, `{"Ethernet0": "300m"`}, []string{
			`error conf-headroom "xoff": "29696"`, `error conf-headroom "xoff": "29696"`, `warning conf-sonic-buffers "Ethernet0|3-4"`,
		}},
		{"another speed", []string{`"etp1", "speed": "100000"`, `"etp1", "speed": "40000"`}, []string{
			`warning conf-sonic-buffers "Ethernet0|3-4"`,
		}},
		{"hardly any headroom", []string{`"xoff": "29696"`, `"xoff": "1000"`}, []string{`error conf-headroom "xoff": "1000"`}},
		{"just enough that it may be correct", []string{`"xoff": "29696"`, `"xoff": "1524"`}, nil},
		{"a pool of egress", []string{`{"pool": "ingress_lossless_pool"`, `{"pool": "egress_lossless_pool"`}, []string{
			`error conf-sonic-buffers "pg_lossless_100000_5m_profile": {`,
		}},
		{"PFC shrank", []string{`    "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"`, `    "pfc_enable": "3", "pfcwd_sw_enable": "3"`}, []string{
			`warning conf-sonic-buffers "Ethernet0|3-4"`,
		}},
		{"no PFC at all", []string{`"pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"`, `"pfcwd_sw_enable": ""`}, []string{
			`warning conf-sonic-buffers "Ethernet0|3-4"`, `warning conf-sonic-watchdog "Ethernet0": {"action"`,
		}},
		{"a queue without a row", []string{`  "Ethernet0|3": {"scheduler": "s", "wred_profile": "AZURE_LOSSLESS"},
`, ``}, []string{`warning conf-unmarked "pfc_enable"`}},
		{"no queue has a row", []string{`"Ethernet0|3"`, `"Ethernet0|0"`, `, "wred_profile": "AZURE_LOSSLESS"`, ``}, []string{
			`warning conf-unmarked "Ethernet0|4"`, `warning conf-unmarked "Ethernet4|3-4"`, `warning conf-unmarked "Ethernet4|3-4"`,
			`warning conf-unmarked "pfc_enable"`,
		}},
		{"lanes twice", []string{`"4,5,6,7"`, `"3,4,5,6"`}, []string{`error conf-sonic-twice "3,4,5,6"`}},
		{"an alias twice", []string{`"etp2"`, `"etp1"`}, []string{`error conf-sonic-twice "Ethernet4": {"lanes"`}},
		{"a later release", []string{`version_202505_01`, `version_209905_01`}, []string{`warning conf-sonic-value version_209905_01`}},
		{"an earlier release", []string{`version_202505_01`, `version_4_0_9`}, []string{`warning conf-sonic-value version_4_0_9`}},
		{
			"a field of later builds", []string{
				`version_202505_01`, `version_202411_01`, `"pfc_to_queue_map": "AZURE",
`, `"pfc_to_queue_map": "AZURE", "tc_to_dscp_map": "X",
`, `"SCHEDULER": {`, `"TC_TO_DSCP_MAP": {"X": {"3": "26"}}, "SCHEDULER": {`,
			}, []string{`warning conf-sonic-field "TC_TO_DSCP_MAP"`, `warning conf-sonic-field "tc_to_dscp_map"`},
		},
		{"a number out of range, without quotes", []string{`"detection_time": "200"`, `"detection_time": 20`}, []string{
			`error conf-sonic-value "detection_time": 20`,
		}},
		{"a number without quotes", []string{`"detection_time": "200"`, `"detection_time": 200`}, []string{
			`error conf-sonic-value "detection_time": 200`,
		}},
	} {
		text := sound
		for i := 0; i < len(c.change); i += 2 {
			require.Contains(t, text, c.change[i], c.name)
			text = strings.ReplaceAll(text, c.change[i], c.change[i+1])
		}
		assert.Equal(t, c.want, told(t, text, c.want), "%s: %s", c.name, details(lint.Judge("x.json", []byte(text), 0, 0).Diagnostics))
	}
}

// told returns the severity and code of each finding in a text, sorted. Each has the wanted part of its line, or the whole line if the
// part is not there.
func told(t *testing.T, text string, want []string) (out []string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	found := lint.Judge("x.json", []byte(text), 0, 0).Diagnostics
	if slices.ContainsFunc(want, func(w string) bool {
		return !strings.Contains(w, " "+
			"conf-sonic-")
	}) { // from a rule for all systems
		found = added(text)
	}
	for _, d := range found {
		line := lines[d.At.Start.Line-1]
		start := strings.LastIndexByte(text[:d.At.Start.Byte], '\n') + 1
		require.Equal(t, line, text[start:start+len(line)], "the byte is in the reported line")
		if i := slices.IndexFunc(want, func(w string) bool {
			part, ok := strings.CutPrefix(w, d.Severity.String()+" "+d.Code+" ")
			return ok && strings.Contains(line, part)
		}); i >= 0 {
			line = strings.TrimPrefix(want[i], d.Severity.String()+" "+d.Code+" ")
		}
		out = append(out, d.Severity.String()+" "+d.Code+" "+line)
	}
	slices.Sort(out)
	return out
}

// added returns the findings of linter and rules that a text has and the sound text lacks.
func added(text string) diag.List {
	judge := func(text string) diag.List {
		return targets.JudgeFiles([]target.File{{Name: "x.json", Data: []byte(text)}}).Diagnostics
	}
	before := map[string]bool{}
	for _, d := range judge(sound) {
		before[d.Code+d.Detail] = true
	}
	return slices.DeleteFunc(judge(text), func(d *diag.Diagnostic) bool { return before[d.Code+d.Detail] })
}

func details(ds diag.List) string {
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintf(&b, "\n%s: %s", d.Code, d.Detail)
	}
	return b.String()
}

// TestUnreadable: an unreadable text is reported at its line and byte.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		text, at string
		byteAt   int
	}{
		{"", "1:1", 0},
		{" \n\t\n", "1:1", 0},
		{"{\n  \"PORT\": \"x\"\n}\n", "2:11", 12},
		{"{\n\"PORT\" {}}", "2:8", 9},
		{"{\n\"asic0\": {}}", "2:1", 2},
		{"{\n\"PORT\": {", "2:10", 11},
		{"\xef\xbb\xbf{\n\"PORT\": {\n", "3:1", 12},
	} {
		ds := lint.Judge("x.json", []byte(c.text), 0, 0).Diagnostics
		require.Len(t, ds, 1, c.text)
		assert.Equal(t, "conf-sonic-text", ds[0].Code)
		assert.Equal(t, c.at, fmt.Sprintf("%d:%d", ds[0].At.Start.Line, ds[0].At.Start.Column), c.text)
		assert.Equal(t, c.byteAt, ds[0].At.Start.Byte, c.text)
		assert.GreaterOrEqual(t, ds[0].At.End.Byte, c.byteAt, c.text)
	}
	text := `{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3, 9"}}}`
	ds := lint.Judge("x.json", []byte(text), 0, 0).Diagnostics
	require.Len(t, ds, 1)
	assert.Equal(t, `"3, 9"`, text[ds[0].At.Start.Byte:ds[0].At.End.Byte], "the whole text, with its quotes")
	ds = lint.Judge("x.json", []byte("{}\n"), 0, 0).Diagnostics
	require.Len(t, ds, 1)
	assert.Equal(t, "warning conf-sonic-empty", ds[0].Severity.String()+" "+ds[0].Code)
	assert.Empty(t, lint.CheckRows("state", nil, 0), "a state may be empty")
}

// TestUnjudged: a file that no rule checks, and a switch without RoCE, both differ from a good file.
func TestUnjudged(t *testing.T) {
	const port = `"PORT": {"Ethernet0": {"speed": "100000", "admin_status": "up"}}`
	const none = "it has no table of ports, QoS or buffers"
	for _, c := range []struct {
		text, why     string
		silent, plain bool
	}{
		{"", "it is empty", false, false},
		{"{", "it cannot be read", false, false},
		{"{}", none, false, false},
		{`{"PORT": {}}`, none, true, false},
		{`{"VLAN": {"Vlan100": {}}, "DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN2700"}}}`, none, true, false},
		{`{"VLAN|Vlan100": {}}`, none, true, false},
		{`{"PORT|Ethernet0": {"speed": "100000"}, "VLAN|Vlan100": {}}`, "", false, true},
		{`{"PORT|Ethernet0": {"ttl": -0.001, "type": "hash", "value": {"speed": "100000"}}}`, "", false, true},
		{`{` + port + `, "PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}}`, "", false, false}, // half of a file
		{`{"PORT_TABLE:Ethernet0": {"speed": "100000"}}`, "", false, true},
		{`{` + port + `}`, "", false, true},
		{`{` + port + `, "SCHEDULER": {"s": {"type": "DWRR", "weight": "1"}}, "QUEUE": {"Ethernet0|0": {"scheduler": "s"}}}`, "", false, true},
		{`{` + port + `, "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}}`, "", false, false},
		{`{` + port + `, "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": ""}}}`, "", false, true},
		{`{` + port + `, "QUEUE": {"Ethernet0|3": {"wred_profile": "w"}}, "WRED_PROFILE": {"w": {}}}`, "", false, false},
		{`{` + port + `, "BUFFER_PROFILE": {"p": {"xoff": "40000"}}}`, "", false, false},
		{`{` + port + `, "PFC_WD": {"Ethernet0": {"action": "drop"}}}`, "", false, false},
		{`{"SCHEDULER": {"s": {"type": "DWRR", "weight": "1"}}}`, "", false, false}, // a part, which does not describe the switch
	} {
		f := lint.Judge("x.json", []byte(c.text), 0, 0)
		assert.Equal(t, lint.Judgement{Diagnostics: f.Diagnostics, Dialect: f.Dialect, Why: c.why, Silent: c.silent, Plain: c.plain}, f, c.text)
		assert.True(t, c.why == "" || c.silent || len(f.Diagnostics) > 0, "%s: a finding has the reason", c.text)
	}
}

// TestBeside: fields that have no part in QoS may have any value.
func TestBeside(t *testing.T) {
	const beside = `{
  "DEVICE_METADATA": {"localhost": {"hwsku": null, "deployment_id": null, "bgp_asn": 65101, "peers": {"a": [1]}, "type": ["x", 2]}},
  "VERSIONS": {},
  "VLAN": {"Vlan100": {"vlanid": null}},
  "PORT": {"Ethernet0": {"alias": null, "index": 1, "lanes": [0, 1], "adv_speeds": ["all"], "speed": %s, "mtu": %s, "admin_status": %s}}
}`
	whole := func(speed, mtu, status string) string { return fmt.Sprintf(beside, speed, mtu, status) }
	text := whole(`"100000"`, `"9100"`, `"up"`)
	assert.Empty(t, lint.Judge("x.json", []byte(text), 0, 0).Diagnostics, details(lint.Judge("x.json", []byte(text), 0, 0).Diagnostics))
	for _, text := range []string{whole("100000", `"9100"`, `"up"`), whole(`"100000"`, "null", `"up"`), whole(`"100000"`, `"9100"`, "true")} {
		ds := lint.Judge("x.json", []byte(text), 0, 0).Diagnostics
		require.Len(t, ds, 1, text)
		assert.Equal(t, "conf-sonic-value 5", fmt.Sprint(ds[0].Code, " ", ds[0].At.Start.Line))
	}
	text = `{"WRED_PROFILE": {"w": {"note": null}}}`
	ds := lint.Judge("x.json", []byte(text), 0, 0).Diagnostics
	require.NotEmpty(t, ds)
	assert.Equal(t, "conf-sonic-value", ds[0].Code, "every field of a table of QoS is checked")
}
