package conflint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	nvue "github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/target/lint"
)

// A configuration of NVUE in the JSON of `nv config show -o json` is judged like the file in YAML, with its own lines.
func TestNVUEAsJSON(t *testing.T) {
	const text = `[
  {"header": {"model": "mlnx", "version": "Cumulus Linux 5.9.1"}},
  {"set": {"qos": {
    "pfc": {"mine": {"switch-priority": {"9": {}}, "tx": "enable", "rx": "enable", "cable-length": 5}}
  }}}
]
`
	r := conflint.Check([]lint.File{{Name: "spine1.json", Data: []byte(text)}})
	assert.Equal(t, []string{"configuration of NVUE of Cumulus Linux 5.9.1"}, dialects(r))
	require.NotEmpty(t, r.Diagnostics)
	assert.Equal(t, "conf-nvue-value", r.Diagnostics[0].Code)
	assert.Equal(t, 4, r.Diagnostics[0].At.Start.Line)
}

// TestNVUEKinds: the beginning of a file or its name shows that it is of NVUE. It is judged by its release.
func TestNVUEKinds(t *testing.T) {
	const tree = `"qos": {"pfc": {"a": {"cable-length": 0}}}`
	for _, c := range []struct {
		name, text, dialect string
		found               string // the code and place of the one finding
	}{
		{"a.yaml", "- set:\n    qos: {roce: {state: enabled}}\n", "configuration of NVUE, no release stated, checked as 5.18", ""},
		{"a.yaml", "# x\n- set:\n    qos: {roce: {enable: 'on'}}\n", "configuration of NVUE, no release stated, checked as 5.14", ""},
		{
			"a.yaml", "- header:\n    model: VX\n- set:\n    qos: {pcf: {}}\n", "configuration of NVUE, no release stated, checked as 5.18",
			"conf-nvue-path 4",
		},
		{"a.yaml", "- header:\n    version: Cumulus Linux 5.19.0\n- set: {}\n", "configuration of NVUE", "conf-nvue 2"},
		{"a.yaml", "- header:\n    version: NVOS 25.02\n- set: {}\n", "configuration of NVUE", "conf-nvue 1"},
		{
			"a.yaml", "\xef\xbb\xbf- header:\n    version: Cumulus Linux 5.9.0\n", "configuration of NVUE of Cumulus Linux 5.9.0",
			"conf-not-judged 1",
		},
		{"a.yaml", "- set: {a: \xff}\n", "configuration of NVUE, no release stated, checked as 5.18", "conf-nvue-tree 1"},
		{"leaf1-startup.yaml", "qos: {pcf: {}}\n", "configuration of NVUE, no release stated, checked as 5.18", "conf-nvue-path 1"},
		{"leaf1-startup.yaml", "- hea", "configuration of NVUE, no release stated, checked as 5.18", "conf-nvue-tree 1"},
		{"startup.yaml", "", "configuration of NVUE", "conf-nvue-tree 1"},
		{"startup.yaml", "---\n# nothing\n  ", "configuration of NVUE", "conf-nvue-tree 1"},
		{"startup.yaml", "nv set qos roce\n", "commands of NVUE, no release stated, checked as 5.18", "conf-nvue 1"},
		{"nv.txt", "# x\n\n  sudo nv unset qos roce\n", "commands of NVUE, no release stated, checked as 5.18", "conf-nvue 1"},
		{"nv.txt", "nv config apply\n", "commands of NVUE, no release stated, checked as 5.18", "conf-not-judged 1"},
		{"nv.txt", "nvme list\n", "", "conf-dialect 1"},
		{
			"a.json", `{"header": {"version": "Cumulus Linux 5.9.0"}, "set": {` + tree + `}}`, "configuration of NVUE of Cumulus Linux 5.9.0",
			"conf-nvue-value 1",
		},
		{"a.json", `{"set": {` + tree + `}}`, "configuration of NVUE, no release stated, checked as 5.18", "conf-nvue-value 1"},
		{
			"a.json", "{\"1\": {\"header\": {}}, \"2\":\n{\"set\": {" + tree + "}}}", "configuration of NVUE, no release stated, checked as 5.18",
			"conf-nvue-value 2",
		},
		{"a.json", "{" + tree + "}", "configuration of NVUE, no release stated, checked as 5.18", "conf-nvue-value 1"},
	} {
		f := lint.File{Name: c.name, Data: []byte(c.text)}
		r := conflint.Check([]lint.File{f})
		assert.Equal(t, []string{c.dialect}, dialects(r), c.text)
		var found []string
		for _, d := range r.Diagnostics {
			if d.Code != "conf-syntax" {
				found = append(found, fmt.Sprintf("%s %d", d.Code, d.At.Start.Line))
			}
		}
		assert.Equal(t, c.found, strings.Join(found, ", "), c.text)
	}
	for name, text := range map[string]string{
		"a.json": `{"PORT": {}}`, "startup.yaml": `{"PORT": {}}`, "b.json": "{}", "c": "", "traffic.conf": "qos: {}",
	} {
		assert.False(t, nvue.Takes(lint.File{Name: name, Data: []byte(text)}), name)
	}
	assert.False(t, nvue.Takes(lint.File{Name: "startup.yaml", Why: "It is gone."}))
}

// TestUnjudged: a file that no rule has judged has a reason, and a finding with the reason. The result for a switch without RoCE differs
// from that for correct RoCE.
func TestUnjudged(t *testing.T) {
	const header = "- header:\n    version: Cumulus Linux 5.9.0\n"
	const trust = "traffic.packet_priority_source_set = [dscp]\n"
	const ports = "- set:\n    interface:\n      swp1: {type: swp}\n"
	const noKey = "no line sets a key that rocec knows"
	const alone = "it has only lines of nv set, without those of a whole tree"
	const script = "it is a script, and its effect depends on the earlier settings of the switch"
	const patch = "it unsets interface.swp1.qos, so it is a patch and not an applied tree"
	for _, c := range []struct {
		name, text, why string
		plain           bool
	}{
		{"startup.nv", "nv set qos roce\n", alone, false},
		{"startup.yaml", "nv set qos roce\n", alone, false},
		{"traffic.conf", "# by hand\nsudo nv set qos roce\n", script, false},
		{"a", "nv set qos roce\nnv set interface swp1 type swp\n", "", false},
		{"a", "u@leaf1:~$ nv config show -o commands\nnv set qos roce\n", "", false},
		{"a", "nv set interface swp1 type swp\n", "", true},
		{"a", "nv config apply\n", "it sets nothing", false},
		{
			"a.yaml", "- header:\n    version: Cumulus Linux 5.2.0\n- set:\n    qos: {roce: {}}\n",
			"it is of Cumulus Linux 5.2.0, whose paths rocec does not know", false,
		},
		{"a.yaml", "- header:\n    version: NVOS 25.02\n- set: {}\n", "it is of NVOS 25.02, whose paths rocec does not know", false},
		{"startup.yaml", "", "it is empty", false},
		{"startup.yaml", "# all\n", "it is empty", false},
		{"startup.yaml", "- hea", "it cannot be read", false},
		{"startup.yaml", header, "it sets nothing", false},
		{"startup.yaml", "some: words\n", "it sets no path of NVUE that rocec knows", false},
		{
			"a.yaml", ports + "- unset:\n    interface:\n      swp1: {qos: {}}\n",
			patch, false,
		},
		{"a.yaml", ports + "- unset:\n    system: {wjh: {}}\n", "", true},
		{"startup.yaml", header + ports, "", true},
		{"startup.yaml", header + "- set:\n    qos: {roce: {enable: off}}\n", "", true},
		{"startup.yaml", header + "- set:\n    qos: {remark: {}}\n", "", true},
		{"startup.yaml", header + "- set:\n    qos: {roce: {}}\n", "", false},
		{"startup.yaml", header + "- set:\n    qos: {pfc: {a: {}}}\n", "", false},
		{"startup.yaml", header + "- set:\n    interface: {swp1: {qos: {link-pause: {profile: a}}}}\n", "", false},
		{"startup.yaml", header + "- set:\n    qos: {congestion-control: {a: {}}}\n", "", false},
		{"traffic.conf", "", noKey, false},
		{"traffic.conf", "# pfc.port_group_list = [a]\n", noKey, false},
		{"traffic.conf", "hostname leaf1\n", noKey, false},
		{"traffic.conf", "pfc.port_group_list = []\n\x00", "it cannot be read", false},
		{"traffic.conf", "traffic.packet_priority_source = dscp\n" + trust, "it has keys of different releases", false},
		{"datapath.conf", "hash_config.enable = true\n", noKey, false},
		{"datapath.conf", "", "it is empty", false},
		{"traffic.conf", trust, "", true},
		{"traffic.conf", trust + "pfc.port_group_list = []\n", "", true},
		{"traffic.conf", trust + "pfc.port_group_list = [a]\n", "", false},
		{"traffic.conf", trust + "pfc.a.cos_list = [3]\n", "", false},
		{"traffic.conf", trust + "link_pause.port_group_list = [a]\n", "", false},
		{"traffic.conf", trust + "ecn.port_group_list = [a]\n", "", false},
		{"qos_features.conf", trust, "", true},
		{"qos_features.conf", trust + "default_ecn_red_conf.ecn_enable = true\n", "", false},
		{"qos_infra.conf", "ingress_service_pool.0.percent = 50\n", "", false}, // it has no classes, so it shows nothing about the switch
	} {
		r := conflint.Check([]lint.File{{Name: c.name, Data: []byte(c.text)}})
		part := slices.Contains([]string{alone, script, patch}, c.why)
		assert.Equal(t, lint.Taken{Dialect: r.Files[0].Dialect, Why: c.why, Part: part, Plain: c.plain}, r.Files[0], "%s: %s", c.name, c.text)
		told := slices.ContainsFunc(r.Diagnostics, func(d *diag.Diagnostic) bool {
			return d.At.Filename == c.name && (d.Severity == diag.Error || d.Code == "conf-nvue" || d.Code == lint.Unjudged.Code)
		})
		assert.True(t, c.why == "" || told, "a finding of %s states the reason: %s", c.name, c.text)
	}

	features := lint.File{Name: "a/qos_features.conf", Data: []byte(trust)}
	r := conflint.Check([]lint.File{features, {Name: "a/qos_infra.conf"}})
	assert.Equal(t, "it is empty", r.Files[1].Why, "an empty copy, beside a file that sets something")
	r = conflint.Check([]lint.File{features, {Name: "a/traffic.conf", Data: []byte("# all\n")}})
	assert.Empty(t, r.Files[1].Why, "from 4.4 on a file without classes is complete")
	marks := lint.File{Name: "b/qos_features.conf", Data: []byte(trust + "default_ecn_red_conf.ecn_enable = true\n")}
	r = conflint.Check([]lint.File{features, {Name: "a/qos_infra.conf", Data: []byte("# all\n")}, marks})
	assert.True(t, r.Files[0].Plain && r.Files[1].Plain, "all files of one switch have the same answer")
	assert.False(t, r.Files[2].Plain)
}
