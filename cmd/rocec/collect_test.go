package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// Devices of every system that rocec has configured answer collect. audit has the same findings in the answers as in the files of build.
func TestCollectLab(t *testing.T) {
	machinetest.Long(t)
	t.Chdir("../..")
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	for name, switches := range map[string][]string{
		"rack-by-files": {"--target", "tor*"}, "mixed-releases": {"--target", "leaf*", "--target", "spine*"},
	} {
		dir, lab := filepath.Join("examples", name), t.TempDir()
		code, _, stderr := rocec(t, "apply", "--lab="+lab, "--auto-approve", "--soak", "0s", "--assume-peer-ready", dir)
		require.Zero(t, code, stderr)
		to := filepath.Join(t.TempDir(), "site.tar.gz")
		code, _, stderr = rocec(t, "collect", "--lab="+lab, dir, "-o", to)
		require.Zero(t, code, stderr)
		require.Contains(t, stderr, "next: rocec audit")
		out := auditOf(t, to)
		for _, d := range out.Diagnostics {
			assert.NotEqual(t, "error", d.Severity, "%s: %s %s", name, d.Code, d.Detail)
		}
		assert.Empty(t, out.Network.Unread, name)
		require.NotEmpty(t, out.Loops, name)
		for _, loop := range out.Loops {
			assert.Equal(t, "free", loop.Verdict, name)
		}
		site, again := filepath.Join(t.TempDir(), "site"), t.TempDir()
		code, _, stderr = rocec(t, "init", "--from", to, site)
		require.Zero(t, code, stderr)
		code, _, stderr = rocec(t, "-C", site, "lab", "load", "--lab="+again, to)
		require.Zero(t, code, stderr)
		code, stdout, stderr := rocec(t, append([]string{"plan", "--lab=" + again, site}, switches...)...)
		require.Zero(t, code, stderr)
		if name == "mixed-releases" { // the other draft has a NIC that no file states
			require.Contains(t, stdout, "No changes: ", "the devices have the settings of the draft")
		}
		masked := filepath.Join(t.TempDir(), "masked")
		code, _, stderr = rocec(t, "collect", to, "--mask", "-o", masked)
		require.Zero(t, code, stderr)
		_, err := os.Stat(masked + ".map")
		require.NoError(t, err)
		assert.Equal(t, out.codes(), auditOf(t, masked).codes(), name)
	}
}

// audited has the members of an audit document that this test reads.
type audited struct {
	Diagnostics []struct{ Code, Severity, Detail string }
	Loops       []struct{ Verdict string } `json:"pfc_loops"`
	Network     struct{ Unread []string }
}

func (a *audited) codes() (out []string) {
	for _, d := range a.Diagnostics {
		out = append(out, d.Code+" "+d.Severity)
	}
	slices.Sort(out)
	return out
}

func auditOf(t *testing.T, source string) *audited {
	t.Helper()
	_, stdout, stderr := rocec(t, "audit", "--format", "json", source)
	var out audited
	require.NoError(t, json.Unmarshal([]byte(stdout), &out), stderr)
	return &out
}
