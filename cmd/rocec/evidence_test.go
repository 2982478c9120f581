package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// For a release without a report by users, apply changes a real switch only if the person accepts that in writing. Before, it touches no
// device.
func TestAcceptDocumented(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	dir, devices := standingAs(t, "rack-by-files", 6)
	want := func(code int, args ...string) string {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	before, err := devices.Device("tor1").ReadFile("/etc/cumulus/datapath/qos/qos_features.conf")
	require.NoError(t, err)

	out := want(exit.Good, "plan", dir)
	require.Contains(t, out, "evidence: cumulus (Cumulus Linux 5.3.1, by its files): simulated, no report by users yet; "+
		"apply needs --accept-unverified for 1 device.")
	require.Contains(t, out, "evidence (6 devices); --notes shows them.")
	require.NotContains(t, out, "Next:", "apply would be refused")
	require.Contains(t, want(exit.Good, "plan", "--notes", dir), "evidence: mlx5: simulated, no report by users yet.")
	require.Contains(t, want(exit.Good, "plan", "--format", "json", dir), `"accept": true`)

	apply := []string{"apply", "--auto-approve", "--soak", "0s"}
	out = want(exit.Errors, append(apply, dir)...)
	require.Contains(t, out, "error[documented-only]")
	require.Contains(t, out, "The plan changes tor1 (Cumulus Linux 5.3.1, by its files).")
	require.Contains(t, out, "fabric.hcl:31:")
	require.Contains(t, want(exit.Errors, append(apply, "--format", "json", dir)...), `"not-started"`)
	require.Contains(t, want(exit.Errors, "apply", "-C", dir, "--auto-approve", "--replace", "tor1"), "error[documented-only]")
	after, err := devices.Device("tor1").ReadFile("/etc/cumulus/datapath/qos/qos_features.conf")
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))

	// The fabric can contain the acceptance permanently.
	name := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	said := strings.Replace(string(text), `  config  = "files"`, "  accept_documented = true\n  config  = \"files\"", 1)
	require.NoError(t, os.WriteFile(name, []byte(said), 0o644))
	out = want(exit.Good, "plan", dir)
	require.NotContains(t, out, "accept-documented")
	require.NoError(t, os.WriteFile(name, text, 0o644))

	// A flag accepts for one run, also with a saved plan.
	saved := filepath.Join(t.TempDir(), "a.plan")
	want(exit.Good, "plan", "--out", saved, dir)
	require.Contains(t, want(exit.Errors, "apply", "--plan", saved, "--auto-approve", "--soak", "0s", dir), "documented-only")
	want(exit.Good, "apply", "--plan", saved, "--auto-approve", "--soak", "0s", "--accept-unverified", dir)
	require.Contains(t, want(exit.Good, append(apply, dir)...), "No changes", "unchanged devices need no acceptance")
}
