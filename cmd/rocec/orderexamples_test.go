package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// TestExamplesCanBeApplied: rocec can plan every example without errors for devices in their factory state. No ordering rule refuses a
// change.
func TestExamplesCanBeApplied(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	folders, err := os.ReadDir("../../examples")
	require.NoError(t, err)
	planned := 0
	for _, f := range folders {
		dir := "../../examples/" + f.Name()
		if _, err := os.Stat(dir + "/fabric.hcl"); err != nil {
			continue
		}
		if code, _, _ := rocec(t, "validate", "--quiet", dir); code != exit.Good {
			continue
		}
		planned++
		code, stdout, stderr := rocec(t, "plan", "--lab=new", "--assume-peer-ready", dir)
		assert.Zero(t, code, "%s: %s", f.Name(), stderr)
		assert.Contains(t, stdout, "Order: ", f.Name())
	}
	assert.GreaterOrEqual(t, planned, 8)
}
