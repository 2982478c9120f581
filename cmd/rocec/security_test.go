package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// networkCall matches a system call that opens a network connection, as strace prints it. Go first opens a socket for any connection,
// also to look up a name or an interface.
var networkCall = regexp.MustCompile(`(?m)^.*\bsocket\(AF_(INET|INET6|NETLINK|PACKET|VSOCK)\b.*$`)

// No verb without devices opens a network connection, and none calls home.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("rocec")
	require.NoError(t, err, "testscript puts it there")
	tracer, ip := machinetest.Need(t, "strace"), machinetest.Need(t, "ip")
	fabric, err := filepath.Abs("../../examples/clos-v2-ecn")
	require.NoError(t, err)
	dir := t.TempDir()
	trace := filepath.Join(dir, "calls")
	traced := func(args ...string) string {
		cmd := exec.Command(tracer, append([]string{"-f", "-qq", "-e", "trace=network", "-o", trace}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		calls, err := os.ReadFile(trace)
		require.NoError(t, err)
		return networkCall.FindString(string(calls))
	}
	require.NotEmpty(t, traced(ip, "link", "show"), "the trace has the files that a process opens")
	for _, args := range [][]string{
		{"validate", fabric},
		{"fmt", "--check", fabric},
		{"build", "-o", filepath.Join(dir, "out"), fabric},
		{"graph", fabric},
		{"audit", "--demo", "--write-baseline", filepath.Join(dir, "known.hcl")},
		{"diff", fabric, fabric},
		{"show", "-C", fabric, "leaf01"},
		{"trace", "-C", fabric, "gpu001", "gpu002"},
		{"version"},
		{"explain", "pfc-loop"},
		{"runs"},
	} {
		assert.Empty(t, traced(append([]string{tool}, args...)...), "rocec %s", strings.Join(args, " "))
	}
}

// No flag of any verb turns the verification of host keys off.
func TestNoFlagAgainstHostKeys(t *testing.T) {
	n := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			n++
			if (cmd.Name() == "apply" || cmd.Hidden) && f.Name == "host-key" { // the host must have the fingerprint that a person has compared
				assert.Equal(t, "string", f.Value.Type())
				return
			}
			if f.Name == "strict" { // of verify, about settings that other tools made
				assert.Contains(t, f.Usage, "devices that are other and sound")
				return
			}
			if f.Name != "skip-cabling-check" { // the flag is about cables
				assert.NotRegexp(t, `host-?key|insecure|strict|known|no-verify|skip`, f.Name, cmd.CommandPath())
			}
		})
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }})))
	assert.Greater(t, n, 100)
}

// A file that the person names may be writable for a group: the description is not one of rocec's own files.
func TestSharedInputs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/rack-v1-pfc")))
	vars := filepath.Join(dir, "more.hcl.txt")
	require.NoError(t, os.WriteFile(vars, nil, 0o600))
	require.NoError(t, os.Chmod(vars, 0o666))
	require.NoError(t, os.Chmod(filepath.Join(dir, "fabric.hcl"), 0o666))
	require.NoError(t, os.Chmod(dir, 0o777))
	code, stdout, stderr := rocec(t, "validate", "--var-file", vars, dir)
	require.Equal(t, exit.Good, code, "%s\n%s", stdout, stderr)
}

// If another user could have written the devices of a lab, rocec makes them anew.
func TestResetOfARefusedLab(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir, store := t.TempDir(), filepath.Join(t.TempDir(), "store")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/rack-v1-pfc")))
	apply := []string{"apply", "--lab=" + store, "--auto-approve", "--soak", "0s", dir}
	code, stdout, stderr := rocec(t, apply...)
	require.Equal(t, exit.Good, code, "%s\n%s", stdout, stderr)
	require.NoError(t, os.Chmod(filepath.Join(store, "lab.json"), 0o666))
	code, _, stderr = rocec(t, apply...)
	require.Equal(t, exit.Machines, code)
	require.Contains(t, oneLine(stderr), "is not used")
	code, stdout, stderr = rocec(t, "lab", "reset", "--lab="+store)
	require.Equal(t, exit.Good, code, "%s\n%s", stdout, stderr)
	code, stdout, stderr = rocec(t, apply...)
	require.Equal(t, exit.Good, code, "%s\n%s", stdout, stderr)
}
