package conflint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/cumulus/conflint"
)

// A configuration of NVUE as `nv config show -o json` prints it is judged like the file in YAML, at its lines.
func TestNVUEAsJSON(t *testing.T) {
	const text = `[
  {"header": {"model": "mlnx", "version": "Cumulus Linux 5.9.1"}},
  {"set": {"qos": {
    "pfc": {"mine": {"switch-priority": {"9": {}}, "tx": "enable", "rx": "enable", "cable-length": 5}}
  }}}
]
`
	r := conflint.Check([]conflint.File{{Name: "spine1.json", Data: []byte(text)}})
	assert.Equal(t, []string{"configuration of NVUE of Cumulus Linux 5.9.1"}, r.Dialects)
	require.NotEmpty(t, r.Diagnostics)
	assert.Equal(t, "conf-nvue-value", r.Diagnostics[0].Code)
	assert.Equal(t, 4, r.Diagnostics[0].At.Start.Line)
}

// What a file of NVUE is told by: its beginning, whatever it is called, or its name; and by which release it is judged.
func TestNVUEKinds(t *testing.T) {
	const tree = `"qos": {"pfc": {"a": {"cable-length": 0}}}`
	for _, c := range []struct {
		name, text, dialect string
		found               string // the code and place of the one finding
	}{
		{"a.yaml", "- set:\n    qos: {roce: {state: enabled}}\n", "configuration of NVUE, no release stated, judged as 5.18", ""},
		{"a.yaml", "# x\n- set:\n    qos: {roce: {enable: 'on'}}\n", "configuration of NVUE, no release stated, judged as 5.14", ""},
		{
			"a.yaml", "- header:\n    model: VX\n- set:\n    qos: {pcf: {}}\n", "configuration of NVUE, no release stated, judged as 5.18",
			"conf-nvue-path 4",
		},
		{"a.yaml", "- header:\n    version: Cumulus Linux 5.19.0\n- set: {}\n", "configuration of NVUE, which is not judged", "conf-nvue 2"},
		{"a.yaml", "- header:\n    version: NVOS 25.02\n- set: {}\n", "configuration of NVUE, which is not judged", "conf-nvue 1"},
		{"a.yaml", "\xef\xbb\xbf- header:\n    version: Cumulus Linux 5.9.0\n", "configuration of NVUE of Cumulus Linux 5.9.0", ""},
		{"a.yaml", "- set: {a: \xff}\n", "configuration of NVUE, no release stated, judged as 5.18", "conf-nvue-tree 1"},
		{"leaf1-startup.yaml", "qos: {pcf: {}}\n", "configuration of NVUE, no release stated, judged as 5.18", "conf-nvue-path 1"},
		{"leaf1-startup.yaml", "- hea", "configuration of NVUE, no release stated, judged as 5.18", "conf-nvue-tree 1"},
		{"startup.yaml", "", "configuration of NVUE, which is empty", "conf-nvue-tree 1"},
		{"startup.yaml", "---\n# nothing\n  ", "configuration of NVUE, which is empty", "conf-nvue-tree 1"},
		{"startup.yaml", "nv set qos roce\n", "commands of NVUE, which are not judged", "conf-nvue 1"},
		{"nv.txt", "# x\n\n  sudo nv unset qos roce\n", "commands of NVUE, which are not judged", "conf-nvue 1"},
		{"nv.txt", "nv config apply\n", "commands of NVUE, which are not judged", "conf-nvue 1"},
		{"nv.txt", "nvme list\n", "", "conf-dialect 1"},
		{
			"a.json", `{"header": {"version": "Cumulus Linux 5.9.0"}, "set": {` + tree + `}}`, "configuration of NVUE of Cumulus Linux 5.9.0",
			"conf-nvue-value 1",
		},
		{"a.json", `{"set": {` + tree + `}}`, "configuration of NVUE, no release stated, judged as 5.18", "conf-nvue-value 1"},
		{
			"a.json", "{\"1\": {\"header\": {}}, \"2\":\n{\"set\": {" + tree + "}}}", "configuration of NVUE, no release stated, judged as 5.18",
			"conf-nvue-value 2",
		},
		{"a.json", "{" + tree + "}", "configuration of NVUE, no release stated, judged as 5.18", "conf-nvue-value 1"},
	} {
		f := conflint.File{Name: c.name, Data: []byte(c.text)}
		r := conflint.Check([]conflint.File{f})
		assert.Equal(t, []string{c.dialect}, r.Dialects, c.text)
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
		assert.False(t, conflint.IsNVUE(conflint.File{Name: name, Data: []byte(text)}), name)
	}
	assert.False(t, conflint.IsNVUE(conflint.File{Name: "startup.yaml", Why: "It is gone."}))
}
