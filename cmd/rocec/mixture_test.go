package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ringOf is four switches in a ring with a host each, under shortest paths, with such cos groups and intents. Two hosts that are not
// neighbours fill one half of the two circles there are.
func ringOf(classes ...string) string {
	return `
fabric "ring" {
  routing      = "shortest-path"
  failures     = 0
  cable_length = "10m"
}
switch "sw" {
  names   = "sw[1-4]"
  model   = "sn2100"
  version = "4.3.0"
}
host "node" {
  names = "node[1-4]"
  nic "eth2" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
}
link "hosts" {
  a = "node[1-4]:eth2"
  b = "sw[1-4]:swp1"
}
link "ring" {
  a = "sw[1-4]:swp15"
  b = "sw[2-4,1]:swp16"
}
` + strings.Join(classes, "")
}

// classOf is a lossless class with an intent for each set of members.
func classOf(name, cos, dscp, more string, members ...string) string {
	var b strings.Builder
	b.WriteString("cos_group \"" + name + "\" {\n  cos = " + cos + "\n  dscp = [" + dscp + "]\n  lossless = true\n  " + more + "\n}\n")
	for i, m := range members {
		b.WriteString("roce \"" + name + string(rune('a'+i)) + "\" {\n  version = 2\n  cos_group = cos_group." + name + "\n  members = [\"" +
			m + "\"]\n}\n")
	}
	return b.String()
}

// TestMixtureLoops: a change in whose course lossless classes of before and afterwards make a PFC loop is refused; done in two, and where
// the loop stands before it, it is not.
func TestMixtureLoops(t *testing.T) {
	neighbours := classOf("near", "5", "40", "", "node[1-2]", "node[3-4]")
	for name, c := range map[string]struct {
		before, after, between string
		refused                string // empty: it goes through
	}{
		"members leave and join": {
			ringOf(classOf("far", "4", "32", "", "node[1,3]")), ringOf(classOf("far", "4", "32", "", "node[2,4]")),
			ringOf(classOf("far", "4", "32", "", "node[1-2]")),
			"wait for each other in a circle: sw1:swp15, sw4:swp15, sw3:swp15, sw2:swp15. Make it two changes",
		},
		"a class ends and another begins": {
			ringOf(neighbours, classOf("far", "4", "32", "", "node[1,3]")), ringOf(neighbours, classOf("new", "3", "24", "", "node[2,4]")),
			ringOf(neighbours), "Cos 4, lossless only before, fills the same buffers. Make it two changes",
		},
		"a loop goes": {
			ringOf(classOf("far", "4", "32", `allow_deadlock = "to be taken apart"`, "node[1-4]")),
			ringOf(classOf("far", "4", "32", "", "node[1,3]")), "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			dir, lab := t.TempDir(), t.TempDir()
			does := func(verb, fabric string, args ...string) (int, string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(fabric), 0o644))
				code, stdout, stderr := rocec(t, append(append([]string{verb, "--lab=" + lab}, args...), dir)...)
				return code, strings.Join(strings.Fields(stdout+stderr), " ")
			}
			plans := func(fabric string) string {
				_, text := does("plan", fabric)
				require.Contains(t, text, "Order: ")
				_, said, _ := strings.Cut(text, "error[")
				return said
			}
			applied := func(fabric string) {
				code, text := does("apply", fabric, "--auto-approve", "--soak", "0s", "--no-canary")
				require.Zero(t, code, text[max(0, len(text)-2000):])
			}
			applied(c.before)
			if c.refused != "" {
				assert.Contains(t, plans(c.after), c.refused)
				assert.Empty(t, plans(c.between))
				applied(c.between)
			}
			assert.Empty(t, plans(c.after))
		})
	}
}
