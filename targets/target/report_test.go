package target

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// For every report, reading ends, and the result is the same for every JSON reader.
func FuzzParseReport(f *testing.F) {
	f.Add([]byte(`{"format_version":"1.0","host":"h","boot_id":"b","files":[{"path":"/a","sha256":null}],"nics":[{"name":"e","settings":{"pfc":"0"}}]}`))
	f.Add([]byte(`{"format_version":"1.0","nics":[{"name":"e"},{"name":"e"}]}`))
	f.Add([]byte(`{"a":{"a":[{"a":1},"a"]},"A":2}`))
	f.Add([]byte(`[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseReport(data)
		if err != nil {
			return
		}
		var whole map[string]any
		require.NoError(t, json.Unmarshal(data, &whole))
		seen := map[string]bool{}
		for _, n := range r.NICs {
			require.False(t, seen[n.Name])
			seen[n.Name] = true
			require.Same(t, r.NIC(n.Name), r.NIC(n.Name))
			for key, value := range n.Settings {
				assert.NotContains(t, key+value, "\n")
			}
		}
	})
}

func TestParseReport(t *testing.T) {
	r, err := ParseReport([]byte(`{"format_version": "1.7", "later": [{"x": {"x": 1}}, "x", "x"], "host": "h1", "boot_id": "b",
		"files": [{"path": "/a", "sha256": "aa", "mode": "0644", "rights": "0:0:644"}, {"path": "/b", "sha256": null}],
		"nics": [{"name": "e1", "driver": "d", "settings": {"pfc": "1"}, "gids": ["0 e1 ::1 RoCE v2"], "good": true, "differs": []}, {"name": "e2"}]}`))
	require.NoError(t, err)
	assert.Equal(t, &Report{
		Host: "h1", Boot: "b", Files: map[string]string{"/a": "aa", "/b": ""}, Rights: map[string]string{"/a": "0:0:644"},
		NICs: []ReportedNIC{
			{Name: "e1", Driver: "d", Settings: map[string]string{"pfc": "1"}, GIDs: []string{"0 e1 ::1 RoCE v2"}, Good: true, Differs: []string{}},
			{Name: "e2"},
		},
	}, r)
	assert.Nil(t, r.NIC("e3"))
	for text, want := range map[string]string{
		"":                             "not a report",
		"null":                         "format_version",
		`{"format_version": 1}`:        "its format_version is a number",
		`{"format_version": "1.0x"}`:   `format_version is "1.0x"`,
		`{"format_version": "1.0"} {}`: "not a report",
		`{"a": 1, "b": {"c": [1, {"d": 1, "D": 2}]}}`:                                     `"D" twice`,
		`{"\u017f": 1, "S": 2}`:                                                           `"S" twice`, // encoding/json takes one for the other
		`{"format_version": "1.0", "files": [{"path": "/a"}, {"path": "/a"}]}`:            `"/a" twice`,
		`{"format_version": "1.0", "nics": [{"name": "e", "settings": {"a=b": ""}}]}`:     "not one line",
		`{"format_version": "1.0", "nics": [{"name": "e", "settings": {"a": "\u0007"}}]}`: "not one line",
	} {
		_, err := ParseReport([]byte(text))
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}
