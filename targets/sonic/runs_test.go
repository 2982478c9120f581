package sonic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/platform"
)

// A draft has the release in a file, if rocec writes for that release and it runs on the model.
func TestRuns(t *testing.T) {
	m, ok := platform.FindSwitch("sn2700")
	require.True(t, ok)
	for version, want := range map[string]bool{"202411": true, "202505": true, "202211": false, "201911": false, "latest": false, "4.3.0": false} {
		require.Equal(t, want, OS.Runs(nil, version), version)
		require.Equal(t, want, OS.Runs(m, version), version)
	}
}
