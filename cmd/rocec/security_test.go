package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// networkCall is a call of the kernel by which a process reaches beyond its machine, as strace prints it. Go asks for a socket of a
// family before everything else, also for a name or an interface.
var networkCall = regexp.MustCompile(`(?m)^.*\bsocket\(AF_(INET|INET6|NETLINK|PACKET|VSOCK)\b.*$`)

// No verb without devices opens a network connection, and none calls home.
func TestNoNetwork(t *testing.T) {
	tool, err := exec.LookPath("rocec")
	require.NoError(t, err, "testscript puts it there")
	tracer, err := exec.LookPath("strace")
	require.NoError(t, err, "install what .ci/deps lists")
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
	require.NotEmpty(t, traced("ip", "link", "show"), "the trace sees what a process opens")
	for _, args := range [][]string{
		{"validate", fabric},
		{"build", "-o", filepath.Join(dir, "out"), fabric},
		{"graph", fabric},
		{"show", "-C", fabric, "leaf01"},
		{"trace", "-C", fabric, "gpu001", "gpu002"},
		{"version"},
		{"explain", "pfc-loop"},
		{"runs"},
	} {
		assert.Empty(t, traced(append([]string{tool}, args...)...), "rocec %s", strings.Join(args, " "))
	}
}

// The page on security names the modules that the program is made of.
func TestModulesOfTheProgram(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".").Output()
	require.NoError(t, err)
	modules := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
	require.Greater(t, len(modules), 5)
	_, list, ok := strings.Cut(string(page), "## Supply chain")
	require.True(t, ok)
	for _, m := range modules {
		assert.Contains(t, list, "`"+m+"`", "docs/security.md lists the modules of the program")
	}
	for _, m := range regexp.MustCompile("`([a-z]+\\.[a-z]+/[^` ]+)`").FindAllStringSubmatch(list, -1) {
		assert.Contains(t, modules, m[1], "docs/security.md lists a module that is not in the program")
	}
}

// Workflows, and the action that others use, take actions by hash: a tag can be moved.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	require.NoError(t, err)
	uses, pinned := regexp.MustCompile(`\buses: *([^ \n]+)`), regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	n := 0
	for _, f := range append(files, "../../action.yml") {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range uses.FindAllStringSubmatch(string(text), -1) {
			n++
			assert.Regexp(t, pinned, m[1], f)
		}
	}
	assert.Greater(t, n, 3)
}
