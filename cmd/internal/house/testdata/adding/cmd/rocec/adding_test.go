package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// TestAdded judges files of the added operating system without a fabric: in a folder, by name, and with a reason where one is not judged.
func TestAdded(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"leaf1-sample.conf": "port1 lossless 3\nport2 lossless\n", "leaf2/sample.conf": "port1 lossless 3\n", "leaf3/sample.conf": "",
		"leaf4/traffic.conf": "pfc.port_group_list = []\n", "notes": "port1 lossless\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	code, stdout, stderr := rocec(t, "validate", "--device-config", dir)
	require.Empty(t, stderr)
	assert.Equal(t, exit.Good, code, "a warning fails nothing")
	assert.Contains(t, stdout, "warning[conf-sample]: a port of Sample OS has no lossless cos")
	assert.Contains(t, stdout, "leaf1-sample.conf:2")
	assert.Contains(t, stdout, dir+"/leaf2/sample.conf (sample.conf of Sample OS)\n")
	assert.Contains(t, stdout, "traffic.conf of Cumulus Linux", "its own linter judges each file")
	assert.Contains(t, stdout, "it is empty")
	assert.Contains(t, stdout, "1 further file was passed over")

	one := filepath.Join(dir, "leaf1-sample.conf")
	code, stdout, _ = rocec(t, "validate", "--device-config", one, "--format", "junit", "--warnings-as-errors")
	assert.Equal(t, exit.Errors, code)
	assert.Contains(t, stdout, `type="conf-sample"`)

	_, _, stderr = rocec(t, "validate", "--device-config", t.TempDir())
	assert.Contains(t, stderr, "sample.conf")
	_, stdout, _ = rocec(t, "validate", "--help")
	assert.Contains(t, stdout, "sample.conf")
	code, stdout, _ = rocec(t, "explain", "conf-sample")
	assert.Equal(t, exit.Good, code)
	assert.Contains(t, stdout, "drops RoCE traffic")
}
