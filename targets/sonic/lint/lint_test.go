package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/lint"
	target "github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/targets/target/targettest"
)

func codes(ds diag.List) (out []string) {
	for _, d := range ds {
		out = append(out, d.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const port = `"PORT": {"Ethernet0": {"speed": "100000", "admin_status": "up"}}`

// TestCheck: findings, with their places.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		text, code string
		word       string // the word at the finding's place
		release    grammar.Release
	}{
		{`{"SCHEDULER": {"a": {"type": "dwrr"}}}`, "conf-sonic-value", `"dwrr"`, 0},
		{`{"SCHEDULER": {"a": {"weight": "0"}}}`, "conf-sonic-value", `"0"`, 0},
		{`{"SCHEDULER": {"a": {"weight": 0}}}`, "conf-sonic-value", `0`, 0},
		{`{"DSCP_TO_TC_MAP": {"a": {"64": "1"}}}`, "conf-sonic-field", `"1"`, 0},
		{`{"DSCP_TO_TC_MAP": {"a": {"26": "16"}}}`, "conf-sonic-value", `"16"`, 0},
		{`{"DSCP_TO_TC_MAP": {"a.b": {"26": "1"}}}`, "conf-sonic-value", `"a.b"`, 0},
		{`{"CABLE_LENGTH": {"a": {"Ethernet0": "5.5m"}}}`, "conf-sonic-value", `"5.5m"`, 0},
		{`{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": ""}}}`, "conf-sonic-value", `""`, 202411},
		{`{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": ""}}}`, "", "", 202505},
		{`{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "2000"}}}`, "conf-sonic-value", `"2000"`, 202511},
		{`{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "2000"}}}`, "", "", 202505},
		{`{"PORT_QOS_MAP": {"Ethernet0": {"tc_to_dscp_map": "x"}}}`, "conf-sonic-field", `"x"`, 202405},
		{`{"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "[DSCP_TO_TC_MAP|AZURE]"}}}`, "conf-sonic-value", `"`, 0},
		{`{"QUEUE": {"Ethernet0": {}}}`, "conf-sonic-value", `"Ethernet0"`, 0},
		{`{"QUEUE": {"Ethernet4|3": {}}, ` + port + `}`, "conf-sonic-reference", `"Ethernet4`, 0},
		{`{"BUFFER_PG": {"Ethernet0|3": {"profile": "x"}}}`, "conf-sonic-reference", `"x"`, 0},
		{`{"BUFFER_PG": {"Ethernet0|6-8": {"profile": "NULL"}}}`, "conf-sonic-value", `"Ethernet0`, 0},
		{`{"WRED_PROFILE": {"a": {"green_max_threshold": "1"}}}`, "conf-ecn-thresholds", `"1"`, 0},
		{`{"WRED_PROFILE": {"a": {"ecn": "ecn_all", "ecn_green_min_threshold": "1"}}}`, "conf-sonic-field", `"1"`, 202605}, // in no branch
		{`{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4", "pfcwd_sw_enable": "3"}}}`, "conf-sonic-watchdog", `"3"`, 0},
		{`{"BUFFER_PROFILE": {"a": {"dynamic_th": "1", "static_th": "1"}}}`, "conf-sonic-value", `"a"`, 0},
		{
			`{"QUEUE": {"Ethernet0|3": {"scheduler": "s"}}, "SCHEDULER": {"s": {"weight": "1"}}, "DSCP_TO_TC_MAP": {"a": {"26": "3"}},
				"TC_TO_QUEUE_MAP": {"a": {"3": "3"}},
				"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3", "dscp_to_tc_map": "a", "tc_to_queue_map": "a"}}}`,
			"conf-unmarked", `"Ethernet0`, 0,
		},
		{
			`{"DSCP_TO_TC_MAP": {"a": {"5": "5"}}, "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "a", "pfc_enable": "3"}}}`,
			"conf-pfc-unreachable", `"3"`, 0,
		},
		{ // each class has PFC on the port where its traffic arrives
			`{"DSCP_TO_TC_MAP": {"a": {"26": "3", "34": "4"}}, "TC_TO_QUEUE_MAP": {"a": {"3": "3", "4": "4"}},
			"TC_TO_PRIORITY_GROUP_MAP": {"a": {"3": "3", "4": "4"}},
			"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "a", "tc_to_queue_map": "a", "tc_to_pg_map": "a", "pfc_enable": "3"},
				"Ethernet4": {"dscp_to_tc_map": "a", "tc_to_queue_map": "a", "tc_to_pg_map": "a", "pfc_enable": "4"}}}`,
			"", "", 0,
		},
		{
			`{"TC_TO_PRIORITY_GROUP_MAP": {"a": {"3": "0"}}, "DSCP_TO_TC_MAP": {"a": {"5": "3"}},
			"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "a", "tc_to_pg_map": "a", "pfc_enable": "3"}}}`,
			"conf-sonic-lossless", `"3"`, 0,
		},
		{`{"FOREIGN": {"a": {"b": 1}}}`, "", "", 0},
		{`{"DSCP_TO_FC_MAP": {}, "VLAN": {}, "PORTS": {}, "EXP_TO_FC_MAP": {}, "PORTCHANNEL": {}, "TC_TO_DOT1P_MAP": {}}`, "", "", 0},
		{`{"VLAN": {}, "PORT_QOS_MAPS": {}}`, "conf-sonic-field", `"PORT_QOS_MAPS"`, 0},
		{`{"DSCP_TO_TC_NAP": {}}`, "conf-sonic-field", `"DSCP_TO_TC_NAP"`, 0},
		{`{"BUFFERPG": {}}`, "conf-sonic-field", `"BUFFERPG"`, 0},
		{`{"SCHEDULE": {}}`, "conf-sonic-field", `"SCHEDULE"`, 0},
		{`{"port": {}}`, "conf-sonic-field", `"port"`, 0},
	} {
		ds := lint.Judge("x.json", []byte(c.text), c.release, 0).Diagnostics
		if c.code != "" && !slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool { return d.Code == c.code }) { // from a rule for all systems
			ds = targets.JudgeFiles([]target.File{{Name: "x.json", Data: []byte(c.text)}}).Diagnostics
		}
		if c.code == "" {
			assert.Empty(t, ds, c.text)
			continue
		}
		found := false
		for _, d := range ds {
			if d.Code == c.code {
				found = true
				assert.True(t, strings.HasPrefix(c.text[d.At.Start.Byte:], c.word), "%s: %s", c.text, c.text[d.At.Start.Byte:])
			}
		}
		assert.True(t, found, "%s: %v", c.text, codes(ds))
	}
}

// TestUnmarkable: a port that classifies by PCP alone may carry RoCEv1, which WRED drops at a queue that marks. A queue that does not
// mark drops nothing. A port that classifies by DSCP carries no RoCEv1.
func TestUnmarkable(t *testing.T) {
	config := func(maps, queue, enable string) string {
		return `{"DOT1P_TO_TC_MAP": {"a": {"3": "3"}}, "DSCP_TO_TC_MAP": {"a": {"26": "3"}}, "TC_TO_QUEUE_MAP": {"a": {"3": "3"}},
			"TC_TO_PRIORITY_GROUP_MAP": {"a": {"3": "3"}}, "SCHEDULER": {"s": {"weight": "1"}},
			"WRED_PROFILE": {"w": {"ecn": "ecn_all", "green_min_threshold": "6144", "green_max_threshold": "61440"` + enable + `}},
			"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3", "tc_to_queue_map": "a", "tc_to_pg_map": "a", ` + maps + `}},
			"QUEUE": {"Ethernet0|3": {"scheduler": "s"` + queue + `}, "Ethernet4|3": {"wred_profile": "w"}}}`
	}
	const pcp, dscp, bound, on = `"dot1p_to_tc_map": "a"`, `"dscp_to_tc_map": "a"`, `, "wred_profile": "w"`, `, "wred_green_enable": "true"`
	for _, c := range []struct{ text, says string }{
		{config(pcp, bound, on), "queue 3 marks packets that have ECN bits and drops the others from 6,144 B on"},
		{config(pcp, bound, ""), ""},
		{config(pcp, "", on), ""},
		{config(dscp, bound, on), ""},
		{config(dscp, "", on), "queue 3 marks nothing"},
		{config(pcp+", "+dscp, bound, on), ""},
	} {
		var found []string
		for _, d := range targets.JudgeFiles([]target.File{{Name: "x.json", Data: []byte(c.text)}}).Diagnostics {
			if d.Code == "conf-unmarked" && d.Severity != diag.Error || d.Code == "conf-red-lossless" {
				found = append(found, d.Detail)
			}
		}
		if c.says == "" {
			assert.Empty(t, found, c.text)
		} else if assert.Len(t, found, 1, c.text) {
			assert.Contains(t, found[0], c.says)
		}
	}
}

// TestBareGroups: one finding lists all ports that lack the same groups. A configuration that no switch has run yet gets no error for
// missing groups.
func TestBareGroups(t *testing.T) {
	config := func(extra string, model string) string {
		ports := `"Ethernet0": {"speed": "100000", "admin_status": "up"}, "Ethernet4": {"speed": "100000", "admin_status": "up"},
			"Ethernet8": {"speed": "100000", "admin_status": "up"}, "Ethernet12": {"speed": "100000", "admin_status": "down"}`
		maps := strings.ReplaceAll(`"Ethernet0": {"pfc_enable": "3,4"}, "Ethernet4": {"pfc_enable": "3,4"}, "Ethernet8": {"pfc_enable": "3"},
			"Ethernet12": {"pfc_enable": "3"}`, `"}`, `", "tc_to_pg_map": "a"}`)
		return `{"DEVICE_METADATA": {"localhost": {"buffer_model": "` + model + `"}}, "PORT": {` + ports + `}, "PORT_QOS_MAP": {` + maps + `},
			"TC_TO_PRIORITY_GROUP_MAP": {"a": {"3": "3", "4": "4"}},
			"BUFFER_POOL": {"p": {"type": "ingress", "mode": "dynamic"}},
			"BUFFER_PROFILE": {"lossy": {"pool": "p", "size": "0"}, "own": {"pool": "p", "size": "0", "xoff": "1"}},
			"BUFFER_PG": {"Ethernet0|0": {"profile": "lossy"}` + extra + `}}`
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{config("", "traditional"), []string{
			"warning: Ethernet0 and Ethernet4 have PFC for the priorities 3,4, and BUFFER_PG has no lossless priority group of any port.",
			"warning: Ethernet8 has PFC for priority 3, and BUFFER_PG has no lossless priority group of any port.",
		}},
		{config(`, "Ethernet0|3": {"profile": "own"}`, "traditional"), []string{
			"error: Ethernet0 has PFC for priority 4 and no lossless priority group 4 in BUFFER_PG, so it sends no pause and drops.",
			"error: Ethernet4 has PFC for the priorities 3,4 and no lossless priority group 3,4 in BUFFER_PG, so it sends no pause and drops.",
			"error: Ethernet8 has PFC for priority 3 and no lossless priority group 3 in BUFFER_PG, so it sends no pause and drops.",
		}},
		{config("", "dynamic"), []string{
			"error: Ethernet0 and Ethernet4 have PFC for the priorities 3,4 and no lossless priority group 3,4 in BUFFER_PG, so they send no " +
				"pause " +
				"and drop.",
			"error: Ethernet8 has PFC for priority 3 and no lossless priority group 3 in BUFFER_PG, so it sends no pause and drops.",
		}},
		{
			config(`, "Ethernet0|3-4": {"profile": "NULL"}, "Ethernet4|3-4": {"profile": "NULL"}, "Ethernet8|3": {"profile": "NULL"}`, "dynamic"),
			nil,
		},
	} {
		var got []string
		for _, d := range lint.Judge("x.json", []byte(c.text), 0, 0).Diagnostics {
			if d.Code == "conf-sonic-lossless" {
				end := strings.Index(d.Detail, ". ") + 1
				got = append(got, d.Severity.String()+": "+d.Detail[:end])
				assert.True(t, strings.HasPrefix(c.text[d.At.Start.Byte:], `"3`), c.text[d.At.Start.Byte:])
			}
		}
		assert.Equal(t, c.want, got)
	}
	cfg, err := grammar.Read([]byte(config("", "traditional")))
	require.NoError(t, err)
	cfg.Put(grammar.VersionTable, "localhost", "build_version", "202505.1")
	ds := lint.CheckRows("sonic/running", cfg.Rows(), 0)
	require.True(t, ds.HasErrors(), "a state is from a switch that runs it")
}

// TestMany: many findings of one code are counted, and their time does not grow with the square of their number.
func TestMany(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"SCHEDULER": {`)
	for i := range 50_000 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"s%d": {"weight": 0}`, i)
	}
	b.WriteString("}}")
	ds := lint.Judge("x.json", []byte(b.String()), 0, 0).Diagnostics
	require.NotEmpty(t, ds)
	assert.LessOrEqual(t, len(ds), 101)
}

// TestManyPorts: if each cable has its own row, and groups list as many ports, the time is proportional to the text.
func TestManyPorts(t *testing.T) {
	var cables, groups strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&cables, `,"r%d": {"Ethernet%d": "5m"}`, i, i%9999)
		fmt.Fprintf(&groups, `,"Ethernet%d|%d": {"profile": "p"}`, i%9999, i/9999)
	}
	text := `{"CABLE_LENGTH": {` + cables.String()[1:] + `}, "BUFFER_PG": {` + groups.String()[1:] + `},
		"BUFFER_PROFILE": {"p": {"xoff": "1"}}, "PORT": {"Ethernet0": {"speed": "100000"}}, "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}}`
	took := targettest.ProcessorTime(t, func() { assert.NotEmpty(t, lint.Judge("x.json", []byte(text), 0, 0).Diagnostics) })
	assert.Less(t, took, 20*time.Second)
}

func FuzzCheck(f *testing.F) {
	pages, err := filepath.Glob("../../../docs/checks/conf-sonic-*.md")
	require.NoError(f, err)
	require.NotEmpty(f, pages)
	for _, name := range pages {
		page, err := os.ReadFile(name)
		require.NoError(f, err)
		for _, m := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1) {
			f.Add(m[1])
		}
	}
	f.Fuzz(func(_ *testing.T, data []byte) { lint.Judge("x.json", data, 0, 0) })
}

// TestTemplates: the map of the templates sends DSCP 26 to a lossy class. If other ports with PFC bind their own map, a person has chosen
// the DSCPs of RoCE, and neither map is a finding.
func TestTemplates(t *testing.T) {
	const azure, own = `"AZURE": {"3": "3", "4": "4", "26": "1"}`, `"ROCE": {"0": "0", "24": "3", "26": "5"}`
	port := func(name, bound, mask string) string {
		return `"` + name + `": {"dscp_to_tc_map": "` + bound + `", "pfc_enable": "` + mask + `"}`
	}
	for _, c := range []struct {
		maps, ports string
		found       int
	}{
		{azure, port("Ethernet0", "AZURE", "3,4"), 1},
		{azure, port("Ethernet0", "AZURE", "3,4") + ", " + port("Ethernet4", "AZURE", "3"), 1},
		{own, port("Ethernet0", "ROCE", "3"), 0},
		{azure + ", " + own, port("Ethernet0", "AZURE", "3,4") + ", " + port("Ethernet4", "ROCE", "3"), 0},
		{azure + ", " + own, port("Ethernet0", "AZURE", "3,4") + ", " + port("Ethernet4", "ROCE", ""), 1},
	} {
		text := `{"DSCP_TO_TC_MAP": {` + c.maps + `}, "PORT_QOS_MAP": {` + c.ports + `}}`
		n := 0
		for _, d := range lint.Judge("x.json", []byte(text), 0, 0).Diagnostics {
			if d.Code == "conf-sonic-map" {
				n++
			}
		}
		assert.Equal(t, c.found, n, text)
	}
}

// TestLossyGroup: a profile without headroom in the group of a priority with PFC is an error, even if no port has a lossless group.
// Missing rows are not: a buffer manager may still write them.
func TestLossyGroup(t *testing.T) {
	config := func(groups, status string) string {
		return `{"PORT": {"Ethernet0": {"lanes": "0", "speed": "100000", "admin_status": "` + status + `"}},
			"BUFFER_PROFILE": {"lossy": {"size": "0", "dynamic_th": "3"}, "own": {"size": "9", "xoff": "9", "dynamic_th": "3"}},
			"BUFFER_PG": {` + groups + `}, "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}}`
	}
	for _, c := range []struct{ text, want string }{
		{config(`"Ethernet0|3-4": {"profile": "lossy"}`, "up"), "error"},
		{config(`"Ethernet0|0-7": {"profile": "lossy"}`, "up"), "error"},
		{config(`"Ethernet0|3": {"profile": "own"}, "Ethernet0|4": {"profile": "lossy"}`, "up"), "error"},
		{config(`"Ethernet0|0": {"profile": "lossy"}`, "up"), "warning"},
		{config(`"Ethernet0|3-4": {"profile": "lossy"}`, "down"), ""},
		{config(`"Ethernet0|3-4": {"profile": "own"}`, "up"), ""},
	} {
		got := ""
		for _, d := range lint.Judge("x.json", []byte(c.text), 0, 0).Diagnostics {
			if d.Code == "conf-sonic-lossless" && strings.Contains(d.Detail, "PFC for") {
				got = d.Severity.String()
			}
		}
		assert.Equal(t, c.want, got, c.text)
	}
}
