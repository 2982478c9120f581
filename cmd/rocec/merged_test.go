package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/targets"
)

// TestMerged: a code that was merged into others stays a former name of them. It is not itself a code and has no page.
func TestMerged(t *testing.T) {
	merged := targets.Merged()
	require.NotEmpty(t, merged)
	for old, now := range merged {
		assert.Nil(t, docs.OfCode(old), old)
		code, stdout, stderr := rocec(t, "explain", old)
		assert.Zero(t, code, stderr)
		assert.Contains(t, stdout, old+" is merged into ")
		for _, one := range now {
			assert.NotContains(t, merged, one, "%s: a chain", old)
			page := docs.OfCode(one)
			if assert.NotNil(t, page, one) {
				assert.Contains(t, stdout, page.Title)
			}
		}
		_, stdout, _ = rocec(t, "explain", "--list")
		assert.Contains(t, stdout, "  "+old+" ")
	}
	for _, room := range report.Rooms() {
		for _, topic := range room.Topics {
			assert.NotContains(t, merged, topic.Code)
		}
	}
	_, _, stderr := rocec(t, "explain", "conf-nvue-enc")
	assert.Contains(t, stderr, `Did you mean "conf-nvue-ecn"?`)
}

// TestMergedComment: in a comment of a fabric, a former code counts as a code about files of devices.
func TestMergedComment(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/a.hcl", []byte("# rocec:ignore conf-nvue-ecn it is known\nfabric \"f\" {}\n"), 0o600))
	_, stdout, _ := rocec(t, "validate", dir)
	assert.Contains(t, stdout, "[ignore-refused]")
	assert.NotContains(t, stdout, "[ignore-unknown]")
}

// TestMergedSARIF: the rules of a log list the codes that were merged into them.
func TestMergedSARIF(t *testing.T) {
	_, stdout, _ := rocec(t, "validate", "--device-config", "testdata/replay/conf-nvue-ecn", "--format", "sarif")
	var log report.SARIFLog
	require.NoError(t, json.Unmarshal([]byte(stdout), &log))
	rules := log.Runs[0].Tool.Driver.Rules
	require.Len(t, rules, 1)
	assert.Equal(t, "conf-unmarked", rules[0].ID)
	assert.Equal(t, []string{"conf-nvue-ecn", "conf-sonic-marking"}, rules[0].DeprecatedIDs)
}
