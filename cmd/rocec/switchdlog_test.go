package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report/reporttest"
)

// The plan shows how a switch loads the file, and which key requires the restart that resets every port.
func TestPlanSaysTheWay(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	schema, err := os.ReadFile("../../docs/schema/plan.json")
	require.NoError(t, err)
	compiled := reporttest.Closed(t, schema, "")
	example, err := os.ReadFile("../../examples/rack-v1-pfc/fabric.hcl")
	require.NoError(t, err)
	for version, want := range map[string][]string{
		"3.7.16": {"every port resets (switchd restart)", ""},
		"4.1.1": {
			"every port resets (switchd restart)",
			"switchd restarts: on 4.1 a reload cannot apply a change of priority_group.bulk.cos_list and 1 more key.",
		},
		"4.3.0": {"a brief loss while buffers change (switchd reload)", ""},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"),
			[]byte(strings.ReplaceAll(string(example), `"3.4.3"`, strconv.Quote(version))), 0o644))
		code, stdout, stderr := rocec(t, "plan", "--lab=new", dir)
		require.Equal(t, exit.Good, code, stderr)
		assert.Contains(t, stdout, want[0], version)
		assert.Equal(t, want[1] != "", strings.Contains(stdout, "switchd restarts:"), version)
		assert.Contains(t, stdout, want[1], version)
		code, stdout, stderr = rocec(t, "plan", "--lab=new", "--format", "json", dir)
		require.Equal(t, exit.Good, code, stderr)
		assert.Equal(t, want[1] != "", strings.Contains(stdout, "switchd restarts:"), version)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(doc))
	}
}
