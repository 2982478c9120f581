package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// gpuPod returns the example with a given number of rails, and with an edit of its cabling.
func gpuPod(t *testing.T, rails int, edit func(string) string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../../examples/gpu-pod", name))
		require.NoError(t, err)
		return string(text)
	}
	cabling, devices := read("cabling.hcl"), read("devices.hcl")
	link, _, _ := strings.Cut(cabling, "\n\n")
	nic := "  nic \"rail4\" {\n    model = \"connectx-7\"\n    mtu   = 9000\n  }\n"
	require.Contains(t, devices, nic)
	var links, nics strings.Builder
	for r := 5; r <= rails; r++ {
		n := string(rune('0' + r))
		links.WriteString("\n\n" + strings.NewReplacer("rail1", "rail"+n, "leaf1", "leaf"+n).Replace(link))
		nics.WriteString(strings.ReplaceAll(nic, "rail4", "rail"+n))
	}
	n := string(rune('0' + rails))
	cabling = strings.NewReplacer("leaf[1-4]", "leaf[1-"+n+"]", "swp[1-4]", "swp[1-"+n+"]").Replace(cabling) + links.String()
	devices = strings.ReplaceAll(strings.Replace(devices, nic, nic+nics.String(), 1), "leaf[1-4]", "leaf[1-"+n+"]")
	for name, text := range map[string]string{"cabling.hcl": edit(cabling), "devices.hcl": devices, "fabric.hcl": read("fabric.hcl")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// Two hosts with eight rails have 64 pairs of interfaces. The output is two pages, not 64. With --all and in JSON, each pair is separate.
func TestTraceFoldsPairs(t *testing.T) {
	dir := gpuPod(t, 8, func(s string) string { return s })
	code, text, stderr := rocec(t, "trace", dir, "gpu01", "gpu02")
	require.Equal(t, exit.Good, code, stderr)
	require.Equal(t, 2, strings.Count(text, ", data: gpu01:rail[1-8] to gpu02:rail[1-8]"), text)
	require.Contains(t, text, "8 pairs of interfaces alike; each with the interface of the same name")
	require.Contains(t, text, "56 pairs of interfaces alike; each with the interfaces of other names")
	require.Contains(t, text, "   leaf[1-8] ", "each pair passes another")
	require.Contains(t, text, "one of 8: spine[1-8]", "each pair passes any")
	require.Less(t, strings.Count(text, "\n"), 90)

	_, all, _ := rocec(t, "trace", "--all", dir, "gpu01", "gpu02")
	require.Equal(t, 64, strings.Count(all, ", data: "))
	require.NotContains(t, all, "alike")
	_, doc, _ := rocec(t, "trace", "--format", "json", dir, "gpu01", "gpu02")
	var parsed struct{ Traces []any }
	require.NoError(t, json.Unmarshal([]byte(doc), &parsed))
	require.Len(t, parsed.Traces, 64)

	_, one, _ := rocec(t, "trace", dir, "gpu01:rail1", "gpu02")
	require.Contains(t, one, "7 pairs of interfaces alike; each with each")
	require.Contains(t, one, "training, data: gpu01:rail1 to gpu02:rail1\n")
}

// A rail with different cabling is shown separately, and the other pairs do not hide a break of one pair.
func TestTraceKeepsPairsApart(t *testing.T) {
	dir := gpuPod(t, 4, func(s string) string {
		return strings.Replace(s, "swp[1-8]s[0-1]\"\n  speed  = \"400G\"\n  length = \"5m\"",
			"swp[1-8]s[0-1]\"\n  speed  = \"400G\"\n  length = \"40m\"", 1)
	})
	_, text, _ := rocec(t, "trace", dir, "gpu01", "gpu02")
	require.Contains(t, text, "data: gpu01:rail1 to gpu02:rail1\n")
	require.Contains(t, text, "data: gpu01:rail[2-4] to gpu02:rail[2-4]\n   pairs    3 pairs of interfaces alike; each with the interface "+
		"of the same name")
	require.Contains(t, text, "data: gpu01:rail1 to gpu02:rail[2-4]\n")
	require.Contains(t, text, "data: gpu01:rail[2-4] to gpu02:rail1\n")

	dir = gpuPod(t, 4, func(s string) string { return s })
	code, text, _ := rocec(t, "trace", "--down", "gpu02:rail3", dir, "gpu01", "gpu02")
	require.Equal(t, exit.Errors, code)
	require.Contains(t, text, "data: gpu01:rail[1-4] to gpu02:rail3\n   pairs    4 pairs of interfaces alike; each with each")
	require.Contains(t, text, "data: gpu01:rail[1-2,4] to gpu02:rail[1-2,4]\n   pairs    3 pairs of interfaces alike; each with the interface "+
		"of the same name")
	require.Contains(t, text, "data: gpu01:rail[1-4] to gpu02:rail[1-2,4]\n   pairs    9 pairs of interfaces alike; each with the interfaces of "+
		"other names")
	require.Equal(t, 2, strings.Count(text, "=> first break: "), "there and back: %s", text)
}
