package targets_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/targets"
)

// mixedSpeeds returns a fabric of a switch with two marked groups, and hosts with 25G and 100G.
const mixedSpeeds = `
fabric "rack" { cable_length = "3m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {%s}
}
cos_group "bulk" {
  cos  = 1
  dscp = [10]
  ecn {%s}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "train" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.slow, host.fast]
}
roce "copy" {
  version   = 2
  cos_group = cos_group.bulk
  cnp       = cos_group.cnp
  members   = [host.slow, host.fast]
}
switch "tor" {
  names = "tor"
  model = "%s"
  %s
}
host "slow" {
  names = "slow[1-2]"
  nic "e1" { model = "connectx-5" }
}
host "fast" {
  names = "fast[1-2]"
  nic "e1" { model = "connectx-5" }
}
link "slow" {
  a     = "slow[1-2]:e1"
  b     = "tor:%s"
  speed = "25G"
}
link "fast" {
  a     = "fast[1-2]:e1"
  b     = "tor:%s"
  speed = "100G"
}
`

// TestDerivedThresholdsAreNeverRefused: a release with one set of thresholds for a port or a switch gets the lowest of the derived
// thresholds. Only stated thresholds that contradict each other are refused.
func TestDerivedThresholdsAreNeverRefused(t *testing.T) {
	for _, c := range []struct {
		model, system, slow, fast string
		code                      string // code for contradicting values
		sets                      int    // the thresholds that are written
	}{
		{"sn2700", `version = "3.7.16"`, "swp[1-2]", "swp[3-4]", "cumulus-ecn-groups", 2},
		{"sn2700", `version = "4.3.0"`, "swp[1-2]", "swp[3-4]", "cumulus-ecn-groups", 2},
		{"sn2700", `version = "4.4.0"`, "swp[1-2]", "swp[3-4]", "cumulus-ecn-groups", 1},
		{"sn2700", `version = "5.3.0"`, "swp[1-2]", "swp[3-4]", "cumulus-ecn-groups", 2},
		{"sn3700", "version = \"5.9.0\"\n  config = \"files\"", "swp[1-2]", "swp[3-4]", "cumulus-ecn-groups", 2},
		{"sn3700", `version = "5.9.0"`, "swp[1-2]", "swp[3-4]", "", 2},
		{"sn2700", "os = \"sonic\"\n  version = \"202405\"", "etp[1-2]", "etp[3-4]", "sonic-marking", 1},
		{"sn2700", "os = \"sonic\"\n  version = \"202505\"", "etp[1-2]", "etp[3-4]", "sonic-marking", 1},
		{"sn2700", "os = \"sonic\"\n  version = \"202511\"", "etp[1-2]", "etp[3-4]", "", 2},
	} {
		hcl := func(first, second string) string {
			return fmt.Sprintf(mixedSpeeds, first, second, c.model, c.system, c.slow, c.fast)
		}
		f := compilertest.Compile(t, hcl("", ""))
		tree, ds := targets.Render(f)
		require.False(t, ds.HasErrors(), "%s: %s", c.system, textOf(ds))
		least := map[string]bool{}
		for _, d := range tree.Devices {
			if d.Source.Switch == nil {
				continue
			}
			for i := range d.Files {
				content, _ := d.Files[i].Edit(nil)
				for _, m := range minima.FindAllStringSubmatch(string(content), -1) {
					least[strings.Trim(m[1], `"'`)] = true
				}
			}
			for _, p := range d.Source.Ports {
				for _, m := range p.Marks() {
					if m.Group.Lossless {
						assert.Less(t, m.Min.N, d.Source.Memory().MarkBound(), "%s %s: marks come before pauses", c.system, p.Name)
					}
					assert.Less(t, m.Min.N, m.Max.N, "%s %s", c.system, p.Name)
				}
			}
		}
		assert.Len(t, least, c.sets, "%s: %v", c.system, least)

		_, ds = targets.Render(compilertest.Compile(t, hcl("\n    min = \"50KiB\"\n  ", "\n    min = \"90KiB\"\n  ")))
		assert.Equal(t, c.code != "", ds.HasErrors(), "%s: %s", c.system, textOf(ds))
		assert.Contains(t, textOf(ds), c.code)
	}
}

// minima finds, in each spelling, the thresholds at which queues begin to mark.
var minima = regexp.MustCompile(`(?:min_threshold_bytes =|min-threshold:|green_min_threshold) ?("?'?[0-9]+)`)
