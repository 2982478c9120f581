package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/judge/judgetest"
)

// A change is refused if its old and new lossless classes together make a PFC loop during the change. As two changes it is permitted.
// Package sequence has the other loops.
func TestMixtureLoops(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir, lab := t.TempDir(), t.TempDir()
	does := func(verb, members string, args ...string) (int, string) {
		hcl := judgetest.Ring(judgetest.Class("far", "4", "32", "", members))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(hcl), 0o644))
		code, stdout, stderr := rocec(t, append(append([]string{verb, "--lab=" + lab}, args...), dir)...)
		return code, oneLine(stdout + stderr)
	}
	plans := func(members string) string {
		_, text := does("plan", members)
		require.Contains(t, text, "Order: ")
		_, said, _ := strings.Cut(text, "error[")
		return said
	}
	applied := func(members string) {
		code, text := does("apply", members, "--auto-approve", "--soak", "0s", "--no-canary")
		require.Zero(t, code, text[max(0, len(text)-2000):])
	}
	applied("node[1,3]")
	assert.Contains(t, plans("node[2,4]"), "wait for each other in a circle: sw1:swp15, sw4:swp15, sw3:swp15, sw2:swp15. Make it two changes")
	applied("node[1-2]")
	assert.Empty(t, plans("node[2,4]"))
}

// TestClassesComeAndGo: a lossless class moves to another cos and DSCP while hosts use it, also on switches without files. A second class
// begins beside it, and ends.
func TestClassesComeAndGo(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	if testing.Short() {
		t.Skip("applies to labs")
	}
	for _, system := range []string{"NVUE 5.15", "SONiC"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			hcl := strings.NewReplacer("store[1-3]", "store[1-2]", "swp[1-3]", "swp[1-2]", "Ethernet[0,4,8]", "Ethernet[0,4]").
				Replace(systems[system])
			o := newOffice(t, hcl)
			applied := func() {
				o.want(t, exit.Good, "apply", "--auto-approve", "--soak", "0s", "--no-canary")
				o.want(t, exit.Good, "plan", "--detailed-exitcode")
				o.want(t, exit.Good, "verify")
			}
			applied()
			moved := strings.NewReplacer("cos      = 3", "cos      = 4", "dscp     = [26]", "dscp     = [34]").Replace(hcl)
			require.NotEqual(t, hcl, moved)
			o.write(t, moved)
			applied()
			o.write(t, moved+judgetest.Class("second", "3", "26", "ecn {}\n  weight = 10", "store[1-2]"))
			applied()
			o.write(t, moved)
			applied()
		})
	}
}

// TestRoCEOff: a member whose RoCE is switched off stops using the class before its switch stops pausing it.
func TestRoCEOff(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("applies to a lab")
	}
	hcl := judgetest.Rack(`version = "4.3.0"`)
	o := newOffice(t, hcl)
	o.want(t, exit.Good, "apply", "--auto-approve", "--soak", "0s", "--no-canary")
	o.write(t, strings.Replace(hcl, `"store[1-3]"`, `"store[1-2]"`, 1)+`
host "off" {
  names = "store3"
  nic "ens1f0" {
    model = "connectx-6dx"
    roce  = false
  }
}
`)
	out := o.want(t, exit.Good, "plan")
	require.NotContains(t, out, "lossy-mixture")
	_, order, _ := strings.Cut(out, "Order: ")
	host, tor := strings.Index(order, "store3"), strings.Index(order, "tor")
	require.Positive(t, host)
	assert.Less(t, host, tor)
}
