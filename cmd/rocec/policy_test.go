package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// TestPolicyOfLogins: each verb that logs in to devices obeys the prefixes and the keys of the policy, and names its line.
func TestPolicyOfLogins(t *testing.T) {
	dir, devices := standing(t)
	policy := filepath.Join(t.TempDir(), "policy.hcl")
	write := func(text string) { require.NoError(t, os.WriteFile(policy, []byte(text), 0o600)) }
	for text, says := range map[string]string{
		"forbid = [\n  \"keys_on_disk\"]\n": "the policy forbids keys_on_disk (" + policy + ":2)",
		"\n\nprefixes = [\"10.0.0.0/8\"]\n": "is in no prefix of the policy (" + policy + ":3)",
	} {
		write(text)
		for _, args := range [][]string{
			{"plan", dir},
			{"apply", "-y", dir},
			{"apply", "-y", "--replace", "tor1", "--host-key", devices.Login("tor1").HostKey, dir},
			{"verify", dir},
			{"collect", "--out", filepath.Join(t.TempDir(), "snapshot"), dir},
			{"selftest", dir},
			{"resume", "--abandon", "-y", "-C", dir},
			{"confirm", "20261121t065136z-3f9a", "-C", dir},
		} {
			code, stdout, stderr := rocecWith(t, nil, append(args, "--policy", policy)...)
			assert.Equal(t, exit.Machines, code, "%v", args)
			assert.Contains(t, stdout+stderr, says, "%v", args)
		}
	}
	write(`prefixes = ["127.0.0.0/8"]`)
	code, _, stderr := rocecWith(t, nil, "plan", "--policy", policy, dir)
	require.Equal(t, exit.Good, code, stderr)
}

// TestPolicyOfPlan: plan names the approvals that apply wants, saves no plan that the policy forbids, and --replace takes over no host key.
func TestPolicyOfPlan(t *testing.T) {
	b := newBank(t)
	code, output := b.does("alice", "plan", b.dir)
	require.Equal(t, exit.Good, code, output)
	require.Contains(t, output, "The apply of this wants 2 approvals: save the plan with --out, for rocec approve.")
	require.NotContains(t, output, "rocec apply ")

	b.write("policy.hcl", "forbid = [\"--skip-cabling-check\", \"--host-key\"]\nmessage = \"CHG[0-9]{7}\"\n")
	for _, flags := range [][]string{{"-m", "CHG0004711", "--skip-cabling-check"}, {"-m", "ticket 7"}} {
		code, output = b.does("alice", append([]string{"plan", "--out", b.plan, b.dir}, flags...)...)
		require.Equal(t, exit.Errors, code, output)
		require.Contains(t, output, "policy-forbids")
		require.NoFileExists(t, b.plan)
	}
	code, output = b.does("alice", "plan", "--out", b.plan, b.dir)
	require.Equal(t, exit.Good, code, output)

	known := filepath.Join(getenv(t, "HOME"), ".ssh", "known_hosts")
	fabric, err := os.ReadFile(filepath.Join(b.dir, "fabric.hcl"))
	require.NoError(t, err)
	key := b.devices.Login("tor1").HostKey
	text := strings.ReplaceAll(string(fabric), `host_key = ["`+key+`"][self.index]`, "")
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "fabric.hcl"), []byte(text), 0o600))
	code, output = b.does("alice", "apply", "-y", "--replace", "tor1", "--host-key", key, b.dir)
	require.Equal(t, exit.Errors, code, output)
	require.Contains(t, output, "The policy forbids --host-key")
	require.NoFileExists(t, known)
}
