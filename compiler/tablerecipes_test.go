package compiler

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/lang/nexthops"
)

// The fabric has two leaves and two spines with single links, except two links from leaf2 to spine1, which are a bond.
const recipeFabric = `
fabric "pod" {
  routing      = "table"
  table        = "fib.json"
  cable_length = "3m"
}
cos_group "rdma" {
  cos      = 3
  lossless = true
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu]
}
switch "leaf" {
  names = "leaf[1-2]"
  model = "sn2700"
}
switch "spine" {
  names = "spine[1-2]"
  model = "sn2700"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}
link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "leaf[1-2]:swp1"
}
link "up" {
  a = "leaf1:swp[31-32],leaf2:swp[31-32],leaf2:swp30"
  b = "spine[1-2]:swp1,spine1:swp[2-3],spine2:swp2"
}
`

// fakeSSH answers like a switch or host, from the samples.
const fakeSSH = `#!/bin/sh
[ "$1" = -n ] && shift
case $2 in
"ip -j -d route; ip -6 -j -d route") exec cat "$SAMPLES/$1.ip-route" ;;
"sudo vtysh -c 'show ip route json'") exec cat "$SAMPLES/$1.frr" ;;
"bridge -j fdb") exec cat "$SAMPLES/$1.fdb" ;;
"ip -j -d link") exec cat "$SAMPLES/$1.link" ;;
"ip -j addr show dev ens1f0") exec cat "$SAMPLES/$1.addr" ;;
esac
echo "ssh: what is $2?" >&2
exit 1
`

// codeBlock finds the programs of the manual: their first comment line begins with their name.
var codeBlock = regexp.MustCompile("(?s)```(?:sh|jq)\n(.*?)```\n")

var programName = regexp.MustCompile(`(?m)\A(?:#!.*\n)?# ([a-z-]+\.(?:sh|jq))\b`)

// The sample of the format can be parsed, and the manual lists exactly the existing codes.
func TestManualOfTables(t *testing.T) {
	manual, err := os.ReadFile("../docs/tables.md")
	require.NoError(t, err)
	_, sample, ok := strings.Cut(string(manual), "```json\n")
	require.True(t, ok)
	sample, _, ok = strings.Cut(sample, "```")
	require.True(t, ok)
	var ds diag.List
	require.NotNil(t, nexthops.Read("fib.json", []byte(sample), &ds), texts(ds))

	codes := map[string]bool{nexthops.Invalid.Code: true}
	for _, topic := range Topics {
		if strings.HasPrefix(topic.Code, "table-") || topic.Code == "routing-loop" || topic.Code == "no-route" {
			codes[topic.Code] = true
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+-[a-z-]+)` \\|").FindAllStringSubmatch(string(manual), -1) {
		assert.True(t, codes[row[1]], row[1])
		delete(codes, row[1])
	}
	assert.Empty(t, codes, "codes missing in the manual")
}

// TestRecipes runs the programs of docs/tables.md, with the real jq, on output of switches, and reads the result.
func TestRecipes(t *testing.T) {
	machinetest.Need(t, "jq")
	manual, err := os.ReadFile("../docs/tables.md")
	require.NoError(t, err)
	samples, err := filepath.Abs("testdata/tables")
	require.NoError(t, err)
	dir := t.TempDir()
	var names []string
	for _, m := range codeBlock.FindAllStringSubmatch(string(manual), -1) {
		name := programName.FindStringSubmatch(m[1])
		require.NotNil(t, name, m[1])
		names = append(names, name[1])
		require.NoError(t, os.WriteFile(filepath.Join(dir, name[1]), []byte(m[1]), 0o600))
	}
	assert.Equal(t, []string{"collect.sh", "ip-route.jq", "frr.jq", "fdb.jq", "table.jq", "addresses.sh", "addresses.jq"}, names)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "ssh"), []byte(fakeSSH), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(recipeFabric), 0o600))
	run := func(out string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SAMPLES="+samples, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		require.NoError(t, err, stderr.String())
		require.NoError(t, os.WriteFile(filepath.Join(dir, out), text, 0o600))
	}
	run("addresses.json", "addresses.sh", "gpu1:ens1f0", "gpu2:ens1f0")

	for _, c := range []struct {
		from  string
		wants string
	}{
		{"ip-route", `
			leaf1 gpu1 delivers, leaf1 gpu2 swp31 swp32
			leaf2 gpu1 swp31 swp32, leaf2 gpu2 delivers
			spine1 gpu1 swp1, spine1 gpu2 swp2 swp3
			spine2 gpu1 swp1, spine2 gpu2 swp2`},
		{"frr", `
			leaf1 gpu1 delivers, leaf1 gpu2 swp31 swp32
			leaf2 gpu1 swp31 swp32, leaf2 gpu2 delivers
			spine1 gpu1 swp1, spine1 gpu2 swp2 swp3
			spine2 gpu1 swp1, spine2 gpu2 swp2`},
		{"fdb", `
			leaf1 gpu1 swp1, leaf1 gpu2 swp31
			leaf2 gpu1 swp31 swp32, leaf2 gpu2 swp1
			spine1 gpu1 swp1, spine1 gpu2 swp2 swp3
			spine2 gpu1 drops, spine2 gpu2 drops`},
	} {
		t.Run(c.from, func(t *testing.T) {
			run("fib.json", "collect.sh", c.from, "leaf1", "leaf2", "spine1", "spine2")
			f := compiled(t, loaded(t, os.DirFS(dir), "."))
			for want := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(c.wants), "\n", ","), ",") {
				words := strings.Fields(want)
				assert.Equal(t, strings.Join(words[2:], " "), hops(f, words[0], words[1]+":ens1f0"), "%s to %s", words[0], words[1])
			}
		})
	}
}
